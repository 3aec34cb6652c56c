"""Finds the places on a collider's outside where two shapes meet, as targets for the rods.

It samples points on all shapes. A point near another shape leads to the closest points of both shapes, whose
midpoint lies in the joint, or in the gap. Costs one distance per point and shape with a nearby box.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hitbox._judges.simulate.world import Solid
from hitbox._judges.simulate.world_frame import WorldFrame
from hitbox._model.shapes import FloatArray
from hitbox._native import _core

Ints = npt.NDArray[np.int64]

_SAMPLES = 20_000
_REACH = 4  # rod radii: shapes with a wider gap do not meet


def find_joints(
    world: WorldFrame, radius: float, count: int, room: float
) -> tuple[FloatArray, FloatArray, Ints]:
    """Return `count` points, their inward directions, and the index of the solid whose joint each one is.

    `radius` and `room` are the rod's radius and length: the rod must have space outside the joint. Each
    collider with joints gets the same number of points; they repeat if it has fewer joints. Without any
    joint, and for a mesh alone, the points are samples of the surface, with the index -1.
    """
    joints_of_solid = {}
    for k, solid in enumerate(world.solids):
        pair = None if solid.is_mesh else _joints_of(solid, radius, room, world.seed)
        if pair is not None and len(pair[0]):
            joints_of_solid[k] = pair
    if not joints_of_solid:
        places, normals, _ = _sampled(world.owner, count, world.seed)
        return places, -normals, np.full(count, -1)
    random = world.random()
    owners = np.sort(np.resize(list(joints_of_solid), count))
    points, inward = np.empty((count, 3)), np.empty((count, 3))
    for k, (places, directions) in joints_of_solid.items():
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
    # The outward direction leads away from both shapes, seen from above: between two shapes side by side,
    # straight up.
    above = middle + normals * reach
    outward = _gradient(solid, above, owner, radius) + _gradient(solid, above, nearest, radius)
    length = np.linalg.norm(outward, axis=1)
    faces_other = np.abs(((there - points) * normals).sum(axis=1)) > 0.5 * distance[rows]  # no way out
    clear = (length > 0.5) & ~faces_other
    middle, outward = middle[clear], outward[clear] / length[clear, None]
    free = np.ones(len(middle), bool)
    for part in (0.5, 1.0):
        back = middle + outward * part * room
        for shape in solid.shapes:
            free &= shape.signed_distance(back) > radius
    return middle[free], -outward[free]


def _nearest_other(solid: Solid, points: FloatArray, owner: Ints, reach: float) -> tuple[Ints, FloatArray]:
    """Return the nearest shape to each point except its own, and the distance to it."""
    distance = np.full(len(points), np.inf)
    nearest = np.full(len(points), -1)
    for k, shape in enumerate(solid.shapes):
        low, high = shape.bounds
        near = np.flatnonzero(((points > low - reach) & (points < high + reach)).all(axis=1) & (owner != k))
        if len(near):
            distances = shape.signed_distance(points[near])
            closer = distances < distance[near]
            distance[near[closer]], nearest[near[closer]] = distances[closer], k
    return nearest, distance


def _closest(solid: Solid, points: FloatArray, shapes: Ints, radius: float) -> FloatArray:
    """Return the closest point to each of `points` on the shape with that index; a point inside stays."""
    distance = np.zeros(len(points))
    for k in np.unique(shapes):
        rows = np.flatnonzero(shapes == k)
        distance[rows] = np.maximum(solid.shapes[int(k)].signed_distance(points[rows]), 0)
    away = _gradient(solid, points, shapes, radius)
    return np.asarray(points - away * distance[:, None])


def _gradient(solid: Solid, points: FloatArray, shapes: Ints, radius: float) -> FloatArray:
    """Return the direction in which each point's distance to the shape with that index grows."""
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
    """Sample points on the surface; return them, their normals, and their shapes' indices (-1 for a mesh)."""
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
