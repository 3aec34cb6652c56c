"""Compare `hitbox.carve` with CoACD and V-HACD: parts, CPU time and blocked space, as in the paper's Table 2.

    python benchmarks/carve.py [--answered] [--only NAME...] [--parts PART,...] [--store DIR]

The meshes are those of V-HACD's set in HITBOX_BENCH_DATA (see harness.py). r is the radius of the ball and t
the tolerance, both as fractions of the longest side of the bounding box. Two checks are made of every result
of hitbox. The first uses hitbox's own space (`space.overlap`, as in the paper; peers are compared with it
too). The second is tests/carve_judge.py, which shares no code with hitbox: exact distances (libigl's) on a
grid of a quarter of r or t, whichever is smaller, its own flood fill, and every face cut by every hull. CPU
seconds are those of one thread, of the method alone.

The store of compare.py (out/compare) keeps the peers' answers. The store out/carve keeps the space that the
oracle's balls reach and the results of this build of hitbox. So a second run computes only new results. In
the first run CoACD takes half a minute per mesh, and so does the oracle. `--answered` starts no peer. Only a
run over all meshes and parts is kept in results/carve.md.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import duels
import harness
import igl
import numpy as np
import numpy.typing as npt

import hitbox
from hitbox._base.store import Store
from hitbox._compare.peers import PEERS, PeerResult, run_peer
from hitbox._compare.run import _answer_key

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import carve_judge as judge

OUT = Path(__file__).parents[1] / "out"
PACKAGES = ("hitbox", "coacd", "vhacdx", "libigl", "scipy")
COVER = 1e-6  # fraction of the diagonal: how far a face may lie outside the hulls
# Radius and tolerance as the paper has them: shares of the longest side of the bounding box.
SPACES = {"coarse": (0.025, 0.05), "fine": (0.05, 0.01)}
EFFORT = 6.0
GROWTH = (100_000, 1_000_000)

Floats = npt.NDArray[np.float64]


def lengths(mesh: hitbox.Mesh, space: str) -> tuple[float, float]:
    """The radius and the tolerance in mesh units."""
    low, high = mesh.bounds
    radius, tolerance = (share * float((high - low).max()) for share in SPACES[space])
    return radius, tolerance


@dataclass(frozen=True)
class Case:
    """One way to call carve. `sticks_out` is how far a hull may leave the mesh's hull, in tolerances."""

    space: str
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    effort: bool = False
    sticks_out: float = 0.01


CASES = {
    "coarse": Case("coarse", "r 2.5 %, t 5 %"),
    "coarse-effort": Case("coarse", "r 2.5 %, t 5 %, effort", effort=True),
    "fine": Case("fine", "r 5 %, t 1 %"),
    "fine-effort": Case("fine", "r 5 %, t 1 %, effort", effort=True),
    "fine-64": Case("fine", "r 5 %, t 1 %, 64 vertices", {"max_vertices": 64}, sticks_out=0.3),
}
PARTS = (*CASES, "peers", "heart", "growth")


@dataclass(frozen=True)
class Settings:
    """The settings of all meshes of a run. They are sent to other processes."""

    store: Path
    answers: Path
    parts: tuple[str, ...]
    answered: bool
    effort: float

    def options(self, case: Case) -> dict[str, Any]:
        return {**case.options, **({"effort": self.effort} if case.effort else {})}


