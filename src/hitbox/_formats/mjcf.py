"""MJCF, the XML of MuJoCo: one body with one geom per shape. Metres, z up, half lengths, axes along z.

A hull is a mesh asset. A custom text with the geom's name has the shape's original name, part and material.
Quaternions begin with w.
"""

from __future__ import annotations

import json

from hitbox._formats.export import Export, Item, Target, heavy_enough, label_fields
from hitbox._formats.numbers import number, numbers
from hitbox._formats.sidecar_files import Beside, files_beside
from hitbox._formats.xml_output import Element, document, element
from hitbox._model.mass import MassProperties
from hitbox._model.shapes import Box, Capsule, Cylinder, Rotation, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "capsule", "cylinder", "hull"),
    unit="m", up="z", has_motion=True, has_mesh=True, has_titles=True,
)  # fmt: skip
_FEWEST_VERTICES = 4  # the fewest vertices of a mesh in MuJoCo


def files(export: Export) -> dict[str, bytes]:
    beside = files_beside(export)
    _leave_out_few_vertices(export, beside)
    root = element(
        "mujoco",
        element("compiler", angle="radian", strippath="false"),
        _defaults(export, beside),
        _custom(export),
        _assets(beside),
        element("worldbody", _body(export, beside)),
        model=export.name,
    )
    return {export.file: document(root), **beside.files}


def _leave_out_few_vertices(export: Export, beside: Beside) -> None:
    if beside.visual is not None and export.mesh is not None and len(export.mesh.vertices) < _FEWEST_VERTICES:
        del beside.files[beside.visual[1]]
        beside.visual = None
        reason = f"MuJoCo refuses a mesh of fewer than {_FEWEST_VERTICES} vertices"
        export.notes.append(f"The render mesh was left out: {reason}.")


def _defaults(export: Export, beside: Beside) -> Element:
    """Define own classes, so that the settings of a surrounding model do not apply."""
    seen = {"contype": "0", "conaffinity": "0", "group": "2", "mass": "0"}
    visual = element("default", element("geom", **seen), class_=f"{export.name}_visual")
    return element(
        "default",
        element("default", element("geom", group="3"), class_=f"{export.name}_collision"),
        None if beside.visual is None else visual,
    )


def _custom(export: Export) -> Element | None:
    texts = [element("text", name=item.name, data=data) for item in export.items if (data := _label(item))]
    return element("custom", *texts) if texts else None


def _label(item: Item) -> str:
    """Return the label as JSON, unless the geom's name is the whole label."""
    known = label_fields(item.label)
    return "" if known in ({}, {"name": item.name}) else json.dumps(known)


def _assets(beside: Beside) -> Element | None:
    meshes = [element("mesh", name=name, file=path) for name, path in beside.hulls.items()]
    if beside.visual is not None:
        # A visual mesh may be open or flat, so MuJoCo must not compute its volume.
        name, path = beside.visual
        meshes.append(element("mesh", name=name, file=path, inertia="shell"))
    return element("asset", *meshes) if meshes else None


def _body(export: Export, beside: Beside) -> Element:
    return element(
        "body",
        None if export.mass is None else element("freejoint", name=f"{export.name}_free"),
        None if export.mass is None else _inertial(export.mass, export.notes),
        *(_geom(item, export, beside) for item in export.items),
        None if beside.visual is None else _visual(export, beside.visual[0]),
        name=export.name,
    )


def _inertial(mass: MassProperties, notes: list[str]) -> Element:
    heavy = heavy_enough(mass, notes)
    pos, inertia = numbers(heavy.center), numbers(heavy.inertia)
    return element("inertial", pos=pos, mass=number(heavy.mass), fullinertia=inertia)


def _visual(export: Export, name: str) -> Element:
    return element("geom", name=name, class_=f"{export.name}_visual", type="mesh", mesh=name)


def _geom(item: Item, export: Export, beside: Beside) -> Element:
    local, rotation, translation = beside.frames[item.name]
    return element(
        "geom",
        name=item.name,
        class_=f"{export.name}_collision",
        **_geometry(local, item.name),
        pos=numbers(translation),
        quat=numbers(_wxyz(rotation)),
    )


def _geometry(local: Shape, mesh: str) -> dict[str, str]:
    if isinstance(local, Box):
        return {"type": "box", "size": numbers(local.half_extents)}
    if isinstance(local, Sphere):
        return {"type": "sphere", "size": number(local.radius)}
    if isinstance(local, Capsule | Cylinder):
        return {"type": local.kind, "size": numbers((local.radius, local.end[2]))}
    return {"type": "mesh", "mesh": mesh}


def _wxyz(rotation: Rotation) -> tuple[float, ...]:
    return rotation[3], *rotation[:3]
