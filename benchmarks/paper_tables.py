"""Make the tables and figures of "Convex Primitive Decomposition for Collision Detection" for other meshes.

    python benchmarks/paper_tables.py [--quick] [--answered] [--only tables,fig9,fig13,fig14,fig16] [MESH...]

Tables 2 to 5 compare hitbox with CoACD and V-HACD with their defaults. Fig. 9 has time over faces. Fig. 13
has as many primitives as CoACD has hulls, in the drop scene. Fig. 14 has three sets of weights. Fig. 16
compares Eq. 4 with Eq. 5 by sampling. Each becomes a CSV in benchmarks/results/paper and a table in
benchmarks/results/paper_tables.md.

The meshes are those of HITBOX_BENCH_DATA (see harness.py), or the given MESH files. The store out/compare
keeps the peers' answers, so a second run computes only new ones. In the first run CoACD takes about a minute
per mesh. `--answered` starts no peer: the tables and Fig. 13 then have only meshes on which all peers have
answered in an earlier run. `--quick` takes the three smallest meshes and few balls, and only prints.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import harness
import numpy as np

import hitbox
from hitbox._compare import INPUT, Comparison, Row, compare, has_answer
from hitbox._judges.simulate import Simulation, simulate_together
from hitbox._methods.fit import _Job
from hitbox._methods.fit_options import FitOptions
from hitbox._methods.run import Call

STORE = Path(__file__).parents[1] / "out" / "compare"
CSV_FOLDER = harness.RESULTS / "paper"
PACKAGES = ("hitbox", "coacd", "vhacdx", "rapier3d")
PEERS = ("coacd", "vhacd")
TIMEOUT = 1500.0  # seconds: CoACD takes longer than 5 minutes on a few
KINDS = ("box", "sphere", "capsule", "cylinder", "frustum", "prism")

# Fig. 14's third set has only kinds that every engine has. Its text has 1.5 for boxes, its caption 1.
WEIGHTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "uniform": {"weights": "uniform"},
    "sphere 0.5, capsule 0.75, box 1": {
        "kinds": ("sphere", "capsule", "box"),
        "weights": {"sphere": 0.5, "capsule": 0.75, "box": 1.0},
    },
}
FIG_14_MESHES = ("kaykit_castle", "kuka_iiwa")
FIG_14_SHAPES = 128
FIG_16_MESHES = ("camel",)
FIG_16_SHAPES = 64
FIG_13_MESHES = ("chair", "octopus", "sledge", "block")


@dataclass(frozen=True)
class Scope:
    """The scope of a run."""

    meshes: list[Path]
    with_peers: list[Path]  # the meshes that the peers get
    balls: int
    frames: int
    dense: int  # samples per pair in Fig. 16
    sparse: int


def named(meshes: list[Path], names: Sequence[str]) -> list[Path]:
    """Return the meshes with these names, or the first two meshes if there are none."""
    return [path for path in meshes if harness.name_of(path) in names] or meshes[:2]


@dataclass(frozen=True)
class Table:
    """One table or figure: the content of its CSV, and its form in Markdown."""

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    said: str = ""

    def markdown(self) -> str:
        return f"## {self.title}\n\n{self.said}\n\n{harness.table(self.head, self.rows)}\n"

    def save(self) -> None:
        CSV_FOLDER.mkdir(parents=True, exist_ok=True)
        with open(CSV_FOLDER / f"{self.name}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.head)
            writer.writerows(self.rows)


def number(value: float | None, digits: int = 5) -> str:
    return "" if value is None else f"{value:.{digits}f}"


# ---------------------------------------------------------------- Tables 2 to 5


def ours(rows: Sequence[Row]) -> Row | None:
    """Return the row with a third of the smaller peer's bytes. The paper chose its counts by hand."""
    answered = [row for row in rows if row.method.startswith("hitbox") and row.error is None]
    return min(answered, key=lambda row: row.bytes or 0, default=None)


def triples(comparison: Comparison) -> list[tuple[str, int, list[Row | None]]]:
    """Return for each mesh its name, its faces, and the rows of hitbox, CoACD and V-HACD, or None for no
    answer.
    """
    found = []
    for subject in comparison.subjects:
        peers = {row.method: row for row in subject.rows if row.error is None}
        found.append((subject.name, subject.faces or 0, [ours(subject.rows), *(peers.get(p) for p in PEERS)]))
    return found


