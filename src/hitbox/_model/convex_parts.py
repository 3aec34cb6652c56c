"""Hulls from the convex parts that CoACD, V-HACD and mesh files contain.

A part has vertices and triangles. If its surface is closed and convex, it is kept unchanged, so that its size
in bytes is the one its maker would ship. Only its winding is turned outward, and equal vertices are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray, Hull, Shape, _Shape, hull_fault
from hitbox._native import _core

_FLAT = 1e-9  # fraction of a part's diagonal: a thinner part has no inside
_LARGEST = 1e60  # as for meshes: products of five lengths stay within the range of doubles


@dataclass(frozen=True)
class ConvexPart:
    """One convex part, not yet checked. `name` is its name in the file."""

    vertices: Any
    triangles: Any
    name: str | None = None


def hull_of_part(piece: ConvexPart, where: str) -> tuple[Hull | None, str | None]:
    """Return the part as a Hull and a note about it, or None for a flat part.

    Raise InputError for invalid geometry: NaN, indices out of range. Every sentence starts with `where`.
    """
    vertices = _vertices(piece.vertices, where)
    triangles = _joined(vertices, _triangles(piece.triangles, len(vertices), where))
    corners = vertices[np.unique(triangles)] if len(triangles) else vertices
    around = _hull_around(corners) if len(corners) else None
    if around is None:
        return None, f"{where} is flat and has no inside: it is left out."
    outward = triangles if _volume(vertices, triangles) > 0 else triangles[:, ::-1]
    fault = hull_fault(vertices, outward)
    if fault is None:
        return Hull._trusted(vertices, outward), None
    reason = "not closed" if fault == "open" else fault
    return around, f"{where} is {reason}: the hull of its vertices is used."


def convex_parts_of_mesh(mesh: Mesh) -> list[ConvexPart]:
    """Return one convex part per part of the mesh, or per connected component if only one part has faces.

    Shared edges connect faces. Convex parts that touch stay apart, even if they share edges.
    """
    welded, _ = mesh.clean("exact")
    triangles, faces = welded.triangles, welded.triangle_faces
    used = np.unique(mesh.part) if mesh.part is not None else np.empty(0, np.uint32)
    if mesh.part is not None and len(used) > 1:
        group, names = mesh.part[faces], {int(p): mesh.part_names[p] or None for p in used}
    else:
        components = np.asarray(_core.pieces_of_faces(welded.vertices, welded.indices, welded.offsets))
        group, names = components[faces], {}
    return [
        ConvexPart(*_compact(welded.vertices, rows), names.get(int(key)))
        for key, rows in _grouped(group, triangles)
    ]


def shapes_of(things: Iterable[Any], words: str = "piece") -> tuple[list[Shape], list[str | None], list[str]]:
    """Convert any mixture of shapes and parts to (shapes, names, notes). Raise InputError if none is left."""
    shapes: list[Shape] = []
    names: list[str | None] = []
    notes: list[str] = []
    given = 0
    for k, thing in enumerate(things):
        given += 1
        if isinstance(thing, _Shape):
            shapes.append(thing)  # type: ignore[arg-type]
            names.append(None)
            continue
        piece = thing if isinstance(thing, ConvexPart) else _piece(thing, f"{words} {k}")
        where = f"{words} {k}" + (f" ({piece.name})" if piece.name else "")
        hull, note = hull_of_part(piece, where)
        if note:
            notes.append(note)
        if hull is not None:
            shapes.append(hull)
            names.append(piece.name)
    if not given:
        raise InputError("collider: there are no shapes. Give at least one.")
    if not shapes:
        raise InputError(f"collider: all {given} pieces are flat and have no inside; give solid ones.")
    return shapes, names, notes


def is_pair(thing: Any) -> bool:
    """Return whether `thing` is one (vertices, triangles), and not a list of two such pairs."""
    if not isinstance(thing, list | tuple) or len(thing) != 2 or isinstance(thing[0], _Shape):
        return False
    try:
        first = np.asarray(thing[0])
    except ValueError:
        return False
    return first.ndim == 2 and first.shape[1] == 3 and first.dtype.kind in "iuf"


def _piece(thing: Any, where: str) -> ConvexPart:
    if is_pair(thing) or (isinstance(thing, list | tuple) and len(thing) == 2):
        return ConvexPart(thing[0], thing[1])
    vertices = getattr(thing, "vertices", None)
    triangles = getattr(thing, "triangles" if isinstance(thing, Mesh) else "faces", None)
    if vertices is None or triangles is None:
        raise InputError(
            f"{where} is a {type(thing).__name__}, but must be a shape, (vertices, triangles) or a trimesh."
        )
    return ConvexPart(vertices, triangles)


def _vertices(value: Any, where: str) -> FloatArray:
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "iuf" or array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{where}: vertices must be numbers of shape (n, 3).")
    vertices = np.array(array, np.float64, order="C") + 0.0
    wrong = ~(np.abs(vertices) <= _LARGEST).all(axis=1)
    if wrong.any():
        k = int(np.argmax(wrong))
        what = "not finite" if not np.isfinite(vertices[k]).all() else f"beyond {_LARGEST:g}"
        raise InputError(f"{where}: vertex {k} is {what}.")
    return vertices


def _triangles(value: Any, vertex_count: int, where: str) -> npt.NDArray[np.int64]:
    """Check triangles, also from a flat list of corners."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.empty(0, object)
    if array.ndim == 1 and array.size % 3 == 0:
        array = array.reshape(-1, 3)
    if array.ndim != 2 or array.shape[1] != 3 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"{where}: triangles must be whole numbers, three per triangle.")
    wrong = (array < 0) | (array >= vertex_count)
    if wrong.any():
        worst = int(array[wrong][0])
        raise InputError(f"{where}: triangles use vertex {worst}, but there are {vertex_count} vertices.")
    return array.astype(np.int64)


