"""Importance: a weight per face for its distance.

The caller gives one weight per face, weights for names of parts and materials, or a direction: faces that
look that way weigh more, faces that look away less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._model.mesh import Floats, Mesh

Towards: TypeAlias = str | tuple[float, float, float]
# The result of `checked`: a direction with a weight, names with weights, or one weight per face.
Importance: TypeAlias = tuple[Towards, float] | Mapping[str, float] | tuple[float, ...]

DIRECTIONS = ("up", "down", *(sign + axis for axis in UPS for sign in "+-"))
DEFAULT_WEIGHT = 4.0  # weight of faces that look straight along a direction
_LISTED = 12  # names listed in a message
_GIVE = "Give one number per face, a dict of part or material names, or a direction such as 'up' or '+z'"


def checked(where: str, value: Any) -> Importance:
    """Return `value` in its plain form, or raise InputError. `of_faces` makes the checks that need the
    mesh.
    """
    if isinstance(value, str):
        value = (value, DEFAULT_WEIGHT)
    if isinstance(value, Mapping):
        if not value:
            raise InputError(f"{where}: the dict is empty. {_GIVE}.")
        return {str(name): checks.weight(f"{where}: {name}", weight) for name, weight in value.items()}
    if _is_direction(value):
        return _direction(where, value[0]), checks.weight(f"{where}: weight", value[1])
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1 or not numbers.size:
        raise InputError(f"{where}: {' '.join(repr(value).split()):.80} is no importance. {_GIVE}.")
    wrong = np.flatnonzero(~((numbers >= checks.LEAST_WEIGHT) & (numbers <= checks.MOST_WEIGHT)))
    if wrong.size:
        checks.weight(f"{where}: face {wrong[0]}", float(numbers[wrong[0]]))
    return tuple(numbers.tolist())


def of_faces(where: str, importance: Importance, mesh: Mesh) -> Floats:
    """Return a positive weight per face of `mesh`, with an area-weighted mean of 1."""
    looks = _vector_areas(mesh)
    areas = np.linalg.norm(looks, axis=1)
    if isinstance(importance, Mapping):
        weights = _by_name(where, importance, mesh)
    elif _is_direction(importance):
        weights = _by_direction(where, importance, mesh, looks / np.where(areas > 0, areas, 1)[:, None])
    else:
        weights = np.array(importance, np.float64)
        if len(weights) != mesh.face_count:
            raise InputError(
                f"{where}: has {len(weights):,} numbers for {mesh.face_count:,} faces. Give one per face."
            )
    mean = np.average(weights, weights=areas) if areas.any() else weights.mean()
    return _rounded(weights / mean)


def _rounded(weights: Floats) -> Floats:
    """Round to 40 bits, because the last digits of areas and their sum depend on the order of corners and
    faces.
    """
    mantissa, exponent = np.frexp(weights)
    return np.asarray(np.ldexp(np.round(mantissa * 2**40), exponent - 40), np.float64)


def _is_direction(value: Any) -> bool:
    """Return whether `value` is a pair whose first item is not a number."""
    return (
        isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], (str, Sequence, np.ndarray))
    )


def _direction(where: str, towards: Any) -> Towards:
    if isinstance(towards, str):
        checks.one_of(where, towards, DIRECTIONS, "direction")
        return towards
    numbers = [checks.number(each) for each in towards]
    if len(numbers) != 3 or not np.isfinite(numbers).all() or not any(numbers):
        raise InputError(f"{where}: {towards!r:.80} is no direction. Give three numbers, not all 0.")
    return (numbers[0], numbers[1], numbers[2])


def _by_direction(where: str, importance: Any, mesh: Mesh, normals: Floats) -> Floats:
    towards, weight = importance
    along = normals @ _unit_vector(where, towards, mesh.up)
    return np.asarray(
        1 + (weight - 1) * np.clip(along, 0, 1) + (1 / weight - 1) * np.clip(-along, 0, 1), np.float64
    )


def _unit_vector(where: str, towards: Towards, up: str | None) -> Floats:
    if not isinstance(towards, str):
        vector = np.array(towards)
        vector /= np.abs(vector).max()
        return np.asarray(vector / np.linalg.norm(vector))
    if towards in ("up", "down"):
        if up is None:
            raise InputError(f"{where}: the mesh has no up axis. Give '+y' or '+z' instead.")
        towards = ("+" if towards == "up" else "-") + up
    sign = -1.0 if towards[0] == "-" else 1.0
    return np.array([sign * (axis == towards[1]) for axis in UPS])


def _by_name(where: str, importance: Mapping[str, float], mesh: Mesh) -> Floats:
    """Return weights by name. A face whose part and material are both named gets both factors."""
    kinds = [(mesh.part, mesh.part_names), (mesh.material, mesh.material_names)]
    known = [name for ids, names in kinds if ids is not None for name in names]
    if not known:
        raise InputError(f"{where}: the mesh has no names of parts or materials. {_GIVE}.")
    weights = np.ones(mesh.face_count)
    for name, weight in importance.items():
        if name not in known:
            first = dict.fromkeys(known[:_LISTED] + ["..."] * (len(known) > _LISTED))
            hint = checks.guess(name, known)
            raise InputError(
                f"{where}: unknown part or material {name!r:.80}.{hint} Known: {', '.join(first)}."
            )
        matches = np.zeros(mesh.face_count, bool)
        for ids, names in kinds:
            if ids is not None and name in names:
                matches |= np.isin(ids, [k for k, other in enumerate(names) if other == name])
        weights[matches] *= weight
    return weights


def _vector_areas(mesh: Mesh) -> Floats:
    """Return the normal of each face times its area, for the mesh scaled to a diagonal of 1."""
    a, b, c = ((mesh.vertices[mesh.triangles[:, k]] - mesh.bounds[0]) / mesh.diagonal for k in range(3))
    crosses = np.cross(b - a, c - a) / 2
    of_face = [np.bincount(mesh.triangle_faces, crosses[:, k], mesh.face_count) for k in range(3)]
    return np.stack(of_face, axis=1)
