"""A slow judge of mass properties: NumPy alone, one array operation after the other.

It shares the formulas of points in a union with the core, but no code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._model.collider import Collider
from hitbox._model.mass import MassProperties
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import (
    Box,
    Capsule,
    Cylinder,
    FloatArray,
    Frustum,
    Hull,
    Prism,
    Rotation,
    Shape,
    Sphere,
    Vector,
)
from hitbox._native import _core

_POINTS = 1 << 16  # samples in all shapes together
_FEWEST = 64  # samples in one shape
_SPECK = 1e-9  # fraction of the volume: a smaller shell may lie anywhere
_FLAT = 1e-6  # fraction of a shape's largest extent: a smaller extent is lost in rounding

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)  # exact up to degree 5; area times square has degree 4


def judged(solid: Mesh | Collider, density: float) -> MassProperties:
    """Return the mass properties of a mesh without a fault, or of a collider with a volume."""
    return _weighed(
        _moments_of_union(solid) if isinstance(solid, Collider) else _Shells.of(solid).moments(), density
    )


def are_nested(mesh: Mesh) -> bool:
    return _Shells.of(mesh).are_nested()


# ---------------------------------------------------------------- Moments


@dataclass(frozen=True)
class _Moments:
    """Volume and moments. `about` is the integral of x x^T with x from `center`, so positions far from the
    origin lose no digits.
    """

    volume: float
    center: FloatArray
    about: FloatArray


def _together(
    volume: FloatArray, first: FloatArray, second: FloatArray, at: FloatArray, origin: FloatArray
) -> _Moments:
    """Add many parts: the volume of each, and its integrals of x and x x^T with x from the point `at`. These
    points are relative to `origin`.
    """
    whole = float(volume.sum())
    center = (first.sum(axis=0) + np.einsum("n,ni->i", volume, at)) / whole
    away = at - center
    both = np.einsum("ni,nj->ij", first, away)
    about = second.sum(axis=0) + both + both.T + np.einsum("n,ni,nj->ij", volume, away, away)
    return _Moments(whole, origin + center, about)


def _weighed(moments: _Moments, density: float) -> MassProperties:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (density * moments.about).tolist()
    inertia = (yy + zz, xx + zz, xx + yy, 0.0 - xy, 0.0 - xz, 0.0 - yz)  # 0.0 - x: no negative zero
    return MassProperties(density * moments.volume, _vector(moments.center), inertia)


def _vector(values: FloatArray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])


def _over_tetrahedra(corners: FloatArray, volumes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the integrals of x and x x^T over the tetrahedron between each triangle and the origin."""
    sums = corners.sum(axis=1)
    outer = np.einsum("tci,tcj->tij", corners, corners) + np.einsum("ti,tj->tij", sums, sums)
    return volumes[:, None] * sums / 4, volumes[:, None, None] * outer / 20


# ---------------------------------------------------------------- Meshes


