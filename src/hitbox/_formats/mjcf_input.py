"""Reads the collision shapes of MJCF with all joints at 0: defaults, compiler settings, all orientations.

Visual geoms (contype and conaffinity 0) are skipped. Elements that refer to other files (include, attach)
raise an error.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from hitbox._formats.export import LABEL_KEYS
from hitbox._formats.mjcf_defaults import merged
from hitbox._formats.poses import Pose, about, composed, unit
from hitbox._formats.robot_description import Described, scaled
from hitbox._formats.xml_input import numbers
from hitbox._model.collider import Label
from hitbox._model.mass import quaternion_of
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Rotation, Shape, Sphere

Attributes = dict[str, str]

_ELSEWHERE = ("include", "attach", "replicate", "composite", "flexcomp")
_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@dataclass
class _Model:
    into: Described
    radians: bool = False
    eulerseq: str = "xyz"
    meshdir: str = ""
    defaults: dict[str, dict[str, Attributes]] = field(default_factory=dict)  # class, tag, attributes
    meshes: dict[str, Attributes] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    strips_paths: bool = False

    def file(self, path: str) -> str:
        return os.path.basename(path) if self.strips_paths else path


def read(root: Element, into: Described) -> None:
    for element in root.iter():
        if element.tag in _ELSEWHERE:
            raise into.error(f"<{element.tag}> is not supported here. Save the compiled model and read that.")
    model = _Model(into)
    for compiler in root.findall("compiler"):
        model.radians = compiler.get("angle", "radian" if model.radians else "degree") == "radian"
        model.eulerseq = compiler.get("eulerseq", model.eulerseq)
        model.strips_paths = compiler.get("strippath", str(model.strips_paths).lower()) == "true"
        model.meshdir = compiler.get("meshdir", compiler.get("assetdir", model.meshdir))
    for default in root.findall("default"):
        _read_defaults(default, {}, "main", model)
    for asset in root.findall("asset"):
        for mesh in asset.findall("mesh"):
            attributes = _with_defaults(mesh, "main", model)
            file = os.path.basename(attributes.get("file", "")).rpartition(".")[0]
            model.meshes[attributes.get("name", file)] = attributes
    for custom in root.findall("custom"):
        for text in custom.findall("text"):
            if (label := _label_of(text.get("data", ""))) is not None:
                model.labels[text.get("name", "")] = label
    for world in root.findall("worldbody"):
        _read_body(world, Pose(), "main", "world", model)


def _read_defaults(default: Element, above: dict[str, Attributes], name: str, model: _Model) -> None:
    own = {tag: dict(attributes) for tag, attributes in above.items()}
    for child in default:
        if child.tag != "default":
            own[child.tag] = merged(own.get(child.tag, {}), child.attrib)
    model.defaults[name] = own
    for child in default.findall("default"):
        _read_defaults(child, own, child.get("class", ""), model)


def _with_defaults(element: Element, inherited: str, model: _Model) -> Attributes:
    name = element.get("class", inherited)
    if name != "main" and name not in model.defaults:
        raise model.into.error(f"<{element.tag}> has the class {name!r:.80}, but no default has that class.")
    return merged(model.defaults.get(name, {}).get(element.tag, {}), element.attrib)


def _read_body(body: Element, outer: Pose, inherited: str, name: str, model: _Model) -> None:
    into = model.into
    inherited = body.get("childclass", inherited)
    own = _pose(body.attrib, into.at(f"body {name!r}"), model).inside(outer)
    count = 0
    for child in body:
        if child.tag == "geom":
            _read_geom(child, own, inherited, name, count, model)
            count += 1
        elif child.tag in ("body", "frame"):
            _read_body(child, own, inherited, child.get("name", name), model)


def _read_geom(geom: Element, outer: Pose, inherited: str, body: str, count: int, model: _Model) -> None:
    attributes = _with_defaults(geom, inherited, model)
    name = attributes.get("name")
    where = model.into.at(f"body {body!r}", f"geom {name if name is not None else count!r}")
    if attributes.get("contype", "1") == attributes.get("conaffinity", "1") == "0":
        return
    shape = _read_shape(attributes, where, outer, model)
    model.into.add(shape, body, name, model.labels.get(name or ""))


def _read_shape(attributes: Attributes, where: str, outer: Pose, model: _Model) -> Shape | None:
    into, kind = model.into, attributes.get("type", "sphere")
    if kind != "mesh" and "mesh" in attributes:
        into.leave_out(where, f"hitbox does not read a {kind} that MuJoCo fits to a mesh")
        return None
    if "fromto" in attributes:
        return _between(attributes, where, outer, into)
    pose = _pose(attributes, where, model).inside(outer)

    def size(count: int) -> list[float]:
        words = attributes.get("size", "").split()
        return numbers(f"{where}: size", " ".join(words[:count]), count)

    match kind:
        case "sphere":
            return into.made(where, Sphere, pose.translation, *size(1))
        case "box":
            return into.made(where, Box, pose.translation, pose.rotation, size(3))
        case "capsule" | "cylinder":
            shape_type = Capsule if kind == "capsule" else Cylinder
            radius, half = size(2)
            return into.round(where, shape_type, pose, radius, 2 * half)
        case "ellipsoid":
            return into.ellipsoid(where, pose, size(3))
        case "mesh":
            return _read_mesh(attributes, where, pose, model)
    into.leave_out(where, f"a {kind} is not a convex shape")
    return None


def _between(attributes: Attributes, where: str, outer: Pose, into: Described) -> Shape | None:
    """Read a geom between two points (fromto). Its first size is half its width, for all kinds."""
    kind = attributes.get("type", "sphere")
    ends = np.reshape(numbers(f"{where}: fromto", attributes["fromto"], 6), (2, 3))
    (half,) = numbers(f"{where}: size", " ".join(attributes.get("size", "").split()[:1]), 1)
    if kind in ("capsule", "cylinder"):
        shape_type = Capsule if kind == "capsule" else Cylinder
        return into.made(where, shape_type, *(outer.at(end) for end in ends.tolist()), half)
    length = float(np.linalg.norm(ends[0] - ends[1]))
    if kind not in ("box", "ellipsoid") or length == 0:
        raise into.error(f"a {kind} cannot have this fromto.", where)
    x, y, z = ends.mean(axis=0).tolist()
    pose = Pose(_to_z(ends[0] - ends[1]), (x, y, z)).inside(outer)
    halves = [half, half, length / 2]
    if kind == "ellipsoid":
        return into.ellipsoid(where, pose, halves)
    return into.made(where, Box, pose.translation, pose.rotation, halves)


def _read_mesh(attributes: Attributes, where: str, pose: Pose, model: _Model) -> Shape | None:
    mesh = model.meshes.get(attributes.get("mesh", ""))
    if mesh is None:
        raise model.into.error(f"there is no mesh {attributes.get('mesh', '')!r:.80}.", where)
    scale = scaled(f"{where}: scale", mesh.get("scale"))
    reference = _reference(mesh, where)
    if "vertex" in mesh:
        points = numbers(f"{where}: vertex", mesh["vertex"], len(mesh["vertex"].split()) // 3 * 3)
        moved = reference.all_at(np.reshape(points, (-1, 3))) * scale
        return model.into.points_hull(where, moved, pose)
    path = os.path.join(model.meshdir, model.file(mesh["file"])) if "file" in mesh else None
    return model.into.mesh_hull(where, path, scale, pose, reference)


def _reference(mesh: Attributes, where: str) -> Pose:
    """Return the transform of a mesh before scaling: the inverse of its reference pose."""
    at = numbers(f"{where}: refpos", mesh.get("refpos"), 3, (0, 0, 0))
    w, x, y, z = numbers(f"{where}: refquat", mesh.get("refquat"), 4, (1, 0, 0, 0))
    back = unit((-x, -y, -z, w))
    x, y, z = Pose(back).at(at)
    return Pose(back, (-x, -y, -z))


def _pose(attributes: Attributes, where: str, model: _Model) -> Pose:
    x, y, z = numbers(f"{where}: pos", attributes.get("pos"), 3, (0, 0, 0))
    return Pose(_rotation(attributes, where, model), (x, y, z))


def _rotation(attributes: Attributes, where: str, model: _Model) -> Rotation:
    def values(key: str, count: int) -> list[float]:
        parsed = numbers(f"{where}: {key}", attributes[key], count)
        if key != "euler" and not any(parsed[:3]) and not (key == "quat" and parsed[3]):
            raise model.into.error(f"{key} must not be 0.", where)
        return parsed

    if "quat" in attributes:
        w, x, y, z = values("quat", 4)
        return unit((x, y, z, w))
    if "axisangle" in attributes:
        *axis, angle = values("axisangle", 4)
        return about(axis, _angle(angle, model))
    if "euler" in attributes:
        return _euler([_angle(angle, model) for angle in values("euler", 3)], where, model)
    if "xyaxes" in attributes:
        axes = np.reshape(values("xyaxes", 6), (2, 3))
        if not np.cross(*axes).any():
            raise model.into.error("xyaxes must be two directions.", where)
        return _from_axes(*axes)
    if "zaxis" in attributes:
        return _to_z(np.array(values("zaxis", 3)))
    return Pose().rotation


def _angle(value: float, model: _Model) -> float:
    return value if model.radians else math.radians(value)


def _euler(angles: list[float], where: str, model: _Model) -> Rotation:
    """Lower-case letters rotate about the moving axes, capitals about fixed axes."""
    sequence = model.eulerseq
    if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
        raise model.into.error(f"eulerseq must be three of x, y, z, not {sequence!r:.20}.", where)
    rotation = Pose().rotation
    for letter, angle in zip(sequence, angles, strict=True):
        one = about(_AXES[letter.lower()], angle)
        rotation = composed(rotation, one) if letter.islower() else composed(one, rotation)
    return rotation


def _from_axes(x: FloatArray, y: FloatArray) -> Rotation:
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    y = y / np.linalg.norm(y)
    return quaternion_of(np.column_stack([x, y, np.cross(x, y)]))


def _to_z(direction: FloatArray) -> Rotation:
    """Return the shortest rotation from z to `direction`; half a turn about x if it is -z."""
    x, y, z = direction / np.linalg.norm(direction)
    return unit((-y, x, 0.0, 1 + z)) if z > -1 + 1e-12 else (1.0, 0.0, 0.0, 0.0)


def _label_of(data: str) -> Label | None:
    """Return the label that hitbox's writer stored; None for a text of another origin."""
    try:
        label: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(label, dict) or not label or set(label) - set(LABEL_KEYS):
        return None
    return Label(**label) if all(isinstance(value, str) for value in label.values()) else None