def table_2(comparison: Comparison) -> Table:
    all_three = [rows for _, _, rows in triples(comparison) if all(rows)]
    wins: list[list[object]] = []
    for surface in ("all", "outer"):
        for measure, said in (("hausdorff", "1-way Hausdorff"), ("mean", "1-way Chamfer")):
            values = np.array([[getattr(row, f"{surface}_{measure}") for row in rows] for rows in all_three])
            if not len(values):
                continue
            lowest = values.min(axis=1, keepdims=True) == values
            on = "all surfaces" if surface == "all" else "outer surface"
            wins.append([f"meshes with lowest {said}, {on}", *lowest.sum(axis=0).tolist()])
            wins.append([f"mean {said}, {on}", *(f"{v:.5f}" for v in values.mean(axis=0))])
            wins.append([f"median {said}, {on}", *(f"{v:.5f}" for v in np.median(values, axis=0))])
    return Table(
        "table_2", "Table 2: summary of distances", ("", "hitbox", "CoACD", "V-HACD"), wins,
        f"Over the {len(all_three)} of {len(comparison.subjects)} meshes on which all three answered. "
        "hitbox has at most a third of the bytes of the smaller peer.",
    )  # fmt: skip


def table_3(comparison: Comparison, facts: dict[str, hitbox.MeshInfo]) -> Table:
    rows = []
    for name, faces, (mine, *peers) in triples(comparison):
        counts = dict(mine.counts or {}) if mine else {}
        info = facts[name]
        rows.append([
            name, faces, "yes" if info.nonmanifold_edges else "", "yes" if info.boundary_edges else "",
            *(counts.get(kind, "") for kind in KINDS), mine.shapes if mine else "",
            *(row.shapes if row else "no answer" for row in peers),
            *(number(row.cpu_seconds, 2) if row else "" for row in (mine, *peers)),
        ])  # fmt: skip
    head = ["mesh", "faces", "non-manifold", "open", *KINDS, "shapes", "CoACD hulls", "V-HACD hulls",
            "hitbox CPU s", "CoACD CPU s", "V-HACD CPU s"]  # fmt: skip
    return Table("table_3", "Table 3: shapes by kind, and time", head, rows, "Empty cells are 0.")


def table_4(comparison: Comparison) -> Table:
    measures = [(s, m) for s in ("all", "outer") for m in ("hausdorff", "mean")]
    head = ["mesh"] + [f"{who} {m}, {s}" for s, m in measures for who in ("hitbox", "CoACD", "V-HACD")]
    rows = [
        [name, *(number(getattr(row, f"{s}_{m}")) if row else "" for s, m in measures for row in each)]
        for name, _, each in triples(comparison)
    ]
    return Table(
        "table_4", "Table 4: distances", head, rows, "Fractions of the diagonal of the mesh's bounding box."
    )


def table_5(comparison: Comparison) -> Table:
    rows: list[list[object]] = [
        [name, *(row.bytes if row else "" for row in each)] for name, _, each in triples(comparison)
    ]
    whole = [row[1:] for row in rows if all(row[1:])]
    if whole:
        rows.append(["mean", *(round(float(v)) for v in np.mean(whole, axis=0))])
        rows.append(["median", *(round(float(v)) for v in np.median(whole, axis=0))])
    head = ("mesh", "hitbox bytes", "CoACD bytes", "V-HACD bytes")
    return Table(
        "table_5", "Table 5: bytes", head, rows, "Mean and median over the meshes on which all answered."
    )


def tables(scope: Scope) -> list[Table]:
    if not scope.with_peers:
        return []
    comparison = compare(
        scope.with_peers, peers=PEERS, budget="bytes=1/3", simulate=False, timeout=TIMEOUT, cache=STORE,
        progress=narrate("tables"),
    )  # fmt: skip
    paired = zip(comparison.subjects, scope.with_peers, strict=True)
    facts = {subject.name: hitbox.load(path).info() for subject, path in paired}
    return [table_2(comparison), table_3(comparison, facts), table_4(comparison), table_5(comparison)]


