"""The compiled core; every other module takes it from here."""

from __future__ import annotations

import hitbox._core as _core

__all__ = ["_core"]
