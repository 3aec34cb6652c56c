"""Allocates shapes to links: each next shape goes to the link where it reduces the cost most."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hitbox._judges.evaluate import distances
from hitbox._methods.fit import fit
from hitbox._methods.fit_options import FitOptions
from hitbox._model.mesh import Floats, Mesh

_SAMPLES = 4_000
_MEASURED = (1, 2, 4, 8, 16, 32)  # measured counts; the others are interpolated or extrapolated
_NOTHING = 1e-6  # fraction of the diagonal: a distance that counts as perfect
_SLOWEST, _FASTEST = 0.25, 2.0  # limits of the power by which costs fall with counts


class Sharing:
    """Allocates a number of shapes to several meshes.

    The cost of a count is measured on quick fits: the mean distance of the reachable surface times the mesh's
    area, which approximates the volume that the shapes add. (A tree would need a single run, but its levels
    with few shapes are not refined, so they predict the fit poorly.) Equal meshes are measured once.
    """

    def __init__(
        self, meshes: Sequence[Mesh], count: int, options: FitOptions, threads: int,
        go_on: Callable[[float], None],
    ) -> None:  # fmt: skip
        self._spare = count - len(meshes)
        gains_of: dict[str, Floats] = {}
        for k, mesh in enumerate(meshes):
            go_on(k / len(meshes))
            if mesh.sha256 not in gains_of:
                gains_of[mesh.sha256] = _gains(mesh, 1 + self._spare, options, threads)
        self._gains = [gains_of[mesh.sha256] for mesh in meshes]

    def counts(self, most: Mapping[int, int] | None = None) -> list[int]:
        """Return a count of at least one per mesh. They add up to the number, or less if more has no gain.

        `most` limits the counts of some meshes, by index.
        """
        gains = [each[: most[k] - 1] if most and k in most else each for k, each in enumerate(self._gains)]
        queue = [(-each[0], 0, k) for k, each in enumerate(gains) if len(each)]  # equal meshes take turns
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
    """Return the gain of the second shape, the third, and so on; the gains never increase.

    Measured costs are noisy, so they are replaced by their lower convex hull, which is linear between the
    measured counts. Beyond these, costs continue as a power of the count.
    """
    if most == 1:
        return np.empty(0)
    quick = replace(options, preset="fast")
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2
    costs: list[float] = []
    for count in _MEASURED:
        collider = fit(mesh, count, options=quick, threads=threads)
        distance = distances(mesh, collider, samples=_SAMPLES, threads=threads).outer_surface
        costs.append(distance.mean * mesh.diagonal * area)
        if distance.mean <= _NOTHING:  # this count is enough
            costs[-1] = 0.0
            most = min(most, len(collider))
            break
    counts = [float(count) for count in _MEASURED[: len(costs)]]
    if costs[-1] > 0:
        slope = np.polyfit(np.log(counts), np.log(costs), 1)[0]
        power = float(np.clip(-slope, _SLOWEST, _FASTEST))
        while counts[-1] < most:
            counts.append(2 * counts[-1])
            costs.append(costs[-1] * 2**-power)
    every = np.arange(1.0, most + 1)
    return np.asarray(-np.diff(np.interp(every, *_lower_hull(counts, costs))))


def _lower_hull(counts: Sequence[float], costs: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the lower convex hull of costs, after making them non-increasing."""
    x: list[float] = []
    y: list[float] = []
    for count, cost in zip(counts, np.minimum.accumulate(costs).tolist(), strict=True):
        while len(x) > 1 and (y[-1] - y[-2]) * (count - x[-2]) >= (cost - y[-2]) * (x[-1] - x[-2]):
            x.pop()
            y.pop()
        x.append(count)
        y.append(cost)
    return x, y
