"""Run hitbox and its peers on one mesh for benchmarks/compare.py, measure and time them, and keep the
results.

The peers' answers and the distances of their colliders are valid for all builds of hitbox. Results of hitbox
are valid for their own build only. Frame times are stored by the colliders.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from functools import cache
from math import floor
from pathlib import Path
from typing import Any

import harness

import hitbox
from hitbox._base.store import Store
from hitbox._compare.budget import count_within_bytes
from hitbox._compare.peers import PEERS, PeerResult, run_peer
from hitbox._compare.run import _answer_key, _digest, _installed
from hitbox._judges.evaluate import distances
from hitbox._judges.simulate import simulate_together
from hitbox._methods.fit_options import FitOptions
from hitbox._native import _core

LIMITS: dict[str, Any] = {"timeout": 1500.0, "memory": 8.0}  # limits of a peer: seconds, GiB
THIRD, TENTH = Fraction(1, 3), Fraction(1, 10)
BUDGETS = (("coacd", THIRD), ("coacd", TENTH), ("vhacd", THIRD))
VOLUME_COUNTS = (16, 64, 256)
PRESET_COUNTS = (64, 256)
MOST_COUNT = 4096  # the most shapes in the search for a collider as close as a peer's
BALLS, FRAMES = 1000, 240  # about 5 CPU seconds for four colliders
ENGINE: dict[str, Any] = {"profile": "rapier"}  # hitbox's options for colliders that run in Rapier
EXACT = 2e-5  # fraction of the diagonal: a distance up to the thickness that fit gives to flat shapes


@dataclass(frozen=True)
class Settings:
    """The settings of all meshes of a run. They are sent to other processes."""

    store: Path
    parts: tuple[str, ...]
    answered: bool  # start no peer
    samples: int
    threads: int


@dataclass(frozen=True)
class Figures:
    """One collider of one mesh. `outer_*` is None if no part of it can be touched from outside."""

    shapes: int
    bytes: int
    cpu_seconds: float
    outer_mean: float | None
    outer_hausdorff: float | None
    all_mean: float
    all_hausdorff: float
    count: int | None = None  # the count that hitbox got

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Figures:
        return Figures(**{f.name: data[f.name] for f in fields(Figures)})


def ratio(ours: Figures | None, theirs: Figures, measure: str) -> float | None:
    """Return the ratio of hitbox's value to the peer's, or None if one has no value or both are exact."""
    mine, other = getattr(ours, measure, None), getattr(theirs, measure)
    if mine is None or other is None or max(mine, other) <= EXACT:
        return None
    return float(mine / max(other, 1e-9))


@dataclass(frozen=True)
class Duel:
    """hitbox with a share of a peer's bytes. `ours` is None if even one shape has more bytes."""

    budget: int
    ours: Figures | None
    theirs: Figures

    def ratio(self, measure: str) -> float | None:
        return ratio(self.ours, self.theirs, measure)

    def lower(self, measure: str) -> bool | None:
        """Return whether hitbox's value is lower, or None if there is nothing to compare. Without a collider
        hitbox loses.
        """
        if self.ours is None:
            return False
        found = self.ratio(measure)
        return None if found is None else found < 1


@dataclass(frozen=True)
class Race:
    """A peer's collider and hitbox's smallest collider that is as close, in the drop scene.

    `ours` and `our_ms` are None if hitbox does not get as close.
    """

    ours: Figures | None
    theirs: Figures
    our_ms: float | None
    their_ms: float

    @property
    def faster(self) -> bool:
        return self.our_ms is not None and self.our_ms < self.their_ms


@dataclass
class Found:
    """All results for one mesh."""

    name: str
    faces: int
    closed: bool
    duels: dict[tuple[str, Fraction], Duel] = field(default_factory=dict)
    default: dict[int, Figures] = field(default_factory=dict)  # count -> figures
    volume: dict[int, Figures] = field(default_factory=dict)
    fast: dict[int, Figures] = field(default_factory=dict)
    fine: dict[int, Figures] = field(default_factory=dict)
    races: dict[str, Race] = field(default_factory=dict)  # peer -> race, for all peers or none


