"""Run the comparison: every method on each mesh, then measure, simulate and draw the results.

The peers dominate the cost. They run alone, one after the other, so that their CPU seconds are comparable.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import floor
from typing import TYPE_CHECKING, Any, TypeVar

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._base.options import warn_of_old_name
from hitbox._base.progress import Cancel, Progress, Report, reporter
from hitbox._base.store import Store, build, digest
from hitbox._base.text import distinct_names
from hitbox._base.version import version
from hitbox._compare import balls, pictures
from hitbox._compare import peers as methods
from hitbox._compare.budget import Budget
from hitbox._compare.peers import Peer, PeerResult, run_peer, version_of
from hitbox._compare.rows import INPUT, PICTURE, Comparison, Level, Row, Subject
from hitbox._formats import collider_json
from hitbox._judges.evaluate import MOST_SAMPLES, evaluate
from hitbox._judges.simulate.options import MOST_FRAMES, MOST_THINGS
from hitbox._model import convex_parts as pieces
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh, MeshLike, _utf8

if TYPE_CHECKING:
    pass

T = TypeVar("T")

_STOPS = (KeyboardInterrupt, SystemExit, InterruptedError)
# of hitbox's own work on a peer's answer; they become a sentence too
_FAILURES = (InputError, RuntimeError, MemoryError)
NO_PICTURES = "There are no pictures: pip install 'hitbox[render]'"
UNTOUCHABLE = "no part of it can be touched from outside the mesh"
NO_SIMULATION = "Nothing was simulated: pip install 'hitbox[sim]'"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The checked settings of the whole set."""

    peers: tuple[str, ...]
    budget: Budget
    simulate: bool
    balls: int
    frames: int
    samples: int
    up: str | None
    seed: int
    timeout: float
    memory: float

    def __post_init__(self) -> None:
        for name in self.peers:
            checks.one_of("compare: peers", name, methods.PEERS, "peer")
        if len(set(self.peers)) != len(self.peers):
            raise InputError(f"compare: peers: {', '.join(self.peers)} names one twice.")
        checks.whole("compare: balls", self.balls, 1, MOST_THINGS)
        checks.whole("compare: frames", self.frames, 1, MOST_FRAMES)
        checks.whole("compare: samples", self.samples, 1, MOST_SAMPLES)
        if self.up is not None:
            checks.one_of("compare: up", self.up, UPS, "axis")
        checks.seed("compare", self.seed)
        for name in ("timeout", "memory"):
            if not checks.not_negative(f"compare: {name}", getattr(self, name)) > 0:
                raise InputError(f"compare: {name}: must be more than 0.")


