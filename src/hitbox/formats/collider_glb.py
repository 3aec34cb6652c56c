"""A collider as binary glTF 2.0: one named, coloured mesh a shape.

Each shape is a node whose translation and rotation place it, and a mesh around the node's origin (an
axis along y), so that an editor's pivot sits where one wants it. glTF is in metres with y up: a
collider in another unit or with another up axis gets a root node that scales and turns it. Without
a known unit or up axis coordinates are taken as they are. Positions are float32, relative to the
node, so a small shape far from the origin keeps its precision; of a shape so large or so small that
float32 would not hold it, the mesh is near 1 in size, and the node's scale brings it to its own. Round
shapes are circumscribed.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox._version import version
from hitbox.collider import Collider
from hitbox.errors import InputError
from hitbox.formats.export import Export, Target
from hitbox.formats.objects import finite_mesh, local_and_pose, object_names
from hitbox.lengths import METRES
from hitbox.shapes import COLORS, KINDS, FloatArray, IndexArray

Float32Array: TypeAlias = npt.NDArray[np.float32]

_HALF = math.sqrt(0.5)
_TURN_TO_Y = {"z": [-_HALF, 0.0, 0.0, _HALF], "x": [0.0, 0.0, _HALF, _HALF]}
_CREASE = math.cos(math.radians(40))  # facets that meet at less than this share a normal
_FLOAT32_SIZES = (1e-30, 1e30)  # a shape's size in between keeps its precision as float32
_ARRAY_BUFFER, _ELEMENT_BUFFER = 34962, 34963
_UINT16, _UINT32, _FLOAT32 = 5123, 5125, 5126


TARGET = Target(KINDS, is_exact=True)


def files(export: Export) -> dict[str, bytes]:
    return {export.file: write(export.collider)}


def write(collider: Collider, segments: int = 24) -> bytes:
    """The file's bytes."""
    gltf, binary = _Buffer.of(collider, segments)
    text = json.dumps(gltf, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(binary)
    if total >= 2**32:
        raise InputError(f"glb: the collider needs {total} bytes, but a .glb holds at most 4 GB.")
    header = struct.pack("<4sII", b"glTF", 2, total)
    json_header = struct.pack("<I4s", len(text), b"JSON")
    return header + json_header + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary


class _Buffer:
    """Collects the binary part and the views and accessors that say what is where."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    @staticmethod
    def of(collider: Collider, segments: int) -> tuple[dict[str, Any], bytes]:
        buffer = _Buffer()
        kinds = [kind for kind in KINDS if kind in collider.counts]
        nodes: list[dict[str, Any]] = []
        meshes = []
        for shape, name in zip(collider.shapes, object_names(collider), strict=True):
            local, rotation, translation = local_and_pose(shape)
            vertices, triangles = finite_mesh(local, name, segments)
            scale = _scale_of(vertices)
            meshes.append(buffer.add_mesh(name, vertices / scale, triangles, kinds.index(shape.kind)))
            node = {"name": name, "mesh": len(nodes), "translation": translation, "rotation": rotation}
            nodes.append(node if scale == 1 else {**node, "scale": [scale] * 3})
        for node, shape, label in zip(nodes, collider.shapes, collider.labels, strict=True):
            known = {"kind": shape.kind, "part": label.part, "material": label.material}
            node["extras"] = {key: value for key, value in known.items() if value is not None}
        top = list(range(len(nodes)))
        if root := _root(collider, top):
            nodes.append(root)
            top = [len(nodes) - 1]
        gltf = {
            "asset": {"version": "2.0", "generator": collider.generator or f"hitbox {version()}"},
            "scene": 0,
            "scenes": [{"name": collider.name or "collider", "nodes": top}],
            "nodes": nodes,
            "meshes": meshes,
            "materials": [_material(kind) for kind in kinds],
            "accessors": buffer.accessors,
            "bufferViews": buffer.views,
            "buffers": [{"byteLength": len(buffer.binary)}],
        }
        return gltf, bytes(buffer.binary)

    def add_mesh(
        self, name: str, vertices: FloatArray, triangles: IndexArray, material: int
    ) -> dict[str, Any]:
        vertices, normals, triangles = with_normals(vertices, triangles)
        positions = vertices.astype(np.float32)
        small = len(positions) < 2**16
        primitive = {
            "attributes": {
                "POSITION": self.add(positions, "VEC3", _FLOAT32, _ARRAY_BUFFER),
                "NORMAL": self.add(normals.astype(np.float32), "VEC3", _FLOAT32, _ARRAY_BUFFER),
            },
            "indices": self.add(
                triangles.ravel().astype(np.uint16 if small else np.uint32),
                "SCALAR",
                _UINT16 if small else _UINT32,
                _ELEMENT_BUFFER,
            ),
            "material": material,
        }
        position = self.accessors[primitive["attributes"]["POSITION"]]  # type: ignore[index]
        position["min"] = positions.min(axis=0).tolist()
        position["max"] = positions.max(axis=0).tolist()
        return {"name": name, "primitives": [primitive]}

    def add(self, array: npt.NDArray[Any], kind: str, component: int, target: int) -> int:
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), "target": target}
        self.views.append(view)
        self.binary += data + b"\0" * (-len(data) % 4)
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": component,
                "count": len(array),
                "type": kind,
            }
        )
        return len(self.accessors) - 1


def _scale_of(vertices: FloatArray) -> float:
    """The scale of the node for a mesh around the origin: 1, or a power of two where float32 needs it."""
    size = float(np.abs(vertices).max())
    low, high = _FLOAT32_SIZES
    return 1.0 if low <= size <= high else math.ldexp(1.0, math.frexp(size)[1] - 1)


def _root(collider: Collider, children: list[int]) -> dict[str, Any] | None:
    """The node that brings the collider to metres and y up, where it is not so already."""
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


def _material(kind: str) -> dict[str, Any]:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in COLORS[kind]]
    color = [round(c, 4) for c in linear] + [1.0]
    return {
        "name": kind,
        "pbrMetallicRoughness": {"baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.8},
    }


def with_normals(vertices: FloatArray, triangles: IndexArray) -> tuple[FloatArray, FloatArray, IndexArray]:
    """The mesh with a normal a vertex: smooth across blunt edges, vertices doubled along sharp ones."""
    corners = vertices[triangles]
    scale = np.abs(vertices).max() or 1.0
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / scale / scale
    lengths = np.linalg.norm(doubled, axis=1, keepdims=True)
    flat = doubled / np.where(lengths > 0, lengths, 1.0)
    vertex_of_corner = triangles.ravel().astype(np.int64)
    order = np.argsort(vertex_of_corner, kind="stable")
    counts = np.bincount(vertex_of_corner, minlength=len(vertices))
    # Every corner beside every corner at the same vertex, itself included.
    first = np.repeat(np.cumsum(counts) - counts, counts**2)
    size = np.repeat(counts, counts**2)
    place = np.arange(len(size)) - np.repeat(np.cumsum(counts**2) - counts**2, counts**2)
    one, other = order[first + place // np.maximum(size, 1)], order[first + place % np.maximum(size, 1)]
    smooth = np.einsum("ij,ij->i", flat[one // 3], flat[other // 3]) > _CREASE
    normals = np.zeros((len(vertex_of_corner), 3))
    for axis in range(3):
        weights = doubled[other[smooth] // 3, axis]
        normals[:, axis] = np.bincount(one[smooth], weights, len(normals))
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(lengths > 0, normals / np.where(lengths > 0, lengths, 1.0), [0.0, 0.0, 1.0])
    keys = np.column_stack([vertex_of_corner, np.round(normals, 5) + 0.0])
    _, kept, renamed = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return (
        vertices[vertex_of_corner[kept]],
        normals[kept],
        renamed.reshape(-1, 3).astype(np.uint32),
    )