@dataclass(frozen=True)
class Made:
    """A collider of hitbox and its faults. `error` is the reason if there is no collider."""

    parts: int = 0
    cpu_seconds: float = 0.0
    # space -> the deepest overlap, as a fraction of r
    overlaps: dict[str, float] = field(default_factory=dict)
    judged_count: int = 0  # number of balls' centres that are too close to a hull
    judged_deepest: float = 0.0
    reached: int = 0  # number of checked centres
    uncovered: int = 0  # faces
    uncovered_width: float = 0.0  # width of the widest rest, as a fraction of the diagonal
    sticks_out: float = 0.0  # in tolerances
    not_convex: int = 0
    most_vertices: int = 0
    error: str | None = None

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Made:
        return Made(**{f.name: data[f.name] for f in fields(Made)})

    def faults(self, case: Case) -> list[str]:
        """Return one text per broken guarantee."""
        deepest = self.overlaps.get(case.space, 0)
        said = {
            f"fails: {self.error}": self.error is not None,
            f"overlaps its space, {deepest:.3g} r deep": deepest > 0,
            f"blocks {self.judged_count:,} centres of the judge, {self.judged_deepest:.3g} r deep":
                self.judged_count > 0,
            "the judge reached nothing": self.error is None and self.reached == 0,
            f"{self.uncovered:,} faces uncovered, by {self.uncovered_width:.2g} of the diagonal":
                self.uncovered > 0,
            f"sticks out by {self.sticks_out:.2g} t": self.sticks_out > case.sticks_out,
            f"{self.not_convex} hulls not convex": self.not_convex > 0,
            f"a hull of {self.most_vertices} vertices":
                self.most_vertices > case.options.get("max_vertices", np.inf),
        }  # fmt: skip
        return [text for text, wrong in said.items() if wrong]

    def blocks(self, case: Case) -> bool:
        return self.overlaps.get(case.space, 0) > 0 or self.judged_count > 0


@dataclass(frozen=True)
class Theirs:
    """The result of a peer."""

    parts: int
    cpu_seconds: float
    overlaps: dict[str, float]

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Theirs:
        return Theirs(**{f.name: data[f.name] for f in fields(Theirs)})


@dataclass
class Found:
    """All results for one mesh."""

    name: str
    faces: int
    made: dict[str, Made] = field(default_factory=dict)  # case -> result
    peers: dict[str, Theirs] = field(default_factory=dict)  # peers that answered


# ---------------------------------------------------------------- One mesh


