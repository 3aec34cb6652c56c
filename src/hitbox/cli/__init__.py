"""The shell's door: `hitbox fit`, `hitbox info`, `hitbox render`, `hitbox simulate`."""

from __future__ import annotations

from hitbox.cli.app import main

__all__ = ["main"]