# ---------------------------------------------------------------- Figures


def fig_9(scope: Scope) -> list[Table]:
    """Make Fig. 9: seconds over faces, on the set and on one surface at many sizes."""
    cases: list[tuple[str, Callable[[], hitbox.Mesh]]] = [
        (harness.name_of(path), lambda path=path: hitbox.load(path)) for path in scope.meshes
    ]
    sizes = (1_000, 10_000, 100_000) if scope.balls < 1000 else (1_000, 10_000, 100_000, 1_000_000, 4_000_000)
    cases += [(f"knot {size:,}", lambda size=size: hitbox.Mesh(*harness.knot(size))) for size in sizes]
    rows: list[list[Any]] = []
    for name, make in cases:
        mesh = make()
        clock = harness.Clock()
        shapes = len(hitbox.fit(mesh, 64))
        took = clock.read()
        rows.append([name, mesh.face_count, shapes, f"{took['cpu']:.3f}", f"{took['wall']:.3f}",
                     f"{1e6 * took['cpu'] / mesh.face_count:.2f}"])  # fmt: skip
    rows.sort(key=lambda row: row[1])
    large = [row for row in rows if row[1] >= 10_000]
    faces, seconds = np.log([row[1] for row in large]), np.log([float(row[3]) for row in large])
    power = np.polyfit(faces, seconds, 1)[0]
    said = f"From 10,000 faces on, time grows as faces to the power of {power:.2f} (1 is linear)."
    head = ("mesh", "faces", "shapes", "CPU s", "wall s", "CPU us a face")
    return [Table("fig_9", "Fig. 9: time over faces, to 64 shapes", head, rows, said)]


def in_drop_scene(scope: Scope, subjects: dict[str, Any]) -> dict[str, Simulation]:
    return simulate_together(
        subjects, reference=INPUT, balls=scope.balls, frames=scope.frames, progress=narrate("drop")
    )


def simulated_cells(run: Simulation) -> list[str]:
    like = run.similarity
    return [
        f"{run.mean_ms:.2f}",
        f"{run.p95_ms:.2f}",
        *([number(like.height_field, 4), number(like.trajectories, 4)] if like else ["", ""]),
    ]


def measured_cells(mesh: hitbox.Mesh, collider: hitbox.Collider) -> list[str]:
    found = hitbox.evaluate(mesh, collider)
    return [
        str(len(collider)),
        str(collider.nbytes),
        number(found.outer_surface.mean),
        number(found.outer_surface.hausdorff),
    ]


SIMULATED = ("ms a frame, mean", "ms, p95", "height field", "trajectories")
MEASURED = ("shapes", "bytes", "outer mean", "outer Hausdorff")


def fig_13(scope: Scope) -> list[Table]:
    """Make Fig. 13: the same number of primitives as CoACD has hulls."""
    rows = []
    chosen = named(scope.with_peers, FIG_13_MESHES)
    if not chosen:
        return []
    kept = compare(
        chosen, peers=("coacd",), simulate=False, timeout=TIMEOUT, cache=STORE, progress=narrate("fig 13")
    )
    for path, subject in zip(chosen, kept.subjects, strict=True):
        hulls = next((row.collider for row in subject.rows if row.method == "coacd"), None)
        if hulls is None:
            continue
        mesh = hitbox.load(path)
        subjects = {"hitbox": hitbox.fit(mesh, len(hulls)), "CoACD": hulls}
        runs = in_drop_scene(scope, {**subjects, INPUT: mesh})
        rows += [
            [subject.name, who, *measured_cells(mesh, c), *simulated_cells(runs[who])]
            for who, c in subjects.items()
        ]
        rows.append([subject.name, "input as triangles", "", "", "", "", *simulated_cells(runs[INPUT])])
    said = f"{scope.balls:,} balls, {scope.frames:,} frames, Rapier, one thread, candidates frame by frame."
    return [Table("fig_13", "Fig. 13: equal counts", ("mesh", "collider", *MEASURED, *SIMULATED), rows, said)]


