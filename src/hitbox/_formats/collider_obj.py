"""Wavefront OBJ: one object per shape, whose `usemtl` names its kind. One file, float64 text.

The meshes circumscribe round shapes, so they enclose everything the shapes enclose. OBJ has no unit and no
up axis: coordinates are written unchanged.
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
    """Return the file's bytes."""
    objects = []
    for shape, name in zip(collider.shapes, object_names(collider), strict=True):
        vertices, triangles = finite_mesh(shape, name, segments)
        objects.append(ObjObject(name, vertices, [(shape.kind, triangles)]))
    return obj_bytes(f"{collider.generator or f'hitbox {version()}'}: {len(collider)} shapes", objects)
