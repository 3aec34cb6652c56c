"""The shell's door: one module a command, and what they share."""

from __future__ import annotations

from hitbox._cli.app import main

__all__ = ["main"]
