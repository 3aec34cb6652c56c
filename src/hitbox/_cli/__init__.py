"""The shell: one module per command, and shared code."""

from __future__ import annotations

from hitbox._cli.app import main

__all__ = ["main"]
