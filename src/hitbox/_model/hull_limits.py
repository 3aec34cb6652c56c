"""Compare a hull with the caps of a profile, and explain why an engine would change it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hitbox._model.profiles import HullCaps
from hitbox._model.shapes import FloatArray, Hull, IndexArray
from hitbox._native import _core

_IN_PLANE = 1e-6  # fraction of a hull's diagonal: triangles this close to one plane form one polygon
_SPARE = 1e-9  # fraction of a hull's diagonal: a vertex that sticks out less does not count


def hull_faults(hull: Hull, caps: HullCaps, metres: float = 1.0) -> Iterator[str]:
    """Yield the reasons why a hull is beyond `caps`. `metres` is the length of the hull's unit."""
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
            yield f"{count:,} {what}, but the engine takes at most {most:,}"
    if caps.aspect is not None and facts.aspect > caps.aspect:
        extent = f"its largest extent is {facts.aspect:.3g} times its inner radius"
        yield f"{extent}, but only {caps.aspect:g} times is allowed"
    if few and caps.plane_tolerance is not None:
        least, share = caps.plane_tolerance
        least = max(least / metres, share * float(np.ptp(facts.vertices, axis=0).sum()) / 2)
        if facts.clearance <= least:
            yield (
                f"a vertex lies only {facts.clearance:.3g} outside the hull of the others, and the "
                f"engine drops it unless that is more than {least:.3g}"
            )


class HullFacts:
    """The numbers that engines limit, of the exact hull of a hull's vertices."""

    def __init__(self, hull: Hull) -> None:
        vertices, triangles = _core.convex_hull(hull.vertices)[:2]
        self.vertices: FloatArray = np.asarray(vertices, np.float64)
        self.triangles: IndexArray = np.asarray(triangles, np.uint32)
        self.diagonal = float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    @cached_property
    def corners(self) -> list[int]:
        """The corners of each polygon. Triangles in the plane of a larger neighbour belong to its polygon."""
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
        """The largest extent divided by the distance from the centre of mass to the nearest side."""
        normals, offsets, areas = self._planes
        corners = self.vertices[self.triangles] - self.vertices.mean(axis=0)
        volumes = np.linalg.det(corners)
        centre = self.vertices.mean(axis=0) + (volumes @ corners.sum(axis=1)) / (4 * volumes.sum())
        real = areas > _SPARE * self.diagonal**2
        return float(np.ptp(self.vertices, axis=0).max() / (offsets - normals @ centre)[real].min())

    @cached_property
    def clearance(self) -> float:
        """The smallest distance of a vertex from the hull of the others."""
        kept = list(range(len(self.vertices)))
        above: list[float] = []
        for k in range(len(self.vertices)):  # remove vertices that exist only by rounding, one at a time
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
        """Return the neighbours of each triangle across its three edges."""
        count = len(self.vertices)
        ends = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
        keys, twins = ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]
        order = np.argsort(keys)
        return np.asarray(order[np.searchsorted(keys[order], twins)] // 3, np.uint32).reshape(-1, 3)


def _planes(vertices: FloatArray, triangles: IndexArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return unit normals, offsets and doubled areas."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    normals /= np.where(areas > 0, areas, 1.0)[:, None]
    return normals, np.einsum("ij,ij->i", normals, a), areas
