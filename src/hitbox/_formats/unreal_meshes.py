"""Collision meshes for Unreal, recognised by name: UBX_ box, USP_ sphere, UCP_ capsule, UCX_ hull, then the
render mesh's name and a number. Written after Unreal's documentation and public source, not tested in Unreal.

Unreal's importer fits each primitive to the vertices, so the vertices lie on the shape, not around it: a
sphere has the six points on its axes, and a capsule starts with both poles. Unreal uses only a UCX mesh
unchanged. Vertices contain the pose: Unreal matches root nodes without a transform, and no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats.export import Export, Item, Target, matrix_of
from hitbox._formats.local_frames import finite_mesh, local_and_pose
from hitbox._formats.mesh_builder import merged
from hitbox._formats.placement import Placement
from hitbox._model.collider import Collider
from hitbox._model.convex_parts import ConvexPart, hull_of_part
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Box, Capsule, FloatArray, IndexArray, Shape, Sphere
from hitbox._native import _core

KINDS = ("box", "sphere", "capsule", "hull")
_PREFIXES = {"box": "UBX", "sphere": "USP", "capsule": "UCP", "hull": "UCX"}
_NAMED = re.compile(r"(UBX|USP|UCP|UCX)_(.+)", re.IGNORECASE)
_SPLITS = 2  # subdivisions of an octahedron: 66 vertices on a sphere
_SAME = 1e-6  # relative tolerance for float32 lengths
_MOST_STEPS = 8  # steps to the farthest point; a capsule's poles need two or three
_MOST_DISTANCES = 2**24  # distances computed after that, to find the ends of other shapes


@dataclass(frozen=True)
class NamedMesh:
    name: str
    vertices: FloatArray
    triangles: IndexArray
    item: Item


def target(unit: str) -> Target:
    return Target(KINDS, unit=unit, up="y", has_mesh=True).with_caps_of("unreal")


def collision_meshes(export: Export) -> list[NamedMesh]:
    """Return one mesh per shape, always numbered: without a number `Crate` and `Crate_01` are ambiguous."""
    if export.mesh is None:
        export.notes.append(f"Unreal needs the render mesh {export.name} in the same file: add it.")
    return [
        NamedMesh(f"{_PREFIXES[item.shape.kind]}_{export.name}_{k:02d}", *_mesh(item.shape, item.name), item)
        for k, item in enumerate(export.items)
    ]


def _mesh(shape: Shape, name: str) -> tuple[FloatArray, IndexArray]:
    if not isinstance(shape, Sphere | Capsule):
        return finite_mesh(shape, name, 24)
    local, rotation, translation = local_and_pose(shape)
    assert isinstance(local, Sphere | Capsule)
    points = _ball() * local.radius
    if isinstance(local, Capsule):
        half = local.end[1]
        upper, lower = points[points[:, 1] >= 0], points[points[:, 1] <= 0]
        up = np.array([0.0, half, 0.0])
        points = np.vstack([upper + up, lower - up])
        # Put the poles first: the importer ignores the last vertex when it computes the radius.
        points = points[np.argsort(-np.abs(points[:, 1]), kind="stable")]
    _, triangles, kept, _ = _core.convex_hull(np.ascontiguousarray(points))
    order = np.sort(np.asarray(kept))
    rows = np.searchsorted(order, np.asarray(kept)[np.asarray(triangles)]).astype(np.uint32)
    return points[order] @ matrix_of(rotation).T + translation, rows


def _ball() -> FloatArray:
    """Return points on the unit sphere, including those on the axes."""
    steps = 2**_SPLITS
    grid = [
        (x, y, z)
        for x in range(-steps, steps + 1)
        for y in range(-steps, steps + 1)
        for z in range(-steps, steps + 1)
        if abs(x) + abs(y) + abs(z) == steps
    ]
    points = np.array(grid, np.float64)
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


# ---------------------------------------------------------------- Reading


def collider_of(mesh: Mesh, name: str) -> Collider | None:
    """Return the shapes that the parts' names describe; None if no part has such a name."""
    if mesh.part is None or not len(mesh.part):
        return None
    shapes: list[Shape] = []
    of_triangle = mesh.part[mesh.triangle_faces]
    order = np.argsort(of_triangle, kind="stable")
    numbers, starts = np.unique(of_triangle[order], return_index=True)
    for number, rows in zip(numbers, np.split(order, starts[1:]), strict=True):
        part_name = mesh.part_names[number]
        matched = _NAMED.fullmatch(part_name)
        if matched is not None:
            shapes.append(_shape(matched[1].upper(), mesh.vertices, mesh.triangles[rows], part_name))
    return Collider(shapes, name=name, unit=mesh.unit, up=mesh.up) if shapes else None


