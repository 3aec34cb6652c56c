"""Mass, centre and inertia: of a closed mesh exactly, of overlapping shapes by points in their union."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hitbox import _core, checks
from hitbox.collider import Collider
from hitbox.errors import InputError
from hitbox.mesh import Mesh
from hitbox.shapes import FloatArray, Rotation, Shape, Vector

DENSITY = 1000.0  # kilograms a cubic metre: water
_POINTS = 1 << 16  # in all shapes together: the inertia of 64 overlapping boxes is then within 0.5 %


@dataclass(frozen=True)
class MassProperties:
    """Of a rigid body; `inertia` is the tensor about `center`, as xx, yy, zz, xy, xz, yz."""

    mass: float
    center: Vector
    inertia: tuple[float, float, float, float, float, float]

    @property
    def tensor(self) -> FloatArray:
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def principal(self) -> tuple[Vector, Rotation]:
        """Moments about the principal axes, and the turn (x, y, z, w) from these axes to the body's."""
        moments, axes = np.linalg.eigh(self.tensor)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        return _vector(moments), quaternion_of(axes)


def mass_properties(solid: Mesh | Collider, density: float = DENSITY) -> MassProperties:
    """Of a closed mesh, or of the union of a collider's shapes: what overlaps counts once.

    Lengths are those of `solid`; `density` is mass a cubic one of them.
    """
    density = checks.positive("density", density)
    if isinstance(solid, Collider):
        return _from_moments(*_moments_of_union(solid), density)
    if not is_solid(solid):
        raise InputError("mass_properties: the mesh is not closed. Give its collider instead.")
    return _from_moments(*_moments_of_mesh(solid), density)


def is_solid(mesh: Mesh) -> bool:
    return bool(_core.is_closed_solid(mesh.vertices, mesh.indices, mesh.offsets))


Moments = tuple[float, FloatArray, FloatArray]  # volume, integral of x, of x x^T


def _moments_of_mesh(mesh: Mesh) -> Moments:
    """Sums over the tetrahedra between the triangles and the middle."""
    middle = mesh.vertices[mesh.indices].mean(axis=0)
    corners = mesh.vertices[mesh.triangles] - middle
    volumes = np.linalg.det(corners) / 6
    sums = corners.sum(axis=1)
    first = (volumes[:, None] * sums / 4).sum(axis=0)
    outer = np.einsum("tci,tcj->tij", corners, corners) + np.einsum("ti,tj->tij", sums, sums)
    second = (volumes[:, None, None] * outer / 20).sum(axis=0)
    return _moved(float(volumes.sum()), first, second, middle)


def _moments_of_union(collider: Collider) -> Moments:
    """Points in each shape, each weighted by one over the shapes that hold it (Karp and Luby)."""
    low, high = collider.bounds
    middle = (low + high) / 2
    points, weights = [], []
    shares = np.array([shape.volume for shape in collider])
    for k, shape in enumerate(collider):
        count = max(64, int(_POINTS * shares[k] / shares.sum()))
        inside = _points_in(shape, count, seed=k)
        points.append(inside)
        weights.append(np.full(len(inside), shape.volume / len(inside)))
    at, weight = np.vstack(points), np.concatenate(weights)
    holders = np.zeros(len(at))
    for shape in collider:
        near = ((at >= shape.bounds[0]) & (at <= shape.bounds[1])).all(axis=1)
        holders[near] += shape.contains(at[near], margin=1e-12 * float(np.linalg.norm(high - low)))
    weight /= np.maximum(holders, 1)
    centred = at - middle
    second = np.einsum("n,ni,nj->ij", weight, centred, centred)
    return _moved(float(weight.sum()), weight @ centred, second, middle)


def _points_in(shape: Shape, count: int, seed: int) -> FloatArray:
    """Evenly spread: a lattice that no axis of the shape runs along, in its box, as far as it is inside."""
    low, high = shape.bounds
    steps = np.array([0.8191725133961645, 0.6710436067037893, 0.5497004779019703])  # of the plastic number
    tried, found = count * 2, np.empty((0, 3))
    while len(found) < count and tried < 64 * count:
        lattice = (0.5 + np.arange(1, tried + 1)[:, None] * steps + seed * 0.618) % 1.0
        at = low + lattice * (high - low)
        found = at[shape.contains(at)]
        tried *= 2
    return found if len(found) else np.asarray(shape.bounds.mean(axis=0))[None]


def _moved(volume: float, first: FloatArray, second: FloatArray, by: FloatArray) -> Moments:
    both = np.outer(first, by)
    return volume, first + volume * by, second + both + both.T + volume * np.outer(by, by)


def _from_moments(volume: float, first: FloatArray, second: FloatArray, density: float) -> MassProperties:
    center = first / volume
    about = second - volume * np.outer(center, center)
    tensor = density * (np.trace(about) * np.eye(3) - about)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return MassProperties(density * volume, _vector(center), (xx, yy, zz, xy, xz, yz))


def _vector(values: FloatArray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])


def quaternion_of(matrix: FloatArray) -> Rotation:
    """Of a turn: the largest of its four parts first, as that is never small."""
    m = matrix
    squares = 1 + np.array(
        [m[0, 0] - m[1, 1] - m[2, 2], m[1, 1] - m[0, 0] - m[2, 2], m[2, 2] - m[0, 0] - m[1, 1], np.trace(m)]
    )
    k = int(np.argmax(squares))
    rows = [
        [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
        [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
    ]
    x, y, z, w = np.array(rows[k]) / np.linalg.norm(rows[k])
    return float(x), float(y), float(z), float(w)
