"""Shared by the mesh readers in Python: file bytes, units, and a mesh assembled from placed polygons."""

from __future__ import annotations

import math
import os
import stat
import zlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES
from hitbox._model.mesh import Floats, Indices, Mesh, _utf8

Whole = npt.NDArray[np.int64]

# Limits of gzip, the same as in the core. Any file may unpack to _FREE_BYTES, and a larger file to
# _MOST_RATIO times its size.
_FREE_BYTES, _MOST_RATIO = 2**28, 200
# Input bytes per decompression step. zlib copies the unused rest of each step, so steps start small and grow.
_FIRST_STEP, _LARGEST_STEP = 2**9, 2**20
# Limits of a scene, in corners plus vertices. Any file may have _FREE_CORNERS, a larger file
# _CORNERS_PER_BYTE times its size. Files without instances have less than one per byte, a forest of a 1 MB
# tree about thirty.
MOST_CORNERS = 2**27
_FREE_CORNERS, _CORNERS_PER_BYTE = 2**22, 64
_CORNERS_PER_PIECE = 64  # the minimum cost of a piece in memory and time


def file_name(path: str) -> str:
    return _utf8(os.path.basename(path))


def read_bytes(path: str) -> bytes:
    """Return the file's bytes, unpacked if it is gzipped."""
    where = _utf8(path)
    try:
        # Check the type before opening: reading a pipe may never end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise InputError(f"{where}: not a regular file. Give the path of a mesh file.")
        with open(path, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{where}: no such file. Check the path.") from None
    except OSError as error:
        raise InputError(f"{where}: cannot be opened ({error.strerror}). Check its permissions.") from None
    return unpacked(data, file_name(path))


def unpacked(data: bytes, where: str) -> bytes:
    """Unpack gzip data, within limits; return other data unchanged."""
    if data[:3] != b"\x1f\x8b\x08":
        return data
    most = max(_FREE_BYTES, _MOST_RATIO * len(data))
    end = len(data.rstrip(b"\0"))  # some tools pad with zeros
    parts, at = [], 0
    while at < end:
        part, at = _member(data, at, most, where)
        most -= len(part)
        parts.append(part)
    return b"".join(parts)


def _member(data: bytes, at: int, most: int, where: str) -> tuple[bytes, int]:
    """Unpack the gzip member that starts at `at`; return its content and where the next one starts."""
    member, parts, step = zlib.decompressobj(wbits=31), [], _FIRST_STEP
    while not member.eof:
        chunk = data[at : at + step]
        if not chunk:
            raise InputError(f"{where}: its gzip data is cut short. Copy or download it again.")
        try:
            part = member.decompress(chunk, most + 1)
        except zlib.error:
            raise InputError(f"{where}: its gzip data is damaged. Copy or download it again.") from None
        most -= len(part)
        if most < 0:
            raise InputError(f"{where}: its gzip data unpacks to too much. Unpack it if you trust it.")
        parts.append(part)
        at += len(chunk) - len(member.unused_data)
        step = min(2 * step, _LARGEST_STEP)
    return b"".join(parts), at


def unit_and_scale(metres: float, where: str) -> tuple[str, float]:
    """Return the name of a unit and 1, or "m" and the length if no unit has this length."""
    if not (math.isfinite(metres) and metres > 0):
        raise InputError(f"{where}: its unit is {metres!r} metres, but must be finite and above 0.")
    for word, length in METRES.items():
        if math.isclose(metres, length, rel_tol=1e-6):
            return word, 1.0
    return "m", metres


def inside_folder(path: str, folder: str) -> bool:
    """Whether the target of `path`, with all links resolved, lies in `folder` or in an allowed folder.

    HITBOX_ASSET_ROOT names an allowed folder: the user trusts references between all files below it.
    """
    real, allowed = os.path.realpath(path), os.environ.get("HITBOX_ASSET_ROOT")
    roots = [os.path.realpath(each) for each in (folder, allowed) if each]
    return any(os.path.commonpath([real, root]) == root for root in roots)


@dataclass(frozen=True)
class Polygons:
    """The faces of one geometry in its own frame; `material` has an index into `materials` per face."""

    vertices: Floats
    indices: Whole
    sizes: Whole  # corners of each face
    material: Whole
    materials: tuple[str, ...]


@dataclass
class Scene:
    """Collects placed polygons in one world frame. `where` starts error messages.

    `file_size` is the size of all source files in bytes; it limits how much geometry instances may create.
    """

    where: str
    file_size: int | None = None
    _vertices: list[Floats] = field(default_factory=list)
    _indices: list[Whole] = field(default_factory=list)
    _sizes: list[Whole] = field(default_factory=list)
    _parts: list[Whole] = field(default_factory=list)
    _materials: list[Whole] = field(default_factory=list)
    _part_names: list[str] = field(default_factory=list)
    _material_number: dict[str, int] = field(default_factory=dict)
    _first_vertex: int = 0
    _corners: int = 0

    def add(self, polygons: Polygons, matrix: Floats, name: str, flipped: bool = False) -> None:
        """Add polygons, placed by `matrix` (4 x 4, for column vectors).

        Their faces are reversed if the matrix mirrors or if they are `flipped`, but not if both hold.
        """
        if not len(polygons.sizes):
            return
        self._corners += len(polygons.indices) + len(polygons.vertices) + _CORNERS_PER_PIECE
        if self._corners > self._most_corners():
            raise InputError(f"{self.where}: its instances make the mesh too large. Export fewer of them.")
        with np.errstate(over="ignore", invalid="ignore"):
            placed = polygons.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        mirrored = bool(np.linalg.det(matrix[:3, :3]) < 0)
        indices = polygons.indices
        if mirrored != flipped:
            indices = turned_round(indices, polygons.sizes)
        numbers_of = self._material_number
        numbers = [numbers_of.setdefault(material, len(numbers_of)) for material in polygons.materials]
        self._vertices.append(placed)
        self._indices.append(indices + self._first_vertex)
        self._sizes.append(polygons.sizes)
        self._parts.append(np.full(len(polygons.sizes), len(self._part_names)))
        self._materials.append(np.asarray(numbers, np.int64)[polygons.material])
        self._part_names.append(_clean(name))
        self._first_vertex += len(placed)

    def _most_corners(self) -> int:
        if self.file_size is None:
            return MOST_CORNERS
        return min(MOST_CORNERS, max(_FREE_CORNERS, _CORNERS_PER_BYTE * self.file_size))

    def mesh(self, path: str, metres: float, up: str | None) -> Mesh:
        if not self._sizes:
            raise InputError(f"{self.where}: has no polygons. Export it with its meshes.")
        unit, scale = unit_and_scale(metres, self.where)
        named = any(self._material_number)
        vertices = np.concatenate(self._vertices)
        sizes = np.concatenate(self._sizes)
        offsets: Indices = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
        return Mesh._from_arrays(
            np.ascontiguousarray(vertices * scale if scale != 1 else vertices),
            np.concatenate(self._indices).astype(np.uint32),
            offsets,
            part=np.concatenate(self._parts),
            material=np.concatenate(self._materials) if named else None,
            part_names=self._part_names,
            material_names=[_clean(name) for name in self._material_number] if named else (),
            name=file_name(path),
            unit=unit,
            up=up,
        )  # fmt: skip


def turned_round(indices: Whole, sizes: Whole) -> Whole:
    """Reverse each polygon's corners; its first corner stays the first."""
    ends = np.cumsum(sizes)
    starts = ends - sizes
    place = np.arange(len(indices)) - np.repeat(starts, sizes)
    size = np.repeat(sizes, sizes)
    reversed_: Whole = indices[np.repeat(starts, sizes) + (size - place) % size]
    return reversed_


def merged(points: Floats, triangles: Whole) -> tuple[Floats, Whole]:
    """Merge equal points and remove unused ones, keeping the order of first occurrence.

    Triangles with two equal corners are removed. If no triangle remains, the points stay as they are.
    """
    _, first, same = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    joined = first[same.reshape(-1)][triangles]
    a, b, c = joined.T
    joined = joined[(a != b) & (b != c) & (c != a)]
    if not len(joined):
        return points, joined
    used, corners = np.unique(joined, return_inverse=True)
    return points[used], corners.reshape(-1, 3)


def checked_indices(indices: Whole, vertex_count: int, where: str) -> Whole:
    """Return `indices`, or raise InputError if one is out of range."""
    if len(indices) and (indices.min() < 0 or indices.max() >= vertex_count):
        wrong = int(indices.min() if indices.min() < 0 else indices.max())
        raise InputError(f"{where}: a face uses vertex {wrong}, of {vertex_count} vertices. Export it again.")
    return indices


def _clean(name: str) -> str:
    """Replace control characters by spaces, so that a name is a single line."""
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in _utf8(name))
