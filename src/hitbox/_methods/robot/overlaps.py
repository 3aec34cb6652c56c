"""Tests whether bodies overlap: convex shapes by distance, meshes by triangles.

A shape is represented by points with a ball around each. This is exact for boxes, spheres, capsules, prisms
and hulls; other round sides become circumscribed polygons, at most 0.5 % of the radius larger. Gilbert's
iteration settles most pairs, many at a time; GJK settles the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from hitbox._model.mesh import Floats, Mesh
from hitbox._model.shapes import Capsule, Shape, Sphere
from hitbox._native import _core

_SIDES = 32
_STEPS = 12  # of Gilbert's iteration
_GJK_STEPS = 64


@dataclass(frozen=True)
class Convexes:
    """The shapes of one body, in its frame."""

    points: Floats  # (shapes, points, 3); the last ones repeat
    radii: Floats
    centers: Floats
    reaches: Floats  # radii of the bounding balls

    @staticmethod
    def of(shapes: Sequence[Shape]) -> Convexes:
        sampled = [_points(shape) for shape in shapes]
        most = max((len(points) for points, _ in sampled), default=1)
        points = np.array([np.pad(p, ((0, most - len(p)), (0, 0)), mode="edge") for p, _ in sampled])
        points = points.reshape(len(sampled), most, 3)
        radii = np.array([radius for _, radius in sampled])
        centers = points.mean(axis=1)  # inside each shape, unlike the centre of a bounding box
        reaches = np.linalg.norm(points - centers[:, None], axis=2).max(axis=1) + radii
        return Convexes(points, radii, centers, reaches)

    def at(self, pose: Floats) -> Convexes:
        turn, move = pose[:3, :3].T, pose[:3, 3]
        return Convexes(self.points @ turn + move, self.radii, self.centers @ turn + move, self.reaches)


def _points(shape: Shape) -> tuple[Floats, float]:
    if isinstance(shape, Sphere):
        return np.array([shape.center]), shape.radius
    if isinstance(shape, Capsule):
        return np.array([shape.start, shape.end]), shape.radius
    return np.unique(shape.to_mesh(_SIDES)[0], axis=0), 0.0


def overlap(a: Convexes, b: Convexes) -> bool:
    """Whether a shape of `a` and a shape of `b` share a point. Both are in the same frame."""
    apart = np.linalg.norm(a.centers[:, None] - b.centers[None], axis=2)
    i, j = np.nonzero(apart <= a.reaches[:, None] + b.reaches[None])
    if not len(i):
        return False
    points_a, points_b, radii = a.points[i], b.points[j], a.radii[i] + b.radii[j]
    touching, left, nearest = _gilbert(points_a, points_b, radii, a.centers[i] - b.centers[j])
    if touching:
        return True
    order = left[np.argsort(nearest, kind="stable")]  # the most likely pairs first
    return any(_gjk(points_a[k], points_b[k], float(radii[k])) for k in order)


def _gilbert(a: Floats, b: Floats, radii: Floats, v: Floats) -> tuple[bool, npt.NDArray[np.int64], Floats]:
    """Return whether one pair certainly overlaps, and else the undecided pairs with their distances."""
    left = np.arange(len(a))
    for _ in range(_STEPS):
        size = np.linalg.norm(v, axis=1)
        if (size <= radii[left]).any():
            return True, left, size
        rows = np.arange(len(left))
        far_a = np.argmin(np.einsum("npk,nk->np", a[left], v), axis=1)
        far_b = np.argmax(np.einsum("npk,nk->np", b[left], v), axis=1)
        w = a[left][rows, far_a] - b[left][rows, far_b]
        open_ = np.einsum("nk,nk->n", v, w) <= radii[left] * size  # else a plane separates them
        left, v, w = left[open_], v[open_], w[open_]
        if not len(left):
            break
        step = v - w
        length = np.einsum("nk,nk->n", step, step)
        fraction = np.einsum("nk,nk->n", v, step) / np.where(length > 0, length, 1)
        v = v - np.clip(fraction, 0, 1)[:, None] * step
    return False, left, np.linalg.norm(v, axis=1)


def _gjk(a: Floats, b: Floats, radius: float) -> bool:
    """Whether the hulls of two point sets come within `radius` of each other."""
    simplex = (a[:1] - b[:1]).copy()
    v = simplex[0]
    scale = float(np.abs(a).max() + np.abs(b).max())
    for _ in range(_GJK_STEPS):
        size = float(np.linalg.norm(v))
        if size <= radius + 1e-12 * scale:
            return True
        w = a[np.argmin(a @ v)] - b[np.argmax(b @ v)]
        if v @ w > radius * size:
            return False
        if size * size - v @ w <= 1e-12 * size * size:
            return False  # converged, and still farther than the radius
        v, simplex = _nearest(np.vstack([simplex, w]))
    return True  # undecided: report an overlap, because a false alarm is safer


def _nearest(simplex: Floats) -> tuple[Floats, Floats]:
    """Return the point of a simplex nearest to the origin, and the corners of the face it lies on."""
    best: tuple[float, Floats, Floats] | None = None
    for count in range(1, len(simplex) + 1):
        for corners in combinations(range(len(simplex)), count):
            some = simplex[list(corners)]
            edges = some[1:] - some[0]
            weights = np.linalg.lstsq(edges.T, -some[0], rcond=None)[0] if count > 1 else np.empty(0)
            if (weights < 0).any() or weights.sum() > 1:
                continue
            point = some[0] + weights @ edges
            size = float(point @ point)
            if best is None or size < best[0]:
                best = size, point, some
    assert best is not None  # each corner alone is a candidate
    return best[1], best[2]


# ---------------------------------------------------------------- Triangles


def triangles_of(mesh: Mesh | Shape) -> Floats:
    """Return each triangle's corners, as (n, 3, 3)."""
    if isinstance(mesh, Mesh):
        return mesh.vertices[mesh.triangles]
    vertices, triangles = mesh.to_mesh(_SIDES)
    return vertices[triangles]


def surfaces_touch(a: Floats, b: Floats) -> bool:
    """Whether a triangle of `a` has a point in common with a triangle of `b`, exactly."""
    return _core.surfaces_meet(_rows(a), _rows(b))


def _rows(triangles: Floats) -> Floats:
    return np.ascontiguousarray(triangles.reshape(-1, 3))