class Bench:
    """One mesh and the store: carves, runs peers, checks and keeps results."""

    def __init__(self, mesh: hitbox.Mesh, settings: Settings) -> None:
        self.mesh, self.settings = mesh, settings
        self.store = Store(settings.store)
        self._spaces: dict[str, hitbox.NavigableSpace] = {}
        self._judges: dict[str, judge.OpenSpace] = {}

    @cached_property
    def arrays(self) -> tuple[Floats, npt.NDArray[np.int64]]:
        return self.mesh.vertices, self.mesh.triangles.astype(np.int64)

    def space(self, name: str) -> hitbox.NavigableSpace:
        if name not in self._spaces:
            self._spaces[name] = hitbox.navigable_space(self.mesh, *lengths(self.mesh, name), threads=1)
        return self._spaces[name]

    def made(self, name: str) -> Made:
        case, options = CASES[name], self.settings.options(CASES[name])
        key = {
            "what": "carve", "mesh": self.mesh.sha256, "space": SPACES[case.space], "options": options,
            "hitbox": duels.build(), "judge": source_digest(judge),
        }  # fmt: skip
        kept = self.store.get(key, Made.from_dict)
        if kept is None:
            kept = self._carved(case, options)
            self.store.put(key, asdict(kept))
        return kept

    def _carved(self, case: Case, options: Mapping[str, Any]) -> Made:
        clock = harness.Clock()
        try:
            collider = hitbox.carve(self.mesh, *lengths(self.mesh, case.space), threads=1, **options)
        except Exception as error:  # any error: the other meshes continue
            return Made(error=f"{type(error).__name__}: {error}")
        return self.judged(collider, clock.read()["cpu"], case.space)

    def judged(self, collider: hitbox.Collider, seconds: float, space: str) -> Made:
        pieces = [(s.vertices, s.triangles) if isinstance(s, hitbox.Hull) else s.to_mesh() for s in collider]
        hulls = [np.asarray(corners) for corners, _ in pieces]
        entered = self.judge(space).entered_by(hulls)
        bare = judge.uncovered(*self.arrays, hulls, COVER * self.mesh.diagonal)
        over = judge.sticks_out(*self.arrays, hulls) - COVER * self.mesh.diagonal
        return Made(
            parts=len(collider), cpu_seconds=seconds, overlaps=self.overlaps(collider),
            judged_count=entered.entered, judged_deepest=entered.deepest, reached=entered.reached,
            uncovered=len(bare), uncovered_width=max((w for _, w in bare), default=0.0) / self.mesh.diagonal,
            sticks_out=max(0.0, over / self.space(space).tolerance),
            not_convex=sum(not judge.is_convex(*piece) for piece in pieces),
            most_vertices=max(map(len, hulls), default=0),
        )  # fmt: skip

    def overlaps(self, collider: hitbox.Collider) -> dict[str, float]:
        return {name: self.space(name).overlap(collider, threads=1).deepest for name in SPACES}

    def judge(self, name: str) -> judge.OpenSpace:
        """Check a result with the oracle. The space that its balls reach takes longest, and is valid for all
        builds of hitbox.
        """
        if name not in self._judges:
            vertices, triangles = self.arrays
            radius, tolerance = lengths(self.mesh, name)
            space = (radius, tolerance, min(radius, tolerance) / 4)
            what = repr([self.mesh.sha256, *space, reaching_digest()])
            distances = exact_distances(vertices, triangles)
            path = self.settings.store / f"reached_{hashlib.sha256(what.encode()).hexdigest()[:32]}.npz"
            reached = read_bits(path)
            self._judges[name] = judge.OpenSpace(
                vertices, triangles, *space, distances=distances, reached=reached
            )
            if reached is None:
                write_bits(path, self._judges[name].reached)
        return self._judges[name]

    def peer(self, name: str) -> Theirs | None:
        """Return a peer's answer, from now or an earlier run, or None."""
        collider, seconds = self._answer(name)
        if collider is None or seconds is None:
            return None
        key = {"what": "overlaps", "mesh": self.mesh.sha256, "hitbox": duels.build(), "spaces": SPACES,
               "peer": _answer_key(self.mesh, PEERS[name], {})}  # fmt: skip
        kept = self.store.get(key, Theirs.from_dict)
        if kept is None:
            kept = Theirs(len(collider), seconds, self.overlaps(collider))
            self.store.put(key, asdict(kept))
        return kept

    def _answer(self, name: str) -> tuple[hitbox.Collider | None, float | None]:
        answers, key = Store(self.settings.answers), _answer_key(self.mesh, PEERS[name], {})
        limited = key | duels.LIMITS  # a failure is valid for its limits only
        kept = (answers.get(each, PeerResult.from_dict) for each in (key, limited))
        result = next((each for each in kept if each is not None), None)
        if result is None:
            if self.settings.answered:
                return None, None
            result = run_peer(PEERS[name], self.mesh, **duels.LIMITS)
            answers.put(limited if result.error else key, result.to_dict())
        return result.collider, result.cpu_seconds


def source_digest(*things: Any) -> str:
    return hashlib.sha256("".join(map(inspect.getsource, things)).encode()).hexdigest()[:16]


def reaching_digest() -> str:
    return source_digest(exact_distances, judge.Grid, judge.OpenSpace._reach, judge.connected_to_corner)


def exact_distances(vertices: Floats, triangles: npt.NDArray[np.int64]) -> judge.Field:
    """Compute the oracle's distances, equal up to the last bits, in a fortieth of the time."""
    tree = igl.AABB()
    tree.init(vertices, triangles)
    return lambda points: np.sqrt(tree.squared_distance(vertices, triangles, np.atleast_2d(points))[0])


