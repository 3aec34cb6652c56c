"""Whether `hitbox.fit` is better than its peers: every claim with its goal, and one row a mesh.

    python benchmarks/compare.py [--answered] [--only NAME...] [--store DIR] [--parts bytes,volume,...]

Distances are fractions of the diagonal of the mesh's bounding box. CPU seconds are those of all threads, of
the method alone; looking for the count that fits a budget does not count.

The meshes are those of HITBOX_BENCH_DATA (see harness.py). What the peers answered, what was measured on it
and what hitbox made with this very build is kept in the store (out/compare), so a second run only does what
is new. `--answered` starts no peer: it takes the answers that are in the store. Why a mesh is lost is written
by hand in compare_reasons.json. Only a run over all meshes and parts is kept in results/compare.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from functools import cache
from math import floor
from pathlib import Path
from typing import Any

import harness

import hitbox
from hitbox import _core
from hitbox.compare.peers import PEERS, PeerResult, run_peer
from hitbox.compare.run import _answer_key, _digest
from hitbox.compare.store import Store
from hitbox.evaluate import distances
from hitbox.fit import FitOptions

STORE = Path(__file__).parents[1] / "out" / "compare"
REASONS = Path(__file__).with_name("compare_reasons.json")
PACKAGES = ("hitbox", "coacd", "vhacdx", "rapier3d")
LIMITS = {"timeout": 1500.0, "memory": 8.0}  # of a peer: seconds, GiB

BUDGETS = (("coacd", Fraction(1, 3)), ("coacd", Fraction(1, 10)), ("vhacd", Fraction(1, 3)))
VOLUME_COUNTS = (16, 64, 256)
PRESET_COUNTS = (64, 256)
MEASURES = {
    "outer_mean": "outer mean",
    "outer_hausdorff": "outer Hausdorff",
    "all_mean": "mean, all surfaces",
    "all_hausdorff": "Hausdorff, all surfaces",
}
# Of each budget: on how many meshes hitbox should have the lower value.
LOWER_GOALS = {
    ("coacd", Fraction(1, 3)): {
        "outer_mean": 0.95, "outer_hausdorff": 0.90, "all_mean": 0.90, "all_hausdorff": 0.85,
    },
    ("coacd", Fraction(1, 10)): {"outer_mean": 0.75, "outer_hausdorff": 0.60},
    ("vhacd", Fraction(1, 3)): {"outer_mean": 0.97, "outer_hausdorff": 0.95},
}  # fmt: skip
SPEED_GOALS = {"coacd": 30.0, "vhacd": 10.0}


@dataclass(frozen=True)
class Settings:
    """What holds for all meshes of a run; crosses to other processes."""

    store: Path
    parts: tuple[str, ...]
    answered: bool
    samples: int
    threads: int


@dataclass(frozen=True)
class Figures:
    """One collider of one mesh. `outer_*` is None where nothing of it can be touched from outside."""

    shapes: int
    bytes: int
    cpu_seconds: float
    outer_mean: float | None
    outer_hausdorff: float | None
    all_mean: float
    all_hausdorff: float
    count: int | None = None  # that hitbox was asked for

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Figures:
        return Figures(**{f.name: data[f.name] for f in fields(Figures)})


@dataclass(frozen=True)
class Duel:
    """hitbox with a share of a peer's bytes; None: not even one shape is that small."""

    budget: int
    ours: Figures | None
    theirs: Figures

    def ratio(self, measure: str) -> float | None:
        """Ours to theirs; None: one of the two has no such value."""
        theirs = getattr(self.theirs, measure)
        if self.ours is None or theirs is None or getattr(self.ours, measure) is None:
            return None
        return float(getattr(self.ours, measure)) / max(theirs, 1e-12)

    def lower(self, measure: str) -> bool | None:
        """None: not to be judged."""
        if self.ours is None:
            return False
        ratio = self.ratio(measure)
        return None if ratio is None else ratio < 1


@dataclass
class Found:
    """All that was found on one mesh."""

    name: str
    faces: int
    closed: bool
    duels: dict[tuple[str, Fraction], Duel] = field(default_factory=dict)
    default: dict[int, Figures] = field(default_factory=dict)  # by count
    volume: dict[int, Figures] = field(default_factory=dict)
    fast: dict[int, Figures] = field(default_factory=dict)
    fine: dict[int, Figures] = field(default_factory=dict)


