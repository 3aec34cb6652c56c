"""Measure the speed of `hitbox.fit`: against CoACD and V-HACD, over mesh sizes, on bad cases, and its memory.

    python benchmarks/fit.py [--quick]

Every run has a process of its own. CPU seconds are those of all threads. The peers run with their defaults.
`--quick` leaves out the peers and the 4 M-face mesh, and only prints. One mesh is a scan, vhacd/feline.ply.gz
in the folder HITBOX_BENCH_DATA, which is left out if it is missing.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import harness
import numpy as np

SHAPES = 64
TYPICAL = 100_000

MESHES = {
    "knot": harness.knot,
    "fan": harness.fan,
    "flat grid": lambda faces: harness.flat_grid(round((faces / 2) ** 0.5)),
    "sphere": harness.sphere,
    "soup": harness.soup,
}


def mesh_of(name: str, faces: int) -> harness.Arrays:
    if name in MESHES:
        return MESHES[name](faces)
    import hitbox

    loaded = hitbox.load(harness.DATA / name)
    return loaded.vertices, loaded.triangles.astype(np.int64)


def run_hitbox(name: str, faces: int, threads: int) -> dict[str, Any]:
    import hitbox

    mesh = hitbox.Mesh(*mesh_of(name, faces))
    before = harness.peak_bytes()
    clock = harness.Clock()
    collider = hitbox.fit(mesh, SHAPES, threads=threads)
    result: dict[str, Any] = clock.read()
    parameters = b"".join(shape.params.tobytes() for shape in collider)
    return result | {
        "faces": mesh.face_count,
        "pieces": len(collider),
        "bytes": collider.nbytes,
        "peak": harness.peak_bytes(),
        "peak_before": before,
        "hash": hashlib.sha256(parameters).hexdigest()[:8],
    }


def run_peer(peer: str, name: str, faces: int) -> dict[str, Any]:
    vertices, triangles = mesh_of(name, faces)
    clock = harness.Clock()
    if peer == "coacd":
        import coacd

        coacd.set_log_level("error")
        clock = harness.Clock()
        pieces = coacd.run_coacd(coacd.Mesh(vertices, triangles))
    else:
        import vhacdx

        clock = harness.Clock()
        pieces = vhacdx.compute_vhacd(vertices, np.insert(triangles, 0, 3, axis=1).astype(np.uint32))
    result: dict[str, Any] = clock.read()
    return result | {"pieces": len(pieces)}


def run_small() -> dict[str, Any]:
    import hitbox

    times = {}
    for name in ("knot", "soup"):
        mesh = hitbox.Mesh(*mesh_of(name, 1000))
        hitbox.fit(mesh, SHAPES)
        seconds = []
        for _ in range(9):
            started = time.perf_counter()
            hitbox.fit(mesh, SHAPES)
            seconds.append(time.perf_counter() - started)
        times[f"{name} {mesh.face_count}"] = statistics.median(seconds)
    return times


def child(kind: str, *arguments: str) -> None:
    if kind == "hitbox":
        result = run_hitbox(arguments[0], int(arguments[1]), int(arguments[2]))
    elif kind == "small":
        result = run_small()
    else:
        result = run_peer(kind, arguments[0], int(arguments[1]))
    print(json.dumps(result))


def hitbox_runs(name: str, faces: int, rounds: int = 3, threads: int = 1) -> dict[str, Any]:
    """Return the run with the median CPU time."""
    runs = [harness.in_child(__file__, "hitbox", name, faces, threads) for _ in range(rounds)]
    assert len({run["hash"] for run in runs}) == 1, "the same input must give the same shapes"
    return sorted(runs, key=lambda run: float(run["cpu"]))[rounds // 2]


def against_peers() -> str:
    names = ["knot"] + [n for n in ("vhacd/feline.ply.gz",) if (harness.DATA / n).exists()]
    rows = []
    for name in names:
        ours = hitbox_runs(name, TYPICAL)
        all_cores = hitbox_runs(name, TYPICAL, threads=0)
        seconds = f"{ours['cpu']:.2f}", f"{all_cores['wall']:.2f}"
        rows.append([name, "hitbox", ours["pieces"], *seconds, "", ""])
        for peer in ("coacd", "vhacd"):
            theirs = harness.in_child(__file__, peer, name, TYPICAL)
            if "error" in theirs:
                rows.append([name, peer, "-", theirs["error"], "-", "-", "-"])
                continue
            ratios = f"{theirs['cpu'] / ours['cpu']:.0f}x", f"{theirs['wall'] / all_cores['wall']:.0f}x"
            seconds = f"{theirs['cpu']:.1f}", f"{theirs['wall']:.1f}"
            rows.append([name, peer, theirs["pieces"], *seconds, *ratios])
    head = ("mesh", "by", "pieces", "CPU s", "wall s", "hitbox uses less CPU by", "less wall by")
    return f"## About {TYPICAL:,} triangles to {SHAPES} shapes\n\n" + harness.table(head, rows)


def growth(sizes: tuple[int, ...]) -> str:
    base = hitbox_runs("knot", TYPICAL)
    typical = base["cpu"] / base["faces"]
    rows = []
    cases = [("knot", size) for size in sizes] + [
        ("fan", TYPICAL), ("flat grid", 2_000_000), ("sphere", 1_000_000), ("soup", TYPICAL),
    ]  # fmt: skip
    for name, faces in cases:
        run = base if (name, faces) == ("knot", TYPICAL) else hitbox_runs(name, faces)
        each = run["cpu"] / run["faces"]
        rows.append([
            name, f"{run['faces']:,}", run["pieces"], f"{run['cpu']:.2f}", f"{each * 1e6:.2f}",
            f"{each / typical:.2f}", f"{run['peak'] / run['faces']:.0f}", run["hash"],
        ])  # fmt: skip
    head = ("mesh", "faces", "shapes", "CPU s", "us a face", "to typical", "peak bytes per face", "hash")
    return "## Growth and bad cases, one thread; memory of the whole process\n\n" + harness.table(head, rows)


def small_and_import() -> str:
    small = harness.in_child(__file__, "small")
    rows = [[f"fit {name} faces", f"{seconds * 1e3:.1f} ms"] for name, seconds in small.items()]
    times: dict[str, list[float]] = {}
    for _ in range(7):  # interleaved, so that noise affects both alike
        for module in ("numpy", "hitbox"):
            started = harness.children_seconds()
            subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
            times.setdefault(module, []).append(harness.children_seconds() - started)
    bare = statistics.median(times["numpy"])
    ours = statistics.median(times["hitbox"])
    rows.append(["import numpy, whole process", f"{bare * 1e3:.0f} ms CPU"])
    rows.append(["import hitbox, whole process", f"{ours * 1e3:.0f} ms CPU ({ours / bare:.2f}x)"])
    return "## Small meshes and import\n\n" + harness.table(("what", "median"), rows)


def main() -> None:
    if "--child" in sys.argv:
        return child(*sys.argv[sys.argv.index("--child") + 1 :])
    quick = "--quick" in sys.argv
    parts = [] if quick else [against_peers()]
    sizes = (TYPICAL, 1_000_000) if quick else (10_000, TYPICAL, 1_000_000, 4_000_000)
    parts += [growth(sizes), small_and_import()]
    packages = ("hitbox", "numpy", "coacd", "vhacdx")
    text = "\n\n".join(parts)
    harness.publish(Path(__file__).stem, "How fast fit is", text, packages, judges=("fit",), whole=not quick)


if __name__ == "__main__":
    main()