@dataclass(frozen=True)
class _Shells:
    """The closed surfaces of a mesh."""

    corners: FloatArray  # (t, 3, 3): the triangles, one shell after the other
    starts: npt.NDArray[np.intp]  # the first triangle of each shell

    @staticmethod
    def of(mesh: Mesh) -> _Shells:
        welded, _ = mesh.clean("exact")
        shell_of_face = np.asarray(_core.pieces_of_faces(welded.vertices, welded.indices, welded.offsets))
        shell = shell_of_face[welded.triangle_faces]
        order = np.argsort(shell, kind="stable")
        starts = np.flatnonzero(np.diff(shell[order], prepend=-1))
        return _Shells(welded.vertices[welded.triangles[order]], starts)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        low = np.minimum.reduceat(self.corners.min(axis=1), self.starts)
        return low, np.maximum.reduceat(self.corners.max(axis=1), self.starts)

    @property
    def sizes(self) -> npt.NDArray[np.intp]:
        return np.diff(self.starts, append=len(self.corners))

    def moments(self) -> _Moments:
        """Return the moments of each shell from the centre of its own box. From far away, rounding would hide
        a small shell.
        """
        low, high = self.bounds
        middles, origin = (low + high) / 2, (low.min(axis=0) + high.max(axis=0)) / 2
        corners = self.corners - np.repeat(middles, self.sizes, axis=0)[:, None]
        volumes = np.linalg.det(corners) / 6
        each = (volumes, *_over_tetrahedra(corners, volumes))
        volume, first, second = (np.add.reduceat(values, self.starts) for values in each)
        return _together(volume, first, second, middles - origin, origin)

    def are_nested(self) -> bool:
        """Return whether shells whose boxes overlap contain each other, with alternating material and
        cavity.
        """
        if len(self.starts) == 1:
            return True
        volume = self._volumes()
        real = np.flatnonzero(np.abs(volume) > _SPECK * np.abs(volume).sum())
        low, high = (each[real] for each in self.bounds)
        depth = np.zeros(len(real), int)
        for outer, inner, are_in_its_box in _overlaps(low, high):
            if not are_in_its_box or not self._holds(real[outer], real[inner]):
                return False
            depth[inner] += 1
        return bool(((volume[real] > 0) == (depth % 2 == 0)).all())

    def _volumes(self) -> FloatArray:
        corners = self.corners - np.repeat(self.corners[self.starts, 0], self.sizes, axis=0)[:, None]
        return np.asarray(np.add.reduceat(np.linalg.det(corners) / 6, self.starts))

    def _holds(self, outer: int, inner: npt.NDArray[np.intp]) -> bool:
        """Return whether one shell contains another, judged by the corners and centres of triangles."""
        corners = self._corners(outer).reshape(-1, 3)
        held = np.concatenate([self._corners(k) for k in inner])
        points = np.concatenate([held.reshape(-1, 3), held.mean(axis=1)])
        indices = np.arange(len(corners), dtype=np.uint32)
        offsets = np.arange(0, len(corners) + 1, 3, dtype=np.uint32)
        return bool(np.asarray(_core.points_inside(points, corners, indices, offsets)).all())

    def _corners(self, k: int) -> FloatArray:
        return self.corners[self.starts[k] : self.starts[k] + self.sizes[k]]


def _overlaps(low: FloatArray, high: FloatArray) -> Iterator[tuple[int, npt.NDArray[np.intp], bool]]:
    """Yield each box with the later boxes that it overlaps, and whether it contains all of them.

    Boxes are sorted along x, and by size if they start together, so no later box contains an earlier one.
    """
    order = np.lexsort((np.sum(low - high, axis=1), low[:, 0]))
    low, high = low[order], high[order]
    ends = np.searchsorted(low[:, 0], high[:, 0])
    for k, end in enumerate(ends):
        after = slice(k + 1, end)
        shared = ((low[after] < high[k]) & (high[after] > low[k])).all(axis=1)
        if shared.any():
            inner = k + 1 + np.flatnonzero(shared)
            are_held = (low[inner] >= low[k]).all() and (high[inner] <= high[k]).all()
            yield int(order[k]), order[inner], bool(are_held)


# ---------------------------------------------------------------- Shapes


def _moments_of_union(collider: Collider) -> _Moments:
    """Sample each shape; weight each sample by one over the number of shapes that contain it (Karp and
    Luby).
    """
    shapes = [shape for shape in collider if shape.volume > 0]
    volumes = np.array([shape.volume for shape in shapes])
    if not 0 < volumes.sum() < math.inf:
        raise InputError(
            "mass_properties: the volume of the shapes is too small or too large for a float. Scale them."
        )
    bodies = [_body_of(shape) for shape in shapes]
    middle = collider.bounds.mean(axis=0)
    asked, at, weight = [], [], []
    for k, count in enumerate(_counts(bodies, volumes, middle)):
        points, shares = bodies[k].points(_lattice(count, seed=k))
        shares /= shares.sum()
        asked.append(bodies[k].placed(points, bodies[k].origin))
        at.append(bodies[k].placed(bodies[k].matched(points, shares), bodies[k].origin - middle))
        weight.append(volumes[k] * shares)
    held = np.concatenate(weight) / _holders(shapes, asked)
    no_extent = np.zeros((len(held), 3, 3))
    return _together(held, no_extent[:, 0], no_extent, np.concatenate(at), middle)