def compare(
    meshes: MeshLike | Iterable[MeshLike],
    *,
    peers: Iterable[str] = ("coacd", "vhacd"),
    budget: str = "bytes=1/3",
    simulate: bool = True,
    balls: int = 5000,
    frames: int = 1000,
    samples: int = 200_000,
    up: str | None = None,
    seed: int = 0,
    timeout: float = 900.0,
    memory: float = 8.0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Run hitbox and the peers on each of `meshes`; measure, simulate and draw the results.

    Peers use their defaults. `budget` limits hitbox: "bytes=1/3" (for each peer the largest count whose
    collider has at most a third of that peer's bytes), "count=64", or "tolerance=1%" (the fewest shapes whose
    largest distance on the outer surface stays within it). Each run of a method has a process of its own,
    limited to `timeout` seconds and `memory` GiB. `up` is the axis that points up, by default that of each
    mesh. `cache` is a folder that keeps results; a second run computes only new ones. (`store` is
    its old name.)
    Guaranteed: a mesh that cannot be read, and a peer that crashes, hangs, exhausts memory or is not
    installed, becomes a row with a sentence. Cost: mostly that of the peers; CoACD often takes a minute per
    mesh.
    """
    if store is not None:
        warn_of_old_name("compare", "store", "is now cache")
    settings = Settings(
        peers=(peers,) if isinstance(peers, str) else tuple(peers),
        budget=Budget.parse(budget), simulate=bool(simulate), balls=balls, frames=frames, samples=samples,
        up=up, seed=seed, timeout=timeout, memory=memory,
    )  # fmt: skip
    report = reporter("compare", progress, cancel)
    given = _listed(meshes)
    notes = [NO_PICTURES] if find_spec("pyvista") is None else []
    if settings.simulate and find_spec("rapier3d") is None:
        settings = replace(settings, simulate=False)
        notes.append(NO_SIMULATION)
    steps = _Steps(report, len(given) * _step_count(settings))
    kept = Store(store if cache is None else cache)
    names = distinct_names([_path(mesh, k) for k, mesh in enumerate(given)])
    subjects = []
    for k, (mesh, name) in enumerate(zip(given, names, strict=True)):
        steps.start_mesh(name, k * _step_count(settings))
        subjects.append(_Trial(name, settings, kept, steps).run(mesh))
    steps.done()
    return Comparison(tuple(subjects), str(settings.budget), _described(settings), tuple(notes))


def _listed(meshes: Any) -> list[Any]:
    one = isinstance(meshes, (str, os.PathLike, Mesh)) or hasattr(meshes, "faces")
    listed = [meshes] if one or pieces.is_pair(meshes) else list(meshes)
    if not listed:
        raise InputError("compare: there are no meshes. Give at least one.")
    return listed


def _path(mesh: Any, k: int) -> str:
    if isinstance(mesh, (str, os.PathLike)):
        return _utf8(os.path.abspath(os.fsdecode(mesh)))
    return _utf8(str(getattr(mesh, "name", None) or f"mesh {k + 1}"))


def _step_count(settings: Settings) -> int:
    """Count the steps of a mesh: the peers, hitbox for each of them, the levels, the simulation, the
    pictures.
    """
    beside = len(settings.peers) if settings.budget.kind == "bytes" else 1
    return len(settings.peers) + max(1, beside) + 3


def _described(settings: Settings) -> dict[str, Any]:
    versions = {methods.PEERS[name].label: version_of(methods.PEERS[name]) for name in settings.peers}
    return {
        "version": version(), "versions": versions, "samples": settings.samples, "timeout": settings.timeout,
        "memory": settings.memory, "balls": settings.balls, "frames": settings.frames,
        "simulated": settings.simulate,
    }  # fmt: skip


class _Steps:
    """Progress over the set. Every report may cancel the run."""

    def __init__(self, report: Report | None, count: int) -> None:
        self._report, self._count = report, count
        self._mesh, self._stage, self._step = "", "", 0
        self._reached = 0.0

    def start_mesh(self, name: str, step: int) -> None:
        self._mesh, self._step = name, step
        self.go_on("reading", 0.0)

    def next(self, stage: str) -> None:
        """Start the next step."""
        self._stage = stage
        self.go_on(stage, 0.0)
        self._step += 1

    def within(self, _: str, fraction: float) -> bool:
        """Report the progress of the step that `next` started."""
        self.go_on(self._stage, fraction - 1.0)
        return True

    def still(self) -> bool:
        return self.within("", 0.0)

    def done(self) -> None:
        if self._report is not None:
            self._report("done", 1.0)

    def go_on(self, stage: str, part: float) -> None:
        self._reached = min(1.0, max(self._reached, (self._step + part) / self._count))
        if self._report is not None and not self._report(f"{self._mesh}: {stage}", self._reached):
            raise InterruptedError("compare was stopped")


class _Trial:
    """Runs all methods on one mesh."""

    def __init__(self, name: str, settings: Settings, store: Store, steps: _Steps) -> None:
        self._name, self._settings, self._store, self._steps = name, settings, store, steps
        self._mesh: Mesh
        self._up: str | None = None
        self._colliders: dict[str, Collider] = {}
        self._runs: balls.Runs = {}
        self._notes: list[str] = []

    def run(self, given: Any) -> Subject:
        try:
            self._mesh = Mesh.of(given)
        except (InputError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return Subject(self._name, None, (Row(self._name, INPUT, "input", error=_sentence(reason)),))
        mesh = self._mesh
        self._up = self._settings.up or mesh.up
        size = 12 * len(mesh.vertices) + 6 * len(mesh.triangles)
        reference = Row(self._name, INPUT, "input, as a trimesh", bytes=size)
        rows = [reference, *self._answers()]
        levels = self._levels()
        rows = self._drawn(self._simulated(rows))
        return Subject(self._name, mesh.face_count, tuple(rows), levels, tuple(self._notes))

    def _answers(self) -> list[Row]:
        """Return the rows of hitbox, then those of the peers."""
        peers = []
        for name in self._settings.peers:
            peer = methods.PEERS[name]
            peers.append(self._row(peer, name, peer.label, {}))
        return [*self._hitbox(peers), *peers]

    def _hitbox(self, peers: Sequence[Row]) -> list[Row]:
        budget, mesh = self._settings.budget, self._mesh
        if budget.kind == "count":
            label = f"hitbox, at most {budget.count:,} shapes"
            return [self._row(methods.HITBOX, "hitbox", label, {"count": budget.count})]
        if budget.kind == "tolerance":
            options = {
                "tolerance": budget.tolerance(mesh.diagonal, mesh.unit),
                "samples": self._settings.samples, "seed": self._settings.seed,
            }  # fmt: skip
            return [self._row(methods.HITBOX, "hitbox", f"hitbox, within {budget.text}", options)]
        rows = []
        for peer in peers:
            if peer.bytes is not None:
                label = f"hitbox, {budget.text} of {peer.label}'s bytes"
                options = {"nbytes": floor(budget.share * peer.bytes)}
                rows.append(self._row(methods.HITBOX, f"hitbox:{peer.method}", label, options))
        if rows:
            return rows
        row = self._row(methods.HITBOX, "hitbox", "hitbox", {})
        note = "no peer answered, so there are no bytes to share: hitbox picked the count itself"
        return [replace(row, notes=(note, *row.notes))]

    def _row(self, peer: Peer, method: str, label: str, options: Mapping[str, Any]) -> Row:
        """Run a method and measure its answer."""
        self._steps.next(label)
        result = self._result(peer, options)
        row = Row(
            self._name, method, label, version_of(peer), result.error, cpu_seconds=result.cpu_seconds,
            wall_seconds=result.wall_seconds, peak_bytes=result.peak_bytes, notes=result.notes,
        )  # fmt: skip
        if result.collider is None:
            return row
        try:
            measured = self._measured(result.collider)
        except _FAILURES as error:
            return replace(row, error=_sentence(f"could not be measured: {error or type(error).__name__}"))
        self._colliders[method] = result.collider
        notes = (*row.notes, *measured.pop("notes"))
        unique = tuple(dict.fromkeys(notes))
        return replace(row, collider=result.collider, notes=unique, **measured)

    def _result(self, peer: Peer, options: Mapping[str, Any]) -> PeerResult:
        """Return a stored result, or run the method. A stored answer is valid for any limits, a failure only
        for its own.
        """
        key = _answer_key(self._mesh, peer, options)
        limits = {"timeout": self._settings.timeout, "memory": self._settings.memory}
        for each in (key, key | limits):
            kept = self._store.get(each, PeerResult.from_dict)
            if kept is not None:
                return kept
        result = run_peer(peer, self._mesh, options=options, go_on=self._steps.still, **limits)
        if version_of(peer) is not None:
            self._store.put(key if result.error is None else key | limits, result.to_dict())
        return result

    def _measured(self, collider: Collider) -> dict[str, Any]:
        """Return the fields of Row that `evaluate` fills, and `notes`."""
        settings = self._settings
        key = {
            "what": "measures", "mesh": self._mesh.sha256, "collider": _digest(collider),
            "samples": settings.samples, "seed": settings.seed, "hitbox": build(),
        }  # fmt: skip

        def work() -> dict[str, Any]:
            found = evaluate(
                self._mesh,
                collider,
                samples=settings.samples,
                seed=settings.seed,
                progress=self._steps.within,
            )
            outer = found.outer_surface
            touched = outer.samples > 0  # otherwise the distances are 0 and would count as the best
            return {
                "shapes": found.shapes, "bytes": found.nbytes, "counts": found.counts,
                "outer_mean": outer.mean if touched else None,
                "outer_hausdorff": outer.hausdorff if touched else None,
                "all_mean": found.all_surfaces.mean, "all_hausdorff": found.all_surfaces.hausdorff,
                "uncovered": found.coverage.outside,
                "notes": [*([] if touched else [UNTOUCHABLE]), *found.notes],
            }  # fmt: skip

        return self._kept(key, work, _checked_measures)

    def _levels(self) -> tuple[Level, ...]:
        self._steps.next("levels of detail")
        result = self._result(methods.LEVELS, {})
        if result.error is not None:
            self._notes.append(_sentence(f"There is no curve of levels of detail: {result.error}"))
        try:
            measured = [self._measured(collider) for collider in result.colliders]
        except _FAILURES as error:
            self._notes.append(_sentence(f"There is no curve of levels of detail: {error}"))
            measured = []
        return tuple(Level(m["shapes"], m["bytes"], m["outer_mean"], m["outer_hausdorff"]) for m in measured)

    def _simulated(self, rows: list[Row]) -> list[Row]:
        self._steps.next("simulation")
        settings = self._settings
        if not settings.simulate or not self._colliders:
            return rows
        key = {
            "what": "simulation", "mesh": self._mesh.sha256, "balls": settings.balls,
            "frames": settings.frames, "seed": settings.seed, "up": self._up, "hitbox": build(),
            "rapier": _installed("rapier3d"), "colliders": self._shown(),
        }  # fmt: skip
        try:
            runs = self._kept(key, self._simulate, balls.checked)
        except BaseException as error:  # a panic in an engine written in Rust is not an Exception
            if isinstance(error, _STOPS):
                raise
            self._notes.append(_sentence(f"Nothing was simulated: {error}"))
            return rows
        self._runs = runs
        return [balls.with_run(row, runs[row.method]) if row.method in runs else row for row in rows]

    def _simulate(self) -> balls.Runs:
        settings = self._settings
        return balls.simulated(
            self._mesh, self._colliders, count=settings.balls, frames=settings.frames, seed=settings.seed,
            up=self._up, progress=self._steps.within,
        )  # fmt: skip

    def _drawn(self, rows: list[Row]) -> list[Row]:
        self._steps.next("pictures")
        if find_spec("pyvista") is None:
            return rows
        key = {
            "what": "pictures", "mesh": self._mesh.sha256, "colliders": self._shown(), "up": self._up,
            "balls": digest({method: run["balls"] for method, run in self._runs.items()}), "size": PICTURE,
            "hitbox": build(),
        }  # fmt: skip
        try:
            drawn = self._kept(key, self._draw, pictures.checked)
        except _FAILURES as error:
            self._notes.append(_sentence(f"There are no pictures: {error}"))
            return rows
        return [pictures.with_pictures(row, drawn.get(row.method, [])) for row in rows]

    def _draw(self) -> pictures.Pictures:
        return pictures.drawn(self._mesh, self._colliders, self._runs, self._up, self._steps.within)

    def _shown(self) -> list[list[str]]:
        return [[method, _digest(collider)] for method, collider in self._colliders.items()]

    def _kept(self, key: Mapping[str, Any], work: Callable[[], T], decode: Callable[[Any], T]) -> T:
        kept = self._store.get(key, decode)
        if kept is not None:
            return kept
        done = work()
        self._store.put(key, done)
        return done


def has_answer(mesh: Mesh, peer: str, store: str | os.PathLike[str]) -> bool:
    """Return whether `store` has an answer of `peer` on `mesh` from an earlier run."""
    return Store(store).get(_answer_key(mesh, methods.PEERS[peer], {}), PeerResult.from_dict) is not None


def _answer_key(mesh: Mesh, peer: Peer, options: Mapping[str, Any]) -> dict[str, Any]:
    ours = peer.package == methods.HITBOX.package  # a peer's answer stays valid for other builds of hitbox
    return {
        "what": "colliders", "mesh": mesh.sha256, "method": peer.name, "entry": peer.entry,
        "options": dict(options), "version": build() if ours else version_of(peer),
    }  # fmt: skip


def _checked_measures(kept: Any) -> dict[str, Any]:
    numbers = ("shapes", "bytes", "all_mean", "all_hausdorff", "uncovered")
    outer = {name: kept[name] for name in ("outer_mean", "outer_hausdorff")}
    if any(value is not None and not value >= 0 for value in outer.values()):
        raise ValueError("not a distance")
    counts = {str(kind): int(count) for kind, count in kept["counts"].items()}
    notes = [str(note) for note in kept["notes"]]
    return {name: kept[name] + 0 for name in numbers} | outer | {"counts": counts, "notes": notes}


def _digest(collider: Collider) -> str:
    return hashlib.sha256(collider_json.write(collider)).hexdigest()


def _installed(package: str) -> str | None:
    return version_of(Peer(package, package, package, ""))


def _sentence(text: str) -> str:
    return _utf8(" ".join(text.split()))
