"""Binary glTF 2.0: one named, coloured mesh per shape.

Each shape is a node, whose translation and rotation place it, with a mesh around the node's origin (its axis
along y): so an editor shows the pivot in the shape's centre. glTF uses metres with y up: a collider with
another unit or up axis gets a root node that scales and rotates it. Without a known unit or up axis the
coordinates are written unchanged. Round shapes are circumscribed.
"""

from __future__ import annotations

import math
from typing import Any

from hitbox._base.lengths import METRES
from hitbox._formats.export import Export, Target
from hitbox._formats.gltf_file import Buffer, packed, scale_of
from hitbox._formats.local_frames import extras_of, finite_mesh, local_and_pose, object_names
from hitbox._model.collider import Collider
from hitbox._model.shapes import KINDS

_HALF = math.sqrt(0.5)
_TURN_TO_Y = {"z": [-_HALF, 0.0, 0.0, _HALF], "x": [0.0, 0.0, _HALF, _HALF]}

TARGET = Target(KINDS, is_exact=True)


def files(export: Export) -> dict[str, bytes]:
    return {export.file: write(export.collider)}


def write(collider: Collider, segments: int = 24) -> bytes:
    """Return the file's bytes."""
    buffer = Buffer()
    for kind in collider.counts:
        buffer.kind_material(kind)
    nodes: list[dict[str, Any]] = []
    labelled = zip(collider.shapes, collider.labels, object_names(collider), strict=True)
    for shape, label, name in labelled:
        local, rotation, translation = local_and_pose(shape)
        vertices, triangles = finite_mesh(local, name, segments)
        scale = scale_of(vertices)
        mesh = buffer.add_mesh(name, vertices / scale, triangles, buffer.kind_material(shape.kind))
        node = {"name": name, "mesh": mesh, "translation": translation, "rotation": rotation}
        scaled = {} if scale == 1 else {"scale": [scale] * 3}
        nodes.append({**node, **scaled, "extras": extras_of(shape, label)})
    top = list(range(len(nodes)))
    if root := _root(collider, top):
        nodes.append(root)
        top = [len(nodes) - 1]
    document = buffer.document(collider, collider.name or "collider", nodes, top)
    return packed(document, bytes(buffer.binary), "x.glb")


def _root(collider: Collider, children: list[int]) -> dict[str, Any] | None:
    """Return the node that converts the collider to metres and y up, or None if it needs no conversion."""
    scale = METRES.get(collider.unit or "m", 1.0)
    turn = _TURN_TO_Y.get(collider.up or "y")
    if scale == 1 and turn is None:
        return None
    root: dict[str, Any] = {"name": collider.name or "collider", "children": children}
    if scale != 1:
        root["scale"] = [scale] * 3
    if turn is not None:
        root["rotation"] = turn
    return root
