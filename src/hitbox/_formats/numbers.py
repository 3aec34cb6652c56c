"""Numbers as text: the shortest text that reads back to the same float64, whole numbers without a point."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hitbox._base.errors import InputError


def number(value: float) -> str:
    """Format a number: `1`, `0.1`, `1e-05`. Raise InputError if it is not finite."""
    if not math.isfinite(value):
        raise InputError(f"collider: {value!r} is not a finite number, so it cannot be written.")
    value = float(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)


def numbers(values: Iterable[float]) -> str:
    """Format numbers separated by spaces, as XML formats write vectors."""
    return " ".join(map(number, values))
