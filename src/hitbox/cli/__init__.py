"""The shell's door: `hitbox fit`, `hitbox info`, `hitbox render`."""

from __future__ import annotations

from hitbox.cli.main import main

__all__ = ["main"]
