"""Mesh: polygons in space, and the numbers that describe them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES, UPS, parse_length
from hitbox._native import _core

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.uint32]

Checked = tuple[Any, float]  # bounds and diagonal, as `_core.check_mesh` gives them
_NO_IDS: Indices = np.empty(0, np.uint32)
_T = TypeVar("_T")


@dataclass(frozen=True)
class CleanReport:
    """The changes that cleaning made or would make. Faces are only counted; none is ever dropped."""

    vertices_before: int
    vertices_after: int
    unreferenced: int  # vertices dropped because no face uses them
    welded: int  # vertices replaced by an equal one
    faces: int
    repeated_index: int  # faces that use a vertex more than once
    zero_area: int  # other faces whose corners lie on one line
    duplicates: int  # faces with the same vertices as an earlier one

    @property
    def changed(self) -> bool:
        return self.vertices_after != self.vertices_before


@dataclass(frozen=True)
class MeshInfo:
    """Numbers that describe a mesh. Edges, components and volume are those with equal vertices welded."""

    vertices: int
    faces: int
    triangles: int
    quads: int
    larger: int  # faces with five corners or more
    parts: int
    materials: int
    components: int  # connected by shared vertices
    components_by_index: int  # the same before welding
    edges: int
    boundary_edges: int  # with one face
    nonmanifold_edges: int  # with more than two faces
    inconsistent_edges: int  # with two faces that traverse it in the same direction
    closed: bool  # every edge is traversed equally often in both directions
    volume: float | None  # of a closed mesh; negative if its faces look inward
    area: float
    bounds: Floats
    diagonal: float
    cleaning: CleanReport  # the effect of welding exactly equal vertices


class Mesh:
    """Polygons in space. A mesh is immutable, and its arrays are read-only.

    `faces` is an integer array of shape (m, k), or a list of polygons of any sizes. `part` and `material`
    have one number per face, an index into `part_names` and `material_names`. `unit` is the unit of length
    ("m", "mm", ...) and `up` the axis that points up ("y", "z"); both are None if unknown. These are refused,
    with the index of the error: coordinates that are not finite, indices out of range, faces of fewer than
    three corners, a mesh without faces, and vertices that all lie in one point.

    >>> mesh = Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> mesh.face_count, len(mesh.triangles)
    (1, 2)
    """

    __slots__ = (
        "_cleaned",
        "_sha256",
        "_triangle_faces",
        "_triangles",
        "bounds",
        "diagonal",
        "indices",
        "material",
        "material_names",
        "name",
        "offsets",
        "part",
        "part_names",
        "unit",
        "up",
        "vertices",
    )

    vertices: Floats  # (n, 3)
    indices: Indices  # the corners of all faces, one face after the other
    offsets: Indices  # face f has the corners indices[offsets[f]:offsets[f + 1]]
    part: Indices | None
    material: Indices | None
    part_names: tuple[str, ...]
    material_names: tuple[str, ...]
    name: str | None
    unit: str | None
    up: str | None
    bounds: Floats  # (2, 3): lowest and highest corner of the used vertices
    diagonal: float  # of these bounds

    def __init__(
        self,
        vertices: npt.ArrayLike,
        faces: npt.ArrayLike | Sequence[Sequence[int]],
        *,
        part: npt.ArrayLike | None = None,
        material: npt.ArrayLike | None = None,
        part_names: Iterable[str] = (),
        material_names: Iterable[str] = (),
        name: str | None = None,
        unit: str | None = None,
        up: str | None = None,
    ) -> None:
        who = name or "mesh"
        self._fill(
            _points(vertices, who),
            *_polygons(faces, who),
            part=part,
            material=material,
            part_names=part_names,
            material_names=material_names,
            name=name,
            unit=unit,
            up=up,
        )

    def _fill(
        self,
        vertices: Floats,
        indices: Indices,
        offsets: Indices,
        *,
        part: npt.ArrayLike | None,
        material: npt.ArrayLike | None,
        part_names: Iterable[str],
        material_names: Iterable[str],
        name: str | None,
        unit: str | None,
        up: str | None,
    ) -> None:
        who = name or "mesh"
        if unit is not None and unit not in METRES:
            raise InputError(f"{who}: unknown unit {unit!r}. Known: {', '.join(METRES)}, or None.")
        if up is not None and up not in UPS:
            raise InputError(f"{who}: unknown up axis {up!r}. Known: {', '.join(UPS)}, or None.")
        checked = _call(_core.check_mesh, vertices, indices, offsets, _utf8(who))
        count = len(offsets) - 1
        names = {"part": tuple(part_names), "material": tuple(material_names)}
        self._keep(
            vertices,
            indices,
            offsets,
            checked,
            part=_ids(part, names["part"], count, f"{who}: part"),
            material=_ids(material, names["material"], count, f"{who}: material"),
            part_names=names["part"],
            material_names=names["material"],
            name=name,
            unit=unit,
            up=up,
        )

    def _keep(
        self,
        vertices: Floats,
        indices: Indices,
        offsets: Indices,
        checked: Checked,
        *,
        part: Indices | None,
        material: Indices | None,
        part_names: Iterable[str],
        material_names: Iterable[str],
        name: str | None,
        unit: str | None,
        up: str | None,
    ) -> None:
        bounds, diagonal = checked
        values: dict[str, object] = {
            "vertices": _frozen(vertices),
            "indices": _frozen(indices),
            "offsets": _frozen(offsets),
            "part": None if part is None else _frozen(part),
            "material": None if material is None else _frozen(material),
            "part_names": tuple(part_names),
            "material_names": tuple(material_names),
            "name": name,
            "unit": unit,
            "up": up,
            "bounds": _frozen(np.array(bounds)),
            "diagonal": diagonal,
            "_cleaned": {},
            "_triangles": None,
            "_triangle_faces": None,
            "_sha256": None,
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def _from_arrays(cls, vertices: Floats, indices: Indices, offsets: Indices, **known: Any) -> Mesh:
        """Takes over arrays that the core made, not copied; `known` is all else that _fill takes."""
        mesh = cls.__new__(cls)
        mesh._fill(vertices, indices, offsets, **known)
        return mesh

    @classmethod
    def _trusted(
        cls, vertices: Floats, indices: Indices, offsets: Indices, checked: Checked, **known: Any
    ) -> Mesh:
        """Like _from_arrays, of arrays that are known to be sound. `checked` is what `_core.check_mesh`
        gives for them; `part` and `material` are uint32."""
        mesh = cls.__new__(cls)
        mesh._keep(vertices, indices, offsets, checked, **known)
        return mesh

    @property
    def _checked(self) -> Checked:
        return self.bounds, self.diagonal

    @staticmethod
    def of(mesh: MeshLike) -> Mesh:
        """Make a Mesh of a Mesh, a file's path, a trimesh.Trimesh, or `(vertices, faces)`."""
        if isinstance(mesh, Mesh):
            return mesh
        if isinstance(mesh, (str, os.PathLike)):
            from hitbox._formats.read_mesh import load

            return load(mesh)
        if isinstance(mesh, tuple) and len(mesh) == 2:
            return Mesh(*mesh)
        vertices, faces = getattr(mesh, "vertices", None), getattr(mesh, "faces", None)
        if vertices is not None and faces is not None:  # a trimesh, or an object like it
            name = (getattr(mesh, "metadata", None) or {}).get("name")
            return Mesh(np.asarray(vertices), np.asarray(faces), name=name if isinstance(name, str) else None)
        raise InputError(
            f"a {type(mesh).__name__} is not a mesh. Give a hitbox.Mesh, the path of a mesh file, a "
            f"trimesh.Trimesh, or (vertices, faces)."
        )

    @property
    def face_count(self) -> int:
        return len(self.offsets) - 1

    @property
    def triangles(self) -> Indices:
        """All faces as triangles (t, 3) in the order of faces, n - 2 per face of n corners. Computed once."""
        self._triangulate()
        return self._triangles

    @property
    def triangle_faces(self) -> Indices:
        """The face of each of the `triangles`."""
        self._triangulate()
        return self._triangle_faces

    _cleaned: dict[str, tuple[Mesh | None, CleanReport]]  # by `weld`; None: the mesh itself
    _triangles: Indices
    _triangle_faces: Indices
    _sha256: str | None

    def _triangulate(self) -> None:
        if self._triangles is not None:
            return
        counts = np.diff(self.offsets) - 2
        faces = np.repeat(np.arange(self.face_count, dtype=np.uint32), counts)
        triangles = np.asarray(_core.triangulate(self.vertices, self.indices, self.offsets))
        object.__setattr__(self, "_triangle_faces", _frozen(faces))
        object.__setattr__(self, "_triangles", _frozen(triangles))

    @property
    def sha256(self) -> str:
        """The hash of the geometry: vertices, indices and offsets as little-endian bytes, with their
        counts.
        """
        if self._sha256 is None:
            digest = hashlib.sha256()
            for array, kind in ((self.vertices, "<f8"), (self.indices, "<u4"), (self.offsets, "<u4")):
                digest.update(len(array).to_bytes(8, "little"))
                digest.update(np.ascontiguousarray(array, kind).data.cast("B"))
            object.__setattr__(self, "_sha256", digest.hexdigest())
        assert self._sha256 is not None
        return self._sha256

    def clean(self, weld: Literal["exact", "off"] | float | str = "exact") -> tuple[Mesh, CleanReport]:
        """A mesh without unused vertices and, unless `weld="off"`, without equal ones; and a report.

        `weld` may also be a length (`0.001`, `"0.1%"`, `"1mm"`): then a vertex becomes the first
        earlier one within it, so none moves further. Faces keep their number and order; those
        without area are counted, not dropped. Linear in the size of the mesh, and with "exact" or "off"
        done once: the mesh keeps the result.
        """
        if weld not in ("exact", "off"):
            return self._clean("distance", parse_length(weld, self.diagonal, self.unit, name="weld"))
        if weld not in self._cleaned:
            mesh, report = self._clean(str(weld), 0.0)
            self._cleaned[str(weld)] = None if mesh is self else mesh, report
        mesh_or_none, report = self._cleaned[str(weld)]
        return mesh_or_none or self, report

    def _clean(self, weld: str, distance: float) -> tuple[Mesh, CleanReport]:
        vertices, indices, counts = _call(
            _core.clean_mesh,
            self.vertices,
            self.indices,
            self.offsets,
            weld,
            distance,
            _utf8(self.name or "mesh"),
        )
        report = CleanReport(**counts)
        if not report.changed:
            return self, report
        if weld == "distance":  # it moves vertices
            return Mesh._from_arrays(vertices, indices, self.offsets, **self._known()), report
        mesh = Mesh._trusted(vertices, indices, self.offsets, self._checked, **self._known())
        again = replace(report, vertices_before=report.vertices_after, unreferenced=0, welded=0)
        mesh._cleaned[weld] = None, again
        return mesh, report

    def info(self) -> MeshInfo:
        """Return numbers that describe the mesh, and the effect of cleaning. Linear in its size."""
        part = _NO_IDS if self.part is None else self.part
        material = _NO_IDS if self.material is None else self.material
        found, cleaning = _call(_core.mesh_info, self.vertices, self.indices, self.offsets, part, material)
        found["bounds"] = _frozen(np.array(found["bounds"]))
        return MeshInfo(**found, cleaning=CleanReport(**cleaning))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Mesh is immutable: {name} cannot be set. Make a new one.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Mesh is immutable: {name} cannot be deleted.")

    def __eq__(self, other: object) -> bool:
        """Same geometry (bit by bit), parts, materials and names."""
        if not isinstance(other, Mesh):
            return NotImplemented
        own, others = self._state(), other._state()
        return all(
            np.array_equal(a, b) if isinstance(a, np.ndarray) else a is b or (b is not None and bool(a == b))
            for a, b in zip(own, others, strict=True)
        )

    def _state(self) -> tuple[Any, ...]:
        ids = tuple(None if a is None else a.tobytes() for a in (self.part, self.material))
        names = (self.part_names, self.material_names, self.name, self.unit, self.up)
        return (self.vertices, self.indices, self.offsets, ids, *names)

    def __hash__(self) -> int:
        return hash((self.sha256, self.name))

    def __reduce__(self) -> tuple[Callable[..., Mesh], tuple[object, ...]]:
        return _rebuild, (self.vertices, self.indices, self.offsets, self._known())

    def _known(self) -> dict[str, Any]:
        """The properties besides the geometry."""
        names = ("part", "material", "part_names", "material_names", "name", "unit", "up")
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        name = f"{self.name!r}: " if self.name else ""
        return (
            f"<Mesh {name}{self.face_count:,} faces, {len(self.vertices):,} vertices, "
            f"diagonal {self.diagonal:.4g}{' ' + self.unit if self.unit else ''}>"
        )


