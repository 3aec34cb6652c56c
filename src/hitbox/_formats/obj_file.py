"""Wavefront OBJ as text: named objects one after the other. Shared by the formats that write one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hitbox._formats.export import safe_names
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray


@dataclass(frozen=True)
class ObjObject:
    """Faces are corners of `vertices`, from 0, and go by material."""

    name: str
    vertices: FloatArray
    faces: Sequence[tuple[str | None, Sequence[Sequence[int]]]]


def obj_bytes(comment: str, objects: Iterable[ObjObject]) -> bytes:
    lines = [f"# {' '.join(comment.split())}"]
    first = 1
    for each in objects:
        lines.append(f"o {'_'.join(each.name.split())}")
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in each.vertices.tolist()]
        for material, faces in each.faces:
            if material is not None:
                lines.append(f"usemtl {'_'.join(material.split())}")
            lines += ["f " + " ".join(str(corner + first) for corner in face) for face in faces]
        first += len(each.vertices)
    return ("\n".join(lines) + "\n").encode()


def render_objects(mesh: Mesh, name: str, by_part: bool = True) -> Iterator[ObjObject]:
    """An object a part of `mesh`, with the part's name, or one of that `name`."""
    part = np.zeros(mesh.face_count, np.uint32) if mesh.part is None or not by_part else mesh.part
    numbers = [int(number) for number in np.unique(part)]
    named = by_part and mesh.part is not None
    titles = safe_names((mesh.part_names[number] if named else "") or name for number in numbers)
    polygons = np.split(mesh.indices, mesh.offsets[1:-1])
    material = np.zeros(mesh.face_count, np.uint32) if mesh.material is None else mesh.material
    materials = safe_names(mesh.material_names) if mesh.material is not None else [None]
    for number, title in zip(numbers, titles, strict=True):
        faces = np.flatnonzero(part == number)
        used = np.unique(np.concatenate([polygons[f] for f in faces]))
        own = [
            (
                materials[m],
                [np.searchsorted(used, polygons[f]).tolist() for f in faces if material[f] == m],
            )
            for m in np.unique(material[faces])
        ]
        yield ObjObject(title, mesh.vertices[used], own)
