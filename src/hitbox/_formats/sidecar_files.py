"""Files beside the main one of a description: each hull as an OBJ, and the render mesh.

OBJ is what all of the readers take; one file a hull, as some make one hull of a whole file. A hull is
written around its middle, which keeps its precision where a reader holds vertices in 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hitbox._formats.export import Export, safe_names
from hitbox._formats.local_frames import local_and_pose, tip_at_end
from hitbox._formats.obj_file import ObjObject, obj_bytes, render_objects
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Hull, Rotation, Shape, Vector


@dataclass
class Beside:
    """Paths are relative to the main file, with / between folders."""

    frames: dict[str, tuple[Shape, Rotation, Vector]]  # by the item's name: see `local_and_pose`
    hulls: dict[str, str] = field(default_factory=dict)  # by the item's name
    visual: tuple[str, str] | None = None  # name and path
    files: dict[str, bytes] = field(default_factory=dict)


def files_beside(export: Export) -> Beside:
    beside = Beside({item.name: local_and_pose(tip_at_end(item.shape), "z") for item in export.items})
    for name, (local, _, _) in beside.frames.items():
        if isinstance(local, Hull):
            path = beside.hulls[name] = f"{export.folder}/{name}.obj"
            hull = ObjObject(name, local.vertices, [(None, local.triangles)])
            beside.files[path] = obj_bytes(name, [hull])
    if export.mesh is not None:
        name = safe_names([*(item.name for item in export.items), "visual"])[-1]
        beside.visual = name, f"{export.folder}/{name}.obj"
        beside.files[beside.visual[1]] = obj_bytes(name, render_objects(_in_triangles(export.mesh), name))
    return beside


def _in_triangles(mesh: Mesh) -> Mesh:
    """Readers differ on larger polygons."""
    faces, count = mesh.triangle_faces, len(mesh.triangles)
    return Mesh._trusted(
        mesh.vertices, mesh.triangles.ravel(), np.arange(0, 3 * count + 1, 3, dtype=np.uint32), mesh._checked,
        part=None if mesh.part is None else mesh.part[faces],
        material=None if mesh.material is None else mesh.material[faces],
        part_names=mesh.part_names, material_names=mesh.material_names, name=mesh.name, unit=mesh.unit,
        up=mesh.up,
    )  # fmt: skip
