"""What readers written in Python share: the bytes of a file, units, and a mesh made of placed pieces."""

from __future__ import annotations

import math
import os
import stat
import zlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from hitbox.errors import InputError
from hitbox.lengths import METRES
from hitbox.mesh import Floats, Indices, Mesh, _utf8

Whole = npt.NDArray[np.int64]

# As in the core: what may be unpacked however small the file is, and beyond it so many times its size.
_FREE_BYTES, _MOST_RATIO = 2**28, 200
MOST_CORNERS = 2**27


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
    return _unpacked(data, file_name(path)) if data[:3] == b"\x1f\x8b\x08" else data


def _unpacked(packed: bytes, where: str) -> bytes:
    most = max(_FREE_BYTES, _MOST_RATIO * len(packed))
    parts, size, left = [], 0, packed
    while left.strip(b"\0"):
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(left, most - size + 1)
        except zlib.error:
            raise InputError(f"{where}: its gzip data is damaged. Copy or download it again.") from None
        size += len(part)
        if size > most:
            raise InputError(f"{where}: its gzip data unpacks to too much. Unpack it if you trust it.")
        if not member.eof:
            raise InputError(f"{where}: its gzip data is cut short. Copy or download it again.")
        parts.append(part)
        left = member.unused_data
    return b"".join(parts)


def unit_and_scale(metres: float, where: str) -> tuple[str, float]:
    """The word for a unit of so many metres, and the factor to it: metres where there is no word."""
    if not (math.isfinite(metres) and metres > 0):
        raise InputError(f"{where}: its unit is {metres!r} metres, but must be above 0.")
    for word, length in METRES.items():
        if math.isclose(metres, length, rel_tol=1e-6):
            return word, 1.0
    return "m", metres


def inside_folder(path: str, folder: str) -> bool:
    """Whether the file that `path` leads to, through whatever links, lies in `folder`."""
    real, root = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([real, root]) == root


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
    """Polygons put into one world, one after the other. `where` starts a complaint."""

    where: str
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
        self._corners += len(polygons.indices) + len(polygons.vertices)
        if self._corners > MOST_CORNERS:
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


def checked_indices(indices: Whole, vertex_count: int, where: str) -> Whole:
    """Raises InputError where one is out of range."""
    if len(indices) and (indices.min() < 0 or indices.max() >= vertex_count):
        wrong = int(indices.min() if indices.min() < 0 else indices.max())
        raise InputError(f"{where}: a face uses vertex {wrong}, of {vertex_count}. Export it again.")
    return indices


def _clean(name: str) -> str:
    """One line."""
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in _utf8(name))
