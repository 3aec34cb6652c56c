"""Brings a model to a standard size, and describes it for scenes that place things around it.

Engines have absolute tolerances (millimetres, balls the size of a hand). So every model moves to the origin
and is scaled to a diagonal of 10 m: a mesh in millimetres and one in kilometres give the same run. The axes
stay; things fall against `up`. All candidates of a run share one frame, that of the reference mesh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hitbox._judges.simulate.world import GRAVITY, Solid
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray

SIZE = 10.0  # m: the model's diagonal in the world
_MOST_CELLS = 400  # along a side of the footprint
_MOST_POINTS = 20_000_000  # limit for rasterising: beyond it, cells become larger

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WorldFrame:
    """The model's place in the world, and the parameters that all scenes share."""

    center: FloatArray  # of the model, in mesh units
    diagonal: float  # of the model, in mesh units
    up: int  # axis
    radius: float  # of the balls, in the world
    count: int  # number of moving things
    seed: int
    solids: tuple[Solid, ...]  # all candidates, in the world
    owner: Solid  # the solid that defines this frame: the reference, or all candidates together

    @property
    def scale(self) -> float:
        return SIZE / self.diagonal

    @cached_property
    def bounds(self) -> FloatArray:
        """The lower and upper corner in the world, as (2, 3)."""
        return self.owner.bounds

    @property
    def across(self) -> tuple[int, int]:
        """The two horizontal axes."""
        return others(self.up)

    @property
    def bottom(self) -> float:
        return float(self.bounds[0, self.up])

    @property
    def top(self) -> float:
        return float(self.bounds[1, self.up])

    @property
    def gravity(self) -> FloatArray:
        return self.upward(-GRAVITY)

    def upward(self, length: float) -> FloatArray:
        vector = np.zeros(3)
        vector[self.up] = length
        return vector

    def random(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @cached_property
    def footprint(self) -> Footprint:
        return Footprint.of(self.owner, self.up, self.across, self.radius / 2)

    @cached_property
    def walls(self) -> tuple[Wall, ...]:
        """The four sides of the model."""
        vertices, triangles = self.owner.surface()
        walls = []
        for axis in self.across:
            for sign in (1.0, -1.0):
                mirrored = Solid((), sign * vertices, triangles)  # a wall shows the positive end of its axis
                walls.append(Wall(axis, sign, Footprint.of(mirrored, axis, others(axis), self.radius / 2)))
        return tuple(walls)


@dataclass(frozen=True, eq=False)
class Wall:
    """The model seen along an axis, from one end, in the same way as from above; heights point outward."""

    axis: int
    sign: float
    plan: Footprint  # of the model mirrored at the origin, where `sign` is -1

    @property
    def outward(self) -> FloatArray:
        return np.asarray(self.sign * np.eye(3)[self.axis])

    def points(self, level: FloatArray, heights: FloatArray | float) -> FloatArray:
        """Return points in the world, (n, 3), from coordinates of the plan and heights."""
        return self.sign * points_at(self.axis, level, heights)


@dataclass(frozen=True, eq=False)
class Footprint:
    """The model seen from above or from a side, in square cells: its silhouette and its heights."""

    low: FloatArray  # (2,)
    cell: float
    shadow: Mask  # (nx, ny)
    heights: FloatArray  # (nx, ny): highest point of each cell; -inf outside the shadow

    @staticmethod
    def of(solid: Solid, up: int, across: tuple[int, int], cell: float) -> Footprint:
        vertices, triangles = solid.surface()
        level = vertices[:, across]
        used = level[triangles.ravel()]
        low, high = used.min(axis=0), used.max(axis=0)
        cell = max(cell, float((high - low).max()) / _MOST_CELLS)
        edges = level[triangles] - level[np.roll(triangles, 1, axis=1)]
        longest = np.sqrt((edges**2).sum(axis=2).max(axis=1))
        while (_pieces(longest, cell) ** 2.0).sum() > 2 * _MOST_POINTS and (_pieces(longest, cell) > 1).any():
            cell *= 1.5
        shape = tuple(int(n) for n in np.floor((high - low) / cell).astype(int) + 1)
        heights = np.full(shape, -np.inf)
        pieces = _pieces(longest, cell)
        for n in np.unique(pieces):
            for some in _chunks(np.flatnonzero(pieces == n), int(n)):
                points = _lattice(vertices[triangles[some]], int(n))
                at = np.floor((points[:, across] - low) / cell).astype(int)
                at = np.clip(at, 0, np.array(shape) - 1)
                np.maximum.at(heights, (at[:, 0], at[:, 1]), points[:, up])
        return Footprint(low, cell, np.isfinite(heights), heights)

    @cached_property
    def outline(self) -> Mask:
        """The shadow with its holes filled: every cell that is not reachable from outside."""
        free = np.pad(~self.shadow, 1, constant_values=True)
        outside = np.zeros_like(free)
        outside[0] = outside[-1] = outside[:, 0] = outside[:, -1] = True
        while True:
            grown = grow(outside) & free
            if (grown == outside).all():
                return ~outside[1:-1, 1:-1]
            outside = grown

    def covers(self, level: FloatArray, mask: Mask | None = None) -> Mask:
        """Return which points (n, 2) lie in the shadow, or in another mask of the same cells."""
        mask = self.shadow if mask is None else mask
        at = np.floor((level - self.low) / self.cell).astype(int)
        inside = ((at >= 0) & (at < mask.shape)).all(axis=1)
        covered = np.zeros(len(level), bool)
        covered[inside] = mask[at[inside, 0], at[inside, 1]]
        return covered

    def centers(self, cells: npt.NDArray[np.int64]) -> FloatArray:
        """Return the centre of each cell, as (n, 2)."""
        return self.low + (cells + 0.5) * self.cell

    def surface(self, level: FloatArray, reach: float) -> FloatArray:
        """Return the model's largest height within `reach` of each point; -inf if there is none."""
        n = max(1, math.ceil(reach / self.cell))
        offsets = np.stack(np.meshgrid(*[np.arange(-n, n + 1)] * 2), axis=-1).reshape(-1, 2)
        offsets = offsets[(np.abs(offsets) * self.cell <= reach + self.cell).all(axis=1)]
        padded = np.pad(self.heights, n, constant_values=-np.inf)
        at = np.floor((level - self.low) / self.cell).astype(int)
        at = np.clip(at, 0, np.array(self.heights.shape) - 1) + n
        around = at[:, None] + offsets[None]
        return np.asarray(padded[around[..., 0], around[..., 1]].max(axis=1))


def others(axis: int) -> tuple[int, int]:
    """Return the two other axes."""
    first, second = (k for k in range(3) if k != axis)
    return first, second


def points_at(axis: int, level: FloatArray, heights: FloatArray | float) -> FloatArray:
    """Return points (n, 3) from their height along an axis and their coordinates (n, 2) across it."""
    points = np.empty((len(level), 3))
    points[:, others(axis)] = level
    points[:, axis] = heights
    return points


def grow(mask: Mask) -> Mask:
    """Return the mask extended by the four neighbours of each cell."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    return grown


def solid_of(subject: Mesh | Collider, center: FloatArray, scale: float) -> Solid:
    """Return a subject as a solid in the world: moved and scaled."""
    if isinstance(subject, Mesh):
        return Solid((), (subject.vertices - center) * scale, subject.triangles)
    move = tuple(-center * scale)
    return Solid(tuple(shape.transformed(translation=move, scale=scale) for shape in subject))


def _pieces(longest: FloatArray, cell: float) -> npt.NDArray[np.int64]:
    """Return the number of segments per triangle edge, so that sampling misses no cell."""
    return np.maximum(1, np.ceil(longest / (0.7 * cell))).astype(np.int64)


def _lattice(corners: FloatArray, n: int) -> FloatArray:
    """Sample triangles (t, 3, 3) whose sides have n segments: (t * (n + 1)(n + 2) / 2, 3)."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    keep = i + j <= n
    weights = np.stack([i[keep], j[keep], n - i[keep] - j[keep]], axis=1) / n
    return np.asarray(np.einsum("pk,tkc->tpc", weights, corners)).reshape(-1, 3)


def _chunks(ids: npt.NDArray[np.int64], n: int) -> Sequence[npt.NDArray[np.int64]]:
    """Split triangles into chunks whose sample points need a few tens of megabytes."""
    size = max(1, 1_000_000 // ((n + 1) * (n + 2) // 2))
    return [ids[k : k + size] for k in range(0, len(ids), size)]