MeshLike = Mesh | str | os.PathLike[str] | tuple[npt.ArrayLike, Any] | Any


def _rebuild(vertices: Floats, indices: Indices, offsets: Indices, known: dict[str, Any]) -> Mesh:
    return Mesh._from_arrays(vertices, indices, offsets, **known)


def _call(function: Callable[..., _T], *arguments: object) -> _T:
    """Convert the core's ValueError to an InputError."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise InputError(str(error)) from None


def _utf8(text: str) -> str:
    """Return a valid Unicode text: file names may contain other bytes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _frozen(array: npt.NDArray[Any]) -> Any:
    array.flags.writeable = False
    return array


def _points(vertices: npt.ArrayLike, who: str) -> Floats:
    try:
        if np.iscomplexobj(vertices):  # numpy would drop the imaginary parts
            raise TypeError
        points = np.array(vertices, np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{who}: vertices must be numbers, three per vertex.") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise InputError(f"{who}: vertices have the shape {points.shape}, but must have the shape (n, 3).")
    return points


def _polygons(faces: Any, who: str) -> tuple[Indices, Indices]:
    """Return (indices, offsets) of an array of equal polygons, or of a list of polygons of any sizes."""
    if not isinstance(faces, np.ndarray):
        if not isinstance(faces, Iterable):
            raise InputError(f"{who}: faces are {faces!r}, but must be an array or a list of polygons.")
        faces = list(faces)
        sizes = np.array([_size(face, f, who) for f, face in enumerate(faces)], np.int64)
        if (sizes < 3).any():
            f = int(np.argmax(sizes < 3))
            raise InputError(f"{who}: face {f} has {sizes[f]} corners, but must have 3 or more.")
        try:
            if len(sizes) and (sizes != sizes[0]).any():
                flat: Any = np.concatenate([np.asarray(face) for face in faces])
                return _whole(flat, sizes, who), _offsets(sizes, who)
            faces = np.array(faces)
        except InputError:
            raise
        except ValueError:  # lists within lists of different sizes
            raise InputError(f"{who}: faces must be lists of vertex indices.") from None
    if faces.size == 0:
        raise InputError(f"{who}: the mesh has no faces. Give at least one.")
    if faces.ndim != 2:
        raise InputError(
            f"{who}: faces have the shape {faces.shape}, but must have the shape (m, k), or be a "
            f"list of polygons."
        )
    sizes = np.full(faces.shape[0], faces.shape[1], np.int64)
    return _whole(faces.reshape(-1), sizes, who), _offsets(sizes, who)


def _size(face: Any, f: int, who: str) -> int:
    try:
        return len(face)
    except TypeError:
        raise InputError(f"{who}: face {f} is {face!r}, but must be a list of vertex indices.") from None


def _offsets(sizes: npt.NDArray[np.int64], who: str) -> Indices:
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] >= 2**32:
        raise InputError(f"{who}: more than 2^32 face corners. Split the mesh.")
    return offsets.astype(np.uint32)


