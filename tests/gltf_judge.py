"""Check a glTF file with physics by rules of the extensions that their JSON schemas and the Khronos validator
do not check: dangling indices, wrong types, meaningless sizes. It shares no code with hitbox.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

IMPLICIT, BODIES = "KHR_implicit_shapes", "KHR_physics_rigid_bodies"
OMI_SHAPES, OMI_BODIES = "OMI_physics_shape", "OMI_physics_body"
PARAMETERS = {
    "box": {"size"},
    "sphere": {"radius"},
    "capsule": {"height", "radiusTop", "radiusBottom"},
    "cylinder": {"height", "radiusTop", "radiusBottom"},
}
COMPONENTS = {5121: 1, 5123: 2, 5125: 4, 5126: 4}
WIDTHS = {"SCALAR": 1, "VEC3": 3}


def document_of(data: bytes) -> tuple[dict[str, Any], int]:
    """Return the JSON, and the size of the buffer in bytes."""
    if data[:4] != b"glTF":
        document = json.loads(data)
        uri = document.get("buffers", [{}])[0].get("uri", ",")
        return document, len(uri.split(",")[1]) * 3 // 4
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), len(data) - 28 - size


def faults(data: bytes) -> list[str]:
    """Return all faults as sentences; an empty list means that there are none."""
    document, size = document_of(data)
    return [*_core(document, size), *_shapes(document), *_nodes(document), *_listed(document)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _numbers(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(map(_is_number, value))


def _is_index(value: Any, things: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(things or [])


def _core(document: dict[str, Any], size: int):
    nodes, meshes = document.get("nodes", []), document.get("meshes", [])
    accessors, views = document.get("accessors", []), document.get("bufferViews", [])
    for view in views:
        if view["byteOffset"] + view["byteLength"] > size:
            yield "a view reaches beyond its buffer"
    for accessor in accessors:
        if not _is_index(accessor["bufferView"], views):
            yield "an accessor has no view"
            continue
        needed = accessor["count"] * COMPONENTS[accessor["componentType"]] * WIDTHS[accessor["type"]]
        if needed > views[accessor["bufferView"]]["byteLength"]:
            yield "an accessor reaches beyond its view"
    for mesh in meshes:
        for primitive in mesh["primitives"]:
            used = [*primitive["attributes"].values(), primitive["indices"]]
            if not all(_is_index(number, accessors) for number in used):
                yield "a primitive has no accessor"
            if not _is_index(primitive["material"], document.get("materials")):
                yield "a primitive has no material"
    parents = [child for node in nodes for child in node.get("children", [])]
    if len(set(parents)) != len(parents) or not all(_is_index(child, nodes) for child in parents):
        yield "children: a node that is not there, or has two parents"
    for scene in document["scenes"]:
        if not all(_is_index(top, nodes) and top not in parents for top in scene["nodes"]):
            yield "a scene has a node that is no root"
    if any("mesh" in node and not _is_index(node["mesh"], meshes) for node in nodes):
        yield "a node's mesh is not there"


def _shapes(document: dict[str, Any]):
    for extension in (IMPLICIT, OMI_SHAPES):
        for shape in document.get("extensions", {}).get(extension, {}).get("shapes", []):
            kind = shape.get("type")
            if set(shape) != {"type", kind}:
                yield f"{extension}: a shape of two kinds, or of none: {sorted(shape)}"
            elif kind == "convex" and extension == OMI_SHAPES:
                if not _is_index(shape["convex"].get("mesh"), document.get("meshes")):
                    yield f"{extension}: a convex shape without a mesh"
            elif kind not in PARAMETERS:
                yield f"{extension}: unknown type {kind!r}"
            else:
                yield from _sizes(extension, kind, shape[kind])


def _sizes(extension: str, kind: str, size: dict[str, Any]):
    allowed = PARAMETERS[kind] | ({"radius"} if extension == OMI_SHAPES else set())
    if not PARAMETERS[kind] <= set(size) <= allowed:
        yield f"{extension}: {kind} has {sorted(size)}"
        return
    if kind == "box":
        if not (_numbers(size["size"], 3) and min(size["size"]) > 0):
            yield f"{extension}: a box of size {size['size']}"
        return
    radii = [value for key, value in size.items() if key.startswith("radius")]
    lengths = [*radii, size.get("height", 1)]
    if not all(map(_is_number, lengths)) or min(lengths) < 0 or max(radii) == 0 or size.get("height", 1) <= 0:
        yield f"{extension}: {kind} of {size}"


def _nodes(document: dict[str, Any]):
    nodes = document["nodes"]
    lists = {key: value.get("shapes", []) for key, value in document.get("extensions", {}).items()}
    moving = set()
    for number, node in enumerate(nodes):
        found = node.get("extensions", {})
        if "scale" in node and found:
            yield f"node {number}: a collider with a scale"
        for key in ("motion", "collider"):
            if BODIES in found and (key in found[BODIES]) != (key in found.get(OMI_BODIES, {})):
                yield f"node {number}: only one of the two has a {key}"
        if "motion" in found.get(BODIES, {}):
            moving.add(number)
            yield from _motion(number, found[BODIES]["motion"])
        if "motion" in found.get(OMI_BODIES, {}):
            motion = dict(found[OMI_BODIES]["motion"])
            if motion.pop("type", None) != ("dynamic" if number in moving else "static"):
                yield f"node {number}: the two disagree on what moves"
            if number in moving:
                yield from _motion(number, motion)
        if "collider" in found.get(BODIES, {}):
            yield from _collider(number, found[BODIES]["collider"], lists.get(IMPLICIT, []), nodes)
        omi = found.get(OMI_BODIES, {}).get("collider", {"shape": 0})
        if set(omi) != {"shape"} or not _is_index(omi["shape"], lists.get(OMI_SHAPES)):
            yield f"node {number}: its OMI collider leads nowhere"


def _collider(number: int, collider: Any, shapes: list[Any], nodes: list[Any]):
    if set(collider) - {"geometry", "physicsMaterial", "collisionFilter"} or "geometry" not in collider:
        yield f"node {number}: a collider has {sorted(collider)}"
        return
    geometry = collider["geometry"]
    if ("shape" in geometry) == ("node" in geometry):
        yield f"node {number}: a geometry has a shape or a node"
    elif "shape" in geometry:
        if not _is_index(geometry["shape"], shapes):
            yield f"node {number}: its shape is not there"
    elif not _is_index(geometry["node"], nodes) or geometry.get("convexHull") is not True:
        yield f"node {number}: no hull of a node"
    elif not any("mesh" in node for node in _with_children(geometry["node"], nodes)):
        yield f"node {number}: the node of its hull has no mesh"


def _with_children(number: int, nodes: list[Any]):
    return [nodes[number], *(nodes[child] for child in nodes[number].get("children", []))]


def _motion(number: int, motion: dict[str, Any]):
    if not (_is_number(motion.get("mass")) and motion["mass"] > 0):
        yield f"node {number}: mass"
    if not (_numbers(motion.get("inertiaDiagonal"), 3) and min(motion["inertiaDiagonal"]) > 0):
        yield f"node {number}: inertia"
    if not _numbers(motion.get("centerOfMass"), 3):
        yield f"node {number}: centre of mass"
    turn = motion.get("inertiaOrientation")
    if not _numbers(turn, 4) or abs(math.hypot(*turn) - 1) > 1e-9:
        yield f"node {number}: the axes of inertia"


def _listed(document: dict[str, Any]):
    found = set(document.get("extensions", {}))
    for node in document["nodes"]:
        found |= set(node.get("extensions", {}))
    if found != set(document["extensionsUsed"]) or "extensionsRequired" in document:
        yield f"extensionsUsed is {document['extensionsUsed']}, but there are {sorted(found)}"
    if set(document["asset"]["extras"]) != found:
        yield "the versions of the drafts are missing"