# ---------------------------------------------------------------- One mesh


class Bench:
    """One mesh with the store: asks, measures and keeps."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.mesh = hitbox.load(path)
        self.settings = settings
        self.store = Store(settings.store)

    def peer(self, name: str) -> PeerResult | None:
        """What the peer answered, now or in an earlier run; None: nothing."""
        key = _answer_key(self.mesh, PEERS[name], {})
        for each in (key, key | LIMITS):  # a failure belongs to its limits
            kept = self.store.get(each, PeerResult.from_dict)
            if kept is not None:
                return None if kept.error else kept
        if self.settings.answered:
            return None
        result = run_peer(PEERS[name], self.mesh, **LIMITS)
        self.store.put(key | LIMITS if result.error else key, result.to_dict())
        return None if result.error else result

    def measure_peer(self, result: PeerResult) -> Figures:
        assert result.collider is not None
        assert result.cpu_seconds is not None
        return self.measure(result.collider, result.cpu_seconds)

    def fit(self, count: int, **options: Any) -> Figures:
        return self._kept(
            {"what": "fit at a count", "count": count, "options": options},
            lambda: self._measured_fit(count, options),
        )

    def fit_within(self, most: int) -> Figures | None:
        """The largest count whose collider has at most `most` bytes."""
        key = {"what": "fit within bytes", "most": most}
        found = self._kept(key, lambda: self._search(most))
        return None if found.bytes > most else found

    def _kept(self, what: Mapping[str, Any], work: Callable[[], Figures]) -> Figures:
        """Of this very build: hitbox's own results are new with every other one."""
        key = {
            **what, "mesh": self.mesh.sha256, "samples": self.settings.samples, "hitbox": build(),
            "threads": self.settings.threads,
        }  # fmt: skip
        kept = self.store.get(key, Figures.from_dict)
        if kept is None:
            kept = work()
            self.store.put(key, asdict(kept))
        return kept

    def _measured_fit(self, count: int, options: Mapping[str, Any]) -> Figures:
        collider, seconds = self._timed_fit(count, options)
        return self.measure(collider, seconds, count)

    def _timed_fit(self, count: int, options: Mapping[str, Any]) -> tuple[hitbox.Collider, float]:
        clock = harness.Clock()
        collider = hitbox.fit(self.mesh, count, threads=self.settings.threads, **options)
        return collider, clock.read()["cpu"]

    def _search(self, most: int) -> Figures:
        made: dict[int, tuple[hitbox.Collider, float]] = {}

        def nbytes(count: int) -> int:
            made[count] = self._timed_fit(count, {})
            return made[count][0].nbytes

        count = count_within_bytes(nbytes, most, self.mesh.face_count)
        return self.measure(*made[count], count)

    def measure(self, collider: hitbox.Collider, seconds: float, count: int | None = None) -> Figures:
        """Kept whatever the build: the same collider has the same distances until evaluate changes."""
        key = {
            "what": "distances", "mesh": self.mesh.sha256, "collider": _digest(collider),
            "samples": self.settings.samples, "evaluate": source_digest("evaluate.py"),
        }  # fmt: skip
        kept = self.store.get(key, dict)
        if kept is None:
            found = distances(
                self.mesh, collider, samples=self.settings.samples, threads=self.settings.threads
            )
            outer, whole = found.outer_surface, found.all_surfaces
            touched = outer.samples > 0  # else its distances are 0, and would be the best
            kept = {
                "outer_mean": outer.mean if touched else None,
                "outer_hausdorff": outer.hausdorff if touched else None,
                "all_mean": whole.mean, "all_hausdorff": whole.hausdorff,
            }  # fmt: skip
            self.store.put(key, kept)
        return Figures(len(collider), collider.nbytes, seconds, count=count, **kept)

    def closed(self) -> bool:
        """As evaluate sees it: only there the inside does not belong to the outer surface."""
        return bool(_core.is_closed_solid(self.mesh.vertices, self.mesh.indices, self.mesh.offsets))


CLOSE_ENOUGH = 0.99  # of the bytes: a further fit would gain next to nothing
MOST_FITS = 4
USUAL_BYTES, LEAST_BYTES = 38, 16  # of a shape


