"""An oracle for enclosure: plain numpy, one formula per kind. It shares no code with the core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._model.mesh import Mesh

Floats = npt.NDArray[np.float64]


def rotation_matrix(quaternion: Iterable[float]) -> Floats:
    """Columns are the rotated axes."""
    x, y, z, w = quaternion
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _along_axis(shape: Any, points: Floats) -> tuple[Floats, Floats, float]:
    """Return each point's height over the start and its distance from the axis, and the axis' length."""
    start, end = np.array(shape.start), np.array(shape.end)
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length if length > 0 else np.zeros(3)
    local = points - start
    height = local @ axis
    return height, np.linalg.norm(local - height[:, None] * axis, axis=1), length


def _planes(vertices: Floats, triangles: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the unit normals and the offsets of the facets."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    long = np.max([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
    real = lengths > 1e-4 * long * long  # a sliver's normal is mostly rounding
    normals = normals[real] / lengths[real, None]
    return normals, np.einsum("ij,ij->i", normals, a[real])


def sticks_out(shape: Any, points: Floats) -> Floats:
    """Return the largest violation of the shape's inequalities by each point, as a length; at most 0
    inside.
    """
    if shape.kind == "box":
        local = (points - np.array(shape.center)) @ rotation_matrix(shape.rotation)
        return (np.abs(local) - shape.half_extents).max(axis=1)  # type: ignore[no-any-return]
    if shape.kind == "sphere":
        return np.linalg.norm(points - np.array(shape.center), axis=1) - shape.radius  # type: ignore[no-any-return]
    if shape.kind == "prism":
        x, y, z = ((points - np.array(shape.center)) @ rotation_matrix(shape.rotation)).T
        slope = (shape.half_top - shape.half_bottom) / (2 * shape.half_y)
        wall = np.abs(z) - (shape.half_top + shape.half_bottom) / 2 - slope * y
        sides = [np.abs(x) - shape.half_x, np.abs(y) - shape.half_y, wall / np.hypot(1, slope)]
        return np.max(sides, axis=0)  # type: ignore[no-any-return]
    if shape.kind == "hull":
        normals, offsets = _planes(np.array(shape.vertices), np.array(shape.triangles))
        return (points @ normals.T - offsets).max(axis=1)  # type: ignore[no-any-return]
    height, off, length = _along_axis(shape, points)
    if shape.kind == "capsule":
        return np.hypot(off, height - np.clip(height, 0, length)) - shape.radius  # type: ignore[no-any-return]
    if shape.kind == "cylinder":
        return np.max([-height, height - length, off - shape.radius], axis=0)  # type: ignore[no-any-return]
    assert shape.kind == "frustum"
    slope = (shape.radius_end - shape.radius_start) / length
    wall = (off - shape.radius_start - slope * height) / np.hypot(1, slope)
    return np.max([-height, height - length, wall], axis=0)  # type: ignore[no-any-return]


def of_each_face(mesh: Mesh, of_vertex: Floats) -> Floats:
    """Return the worst value of each face's corners."""
    return np.maximum.reduceat(of_vertex[mesh.indices], mesh.offsets[:-1].astype(np.int64))


def _cut(polygon: Floats, normal: Floats, limit: float) -> tuple[Floats, Floats]:
    """Return the parts of a convex polygon with normal . x <= limit, and beyond."""
    heights = polygon @ normal - limit
    sides: tuple[list[Floats], list[Floats]] = ([], [])
    for k in range(len(polygon)):
        a, b = heights[k - 1], heights[k]
        if a * b < 0:
            middle = polygon[k - 1] + (polygon[k] - polygon[k - 1]) * (a / (a - b))
            sides[0].append(middle)
            sides[1].append(middle)
        if b <= 0:
            sides[0].append(polygon[k])
        if b >= 0:
            sides[1].append(polygon[k])
    within, beyond = (np.reshape(side, (-1, 3)) for side in sides)
    return within, beyond if len(beyond) > 2 and (beyond @ normal > limit).any() else beyond[:0]


def _without(polygons: list[Floats], normals: Floats, limits: Floats) -> list[Floats]:
    """Return the rest of convex polygons outside a convex solid."""
    left = []
    for polygon in polygons:
        for normal, limit in zip(normals, limits, strict=True):
            polygon, beyond = _cut(polygon, normal, limit)
            if len(beyond):
                left.append(beyond)
            if len(polygon) < 3:
                break
    return left


def _sides(box: Any) -> tuple[Floats, Floats]:
    axes = rotation_matrix(box.rotation).T
    normals = np.concatenate([axes, -axes])
    return normals, normals @ np.array(box.center) + np.tile(box.half_extents, 2)


def is_covered(mesh: Mesh, face: int, solids: Iterable[tuple[Floats, Floats]], margin: float) -> bool:
    """Return whether convex solids (normals, limits), each wider by `margin`, together contain a face."""
    polygons = list(mesh.vertices[mesh.triangles[mesh.triangle_faces == face]])
    for normals, limits in solids:
        polygons = _without(polygons, normals, limits + margin)
    return not polygons


def is_in_boxes(mesh: Mesh, face: int, shapes: Iterable[Any], margin: float) -> bool:
    """Return whether the boxes among the shapes together contain a face, exactly, by cutting."""
    return is_covered(mesh, face, [_sides(shape) for shape in shapes if shape.kind == "box"], margin)


def faces_stick_out(mesh: Mesh, shapes: Iterable[Any]) -> Floats:
    """Return the distance by which each face sticks out of its best shape; 0 if boxes contain it together."""
    shapes = list(shapes)
    out = np.min([of_each_face(mesh, sticks_out(shape, mesh.vertices)) for shape in shapes], axis=0)
    margin = 1e-9 * mesh.diagonal
    for face in np.flatnonzero(out > margin):
        if is_in_boxes(mesh, int(face), shapes, margin):
            out[face] = 0
    return out  # type: ignore[no-any-return]


def faces_stick_out_of_pieces(mesh: Mesh, pieces: Iterable[tuple[Floats, npt.NDArray[Any]]]) -> Floats:
    """Do the same for convex triangle meshes: a point above any facet's plane is outside."""
    best = np.full(mesh.face_count, np.inf)
    solids = []
    scale = mesh.diagonal
    center = mesh.bounds.mean(axis=0)
    points = (mesh.vertices - center) / scale
    for vertices, triangles in pieces:
        normals, offsets = _planes((vertices - center) / scale, triangles)
        best = np.minimum(best, of_each_face(mesh, (points @ normals.T - offsets).max(axis=1)))
        solids.append((normals, offsets * scale + normals @ center))
    for face in np.flatnonzero(best > 1e-6):
        if is_covered(mesh, int(face), solids, 1e-6 * scale):
            best[face] = 0
    return best * scale