def _shape(prefix: str, points: FloatArray, triangles: IndexArray, where: str) -> Shape:
    used, corners = np.unique(triangles, return_inverse=True)
    vertices, rows = merged(points[used], corners.reshape(-1, 3))
    if (np.ptp(vertices, axis=0) == 0).all():
        raise InputError(f"{where}: is a single point. Export it with its size.")
    if prefix == "UBX":
        return _box(vertices, vertices[rows], where)
    if prefix == "USP":
        return _sphere(vertices)
    if prefix == "UCP":
        return _capsule(vertices, where)
    hull, _ = hull_of_part(ConvexPart(vertices, rows), where)
    if hull is None:
        raise InputError(f"{where}: is flat and has no inside.")
    return hull


def _sphere(vertices: FloatArray) -> Sphere:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    x, y, z = (low + high) / 2
    return Sphere((x, y, z), float((high - low).max()) / 2)


def _farthest_pair(points: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return the two farthest points and their distance, to float32, without computing all pairs."""

    def from_one(a: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        distances = np.linalg.norm(points - a, axis=1)
        far = int(np.argmax(distances))
        return a, points[far], float(distances[far])

    best = from_one(points[0])
    for _ in range(_MOST_STEPS):
        best = max(best, from_one(best[1]), key=lambda pair: pair[2])
    # If two points are farther apart, one lies outside the ball between these. A capsule has no such point.
    reach = np.linalg.norm(points - (best[0] + best[1]) / 2, axis=1)
    order = np.argsort(-reach, kind="stable")
    for k in order[: _MOST_DISTANCES // len(points) + 1]:
        if reach[k] <= (0.5 + _SAME) * best[2]:
            break
        best = max(best, from_one(points[k]), key=lambda pair: pair[2])
    return best


def _capsule(vertices: FloatArray, where: str) -> Shape:
    start, end, length = _farthest_pair(vertices)
    axis = (end - start) / length
    offsets = vertices - start
    radius = float(np.linalg.norm(offsets - np.outer(offsets @ axis, axis), axis=1).max())
    matrix = np.eye(4)
    matrix[:3, 1] = axis
    matrix[:3, 0] = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    matrix[:3, 0] /= np.linalg.norm(matrix[:3, 0])
    matrix[:3, 2] = np.cross(matrix[:3, 0], axis)
    matrix[:3, 3] = (start + end) / 2
    return Placement(matrix, where).capsule(length - 2 * radius, radius)


def _box(vertices: FloatArray, corners: FloatArray, where: str) -> Box:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    normals = normals[areas > 0] / areas[areas > 0, None]
    if not len(normals):
        raise InputError(f"{where}: is not a box: its triangles have no area. Export it with its size.")
    axes = [normals[0]]
    while len(axes) < 3:
        square = (np.abs(normals @ np.stack(axes, axis=1)) < 1e-3).all(axis=1)
        if not square.any():
            raise InputError(f"{where}: is not a box: its sides are not at right angles.")
        axes.append(normals[np.argmax(square)])
    right, up = axes[0], axes[1] - (axes[1] @ axes[0]) * axes[0]
    up /= np.linalg.norm(up)
    turn = np.stack([right, up, np.cross(right, up)], axis=1)
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    matrix[:3, 3] = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    placed = Placement(matrix, where).box(np.ptp(vertices @ turn, axis=0).tolist())
    assert isinstance(placed, Box)
    return placed