def _holders(shapes: list[Shape], points: list[FloatArray]) -> FloatArray:
    """Return how many shapes contain each sample. Its own shape always counts, whatever rounding gives."""
    every = np.concatenate(points)
    bounds = np.array([shape.bounds for shape in shapes])
    size = np.max(bounds[:, 1].max(axis=0) - bounds[:, 0].min(axis=0))
    margin = float(1e-12 * size + 1e-15 * np.abs(bounds).max())
    ends = np.cumsum([len(each) for each in points])
    holders = np.ones(len(every))
    for shape, (low, high), own, end in zip(shapes, bounds, points, ends, strict=True):
        near = ((every >= low) & (every <= high)).all(axis=1)
        near[end - len(own) : end] = False
        holders[near] += shape.contains(every[near], margin)
    return holders


def _counts(bodies: list[_Body], volumes: FloatArray, middle: FloatArray) -> list[int]:
    """Return the number of samples per shape: half of all by volume, half by moment, because a thin rod has
    little volume.
    """
    centers = np.array([body.placed(body.mean, body.origin - middle) for body in bodies])
    spreads = np.array([body.frame * body.deviations for body in bodies])
    far = np.concatenate([centers[:, None], spreads], axis=1)
    moments = volumes / volumes.sum() * np.square(far / np.abs(far).max()).sum(axis=(1, 2))
    shares = (volumes / volumes.sum() + moments / moments.sum()) / 2
    return [max(_FEWEST, int(_POINTS * share)) for share in shares]


def _lattice(count: int, seed: int) -> FloatArray:
    """Spread points evenly in the unit cube: even steps along x, and a lattice in y and z that is not aligned
    with the axes. A lattice of this kind in x, y and z is little better than random points.
    """
    # one over the plastic number, and one over its square
    steps = np.array([0.7548776662466927, 0.5698402909980532])
    k = np.arange(count)[:, None]
    return np.hstack([(k + 0.5) / count, (0.5 + k * steps + seed * 0.618) % 1.0])


@dataclass(frozen=True)
class _Body:
    """A shape in a frame where it has a size near 1 and its coordinates are uncorrelated."""

    origin: FloatArray
    frame: FloatArray  # maps a point p to origin + frame @ p
    mean: FloatArray  # the mean of all its points, in the frame
    deviations: FloatArray  # the standard deviations
    # maps points of the unit cube to points and weights
    points: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    def placed(self, points: FloatArray, origin: FloatArray) -> FloatArray:
        return origin + points @ self.frame.T

    def matched(self, points: FloatArray, shares: FloatArray) -> FloatArray:
        """Move all points slightly by one affine map, so that their mean and covariance are the body's."""
        if self.deviations.min() < _FLAT * self.deviations.max():
            return points
        unit = (points - self.mean) / self.deviations
        unit -= np.einsum("n,ni->i", shares, unit)
        lower = np.linalg.cholesky(np.einsum("n,ni,nj->ij", shares, unit, unit))
        return self.mean + np.linalg.solve(lower, unit.T).T * self.deviations


def _body_of(shape: Shape) -> _Body:
    match shape:
        case Box(center, rotation, (x, y, z)):
            return _prism(Prism(center, rotation, x, y, z, z))
        case Sphere(center, radius):
            return _capsule(Capsule(center, center, radius))
        case Cylinder(start, end, radius):
            return _frustum(Frustum(start, end, radius, radius))
        case Capsule():
            return _capsule(shape)
        case Frustum():
            return _frustum(shape)
        case Prism():
            return _prism(shape)
        case Hull():
            return _hull(shape)


def _prism(prism: Prism) -> _Body:
    ends = np.array([prism.half_bottom, prism.half_top])
    extents = prism.half_x, ends.max(), prism.half_y

    def halves(height: FloatArray) -> FloatArray:
        return np.column_stack([np.ones(len(height)), _between(ends / ends.max(), height)])

    frame = _axes_of(prism.rotation)[:, [0, 2, 1]] * extents
    return _stack(np.array(prism.center), frame, [-1, 1], halves, is_round=False)


def _frustum(frustum: Frustum) -> _Body:
    ends = np.array([frustum.radius_start, frustum.radius_end])
    axes, half = _along(frustum.start, frustum.end)

    def halves(height: FloatArray) -> FloatArray:
        return np.repeat(_between(ends / ends.max(), height)[:, None], 2, axis=1)

    frame = axes * (ends.max(), ends.max(), half)
    return _stack(_middle(frustum.start, frustum.end), frame, [-1, 1], halves, is_round=True)


