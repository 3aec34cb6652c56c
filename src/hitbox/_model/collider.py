"""Collider: an immutable sequence of convex shapes, with their origin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS, parse_length
from hitbox._model import convex_parts as pieces
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.shapes import COLORS, KINDS, FloatArray, IndexArray, Shape, _Shape, least_half_extent

if TYPE_CHECKING:
    import trimesh

    from hitbox._formats.export import ExportReport
    from hitbox._model.space import NavigableSpace

Extra: TypeAlias = Mapping[str, Any]
T = TypeVar("T")

_NOTHING: Extra = MappingProxyType({})


@dataclass(frozen=True)
class Source:
    """The mesh that a collider was made from. `extra` keeps unknown keys of a file."""

    name: str | None = None
    sha256: str | None = None  # hash of the geometry
    faces: int | None = None
    diagonal: float | None = None
    extra: Extra = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Method:
    """The verb that made a collider, and its options. `seconds` is not saved: same input, same bytes."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = field(default=None, compare=False)
    extra: Extra = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Status:
    """Whether the method reached everything that was requested. The notes say what it did not reach, and
    why.
    """

    complete: bool = True
    notes: tuple[str, ...] = ()
    extra: Extra = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Label:
    """The properties of one shape besides its geometry: its name, part, material, and the input faces it
    owns.
    """

    name: str | None = None
    part: str | None = None
    material: str | None = None
    faces: IndexArray | None = None
    extra: Extra = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.faces is not None:
            if _is_frozen(self.faces):
                return
            faces = np.array(self.faces)
            if faces.ndim != 1 or (faces.size and (faces.dtype.kind not in "iu" or faces.min() < 0)):
                raise InputError("collider: faces must be whole numbers, 0 or more.")
            owned = faces.astype(np.uint32)
            owned.flags.writeable = False
            object.__setattr__(self, "faces", owned)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Label):
            return NotImplemented
        if (self.faces is None) != (other.faces is None):
            return False
        same = (self.name, self.part, self.material) == (other.name, other.part, other.material)
        faces_same = self.faces is None or np.array_equal(self.faces, other.faces)  # type: ignore[arg-type]
        return same and faces_same and dict(self.extra) == dict(other.extra)

    def __hash__(self) -> int:
        return hash((self.name, self.part, self.material))


def _is_frozen(faces: object) -> bool:
    """Return whether `faces` is a read-only array of face numbers. Labels share it."""
    if not isinstance(faces, np.ndarray) or faces.ndim != 1 or faces.dtype != np.uint32:
        return False
    owner: object = faces
    while isinstance(owner, np.ndarray):  # a slice of an array that can be written to is not frozen
        if owner.flags.writeable:
            return False
        owner = owner.base
    return True


def labels_of(mesh: Mesh, faces: IndexArray, offsets: IndexArray) -> list[Label]:
    """Return labels for shapes that own these faces. A shape has a part or material if all its faces
    agree.
    """
    faces.flags.writeable = False  # the labels share it
    parts = _common_name(mesh.part, mesh.part_names, faces, offsets)
    materials = _common_name(mesh.material, mesh.material_names, faces, offsets)
    return [
        Label(part=part, material=material, faces=faces[offsets[k] : offsets[k + 1]])
        for k, (part, material) in enumerate(zip(parts, materials, strict=True))
    ]


def _common_name(
    ids: IndexArray | None, names: tuple[str, ...], faces: IndexArray, offsets: IndexArray
) -> list[str | None]:
    if ids is None:
        return [None] * (len(offsets) - 1)
    of_face = ids[faces]
    low = np.minimum.reduceat(of_face, offsets[:-1])
    high = np.maximum.reduceat(of_face, offsets[:-1])
    return [(names[a] or None) if a == b else None for a, b in zip(low, high, strict=True)]


