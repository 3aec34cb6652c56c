"""The kinds of options whose values are nouns of the model: shape kinds, profiles, spaces, importance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitbox._base import checks, flag_text
from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._base.option_kinds import Kind, Scale, plain, rows_of
from hitbox._model import importance, profiles
from hitbox._model.shapes import KINDS, _Shape
from hitbox._model.space import HalfSpace, NavigableSpace

PRIMITIVES = tuple(kind for kind in KINDS if kind != "hull")  # in the order of the core


class ShapeKinds(Kind):
    """Names of shape kinds; at least one of them is a primitive."""

    metavar = "KIND,..."
    lists = True
    crosses = False
    words = KINDS

    def checked(self, where: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, Iterable):
            raise InputError(f"{where}: must be names such as 'box' or ('box', 'sphere'), not {value!r:.80}.")
        named = (value,) if isinstance(value, str) else tuple(value)
        for kind in named:
            checks.one_of(where, kind, KINDS, "kind")
        if not named:
            raise InputError(f"{where}: no kind is left. Allow at least one of {', '.join(PRIMITIVES)}.")
        if set(named) == {"hull"}:
            raise InputError(f"{where}: 'hull' needs at least one other kind beside it, such as 'box'.")
        return tuple(kind for kind in KINDS if kind in named)

    def read(self, flag: str, text: Any) -> tuple[str, ...]:
        return flag_text.words(flag, text)

    def plain(self, value: Any) -> list[str]:
        return list(value)


class KindWeights(Kind):
    """A factor for some of the primitives, or the name of a preset."""

    metavar = "NAME|PAIRS"
    crosses = False

    def __init__(self, presets: Iterable[str]) -> None:
        self.words = tuple(presets)

    def checked(self, where: str, value: Any) -> dict[str, float] | str:
        if not isinstance(value, str):
            verb = where.partition(":")[0]
            return checks.weights(verb, value, PRIMITIVES, f", or one of {', '.join(self.words)}")
        checks.one_of(where, value, self.words, "preset")
        return value

    def read(self, flag: str, text: Any) -> dict[str, float] | str:
        """Parse `box=1,prism=1.4` as a dict, or the name of a preset."""
        if "=" not in text and "," not in text:
            return str(text.strip())
        wrong = f"{flag}: must be kind=number such as prism=1.4"
        return dict(flag_text.pair(each, wrong) for each in flag_text.words(flag, text))


class Engine(Kind):
    """A profile: its name, or a JSON file."""

    metavar = "NAME|FILE"
    crosses = False
    words = profiles.NAMES
    suffixes = (".json",)

    def checked(self, where: str, value: Any) -> profiles.Profile:
        return profiles.load(value)

    def plain(self, value: profiles.Profile) -> Any:
        return value.name if value.own is None else json.loads(value.own)


class FaceImportance(Kind):
    """Weights of faces: a direction, names of parts and materials, or one number per face."""

    metavar = "FACES"
    hint = "Repeatable."
    repeats = True
    crosses = False
    words = importance.DIRECTIONS

    def checked(self, where: str, value: Any) -> importance.Importance:
        return importance.checked(where, value)

    def read(self, flag: str, text: Sequence[str]) -> str | tuple[str, float] | dict[str, float]:
        """Parse `up` unchanged, `up=8` as ("up", 8.0), and names of parts or materials, `seat=4`, as one
        dict.
        """
        if len(text) == 1 and "=" not in text[0]:
            return text[0].strip()
        wrong = f"{flag}: must be one direction such as up, or name=number such as seat=4"
        found = dict(flag_text.pair(each, wrong) for each in text)
        directions = [name for name in found if name in importance.DIRECTIONS]
        if directions and len(found) > 1:
            raise InputError(f"{wrong}, not {' and '.join(text)!r}.")
        return (directions[0], found[directions[0]]) if directions else found

    def plain(self, value: Any) -> Any:
        return plain(value)


class ClearSpheres(tuple[tuple[float, ...], ...]):
    """Spheres to keep clear, as rows of four numbers: those given, and then those of the spaces."""

    given: tuple[tuple[float, ...], ...]
    spaces: tuple[NavigableSpace, ...]

    def __bool__(self) -> bool:
        return len(self) > 0 or len(self.spaces) > 0  # a space may have no spheres

    @staticmethod
    def of(given: Iterable[tuple[float, ...]], spaces: Iterable[NavigableSpace]) -> ClearSpheres:
        rows, kept = tuple(given), tuple(spaces)
        of_spaces = [tuple(row) for space in kept for row in space.spheres.tolist()]
        made = ClearSpheres((*rows, *of_spaces))
        made.given, made.spaces = rows, kept
        return made


class Spheres(Kind):
    """Spheres, one row of four numbers each, or navigable spaces."""

    metavar = "SPHERE|FILE"
    hint = "Or a saved space. Repeatable."
    repeats = True
    suffixes = (".json",)

    def checked(self, where: str, value: Any) -> ClearSpheres:
        if isinstance(value, ClearSpheres):
            return value
        spaces: list[NavigableSpace] = []
        if isinstance(value, NavigableSpace):
            value = [value]
        if isinstance(value, list | tuple):
            spaces = [each for each in value if isinstance(each, NavigableSpace)]
            value = [each for each in value if not isinstance(each, NavigableSpace)]
        rows = rows_of(getattr(value, "spheres", value), 4)
        if rows is None:
            raise InputError(f"{where}: must be spheres such as [(x, y, z, radius)], four numbers each.")
        wrong = np.flatnonzero(~(np.isfinite(rows).all(axis=1) & (rows[:, 3] > 0)))
        if wrong.size:
            k = int(wrong[0])
            raise InputError(
                f"{where}: sphere {k + 1} is {tuple(rows[k].tolist())}, but must be finite, with a radius "
                f"above 0."
            )
        return ClearSpheres.of((tuple(row) for row in rows.tolist()), spaces)

    def for_core(self, where: str, value: Any, scale: Scale, current: Any) -> Any:
        return value.given

    def read(self, flag: str, text: Sequence[str]) -> list[tuple[float, ...] | NavigableSpace]:
        found: list[tuple[float, ...] | NavigableSpace] = []
        for each in text:
            if each.lower().endswith(".json"):
                found.append(NavigableSpace.load(each))
            else:
                found.append(flag_text.numbers(flag, each, "x,y,z,radius", "0,0,1.5,0.3"))
        return found

    def plain(self, value: ClearSpheres) -> Any:
        if not value.spaces:
            return plain(value.given)
        spaces = [{"radius": space.radius, "tolerance": space.tolerance} for space in value.spaces]
        return {"spheres": plain(value.given), "spaces": spaces}


class SavedSpace(Kind):
    """A navigable space."""

    metavar = "FILE"
    suffixes = (".json",)
    crosses = False

    def checked(self, where: str, value: Any) -> NavigableSpace:
        if isinstance(value, NavigableSpace):
            return value
        kind = type(value).__name__
        raise InputError(f"{where}: must come from navigable_space or NavigableSpace.load, not {kind}.")

    def read(self, flag: str, text: Any) -> NavigableSpace:
        return NavigableSpace.load(text)

    def plain(self, value: NavigableSpace) -> dict[str, float]:
        return {"radius": value.radius, "tolerance": value.tolerance}


@dataclass(frozen=True)
class Blockers(Kind):
    """Obstacles that balls may not enter: half-spaces, shapes, functions of points. The shell has only
    floors.
    """

    metavar = "AXIS=HEIGHT"
    hint = "Repeatable."
    repeats = True
    crosses = False

    def checked(self, where: str, value: Any) -> tuple[Any, ...]:
        if self._is_one(value):
            return (value,)
        if not isinstance(value, Iterable):
            raise InputError(f"{where}: must be a list of them, not a {type(value).__name__}.")
        found = tuple(value)
        for k, blocker in enumerate(found):
            if not self._is_one(blocker):
                raise InputError(
                    f"{where.partition(':')[0]}: blocker {k + 1} is a {type(blocker).__name__}: give a "
                    f"HalfSpace, a shape, or a function of points."
                )
        return found

    @staticmethod
    def _is_one(value: Any) -> bool:
        return isinstance(value, HalfSpace | _Shape) or callable(value)

    def read(self, flag: str, text: Sequence[str]) -> list[HalfSpace]:
        return [self._floor(flag, each) for each in text]

    @staticmethod
    def _floor(flag: str, text: str) -> HalfSpace:
        """Parse `z=0`: the axis that points up, and the height of the ground."""
        wrong = f"{flag}: must be an axis and a height such as z=0"
        axis, height = flag_text.pair(text, wrong)
        if axis not in UPS:
            raise InputError(f"{wrong}, not {text!r}.")
        return HalfSpace.floor(height, axis)

    def plain(self, value: Any) -> list[Any]:
        return [self._plain_one(blocker) for blocker in value]

    @staticmethod
    def _plain_one(blocker: Any) -> Any:
        """Return the name of a blocker, which for a function is "function"."""
        if isinstance(blocker, HalfSpace):
            return {"normal": list(blocker.normal), "offset": blocker.offset}
        return blocker.kind if isinstance(blocker, _Shape) else "function"
