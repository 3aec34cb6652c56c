"""The kinds of options: how a value is checked, read from a flag, completed, and written.

A kind that needs a class of the model, such as a saved space, is in `_model/option_kinds.py`.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from hitbox._base import checks, flag_text
from hitbox._base.errors import InputError
from hitbox._base.lengths import parse_length

_LISTED = 16  # numbers listed in the JSON; longer lists become a checksum


@dataclass(frozen=True)
class Scale:
    """The reference of lengths: percentages refer to `diagonal`, units to `unit`."""

    diagonal: float
    unit: str | None = None


class Kind:
    """The kind of values that an option takes. Subclasses override methods."""

    metavar = "TEXT"
    hint = ""  # a sentence that the shell adds to the help
    repeats = False  # whether its flag may be given several times
    is_switch = False  # whether its flag takes no value
    crosses = True  # whether the core's options have it as a field of the same name
    suffixes: tuple[str, ...] = ()  # suffixes of files that the flag may name
    words: tuple[str, ...] = ()  # words that the shell completes
    is_closed = False  # whether the flag takes only these words
    lists = False  # whether the flag takes several words, separated by commas

    def checked(self, where: str, value: Any) -> Any:
        """Return the value in its type, or raise InputError. `where` starts the message, such as "fit:
        count".
        """
        return value

    def read(self, flag: str, text: Any) -> Any:
        """Parse a flag's text, or all texts of a flag that may be repeated."""
        return text

    def plain(self, value: Any) -> Any:
        """Return the value for the JSON."""
        return value

    def text(self, default: Any) -> str | None:
        """Return the default for the help, or None."""
        return default if isinstance(default, str) else None

    def for_core(self, where: str, value: Any, scale: Scale, current: Any) -> Any:
        """Return the value for the core. `current` is the present value of the field."""
        return value


@dataclass(frozen=True)
class Count(Kind):
    """A whole number."""

    least: int = 0
    most: int = 2**64 - 1
    metavar = "INTEGER"

    def checked(self, where: str, value: Any) -> int:
        return checks.whole(where, value, self.least, self.most)

    def read(self, flag: str, text: Any) -> int:
        return int(text)

    def text(self, default: Any) -> str | None:
        return None if default is None else str(default)


class Seed(Count):
    """The start of a random sequence."""

    def checked(self, where: str, value: Any) -> int:
        return checks.seed(where.partition(":")[0], value)


@dataclass(frozen=True)
class Number(Kind):
    """A finite number of 0 or more; above 0 if `above_zero`."""

    most: float = math.inf
    above_zero: bool = False
    metavar = "NUMBER"

    def checked(self, where: str, value: Any) -> float:
        found = checks.positive(where, value) if self.above_zero else checks.not_negative(where, value)
        if found > self.most:
            raise InputError(f"{where}: must be from 0 to {self.most:,}, not {value!r}.")
        return found

    def read(self, flag: str, text: Any) -> float:
        return float(text)

    def text(self, default: Any) -> str | None:
        return None if default is None else f"{default:g}"


class Seconds(Number):
    """A time above 0."""

    metavar = "SECONDS"

    def __init__(self) -> None:
        super().__init__(above_zero=True)


class Fraction(Number):
    """A fraction of 0 or more; 1 is the whole."""

    metavar = "FRACTION"


class Flag(Kind):
    """True or False."""

    is_switch = True

    def checked(self, where: str, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise InputError(f"{where}: must be True or False, not {value!r:.80}.")
        return bool(value)

    def text(self, default: Any) -> str | None:
        return "yes" if default else "no"


@dataclass(frozen=True)
class Length(Kind):
    """A length in mesh units, as a percentage, or with a unit, or one of a few `words`."""

    above_zero: bool = False
    signed: bool = False
    words: tuple[str, ...] = ()  # allowed words besides lengths
    metavar = "LENGTH"

    def checked(self, where: str, value: Any) -> Any:
        if isinstance(value, str) and value in self.words:
            return value
        self.resolved(where, value, Scale(1.0))
        return value

    def resolved(self, where: str, value: Any, scale: Scale) -> float:
        """Return the length in mesh units."""
        found = parse_length(value, scale.diagonal, scale.unit, name=where, signed=self.signed)
        if self.above_zero and not found > 0:
            raise InputError(f"{where}: must be above 0, not {value!r:.80}. Write '1%', for example.")
        return found

    def read(self, flag: str, text: Any) -> float | str:
        return flag_text.number_or_text(text)

    def plain(self, value: Any) -> Any:
        return plain(value)

    def for_core(self, where: str, value: Any, scale: Scale, current: Any) -> float:
        return self.resolved(where, value, scale)


class Choice(Kind):
    """One of the words of a Literal."""

    is_closed = True
    metavar = "NAME"

    def __init__(self, literal: Any, *, what: str = "value") -> None:
        self.words = get_args(literal)
        self._what = what

    def checked(self, where: str, value: Any) -> str:
        checks.one_of(where, value, self.words, self._what)
        return str(value)

    def for_core(self, where: str, value: Any, scale: Scale, current: Any) -> Any:
        """Return the value of that name in the field's enumeration."""
        return getattr(type(current), value)


@dataclass(frozen=True)
class Points(Kind):
    """Points, one row of three numbers each."""

    metavar = "X,Y,Z"
    hint = "Repeatable."
    repeats = True

    def checked(self, where: str, value: Any) -> tuple[tuple[float, ...], ...]:
        rows = rows_of(value, 3)
        if rows is None or not np.isfinite(rows).all():
            raise InputError(f"{where}: must be points such as [(x, y, z)], three finite numbers each.")
        return tuple(tuple(row) for row in rows.tolist())

    def read(self, flag: str, text: Sequence[str]) -> list[tuple[float, ...]]:
        return [flag_text.numbers(flag, each, "x,y,z", "0,0,1.5") for each in text]

    def plain(self, value: Any) -> list[list[float]]:
        return [list(point) for point in value]

    def for_core(self, where: str, value: Any, scale: Scale, current: Any) -> Any:
        return np.array(value, np.float64).reshape(-1, 3)


class Folders(Kind):
    """Folders by names."""

    metavar = "NAME=FOLDER"
    hint = "Such as arm=src/arm. Repeatable."
    repeats = True
    crosses = False

    def checked(self, where: str, value: Any) -> Mapping[str, str | os.PathLike[str]]:
        if not isinstance(value, Mapping):
            raise InputError(f"{where}: must be a dict of names and folders.")
        for name, folder in value.items():
            if not os.path.isdir(folder):
                raise InputError(f"{where}: {name}: {os.fspath(folder)} is not a folder.")
        return value

    def read(self, flag: str, text: Sequence[str]) -> dict[str, str]:
        return dict(flag_text.folder(flag, each) for each in text)


def rows_of(value: Any, columns: int) -> Any | None:
    """Return an array of rows with this many columns, or None if the value is something else."""
    try:
        rows = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        return None
    if rows.size == 0 and hasattr(value, "__len__") and len(value) == 0:
        return np.empty((0, columns))
    return rows if rows.ndim == 2 and rows.shape[1] == columns else None


def plain(value: Any) -> Any:
    """Return a value for the JSON. A checksum replaces a long list of numbers."""
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, (tuple, list)):
        return value
    if len(value) > _LISTED:
        digest = hashlib.sha256(np.asarray(value, "<f8").tobytes()).hexdigest()
        return {"numbers": np.size(value), "sha256": digest}
    return [plain(each) for each in value]
