"""The version, which only pyproject.toml states."""

from __future__ import annotations


def version() -> str:
    from importlib.metadata import version as installed  # slower than importing hitbox, so only on demand

    return installed("hitbox")
