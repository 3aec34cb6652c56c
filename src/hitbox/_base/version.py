"""The version, which is written down in pyproject.toml only."""

from __future__ import annotations


def version() -> str:
    from importlib.metadata import version as installed  # costs more than all of hitbox: only when asked for

    return installed("hitbox")
