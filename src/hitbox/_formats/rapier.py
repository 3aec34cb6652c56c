"""Rapier: a Python module with collider builders, and the same content as JSON for Rapier's other languages.

Lengths and axes are the collider's own: Rapier has no unit and no up axis. Rapier uses half lengths and axes
along y, with the tip of a cone at +y. A moving body has the mass, and its colliders have none: otherwise
Rapier would count overlaps twice.
"""

from __future__ import annotations

import json
from typing import Any

from hitbox._base.version import version
from hitbox._formats.export import Export, Item, Target, label_fields
from hitbox._formats.local_frames import local_and_pose, tip_at_end
from hitbox._model.mass import MassProperties
from hitbox._model.shapes import Box, Capsule, Cylinder, Frustum, Hull, Shape, Sphere

TARGET = Target(("box", "sphere", "capsule", "cylinder", "cone", "hull"), has_motion=True, has_titles=True)

_HEAD = '''"""Colliders for rapier3d, made by hitbox {version}."""

import rapier3d as r


def _at(builder, translation, rotation):
    """`rotation` is a quaternion x, y, z, w."""
    x, y, z, w = rotation
    return builder.position(r.Isometry3(translation, r.Rotation3(w, x, y, z)))


def colliders():
    """Return a builder for each shape, by name."""
    return {{
'''
_BODY = '''

def body():
    """Return the builder of a body with that mass. Its colliders must have no mass, as in `colliders`."""
    x, y, z, w = {frame}
    mass = r.MassProperties({center}, {mass}, {moments}, r.Rotation3(w, x, y, z))
    return r.RigidBody.dynamic().additional_mass_properties(mass)
'''


def files(export: Export) -> dict[str, bytes]:
    built = [_built(item) for item in export.items]
    return {
        export.file: _python(export, built).encode(),
        # Append to the full file name, so that no two files share a JSON.
        f"{export.file}.rapier.json": _json(export, built).encode(),
    }


def _built(item: Item) -> dict[str, Any]:
    """Return the builder's name and arguments, which are the same in all of Rapier's languages."""
    local, rotation, translation = local_and_pose(tip_at_end(item.shape))
    name, arguments = _builder(local)
    return {
        "name": item.name,
        "shape": name,
        "arguments": arguments,
        "translation": translation,
        "rotation": rotation,
        **({"label": label} if (label := label_fields(item.label)) else {}),
    }


def _builder(local: Shape) -> tuple[str, list[Any]]:
    if isinstance(local, Box):
        return "cuboid", list(local.half_extents)
    if isinstance(local, Sphere):
        return "ball", [local.radius]
    if isinstance(local, Capsule):
        return "capsule_y", [local.end[1], local.radius]
    if isinstance(local, Cylinder):
        return "cylinder", [local.end[1], local.radius]
    if isinstance(local, Frustum):
        return "cone", [local.end[1], local.radius_start]
    assert isinstance(local, Hull)
    return "convex_hull", [local.vertices.tolist()]


def _python(export: Export, built: list[dict[str, Any]]) -> str:
    lines = []
    for one in built:
        arguments = ", ".join(map(repr, one["arguments"]))
        builder = f"r.Collider.{one['shape']}({arguments})"
        if export.mass is not None:
            builder += ".density(0.0)"
        at = f"{one['translation']!r}, {one['rotation']!r}"
        lines.append(f"        {one['name']!r}: _at({builder}, {at}),\n")
    text = _HEAD.format(version=version()) + "".join(lines) + "    }\n"
    return text if export.mass is None else text + _BODY.format(**_mass(export.mass))


def _mass(mass: MassProperties) -> dict[str, Any]:
    moments, frame = mass.principal
    return {"mass": mass.mass, "center": mass.center, "moments": moments, "frame": frame}


def _json(export: Export, built: list[dict[str, Any]]) -> str:
    shapes = ",\n".join("  " + json.dumps(one, allow_nan=False) for one in built)
    head = {
        "format": "hitbox-rapier", "version": 1, "generator": f"hitbox {version()}", "name": export.name,
        "unit": export.collider.unit, "up": export.collider.up,
        "body": None if export.mass is None else _mass(export.mass),
    }  # fmt: skip
    lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)},\n" for key, value in head.items()]
    return "{\n" + "".join(lines) + ' "shapes": [\n' + shapes + "\n ]\n}\n"
