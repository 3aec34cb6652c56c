"""`python -m hitbox`, the same as `hitbox`."""

from __future__ import annotations

from hitbox._cli import main

main()
