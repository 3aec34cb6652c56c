"""SDFormat 1.11: a model of one link with one collision per shape. Metres, z up, axes along z, poses as rpy.

A frustum with a tip is a cone, with the tip at +z. Written after the published format; the tests read it only
with hitbox's own reader.
"""

from __future__ import annotations

import math

from hitbox._formats.export import Export, Item, Target, label_fields
from hitbox._formats.numbers import number, numbers
from hitbox._formats.poses import Pose, rpy_of, turn_of_rpy, unit
from hitbox._formats.robot_description import Described, scaled
from hitbox._formats.sidecar_files import Beside, files_beside
from hitbox._formats.xml_input import number as read_number
from hitbox._formats.xml_input import numbers as read_numbers
from hitbox._formats.xml_output import Element, document, element, leaf
from hitbox._model.collider import Label
from hitbox._model.mass import MassProperties
from hitbox._model.shapes import Box, Capsule, Cylinder, Frustum, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "capsule", "cylinder", "cone", "hull"),
    unit="m", up="z", has_motion=True, has_mesh=True, has_titles=True,
)  # fmt: skip
VERSION = "1.11"
_OURS = "hitbox:shape"  # the format allows other elements with a prefix


# --- writing


def files(export: Export) -> dict[str, bytes]:
    beside = files_beside(export)
    link = element(
        "link",
        None if export.mass is None else _inertial(export.mass),
        *(_collision(item, beside) for item in export.items),
        None if beside.visual is None else _visual(*beside.visual),
        name=export.name,
    )
    still = leaf("static", "true" if export.mass is None else "false")
    root = element("sdf", element("model", still, link, name=export.name), version=VERSION)
    root.set("xmlns:hitbox", "urn:hitbox")
    return {export.file: document(root), **beside.files}


def _inertial(mass: MassProperties) -> Element:
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    entries = [leaf(name, number(value)) for name, value in zip(names, mass.inertia, strict=True)]
    return element(
        "inertial",
        leaf("pose", numbers((*mass.center, 0, 0, 0))),
        leaf("mass", number(mass.mass)),
        element("inertia", *entries),
    )


def _visual(name: str, path: str) -> Element:
    return element("visual", element("geometry", element("mesh", leaf("uri", path))), name=name)


def _collision(item: Item, beside: Beside) -> Element:
    local, rotation, translation = beside.frames[item.name]
    known = label_fields(item.label)
    return element(
        "collision",
        leaf("pose", numbers((*translation, *rpy_of(rotation)))),
        element("geometry", _geometry(local, beside.hulls.get(item.name, ""))),
        element(_OURS, **known) if known else None,
        name=item.name,
    )


def _geometry(local: Shape, path: str) -> Element:
    if isinstance(local, Box):
        return element("box", leaf("size", numbers(2 * half for half in local.half_extents)))
    if isinstance(local, Sphere):
        return element("sphere", leaf("radius", number(local.radius)))
    if isinstance(local, Capsule | Cylinder | Frustum):
        radius = local.radius_start if isinstance(local, Frustum) else local.radius
        tag = "cone" if isinstance(local, Frustum) else local.kind
        return element(tag, leaf("radius", number(radius)), leaf("length", number(2 * local.end[2])))
    return element("mesh", leaf("uri", path), optimization="convex_hull")


# --- reading


def read(root: Element, into: Described) -> None:
    """Read the collisions of all models in the file, also of models in a world or in another model."""
    for holder in (root, *root.findall("world")):
        for model in holder.findall("model"):
            into.name = into.name or model.get("name", "")
            _read_model(model, Pose(), into)


def _read_model(model: Element, outer: Pose, into: Described) -> None:
    own = _pose(model, into.at(f"model {model.get('name', '')!r}"), into).inside(outer)
    for link in model.findall("link"):
        name = link.get("name", "")
        pose = _pose(link, into.at(f"link {name!r}"), into).inside(own)
        for k, collision in enumerate(link.findall("collision")):
            where = into.at(f"link {name!r}", f"collision {collision.get('name', k)!r}")
            shape = _read_shape(collision, where, _pose(collision, where, into).inside(pose), into)
            ours = collision.find(_OURS)
            label = None if ours is None else Label(ours.get("name"), ours.get("part"), ours.get("material"))
            into.add(shape, name, collision.get("name"), label)
    for inner in model.findall("model"):
        _read_model(inner, own, into)


def _pose(parent: Element, where: str, into: Described) -> Pose:
    pose = parent.find("pose")
    if pose is None or not (pose.text or "").strip():
        return Pose()
    if pose.get("relative_to"):
        raise into.error(f"a pose relative to {pose.get('relative_to')!r:.80} is not supported.", where)
    if pose.get("rotation_format") == "quat_xyzw":
        x, y, z, *rotation = read_numbers(f"{where}: pose", pose.text, 7)
        return Pose(unit(rotation), (x, y, z))
    x, y, z, *rpy = read_numbers(f"{where}: pose", pose.text, 6)
    turn = list(map(math.radians, rpy)) if pose.get("degrees") == "true" else rpy
    return Pose(turn_of_rpy(turn), (x, y, z))


def _read_shape(collision: Element, where: str, pose: Pose, into: Described) -> Shape | None:
    geometry = collision.find("geometry")
    found = next(iter(geometry), None) if geometry is not None else None
    if found is None:
        raise into.error("has no geometry.", where)

    simple = into.simple(where, found.tag, found.findtext, pose)
    if simple is not None:
        return simple
    match found.tag:
        case "cone":
            sizes = [read_number(f"{where}: {key}", found.findtext(key)) for key in ("radius", "length")]
            return into.round(where, Frustum, pose, *sizes, 0.0)
        case "ellipsoid":
            return into.ellipsoid(where, pose, read_numbers(f"{where}: radii", found.findtext("radii"), 3))
        case "mesh":
            scale = scaled(f"{where}: scale", found.findtext("scale"))
            return into.mesh_hull(where, found.findtext("uri"), scale, pose)
        case "plane" | "heightmap" | "polyline" | "image" | "empty":
            into.leave_out(where, f"<{found.tag}> is no convex shape")
            return None
    raise into.error(f"<{found.tag}> is no shape of SDFormat.", where)
