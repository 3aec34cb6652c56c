"""File formats: one module a format, and registries that pick by suffix."""

from __future__ import annotations

from hitbox.formats.reading import load

__all__ = ["load"]
