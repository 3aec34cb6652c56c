"""Wavefront OBJ text with named objects, shared by the formats that write OBJ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox._formats.export import safe_names
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray, IndexArray

Faces: TypeAlias = Sequence[Sequence[int]] | IndexArray  # an array where all faces are alike


@dataclass(frozen=True)
class ObjObject:
    """One object. `faces` has the faces of each material; their corners index `vertices`, from 0."""

    name: str
    vertices: FloatArray
    faces: Sequence[tuple[str | None, Faces]]


def obj_bytes(comment: str, objects: Iterable[ObjObject]) -> bytes:
    lines = [f"# {' '.join(comment.split())}"]
    first = 1
    for each in objects:
        lines.append(f"o {'_'.join(each.name.split())}")
        lines.append(_rows("v", each.vertices))
        for material, faces in each.faces:
            if material is not None:
                lines.append(f"usemtl {'_'.join(material.split())}")
            lines += _face_lines(faces, first)
        first += len(each.vertices)
    return ("\n".join(lines) + "\n").encode()


def _rows(tag: str, rows: npt.NDArray[Any]) -> str:
    """A line of text per row: `tag`, then the row's numbers as `repr` writes them."""
    text = repr(rows.tolist())[2:-2].replace("], [", f"\n{tag} ").replace(",", "")
    return f"{tag} {text}"


def _face_lines(faces: Faces, first: int) -> list[str]:
    """Lines of `faces` whose corner 0 is the vertex `first`."""
    if isinstance(faces, np.ndarray):
        return [_rows("f", faces.astype(np.int64) + first)]
    return ["f " + " ".join(str(corner + first) for corner in face) for face in faces]


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