class Bench:
    """One mesh and the store: runs, measures and keeps results."""

    def __init__(self, mesh: hitbox.Mesh, settings: Settings) -> None:
        self.mesh, self.settings = mesh, settings
        self.store = Store(settings.store)

    def peer(self, name: str) -> tuple[hitbox.Collider, Figures] | None:
        """Return the peer's answer, from now or an earlier run, or None."""
        key = _answer_key(self.mesh, PEERS[name], {})
        limited = key | LIMITS  # a failure is valid for its limits only
        kept = (self.store.get(each, PeerResult.from_dict) for each in (key, limited))
        result = next((each for each in kept if each is not None), None)
        if result is None:
            if self.settings.answered:
                return None
            result = run_peer(PEERS[name], self.mesh, **LIMITS)
            self.store.put(limited if result.error else key, result.to_dict())
        if result.collider is None or result.cpu_seconds is None:
            return None
        return result.collider, self.measure(result.collider, result.cpu_seconds)

    def fit(self, count: int, **options: Any) -> Figures:
        def work() -> Figures:
            return self.measure(*self._timed_fit(count, options), count)

        return self._kept({"what": "fit at a count", "count": count, "options": options}, work)

    def fit_within(self, most: int) -> Figures | None:
        """Return the collider of the largest count with at most `most` bytes, or None if even one shape has
        more.
        """

        def work() -> Figures:
            made: dict[int, tuple[hitbox.Collider, float]] = {}

            def nbytes(count: int) -> int:
                made[count] = self._timed_fit(count, {})
                return made[count][0].nbytes

            count, _ = count_within_bytes(nbytes, most, self.mesh.face_count)
            return self.measure(*made[count], count)

        found = self._kept({"what": "fit within bytes", "most": most}, work)
        return None if found.bytes > most else found

    def fit_as_close(self, outer_mean: float, **options: Any) -> Figures | None:
        """Return the collider of about the smallest count with at most this outer mean, or None if it is not
        reached.
        """
        far, near, within = 0, min(self.mesh.face_count, MOST_COUNT), None
        count = min(64, near)
        while within is None or near - far > max(1, near // 20):
            found = self.fit(count, **options)
            if (found.outer_mean or 0.0) <= max(outer_mean, EXACT):
                near, within = count, found
            elif count == near:
                return None
            else:
                far = count
            count = min(2 * far, near) if within is None else (far + near) // 2
        return within

    def race(self, colliders: Mapping[str, hitbox.Collider]) -> dict[str, float]:
        """Return the mean milliseconds of a frame. The candidates take turns."""
        key = {
            "what": "frames", "mesh": self.mesh.sha256, "balls": BALLS, "frames": FRAMES,
            "colliders": {name: _digest(collider) for name, collider in colliders.items()},
            "rapier": _installed("rapier3d"),
        }  # fmt: skip
        kept = self.store.get(key, dict)
        if kept is None:
            runs = simulate_together(colliders, balls=BALLS, frames=FRAMES, up=self.mesh.up)
            kept = {name: run.mean_ms for name, run in runs.items()}
            self.store.put(key, kept)
        return kept

    def measure(self, collider: hitbox.Collider, seconds: float, count: int | None = None) -> Figures:
        """Measure a collider. The result is kept for all builds, because distances change only if evaluate
        changes.
        """
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
            touched = outer.samples > 0  # otherwise the distances are 0 and would count as the best
            kept = {
                "outer_mean": outer.mean if touched else None,
                "outer_hausdorff": outer.hausdorff if touched else None,
                "all_mean": whole.mean, "all_hausdorff": whole.hausdorff,
            }  # fmt: skip
            self.store.put(key, kept)
        return Figures(len(collider), collider.nbytes, seconds, count=count, **kept)

    def closed(self) -> bool:
        """Return whether evaluate takes the mesh for a solid, whose inside does not belong to the outer
        surface.
        """
        return bool(_core.is_closed_solid(self.mesh.vertices, self.mesh.indices, self.mesh.offsets))

    def _timed_fit(self, count: int, options: Mapping[str, Any]) -> tuple[hitbox.Collider, float]:
        clock = harness.Clock()
        collider = hitbox.fit(self.mesh, count, threads=self.settings.threads, **options)
        return collider, clock.read()["cpu"]

    def _kept(self, what: Mapping[str, Any], work: Callable[[], Figures]) -> Figures:
        key = {
            **what, "mesh": self.mesh.sha256, "samples": self.settings.samples, "hitbox": build(),
            "threads": self.settings.threads,
        }  # fmt: skip
        kept = self.store.get(key, Figures.from_dict)
        if kept is None:
            kept = work()
            self.store.put(key, asdict(kept))
        return kept


@cache
def build() -> str:
    """Return a hash of the core and the Python code, so that results of another build are not reused."""
    folder = Path(hitbox.__file__).parent
    sources = [Path(_core.__file__), folder / "compare" / "budget.py", *sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


@cache
def source_digest(name: str) -> str:
    return hashlib.sha256((Path(hitbox.__file__).parent / name).read_bytes()).hexdigest()[:16]


# ---------------------------------------------------------------- The parts of a run


def examine(path: Path, settings: Settings) -> Found:
    bench = Bench(hitbox.load(path), settings)
    found = Found(harness.name_of(path), bench.mesh.face_count, bench.closed())
    for part in settings.parts:
        PARTS[part](bench, found)
    return found


def against_peers(bench: Bench, found: Found) -> None:
    answers = {name: bench.peer(name) for name in dict(BUDGETS)}
    for name, share in BUDGETS:
        if (answer := answers[name]) is not None:
            budget = floor(share * answer[1].bytes)
            found.duels[name, share] = Duel(budget, bench.fit_within(budget), answer[1])


def against_volume(bench: Bench, found: Found) -> None:
    for count in VOLUME_COUNTS:
        found.default[count] = bench.fit(count)
        found.volume[count] = bench.fit(count, cost="volume")


def presets(bench: Bench, found: Found) -> None:
    if "preset" in {f.name for f in fields(FitOptions)}:
        for count in PRESET_COUNTS:
            found.fast[count] = bench.fit(count, preset="fast")
            found.fine[count] = bench.fit(count, preset="fine")


def frame_times(bench: Bench, found: Found) -> None:
    """Run the drop scene if all peers have answered with a collider that can be touched."""
    answers = {name: bench.peer(name) for name in dict(BUDGETS)}
    known = {name: answer for name, answer in answers.items() if answer and answer[1].outer_mean is not None}
    if len(known) < len(answers):
        return
    ours = {
        name: bench.fit_as_close(figures.outer_mean or 0.0, **ENGINE) for name, (_, figures) in known.items()
    }
    colliders = {name: collider for name, (collider, _) in known.items()}
    for name, figures in ours.items():
        if figures is not None:
            colliders[f"hitbox:{name}"] = hitbox.fit(
                bench.mesh, figures.count, threads=bench.settings.threads, **ENGINE
            )
    times = bench.race(colliders)
    for name, (_, theirs) in known.items():
        found.races[name] = Race(ours[name], theirs, times.get(f"hitbox:{name}"), times[name])


PARTS: dict[str, Callable[[Bench, Found], None]] = {
    "bytes": against_peers,
    "volume": against_volume,
    "presets": presets,
    "frames": frame_times,
}


# ---------------------------------------------------------------- Generated tubes


@dataclass(frozen=True)
class Tube:
    """A bent tube for capsules and cylinders. `goal` has limits of the outer mean and the outer Hausdorff
    distance.
    """

    name: str
    faces: int
    count: int
    preset: str
    figures: Figures
    goal: tuple[float, float] | None


def tubes(settings: Settings) -> Iterator[Tube]:
    cases: Iterable[tuple[str, harness.Arrays, int, tuple[float, float] | None]] = (
        ("torus", harness.torus(), 24, (0.002, 0.005)),
        ("helix of 3 turns", harness.helix(), 72, None),
        ("pipe with a bend", harness.bent_pipe(), 10, None),
    )
    for name, arrays, count, goal in cases:
        bench = Bench(hitbox.Mesh(*arrays), settings)
        assert bench.closed()
        for preset in ("balanced", "fine"):
            figures = bench.fit(count, kinds=["capsule", "cylinder"], preset=preset)
            yield Tube(name, bench.mesh.face_count, count, preset, figures, goal)
