"""hitbox under the names of other tools, for code that calls those today: one module a tool."""