def write_bits(path: Path, bits: npt.NDArray[np.bool_]) -> None:
    part = path.with_suffix(f".{os.getpid()}.part.npz")
    np.savez_compressed(part, shape=bits.shape, bits=np.packbits(bits))
    part.replace(path)


def read_bits(path: Path) -> npt.NDArray[np.bool_] | None:
    if not path.exists():
        return None
    with np.load(path) as kept:
        shape = tuple(kept["shape"])
        bits = np.unpackbits(kept["bits"], count=int(np.prod(shape)))
    return bits.view(bool).reshape(shape)


def examine(path: Path, settings: Settings) -> Found:
    bench = Bench(hitbox.load(path), settings)
    found = Found(harness.name_of(path), bench.mesh.face_count)
    if "peers" in settings.parts:
        answers = ((name, bench.peer(name)) for name in PEERS)
        found.peers = {name: answer for name, answer in answers if answer is not None}
    found.made = {name: bench.made(name) for name in CASES if name in settings.parts}
    return found


# ---------------------------------------------------------------- Generated meshes


def heart_shell(wall: float = 0.1, rows: int = 60) -> harness.Arrays:
    """Return a hollow heart: a closed surface, and the same surface smaller by `wall` and facing inward.

    The outer surface is Taubin's sextic (x^2 + 9/4 y^2 + z^2 - 1)^3 = x^2 z^3 + 9/80 y^2 z^3. Each ray from
    the centre meets it once.
    """
    x, y, z = directions = harness.sphere(4 * rows**2)[0].T
    square, odd = x**2 + 9 / 4 * y**2 + z**2, np.cbrt((x**2 + 9 / 80 * y**2) * z**3)
    near, far = np.zeros_like(x), np.full_like(x, 2.0)
    for _ in range(60):
        middle = (near + far) / 2
        inside = square * middle**2 - 1 < odd * middle ** (5 / 3)
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    outer, triangles = welded((near * directions).T, harness.sphere(4 * rows**2)[1])
    inner = triangles[:, ::-1] + len(outer)
    return np.vstack([outer, outer * (1 - wall)]), np.concatenate([triangles, inner])


def welded(points: Floats, triangles: npt.NDArray[np.int64]) -> harness.Arrays:
    """Merge equal points, and remove triangles that lose their area."""
    _, first, place = np.unique(np.round(points, 12), axis=0, return_index=True, return_inverse=True)
    triangles = place.ravel()[triangles]
    whole = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    return points[first], triangles[whole]


def heart(settings: Settings) -> Made:
    mesh = hitbox.Mesh(*heart_shell(), name="heart")
    return Bench(mesh, settings).made("fine")


@dataclass(frozen=True)
class Grown:
    """The same knot with more faces."""

    faces: int
    parts: int
    cpu_seconds: float

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Grown:
        return Grown(**{f.name: data[f.name] for f in fields(Grown)})


def growth(settings: Settings) -> list[Grown]:
    """Measure how the time grows. The results are not checked."""
    store, rows = Store(settings.store), []
    for faces in GROWTH:
        mesh = hitbox.Mesh(*harness.knot(faces), name="knot")
        key = {"what": "carve, growth", "mesh": mesh.sha256, "hitbox": duels.build()}
        kept = store.get(key, Grown.from_dict)
        if kept is None:
            clock = harness.Clock()
            collider = hitbox.carve(mesh, *lengths(mesh, "fine"), threads=1)
            kept = Grown(mesh.face_count, len(collider), clock.read()["cpu"])
            store.put(key, asdict(kept))
        rows.append(kept)
    return rows


# ---------------------------------------------------------------- Claims

Line = tuple[str, str, str, str, str]
CLAIMS_HEAD = ("claim", "found", "goal", "reached", "judged")


def yes(reached: bool) -> str:
    return "yes" if reached else "**no**"


def mean_parts(all_found: Sequence[Found], name: str) -> float:
    """Return the mean over the carved meshes. A failure has its own line."""
    return statistics.fmean(m.parts for f in all_found if (m := f.made[name]).error is None)


