"""Measure CPU time and memory of four steps that people wait for, with the public API alone.

    python benchmarks/costs.py [--quick] [--only hulls,space,load,memory]

- hulls: a collider of 500 hulls of 64 vertices, read from JSON and written as URDF.
- space: `hitbox carve` on the lighthouse, alone and with --space-out.
- load: meshes of a million faces in four formats (the files of read.py).
- memory: the peak of a process that fits 64 shapes to a mesh of 4 M faces (that of fit.py).

CPU seconds are those of all threads: the median of several runs. Run it with two builds, one after the other
on an idle machine, to compare them. `--quick` leaves the memory out, and only prints.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import fit
import harness
import numpy as np
import read

import hitbox

LIGHTHOUSE = Path(__file__).parents[1] / "examples" / "lighthouse.obj"
HULLS, HULL_VERTICES = 500, 64
FACES, MANY_FACES = 1_000_000, 4_000_000
ROUNDS = 5

Row = tuple[str, str, str]  # step, figure, goal


def median_cpu(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    action()
    seconds = []
    for _ in range(rounds):
        clock = harness.Clock()
        action()
        seconds.append(clock.read()["cpu"])
    return statistics.median(seconds)


def hulls() -> list[Row]:
    """Return random points on ellipsoids. Collider.of takes the hull of each set."""
    random = np.random.default_rng(0)
    clouds = random.normal(size=(HULLS, HULL_VERTICES, 3))
    clouds /= np.linalg.norm(clouds, axis=2, keepdims=True)
    clouds = clouds * random.uniform(0.2, 1, (HULLS, 1, 3)) + random.uniform(0, 20, (HULLS, 1, 3))
    k = np.arange(1, HULL_VERTICES - 1)
    fan = np.stack([0 * k, k, k + 1], axis=1)
    collider = hitbox.Collider.of([(cloud, fan) for cloud in clouds])
    assert all(len(shape.vertices) == HULL_VERTICES for shape in collider if isinstance(shape, hitbox.Hull))
    with tempfile.TemporaryDirectory() as folder:
        paths = {suffix: Path(folder) / f"hulls.{suffix}" for suffix in ("json", "obj", "urdf")}
        for suffix in ("json", "obj"):
            collider.save(paths[suffix])
        reading = median_cpu(lambda: hitbox.Collider.load(paths["json"]))
        writing = median_cpu(lambda: collider.save(paths["urdf"]))
        convert = [sys.executable, "-m", "hitbox", "convert"]
        converting = {
            suffix: median_of_children([*convert, str(paths[suffix]), "-o", str(paths["urdf"])])
            for suffix in ("json", "obj")
        }
    what = f"{HULLS} hulls of {HULL_VERTICES} vertices"
    return [
        (f"{what}: read from JSON", f"{reading:.2f} s", ""),
        (f"{what}: written as URDF", f"{writing:.2f} s", "0.3 s"),
        *(
            (f"{what}: hitbox convert, {suffix} to URDF, with Python's start", f"{seconds:.2f} s", "")
            for suffix, seconds in converting.items()
        ),
    ]


def space() -> list[Row]:
    corners = hitbox.load(LIGHTHOUSE).vertices
    side = float((corners.max(axis=0) - corners.min(axis=0)).max())
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "hitbox", "carve", str(LIGHTHOUSE), "--radius", str(0.03 * side),
            "--tolerance", str(0.01 * side), "-o", f"{folder}/carved.json", "--json",
        ]  # fmt: skip
        alone = median_of_children(command)
        with_space = median_of_children([*command, "--space-out", f"{folder}/space.json"])
    ratio = f"{with_space / alone:.2f} of carve alone"
    return [
        ("hitbox carve, the lighthouse, r 3 %, t 1 % of the longest side", f"{alone:.2f} s", ""),
        ("the same with --space-out", f"{with_space:.2f} s: {ratio}", "1.0"),
    ]


def median_of_children(command: list[str], rounds: int = 3) -> float:
    seconds = []
    for _ in range(rounds):
        before = harness.children_seconds()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(harness.children_seconds() - before)
    return statistics.median(seconds)


def load() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        paths = read.write_all(Path(folder), FACES)
        seconds = {kind: median_cpu(lambda path=path: hitbox.load(path)) for kind, path in paths.items()}  # type: ignore[misc]
    return [(f"load {FACES:,} faces, {kind}", f"{cpu:.3f} s", "20 % less") for kind, cpu in seconds.items()]


def memory() -> list[Row]:
    run = harness.in_child(fit.__file__, "hitbox", "knot", MANY_FACES, 1)
    each = [f"{run[name] / run['faces']:.0f} bytes per face" for name in ("peak", "peak_before")]
    what = f"fit {run['faces']:,} faces to {fit.SHAPES} shapes"
    return [
        (f"{what}: peak of the process", each[0], "350"),
        ("the same before the fit, with the mesh made", each[1], ""),
        (f"{what}: CPU", f"{run['cpu']:.2f} s", ""),
    ]


PARTS: dict[str, Callable[[], list[Row]]] = {"hulls": hulls, "space": space, "load": load, "memory": memory}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    given = parser.parse_args()
    chosen = [name for name in PARTS if name in given.only.split(",")]
    if given.quick:
        chosen = [name for name in chosen if name != "memory"]
    rows = [row for name in chosen for row in PARTS[name]()]
    harness.publish(
        "costs", "What four steps cost", harness.table(("what", "found", "goal"), rows), ("hitbox", "numpy"),
        judges=("fit", "carve", "load"), whole=chosen == list(PARTS),
    )  # fmt: skip


if __name__ == "__main__":
    main()
