"""Measure CPU time and memory of five steps that people wait for, with the public API alone.

    python benchmarks/costs.py [--before PYTHON] [--turns N] [--quick] [--only hulls,space,load,clean,memory]

- hulls: a collider of 500 hulls of 64 vertices, read from JSON and written as URDF.
- space: `hitbox carve` on the lighthouse, alone and with --space-out.
- load: meshes of a million faces in four formats (the files of read.py).
- clean: several verbs on one mesh of 100,000 faces that was read from STL, which has to be welded.
- memory: the peak of a process that fits 64 shapes to a mesh of 4 M faces (that of fit.py).

CPU seconds are those of all threads: the median of several runs. `--before` is the Python of an environment
with another build of hitbox. Its figures stand in a column of their own: both builds measure the same step
one after the other, several times, so that other work on the machine affects both alike. `--quick` leaves the
memory out, and only prints. Without `--before` the script only prints, too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import fit
import harness
import numpy as np
import read

import hitbox

LIGHTHOUSE = Path(__file__).parents[1] / "examples" / "lighthouse.obj"
HULLS, HULL_VERTICES = 500, 64
FACES, MANY_FACES, FACES_TO_CLEAN = 1_000_000, 4_000_000, 100_000
ROUNDS, TURNS = 3, 3  # within a process; of the two builds
# For hundreds of small files: ext4 looks past each inode that any program freed in the last minutes, which
# here took up to 1 ms of CPU per file.
IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None

Figures: TypeAlias = dict[str, float]  # by step; seconds, or bytes per face


def median_cpu(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    action()
    seconds = []
    for _ in range(rounds):
        clock = harness.Clock()
        action()
        seconds.append(clock.read()["cpu"])
    return statistics.median(seconds)


def hulls() -> Figures:
    """Take hulls of random points on ellipsoids."""
    random = np.random.default_rng(0)
    clouds = random.normal(size=(HULLS, HULL_VERTICES, 3))
    clouds /= np.linalg.norm(clouds, axis=2, keepdims=True)
    clouds = clouds * random.uniform(0.2, 1, (HULLS, 1, 3)) + random.uniform(0, 20, (HULLS, 1, 3))
    k = np.arange(1, HULL_VERTICES - 1)
    fan = np.stack([0 * k, k, k + 1], axis=1)
    collider = hitbox.Collider.of([(cloud, fan) for cloud in clouds])
    assert all(len(shape.vertices) == HULL_VERTICES for shape in collider if isinstance(shape, hitbox.Hull))
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        paths = {suffix: Path(folder) / f"hulls.{suffix}" for suffix in ("json", "obj", "urdf")}
        for suffix in ("json", "obj"):
            collider.save(paths[suffix])
        reading = median_cpu(lambda: hitbox.Collider.load(paths["json"]))
        writing = median_cpu(lambda: collider.save(paths["urdf"]))
        convert = [sys.executable, "-m", "hitbox", "convert"]
        converting = {
            suffix: cpu_of_child([*convert, str(paths[suffix]), "-o", str(paths["urdf"])])
            for suffix in ("json", "obj")
        }
    what = f"{HULLS} hulls of {HULL_VERTICES} vertices"
    return {f"{what}: read from JSON": reading, f"{what}: written as URDF": writing} | {
        f"{what}: hitbox convert, {suffix} to URDF, with Python's start": seconds
        for suffix, seconds in converting.items()
    }


def space() -> Figures:
    corners = hitbox.load(LIGHTHOUSE).vertices
    side = float((corners.max(axis=0) - corners.min(axis=0)).max())
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "hitbox", "carve", str(LIGHTHOUSE), "--radius", str(0.03 * side),
            "--tolerance", str(0.01 * side), "-o", f"{folder}/carved.json", "--json",
        ]  # fmt: skip
        alone = cpu_of_child(command)
        with_space = cpu_of_child([*command, "--space-out", f"{folder}/space.json"])
    return {
        "hitbox carve, the lighthouse, r 3 %, t 1 % of the longest side": alone,
        "the same with --space-out": with_space,
    }


def cpu_of_child(command: list[str]) -> float:
    before = harness.children_seconds()
    subprocess.run(command, check=True, capture_output=True)
    return harness.children_seconds() - before


def load() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        paths = read.write_all(Path(folder), FACES)
        seconds = {kind: median_cpu(lambda path=path: hitbox.load(path)) for kind, path in paths.items()}  # type: ignore[misc]
    return {f"load {FACES:,} faces, {kind}": cpu for kind, cpu in seconds.items()}


def clean() -> Figures:
    """The first figure is of a mesh that nothing has cleaned, the second of one that `fit` has cleaned."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.stl"
        vertices, triangles = harness.knot(FACES_TO_CLEAN)
        read.write_stl(path, vertices.astype("<f4"), triangles)
        fresh = [hitbox.load(path) for _ in range(ROUNDS + 1)]
        used = hitbox.load(path)
        hitbox.fit(used, 4, preset="fast")
        what = f"{used.face_count:,} faces from STL"
        return {
            f"{what}: clean": median_cpu(lambda: fresh.pop().clean()),
            f"{what}: clean after fit": median_cpu(used.clean),
            f"{what}: fit, fit_tree and evaluate": median_cpu(lambda: _three_verbs(path)),
        }