def carved(all_found: Sequence[Found], name: str) -> list[Found]:
    return [f for f in all_found if name in f.made and f.made[name].error is None]


def parts_line(all_found: Sequence[Found], name: str, most: float) -> Iterator[Line]:
    if judged := carved(all_found, name):
        found = mean_parts(judged, name)
        claim = f"mean parts, {CASES[name].label}"
        yield claim, f"{found:.1f}", f"at most {most:g}", yes(found <= most), str(len(judged))


def fewer_line(all_found: Sequence[Found], name: str, than: str, share: float) -> Iterator[Line]:
    """Compare the numbers of parts on the same meshes."""
    if judged := carved(carved(all_found, name), than):
        found = 1 - mean_parts(judged, name) / mean_parts(judged, than)
        claim = f"fewer parts by effort, {CASES[than].label}"
        yield claim, f"{found:.1%}", f"at least {share:.0%}", yes(found >= share), str(len(judged))


def promise_lines(all_found: Sequence[Found], name: str) -> Iterator[Line]:
    case = CASES[name]
    tried = [found.made[name] for found in all_found if name in found.made]
    if not tried:
        return
    counts = {
        "meshes that fail": sum(m.error is not None for m in tried),
        "meshes with overlap, by the space or the judge": sum(m.blocks(case) for m in tried),
        "uncovered faces": sum(m.uncovered for m in tried),
        "meshes with any other promise broken": sum(
            bool(m.faults(case)) and m.error is None and not m.blocks(case) and not m.uncovered for m in tried
        ),
    }
    for what, count in counts.items():
        yield f"{what}, {case.label}", f"{count:,}", "0", yes(count == 0), str(len(tried))


def speed_line(all_found: Sequence[Found], peer: str, share: float) -> Iterator[Line]:
    if judged := [f for f in carved(all_found, "fine") if peer in f.peers]:
        ours = statistics.fmean(f.made["fine"].cpu_seconds for f in judged)
        theirs = statistics.fmean(f.peers[peer].cpu_seconds for f in judged)
        claim = f"mean CPU seconds to {PEERS[peer].label}'s, {CASES['fine'].label}"
        found = f"{ours / theirs:.3f} ({ours:.2f} s, {theirs:.2f} s)"
        yield claim, found, f"at most {share:g}", yes(ours <= share * theirs), str(len(judged))


def growth_line(rows: Sequence[Grown]) -> Iterator[Line]:
    if rows:
        found = rows[-1].cpu_seconds / max(rows[0].cpu_seconds, 1e-6)
        claim = f"CPU seconds of {rows[-1].faces:,} faces to those of {rows[0].faces:,}, r 5 %, t 1 %"
        yield claim, f"{found:.1f}x", "at most 15x", yes(found <= 15), "1"


def heart_line(made: Made | None) -> Iterator[Line]:
    if made is not None:
        faults = made.faults(CASES["fine"])
        found = ", ".join([str(made.parts), *faults])
        yield "hulls of a hollow heart, r 5 %, t 1 %", found, "2", yes(made.parts == 2 and not faults), "1"


def claims(all_found: Sequence[Found], heart_made: Made | None, grown: Sequence[Grown]) -> str:
    lines = [
        *parts_line(all_found, "coarse", 8.4), *fewer_line(all_found, "coarse-effort", "coarse", 0.05),
        *parts_line(all_found, "fine", 34), *fewer_line(all_found, "fine-effort", "fine", 0.10),
        *parts_line(all_found, "fine-64", 40),
        *(line for name in CASES for line in promise_lines(all_found, name)),
        *speed_line(all_found, "coacd", 0.1), *speed_line(all_found, "vhacd", 0.5),
        *heart_line(heart_made), *growth_line(grown),
    ]  # fmt: skip
    return harness.table(CLAIMS_HEAD, lines)