def fig_14(scope: Scope) -> list[Table]:
    rows = []
    for path in named(scope.meshes, FIG_14_MESHES):
        mesh = hitbox.load(path)
        subjects = {name: hitbox.fit(mesh, FIG_14_SHAPES, **options) for name, options in WEIGHTS.items()}
        runs = in_drop_scene(scope, {**subjects, INPUT: mesh})
        for name, collider in subjects.items():
            kinds = ", ".join(f"{count} {kind}" for kind, count in collider.counts.items())
            cells = [*measured_cells(mesh, collider), *simulated_cells(runs[name])]
            rows.append([harness.name_of(path), name, kinds, *cells])
    head = ("mesh", "weights", "kinds", *MEASURED, *SIMULATED)
    return [Table("fig_14", f"Fig. 14: weights, {FIG_14_SHAPES} shapes", head, rows)]


def fig_16(scope: Scope) -> list[Table]:
    """Make Fig. 16: merging by Eq. 4 and by Eq. 5, whose overlaps are sampled for every pair."""
    rows = []
    variants = [("Eq. 4", "volume", 0), (f"Eq. 5, {scope.sparse:,} samples", "joint", scope.sparse),
                (f"Eq. 5, {scope.dense:,} samples", "joint", scope.dense)]  # fmt: skip
    for path in named(scope.meshes, FIG_16_MESHES):
        mesh = hitbox.load(path)
        base = 0.0
        for name, cost, samples in variants:
            # The steps of `fit`, with a number of samples that is not a public option because users do not
            # need it.
            call = Call("fit", threads=0)
            job = _Job(mesh, FitOptions(cost=cost), call)
            job.core_options.overlap_samples = samples
            clock = harness.Clock()
            collider = job.collider(job.shapes(FIG_16_SHAPES), FIG_16_SHAPES, call)
            seconds = clock.read()["cpu"]
            base = base or seconds
            rows.append(
                [
                    harness.name_of(path),
                    name,
                    f"{seconds:.2f}",
                    f"{seconds / base:.0f}x",
                    *measured_cells(mesh, collider),
                ]
            )
    head = ("mesh", "cost", "CPU s", "to Eq. 4", *MEASURED)
    return [Table("fig_16", f"Fig. 16: Eq. 4 against Eq. 5, {FIG_16_SHAPES} shapes", head, rows,
                  "The paper reports 30x the time of Eq. 4 and no visible gain.")]  # fmt: skip


PARTS: dict[str, Callable[[Scope], list[Table]]] = {
    "tables": tables, "fig9": fig_9, "fig13": fig_13, "fig14": fig_14, "fig16": fig_16,
}  # fmt: skip


def narrate(what: str) -> Callable[[str, float], None]:
    """Print a line on stderr every ten seconds."""
    last = [time.monotonic()]

    def say(stage: str, fraction: float) -> None:
        if time.monotonic() - last[0] > 10:
            last[0] = time.monotonic()
            print(f"{what}: {stage}, {fraction:.0%}", file=sys.stderr, flush=True)

    return say


def all_answered(path: Path) -> bool:
    mesh = hitbox.load(path)
    return all(has_answer(mesh, peer, STORE) for peer in PEERS)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("meshes", nargs="*", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--answered", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    given = parser.parse_args()
    meshes = given.meshes or harness.meshes_of_the_set()
    if given.quick:
        meshes = meshes[:3]
    with_peers = [path for path in meshes if all_answered(path)] if given.answered else meshes
    scope = Scope(meshes, with_peers, balls=5000, frames=1000, sparse=50_000, dense=1_000_000)
    if given.quick:
        scope = replace(scope, balls=200, frames=100, sparse=500, dense=5_000)
    made = [table for part in given.only.split(",") for table in PARTS[part](scope)]
    whole = not given.quick and not given.meshes and given.only == ",".join(PARTS)
    if whole:
        for table in made:
            table.save()
    said = f"{len(meshes)} meshes, {len(with_peers)} of them with the peers."
    text = f"{said}\n\n" + "\n".join(table.markdown() for table in made)
    harness.publish(
        "paper_tables", "The paper's tables and figures", text, PACKAGES,
        judges=("fit", "evaluate", "simulate"), whole=whole,
    )  # fmt: skip


if __name__ == "__main__":
    main()