def _whole(indices: npt.NDArray[Any], sizes: npt.NDArray[np.int64], who: str) -> Indices:
    if indices.dtype.kind not in "iu":
        raise InputError(f"{who}: faces hold {indices.dtype.name} values, but must hold whole numbers.")
    wrong = (indices < 0) | (indices > 0xFFFFFFFF)
    if wrong.any():
        k = int(np.argmax(wrong))
        f = int(np.searchsorted(np.cumsum(sizes), k, side="right"))
        raise InputError(
            f"{who}: face {f} uses vertex {indices[k]}, but indices go from 0 to the number of "
            f"vertices less one."
        )
    return np.array(indices, np.uint32)


def _ids(ids: npt.ArrayLike | None, names: tuple[str, ...], count: int, what: str) -> Indices | None:
    """Check ids: one number per face, each with a name."""
    if ids is None:
        return None
    array = np.asarray(ids)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise InputError(f"{what} must be one whole number per face, {count} in all.")
    if array.min() < 0 or array.max() >= len(names):
        f = int(np.argmax((array < 0) | (array >= len(names))))
        raise InputError(f"{what} of face {f} is {array[f]}, but there are {len(names)} names.")
    if array.dtype != np.uint32 or array.flags.writeable:
        array = array.astype(np.uint32)
    return _frozen(array)  # type: ignore[no-any-return]
