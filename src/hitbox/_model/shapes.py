"""The seven convex shapes: frozen values with volume, bounds, distances and mesh.

A `rotation` is a unit quaternion (x, y, z, w). Everything is float64; points are arrays of shape
(n, 3). The core does the geometry. The constructors check their arguments; a hull that the core returns is
convex by construction and is not checked again (`Hull._trusted`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._native import _core

FloatArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.uint32]
Vector: TypeAlias = tuple[float, float, float]
Rotation: TypeAlias = tuple[float, float, float, float]

_NO_TRIANGLES: IndexArray = np.zeros((0, 3), np.uint32)
_MAX_SEGMENTS = 4096
_CONVEX = 1e-6  # fraction of the diagonal: how far a hull's vertex may be above one of its facets
_DENT = 1e-3  # fraction of the diagonal: the most that rounded coordinates may add to _CONVEX
_SMALLEST = 1e-290  # the least extent of a hull whose coordinates are not rounded as denormal numbers
_NEAR = 1e3  # times a hull's extent: within this distance of the origin, rounding cannot dent the hull


def _array(value: object) -> FloatArray:
    """Return `value` as numbers, or an empty array if it contains anything else, also text that looks like
    numbers.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    return array.astype(np.float64) if array.dtype.kind in "iuf" else np.empty(0)


def _numbers(shape: str, field: str, value: object, count: int) -> tuple[float, ...]:
    array = _array(value)
    if array.shape != (count,):
        raise InputError(f"{shape}: {field} must be {count} numbers, not {value!r}.")
    if not np.isfinite(array).all():
        raise InputError(f"{shape}: {field} must be finite, not {value!r}.")
    return tuple(float(x) + 0.0 for x in array)  # + 0.0: no negative zero


def _number(shape: str, field: str, value: object, *, may_be_zero: bool = False) -> float:
    (number,) = _numbers(shape, field, (value,) if np.ndim(value) == 0 else value, 1)  # type: ignore[arg-type]
    if number < 0 or (number == 0 and not may_be_zero):
        allowed = "0 or more" if may_be_zero else "positive"
        raise InputError(f"{shape}: {field} must be {allowed}, not {value!r}.")
    return number


def _unit_quaternion(where: str, value: object) -> Rotation:
    rotation = _numbers(where, "rotation", value, 4)
    length = math.sqrt(sum(x * x for x in rotation))
    if abs(length - 1) > 1e-6:
        raise InputError(f"{where}: rotation must be a unit quaternion, not one of length {length:g}.")
    # A length of 1 up to rounding is kept: normalising would change it on each load.
    if abs(length - 1) > 1e-15:
        rotation = tuple(x / length for x in rotation)
    return rotation[0], rotation[1], rotation[2], rotation[3]


def _rows(what: str, value: object) -> FloatArray:
    array = _array(value)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{what} must be an array of shape (n, 3), not {array.shape}.")
    return np.ascontiguousarray(array)


