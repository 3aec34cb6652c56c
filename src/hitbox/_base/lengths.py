"""Lengths as users write them: `0.02`, `"1%"`, `"5mm"`. Each is resolved once, at the public call."""

from __future__ import annotations

import math
import re

from hitbox._base.errors import InputError

METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "in": 0.0254, "ft": 0.3048}
UPS = ("x", "y", "z")  # axes that may point up

_LENGTH = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%|[A-Za-z]+)?\s*")


def parse_length(
    value: float | str,
    diagonal: float,
    unit: str | None = None,
    *,
    name: str = "length",
    signed: bool = False,
) -> float:
    """Convert `value` to mesh units.

    A number, or a string of one, is in mesh units. `"1%"` refers to `diagonal`, the diagonal of the mesh's
    bounding box. `"5mm"` (also cm, m, km, in, ft) is converted to `unit`, the mesh's unit. A mesh without a
    unit counts as metres, as in glTF and most engines. The result is finite, and not negative unless `signed`
    is true. Error messages start with `name`, the option's name.

    >>> parse_length("1%", diagonal=20.0)
    0.2
    >>> parse_length("5mm", diagonal=20.0, unit="cm")
    0.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        number = _number_like(value, name)
        suffix = None
    elif isinstance(value, str):
        match = _LENGTH.fullmatch(value)
        if match is None:
            raise InputError(
                f"{name}: {value!r} is not a length. Write mesh units (0.02), a percentage of the "
                f"diagonal ('1%') or a length with a unit ('5mm')."
            )
        number, suffix = float(match[1]), match[2]
    else:
        number, suffix = float(value), None
    if not math.isfinite(number) or (number < 0 and not signed):
        of_zero = "" if signed else " of 0 or more"
        raise InputError(f"{name}: {value!r} must be a finite length{of_zero}.")
    if suffix is None:
        return number
    if suffix == "%":
        return number / 100 * diagonal
    return number * _metres(suffix, name) / _metres(unit or "m", f"{name}: the mesh's unit")


def _number_like(value: object, name: str) -> float:
    """Convert a value that acts as a number, such as a numpy scalar."""
    if hasattr(value, "__float__") and not isinstance(value, bool):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise InputError(f"{name}: {value!r} is not a length. Give a number, or a string such as '1%' or '5mm'.")


def _metres(unit: str, name: str) -> float:
    try:
        return METRES[unit.lower()]
    except KeyError:
        raise InputError(f"{name}: unknown unit {unit!r}. Known: {', '.join(METRES)}.") from None
