"""A collider for Unreal as OBJ: named meshes in centimetres, beside the render mesh they belong to."""

from __future__ import annotations

from hitbox._version import version
from hitbox.formats.export import Export
from hitbox.formats.obj_file import ObjObject, obj_bytes, render_objects
from hitbox.formats.unreal_meshes import collision_meshes, target

TARGET = target("cm")


def files(export: Export) -> dict[str, bytes]:
    objects = [] if export.mesh is None else list(render_objects(export.mesh, export.name, by_part=False))
    for named in collision_meshes(export):
        objects.append(ObjObject(named.name, named.vertices, [(None, named.triangles.tolist())]))
    generator = export.collider.generator or f"hitbox {version()}"
    return {export.file: obj_bytes(f"{generator}: {export.name} in centimetres", objects)}
