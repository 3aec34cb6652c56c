"""Godot 4 scenes (.tscn): a StaticBody3D or RigidBody3D with one CollisionShape3D per shape.

Written after Godot's documentation, not tested in Godot. A render mesh becomes a GLB next to the scene, which
instances it. The nodes' metadata has names, parts and materials.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats.export import Export, Item, Target, matrix_of, safe_names
from hitbox._formats.gltf_file import Buffer, packed, render_nodes
from hitbox._formats.local_frames import extras_of, label_of, local_and_pose
from hitbox._formats.mesh_builder import read_bytes
from hitbox._formats.placement import WRONG_VALUES, Placement, strict_numbers
from hitbox._model.collider import Collider, Label
from hitbox._model.mass import MassProperties
from hitbox._model.mesh import _utf8
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Hull, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "capsule", "cylinder", "hull"), unit="m", up="y", has_motion=True, has_mesh=True
).with_caps_of("godot")

_SKEWED = 1e-3  # fraction of the largest moment: larger products of inertia cause a note
_META = "metadata/hitbox_"


def files(export: Export) -> dict[str, bytes]:
    beside: dict[str, bytes] = {}
    resources: list[str] = []
    nodes = [f'[node name="{export.name}" type="{"RigidBody3D" if export.mass else "StaticBody3D"}"]']
    nodes += _motion(export.mass, export.notes)
    if export.collider.name:
        nodes.append(f"{_META}name = {_text(export.collider.name)}")
    names = safe_names(["visual", *(item.name for item in export.items)])
    if export.mesh is not None:
        model = f"{export.file}_visual.glb"  # the full file name: no two scenes share a model
        beside[model] = _visual(export)
        resources.append(f'[ext_resource type="PackedScene" path={_text(model)} id="visual"]\n')
        nodes += ["", f'[node name="{names[0]}" parent="." instance=ExtResource("visual")]']
    for k, (item, name) in enumerate(zip(export.items, names[1:], strict=True)):
        local, rotation, translation = local_and_pose(item.shape)
        kind, properties = _resource(local)
        resources.append("\n".join([f'[sub_resource type="{kind}" id="shape_{k}"]', *properties, ""]))
        nodes += [
            "",
            f'[node name="{name}" type="CollisionShape3D" parent="."]',
            f"transform = Transform3D({_numbers([*matrix_of(rotation).ravel(), *translation])})",
            f'shape = SubResource("shape_{k}")',
            *(f"{_META}{key} = {_text(value)}" for key, value in _metadata(item).items()),
        ]
    head = f"[gd_scene load_steps={len(resources) + 1} format=3]\n"
    text = "\n".join([head, *resources, *nodes]) + "\n"
    return {export.file: text.encode(), **beside}


def _metadata(item: Item) -> dict[str, str]:
    extras = extras_of(item.shape, item.label)
    return {key: value for key, value in extras.items() if key != "kind"}


def _visual(export: Export) -> bytes:
    assert export.mesh is not None
    buffer = Buffer()
    nodes = render_nodes(buffer, export.mesh, export.name)
    document = buffer.document(export.collider, export.name, nodes, range(len(nodes)))
    return packed(document, bytes(buffer.binary), "visual.glb")


def _motion(mass: MassProperties | None, notes: list[str]) -> list[str]:
    if mass is None:
        return []
    xx, yy, zz, *products = mass.inertia
    if max(map(abs, products)) > _SKEWED * max(xx, yy, zz):
        notes.append("Godot has no products of inertia: they are omitted.")
    return [
        f"mass = {_numbers([mass.mass])}",
        "center_of_mass_mode = 1",
        f"center_of_mass = Vector3({_numbers(mass.center)})",
        f"inertia = Vector3({_numbers((xx, yy, zz))})",
    ]


def _resource(local: Shape) -> tuple[str, list[str]]:
    if isinstance(local, Box):
        return "BoxShape3D", [f"size = Vector3({_numbers(2 * half for half in local.half_extents)})"]
    if isinstance(local, Sphere):
        return "SphereShape3D", [f"radius = {_numbers([local.radius])}"]
    if isinstance(local, Capsule | Cylinder):
        height = 2 * local.end[1] + (2 * local.radius if isinstance(local, Capsule) else 0)
        sizes = [f"height = {_numbers([height])}", f"radius = {_numbers([local.radius])}"]
        return f"{local.kind.capitalize()}Shape3D", sizes
    assert isinstance(local, Hull)
    points = _numbers(local.vertices.ravel().tolist())
    return "ConvexPolygonShape3D", [f"points = PackedVector3Array({points})"]


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(repr(float(value) + 0.0) for value in values)


def _text(value: str) -> str:
    """Quote a text: Godot uses the escapes of JSON."""
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- Reading

_SECTION = re.compile(r"\[(\w+)(.*)\]\s*")
_ATTRIBUTE = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\w+\("[^"]*"\))|([\w.]+))')
_PROPERTY = re.compile(r"([\w/]+) = (.*)")
_SHAPES = ("BoxShape3D", "SphereShape3D", "CapsuleShape3D", "CylinderShape3D", "ConvexPolygonShape3D")


def read(path: str) -> Collider | None:
    """Read the CollisionShape3D nodes of a text scene; return None if there are none."""
    where = _utf8(os.path.basename(path))
    data = read_bytes(path)
    try:
        with strict_numbers():
            return _collider(data.decode(), os.path.basename(path).split(".", 1)[0])
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except WRONG_VALUES as error:
        raise InputError(f"{where}: its collision shapes cannot be read: {error!r:.80}.") from None


def _collider(text: str, stem: str) -> Collider | None:
    resources: dict[str, Mapping[str, str]] = {}
    places: dict[str, FloatArray] = {}
    shapes: list[Shape] = []
    labels: list[Label] = []
    name = stem
    for kind, attributes, properties in _sections(text):
        if kind == "sub_resource":
            resources[attributes["id"]] = {**properties, "type": attributes["type"]}
        elif kind == "node":
            parent = attributes.get("parent")
            own = attributes["name"] if parent == "." else f"{parent}/{attributes['name']}"
            above = np.eye(4) if parent is None else places.get(parent, np.eye(4))
            places["." if parent is None else own] = above @ _place(properties.get("transform"))
            label = label_of({key[len(_META) :]: _string(value) for key, value in properties.items()})
            name = label.name or name if parent is None else name
            if attributes.get("type") == "CollisionShape3D" and "shape" in properties:
                reference = re.fullmatch(r'SubResource\("(.*)"\)', properties["shape"])
                if reference is None:
                    raise InputError(f"{own}: hitbox reads only shapes inside the file.")
                shapes.append(_shape(resources[reference[1]], Placement(places[own], own), places[own]))
                labels.append(label)
    return Collider(shapes, labels=labels, name=_utf8(name), unit="m", up="y") if shapes else None


def _sections(text: str) -> Iterable[tuple[str, dict[str, str], dict[str, str]]]:
    sections: list[tuple[str, dict[str, str], dict[str, str]]] = []
    for line in text.replace("\r\n", "\n").split("\n"):  # splitlines would split inside names
        if section := _SECTION.fullmatch(line):
            attributes = _ATTRIBUTE.finditer(section[2])
            sections.append((section[1], {m[1]: m[2] or m[3] or m[4] or "" for m in attributes}, {}))
        elif sections and (single := _PROPERTY.fullmatch(line)):
            sections[-1][2][single[1]] = single[2]
    return sections


def _string(value: str) -> Any:
    return json.loads(value) if value.startswith('"') else None


def _values(value: str) -> list[float]:
    return [float(number) for number in value[value.find("(") + 1 :].rstrip(")").split(",")]


def _place(transform: str | None) -> FloatArray:
    matrix = np.eye(4)
    if transform is not None:
        numbers = np.array(_values(transform))
        matrix[:3, :3] = numbers[:9].reshape(3, 3)
        matrix[:3, 3] = numbers[9:]
    return matrix


def _shape(resource: Mapping[str, str], place: Placement, matrix: FloatArray) -> Shape:
    kind = resource["type"]
    if kind not in _SHAPES:
        raise InputError(f"{place.where}: hitbox does not read a {kind}.")
    if kind == "BoxShape3D":
        return place.box(_values(resource.get("size", "1, 1, 1")))
    if kind == "ConvexPolygonShape3D":
        points = np.array(_values(resource["points"])).reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        hull = Hull._around(np.ascontiguousarray(points))
        if hull is None:
            raise InputError(f"{place.where}: its points are flat.")
        return hull
    radius, height = float(resource.get("radius", 0.5)), float(resource.get("height", 2.0))
    if kind == "SphereShape3D":
        return place.sphere(radius)
    if kind == "CapsuleShape3D":
        return place.capsule(height - 2 * radius, radius)
    return place.frustum(height, radius, radius)
