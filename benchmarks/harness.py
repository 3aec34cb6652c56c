"""Shared code of the benchmarks: meshes of any size, children with their CPU time and memory, tables.

Scanned meshes are not in the repository. The environment variable HITBOX_BENCH_DATA names their folder, by
default ../shared/data beside the repository. A benchmark leaves out missing meshes.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

RESULTS = Path(__file__).parent / "results"
DATA = Path(os.environ.get("HITBOX_BENCH_DATA") or Path(__file__).parents[2] / "shared" / "data")

Arrays = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def sheet(columns: int, rows: int, wrap: bool) -> npt.NDArray[np.int64]:
    """Triangles of a grid of `columns` x `rows` quads. Wrapped in both directions it is a torus."""
    width, height = (columns, rows) if wrap else (columns + 1, rows + 1)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"))
    right, up = (i + 1) % width, (j + 1) % height
    a, b, c, d = i * height + j, right * height + j, right * height + up, i * height + up
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def knot(faces: int) -> Arrays:
    """A bumpy trefoil knot: closed, organic, with about `faces` triangles."""
    rows = max(4, round((faces / 2 / 12) ** 0.5))
    columns = max(8, round(faces / 2 / rows))
    t = np.linspace(0, 2 * np.pi, columns, endpoint=False)[:, None]
    s = np.linspace(0, 2 * np.pi, rows, endpoint=False)[None, :]

    def curve(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], -1)

    along = curve(t + 1e-4) - curve(t - 1e-4)
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    side = np.cross(along, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    radius = 0.35 + 0.06 * np.sin(17 * t) * np.cos(5 * s) + 0.03 * np.sin(41 * t + 7 * s)
    around = np.cos(s)[..., None] * side + np.sin(s)[..., None] * np.cross(along, side)
    return (curve(t) + radius[..., None] * around).reshape(-1, 3), sheet(columns, rows, wrap=True)


def flat_grid(quads_a_side: int) -> Arrays:
    n = quads_a_side + 1
    x, y = (a.ravel().astype(float) for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    return np.stack([x, y, 0 * x], 1), sheet(quads_a_side, quads_a_side, wrap=False)


def fan(faces: int) -> Arrays:
    """All triangles share one vertex."""
    t = np.linspace(0, 2 * np.pi, faces, endpoint=False)
    rim = np.stack([np.cos(t), np.sin(t), 0.1 * np.sin(9 * t)], 1)
    k = np.arange(faces)
    return np.vstack([[0.0, 0.0, 0.0], rim]), np.stack([0 * k, k + 1, (k + 1) % faces + 1], 1)


def sphere(faces: int) -> Arrays:
    rows = round((faces / 4) ** 0.5)
    around, down = np.linspace(0, 2 * np.pi, 2 * rows + 1), np.linspace(0, np.pi, rows + 1)
    s, t = np.meshgrid(around, down, indexing="ij")
    points = np.stack([np.cos(s) * np.sin(t), np.sin(s) * np.sin(t), np.cos(t)], -1).reshape(-1, 3)
    return np.round(points, 15), sheet(2 * rows, rows, wrap=False)


def soup(faces: int) -> Arrays:
    """Separate triangles without shared vertices."""
    random = np.random.default_rng(0)
    points = random.random((faces, 1, 3)) * 100 + random.random((faces, 3, 3))
    return points.reshape(-1, 3), np.arange(3 * faces).reshape(-1, 3)


def tube(middle: npt.NDArray[np.float64], radius: float, sides: int, *, closed: bool) -> Arrays:
    """A round tube along the points `middle`: a ring if `closed`, otherwise with flat ends."""
    count = len(middle)
    if closed:
        along = np.roll(middle, -1, axis=0) - np.roll(middle, 1, axis=0)
    else:
        along = np.gradient(middle, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    sideways = [np.cross(along[0], [0.3, 0.5, 0.8])]
    for tangent in along[1:]:  # rotate each ring as little as possible against the previous one
        sideways.append(sideways[-1] - (sideways[-1] @ tangent) * tangent)
    side = np.array(sideways) / np.linalg.norm(sideways, axis=1, keepdims=True)
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)[None, :, None]
    around = np.cos(angle) * side[:, None] + np.sin(angle) * np.cross(along, side)[:, None]
    vertices = (middle[:, None] + radius * around).reshape(-1, 3)
    triangles = sheet(count, sides, wrap=True)[:, ::-1]
    if closed:
        return vertices, triangles
    last = np.tile(np.repeat(np.arange(count) == count - 1, sides), 2)  # back to the first ring
    k = np.arange(sides)
    ends, first_of_last = len(vertices), (count - 1) * sides
    caps = [
        np.stack([np.full(sides, ends), (k + 1) % sides, k], 1),
        np.stack([np.full(sides, ends + 1), first_of_last + k, first_of_last + (k + 1) % sides], 1),
    ]
    return np.vstack([vertices, middle[[0, -1]]]), np.concatenate([triangles[~last], *caps])


def torus(radius: float = 1.0, tube_radius: float = 0.25) -> Arrays:
    t = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    return tube(radius * np.stack([np.cos(t), np.sin(t), 0 * t], 1), tube_radius, 32, closed=True)


def helix(turns: int = 3) -> Arrays:
    t = np.linspace(0, 2 * np.pi * turns, 96 * turns)
    return tube(np.stack([np.cos(t), np.sin(t), 0.12 * t], 1), 0.2, 32, closed=False)


def bent_pipe() -> Arrays:
    """Straight, a quarter of a circle, straight."""
    t = np.linspace(0, np.pi / 2, 25)[1:-1]
    bend = np.stack([np.sin(t), 1 - np.cos(t)], 1)
    flat = np.vstack([[[-2.0, 0.0], [-1.0, 0.0], [0.0, 0.0]], bend, [[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]])
    return tube(np.insert(flat, 2, 0.0, axis=1), 0.25, 32, closed=False)


def name_of(path: Path) -> str:
    return path.name.split(".")[0]


def meshes_of_the_set() -> list[Path]:
    """Return the meshes, the smallest first."""
    manifest = DATA / "manifest.json"
    if not manifest.exists():
        sys.exit(f"{manifest} is not there: set HITBOX_BENCH_DATA, or give meshes.")
    entries = sorted(json.loads(manifest.read_text()), key=lambda entry: entry["faces"])
    return [DATA / entry["path"] for entry in entries]


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def in_child(script: str, *arguments: object, timeout: float = 1800) -> dict[str, Any]:
    """Run `script --child ...` in a process of its own, and return the JSON that it prints, or {"error":
    ...}.
    """
    command = [sys.executable, script, "--child", *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {timeout:g} s"}
    except subprocess.CalledProcessError as error:
        return {"error": f"ended with {error.returncode}: {error.stderr.strip().splitlines()[-1:]}"}


class Clock:
    """Measures CPU seconds of this process with all its threads, and wall seconds, since its creation."""

    def __init__(self) -> None:
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def read(self) -> dict[str, float]:
        return {"cpu": time.process_time() - self.cpu, "wall": time.perf_counter() - self.wall}


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def machine() -> str:
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
        model = names[0].split(":", 1)[1].strip() if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def installed(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


def commit() -> str:
    """Return the commit of the benchmarks' tree, with a + if files have changed since."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        ask = [*git, "rev-parse", "--short", "HEAD"]
        found = subprocess.check_output(ask, text=True, stderr=subprocess.DEVNULL)
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD"]).returncode != 0
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.strip() + ("+" if changed else "")


