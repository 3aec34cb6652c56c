"""What readers written in Python share: the bytes of a file, units, and a mesh made of placed pieces."""

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

# As in the core: what may be unpacked however small the file is, and beyond it so many times its size.
_FREE_BYTES, _MOST_RATIO = 2**28, 200
# Bytes of a gzip member at once: zlib copies what it leaves over, so steps start small and then grow.
_FIRST_STEP, _LARGEST_STEP = 2**9, 2**20
# Corners and vertices of a scene; so many however small its file is, and beyond that so many a byte. A file
# without instances has less than one a byte, and a forest of a tree of a megabyte about thirty.
MOST_CORNERS = 2**27
_FREE_CORNERS, _CORNERS_A_BYTE = 2**22, 64
_CORNERS_A_PIECE = 64  # what a piece costs in memory and time however small it is


def file_name(path: str) -> str:
    return _utf8(os.path.basename(path))


def read_bytes(path: str) -> bytes:
    """The file's bytes, unpacked where it is gzipped."""
    where = _utf8(path)
    try:
        # Asked before it is opened: a pipe may never end.
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
    """What is in gzip data, within limits; other data as it is."""
    if data[:3] != b"\x1f\x8b\x08":
        return data
    most = max(_FREE_BYTES, _MOST_RATIO * len(data))
    end = len(data.rstrip(b"\0"))  # some tools fill up with zeros
    parts, at = [], 0
    while at < end:
        part, at = _member(data, at, most, where)
        most -= len(part)
        parts.append(part)
    return b"".join(parts)


def _member(data: bytes, at: int, most: int, where: str) -> tuple[bytes, int]:
    """What is in the gzip member that starts at `at`, and where the next one starts."""
    member, parts, step = zlib.decompressobj(wbits=31), [], _FIRST_STEP
    while not member.eof:
        fed = data[at : at + step]
        if not fed:
            raise InputError(f"{where}: its gzip data is cut short. Copy or download it again.")
        try:
            part = member.decompress(fed, most + 1)
        except zlib.error:
            raise InputError(f"{where}: its gzip data is damaged. Copy or download it again.") from None
        most -= len(part)
        if most < 0:
            raise InputError(f"{where}: its gzip data unpacks to too much. Unpack it if you trust it.")
        parts.append(part)
        at += len(fed) - len(member.unused_data)
        step = min(2 * step, _LARGEST_STEP)
    return b"".join(parts), at


def unit_and_scale(metres: float, where: str) -> tuple[str, float]:
    """The word for a unit of so many metres, and the factor to it: metres where there is no word."""
    if not (math.isfinite(metres) and metres > 0):
        raise InputError(f"{where}: its unit is {metres!r} metres, but must be above 0.")
    for word, length in METRES.items():
        if math.isclose(metres, length, rel_tol=1e-6):
            return word, 1.0
    return "m", metres


def inside_folder(path: str, folder: str) -> bool:
    """Whether the file that `path` leads to, through whatever links, lies in `folder`, or where it may.

    HITBOX_ASSET_ROOT is the user's word that files may refer to each other anywhere below one folder.
    """
    real, allowed = os.path.realpath(path), os.environ.get("HITBOX_ASSET_ROOT")
    roots = [os.path.realpath(each) for each in (folder, allowed) if each]
    return any(os.path.commonpath([real, root]) == root for root in roots)


@dataclass(frozen=True)
class Polygons:
    """Faces of one geometry in its own frame; `material`: one number a face into `materials`."""

    vertices: Floats
    indices: Whole
    sizes: Whole  # corners of each face
    material: Whole
    materials: tuple[str, ...]


@dataclass
class Scene:
    """Polygons put into one world, one after the other. `where` starts a complaint.

    `file_size`: bytes of the files it comes from, where instances in them may make much of little.
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
        """`matrix` is 4 x 4 for columns. A mirror turns faces round, and so does `flipped`."""
        if not len(polygons.sizes):
            return
        self._corners += len(polygons.indices) + len(polygons.vertices) + _CORNERS_A_PIECE
        if self._corners > self._most_corners():
            raise InputError(f"{self.where}: its instances make too large a mesh. Export fewer of them.")
        with np.errstate(over="ignore", invalid="ignore"):
            placed = polygons.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        mirrored = bool(np.linalg.det(matrix[:3, :3]) < 0)
        indices = polygons.indices
        if mirrored != flipped:
            indices = turned_round(indices, polygons.sizes)
        known = self._material_number
        numbers = [known.setdefault(material, len(known)) for material in polygons.materials]
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
        return min(MOST_CORNERS, max(_FREE_CORNERS, _CORNERS_A_BYTE * self.file_size))

    def mesh(self, path: str, metres: float, up: str | None) -> Mesh:
        if not self._sizes:
            raise InputError(f"{self.where}: there are no polygons in it. Export it with its meshes.")
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
    """Each polygon's corners the other way round, its first corner staying the first."""
    ends = np.cumsum(sizes)
    starts = ends - sizes
    place = np.arange(len(indices)) - np.repeat(starts, sizes)
    size = np.repeat(sizes, sizes)
    turned: Whole = indices[np.repeat(starts, sizes) + (size - place) % size]
    return turned


def merged(points: Floats, triangles: Whole) -> tuple[Floats, Whole]:
    """Equal points as one, none that no triangle uses, in the order of their first; no triangle that has two
    equal corners. Points without triangles stay as they are."""
    _, first, same = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    joined = first[same.reshape(-1)][triangles]
    a, b, c = joined.T
    joined = joined[(a != b) & (b != c) & (c != a)]
    if not len(joined):
        return points, joined
    used, corners = np.unique(joined, return_inverse=True)
    return points[used], corners.reshape(-1, 3)


def checked_indices(indices: Whole, vertex_count: int, where: str) -> Whole:
    """Raises InputError where one is out of range."""
    if len(indices) and (indices.min() < 0 or indices.max() >= vertex_count):
        wrong = int(indices.min() if indices.min() < 0 else indices.max())
        raise InputError(f"{where}: a face uses vertex {wrong}, of {vertex_count}. Export it again.")
    return indices


def _clean(name: str) -> str:
    """One line."""
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in _utf8(name))
