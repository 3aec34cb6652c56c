"""Shared by all glTF 2.0 writers: a buffer that collects meshes, and the containers .glb and .gltf.

Positions are float32, relative to their node, so a small shape far from the origin keeps its precision. If a
shape is too large or too small for float32, its mesh has a size near 1, and its node's scale corrects it.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.version import version
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import COLORS, FloatArray, IndexArray

Json: TypeAlias = dict[str, Any]

_CREASE = math.cos(math.radians(40))  # facets that meet at a smaller angle share a normal
_FLOAT32_SIZES = (1e-30, 1e30)  # a shape of a size in between keeps its precision in float32
_ARRAY_BUFFER, _ELEMENT_BUFFER = 34962, 34963
_UINT16, _UINT32, _FLOAT32 = 5123, 5125, 5126
_GREY = (0.7, 0.7, 0.7)


def packed(document: Json, binary: bytes, file: str) -> bytes:
    """Return a .gltf with the buffer embedded, or binary glTF for any other suffix of `file`."""
    if file.lower().endswith(".gltf"):
        uri = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
        whole = {**document, "buffers": [{**document["buffers"][0], "uri": uri}]} if binary else document
        return (json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    if 12 + len(chunks) >= 2**32:
        raise InputError(f"glb: the collider needs {12 + len(chunks)} bytes, but a .glb holds at most 4 GB.")
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class Buffer:
    """Collects meshes: the binary data, and the views and accessors that describe it."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.views: list[Json] = []
        self.accessors: list[Json] = []
        self.meshes: list[Json] = []
        self.materials: list[Json] = []

    def document(
        self, collider: Collider, name: str, nodes: Sequence[Json], top: Sequence[int], **more: Any
    ) -> Json:
        """Return the whole document, with the nodes `top` in the scene. glTF forbids empty lists."""
        lists: Json = {
            "nodes": list(nodes),
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.binary)}] if self.binary else [],
        }
        return {
            "asset": {"version": "2.0", "generator": collider.generator or f"hitbox {version()}"},
            **more,
            "scene": 0,
            "scenes": [{"name": name, "nodes": list(top)}],
            **{key: value for key, value in lists.items() if value},
        }

    def kind_material(self, kind: str) -> int:
        return self.material(kind, COLORS[kind])

    def material(self, name: str, color: Sequence[float] = _GREY) -> int:
        """Return the number of the material with that name and colour; add it if it is new."""
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        material = {
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [round(c, 4) for c in linear] + [1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.8,
            },
        }
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def add_mesh(self, name: str, vertices: FloatArray, triangles: IndexArray, material: int) -> int:
        """Add a mesh of one primitive with normals; return its number."""
        vertices, normals, triangles = with_normals(vertices, triangles)
        primitive = self._primitive(vertices, triangles, material)
        primitive["attributes"]["NORMAL"] = self._add(
            normals.astype(np.float32), "VEC3", _FLOAT32, _ARRAY_BUFFER
        )
        self.meshes.append({"name": name, "primitives": [primitive]})
        return len(self.meshes) - 1

    def add_render_mesh(self, name: str, mesh: Mesh, faces: npt.NDArray[np.bool_]) -> int:
        """Add these faces of `mesh`, one primitive per material. Without normals viewers use flat shading."""
        chosen = faces[mesh.triangle_faces]
        triangles = mesh.triangles[chosen]
        of_triangle = (
            np.zeros(len(triangles), np.uint32)
            if mesh.material is None
            else mesh.material[mesh.triangle_faces[chosen]]
        )
        primitives = []
        for number in np.unique(of_triangle):
            own = mesh.material_names[number] if mesh.material is not None else ""
            used, corners = np.unique(triangles[of_triangle == number], return_inverse=True)
            rows = corners.reshape(-1, 3).astype(np.uint32)
            primitives.append(self._primitive(mesh.vertices[used], rows, self.material(own or "surface")))
        self.meshes.append({"name": name, "primitives": primitives})
        return len(self.meshes) - 1

    def _primitive(self, vertices: FloatArray, triangles: IndexArray, material: int) -> Json:
        positions = vertices.astype(np.float32)
        position = self._add(positions, "VEC3", _FLOAT32, _ARRAY_BUFFER)
        self.accessors[position] |= {
            "min": positions.min(axis=0).tolist(),
            "max": positions.max(axis=0).tolist(),
        }
        small = len(positions) < 2**16
        kept = triangles.ravel().astype(np.uint16 if small else np.uint32)
        indices = self._add(kept, "SCALAR", _UINT16 if small else _UINT32, _ELEMENT_BUFFER)
        return {"attributes": {"POSITION": position}, "indices": indices, "material": material}

    def _add(self, array: npt.NDArray[Any], kind: str, component: int, target: int) -> int:
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


def scale_of(vertices: FloatArray) -> float:
    """Return the node's scale for a mesh around the origin: 1, or a power of two if float32 needs it."""
    size = float(np.abs(vertices).max())
    low, high = _FLOAT32_SIZES
    return 1.0 if low <= size <= high else math.ldexp(1.0, math.frexp(size)[1] - 1)


def render_nodes(buffer: Buffer, mesh: Mesh, name: str) -> list[Json]:
    """Return one node per part of `mesh`, with the part's name, or a single node called `name`."""
    part = np.zeros(mesh.face_count, np.uint32) if mesh.part is None else mesh.part
    nodes = []
    for number in np.unique(part):
        own = mesh.part_names[number] if mesh.part is not None else ""
        nodes.append({"name": own or name, "mesh": buffer.add_render_mesh(own or name, mesh, part == number)})
    return nodes


def with_normals(vertices: FloatArray, triangles: IndexArray) -> tuple[FloatArray, FloatArray, IndexArray]:
    """Add a normal per vertex: smooth across blunt edges, with duplicated vertices along sharp edges."""
    corners = vertices[triangles]
    scale = np.abs(vertices).max() or 1.0
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / scale / scale
    lengths = np.linalg.norm(doubled, axis=1, keepdims=True)
    flat = doubled / np.where(lengths > 0, lengths, 1.0)
    vertex_of_corner = triangles.ravel().astype(np.int64)
    order = np.argsort(vertex_of_corner, kind="stable")
    counts = np.bincount(vertex_of_corner, minlength=len(vertices))
    # Pair every corner with every corner at the same vertex, including itself.
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
