"""Checks of arguments that several verbs share. Each returns the value in its type, or raises an InputError.

`where` starts the message: the verb and the option, such as "fit: count".
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping

import numpy as np

from hitbox._base.errors import InputError

MOST_THREADS = 4096
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6


def whole(where: str, value: object, least: int, most: int) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and least <= value <= most:
        return int(value)
    raise InputError(f"{where}: must be a whole number from {least:,} to {most:,}, not {value!r:.80}.")


def number(value: object) -> float:
    """Return `value` as a float, or NaN if it is not a number."""
    try:
        return math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


def not_negative(where: str, value: object) -> float:
    checked = number(value)
    if not 0 <= checked < math.inf:
        raise InputError(f"{where}: must be a finite number of 0 or more, not {value!r:.80}.")
    return checked


def positive(where: str, value: object) -> float:
    checked = number(value)
    if not 0 < checked < math.inf:
        raise InputError(f"{where}: must be a finite number above 0, not {value!r:.80}.")
    return checked


def weight(where: str, value: object) -> float:
    checked = number(value)
    if not LEAST_WEIGHT <= checked <= MOST_WEIGHT:
        limits = f"from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
        raise InputError(f"{where}: must be a number {limits}, not {value!r:.80}.")
    return checked


def weights(where: str, values: object, kinds: Iterable[str], or_else: str = "") -> dict[str, float]:
    """Check a dict of factors for some of `kinds`; `or_else` ends the message with what else is allowed."""
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: weights: must be a dict such as {{'prism': 1.4}}{or_else}.")
    for kind in values:
        one_of(f"{where}: weights", kind, kinds, "kind")
    return {kind: weight(f"{where}: weights: {kind}", value) for kind, value in values.items()}


def threads(verb: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_THREADS:
        raise InputError(f"{verb}: threads: must be from 0 (all cores) to {MOST_THREADS}, not {value!r}.")
    return value


def seed(verb: str, value: object) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= value < 2**64:
        return int(value)
    raise InputError(f"{verb}: seed: must be a whole number from 0 to 2**64 - 1, not {value!r:.80}.")


def one_of(where: str, value: object, allowed: Iterable[str], what: str = "value") -> None:
    names = list(allowed)
    if value not in names:
        hint = guess(str(value), names)
        raise InputError(f"{where}: unknown {what} {value!r:.80}.{hint} Known: {', '.join(names)}.")


def guess(value: str, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(value, list(names), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
