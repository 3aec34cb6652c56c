"""Reads the colliders of glTF and GLB: KHR_physics_rigid_bodies, or OMI_physics_body for nodes without KHR.

Shapes keep their kinds, in the scene's frame; a mesh becomes the hull of its vertices. `geometry.mesh` of an
earlier draft is supported as well.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import struct
import urllib.parse
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._formats.export import matrix_of
from hitbox._formats.local_frames import label_of
from hitbox._formats.mesh_builder import checked_indices, merged, read_bytes
from hitbox._formats.placement import WRONG_VALUES, Placement, strict_numbers
from hitbox._model.collider import Collider, Label, Status
from hitbox._model.convex_parts import ConvexPart, hull_of_part
from hitbox._model.mesh import _utf8
from hitbox._model.shapes import FloatArray, Hull, Shape

_KHR_SHAPES, _KHR_BODY = "KHR_implicit_shapes", "KHR_physics_rigid_bodies"
_OMI_SHAPES, _OMI_BODY = "OMI_physics_shape", "OMI_physics_body"
_INDICES = {5121: "<u1", 5123: "<u2", 5125: "<u4"}
_FLOAT32, _TRIANGLES = 5126, 4
_Triangles = npt.NDArray[np.int64]


def read(path: str) -> Collider | None:
    """Read the collider of a file; return None if the file uses no physics extension."""
    where = _utf8(os.path.basename(path))
    data = read_bytes(path)
    try:
        document, binary = _document(data)
        used = document.get("extensionsUsed", [])
        if not isinstance(used, list) or not {_KHR_BODY, _OMI_BODY} & {name for name in used if name}:
            return None
        with strict_numbers():
            return _File(document, binary, path).collider()
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except (*WRONG_VALUES, struct.error, EOFError, OSError) as error:
        raise InputError(f"{where}: its colliders cannot be read: {error!r:.80}.") from None


def _document(data: bytes) -> tuple[Any, bytes]:
    if data[:4] != b"glTF":
        return json.loads(data), b""
    size, kind = struct.unpack_from("<I4s", data, 12)
    document = json.loads(data[20 : 20 + size])
    at = 20 + size
    if at + 8 > len(data):
        return document, b""
    size, kind = struct.unpack_from("<I4s", data, at)
    return document, data[at + 8 : at + 8 + size] if kind == b"BIN\0" else b""


class _File:
    def __init__(self, document: Any, binary: bytes, path: str) -> None:
        self.document, self.binary, self.path = document, binary, path
        self.nodes: list[Any] = document.get("nodes", [])
        self.buffers: dict[int, bytes] = {}

    def collider(self) -> Collider | None:
        shapes: list[Shape] = []
        labels: list[Label] = []
        notes: list[str] = []
        name = None
        for number, matrix in self.placed():
            node = _item(self.nodes, number)
            extensions = node.get("extensions", {})
            if "motion" in extensions.get(_OMI_BODY, {}) or "motion" in extensions.get(_KHR_BODY, {}):
                name = name or label_of(node.get("extras")).name
            title = node.get("name") or f"node {number}"
            for shape, note in self.shapes_of(extensions, matrix, title):
                shapes.append(shape)
                labels.append(label_of(node.get("extras")))
                notes += [note] if note else []
        if not shapes:
            return None
        stem = _utf8(os.path.basename(self.path).split(".", 1)[0])
        status = Status(True, tuple(notes))
        return Collider(shapes, labels=labels, status=status, name=name or stem, unit="m", up="y")

    def placed(self) -> Iterator[tuple[int, FloatArray]]:
        """Yield each node of the scene with its matrix, in the order of the file's tree."""
        scenes = self.document.get("scenes")
        if scenes:
            top = _item(scenes, self.document.get("scene", 0)).get("nodes", [])
        else:
            below = {child for node in self.nodes for child in node.get("children", [])}
            top = [number for number in range(len(self.nodes)) if number not in below]
        yield from self.below(top, np.eye(4))

    def below(self, numbers: list[int], matrix: FloatArray) -> Iterator[tuple[int, FloatArray]]:
        waiting = [(number, matrix) for number in reversed(numbers)]
        seen: set[int] = set()
        while waiting:
            number, above = waiting.pop()
            if number in seen:
                raise InputError(f"node {number} has two parents, or is its own ancestor.")
            seen.add(number)
            own = above @ _matrix(_item(self.nodes, number))
            yield number, own
            waiting += [(child, own) for child in reversed(_item(self.nodes, number).get("children", []))]

    def shapes_of(
        self, extensions: Any, matrix: FloatArray, where: str
    ) -> Iterator[tuple[Shape, str | None]]:
        khr, omi = (extensions.get(name, {}).get("collider") for name in (_KHR_BODY, _OMI_BODY))
        if khr is not None:
            geometry = khr.get("geometry", khr)
            if "shape" in geometry:
                yield self.shape(_KHR_SHAPES, geometry["shape"], matrix, where)
            elif "node" in geometry:
                yield self.hull(list(self.meshes_of(geometry["node"])), matrix, where)
            else:
                yield self.hull([(geometry["mesh"], np.eye(4))], matrix, where)
        elif omi is not None and "shape" in omi:
            yield self.shape(_OMI_SHAPES, omi["shape"], matrix, where)

    def shape(self, extension: str, number: int, matrix: FloatArray, where: str) -> tuple[Shape, str | None]:
        shape = _item(self.document["extensions"][extension]["shapes"], number)
        kind = shape.get("type")
        size = shape.get(kind, {})
        if kind in ("convex", "trimesh"):
            return self.hull([(size["mesh"], np.eye(4))], matrix, where)
        place = Placement(matrix, where)
        if kind == "box":
            return place.box(size.get("size", (1, 1, 1))), None
        if kind == "sphere":
            return place.sphere(size.get("radius", 0.5)), None
        if kind not in ("capsule", "cylinder"):
            raise InputError(f"{where}: unknown shape {kind!r}.")
        top, bottom = (size.get(key, size.get("radius", 0.5)) for key in ("radiusTop", "radiusBottom"))
        if kind == "cylinder":
            return place.frustum(size.get("height", 2.0), bottom, top), None
        note = None if top == bottom else f"{where}: a tapered capsule is replaced by its larger radius."
        return place.capsule(size.get("height", 1.0), max(top, bottom)), note

    def meshes_of(self, number: int) -> Iterator[tuple[int, FloatArray]]:
        """Yield the meshes of a node and its descendants, in the frame of that node."""
        node = _item(self.nodes, number)
        if "mesh" in node:
            yield node["mesh"], np.eye(4)
        for below, matrix in self.below(node.get("children", []), np.eye(4)):
            if "mesh" in _item(self.nodes, below):
                yield _item(self.nodes, below)["mesh"], matrix

    def hull(
        self, meshes: list[tuple[int, FloatArray]], matrix: FloatArray, where: str
    ) -> tuple[Hull, str | None]:
        points: list[FloatArray] = []
        triangles: list[_Triangles] = []
        first = 0
        for number, within in meshes:
            for primitive in _item(self.document["meshes"], number)["primitives"]:
                vertices, rows = self.primitive(primitive)
                points.append(vertices @ within[:3, :3].T + within[:3, 3])
                triangles.append(rows + first)
                first += len(vertices)
        if not points:
            raise InputError(f"{where}: its geometry has no mesh.")
        # Writers duplicate vertices with several normals. Merge them before rounding separates them.
        vertices, rows = merged(np.vstack(points), np.vstack(triangles))
        placed = vertices @ matrix[:3, :3].T + matrix[:3, 3]
        hull, note = hull_of_part(ConvexPart(placed, rows), where)
        if hull is None:
            raise InputError(f"{where}: its mesh is flat and has no inside.")
        return hull, note

    def primitive(self, primitive: Any) -> tuple[FloatArray, _Triangles]:
        if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
            raise InputError("a collider's mesh must be made of triangles.")
        position = _item(self.document["accessors"], primitive["attributes"]["POSITION"])
        if (position["componentType"], position["type"]) != (_FLOAT32, "VEC3"):
            raise InputError("the positions of a collider's mesh must be three 32-bit floats each.")
        vertices = self.rows(position, "<f4", 3).astype(np.float64)
        if "indices" not in primitive:
            return vertices, np.arange(len(vertices) // 3 * 3).reshape(-1, 3)
        indices = _item(self.document["accessors"], primitive["indices"])
        rows = self.rows(indices, _INDICES[indices["componentType"]], 1).astype(np.int64)
        checked_indices(rows, len(vertices), "a collider's mesh")
        return vertices, rows[: len(rows) // 3 * 3].reshape(-1, 3)

    def rows(self, accessor: Any, kind: str, width: int) -> npt.NDArray[Any]:
        if "sparse" in accessor or "bufferView" not in accessor:
            raise InputError("hitbox does not read sparse accessors of a collider's mesh.")
        view = _item(self.document["bufferViews"], accessor["bufferView"])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        size = np.dtype(kind).itemsize * width
        step = view.get("byteStride", size)
        count = accessor["count"]
        data = self.buffer(view["buffer"])
        is_sound = start >= 0 and step >= size and count > 0
        if not is_sound or start + (count - 1) * step + size > len(data):
            raise InputError("an accessor reaches beyond its buffer.")
        strides = (step, np.dtype(kind).itemsize)
        return np.ndarray((count, width), kind, data, start, strides).copy()

    def buffer(self, number: int) -> bytes:
        if number not in self.buffers:
            uri = _item(self.document["buffers"], number).get("uri")
            self.buffers[number] = self.binary if uri is None else _content(uri, self.path)
        return self.buffers[number]


def _item(things: Any, number: Any) -> Any:
    """Return an item by its index. A negative index is invalid in glTF."""
    if not isinstance(number, int) or not 0 <= number < len(things):
        raise InputError(f"there is no index {number!r:.20} among {len(things)}.")
    return things[number]


def _content(uri: str, path: str) -> bytes:
    if uri.startswith("data:"):
        try:
            return base64.b64decode(uri.split(",", 1)[1], validate=True)
        except (IndexError, binascii.Error):
            raise InputError("a data URI is not base64.") from None
    folder = os.path.realpath(os.path.dirname(path) or ".")
    beside = os.path.realpath(os.path.join(folder, urllib.parse.unquote(uri)))
    if os.path.commonpath([folder, beside]) != folder:
        raise InputError(f"{uri!r:.80} lies outside the file's folder.")
    with open(beside, "rb") as file:
        return file.read()


def _matrix(node: Any) -> FloatArray:
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    turn = matrix_of(node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    matrix = np.eye(4)
    matrix[:3, :3] = turn * np.array(node.get("scale", (1.0, 1.0, 1.0)), np.float64)
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix
