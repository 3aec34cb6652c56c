"""Wavefront OBJ text with named objects, shared by the formats that write OBJ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hitbox._formats.export import safe_names
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray, IndexArray
from hitbox._native import _core

Faces: TypeAlias = Sequence[Sequence[int]] | IndexArray  # an array of triangles


@dataclass(frozen=True)
class ObjObject:
    """One object. `faces` has the faces of each material; their corners index `vertices`, from 0."""

    name: str
    vertices: FloatArray
    faces: Sequence[tuple[str | None, Faces]]


def obj_bytes(comment: str, objects: Iterable[ObjObject]) -> bytes:
    parts = [f"# {' '.join(comment.split())}\n".encode()]
    first = 1
    for each in objects:
        parts.append(f"o {'_'.join(each.name.split())}\n".encode())
        parts.append(_core.obj_vertices(each.vertices))
        for material, faces in each.faces:
            if material is not None:
                parts.append(f"usemtl {'_'.join(material.split())}\n".encode())
            parts.append(_face_lines(faces, first))
        first += len(each.vertices)
    return b"".join(parts)


def _face_lines(faces: Faces, first: int) -> bytes:
    """Lines of `faces` whose corner 0 is the vertex `first`."""
    if isinstance(faces, np.ndarray):
        triangles: bytes = _core.obj_triangles(faces, first)
        return triangles
    return "".join(f"f {' '.join(str(corner + first) for corner in face)}\n" for face in faces).encode()


def render_objects(mesh: Mesh, name: str, by_part: bool = True) -> Iterator[ObjObject]:
    """Yield one object per part of `mesh`, with the part's name, or a single object called `name`."""
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