class _Shape:
    """The common part of all seven shapes."""

    kind: ClassVar[str]

    @property
    def params(self) -> FloatArray:
        """The numbers of the shape in the order of its fields, as the core expects them."""
        return np.hstack([np.ravel(getattr(self, f.name)) for f in fields(self)]).astype(np.float64)  # type: ignore[arg-type]

    @property
    def _crossing(self) -> tuple[str, FloatArray, IndexArray]:
        return self.kind, self.params, _NO_TRIANGLES

    @property
    def volume(self) -> float:
        return float(_core.shape_volume(*self._crossing))

    @property
    def area(self) -> float:
        return float(_core.shape_area(*self._crossing))

    @property
    def nbytes(self) -> int:
        """The bytes in an engine: 32-bit floats, and 16-bit indices for a hull (paper 1, Table 1)."""
        return int(_core.shape_nbytes(*self._crossing))

    @property
    def bounds(self) -> FloatArray:
        """The tight axis-aligned box, as (low, high)."""
        return np.asarray(_core.shape_bounds(*self._crossing))

    def signed_distance(self, points: npt.ArrayLike) -> FloatArray:
        """Return the exact distance of each point from the surface, negative inside."""
        return np.asarray(_core.shape_signed_distance(*self._crossing, _rows("points", points)))

    def contains(self, points: npt.ArrayLike, margin: float = 0.0) -> npt.NDArray[np.bool_]:
        """Return which points lie inside, or outside by at most `margin`."""
        return self.signed_distance(points) <= margin

    def support(self, directions: npt.ArrayLike) -> FloatArray:
        """Return the point of the shape that is furthest along each direction."""
        return np.asarray(_core.shape_support(*self._crossing, _rows("directions", directions)))

    def to_mesh(self, segments: int = 24) -> tuple[FloatArray, IndexArray]:
        """Return closed, outward triangles around the shape: (vertices, triangles).

        Round shapes get `segments` sides that touch the shape from outside, so the mesh encloses the shape.
        """
        if not 3 <= segments <= _MAX_SEGMENTS:
            raise InputError(f"to_mesh: segments must be from 3 to {_MAX_SEGMENTS}, not {segments!r}.")
        vertices, triangles = _core.shape_to_mesh(*self._crossing, int(segments))
        return np.asarray(vertices), np.asarray(triangles)

    def grown(self, by: float) -> Shape:
        """Return a shape of the same kind that contains everything within `by` of this one."""
        by = _number("grown", "by", by, may_be_zero=True)
        return shape_from_params(*_core.shape_grown(*self._crossing, by))

    def padded(self, by: float, least: float = 0.0) -> Shape:
        """Return the shape grown by `by`, or with its sides moved in if `by` is negative.

        A negative value is for engines that put a margin around each shape. It makes no half extent or radius
        smaller than `least`, and does not change those that already are.
        """
        (by,) = _numbers("padded", "by", (by,), 1)
        least = _number("padded", "least", least, may_be_zero=True)
        return shape_from_params(*_core.shape_padded(*self._crossing, by, least))

    def transformed(
        self,
        rotation: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        scale: float = 1.0,
    ) -> Shape:
        """Return the shape mapped by x -> scale * rotate(x) + translation."""
        turn = _unit_quaternion("transformed", rotation)
        move = _numbers("transformed", "translation", translation, 3)
        factor = _number("transformed", "scale", scale)
        return shape_from_params(*_core.shape_transformed(*self._crossing, turn, move, factor))

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Box(_Shape):
    """An oriented box. `half_extents` are half its sides along its own axes."""

    kind: ClassVar[str] = "box"
    center: Vector
    rotation: Rotation
    half_extents: Vector

    def __post_init__(self) -> None:
        half_extents = _numbers("box", "half_extents", self.half_extents, 3)
        if min(half_extents) <= 0:
            raise InputError(f"box: half_extents must be positive, not {self.half_extents!r}.")
        self._set(
            center=_numbers("box", "center", self.center, 3),
            rotation=_unit_quaternion("box", self.rotation),
            half_extents=half_extents,
        )


@dataclass(frozen=True)
class Sphere(_Shape):
    kind: ClassVar[str] = "sphere"
    center: Vector
    radius: float

    def __post_init__(self) -> None:
        self._set(
            center=_numbers("sphere", "center", self.center, 3),
            radius=_number("sphere", "radius", self.radius),
        )


@dataclass(frozen=True)
class Capsule(_Shape):
    """All points within `radius` of the segment from `start` to `end`, which may be one point."""

    kind: ClassVar[str] = "capsule"
    start: Vector
    end: Vector
    radius: float

    def __post_init__(self) -> None:
        self._set(
            start=_numbers("capsule", "start", self.start, 3),
            end=_numbers("capsule", "end", self.end, 3),
            radius=_number("capsule", "radius", self.radius),
        )


def _axis(shape: str, start: object, end: object) -> dict[str, tuple[float, ...]]:
    ends = {"start": _numbers(shape, "start", start, 3), "end": _numbers(shape, "end", end, 3)}
    if ends["start"] == ends["end"]:
        raise InputError(f"{shape}: start and end must be two points, but both are {ends['start']}.")
    return ends


@dataclass(frozen=True)
class Cylinder(_Shape):
    """A capped cylinder. `start` and `end` are the centres of its discs."""

    kind: ClassVar[str] = "cylinder"
    start: Vector
    end: Vector
    radius: float

    def __post_init__(self) -> None:
        radius = _number("cylinder", "radius", self.radius)
        self._set(**_axis("cylinder", self.start, self.end), radius=radius)