# ---------------------------------------------------------------- Tables


def overlap_cells(all_overlaps: Sequence[Mapping[str, float]]) -> list[str]:
    """Return, for each space, the share of meshes that overlap, and the deepest overlap."""
    cells = []
    for name in SPACES:
        deepest = [overlaps[name] for overlaps in all_overlaps]
        cells += [f"{np.mean(np.greater(deepest, 0)):.0%}", f"{max(deepest):.2f}"]
    return cells


def methods_table(all_found: Sequence[Found]) -> str:
    """Return the paper's Table 2 with the oracle's results."""
    rows = []
    for name, case in CASES.items():
        if own := [f.made[name] for f in carved(all_found, name)]:
            rows.append([
                "hitbox", case.label, len(own), *means(own), *overlap_cells([m.overlaps for m in own]),
                sum(m.judged_count > 0 for m in own), f"{max(m.judged_deepest for m in own):.3f}",
                f"{sum(m.uncovered for m in own):,}", f"{max(m.sticks_out for m in own):.3f}",
            ])  # fmt: skip
    for name, peer in PEERS.items():
        if theirs := [f.peers[name] for f in all_found if name in f.peers]:
            overlaps = overlap_cells([t.overlaps for t in theirs])
            rows.append([peer.label, "defaults", len(theirs), *means(theirs), *overlaps, "", "", "", ""])
    head = ["method", "setting", "meshes", "parts", "CPU s"]
    head += ["overlap, r 2.5 % t 5 %", "deepest", "overlap, r 5 % t 1 %", "deepest"]
    head += ["judge: overlap", "deepest", "uncovered faces", "sticks out, t"]
    said = (
        "Means over the meshes with an answer. Overlap: the share of meshes with a hull in the space, and "
        "the deepest as a share of r; 1: a hull holds the middle of a ball. The judge's is a number of "
        "meshes, with the space the collider was made for."
    )
    return f"## Parts and what they block\n\n{said}\n\n{harness.table(head, rows)}" if rows else ""


def means(answers: Sequence[Made] | Sequence[Theirs]) -> list[str]:
    return [
        f"{statistics.fmean(a.parts for a in answers):.1f}",
        f"{statistics.fmean(a.cpu_seconds for a in answers):.2f}",
    ]


def faults_table(all_found: Sequence[Found]) -> str:
    rows = [
        [found.name, CASES[name].label, "; ".join(faults)]
        for found in all_found
        for name, made in found.made.items()
        if (faults := made.faults(CASES[name]))
    ]
    return "## Broken promises\n\n" + harness.table(("mesh", "setting", "what"), rows) if rows else ""


def meshes_table(all_found: Sequence[Found]) -> str:
    if not all_found:
        return ""
    names = [name for name in CASES if any(name in f.made for f in all_found)]
    head = ["mesh", "faces"]
    for name in names:
        head += [CASES[name].label, "CPU s"]
    for peer in PEERS.values():
        head += [peer.label, "CPU s", "deepest, r 2.5 %", "deepest, r 5 %"]
    rows = [
        [found.name, f"{found.faces:,}", *(text for name in names for text in made_cells(found.made[name])),
         *(text for name in PEERS for text in their_cells(found.peers.get(name)))]
        for found in all_found
    ]  # fmt: skip
    return "## Meshes\n\nParts and CPU seconds.\n\n" + harness.table(head, rows)


def made_cells(made: Made) -> list[str]:
    return ["fails", ""] if made.error else [str(made.parts), f"{made.cpu_seconds:.2f}"]


def their_cells(theirs: Theirs | None) -> list[str]:
    if theirs is None:
        return ["none", "", "", ""]
    deepest = [f"{theirs.overlaps[name]:.2f}" for name in SPACES]
    return [str(theirs.parts), f"{theirs.cpu_seconds:.1f}", *deepest]