class Collider(Sequence[Shape]):
    """An immutable sequence of convex shapes.

    `labels` has one entry per shape: its name, part, material and owned input faces. `unit` is a word such as
    "m" or "mm", and `up` is "x", "y" or "z"; both may be None if they are unknown. `space` is the navigable
    space that `carve` kept open; no file keeps it, use `space.save`.

    >>> from hitbox._model.shapes import Sphere
    >>> Collider([Sphere((0, 0, 0), 1)]).counts
    {'sphere': 1}
    """

    __slots__ = (
        "_shapes", "extra", "generator", "labels", "method", "name", "source", "space", "status", "unit",
        "up",
    )  # fmt: skip
    labels: tuple[Label, ...]
    source: Source | None
    method: Method | None
    status: Status
    name: str
    unit: str | None
    up: str | None
    generator: str | None
    extra: Extra
    space: NavigableSpace | None

    def __init__(
        self,
        shapes: Iterable[Shape],
        *,
        labels: Iterable[Label] | None = None,
        source: Source | None = None,
        method: Method | None = None,
        status: Status | None = None,
        name: str = "",
        unit: str | None = None,
        up: str | None = None,
        generator: str | None = None,
        extra: Extra = _NOTHING,
        space: NavigableSpace | None = None,
    ) -> None:
        kept = tuple(shapes)
        for k, shape in enumerate(kept):
            if not isinstance(shape, _Shape):
                known = ", ".join(KINDS)
                raise InputError(f"collider: shape {k} is a {type(shape).__name__}, not one of {known}.")
        if not kept:
            raise InputError("collider: there must be at least one shape.")
        kept_labels = tuple(labels) if labels is not None else (Label(),) * len(kept)
        if len(kept_labels) != len(kept):
            raise InputError(f"collider: {len(kept_labels)} labels for {len(kept)} shapes.")
        if up is not None and up not in UPS:
            raise InputError(f"collider: up must be one of {', '.join(UPS)} or None, not {up!r}.")
        values = {
            "_shapes": kept, "labels": kept_labels, "source": source, "method": method,
            "status": status or Status(), "name": name, "unit": unit, "up": up,
            "generator": generator, "extra": extra, "space": space,
        }  # fmt: skip
        for key, value in values.items():
            object.__setattr__(self, key, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Collider cannot be changed: make a new one with another {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        from hitbox._formats import collider_json

        return collider_json.read, (collider_json.write(self, faces=True), "pickle")

    @property
    def shapes(self) -> tuple[Shape, ...]:
        return self._shapes  # type: ignore[attr-defined, no-any-return]

    def __len__(self) -> int:
        return len(self.shapes)

    @overload
    def __getitem__(self, index: int) -> Shape: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Shape, ...]: ...
    def __getitem__(self, index: int | slice) -> Shape | tuple[Shape, ...]:
        return self.shapes[index]

    def __iter__(self) -> Iterator[Shape]:
        return iter(self.shapes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Collider):
            return NotImplemented
        compared = set(self.__slots__) - {"extra", "generator"}
        return all(getattr(self, key) == getattr(other, key) for key in compared)

    def __hash__(self) -> int:
        return hash(self.shapes)

    @property
    def counts(self) -> dict[str, int]:
        """The number of shapes of each kind."""
        kinds = [shape.kind for shape in self.shapes]
        return {kind: kinds.count(kind) for kind in KINDS if kind in kinds}

    @property
    def nbytes(self) -> int:
        """The bytes of all shapes in an engine (paper 1, Table 1)."""
        return sum(shape.nbytes for shape in self.shapes)

    @property
    def volume(self) -> float:
        """The sum of the shapes' volumes. Space in two shapes counts twice."""
        return sum(shape.volume for shape in self.shapes)

    @property
    def area(self) -> float:
        """The sum of the shapes' areas, including parts inside other shapes."""
        return sum(shape.area for shape in self.shapes)

    @property
    def bounds(self) -> FloatArray:
        """The axis-aligned box around all shapes, as (low, high)."""
        each = np.array([shape.bounds for shape in self.shapes])
        return np.array([each[:, 0].min(axis=0), each[:, 1].max(axis=0)])

    def signed_distance(self, points: npt.ArrayLike) -> FloatArray:
        """Return the smallest of the shapes' signed distances: exact outside the union, a bound inside."""
        nearest = self.shapes[0].signed_distance(points)
        for shape in self.shapes[1:]:
            np.minimum(nearest, shape.signed_distance(points), out=nearest)
        return nearest

    def contains(self, points: npt.ArrayLike, margin: float = 0.0) -> npt.NDArray[np.bool_]:
        """Return which points lie in at least one shape, or outside by at most `margin`."""
        return self.signed_distance(points) <= margin

    def transformed(
        self,
        rotation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        scale: float = 1.0,
    ) -> Collider:
        """Return a collider with every shape mapped by x -> scale * rotate(x) + translation."""
        return self._with(shapes=[s.transformed(rotation, translation, scale) for s in self.shapes])

    @property
    def _diagonal(self) -> float:
        """The length that percentages refer to: the diagonal of the input mesh, or the collider's own without
        one.
        """
        own = float(np.linalg.norm(np.subtract(*self.bounds)))
        return (self.source.diagonal if self.source else None) or own

    def padded(self, length: float | str) -> Collider:
        """Return a collider with every side moved out by `length`, or in if it is negative.

        A number is in the collider's units; "1%" is of the diagonal of the mesh it was made from, or of the
        collider's own; "-5mm" is converted to its unit. A padded shape contains everything within `length` of
        the former shape. A negative length is for engines that put a margin around each shape: shape and
        margin together then reach the sides, but not all edges and corners. No shape becomes thinner than
        0.002 % of the diagonal.
        """
        by = parse_length(length, self._diagonal, self.unit, name="padded: length", signed=True)
        least = least_half_extent(self._diagonal)
        return self._with(shapes=[shape.padded(by, least) for shape in self.shapes])

    def save(
        self, path: str | os.PathLike[str], *, format: str | None = None, faces: bool = False,
        mesh: MeshLike | None = None, dynamic: bool = False, density: float = 1000.0,
    ) -> ExportReport:  # fmt: skip
        """Write the collider. The suffix selects the format, unless `format` names one (docs/formats.md).

        `mesh` is written too, as the visible mesh; it may have another unit or up axis if both have one. A
        `dynamic` body has a mass: `density` (kilograms per cubic metre) times the volume of `mesh` if that is
        closed and its parts do not overlap, otherwise of the shapes' union. With `faces` the JSON also lists
        the input faces that each shape owns. Shapes that the format does not have are written as hulls around
        them, and the report lists these. Files appear whole or not at all.
        """
        from hitbox._formats import write_collider
        from hitbox._formats.export import ExportOptions

        shown = None if mesh is None else Mesh.of(mesh)
        options = ExportOptions(faces=faces, dynamic=dynamic, density=density, mesh=shown)
        return write_collider.write(self, path, format, options)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Collider:
        """The collider in a file or a folder, in any format that `save` writes, except Rapier's builders.

        A collider JSON keeps every shape and label. URDF, MJCF, SDFormat, SRDF, cuRobo, USD, glTF with
        physics, Godot and Unity keep the kinds of shapes that they have. A mesh file (OBJ, GLB, STL, PLY,
        ...) gives one hull per part, or per connected component where the file names no parts: round shapes
        come back as the hulls that were written. A folder gives the shapes of all its files.
        """
        from hitbox._formats import read_collider

        return read_collider.load(path)

    @staticmethod
    def of(thing: ColliderLike) -> Collider:
        """Make a Collider of `thing`, wherever its shapes come from.

        A Collider; a path, as `load` takes it; shapes; pieces as (vertices, triangles) or `trimesh.Trimesh`,
        as CoACD and V-HACD return them.

        Pieces become hulls, as they are where they are closed and convex; winding does not matter. Of
        another piece the hull of its vertices is taken, and flat ones are left out: the status says so.
        """
        if isinstance(thing, Collider):
            return thing
        if isinstance(thing, (str, os.PathLike)):
            return Collider.load(thing)
        if isinstance(thing, Mesh) or hasattr(thing, "faces") or pieces.is_pair(thing):
            return _of_parts(pieces.convex_parts_of_mesh(Mesh.of(thing)))
        if isinstance(thing, (bytes, Mapping)) or not isinstance(thing, Iterable):
            raise InputError(
                f"a {type(thing).__name__} is not a collider. Give a hitbox.Collider, the path of one, a "
                f"list of shapes, or a list of (vertices, triangles)."
            )
        return _of_parts(thing)

    def to_hulls(self, segments: int = 24) -> list[tuple[FloatArray, npt.NDArray[np.int32]]]:
        """Return a list of (vertices, triangles), one per shape, as CoACD does. Triangles face outward.

        Round shapes become polyhedra of `segments` sides around them. `Collider.of` takes such a list.
        """
        meshes = [shape.to_mesh(segments) for shape in self.shapes]
        return [(vertices, triangles.astype(np.int32)) for vertices, triangles in meshes]

    def to_trimesh(self, segments: int = 24) -> trimesh.Trimesh:
        """All shapes as one `trimesh.Trimesh`, the shapes' meshes side by side, coloured by kind."""
        try:
            import trimesh
        except ImportError:
            raise InputError("to_trimesh needs the package trimesh: pip install trimesh") from None
        meshes = [shape.to_mesh(segments) for shape in self.shapes]
        first = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
        triangles = [t.astype(np.int64) + first[k] for k, (_, t) in enumerate(meshes)]
        colors = [[*COLORS[shape.kind], 1.0] for shape in self.shapes]
        return trimesh.Trimesh(
            np.vstack([vertices for vertices, _ in meshes]),
            np.vstack(triangles),
            face_colors=np.repeat(colors, [len(t) for t in triangles], axis=0),
            process=False,
        )

    def _with(self, **changes: Any) -> Collider:
        keys = [
            key for key in self.__slots__ if key != "_shapes" and not (key == "space" and "shapes" in changes)
        ]
        return Collider(**({"shapes": self.shapes} | {key: getattr(self, key) for key in keys} | changes))

    def __repr__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        title = f"{self.name!r}: " if self.name else ""
        return f"<Collider {title}{len(self)} shapes ({kinds}), {self.nbytes} bytes>"

    def _repr_html_(self) -> str:
        import html  # importing its table of entities takes a tenth of hitbox's import time

        rows = "".join(
            f'<tr><td><span style="color:{_css(kind)}">&#9632;</span> {kind}</td>'
            f'<td style="text-align:right">{count}</td></tr>'
            for kind, count in self.counts.items()
        )
        notes = "".join(f"<br>{html.escape(note)}" for note in self.status.notes)
        title = html.escape(self.name or "collider")
        return (
            f"<div><b>{title}</b>: {len(self)} shapes, {self.nbytes} bytes{notes}"
            f"<table><tr><th>kind</th><th>shapes</th></tr>{rows}</table></div>"
        )


ColliderLike: TypeAlias = Collider | str | os.PathLike[str] | Iterable[Any] | Any


def _of_parts(things: Iterable[Any], **known: Any) -> Collider:
    """Make a collider of shapes and convex parts. `known` has Collider's other arguments."""
    shapes, names, notes = pieces.shapes_of(things)
    lost = any(note.endswith("left out.") for note in notes)
    labels = [Label(name=name) for name in names]
    return Collider(shapes, labels=labels, status=Status(not lost, tuple(notes)), **known)


def _css(kind: str) -> str:
    return "#" + "".join(f"{round(255 * c):02x}" for c in COLORS[kind])
