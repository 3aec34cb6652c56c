"""Compare the speed of exact distances to a mesh with Open3D (Embree), on the same queries in the same run.

    python benchmarks/evaluate.py [--quick]

The queries are a million points on the surfaces of a fitted collider of 64 shapes, as in an evaluation, and a
million anywhere in the mesh's box. Candidates take turns in one process, and the median of the rounds counts.
CPU seconds are those of all threads, and for hitbox those of a run on one thread. Wall seconds are those with
all cores, including the build. Open3D's scene has 32-bit floats, so the table has the largest difference of
the answers. `--quick` makes a tenth of everything, and only prints. One mesh is a scan, vhacd/feline.ply.gz
in the folder HITBOX_BENCH_DATA, which is left out if it is missing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import harness
import numpy as np
import numpy.typing as npt

SHAPES = 64
ROUNDS = 3
COLUMNS = ("queries", "both", "wall")
SCAN = "vhacd/feline.ply.gz"

Floats = npt.NDArray[np.float64]


def mesh_of(name: str, faces: int) -> Any:
    import hitbox

    return hitbox.Mesh(*harness.knot(faces)) if name == "knot" else hitbox.load(harness.DATA / name)


def queries_on_collider(mesh: Any, count: int) -> Floats:
    import hitbox
    from hitbox._native import _core

    pieces = [shape.to_mesh() for shape in hitbox.fit(mesh, SHAPES)]
    shifts = np.cumsum([0] + [len(v) for v, _ in pieces[:-1]])
    triangles = np.concatenate([t + shift for (_, t), shift in zip(pieces, shifts, strict=True)])
    points, _ = _core.sample_surface(
        np.concatenate([v for v, _ in pieces]), triangles.astype(np.uint32), count, 0
    )
    return np.asarray(points)


def queries_in_box(mesh: Any, count: int) -> Floats:
    return np.random.default_rng(0).uniform(*mesh.bounds, (count, 3))


QUERIES = {"on the collider": queries_on_collider, "anywhere in the box": queries_in_box}


def by_hitbox(mesh: Any, points: Floats) -> tuple[dict[str, float], Floats, str]:
    """One call builds and queries, so a call with one query measures the build."""
    from hitbox._native import _core

    arrays = mesh.vertices, mesh.indices, mesh.offsets
    clock = harness.Clock()
    _core.closest_points(points[:1], *arrays, 1)
    build = clock.read()
    clock = harness.Clock()
    answers = [np.asarray(a) for a in _core.closest_points(points, *arrays, 1)]
    both = clock.read()
    clock = harness.Clock()
    _core.closest_points(points, *arrays, 0)
    wall = clock.read()["wall"]
    found = hashlib.sha256(b"".join(a.tobytes() for a in answers)).hexdigest()[:8]
    return {"queries": both["cpu"] - build["cpu"], "both": both["cpu"], "wall": wall}, answers[0], found


def by_open3d(mesh: Any, points: Floats) -> tuple[dict[str, float], Floats]:
    import open3d as o3d

    vertices = o3d.core.Tensor(mesh.vertices.astype(np.float32))
    triangles = o3d.core.Tensor(mesh.triangles.astype(np.uint32))
    tensor = o3d.core.Tensor(points.astype(np.float32))
    clock = harness.Clock()
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(vertices, triangles)
    scene.compute_distance(tensor[:1])  # the first query builds the tree
    build = clock.read()
    distances = scene.compute_distance(tensor).numpy().astype(np.float64)
    both = clock.read()
    return {"queries": both["cpu"] - build["cpu"], "both": both["cpu"], "wall": both["wall"]}, distances


def child(name: str, faces: str, count: str, kind: str) -> None:
    mesh = mesh_of(name, int(faces))
    points = QUERIES[kind](mesh, int(count))
    peer = importlib.util.find_spec("open3d") is not None
    times: dict[str, list[dict[str, float]]] = {"hitbox": [], "open3d": []}
    hashes, difference = set(), 0.0
    for _ in range(ROUNDS):
        took, ours, found = by_hitbox(mesh, points)
        times["hitbox"].append(took)
        hashes.add(found)
        if peer:
            took, theirs = by_open3d(mesh, points)
            times["open3d"].append(took)
            difference = float(np.abs(ours - theirs).max()) / mesh.diagonal
    assert len(hashes) == 1, "the same queries must give the same answers"
    medians = {
        who: {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        for who, runs in times.items()
        if runs
    }
    print(json.dumps(medians | {"hash": hashes.pop(), "difference": difference, "faces": mesh.face_count}))


def seconds(times: dict[str, float]) -> str:
    return " / ".join(f"{times[key]:.2f}" for key in COLUMNS)


def against_open3d(faces: int, count: int) -> str:
    rows: list[list[object]] = []
    names = ["knot"] + [name for name in (SCAN,) if (harness.DATA / name).exists()]
    for name in names:
        for kind in QUERIES:
            run = harness.in_child(__file__, name, faces, count, kind)
            if "error" in run:
                rows.append([name, kind, run["error"], *["-"] * 5])
                continue
            row: list[object] = [name, kind, f"{run['faces']:,}", seconds(run["hitbox"])]
            if "open3d" not in run:
                rows.append([*row, "not installed", "-", run["hash"], "-"])
                continue
            ratios = [f"{run['hitbox'][key] / run['open3d'][key]:.2f}x" for key in COLUMNS]
            row += [seconds(run["open3d"]), " / ".join(ratios), run["hash"]]
            rows.append([*row, f"{run['difference']:.1e}"])
    head = ("mesh", "queries", "faces", "hitbox", "Open3D", "hitbox takes", "hash", "largest difference")
    note = "CPU s of the queries / CPU s with the build / wall s with it. Differences: of the diagonal.\n\n"
    return f"## {count:,} exact distances\n\n" + note + harness.table(head, rows)


def main() -> None:
    if "--child" in sys.argv:
        return child(*sys.argv[sys.argv.index("--child") + 1 :])
    quick = "--quick" in sys.argv
    size = 100_000 if quick else 1_000_000
    text = against_open3d(size, size)
    packages = ("hitbox", "numpy", "open3d")
    harness.publish(
        Path(__file__).stem, "How fast distances are", text, packages, judges=("evaluate",), whole=not quick
    )


if __name__ == "__main__":
    main()
