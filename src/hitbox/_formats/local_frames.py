"""Named objects, local frames and meshes of a collider, shared by the writers of several formats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hitbox._base.errors import InputError
from hitbox._model.collider import Collider, Label
from hitbox._model.shapes import (
    Box,
    Capsule,
    Cylinder,
    FloatArray,
    Frustum,
    Hull,
    IndexArray,
    Prism,
    Rotation,
    Shape,
    Sphere,
    Vector,
)

_NO_TURN: Rotation = (0.0, 0.0, 0.0, 1.0)
_ORIGIN: Vector = (0.0, 0.0, 0.0)


def object_names(collider: Collider) -> list[str]:
    """Return one name per shape, all different: its own, or its kind and a number (box_000)."""
    seen: Counter[str] = Counter()
    taken = {label.name for label in collider.labels if label.name}
    names = []
    for shape, label in zip(collider.shapes, collider.labels, strict=True):
        own = label.name
        if own and not seen[own]:
            seen[own] += 1
            names.append(own)
            continue
        stem = own or shape.kind
        while (name := f"{stem}_{seen[stem]:03d}") in taken:
            seen[stem] += 1
        seen[stem] += 1
        taken.add(name)
        names.append(name)
    return names


def finite_mesh(shape: Shape, name: str, segments: int) -> tuple[FloatArray, IndexArray]:
    """Return the shape's mesh. Raise InputError if its coordinates would exceed the range of float64."""
    vertices, triangles = shape.to_mesh(segments)
    if not np.isfinite(vertices).all():
        raise InputError(f"{name} is too large to be written as a mesh. Scale the collider down.")
    return vertices, triangles


def one_mesh(collider: Collider, segments: int = 24) -> tuple[FloatArray, IndexArray]:
    """Combine the meshes of all shapes."""
    named = zip(collider.shapes, object_names(collider), strict=True)
    meshes = [finite_mesh(shape, name, segments) for shape, name in named]
    first = np.cumsum([0] + [len(vertices) for vertices, _ in meshes]).astype(np.uint32)
    triangles = [each + first[k] for k, (_, each) in enumerate(meshes)]
    return np.vstack([vertices for vertices, _ in meshes]), np.vstack(triangles)


def tip_at_end(shape: Shape) -> Shape:
    """Reverse a frustum whose start is the narrower end, because cones have their tip at +axis."""
    if isinstance(shape, Frustum) and shape.radius_start < shape.radius_end:
        return Frustum(shape.end, shape.start, shape.radius_end, shape.radius_start)
    return shape


def extras_of(shape: Shape, label: Label) -> dict[str, str]:
    """Return the data of a shape for a format that can store it."""
    known = {"kind": shape.kind, "name": label.name, "part": label.part, "material": label.material}
    return {key: value for key, value in known.items() if value is not None}


def label_of(extras: object) -> Label:
    """Read the label from the data of `extras_of`. Values that are missing or not text become None."""
    found = extras if isinstance(extras, Mapping) else {}
    texts = {key: text for key, text in found.items() if isinstance(text, str)}
    return Label(texts.get("name"), texts.get("part"), texts.get("material"))


def local_and_pose(shape: Shape, axis: str = "y") -> tuple[Shape, Rotation, Vector]:
    """Return the shape centred at the origin, with a round shape's axis along y or z, and the rotation and
    translation that place it.
    """
    if isinstance(shape, Box | Prism):
        return replace(shape, center=_ORIGIN, rotation=_NO_TURN), shape.rotation, shape.center
    if isinstance(shape, Sphere):
        return replace(shape, center=_ORIGIN), _NO_TURN, shape.center
    if isinstance(shape, Hull):
        middle = shape.bounds.mean(axis=0)
        return Hull._trusted(shape.vertices - middle, shape.triangles), _NO_TURN, _vector(middle)
    return _along(shape, axis)


def _along(shape: Capsule | Cylinder | Frustum, axis: str) -> tuple[Shape, Rotation, Vector]:
    start, end = np.array(shape.start), np.array(shape.end)
    half = math.hypot(*(end - start)) / 2  # squares of large coordinates would overflow
    along = np.eye(3)["xyz".index(axis)]
    local = replace(shape, start=_vector(-half * along), end=_vector(half * along))
    direction = _vector((end - start) / (2 * half) if half > 0 else along)
    turn = _turn_from_z(direction) if axis == "z" else _turn_from_y(direction)
    return local, turn, _vector((start + end) / 2)


def _turn_from_z(d: Vector) -> Rotation:
    """Return a rotation from z to `d`, as from y with permuted axes: z is y there, x is z, and y is x."""
    x, y, z = d
    a, b, c, w = _turn_from_y((y, z, x))
    return c, a, b, w


def _turn_from_y(d: Vector) -> Rotation:
    """Return a rotation from y to the unit vector `d`."""
    x, y, z = d
    if y < 0:  # first half a turn about x, which maps y to -y, because the formula below is inexact near -y
        a, _, c, w = _turn_from_y((-x, -y, -z))
        return w, c, 0.0, 0.0 - a
    a, c, w = z, 0.0 - x, 1 + y
    length = math.sqrt(a * a + c * c + w * w)
    return a / length, 0.0, c / length, w / length


def _vector(values: FloatArray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
