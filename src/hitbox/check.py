"""Whether a collider fits an engine: every shape one that it has, every hull within what it takes unchanged.

Engines shrink a hull that is beyond their caps, and say nothing. The caps are data of the profiles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hitbox import _core, profiles
from hitbox.collider import Collider, ColliderLike
from hitbox.errors import InputError
from hitbox.lengths import METRES
from hitbox.profiles import HullCaps, Profile
from hitbox.shapes import FloatArray, Frustum, Hull, IndexArray, Shape
from hitbox.words import counted

_IN_PLANE = 1e-6  # of a hull's diagonal: triangles this close to one plane are one polygon
_SPARE = 1e-9  # of a hull's diagonal: a vertex that sticks out no further is none


@dataclass(frozen=True)
class Fault:
    """A shape that does not fit, and why."""

    shape: int
    name: str
    kind: str
    why: str

    def __str__(self) -> str:
        return f"{self.name} ({self.kind}, shape {self.shape}): {self.why}."


@dataclass(frozen=True)
class CheckReport:
    """What of a collider does not fit a profile. Nothing: the engine takes it as it is."""

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
    """Proves that `collider` fits an engine, or says which shapes do not and why.

    `profile` is an engine's name, such as "physx", or a JSON file of your own. Lengths that are absolute in
    the engine are taken in the collider's unit, or in metres where it has none.

    >>> from hitbox.shapes import Sphere
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
        yield f"{engine.name} has {', '.join(engine.kinds)}, but no {shape.kind}"


def hull_faults(hull: Hull, caps: HullCaps, metres: float = 1.0) -> Iterator[str]:
    """Why a hull is beyond `caps`; `metres` is the length of its unit."""
    facts = HullFacts(hull)
    corners = max(facts.corners, default=0)
    counts = [
        (len(facts.vertices), caps.vertices, "vertices"),
        (len(facts.corners), caps.polygons, "polygons"),
        (len(facts.triangles), caps.triangles, "triangles"),
        (corners, caps.corners, "corners in one polygon"),
    ]
    few = True
    for count, most, what in counts:
        if most is not None and count > most:
            few = False
            yield f"{count:,} {what}, and no more than {most:,} are taken"
    if caps.aspect is not None and facts.aspect > caps.aspect:
        extent = f"its largest extent is {facts.aspect:.3g} times its inner radius"
        yield f"{extent}, and {caps.aspect:g} times is allowed"
    if few and caps.plane_tolerance is not None:
        least, share = caps.plane_tolerance
        least = max(least / metres, share * float(np.ptp(facts.vertices, axis=0).sum()) / 2)
        if facts.clearance <= least:
            yield (
                f"a vertex sticks out of the hull of the others by {facts.clearance:.3g}, and would be lost: "
                f"more than {least:.3g} is needed"
            )


class HullFacts:
    """What engines ask about a hull: of the exact hull of its vertices."""

    def __init__(self, hull: Hull) -> None:
        vertices, triangles = _core.convex_hull(hull.vertices)[:2]
        self.vertices: FloatArray = np.asarray(vertices, np.float64)
        self.triangles: IndexArray = np.asarray(triangles, np.uint32)
        self.diagonal = float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    @cached_property
    def corners(self) -> list[int]:
        """Of each polygon; triangles that lie in the plane of a larger one beside them are part of it."""
        normals, offsets, areas = self._planes
        neighbours = self._neighbours
        side = np.full(len(self.triangles), -1)
        for seed in np.argsort(-areas, kind="stable"):
            if side[seed] >= 0:
                continue
            flat = np.abs(self.vertices @ normals[seed] - offsets[seed]) <= _IN_PLANE * self.diagonal
            side[seed] = seed
            waiting = [int(seed)]
            while waiting:
                for other in neighbours[waiting.pop()]:
                    if side[other] < 0 and flat[self.triangles[other]].all():
                        side[other] = seed
                        waiting.append(int(other))
        outer = side[:, None] != side[neighbours]
        return [int(outer[side == seed].sum()) for seed in np.unique(side)]

    @property
    def aspect(self) -> float:
        """The largest extent by the distance from the centre of mass to the nearest side."""
        normals, offsets, areas = self._planes
        corners = self.vertices[self.triangles] - self.vertices.mean(axis=0)
        volumes = np.linalg.det(corners)
        centre = self.vertices.mean(axis=0) + (volumes @ corners.sum(axis=1)) / (4 * volumes.sum())
        real = areas > _SPARE * self.diagonal**2
        return float(np.ptp(self.vertices, axis=0).max() / (offsets - normals @ centre)[real].min())

    @cached_property
    def clearance(self) -> float:
        """How far the vertex that sticks out least does so, of the hull of the others."""
        kept = list(range(len(self.vertices)))
        above: list[float] = []
        for k in range(len(self.vertices)):  # what rounding made a vertex is none, one at a time
            others = [j for j in kept if j != k]
            above.append(self._above(k, others))
            if len(others) > 3 and above[-1] <= _SPARE * self.diagonal:
                kept = others
        if len(kept) < len(above):
            above = [self._above(k, [j for j in kept if j != k]) for k in kept]
        return min(above)

    def _above(self, vertex: int, others: list[int]) -> float:
        corners, triangles = _core.convex_hull(np.ascontiguousarray(self.vertices[others]))[:2]
        normals, offsets, areas = _planes(np.asarray(corners), np.asarray(triangles))
        real = areas > 0
        return float((normals @ self.vertices[vertex] - offsets)[real].max(initial=0.0))

    @cached_property
    def _planes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _planes(self.vertices, self.triangles)

    @cached_property
    def _neighbours(self) -> IndexArray:
        """Of each triangle, across its three edges."""
        count = len(self.vertices)
        ends = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
        keys, twins = ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]
        order = np.argsort(keys)
        return np.asarray(order[np.searchsorted(keys[order], twins)] // 3, np.uint32).reshape(-1, 3)


def _planes(vertices: FloatArray, triangles: IndexArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Unit normals, offsets and doubled areas."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    normals /= np.where(areas > 0, areas, 1.0)[:, None]
    return normals, np.einsum("ij,ij->i", normals, a), areas