def _hull_around(points: FloatArray) -> Hull | None:
    """Return the hull of the points, or None if it has no inside."""
    hull = Hull._around(points)
    return None if hull is None or _is_flat(hull.vertices, hull.triangles) else hull


def _joined(vertices: FloatArray, triangles: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Replace equal vertices in triangles by the first of them, and drop triangles that collapse."""
    _, first, same = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
    joined = first[same.reshape(-1)][triangles]
    a, b, c = joined.T
    return np.ascontiguousarray(joined[(a != b) & (b != c) & (c != a)])


def _volume(vertices: FloatArray, triangles: npt.NDArray[Any]) -> float:
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


def _is_flat(vertices: FloatArray, triangles: npt.NDArray[Any]) -> bool:
    """Compare 2 x volume / area, the thickness of a slab and half that of a needle."""
    size = np.ptp(vertices, axis=0).max()
    unit = (vertices - vertices[0]) / size
    a, b, c = (unit[triangles[:, k]] for k in range(3))
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2
    return 2 * _volume(unit, triangles) <= _FLAT * area * float(np.linalg.norm(np.ptp(unit, axis=0)))


def _compact(
    vertices: FloatArray, triangles: npt.NDArray[np.uint32]
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Return the vertices in use, in their order."""
    used, corners = np.unique(triangles, return_inverse=True)
    return vertices[used], corners.reshape(-1, 3)


def _grouped(
    group: npt.NDArray[Any], rows: npt.NDArray[np.uint32]
) -> Iterator[tuple[int, npt.NDArray[np.uint32]]]:
    """Group rows by key, in the order of the first row of each key."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0])
    ends = np.r_[starts[1:], len(order)]
    for k in np.argsort(order[starts], kind="stable"):
        chosen = order[starts[k] : ends[k]]
        yield int(group[chosen[0]]), rows[chosen]
