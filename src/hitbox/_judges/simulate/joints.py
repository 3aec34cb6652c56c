"""Where two shapes of a collider meet on its outside: the places to push rods at.

Points are drawn on all shapes. One near another shape gives the two points where these shapes are closest
there: the middle between them is a place at the joint, or in the gap. Costs one distance a point and shape
whose box is near it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hitbox._judges.simulate.world import Solid
from hitbox._judges.simulate.world_frame import Stage
from hitbox._model.shapes import FloatArray
from hitbox._native import _core

Ints = npt.NDArray[np.int64]

_SAMPLES = 20_000
_REACH = 4  # rod radii: shapes further apart do not meet


def find_joints(stage: Stage, radius: float, count: int, room: float) -> tuple[FloatArray, FloatArray, Ints]:
    """`count` points, the directions inward, and the number of the stage's solid whose joints they are.

    `radius` and `room` are the rod's radius and length: it must have its place outside. Each collider that
    has joints gets the same share, repeated where it has fewer; without any joint, and for a mesh alone,
    points are drawn from the surface, and their number is -1.
    """
    found = {}
    for k, solid in enumerate(stage.solids):
        pair = None if solid.is_mesh else _joints_of(solid, radius, room, stage.seed)
        if pair is not None and len(pair[0]):
            found[k] = pair
    if not found:
        places, normals, _ = _sampled(stage.owner, count, stage.seed)
        return places, -normals, np.full(count, -1)
    random = stage.random()
    owners = np.sort(np.resize(list(found), count))
    points, inward = np.empty((count, 3)), np.empty((count, 3))
    for k, (places, directions) in found.items():
        mine = np.flatnonzero(owners == k)
        chosen = np.resize(random.permutation(len(places)), len(mine))
        points[mine], inward[mine] = places[chosen], directions[chosen]
    return points, inward, owners


def _joints_of(solid: Solid, radius: float, room: float, seed: int) -> tuple[FloatArray, FloatArray]:
    reach = _REACH * radius
    points, normals, owner = _sampled(solid, _SAMPLES, seed)
    nearest, distance = _nearest_other(solid, points, owner, reach)
    rows = np.flatnonzero((distance > 0) & (distance < reach))
    points, normals, owner, nearest = points[rows], normals[rows], owner[rows], nearest[rows]
    there = _closest(solid, points, nearest, radius)
    here = _closest(solid, there, owner, radius)
    middle = (here + there) / 2
    # Outward is away from both, seen from above the joint: between two shapes side by side it is straight up.
    above = middle + normals * reach
    outward = _gradient(solid, above, owner, radius) + _gradient(solid, above, nearest, radius)
    length = np.linalg.norm(outward, axis=1)
    facing = np.abs(((there - points) * normals).sum(axis=1)) > 0.5 * distance[rows]  # no way in from here
    clear = (length > 0.5) & ~facing
    middle, outward = middle[clear], outward[clear] / length[clear, None]
    free = np.ones(len(middle), bool)
    for part in (0.5, 1.0):
        back = middle + outward * part * room
        for shape in solid.shapes:
            free &= shape.signed_distance(back) > radius
    return middle[free], -outward[free]


def _nearest_other(solid: Solid, points: FloatArray, owner: Ints, reach: float) -> tuple[Ints, FloatArray]:
    """The shape nearest to each point besides its own, and how far it is."""
    distance = np.full(len(points), np.inf)
    nearest = np.full(len(points), -1)
    for k, shape in enumerate(solid.shapes):
        low, high = shape.bounds
        near = np.flatnonzero(((points > low - reach) & (points < high + reach)).all(axis=1) & (owner != k))
        if len(near):
            found = shape.signed_distance(points[near])
            closer = found < distance[near]
            distance[near[closer]], nearest[near[closer]] = found[closer], k
    return nearest, distance


def _closest(solid: Solid, points: FloatArray, shapes: Ints, radius: float) -> FloatArray:
    """The closest point to each of `points` on the shape of that number; a point inside stays."""
    distance = np.zeros(len(points))
    for k in np.unique(shapes):
        rows = np.flatnonzero(shapes == k)
        distance[rows] = np.maximum(solid.shapes[int(k)].signed_distance(points[rows]), 0)
    away = _gradient(solid, points, shapes, radius)
    return np.asarray(points - away * distance[:, None])


def _gradient(solid: Solid, points: FloatArray, shapes: Ints, radius: float) -> FloatArray:
    """The direction in which each point gets further from the shape of that number."""
    step = 0.01 * radius
    away = np.zeros_like(points)
    for k in np.unique(shapes):
        rows = np.flatnonzero(shapes == k)
        for axis in range(3):
            shift = step * np.eye(3)[axis]
            ahead = solid.shapes[int(k)].signed_distance(points[rows] + shift)
            behind = solid.shapes[int(k)].signed_distance(points[rows] - shift)
            away[rows, axis] = (ahead - behind) / (2 * step)
    return away


def _sampled(solid: Solid, count: int, seed: int) -> tuple[FloatArray, FloatArray, Ints]:
    """Points on the surface, its normals there, and the shape each belongs to (-1: a mesh)."""
    if not solid.is_mesh:
        union = _core.shape_union([shape._crossing for shape in solid.shapes], (0.0, 0.0, 0.0), 1.0)
        points, normals, owner, _ = union.sample(count, seed, 0.0)
        return np.asarray(points), np.asarray(normals), np.asarray(owner, np.int64)
    vertices, triangles = solid.surface()
    points, of_triangle = _core.sample_surface(vertices, triangles, count, seed)
    a, b, c = (vertices[triangles[np.asarray(of_triangle), k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return np.asarray(points), normals, np.full(count, -1)