def publish(
    name: str, title: str, text: str, packages: Iterable[str], *, judges: Iterable[str], whole: bool,
    arguments: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Print a result. The result of a `whole` run is kept in results/, with its time, machine and command.

    `judges` are the verbs whose results the table shows. The file keeps a hash of the behaviour of each, so
    that stale.py can tell when the table no longer describes the code. `arguments` are those that matter for
    the result, by default the script's own.
    """
    print(text)
    if not whole:
        return
    from behaviour import behaviour  # it makes its meshes with this module
    from stale import behaviour_line

    versions = ", ".join(map(installed, packages))
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    shown = sys.argv[1:] if arguments is None else arguments
    command = " ".join(["python", f"benchmarks/{name}.py", *shown])
    head = f"# {title}\n\n{now} · {machine()} · {versions}\n\nMade by `{command}` at commit `{commit()}`.\n\n"
    head += f"{behaviour_line(behaviour(judges))}\n\n"
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(wrapped(head + text) + "\n")


def wrapped(text: str) -> str:
    """The text with long lines broken at 120 columns, except for rows of tables."""
    breaker = textwrap.TextWrapper(120, break_long_words=False, break_on_hyphens=False)
    lines = text.split("\n")
    return "\n".join(
        line if len(line) <= 120 or line.startswith("|") else breaker.fill(line) for line in lines
    )
