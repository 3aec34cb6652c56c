"""A collider as Wavefront OBJ: one object a shape, with `usemtl` naming its kind. One file, float64 text.

The meshes circumscribe round shapes, so they enclose what the shapes enclose. OBJ knows no unit and
no up axis: coordinates are written as they are.
"""

from __future__ import annotations

from hitbox._base.version import version
from hitbox._formats.export import Export, Target
from hitbox._formats.local_frames import finite_mesh, object_names
from hitbox._formats.obj_file import ObjObject, obj_bytes
from hitbox._model.collider import Collider
from hitbox._model.shapes import KINDS

TARGET = Target(KINDS, is_exact=True)


def files(export: Export) -> dict[str, bytes]:
    return {export.file: write(export.collider)}


def write(collider: Collider, segments: int = 24) -> bytes:
    """The file's bytes."""
    objects = []
    for shape, name in zip(collider.shapes, object_names(collider), strict=True):
        vertices, triangles = finite_mesh(shape, name, segments)
        objects.append(ObjObject(name, vertices, [(shape.kind, triangles)]))
    return obj_bytes(f"{collider.generator or f'hitbox {version()}'}: {len(collider)} shapes", objects)
