"""OBJ for Unreal: named collision meshes in centimetres, and the render mesh they belong to."""

from __future__ import annotations

from hitbox._base.version import version
from hitbox._formats.export import Export
from hitbox._formats.obj_file import ObjObject, obj_bytes, render_objects
from hitbox._formats.unreal_meshes import collision_meshes, target

TARGET = target("cm")
_UNIT_COMMENT = b" in centimetres"


def files(export: Export) -> dict[str, bytes]:
    objects = [] if export.mesh is None else list(render_objects(export.mesh, export.name, by_part=False))
    for named in collision_meshes(export):
        objects.append(ObjObject(named.name, named.vertices, [(None, named.triangles)]))
    generator = export.collider.generator or f"hitbox {version()}"
    comment = f"{generator}: {export.name}{_UNIT_COMMENT.decode()}"
    return {export.file: obj_bytes(comment, objects)}


def is_ours(path: str) -> bool:
    """Whether hitbox wrote the file. Its first line tells the unit: OBJ has no other place for it."""
    with open(path, "rb") as file:
        first = file.readline(1 << 12).rstrip()
    return first.startswith(b"# hitbox ") and first.endswith(_UNIT_COMMENT)
