"""Where two shapes of a collider meet on its outside: the places to push rods at.

Points are drawn on all shapes; those that lie in no other shape and within a rod's radius of another are at
a joint. Costs one distance a point and shape whose box is near it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hitbox import _core
from hitbox.shapes import FloatArray
from hitbox.simulate.stage import Stage
from hitbox.simulate.world import SEGMENTS, Solid

Ints = npt.NDArray[np.int64]

_SAMPLES = 20_000


def find_joints(stage: Stage, reach: float, count: int, room: float) -> tuple[FloatArray, FloatArray, bool]:
    """`count` points and the directions inward, from all colliders of the stage; False: there are no joints.

    `room` is the length of the rod, which must have its place outside. Points are repeated where there are
    fewer; without any joint, and for a mesh alone, they are drawn from the surface.
    """
    colliders = [solid for solid in stage.solids if not solid.is_mesh]
    found = [_joints_of(solid, reach, room, stage.seed) for solid in colliders]
    found = [pair for pair in found if len(pair[0])]
    if not found:
        points, normals, _ = _sampled(stage.owner, max(count, 3), stage.seed)
        return points[:count], -normals[:count], False
    random = stage.random()
    share = [count // len(found) + (k < count % len(found)) for k in range(len(found))]
    points, inward = [], []
    for (places, directions), n in zip(found, share, strict=True):
        rows = np.resize(random.permutation(len(places)), n)
        points.append(places[rows])
        inward.append(directions[rows])
    return np.concatenate(points), np.concatenate(inward), True


def _joints_of(solid: Solid, reach: float, room: float, seed: int) -> tuple[FloatArray, FloatArray]:
    points, normals, owner = _sampled(solid, _SAMPLES, seed)
    distance = np.full(len(points), np.inf)
    nearest = np.full(len(points), -1)
    for k, shape in enumerate(solid.shapes):
        low, high = shape.bounds
        near = np.flatnonzero(((points > low - reach) & (points < high + reach)).all(axis=1) & (owner != k))
        if not len(near):
            continue
        found = shape.signed_distance(points[near])
        closer = found < distance[near]
        distance[near[closer]], nearest[near[closer]] = found[closer], k
    at_joint = np.flatnonzero((distance > 0) & (distance < reach))
    points, nearest = points[at_joint], nearest[at_joint]
    outward = normals[at_joint] + _away(solid, points, nearest, reach)
    length = np.linalg.norm(outward, axis=1)
    clear = length > 0.5  # else the two surfaces face each other: there is no outside between them
    points, outward = points[clear], outward[clear] / length[clear, None]
    free = np.ones(len(points), bool)
    for part in (0.5, 1.0):
        back = points + outward * part * room
        for shape in solid.shapes:
            free &= shape.signed_distance(back) > reach if len(back) else True
    return points[free], -outward[free]


def _away(solid: Solid, points: FloatArray, nearest: Ints, reach: float) -> FloatArray:
    """The direction in which each point gets further from the shape nearest to it."""
    step = 0.05 * reach
    away = np.zeros_like(points)
    for k in np.unique(nearest):
        rows = np.flatnonzero(nearest == k)
        for axis in range(3):
            shift = step * np.eye(3)[axis]
            ahead = solid.shapes[int(k)].signed_distance(points[rows] + shift)
            behind = solid.shapes[int(k)].signed_distance(points[rows] - shift)
            away[rows, axis] = (ahead - behind) / (2 * step)
    return away


def _sampled(solid: Solid, count: int, seed: int) -> tuple[FloatArray, FloatArray, Ints]:
    """Points on the surface, its normals there, and the shape each belongs to (-1: a mesh)."""
    vertices, triangles = solid.surface()
    points, of_triangle = _core.sample_surface(vertices, triangles, count, seed)
    points, of_triangle = np.asarray(points), np.asarray(of_triangle)
    a, b, c = (vertices[triangles[of_triangle, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    if solid.is_mesh:
        return points, normals, np.full(len(points), -1)
    counts = [len(shape.to_mesh(SEGMENTS)[1]) for shape in solid.shapes]
    owner = np.repeat(np.arange(len(counts)), counts)[of_triangle]
    return points, normals, owner
