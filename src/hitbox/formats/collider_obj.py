"""A collider as Wavefront OBJ: one object a shape, with `usemtl` naming its kind. One file, float64 text.

The meshes circumscribe round shapes, so they enclose what the shapes enclose. OBJ knows no unit and
no up axis: coordinates are written as they are.
"""

from __future__ import annotations

from hitbox._version import version
from hitbox.collider import Collider
from hitbox.formats.export import Export, Target
from hitbox.formats.objects import finite_mesh, obj_faces, obj_vertices, object_names
from hitbox.shapes import KINDS

TARGET = Target(KINDS, is_exact=True)


def files(export: Export) -> dict[str, bytes]:
    return {export.file: write(export.collider)}


def write(collider: Collider, segments: int = 24) -> bytes:
    """The file's bytes."""
    lines = [f"# {collider.generator or f'hitbox {version()}'}: {len(collider)} shapes"]
    first = 1
    for shape, name in zip(collider.shapes, object_names(collider), strict=True):
        vertices, triangles = finite_mesh(shape, name, segments)
        lines.append(f"o {'_'.join(name.split())}")
        lines.append(f"usemtl {shape.kind}")
        lines += obj_vertices(vertices) + obj_faces(triangles, first)
        first += len(vertices)
    return ("\n".join(lines) + "\n").encode()
