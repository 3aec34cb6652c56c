"""Reads the colliders of a USD stage: every prim with PhysicsCollisionAPI. Needs usd-core, the extra `usd`.

Shapes are in the stage's frame. A mesh becomes the hull of its points, whatever its approximation attribute.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES
from hitbox._formats import usd_stage
from hitbox._formats.local_frames import label_of
from hitbox._formats.placement import WRONG_VALUES, Placement, strict_numbers
from hitbox._model.collider import Collider, Label
from hitbox._model.mesh import _utf8
from hitbox._model.shapes import Hull, Shape

_AXES = {"X": 0, "Y": 1, "Z": 2}


def read(path: str) -> Collider | None:
    """Read the collider of a stage; return None if no prim has a collider."""
    try:
        from pxr import Usd, UsdGeom, UsdPhysics
    except ImportError:
        raise InputError('USD files need usd-core: pip install "hitbox[usd]".') from None
    where = _utf8(os.path.basename(path))
    if not os.path.isfile(path):
        raise FileNotFoundError(2, "No such file or directory", path)
    stage = usd_stage.opened(path, where)
    visited = usd_stage.Visited(where)
    shapes: list[Shape] = []
    labels: list[Label] = []
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        visited.add()
        if prim.HasAPI(UsdPhysics.CollisionAPI):
            try:
                with strict_numbers():
                    shapes.append(_shape(prim, UsdGeom))
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            except WRONG_VALUES as error:
                raise InputError(f"{where}: {prim.GetPath()}: cannot be read: {error!r:.80}.") from None
            labels.append(label_of(prim.GetCustomDataByKey("hitbox")))
    if not shapes:
        return None
    top = stage.GetDefaultPrim()
    name = label_of(top.GetCustomDataByKey("hitbox")).name if top else None
    unit, scale = _unit(UsdGeom.GetStageMetersPerUnit(stage))
    collider = Collider(
        shapes, labels=labels, name=name or _utf8(os.path.basename(path).split(".", 1)[0]), unit=unit,
        up=str(UsdGeom.GetStageUpAxis(stage)).lower(),
    )  # fmt: skip
    return collider if scale == 1 else collider.transformed(scale=scale)


def _unit(metres: float) -> tuple[str, float]:
    """Return the name of a unit and 1, or "m" and the length if no unit has this length."""
    for unit, length in METRES.items():
        if abs(length - metres) <= 1e-9 * metres:
            return unit, 1.0
    return "m", metres


def _shape(prim: Any, usd_geom: Any) -> Shape:
    where = str(prim.GetPath())
    place = usd_geom.Xformable(prim).ComputeLocalToWorldTransform(0)
    matrix = np.array(place, np.float64).T  # USD multiplies row vectors
    kind = prim.GetTypeName()

    def value(name: str) -> Any:
        return prim.GetAttribute(name).Get()

    if kind == "Cube":
        return Placement(matrix, where).box([value("size")] * 3)
    if kind == "Sphere":
        return Placement(matrix, where).sphere(value("radius"))
    if kind in ("Capsule", "Cylinder", "Cone"):
        height, radius, axis = value("height"), value("radius"), _AXES[value("axis")]
        if kind == "Capsule":
            return Placement(matrix, where).capsule(height, radius, axis)
        return Placement(matrix, where).frustum(height, radius, 0.0 if kind == "Cone" else radius, axis)
    if kind != "Mesh":
        raise InputError(f"{where}: hitbox does not read a {kind} as a collider.")
    points = np.array(value("points"), np.float64).reshape(-1, 3)
    placed = np.ascontiguousarray(points @ matrix[:3, :3].T + matrix[:3, 3])
    if len(placed) < 4 or not np.isfinite(placed).all():
        raise InputError(f"{where}: the mesh has too few points for a hull, or non-finite ones.")
    hull = Hull._around(placed)
    if hull is None:
        raise InputError(f"{where}: the mesh is flat and has no inside.")
    return hull