def _three_verbs(path: Path) -> None:
    mesh = hitbox.load(path)
    collider = hitbox.fit(mesh, 4, preset="fast")
    hitbox.fit_tree(mesh, finest=4, preset="fast")
    hitbox.evaluate(mesh, collider, samples=10_000)


def memory() -> Figures:
    run = harness.in_child(fit.__file__, "hitbox", "knot", MANY_FACES, 1)
    what = f"fit {run['faces']:,} faces to {fit.SHAPES} shapes"
    return {
        f"{what}: peak of the process": run["peak"] / run["faces"],
        "the same before the fit, with the mesh made": run["peak_before"] / run["faces"],
        f"{what}: CPU": run["cpu"],
    }


PARTS: dict[str, Callable[[], Figures]] = {
    "hulls": hulls, "space": space, "load": load, "clean": clean, "memory": memory,
}  # fmt: skip


def goals(name: str, step: str, before: Figures, now: Figures) -> str:
    """Return the goal of a step, with the resulting figure if it is a ratio."""
    if step.endswith("written as URDF"):
        return "at most 0.3 s"
    if step.endswith("--space-out"):
        return f"1.0 of carve alone; is {now[step] / next(iter(now.values())):.2f}"
    if step.endswith("peak of the process"):
        return "at most 350 bytes per face"
    return "at most 0.8 of before" if name == "load" else ""


def shown(step: str, figure: float | None) -> str:
    if figure is None:
        return "-"
    if "peak" in step or "before the fit" in step:
        return f"{figure:.0f} bytes per face"
    return f"{figure:.2f} s" if figure >= 1 else f"{1e3 * figure:.1f} ms"


def rows_of(name: str, before: Figures, now: Figures) -> list[tuple[str, ...]]:
    return [
        (
            step, shown(step, before.get(step)), shown(step, figure),
            f"{figure / before[step]:.2f}" if before.get(step) else "-", goals(name, step, before, now),
        )
        for step, figure in now.items()
    ]  # fmt: skip


def measured(python: str, name: str) -> Figures:
    """Measure a part in a process of its own, with the hitbox that is installed for `python`."""
    command = [python, __file__, "--child", name]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def medians(each: list[Figures]) -> Figures:
    return {step: statistics.median(figures[step] for figures in each) for step in each[0]} if each else {}


def compared(name: str, before: str | None, turns: int) -> list[tuple[str, ...]]:
    now, then = [], []
    for _ in range(turns if name != "memory" else 1):
        if before is not None:
            then.append(measured(before, name))
        now.append(measured(sys.executable, name))
    return rows_of(name, medians(then), medians(now))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", metavar="PYTHON", help="of an environment with another build of hitbox")
    parser.add_argument("--turns", type=int, default=TURNS, help="how often each build measures a step")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--child", choices=list(PARTS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(PARTS[given.child]()))
        return
    chosen = [name for name in PARTS if name in given.only.split(",")]
    if given.quick:
        chosen = [name for name in chosen if name != "memory"]
    rows = [row for name in chosen for row in compared(name, given.before, given.turns)]
    harness.publish(
        "costs", "What five steps cost", harness.table(("step", "before", "now", "ratio", "goal"), rows),
        ("hitbox", "numpy"), judges=("fit", "carve", "load"),
        whole=chosen == list(PARTS) and given.before is not None,
        arguments=["--before", "OTHER_PYTHON", "--turns", str(given.turns)],
    )  # fmt: skip


if __name__ == "__main__":
    main()
