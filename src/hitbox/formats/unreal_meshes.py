"""Meshes that Unreal takes for collision by their names: UBX_ box, USP_ sphere, UCP_ capsule, UCX_ hull, then
the render mesh's name and a number. Written to its documentation and public source, not run in Unreal.

Its importer derives a primitive anew from the vertices, so these lie on the shape and not around it: those of
a sphere with the six points on its axes, those of a capsule with both poles first. Only a UCX mesh is taken
as it is. Poses are in the vertices: nodes at the root without one match, others do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from hitbox import _core
from hitbox.collider import Collider
from hitbox.errors import InputError
from hitbox.formats.export import Export, Item, Target, matrix_of
from hitbox.formats.objects import finite_mesh, local_and_pose
from hitbox.formats.placed import Placement
from hitbox.mesh import Mesh
from hitbox.pieces import Piece, hull_of_piece
from hitbox.shapes import Box, Capsule, FloatArray, IndexArray, Shape, Sphere

KINDS = ("box", "sphere", "capsule", "hull")
_PREFIXES = {"box": "UBX", "sphere": "USP", "capsule": "UCP", "hull": "UCX"}
_NAMED = re.compile(r"(UBX|USP|UCP|UCX)_(.+)", re.IGNORECASE)
_SPLITS = 2  # of an octahedron's triangles: 66 vertices on a sphere


@dataclass(frozen=True)
class NamedMesh:
    name: str
    vertices: FloatArray
    triangles: IndexArray
    item: Item


def target(unit: str) -> Target:
    return Target(KINDS, unit=unit, up="y", has_mesh=True).with_caps_of("unreal")


def collision_meshes(export: Export) -> list[NamedMesh]:
    """One a shape. There is always a number: without it `Crate` and `Crate_01` take each other's."""
    if export.mesh is None:
        export.notes.append(f"Unreal looks for a render mesh {export.name} in the same file: give it too.")
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
        # Poles first: the importer's radius leaves the last vertex out.
        points = points[np.argsort(-np.abs(points[:, 1]), kind="stable")]
    _, triangles, kept, _ = _core.convex_hull(np.ascontiguousarray(points))
    order = np.sort(np.asarray(kept))
    rows = np.searchsorted(order, np.asarray(kept)[np.asarray(triangles)]).astype(np.uint32)
    return points[order] @ matrix_of(rotation).T + translation, rows


def _ball() -> FloatArray:
    """Points on the unit sphere, those on the axes among them."""
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
    """The shapes that the names of a mesh's parts stand for; None where no part has such a name."""
    if mesh.part is None:
        return None
    shapes: list[Shape] = []
    of_triangle = mesh.part[mesh.triangle_faces]
    for number in np.unique(mesh.part):
        matched = _NAMED.fullmatch(mesh.part_names[number])
        if matched is None:
            continue
        used, corners = np.unique(mesh.triangles[of_triangle == number], return_inverse=True)
        vertices = np.unique(mesh.vertices[used], axis=0)
        said = mesh.part_names[number]
        match matched[1].upper():
            case "UBX":
                shapes.append(_box(vertices, mesh.vertices[used][corners.reshape(-1, 3)], said))
            case "USP":
                shapes.append(_sphere(vertices))
            case "UCP":
                shapes.append(_capsule(vertices))
            case _:
                hull, _ = hull_of_piece(Piece(mesh.vertices[used], corners.reshape(-1, 3)), said)
                if hull is None:
                    raise InputError(f"{said}: is flat and has no inside.")
                shapes.append(hull)
    return Collider(shapes, name=name, unit=mesh.unit, up=mesh.up) if shapes else None


def _sphere(vertices: FloatArray) -> Sphere:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    x, y, z = (low + high) / 2
    return Sphere((x, y, z), float((high - low).max()) / 2)


def _capsule(vertices: FloatArray) -> Shape:
    apart = np.linalg.norm(vertices[:, None] - vertices[None], axis=2)
    a, b = np.unravel_index(int(np.argmax(apart)), apart.shape)
    length = float(apart[a, b])
    axis = (vertices[b] - vertices[a]) / length
    offsets = vertices - vertices[a]
    radius = float(np.linalg.norm(offsets - np.outer(offsets @ axis, axis), axis=1).max())
    matrix = np.eye(4)
    matrix[:3, 1] = axis
    matrix[:3, 0] = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    matrix[:3, 0] /= np.linalg.norm(matrix[:3, 0])
    matrix[:3, 2] = np.cross(matrix[:3, 0], axis)
    matrix[:3, 3] = (vertices[a] + vertices[b]) / 2
    return Placement(matrix, "capsule").capsule(length - 2 * radius, radius)


def _box(vertices: FloatArray, corners: FloatArray, said: str) -> Box:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    normals = normals[areas > 0] / areas[areas > 0, None]
    axes = [normals[0]]
    for normal in normals:
        if len(axes) < 3 and all(abs(normal @ axis) < 1e-3 for axis in axes):
            axes.append(normal)
    if len(axes) < 3:
        raise InputError(f"{said}: is no box: its sides are not at right angles.")
    right, up = axes[0], axes[1] - (axes[1] @ axes[0]) * axes[0]
    up /= np.linalg.norm(up)
    turn = np.stack([right, up, np.cross(right, up)], axis=1)
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    matrix[:3, 3] = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    placed = Placement(matrix, said).box(np.ptp(vertices @ turn, axis=0).tolist())
    assert isinstance(placed, Box)
    return placed
