"""The model brought to one standard size, and what scenes need to know about it to place their things.

Engines have absolute tolerances (millimetres, balls of a hand's size), so every model is moved to the origin
and scaled to a diagonal of 10 m: a mesh in millimetres and one in kilometres give the same run. Axes stay as
they are; things fall against `up`. All candidates of a run share one stage, that of the reference mesh.
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
_MOST_POINTS = 20_000_000  # for rasterising: above, cells become larger

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stage:
    """Where the model stands in the world, and the numbers that all scenes share."""

    center: FloatArray  # of the model, in mesh units
    diagonal: float  # of the model, in mesh units
    up: int  # axis
    radius: float  # of the balls, in the world
    count: int  # of the moving things
    seed: int
    solids: tuple[Solid, ...]  # all candidates, in the world
    owner: Solid  # the one that the stage is made for

    @property
    def scale(self) -> float:
        return SIZE / self.diagonal

    @cached_property
    def bounds(self) -> FloatArray:
        """(2, 3), in the world."""
        return self.owner.bounds

    @property
    def across(self) -> tuple[int, int]:
        """The two level axes."""
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

    def points(self, level: FloatArray, heights: FloatArray | float) -> FloatArray:
        """(n, 3) from level coordinates (n, 2) and heights."""
        return _points(self.up, level, heights)

    @cached_property
    def footprint(self) -> Footprint:
        return Footprint.of(self.owner, self.up, self.across, self.radius / 2)

    @cached_property
    def walls(self) -> tuple[Wall, ...]:
        """The four sides of the model."""
        vertices, triangles = self.owner.surface()
        found = []
        for axis in self.across:
            for sign in (1.0, -1.0):
                mirrored = Solid((), sign * vertices, triangles)  # its positive end is what is seen
                found.append(Wall(axis, sign, Footprint.of(mirrored, axis, others(axis), self.radius / 2)))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Wall:
    """The model seen from one end of an axis, as it is seen from above: heights are distances outward."""

    axis: int
    sign: float
    plan: Footprint  # of the model mirrored at the origin, where `sign` is -1

    @property
    def outward(self) -> FloatArray:
        return np.asarray(self.sign * np.eye(3)[self.axis])

    def points(self, level: FloatArray, heights: FloatArray | float) -> FloatArray:
        """(n, 3) in the world, from coordinates of the plan."""
        return self.sign * _points(self.axis, level, heights)


@dataclass(frozen=True, eq=False)
class Footprint:
    """The model seen from above or from a side, as square cells: where it is, and how high it reaches."""

    low: FloatArray  # (2,)
    cell: float
    shadow: Mask  # (nx, ny)
    heights: FloatArray  # (nx, ny): of the highest point; -inf outside the shadow

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
        """The shadow with its holes filled: every cell that cannot be reached from outside."""
        free = np.pad(~self.shadow, 1, constant_values=True)
        outside = np.zeros_like(free)
        outside[0] = outside[-1] = outside[:, 0] = outside[:, -1] = True
        while True:
            grown = grow(outside) & free
            if (grown == outside).all():
                return ~outside[1:-1, 1:-1]
            outside = grown

    def covers(self, level: FloatArray, mask: Mask | None = None) -> Mask:
        """Which points (n, 2) lie in the shadow, or in another mask of the same cells."""
        mask = self.shadow if mask is None else mask
        at = np.floor((level - self.low) / self.cell).astype(int)
        inside = ((at >= 0) & (at < mask.shape)).all(axis=1)
        found = np.zeros(len(level), bool)
        found[inside] = mask[at[inside, 0], at[inside, 1]]
        return found

    def centers(self, cells: npt.NDArray[np.int64]) -> FloatArray:
        """The middle of each cell (n, 2)."""
        return self.low + (cells + 0.5) * self.cell

    def surface(self, level: FloatArray, reach: float) -> FloatArray:
        """How high the model comes within `reach` of each point; -inf where there is none of it."""
        n = max(1, math.ceil(reach / self.cell))
        offsets = np.stack(np.meshgrid(*[np.arange(-n, n + 1)] * 2), axis=-1).reshape(-1, 2)
        offsets = offsets[(np.abs(offsets) * self.cell <= reach + self.cell).all(axis=1)]
        padded = np.pad(self.heights, n, constant_values=-np.inf)
        at = np.floor((level - self.low) / self.cell).astype(int)
        at = np.clip(at, 0, np.array(self.heights.shape) - 1) + n
        around = at[:, None] + offsets[None]
        return np.asarray(padded[around[..., 0], around[..., 1]].max(axis=1))


def others(axis: int) -> tuple[int, int]:
    """The two other axes."""
    first, second = (k for k in range(3) if k != axis)
    return first, second


def _points(axis: int, level: FloatArray, heights: FloatArray | float) -> FloatArray:
    found = np.empty((len(level), 3))
    found[:, others(axis)] = level
    found[:, axis] = heights
    return found


def grow(mask: Mask) -> Mask:
    """The mask and the four neighbours of its cells."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    grown[:, 1:] |= mask[:, :-1]
    grown[:, :-1] |= mask[:, 1:]
    return grown


def solid_of(subject: Mesh | Collider, center: FloatArray, scale: float) -> Solid:
    """In the world: moved and scaled."""
    if isinstance(subject, Mesh):
        return Solid((), (subject.vertices - center) * scale, subject.triangles)
    move = tuple(-center * scale)
    return Solid(tuple(shape.transformed(translation=move, scale=scale) for shape in subject))


def _pieces(longest: FloatArray, cell: float) -> npt.NDArray[np.int64]:
    """In how many pieces an edge of each triangle is cut, so that no cell it covers is missed."""
    return np.maximum(1, np.ceil(longest / (0.7 * cell))).astype(np.int64)


def _lattice(corners: FloatArray, n: int) -> FloatArray:
    """Points of triangles (t, 3, 3) whose sides are cut in n: (t * (n + 1)(n + 2) / 2, 3)."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    keep = i + j <= n
    weights = np.stack([i[keep], j[keep], n - i[keep] - j[keep]], axis=1) / n
    return np.asarray(np.einsum("pk,tkc->tpc", weights, corners)).reshape(-1, 3)


def _chunks(ids: npt.NDArray[np.int64], n: int) -> Sequence[npt.NDArray[np.int64]]:
    """So many triangles at once that their points take some tens of megabytes."""
    size = max(1, 1_000_000 // ((n + 1) * (n + 2) // 2))
    return [ids[k : k + size] for k in range(0, len(ids), size)]
