"""hitbox under the names of other tools, for code that calls them today. Each tool has one module."""