def growth_table(rows: Sequence[Grown]) -> str:
    cells = [
        [f"{row.faces:,}", row.parts, f"{row.cpu_seconds:.2f}", f"{row.cpu_seconds / row.faces * 1e6:.1f}"]
        for row in rows
    ]
    head = ("faces", "parts", "CPU s", "us a face")
    return "## Growth\n\nA knot, r 5 %, t 1 %.\n\n" + harness.table(head, cells) if rows else ""


def report(all_found: Sequence[Found], heart_made: Made | None, grown: Sequence[Grown]) -> str:
    said = f"{len(all_found)} meshes, one thread. A claim is about those that were carved or answered."
    tables = (methods_table(all_found), faults_table(all_found), growth_table(grown), meshes_table(all_found))
    return "\n\n".join([said, claims(all_found, heart_made, grown), *filter(None, tables)])


# ---------------------------------------------------------------- The run


def examined(paths: Sequence[Path], settings: Settings, jobs: int) -> Iterator[Found]:
    """Yield results in the order of the meshes."""
    if jobs == 1:
        yield from (examine(path, settings) for path in paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(examine, paths, [settings] * len(paths))


def narrated(all_found: Iterable[Found], count: int) -> Iterator[Found]:
    started = time.monotonic()
    for k, found in enumerate(all_found, 1):
        said = [f"{name} {made.parts} in {made.cpu_seconds:.2f} s" for name, made in found.made.items()]
        said += [f"{PEERS[name].label} {t.parts} in {t.cpu_seconds:.1f} s" for name, t in found.peers.items()]
        took = time.monotonic() - started
        print(f"{k}/{count} {took:.0f} s {found.name} {found.faces:,}: {', '.join(said)}", file=sys.stderr)
        for name, made in found.made.items():
            for fault in made.faults(CASES[name]):
                print(f"    {CASES[name].label}: {fault}", file=sys.stderr)
        sys.stderr.flush()
        yield found


def chosen_of(given: list[str] | None, fail: Callable[[str], Any]) -> list[Path]:
    in_set = [path for path in harness.meshes_of_the_set() if path.parent.name == "vhacd"]
    paths = {harness.name_of(path): path for path in in_set}
    if unknown := {*(given or ())} - paths.keys():
        fail(f"--only: {', '.join(sorted(unknown))}: not in {harness.DATA / 'vhacd'}")
    return [paths[name] for name in paths if given is None or name in given]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=OUT / "carve")
    parser.add_argument("--answers", type=Path, default=OUT / "compare", help="where the peers' are kept")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="meshes, by name")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--answered", action="store_true", help="start no peer")
    parser.add_argument("--effort", type=float, default=EFFORT, help="where there is effort")
    parser.add_argument("--jobs", type=int, default=1, help="meshes at a time")
    given = parser.parse_args()
    asked = tuple(part for part in given.parts.split(",") if part)
    if unknown := {*asked} - {*PARTS}:
        parser.error(f"--parts: {', '.join(sorted(unknown))}: give some of {','.join(PARTS)}")
    chosen = chosen_of(given.only, parser.error)
    os.environ["OMP_NUM_THREADS"] = "1"  # for the peers
    settings = Settings(given.store, given.answers, asked, given.answered, given.effort)
    each = chosen if {*asked} & {*CASES, "peers"} else []
    all_found = list(narrated(examined(each, settings, given.jobs), len(each)))
    heart_made = heart(settings) if "heart" in asked else None
    grown = growth(settings) if "growth" in asked else []
    harness.publish(
        "carve", "carve against its peers", report(all_found, heart_made, grown), PACKAGES,
        judges=("carve", "space"), whole=given.only is None and {*asked} == {*PARTS},
        arguments=[
            *(["--answered"] if given.answered else []),
            *(["--effort", f"{given.effort:g}"] if given.effort != EFFORT else []),
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
