"""Numbers as text: the shortest that reads back to the same float64, whole ones without a point."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hitbox._base.errors import InputError


def number(value: float) -> str:
    """`1`, `0.1`, `1e-05`; raises InputError for what is not finite."""
    if not math.isfinite(value):
        raise InputError(f"collider: {value!r} cannot be written as a number.")
    value = float(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)


def numbers(values: Iterable[float]) -> str:
    """With a space between them, as XML formats have vectors."""
    return " ".join(map(number, values))
