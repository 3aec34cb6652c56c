"""Unity: an OBJ for Unity's own importer, a JSON file that describes the colliders, and an import script that
adds the colliders to the model.

Written after Unity's documentation, not tested in Unity. Importers mirror an axis, not all the same. So the
script takes no pose from numbers alone: the object `hitbox_frame` shows where the three axes are. A hull is
the imported mesh itself.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib.resources import files as package_files
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.version import version
from hitbox._formats.export import Export, Item, Target, matrix_of, safe_names
from hitbox._formats.local_frames import extras_of, label_of, local_and_pose
from hitbox._formats.mesh_builder import merged
from hitbox._formats.obj_file import ObjObject, obj_bytes, render_objects
from hitbox._formats.placement import WRONG_VALUES, Placement, strict_numbers
from hitbox._model.collider import Collider, Label
from hitbox._model.convex_parts import ConvexPart, hull_of_part
from hitbox._model.mass import MassProperties
from hitbox._model.mesh import Mesh, _utf8
from hitbox._model.shapes import Box, Capsule, Hull, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "capsule", "hull"), unit="m", up="y", has_motion=True, has_mesh=True
).with_caps_of("unity")

SIDECAR = ".unity.json"
SCRIPT = "Editor/HitboxColliders.cs"
_FRAME = "hitbox_frame"
_FORMAT, _VERSION = "hitbox-unity", 1


def files(export: Export) -> dict[str, bytes]:
    if not export.file.lower().endswith(".obj"):
        raise InputError(f"{export.file}: the format unity needs a name that ends in .obj. Rename it.")
    export.notes.append(f"A project needs {SCRIPT} once: Unity refuses a second copy.")
    shown = [] if export.mesh is None else list(render_objects(export.mesh, export.name))
    names = safe_names([_FRAME, *(each.name for each in shown), *(item.name for item in export.items)])
    objects = [_frame()]
    objects += [replace(each, name=name) for each, name in zip(shown, names[1:], strict=False)]
    shapes = []
    for item, name in zip(export.items, names[len(objects) :], strict=True):
        shapes.append(_described(item, name))
        if isinstance(item.shape, Hull):
            objects.append(ObjObject(name, item.shape.vertices, [(None, item.shape.triangles)]))
    generator = export.collider.generator or f"hitbox {version()}"
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "generator": generator,
        "model": export.file,
        "name": export.collider.name or export.name,
        **_motion(export.mass),
        "shapes": shapes,
    }
    script = (package_files("hitbox._formats") / "HitboxColliders.cs").read_bytes()
    return {
        export.file: obj_bytes(generator, objects),
        export.file[: -len(".obj")] + SIDECAR: _json(document),
        SCRIPT: script,
    }


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _frame() -> ObjObject:
    """Return a mesh with corners at 1, 2 and 3 on x, y and z: the distances identify the axes."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], np.float64)
    return ObjObject(_FRAME, corners, [(None, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])])


def _motion(mass: MassProperties | None) -> dict[str, Any]:
    if mass is None:
        return {"dynamic": False}
    moments, turn = mass.principal
    axes = matrix_of(turn)
    return {
        "dynamic": True,
        "mass": mass.mass,
        "centerOfMass": _xyz(mass.center),
        "inertia": _xyz(moments),
        "inertiaUp": _xyz(axes[:, 1]),
        "inertiaForward": _xyz(axes[:, 2]),
    }


def _described(item: Item, name: str) -> dict[str, Any]:
    local, rotation, center = local_and_pose(item.shape)
    axes = matrix_of(rotation)
    place = {"center": _xyz(center), "up": _xyz(axes[:, 1]), "forward": _xyz(axes[:, 2])}
    entry: dict[str, Any] = {"id": name, "type": item.shape.kind}
    if isinstance(local, Box):
        entry |= {**place, "size": _xyz(2 * half for half in local.half_extents)}
    elif isinstance(local, Sphere):
        entry |= {**place, "radius": local.radius}
    elif isinstance(local, Capsule):  # Unity's height includes both caps
        entry |= {**place, "radius": local.radius, "height": 2 * (local.end[1] + local.radius)}
    extras = extras_of(item.shape, item.label)
    return entry | {key: value for key, value in extras.items() if key != "kind"}


def _xyz(values: Any) -> dict[str, float]:
    x, y, z = (float(value) + 0.0 for value in values)
    return {"x": x, "y": y, "z": z}


# ---------------------------------------------------------------- Reading


def read(path: str, model: Mesh | None) -> Collider:
    """Read the collider in a .unity.json file; `model` is the OBJ it names, which has the hulls."""
    where = _utf8(os.path.basename(path))
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read())
        if document.get("format") != _FORMAT or document.get("version") != _VERSION:
            raise InputError(f'"format" must be {_FORMAT!r}, "version" {_VERSION}.')
        shapes: list[Shape] = []
        labels: list[Label] = []
        with strict_numbers():
            for entry in document["shapes"]:
                shapes.append(_shape(entry, model))
                labels.append(label_of(entry))
        return Collider(shapes, labels=labels, name=str(document.get("name", "")), unit="m", up="y")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except WRONG_VALUES as error:
        raise InputError(f"{where}: is not a collider file for Unity by hitbox: {error!r:.80}.") from None


def _shape(entry: Any, model: Mesh | None) -> Shape:
    name = str(entry["id"])
    if entry["type"] == "hull":
        return _hull(name, model)
    matrix = np.eye(4)
    vectors = ("up", "forward", "center")
    up, forward, center = (np.array([entry[key][axis] for axis in "xyz"]) for key in vectors)
    matrix[:3, :4] = np.stack([np.cross(up, forward), up, forward, center], axis=1)
    place = Placement(matrix, name)
    if entry["type"] == "box":
        return place.box([entry["size"][axis] for axis in "xyz"])
    if entry["type"] == "sphere":
        return place.sphere(entry["radius"])
    if entry["type"] == "capsule":
        return place.capsule(entry["height"] - 2 * entry["radius"], entry["radius"])
    raise InputError(f"{name}: unknown type {entry['type']!r:.20}.")


def _hull(name: str, model: Mesh | None) -> Hull:
    if model is None or model.part is None or name not in model.part_names:
        raise InputError(f"{name}: the model has no object of this name.")
    chosen = model.part[model.triangle_faces] == model.part_names.index(name)
    hull, _ = hull_of_part(ConvexPart(*merged(model.vertices, model.triangles[chosen])), name)
    if hull is None:
        raise InputError(f"{name}: is flat and has no inside.")
    return hull
