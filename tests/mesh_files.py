"""Write meshes in every format and variant that hitbox reads, with small, plain code that is independent of
it.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Faces = list[list[int]]

PLY_TYPES = {
    "i1": "char",
    "u1": "uchar",
    "i2": "short",
    "u2": "ushort",
    "i4": "int",
    "u4": "uint",
    "f4": "float",
    "f8": "double",
}


def obj(vertices: Points, faces: Faces, *, corner: str = "{0}", newline: str = "\n") -> bytes:
    lines = ["# by a test", *(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist())]
    lines += ["f " + " ".join(corner.format(v + 1) for v in face) for face in faces]
    return (newline.join(lines) + newline).encode()


def off(vertices: Points, faces: Faces, *, first: str = "OFF\n", tail: str = "") -> bytes:
    lines = [
        f"{len(vertices)} {len(faces)} 0",
        *(f"{x!r} {y!r} {z!r}{tail}" for x, y, z in vertices.tolist()),
    ]
    lines += [f"{len(face)} {' '.join(map(str, face))}{tail}" for face in faces]
    return (first + "\n".join(lines) + "\n").encode()


def ply(
    vertices: Points,
    faces: Faces,
    *,
    order: str = "<",
    point: str = "f8",
    count: str = "u1",
    index: str = "i4",
    list_name: str = "vertex_indices",
    newline: str = "\n",
) -> bytes:
    """Write a PLY file; `order` is "<", ">" or "" for text."""
    kind = {"<": "binary_little_endian", ">": "binary_big_endian", "": "ascii"}[order]
    head = ["ply", f"format {kind} 1.0", "comment a test", "obj_info none", f"element vertex {len(vertices)}"]
    head += [f"property {PLY_TYPES[point]} {axis}" for axis in "xyz"]
    head += [
        f"element face {len(faces)}",
        f"property list {PLY_TYPES[count]} {PLY_TYPES[index]} {list_name}",
        "end_header",
    ]
    start = (newline.join(head) + newline).encode()
    if not order:
        rows = [" ".join(repr(x) for x in p) for p in vertices.tolist()]
        rows += [" ".join(map(str, [len(face), *face])) for face in faces]
        return start + (newline.join(rows) + newline).encode()
    body = vertices.astype(order + point).tobytes()
    for face in faces:
        body += np.array([len(face)], order + count).tobytes() + np.array(face, order + index).tobytes()
    return start + body


def stl(vertices: Points, triangles: npt.NDArray[Any], *, header: bytes = b"binary") -> bytes:
    records = np.zeros(
        len(triangles), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
    )
    records["corners"] = vertices[triangles]
    return header.ljust(80, b"\0") + struct.pack("<I", len(triangles)) + records.tobytes()


def stl_text(
    vertices: Points, triangles: npt.NDArray[Any], *, name: str = "solid name", newline: str = "\n"
) -> bytes:
    lines = [f"solid {name}"]
    for triangle in vertices[triangles].tolist():
        lines += ["  facet normal 0 0 1", "    outer loop"]
        lines += [f"      vertex {x!r} {y!r} {z!r}" for x, y, z in triangle]
        lines += ["    endloop", "  endfacet"]
    return newline.join([*lines, f"endsolid {name}", ""]).encode()


class Gltf:
    """A glTF document that grows accessor by accessor."""

    def __init__(self) -> None:
        self.binary = b""
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "nodes": [],
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
        }

    def view(self, data: bytes, **more: Any) -> int:
        self.binary += b"\0" * (-len(self.binary) % 8)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **more}
        self.binary += data
        return self.add("bufferViews", view)

    def add(self, table: str, entry: dict[str, Any]) -> int:
        self.json.setdefault(table, []).append(entry)
        return len(self.json[table]) - 1

    def accessor(self, array: npt.NDArray[Any], *, stride: int = 0, **more: Any) -> int:
        """Add an accessor. `stride` is the number of bytes from one element to the next; gaps are filled with
        0xee.
        """
        kinds = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
        rows = array.reshape(len(array), -1)
        data, view = rows.tobytes(), {}
        if stride:
            size = rows.itemsize * rows.shape[1]
            data = b"".join(row.tobytes() + b"\xee" * (stride - size) for row in rows)
            view = {"byteStride": stride}
        kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[rows.shape[1]]
        entry = {
            "bufferView": self.view(data, **view),
            "componentType": kinds[array.dtype.str[1:]],
            "count": len(array),
            "type": kind,
        }
        return self.add("accessors", {**entry, **more})

    def mesh(self, vertices: npt.NDArray[Any], indices: npt.NDArray[Any] | None, **more: Any) -> int:
        primitive: dict[str, Any] = {"attributes": {"POSITION": self.accessor(vertices)}, **more}
        if indices is not None:
            primitive["indices"] = self.accessor(indices)
        return self.add("meshes", {"primitives": [primitive]})

    def glb(self) -> bytes:
        document = {**self.json, "buffers": [{"byteLength": len(self.binary)}]}
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + b"\0" * (-len(self.binary) % 4)
        chunks = (
            struct.pack("<I4s", len(text), b"JSON")
            + text
            + struct.pack("<I4s", len(binary), b"BIN\0")
            + binary
        )
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def gltf(self, uri: str | None = None) -> bytes:
        """Return the document with its buffer inside, or at `uri`."""
        inside = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        return json.dumps(
            {**self.json, "buffers": [{"byteLength": len(self.binary), "uri": uri or inside}]}
        ).encode()


def gltf_of(vertices: Points, triangles: npt.NDArray[Any]) -> Gltf:
    gltf = Gltf()
    gltf.add(
        "nodes", {"mesh": gltf.mesh(vertices.astype("<f4"), triangles.astype("<u4").ravel()), "name": "only"}
    )
    return gltf