def _capsule(capsule: Capsule) -> _Body:
    axes, half = _along(capsule.start, capsule.end)
    reach = half + capsule.radius

    def halves(height: FloatArray) -> FloatArray:
        beyond = np.maximum(np.abs(height) * reach - half, 0) / capsule.radius
        return np.repeat(np.sqrt(np.maximum(1 - beyond**2, 0))[:, None], 2, axis=1)

    frame = axes * (capsule.radius, capsule.radius, reach)
    levels = [-1, -half / reach, half / reach, 1]
    return _stack(_middle(capsule.start, capsule.end), frame, levels, halves, is_round=True)


def _stack(
    origin: FloatArray,
    frame: FloatArray,
    levels: list[float],
    halves: Callable[[FloatArray], FloatArray],
    *,
    is_round: bool,
) -> _Body:
    """Make a body of slices across the third axis, from -1 to 1: discs or rectangles. `halves` has half their
    extents along the other two axes, at most 1. Between two `levels`, areas and squared extents are quadratic
    in the height.
    """

    def points(numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
        height = 2 * numbers[:, 0] - 1
        flat = _in_disc(numbers[:, 1:]) if is_round else 2 * numbers[:, 1:] - 1
        return np.column_stack([flat * halves(height), height]), halves(height).prod(axis=1)

    low, high = np.array(levels[:-1])[:, None], np.array(levels[1:])[:, None]
    height = ((low + high + _NODES * (high - low)) / 2).ravel()
    shares = (_WEIGHTS * (high - low)).ravel() * halves(height).prod(axis=1)
    shares /= shares.sum()
    middle = shares @ height
    across = shares @ halves(height) ** 2 / (4 if is_round else 3)
    deviations = np.sqrt([*across, shares @ (height - middle) ** 2])
    return _Body(origin, frame, np.array([0, 0, middle]), deviations, points)


def _in_disc(numbers: FloatArray) -> FloatArray:
    radius, angle = np.sqrt(numbers[:, 0]), 2 * np.pi * numbers[:, 1]
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _hull(hull: Hull) -> _Body:
    """Make a body of tetrahedra between the triangles and a point inside."""
    origin = hull.vertices.mean(axis=0)
    corners = hull.vertices[hull.triangles] - origin
    size = np.abs(corners).max()
    corners /= size
    # rounding may leave no volume of a sliver
    volumes = np.maximum(np.abs(np.linalg.det(corners)) / 6, 1e-300)
    first, second = _over_tetrahedra(corners, volumes)
    mean = first.sum(axis=0) / volumes.sum()
    variances, axes = np.linalg.eigh(second.sum(axis=0) / volumes.sum() - np.outer(mean, mean))
    corners, ends = corners @ axes, np.cumsum(volumes)

    def points(numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
        place = numbers[:, 1] * ends[-1]
        chosen = np.minimum(np.searchsorted(ends, place, side="right"), len(ends) - 1)
        rest = (ends[chosen] - place) / volumes[chosen]  # evenly spread again
        side = np.sqrt(rest)
        shares = np.column_stack([1 - side, side * numbers[:, 2], side * (1 - numbers[:, 2])])
        on_surface = np.einsum("nc,nci->ni", shares, corners[chosen])
        return np.cbrt(numbers[:, :1]) * on_surface, np.ones(len(numbers))

    return _Body(origin, axes * size, mean @ axes, np.sqrt(np.maximum(variances, 0)), points)


def _between(ends: FloatArray, height: FloatArray) -> FloatArray:
    """Interpolate linearly from `first` at height -1 to `second` at 1."""
    return np.asarray((ends[0] * (1 - height) + ends[1] * (1 + height)) / 2)


def _middle(start: Vector, end: Vector) -> FloatArray:
    return np.add(start, end) / 2


def _along(start: Vector, end: Vector) -> tuple[FloatArray, float]:
    """Return three axes, the last from start to end, and the midpoint."""
    length = math.dist(start, end)
    along = np.subtract(end, start) / length if length > 0 else np.array([0.0, 0.0, 1.0])
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    return np.column_stack([side, np.cross(along, side), along]), length / 2


def _axes_of(rotation: Rotation) -> FloatArray:
    """Return the rotated x, y and z axes as columns."""
    imaginary, real = np.array(rotation[:3]), rotation[3]
    once = np.cross(imaginary, np.eye(3))
    return (np.eye(3) + 2 * (real * once + np.cross(imaginary, once))).T