def count_within_bytes(nbytes: Callable[[int], int], most: int, faces: int) -> int:
    """About the largest count whose collider has at most `most` bytes, by a few fits; 1 if there is none.

    The first tries go a little short of where the bytes of the last one point to, then between the two sides.
    """
    fits = kept = over = 0
    too_many = faces + 1
    guess = most // USUAL_BYTES
    tries = 0
    while fits + 1 < too_many:
        count = min(max(guess, fits + 1), too_many - 1)
        found = nbytes(count)
        tries += 1
        if found <= most:
            fits, kept = count, found
        else:
            too_many, over = count, found
        if fits and (kept >= CLOSE_ENOUGH * most or tries >= MOST_FITS):
            break
        if fits and over:
            guess = fits + floor((too_many - fits) * (most - kept) / (over - kept))
        else:
            guess = floor(count * (1 + CLOSE_ENOUGH) / 2 * most / max(found, LEAST_BYTES))
    return max(fits, 1)


@cache
def build() -> str:
    """The core and the Python code around it: what was made by another build is not taken for the same."""
    folder = Path(hitbox.__file__).parent
    sources = [Path(_core.__file__), *sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


@cache
def source_digest(name: str) -> str:
    return hashlib.sha256((Path(hitbox.__file__).parent / name).read_bytes()).hexdigest()[:16]


def examine(path: Path, settings: Settings) -> Found:
    bench = Bench(path, settings)
    found = Found(name_of(path), bench.mesh.face_count, bench.closed())
    for part in settings.parts:
        PARTS[part](bench, found)
    return found


def against_peers(bench: Bench, found: Found) -> None:
    answers = {name: bench.peer(name) for name in SPEED_GOALS}
    for name, share in BUDGETS:
        answer = answers[name]
        if answer is not None:
            theirs = bench.measure_peer(answer)
            budget = floor(share * theirs.bytes)
            found.duels[name, share] = Duel(budget, bench.fit_within(budget), theirs)


def against_volume(bench: Bench, found: Found) -> None:
    for count in VOLUME_COUNTS:
        found.default[count] = bench.fit(count)
        found.volume[count] = bench.fit(count, cost="volume")


def presets(bench: Bench, found: Found) -> None:
    if "preset" in {f.name for f in fields(FitOptions)}:
        for count in PRESET_COUNTS:
            found.fast[count] = bench.fit(count, preset="fast")
            found.fine[count] = bench.fit(count, preset="fine")


PARTS: dict[str, Callable[[Bench, Found], None]] = {
    "bytes": against_peers,
    "volume": against_volume,
    "presets": presets,
}


# ---------------------------------------------------------------- Summary


Line = tuple[str, str, str, str, str]  # claim, found, goal, reached, meshes
SUMMARY_HEAD = ("hitbox", "found", "goal", "reached", "on")


def share_of(share: Fraction, peer: str) -> str:
    return f"{share} of {PEERS[peer].label}'s bytes"


def lower_line(claim: str, judged: Sequence[bool], goal: float) -> Line:
    part = sum(judged) / len(judged)
    return (
        claim, f"{sum(judged)} of {len(judged)}, {part:.0%}", f"{goal:.0%}", yes(part >= goal),
        f"{len(judged)} meshes",
    )  # fmt: skip


def median_line(claim: str, ratios: Sequence[float], goal: float, *, at_least: bool) -> Line:
    middle = statistics.median(ratios)
    reached = middle >= goal if at_least else middle <= goal
    said = f"{goal:g}x or more" if at_least else f"{goal:g} or less"
    value = f"{middle:.1f}x" if at_least else f"{middle:.3f}"
    return claim, f"median {value}", said, yes(reached), f"{len(ratios)} meshes"


def yes(reached: bool) -> str:
    return "yes" if reached else "**no**"


def summary(all_found: Sequence[Found]) -> Iterator[Line]:
    for (peer, share), goals in LOWER_GOALS.items():
        duels = [found.duels[peer, share] for found in all_found if (peer, share) in found.duels]
        for measure, goal in goals.items():
            judged = [lower for duel in duels if (lower := duel.lower(measure)) is not None]
            if judged:
                claim = f"{MEASURES[measure]} lower than {PEERS[peer].label}'s, at {share_of(share, peer)}"
                yield lower_line(claim, judged, goal)
    for peer, goal in SPEED_GOALS.items():
        duels = [d for found in all_found if (d := found.duels.get((peer, Fraction(1, 3)))) and d.ours]
        ratios = [d.theirs.cpu_seconds / max(d.ours.cpu_seconds, 1e-6) for d in duels if d.ours]
        if ratios:
            claim = f"{PEERS[peer].label}'s CPU time to hitbox's, for these at 1/3"
            yield median_line(claim, ratios, goal, at_least=True)
    for count in VOLUME_COUNTS:
        pairs = [(f.default[count], f.volume[count]) for f in all_found if count in f.volume]
        ratios = list(outer_ratios(pairs))
        if ratios:
            yield median_line(f"outer mean to that of Eq. 4 alone, {count} shapes", ratios, 0.5, at_least=False)
            below = [ratio < 1 for ratio in ratios]
            yield lower_line(f"outer mean lower than that of Eq. 4 alone, {count} shapes", below, 0.95)
    for count in PRESET_COUNTS:
        ratios = list(outer_ratios([(f.fine[count], f.fast[count]) for f in all_found if count in f.fine]))
        if ratios:
            claim = f"outer mean of `fine` to that of `fast`, {count} shapes"
            yield median_line(claim, ratios, 0.85, at_least=False)


def outer_ratios(pairs: Iterable[tuple[Figures, Figures]]) -> Iterator[float]:
    for ours, theirs in pairs:
        if ours.outer_mean is not None and theirs.outer_mean is not None:
            yield ours.outer_mean / max(theirs.outer_mean, 1e-12)


# ---------------------------------------------------------------- Tables


def cell(value: float | None) -> str:
    return "" if value is None else f"{value:.5f}"


def mark(duel: Duel) -> str:
    """W or L for each measure, in their order; -: not to be judged."""
    return "".join({True: "W", False: "L", None: "-"}[duel.lower(measure)] for measure in MEASURES)


def mesh_cells(found: Found) -> list[str]:
    return [found.name, f"{found.faces:,}", "yes" if found.closed else ""]


def duel_table(all_found: Sequence[Found], peer: str, share: Fraction) -> str:
    label = PEERS[peer].label
    rows = []
    for found in all_found:
        duel = found.duels.get((peer, share))
        if duel is None:
            continue
        ours, theirs = duel.ours, duel.theirs
        pairs = [
            text
            for measure in MEASURES
            for text in (cell(getattr(ours, measure, None)), cell(getattr(theirs, measure)))
        ]
        rows.append([
            *mesh_cells(found), mark(duel), f"{duel.budget:,}", f"{ours.bytes:,}" if ours else "",
            ours.shapes if ours else "none", theirs.shapes, *pairs,
            f"{ours.cpu_seconds:.2f}" if ours else "", f"{theirs.cpu_seconds:.1f}",
        ])  # fmt: skip
    head = ["mesh", "faces", "closed", "W/L", "budget", "bytes", "shapes", f"{label}'s"]
    for title in MEASURES.values():
        head += [title, f"{label}'s"]
    head += ["CPU s", f"{label}'s"]
    said = (
        f"W/L: {', '.join(MEASURES.values())}. {len(rows)} of {len(all_found)} meshes: those on which {label} "
        f"has answered. `none`: not even one shape is that small, which counts as lost."
    )
    return f"## At {share_of(share, peer)}\n\n{said}\n\n" + harness.table(head, rows)


def pair_table(
    all_found: Sequence[Found], title: str, names: tuple[str, str], counts: Sequence[int],
    of: Callable[[Found], tuple[dict[int, Figures], dict[int, Figures]]],
) -> str:  # fmt: skip
    """Outer mean of two ways to fit at equal counts."""
    rows = []
    for found in all_found:
        ours, theirs = of(found)
        if not ours:
            continue
        cells = []
        for count in counts:
            ratio = next(outer_ratios([(ours[count], theirs[count])]), None)
            cells += [cell(ours[count].outer_mean), cell(theirs[count].outer_mean)]
            cells += ["" if ratio is None else f"{ratio:.2f}"]
            cells += [f"{ours[count].cpu_seconds:.2f}", f"{theirs[count].cpu_seconds:.2f}"]
        rows.append([*mesh_cells(found), *cells])
    if not rows:
        return ""
    head = ["mesh", "faces", "closed"]
    for count in counts:
        head += [f"{count}: {names[0]}", names[1], "ratio", "CPU s", "CPU s"]
    return f"## {title}\n\nOuter mean.\n\n" + harness.table(head, rows)


def lost(all_found: Sequence[Found], reasons: Mapping[str, str]) -> str:
    """One line a lost mesh and peer: only what has a goal."""
    rows = []
    for (peer, share), goals in LOWER_GOALS.items():
        for found in all_found:
            duel = found.duels.get((peer, share))
            measures = [m for m in goals if duel and duel.lower(m) is False]
            if duel is None or not measures:
                continue
            said = [f"{MEASURES[m]} {ratio:.2f}x" for m in measures if (ratio := duel.ratio(m)) is not None]
            rows.append([found.name, share_of(share, peer), ", ".join(said) or "no shape that small",
                         reasons.get(found.name, "")])  # fmt: skip
    return "## Lost\n\n" + harness.table(("mesh", "at", "hitbox to the peer", "why"), rows)


def report(all_found: Sequence[Found], settings: Settings) -> str:
    reasons = json.loads(REASONS.read_text()) if REASONS.exists() else {}
    said = (
        f"{len(all_found)} meshes, {settings.samples:,} points on each collider, hitbox on "
        f"{settings.threads or 'all'} thread{'' if settings.threads == 1 else 's'}."
    )
    tables = [
        harness.table(SUMMARY_HEAD, summary(all_found)),
        lost(all_found, reasons),
        *(duel_table(all_found, *budget) for budget in BUDGETS),
        pair_table(all_found, "Against Eq. 4 alone", ("default", "Eq. 4"), VOLUME_COUNTS,
                   lambda f: (f.default, f.volume)),
        pair_table(all_found, "Presets", ("fine", "fast"), PRESET_COUNTS, lambda f: (f.fine, f.fast)),
    ]  # fmt: skip
    return "\n\n".join([said, *filter(None, tables)])


# ---------------------------------------------------------------- The run


def name_of(path: Path) -> str:
    return path.name.split(".")[0]


def meshes_of_the_set() -> list[Path]:
    """Smallest first."""
    manifest = harness.DATA / "manifest.json"
    if not manifest.exists():
        sys.exit(f"{manifest} is not there: set HITBOX_BENCH_DATA.")
    entries = sorted(json.loads(manifest.read_text()), key=lambda entry: entry["faces"])
    return [harness.DATA / entry["path"] for entry in entries]


def examined(paths: Sequence[Path], settings: Settings, jobs: int) -> Iterator[Found]:
    """In the order of the meshes."""
    if jobs == 1:
        yield from (examine(path, settings) for path in paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(examine, paths, [settings] * len(paths))


def narrated(all_found: Iterable[Found], count: int) -> Iterator[Found]:
    started = time.monotonic()
    for k, found in enumerate(all_found, 1):
        marks = " ".join(f"{peer} {share} {mark(duel)}" for (peer, share), duel in found.duels.items())
        took = time.monotonic() - started
        print(f"{k}/{count} {took:.0f} s {found.name} {found.faces:,}: {marks}", file=sys.stderr, flush=True)
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="meshes, by name")
    parser.add_argument("--parts", default=",".join(PARTS), help=",".join(PARTS))
    parser.add_argument("--answered", action="store_true", help="start no peer")
    parser.add_argument("--samples", type=int, default=100_000, help="points on each collider")
    parser.add_argument("--threads", type=int, default=1, help="of a fit and an evaluation; 0: all cores")
    parser.add_argument("--jobs", type=int, default=1, help="meshes at a time")
    given = parser.parse_args()
    parts = tuple(given.parts.split(","))
    paths = meshes_of_the_set()
    whole = given.only is None and parts == tuple(PARTS)
    if given.only is not None:
        paths = [path for path in paths if name_of(path) in given.only]
    settings = Settings(given.store, parts, given.answered, given.samples, given.threads)
    all_found = list(narrated(examined(paths, settings, given.jobs), len(paths)))
    text = report(all_found, settings)
    harness.publish("compare", "hitbox against its peers", text, PACKAGES, whole=whole)


if __name__ == "__main__":
    main()
