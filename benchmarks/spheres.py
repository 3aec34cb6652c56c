"""Measure how close spheres are to robot links: hitbox, medial balls, and merging.

    python benchmarks/spheres.py [--quick]

The links are parts of kuka_iiwa, shadow_hand, husky and spot_hip_link in the folder HITBOX_BENCH_DATA;
missing ones are left out. Times are CPU seconds of one thread. `--quick` takes three links and two counts,
and only prints.

PyPI has no package that makes such spheres (`foam` is not there, `morphit` is something else). So the medial
balls are an own implementation of the method of `foam` and its predecessors:

1. Take 4,000 points on the surface. At each, find the largest ball that touches it from inside and contains
   no other point (shrinking balls, Ma et al. 2012): 4,000 balls around the medial axis.
2. Cover greedily: grow all balls by the same length, and repeatedly take the ball that covers most uncovered
   points. The length is the smallest, found by bisection, for which `count` balls are enough.
3. Each ball shrinks to the points that it covers best, so that each radius is as small as its points allow.

Every sampled point is then covered. Points between the samples may not be.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import harness
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LINKS = {
    "kuka_iiwa": ("lbr_iiwa_link_0", "lbr_iiwa_link_2", "lbr_iiwa_link_5", "lbr_iiwa_link_7"),
    "shadow_hand": (
        "rh_forearm-forearm_1", "rh_palm-palm", "rh_ffproximal-f_proximal", "rh_ffdistal-f_distal_pst",
        "rh_thproximal-th_proximal",
    ),
    "husky": ("base_link", "front_left_wheel_link"),
    "spot_hip_link": (None,),
}  # fmt: skip
COUNTS = (8, 16, 32, 64, 128)
POINTS = 4000
SAMPLES = 30_000


def links() -> dict[str, Any]:
    import hitbox

    found = {}
    for robot, parts in LINKS.items():
        path = harness.DATA / "assets" / f"{robot}.obj.gz"
        if not path.exists():
            continue
        whole = hitbox.load(path)
        for part in parts:
            mesh = whole if part is None else part_of(whole, part)
            found[robot if part is None else f"{robot}/{part.split('-')[-1]}"] = mesh
    return found


def part_of(mesh: Any, name: str) -> Any:
    import hitbox

    chosen = mesh.triangles[mesh.part[mesh.triangle_faces] == mesh.part_names.index(name)]
    used, numbers = np.unique(chosen, return_inverse=True)
    return hitbox.Mesh(mesh.vertices[used], numbers.reshape(-1, 3), name=name)


def medial_balls(mesh: Any, count: int) -> Floats:
    """Return one row per ball: centre, radius."""
    from scipy.spatial.distance import cdist

    from hitbox._native import _core

    points, on = (np.asarray(a) for a in _core.sample_surface(mesh.vertices, mesh.triangles, POINTS, 0))
    a, b, c = (mesh.vertices[mesh.triangles[on][:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    centers, radii = shrinking_balls(points, normals, mesh.diagonal)
    distances = cdist(centers, points)  # one row per ball
    low, high = 0.0, mesh.diagonal
    chosen = greedy_cover(distances <= (radii + high)[:, None], count)
    for _ in range(9):
        middle = (low + high) / 2
        found = greedy_cover(distances <= (radii + middle)[:, None], count)
        if found is None:
            low = middle
        else:
            high, chosen = middle, found
    assert chosen is not None
    over = distances[chosen] - (radii[chosen] + high)[:, None]
    owner = over.argmin(axis=0)
    kept = np.unique(owner)
    reach = [distances[chosen[k]][owner == k].max() for k in kept]
    return np.column_stack([centers[[chosen[k] for k in kept]], reach])


def shrinking_balls(points: Floats, normals: Floats, diagonal: float) -> tuple[Floats, Floats]:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    radii = np.full(len(points), diagonal / 2)
    active = np.arange(len(points))
    for _ in range(30):
        centers = points[active] - normals[active] * radii[active, None]
        near, at = tree.query(centers)
        touching = (near >= radii[active] * (1 - 1e-3)) | (at == active)
        offset = points[active] - points[at]
        across = np.einsum("ij,ij->i", offset, normals[active])
        smaller = np.einsum("ij,ij->i", offset, offset) / np.maximum(2 * across, 1e-12 * diagonal)
        shrinks = ~touching & (smaller < radii[active])
        radii[active[shrinks]] = smaller[shrinks]
        active = active[shrinks]
        if len(active) == 0:
            break
    return points - normals * radii[:, None], radii


def greedy_cover(holds: npt.NDArray[np.bool_], most: int) -> list[int] | None:
    """Return at most `most` rows that together cover every column, or None if the greedy choice needs
    more.
    """
    chosen: list[int] = []
    counts = holds.sum(axis=1)
    columns = holds.T.astype(np.float32)
    open_columns = np.ones(holds.shape[1], bool)
    while open_columns.any():
        if len(chosen) == most:
            return None
        best = int(counts.argmax())
        if counts[best] == 0:
            return None
        gone = holds[best] & open_columns
        counts = counts - columns[gone].sum(axis=0).astype(int)
        open_columns &= ~gone
        chosen.append(best)
    return chosen


def made_by(method: str, mesh: Any, count: int) -> Any:
    import hitbox

    if method == "merging":
        return hitbox.fit_tree(mesh, count, kinds="sphere", threads=1).at(count)
    if method == "medial balls":
        return [hitbox.Sphere(tuple(row[:3]), row[3]) for row in medial_balls(mesh, count)]
    return hitbox.fit_spheres(mesh, count, mode=method, threads=1)


def measured(method: str, mesh: Any, count: int) -> dict[str, float]:
    from hitbox._judges.evaluate import evaluate

    clock = harness.Clock()
    spheres = made_by(method, mesh, count)
    seconds = clock.read()["cpu"]
    found = evaluate(mesh, spheres, samples=SAMPLES)
    volume = mesh.info().volume
    return {
        "spheres": len(spheres),
        "coverage": 1 - found.coverage.outside,
        "left out": found.coverage.largest,
        "mean": found.outer_surface.mean,
        "largest": found.outer_surface.hausdorff,
        "volume": found.union_volume.value / abs(volume) if volume else float("nan"),
        "to merging": found.union_volume.value,
        "cpu": seconds,
    }


METHODS = ("conservative", "balanced", "medial balls", "merging")


def cells(row: dict[str, float]) -> list[str]:
    ratio = "-" if np.isnan(row["volume"]) else f"{row['volume']:.2f}"
    return [
        f"{row['coverage']:.1%}", f"{row['left out']:.2%}", f"{row['mean']:.2%}", f"{row['largest']:.2%}",
        ratio, f"{row['to merging']:.2f}", f"{row['cpu']:.2f}",
    ]  # fmt: skip


HEAD = (
    "coverage", "furthest left out", "mean out", "largest out", "union / solid", "union / merging's", "CPU s",
)  # fmt: skip


def main() -> None:
    quick = "--quick" in sys.argv
    meshes = links()
    if not meshes:
        print(f"No links in {harness.DATA}: nothing to measure. Name their folder in HITBOX_BENCH_DATA.")
        return
    if quick:
        meshes = dict(list(meshes.items())[::4])
    counts = (16, 64) if quick else COUNTS
    rows: dict[tuple[str, int, str], dict[str, float]] = {}
    for name, mesh in meshes.items():
        for count in counts:
            for method in METHODS:
                rows[name, count, method] = measured(method, mesh, count)
            base = rows[name, count, "merging"]["to merging"]
            for method in METHODS:
                rows[name, count, method]["to merging"] /= base
            found = [f"{rows[name, count, method]['mean']:.2%}" for method in METHODS]
            print(name, count, *found, file=sys.stderr, flush=True)

    def average(count: int, method: str) -> dict[str, float]:
        chosen = [rows[name, count, method] for name in meshes]
        means = {key: float(np.nanmean([row[key] for row in chosen])) for key in chosen[0]}
        return means | {"left out": max(row["left out"] for row in chosen)}

    overall = [[count, method, *cells(average(count, method))] for count in counts for method in METHODS]
    one = 64 if 64 in counts else counts[-1]
    each = [[name, method, *cells(rows[name, one, method])] for name in meshes for method in METHODS]
    text = (
        f"{len(meshes)} robot links. Lengths: of a link's diagonal; `out` is evaluate's outer surface. "
        "union / solid is over the links that are closed, what is left out the furthest over all links. "
        "`conservative` and `balanced` are `fit_spheres(link, count, mode=...)`, `merging` is "
        "`fit_tree(link, count, kinds=\"sphere\").at(count)`; "
        "benchmarks/spheres.py describes the medial balls.\n\n"
        "## Means over all links\n\n" + harness.table(("count", "by", *HEAD), overall) +
        f"\n\n## Each link, {one} spheres\n\n" + harness.table(("link", "by", *HEAD), each)
    )  # fmt: skip
    title = "How close spheres are to robot links"
    packages = ("hitbox", "numpy", "scipy")
    harness.publish(Path(__file__).stem, title, text, packages, judges=("spheres",), whole=not quick)


if __name__ == "__main__":
    main()
