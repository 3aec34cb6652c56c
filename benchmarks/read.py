"""Measure the seconds to read a million faces in each format, also with trimesh if it is installed.

    python benchmarks/read.py [faces]

Each file lies in a temporary folder and is read once before the clock starts, so that the disk does not
count. The time is the median of three calls of `hitbox.load` in this process. With a number of faces the
script only prints the result.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import harness
import numpy as np
import numpy.typing as npt

import hitbox

Array = npt.NDArray[np.float32]


def wavy_grid(quads: int) -> tuple[Array, npt.NDArray[np.int64]]:
    side = round(quads**0.5)
    x, y = np.meshgrid(np.linspace(0, 1, side + 1), np.linspace(0, 1, side + 1))
    vertices = np.stack([x, y, 0.1 * np.sin(9 * x) * np.cos(7 * y)], axis=-1).reshape(-1, 3).astype("<f4")
    i = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    return vertices, np.stack([i, i + 1, i + side + 2, i + side + 1], axis=1)


def triangles_of(quads: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def write_ply(path: Path, vertices: Array, triangles: npt.NDArray[np.int64]) -> None:
    faces = np.empty(len(triangles), np.dtype([("n", "u1"), ("v", "<i4", 3)]))
    faces["n"], faces["v"] = 3, triangles
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n"
        f"property float x\nproperty float y\n"
        f"property float z\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    path.write_bytes(head.encode() + vertices.tobytes() + faces.tobytes())


def write_stl(path: Path, vertices: Array, triangles: npt.NDArray[np.int64]) -> None:
    records = np.zeros(
        len(triangles), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
    )
    records["corners"] = vertices[triangles]
    path.write_bytes(bytes(80) + struct.pack("<I", len(triangles)) + records.tobytes())


def write_glb(path: Path, vertices: Array, triangles: npt.NDArray[np.int64]) -> None:
    parts = vertices.tobytes(), triangles.astype("<u4").tobytes()
    low, high = vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": sum(map(len, parts))}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(parts[0])},
            {"buffer": 0, "byteOffset": len(parts[0]), "byteLength": len(parts[1])},
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(vertices),
                "type": "VEC3",
                "min": low,
                "max": high,
            },
            {"bufferView": 1, "componentType": 5125, "count": triangles.size, "type": "SCALAR"},
        ],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    body += struct.pack("<I4s", sum(map(len, parts)), b"BIN\0") + b"".join(parts)
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)


def write_obj(path: Path, vertices: Array, quads: npt.NDArray[np.int64]) -> None:
    with path.open("w") as file:
        file.writelines(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in vertices.tolist())
        file.writelines(f"f {a} {b} {c} {d}\n" for a, b, c, d in (quads + 1).tolist())


def write_all(folder: Path, faces: int) -> dict[str, Path]:
    """Write a file of `faces` triangles per format. The OBJ has as many quads."""
    half, whole = wavy_grid(faces // 2), wavy_grid(faces)
    paths = {kind: folder / f"mesh.{kind}" for kind in ("ply", "stl", "glb", "obj")}
    for kind, write in (("ply", write_ply), ("stl", write_stl), ("glb", write_glb)):
        write(paths[kind], half[0], triangles_of(half[1]))
    write_obj(paths["obj"], *whole)
    return paths


def median_seconds(action: Callable[[], object], rounds: int = 3) -> float:
    action()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    faces = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    has_trimesh = importlib.util.find_spec("trimesh") is not None
    if has_trimesh:
        import trimesh
    with tempfile.TemporaryDirectory() as folder:
        paths = write_all(Path(folder), faces)
        paths["obj.gz"] = Path(folder) / "mesh.obj.gz"
        paths["obj.gz"].write_bytes(gzip.compress(paths["obj"].read_bytes(), 6))
        rows = []
        for kind, path in paths.items():
            size = path.stat().st_size / 1e6
            seconds = median_seconds(lambda path=path: hitbox.load(path))  # type: ignore[misc]
            peer = "-"
            if has_trimesh and not kind.endswith("gz"):
                peer = f"{median_seconds(lambda path=path: trimesh.load(path, process=False)):.3f}"  # type: ignore[misc]
            count = f"{hitbox.load(path).face_count:,}"
            rows.append([kind, count, f"{size:.1f}", f"{seconds:.3f}", f"{size / seconds:.0f}", peer])
        verbs = []
        for kind in ("stl", "glb"):
            mesh = hitbox.load(paths[kind])
            clean, info = median_seconds(mesh.clean), median_seconds(mesh.info)
            verbs.append([kind, f"{clean:.3f}", f"{info:.3f}"])
    text = harness.table(("file", "faces", "MB", "hitbox s", "MB/s", "trimesh s"), rows)
    text += "\n\n" + harness.table(("file", "clean s", "info s"), verbs)
    packages = ("hitbox", "numpy", "trimesh")
    harness.publish(
        Path(__file__).stem, "How fast files are read", text, packages, judges=("load",),
        whole=len(sys.argv) == 1,
    )  # fmt: skip


if __name__ == "__main__":
    main()