@dataclass(frozen=True)
class Frustum(_Shape):
    """A truncated cone, whose discs have the centres `start` and `end`. One radius may be 0."""

    kind: ClassVar[str] = "frustum"
    start: Vector
    end: Vector
    radius_start: float
    radius_end: float

    def __post_init__(self) -> None:
        radii = {
            "radius_start": _number("frustum", "radius_start", self.radius_start, may_be_zero=True),
            "radius_end": _number("frustum", "radius_end", self.radius_end, may_be_zero=True),
        }
        if max(radii.values()) == 0:
            raise InputError("frustum: radius_start and radius_end must not both be 0.")
        self._set(**_axis("frustum", self.start, self.end), **radii)

    @property
    def is_cone(self) -> bool:
        return min(self.radius_start, self.radius_end) == 0


@dataclass(frozen=True)
class Prism(_Shape):
    """An isosceles trapezoidal prism: |x| <= half_x, |y| <= half_y, and |z| <= the line from
    `half_bottom` at y = -half_y to `half_top` at y = +half_y. One of these two may be 0."""

    kind: ClassVar[str] = "prism"
    center: Vector
    rotation: Rotation
    half_x: float
    half_y: float
    half_top: float
    half_bottom: float

    def __post_init__(self) -> None:
        widths = {
            "half_top": _number("prism", "half_top", self.half_top, may_be_zero=True),
            "half_bottom": _number("prism", "half_bottom", self.half_bottom, may_be_zero=True),
        }
        if max(widths.values()) == 0:
            raise InputError("prism: half_top and half_bottom must not both be 0.")
        self._set(
            center=_numbers("prism", "center", self.center, 3),
            rotation=_unit_quaternion("prism", self.rotation),
            half_x=_number("prism", "half_x", self.half_x),
            half_y=_number("prism", "half_y", self.half_y),
            **widths,
        )


@dataclass(frozen=True, eq=False)
class Hull(_Shape):
    """A convex hull: its corners, and the triangles between them, counter-clockwise seen from outside."""

    kind: ClassVar[str] = "hull"
    vertices: FloatArray
    triangles: IndexArray

    def __post_init__(self) -> None:
        vertices = _rows("hull: vertices", self.vertices).copy()
        if not np.isfinite(vertices).all():
            raise InputError("hull: vertices must be finite.")
        triangles = _checked_triangles(self.triangles, len(vertices))
        fault = hull_fault(vertices, triangles)
        if fault == "open":
            raise InputError("hull: triangles must close the surface, each edge used once in each direction.")
        if fault:
            raise InputError("hull: the surface must be convex, triangles counter-clockwise from outside.")
        vertices += 0.0
        vertices.flags.writeable = triangles.flags.writeable = False
        self._set(vertices=vertices, triangles=triangles)

    @classmethod
    def _trusted(cls, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> Hull:
        """A hull that the core made, or a checked hull that was moved: its convexity is not checked again.

        Only rounding can break such a hull, and only where its coordinates are large beside its extent. The
        constructor checks those, and the ones that overflowed.
        """
        own = np.asarray(vertices, np.float64) + 0.0
        corners = np.array(triangles, np.uint32)
        low, high = own.min(axis=0).tolist(), own.max(axis=0).tolist()
        extent = max(b - a for a, b in zip(low, high, strict=True))
        reach = max(*high, *(-x for x in low))
        if not (reach <= _NEAR * extent < math.inf and extent > _SMALLEST and len(corners)):
            return cls(own, corners)
        hull = cls.__new__(cls)
        own.flags.writeable = corners.flags.writeable = False
        hull._set(vertices=own, triangles=corners)
        return hull

    @classmethod
    def _around(cls, points: FloatArray) -> Hull | None:
        """Return the convex hull of `points`, or None if they lie in one plane."""
        vertices, triangles, _, dimension = _core.convex_hull(points)
        return None if dimension < 3 else cls._trusted(vertices, triangles)

    @property
    def params(self) -> FloatArray:
        return self.vertices.ravel()

    @property
    def _crossing(self) -> tuple[str, FloatArray, IndexArray]:
        return self.kind, self.params, self.triangles

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hull):
            return NotImplemented
        same_vertices = np.array_equal(self.vertices, other.vertices)
        return same_vertices and np.array_equal(self.triangles, other.triangles)

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.triangles.tobytes()))

    def __repr__(self) -> str:
        return f"Hull({len(self.vertices)} vertices, {len(self.triangles)} triangles)"


