"""glTF 2.0 with physics: KHR_implicit_shapes and KHR_physics_rigid_bodies, and for Godot the same content as
OMI_physics_shape and OMI_physics_body.

The body is one node; each shape is a child with the shape's pose. Shapes lie around their node, their axis
along y, a frustum's end at +y. A hull is a mesh: of its own node if there is no render mesh, else of a node
outside the scene, so that it stays invisible. Metres, y up. Both pairs of extensions are in `extensionsUsed`,
never in `extensionsRequired`.
"""

from __future__ import annotations

from typing import Any

from hitbox._formats.export import Export, Item, Target, safe_names
from hitbox._formats.gltf_file import Buffer, Json, packed, render_nodes, scale_of
from hitbox._formats.local_frames import extras_of, finite_mesh, local_and_pose
from hitbox._model.mass import MassProperties
from hitbox._model.shapes import Box, Capsule, Cylinder, Frustum, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "capsule", "cylinder", "frustum", "hull"),
    unit="m", up="y", has_motion=True, has_mesh=True,
).with_caps_of("gltf")  # fmt: skip

DRAFTS = {
    "KHR_implicit_shapes": "release candidate of July 2026",
    "KHR_physics_rigid_bodies": "draft of July 2026: collider.geometry has shape or node",
    "OMI_physics_shape": "stage 1 proposal: radiusTop and radiusBottom",
    "OMI_physics_body": "stage 1 proposal: collider.shape, motion.type",
}
_KHR_SHAPES, _KHR_BODY, _OMI_SHAPES, _OMI_BODY = DRAFTS
_SEGMENTS = 24


def files(export: Export) -> dict[str, bytes]:
    scene = _Scene(export)
    return {export.file: packed(scene.document(), bytes(scene.buffer.binary), export.file)}


class _Scene:
    def __init__(self, export: Export) -> None:
        self.export = export
        self.buffer = Buffer()
        self.khr: list[Json] = []
        self.omi: list[Json] = []
        names = safe_names([export.name, *(item.name for item in export.items)])
        self.nodes: list[Json] = [{"name": names[0], "extensions": _motion(export.mass)}]
        if export.collider.name:
            self.nodes[0]["extras"] = {"name": export.collider.name}
        self.children: list[int] = []
        if export.mesh is not None:
            for node in render_nodes(self.buffer, export.mesh, f"{names[0]}_mesh"):
                self.children.append(self.add(node))
        for item, name in zip(export.items, names[1:], strict=True):
            self.children.append(self.add_shape(item, name))
        self.nodes[0]["children"] = self.children

    def document(self) -> Json:
        lists = {_KHR_SHAPES: self.khr, _OMI_SHAPES: self.omi}
        shapes = {key: {"shapes": shapes} for key, shapes in lists.items() if shapes}
        used = [key for key in DRAFTS if key in shapes or key in (_KHR_BODY, _OMI_BODY)]
        document = self.buffer.document(
            self.export.collider, self.export.name, self.nodes, [0], extensionsUsed=used, extensions=shapes
        )
        document["asset"]["extras"] = {key: DRAFTS[key] for key in used}
        return document

    def add(self, node: Json) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def add_shape(self, item: Item, name: str) -> int:
        local, rotation, translation = local_and_pose(item.shape)
        node: Json = {"name": name, "translation": translation, "rotation": rotation}
        at = self.add(node)
        shown = self.export.mesh is None
        implicit = _implicit(local)
        if shown or implicit is None or isinstance(local, Frustum):
            mesh, holder = self.add_mesh(item, local, name)
            if shown:
                node |= holder
        if implicit is None:
            of_mesh = at if shown else self.add({"name": f"{name}_hull", **holder})
            geometry: Json = {"node": of_mesh, "convexHull": True}
        else:
            self.khr.append(implicit)
            geometry = {"shape": len(self.khr) - 1}
        # Importers turn two radii into a box, or into nothing. They understand a mesh.
        as_mesh = implicit is None or isinstance(local, Frustum)
        self.omi.append({"type": "convex", "convex": {"mesh": mesh}} if as_mesh else _omi(implicit))
        node["extensions"] = {
            _KHR_BODY: {"collider": {"geometry": geometry}},
            _OMI_BODY: {"collider": {"shape": len(self.omi) - 1}},
        }
        node["extras"] = extras_of(item.shape, item.label)
        return at

    def add_mesh(self, item: Item, local: Shape, name: str) -> tuple[int, Json]:
        """Return the mesh's number and the keys of a node that holds it: a scaled mesh needs a child node."""
        vertices, triangles = finite_mesh(local, name, _SEGMENTS)
        scale = scale_of(vertices)
        material = self.buffer.kind_material(item.shape.kind)
        mesh = self.buffer.add_mesh(name, vertices / scale, triangles, material)
        if scale == 1:
            return mesh, {"mesh": mesh}
        return mesh, {"children": [self.add({"name": f"{name}_mesh", "mesh": mesh, "scale": [scale] * 3})]}


def _motion(mass: MassProperties | None) -> Json:
    if mass is None:
        return {_OMI_BODY: {"motion": {"type": "static"}}}  # KHR: a body without motion is static
    moments, turn = mass.principal
    motion: Json = {
        "mass": mass.mass,
        "centerOfMass": mass.center,
        "inertiaDiagonal": moments,
        "inertiaOrientation": turn,
    }
    return {_KHR_BODY: {"motion": motion}, _OMI_BODY: {"motion": {"type": "dynamic", **motion}}}


def _implicit(local: Shape) -> Json | None:
    """Return the shape in KHR_implicit_shapes, or None for a shape that must be a mesh there."""
    if isinstance(local, Box):
        return {"type": "box", "box": {"size": [2 * half for half in local.half_extents]}}
    if isinstance(local, Sphere):
        return {"type": "sphere", "sphere": {"radius": local.radius}}
    if isinstance(local, Capsule):
        return _round("capsule", 2 * local.end[1], local.radius, local.radius)
    if isinstance(local, Cylinder):
        return _round("cylinder", 2 * local.end[1], local.radius, local.radius)
    if isinstance(local, Frustum):
        return _round("cylinder", 2 * local.end[1], local.radius_end, local.radius_start)
    return None


def _round(kind: str, height: float, top: float, bottom: float) -> Json:
    return {"type": kind, kind: {"height": height, "radiusTop": top, "radiusBottom": bottom}}


def _omi(implicit: Json | None) -> Any:
    """Return the same shape for OMI, with `radius` for importers that do not support two radii."""
    assert implicit is not None
    kind = implicit["type"]
    numbers = dict(implicit[kind])
    if "radiusTop" in numbers:
        numbers["radius"] = numbers["radiusTop"]
    return {"type": kind, kind: numbers}
