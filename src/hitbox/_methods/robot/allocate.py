"""How many shapes each link gets: the next one always goes where it gains most."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hitbox._judges.evaluate import distances
from hitbox._methods.fit import FitOptions, fit
from hitbox._model.mesh import Floats, Mesh

_SAMPLES = 4_000
_LOOKED_AT = (1, 2, 4, 8, 16, 32)  # counts; what lies between and beyond follows
_NOTHING = 1e-6  # of the diagonal: closer than that no shape needs to be
_SLOWEST, _FASTEST = 0.25, 2.0  # powers by which costs fall with counts


class Sharing:
    """A number of shapes for several meshes.

    What a count costs a mesh is measured on quick fits: the mean distance of what can be touched, times the
    mesh's area, which is about the volume that the shapes add. (A tree would need one run, but its levels of
    few shapes are not refined, and say too little about what fit makes of them.) The same mesh is asked once.
    """

    def __init__(
        self, meshes: Sequence[Mesh], count: int, options: FitOptions, threads: int,
        go_on: Callable[[float], None],
    ) -> None:  # fmt: skip
        self._spare = count - len(meshes)
        known: dict[str, Floats] = {}
        for k, mesh in enumerate(meshes):
            go_on(k / len(meshes))
            if mesh.sha256 not in known:
                known[mesh.sha256] = _gains(mesh, 1 + self._spare, options, threads)
        self._gains = [known[mesh.sha256] for mesh in meshes]

    def counts(self, most: Mapping[int, int] | None = None) -> list[int]:
        """One at least for each, all together the number; fewer where more would gain nothing.

        `most`: what meshes, by their place, can use.
        """
        gains = [each[: most[k] - 1] if most and k in most else each for k, each in enumerate(self._gains)]
        queue = [(-each[0], 0, k) for k, each in enumerate(gains) if len(each)]  # twins take turns
        heapq.heapify(queue)
        counts, spare = [1] * len(gains), self._spare
        while spare and queue:
            gain, step, k = heapq.heappop(queue)
            if gain == 0:
                break
            counts[k] += 1
            spare -= 1
            if step + 1 < len(gains[k]):
                heapq.heappush(queue, (-gains[k][step + 1], step + 1, k))
        return counts


def _gains(mesh: Mesh, most: int, options: FitOptions, threads: int) -> Floats:
    """What the second shape gains, the third, and so on: never more than the one before.

    Costs of single counts are rough: they are laid under a curve that bends one way, straight between the
    counts that were looked at. Beyond these they go on as a power of the count.
    """
    if most == 1:
        return np.empty(0)
    quick = replace(options, preset="fast")
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2
    costs: list[float] = []
    for count in _LOOKED_AT:
        collider = fit(mesh, count, options=quick, threads=threads)
        found = distances(mesh, collider, samples=_SAMPLES, threads=threads).outer_surface
        costs.append(found.mean * mesh.diagonal * area)
        if found.mean <= _NOTHING:  # that many are all it needs
            costs[-1] = 0.0
            most = min(most, len(collider))
            break
    counts = [float(count) for count in _LOOKED_AT[: len(costs)]]
    if costs[-1] > 0:
        slope = np.polyfit(np.log(counts), np.log(costs), 1)[0]
        power = float(np.clip(-slope, _SLOWEST, _FASTEST))
        while counts[-1] < most:
            counts.append(2 * counts[-1])
            costs.append(costs[-1] * 2**-power)
    every = np.arange(1.0, most + 1)
    return np.asarray(-np.diff(np.interp(every, *_lower_hull(counts, costs))))


def _lower_hull(counts: Sequence[float], costs: Sequence[float]) -> tuple[list[float], list[float]]:
    """Of costs that never rise: the points that a curve bent one way passes below all others."""
    x: list[float] = []
    y: list[float] = []
    for count, cost in zip(counts, np.minimum.accumulate(costs).tolist(), strict=True):
        while len(x) > 1 and (y[-1] - y[-2]) * (count - x[-2]) >= (cost - y[-2]) * (x[-1] - x[-2]):
            x.pop()
            y.pop()
        x.append(count)
        y.append(cost)
    return x, y
