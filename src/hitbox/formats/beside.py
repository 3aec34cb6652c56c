"""Files beside the main one of a description: each hull as an OBJ, and the render mesh.

OBJ is what all of the readers take; one file a hull, as some make one hull of a whole file. A hull is
written around its middle, which keeps its precision where a reader holds vertices in 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hitbox.formats.export import Export, safe_names
from hitbox.formats.objects import local_and_pose, obj_faces, obj_vertices
from hitbox.mesh import Mesh
from hitbox.shapes import Hull


@dataclass
class Beside:
    """Paths are relative to the main file, with / between folders."""

    hulls: dict[str, str] = field(default_factory=dict)  # by the item's name
    visual: tuple[str, str] | None = None  # name and path
    files: dict[str, bytes] = field(default_factory=dict)


def files_beside(export: Export) -> Beside:
    beside = Beside()
    for item in export.items:
        if isinstance(item.shape, Hull):
            local = local_and_pose(item.shape)[0]
            assert isinstance(local, Hull)
            path = beside.hulls[item.name] = f"{export.folder}/{item.name}.obj"
            lines = [f"o {item.name}", *obj_vertices(local.vertices), *obj_faces(local.triangles)]
            beside.files[path] = ("\n".join(lines) + "\n").encode()
    if export.mesh is not None:
        name = safe_names([*(item.name for item in export.items), "visual"])[-1]
        beside.visual = name, f"{export.folder}/{name}.obj"
        beside.files[beside.visual[1]] = _render_mesh(export.mesh)
    return beside


def _render_mesh(mesh: Mesh) -> bytes:
    """Triangles, as readers differ on larger polygons; part and material by name where they change."""
    lines = obj_vertices(mesh.vertices)
    parts = _names(mesh.part, mesh.part_names, mesh)
    materials = _names(mesh.material, mesh.material_names, mesh)
    last: tuple[str, str] = ("", "")
    for face, part, material in zip(obj_faces(mesh.triangles), parts, materials, strict=True):
        if part != last[0]:
            lines.append(f"o {part}")
        if material != last[1]:
            lines.append(f"usemtl {material}")
        last = part, material
        lines.append(face)
    return ("\n".join(lines) + "\n").encode()


def _names(ids: object, names: tuple[str, ...], mesh: Mesh) -> list[str]:
    """Of each triangle."""
    if ids is None:
        return [""] * len(mesh.triangles)
    safe = safe_names(name or "unnamed" for name in names)
    return [safe[k] for k in np.asarray(ids)[mesh.triangle_faces].tolist()]