def _checked_triangles(value: object, vertex_count: int) -> IndexArray:
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] != 3 or not len(array) or array.dtype.kind not in "iu":
        raise InputError("hull: triangles must be an array of whole numbers of shape (n, 3), n at least 1.")
    if array.min() < 0 or array.max() >= vertex_count:
        worst = int(array.min() if array.min() < 0 else array.max())
        raise InputError(f"hull: triangles use vertex {worst}, but there are {vertex_count} vertices.")
    return np.array(array, np.uint32, order="C")


def hull_fault(vertices: FloatArray, triangles: npt.NDArray[np.integer[Any]]) -> str | None:
    """Return why the triangles are not those of a hull, "open" or "not convex", or None if they are."""
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    keys = np.sort(sides[:, 0] * len(vertices) + sides[:, 1])
    twins = np.sort(sides[:, 1] * len(vertices) + sides[:, 0])
    if not len(keys) or (np.diff(keys) == 0).any() or not np.array_equal(keys, twins):
        return "open"
    local = vertices - vertices.mean(axis=0)
    diagonal = float(np.linalg.norm(np.ptp(local, axis=0)))
    a, b, c = (local[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    base = np.sqrt(np.max([np.sum(e * e, axis=1) for e in (b - a, c - b, a - c)], axis=0))
    real = lengths > 1e-9 * diagonal * base  # the normal of a sliver is meaningless
    height = lengths[real] / base[real]
    normals = normals[real] / lengths[real, None]
    offsets = np.einsum("ij,ij->i", normals, a[real])
    # A facet's plane is as inexact as its corners, and more so far away from a narrow facet.
    allowed = _CONVEX * diagonal + _rounding(vertices) * (1 + diagonal / height)
    offsets += np.minimum(allowed, _DENT * diagonal)
    for first in range(0, len(normals), 256):
        some = slice(first, first + 256)
        if (local @ normals[some].T > offsets[some]).any():
            return "not convex"
    return None


def _rounding(vertices: FloatArray) -> float:
    """Return the possible error of coordinates: engines and other tools store them in 32 bits."""
    with np.errstate(over="ignore", under="ignore"):
        single = bool((vertices == vertices.astype(np.float32)).all())
    return float(np.abs(vertices).max()) * (2.0**-23 if single else 2.0**-50)


Shape: TypeAlias = Union[Box, Sphere, Capsule, Cylinder, Frustum, Prism, Hull]  # noqa: UP007

_CLASSES: tuple[type[Any], ...] = (Box, Sphere, Capsule, Cylinder, Frustum, Prism, Hull)
CLASS_OF_KIND: dict[str, type[Any]] = {shape.kind: shape for shape in _CLASSES}
KINDS: tuple[str, ...] = tuple(CLASS_OF_KIND)

# The colours of the figures of paper 1: red, green, blue from 0 to 1, in sRGB.
COLORS: dict[str, tuple[float, float, float]] = {
    "box": (0.36, 0.70, 0.38),
    "sphere": (0.49, 0.78, 0.93),
    "capsule": (0.85, 0.30, 0.28),
    "cylinder": (0.96, 0.80, 0.26),
    "frustum": (0.98, 0.71, 0.45),
    "prism": (0.17, 0.28, 0.58),
    "hull": (0.62, 0.64, 0.66),
}


def least_half_extent(diagonal: float) -> float:
    """Return the smallest half extent or radius of a shape, for a mesh of this diagonal."""
    return float(_core.least_half_extent(diagonal))


def shape_from_params(kind: str, params: npt.ArrayLike, triangles: npt.ArrayLike | None = None) -> Shape:
    """Make the shape that the core returned as `kind`, `params` and the `triangles` of a hull."""
    if kind not in CLASS_OF_KIND:
        raise InputError(f"unknown kind {kind!r}. Known: {', '.join(KINDS)}.")
    values = np.asarray(params, np.float64)
    if kind == "hull":
        return Hull._trusted(values.reshape(-1, 3), () if triangles is None else triangles)
    made: list[object] = []
    next_value = 0
    for size in _SIZES[kind]:
        part = values[next_value : next_value + size]
        made.append(part if size > 1 else part[0])
        next_value += size
    shape: Shape = CLASS_OF_KIND[kind](*made)
    return shape


# The number of values of each field.
_SIZES: dict[str, tuple[int, ...]] = {
    "box": (3, 4, 3),
    "sphere": (3, 1),
    "capsule": (3, 3, 1),
    "cylinder": (3, 3, 1),
    "frustum": (3, 3, 1, 1),
    "prism": (3, 4, 1, 1, 1, 1),
}
