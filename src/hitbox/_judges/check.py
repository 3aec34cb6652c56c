"""Checks whether a collider fits an engine: supported shape kinds, and hulls that the engine does not change.

Engines silently simplify a hull beyond their limits. The profiles contain these limits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES
from hitbox._base.text import counted
from hitbox._model import profiles
from hitbox._model.collider import Collider, ColliderLike
from hitbox._model.hull_limits import hull_faults
from hitbox._model.profiles import Profile
from hitbox._model.shapes import Frustum, Hull, Shape

_IN_PLANE = 1e-6  # fraction of a hull's diagonal: triangles this close to a plane form one polygon
_SPARE = 1e-9  # fraction of a hull's diagonal: a vertex that sticks out less does not count


@dataclass(frozen=True)
class Fault:
    """A shape that does not fit, and the reason."""

    shape: int
    name: str
    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.name} ({self.kind}, shape {self.shape}): {self.why}."


@dataclass(frozen=True)
class CheckReport:
    """The shapes of a collider that do not fit a profile. Without faults, the engine uses it unchanged."""

    profile: str
    shapes: int
    faults: tuple[Fault, ...] = ()

    @property
    def fits(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        if self.fits:
            return f"{counted(self.shapes, 'shape')}: fits {self.profile}."
        wrong = len({fault.shape for fault in self.faults})
        verb = "does" if wrong == 1 else "do"
        head = f"{wrong:,} of {counted(self.shapes, 'shape')} {verb} not fit {self.profile}:"
        return "\n".join([head, *map(str, self.faults)])


def check(collider: ColliderLike, profile: str | os.PathLike[str] | Profile) -> CheckReport:
    """Check that `collider` fits an engine, and report each shape that does not with the reason.

    `profile` is an engine's name, such as "physx", or your own JSON file. Absolute lengths of the engine are
    converted to the collider's unit; a collider without a unit is in metres.

    >>> from hitbox._model.shapes import Sphere
    >>> print(check([Sphere((0, 0, 0), 1)], "unity"))
    1 shape: fits unity.
    """
    engine, checked = profiles.load(profile), Collider.of(collider)
    if checked.unit is not None and checked.unit not in METRES:
        raise InputError(f"check: unknown unit {checked.unit!r}. Known: {', '.join(METRES)}.")
    metres = METRES[checked.unit or "m"]
    faults = [
        Fault(k, label.name or label.part or shape.kind, shape.kind, why)
        for k, (shape, label) in enumerate(zip(checked.shapes, checked.labels, strict=True))
        for why in _faults_of(shape, engine, metres)
    ]
    return CheckReport(engine.name, len(checked), tuple(faults))


def _faults_of(shape: Shape, engine: Profile, metres: float) -> Iterator[str]:
    if isinstance(shape, Hull) and engine.hull is not None:
        yield from hull_faults(shape, engine.hull, metres)
    elif engine.cones and isinstance(shape, Frustum) and shape.is_cone:
        return
    elif shape.kind not in engine.kinds:
        yield f"{engine.name} supports {', '.join(engine.kinds)}, but no {shape.kind}"
