"""`simulate` and `simulate_together`: checks, the stage, the frames, and what is read from them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS, parse_length
from hitbox._base.progress import Cancel, Progress, Report, reporter
from hitbox._judges.simulate.options import ENGINES, SimulateOptions
from hitbox._judges.simulate.scenes import SCENES, Record
from hitbox._judges.simulate.similarity import Similarity, height_field_distance, trajectory_distance
from hitbox._judges.simulate.world import Solid, joined
from hitbox._judges.simulate.world_frame import SIZE, Stage, solid_of
from hitbox._model import convex_parts as pieces
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray

_RECORDS = 100  # of the positions, over the whole run
_MOST_RECORDED = 60_000_000  # numbers, over all records of a run
_FARTHEST = 1e5  # m: from the middle; engines count in float32
_KILL = 0.05 * SIZE  # below the model: who is lower is taken out


@dataclass(frozen=True, eq=False)
class Simulation:
    """One candidate's run. Times are milliseconds of the engine's step alone."""

    scene: str
    engine: str
    balls: int  # or what else moves in this scene
    frames: int
    shapes: int  # 0: a triangle mesh
    frame_ms: FloatArray = field(repr=False)  # (frames,)
    contacts: npt.NDArray[np.int64] = field(repr=False)  # pairs that touch or nearly do, every few frames
    through: int  # came below the model where there is some of it above: passed it, or fell through
    escaped: int  # came below the model beside it
    resting: int  # at rest in the end
    moving: int  # still moving in the end; the four make up all balls
    measures: Mapping[str, float]  # the scene's own
    reference_measures: Mapping[str, float]  # the same of the reference's run; none without a reference
    similarity: Similarity | None  # to the reference
    notes: tuple[str, ...]
    paths: npt.NDArray[np.float32] = field(repr=False)  # (records, balls, 3): from `center`, in diagonals
    center: FloatArray = field(repr=False)  # of the model
    diagonal: float = field(repr=False)  # of the model
    radius: float = field(repr=False)  # of the balls, in mesh units
    bounds: FloatArray = field(repr=False)  # (2, 3) of the model, as `paths`
    up: str = field(repr=False)

    @property
    def mean_ms(self) -> float:
        return float(self.frame_ms.mean())

    @property
    def median_ms(self) -> float:
        return float(np.median(self.frame_ms))

    @property
    def p95_ms(self) -> float:
        return float(np.percentile(self.frame_ms, 95))

    @property
    def p99_ms(self) -> float:
        return float(np.percentile(self.frame_ms, 99))

    @property
    def mean_contacts(self) -> float:
        return float(self.contacts.mean())

    @property
    def positions(self) -> FloatArray:
        """(balls, 3): where they were in the end, in the mesh's coordinates."""
        return np.asarray(self.center + self.paths[-1].astype(np.float64) * self.diagonal)

    def similarity_to(self, other: Simulation) -> Similarity:
        """How alike two runs of the same scene around the same model are; 0: the same."""
        if self.paths.shape != other.paths.shape or self.scene != other.scene or self.up != other.up:
            raise InputError("similarity: the two runs must have the same scene, balls, frames and up axis.")
        a, b, axis = self.paths, other.paths, UPS.index(self.up)
        return Similarity(height_field_distance(a[-1], b[-1], other.bounds, axis), trajectory_distance(a, b))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; positions are left out."""
        names = [
            "scene", "engine", "balls", "frames", "shapes", "mean_ms", "median_ms", "p95_ms", "p99_ms",
            "mean_contacts", "through", "escaped", "resting", "moving", "radius", "diagonal", "up",
        ]  # fmt: skip
        similarity = self.similarity
        return {name: getattr(self, name) for name in names} | {
            "similarity": None
            if similarity is None
            else {"height_field": similarity.height_field, "trajectories": similarity.trajectories},
            "measures": _plain(self.measures),
            "reference_measures": _plain(self.reference_measures),
            "notes": list(self.notes),
            "frame_ms": self.frame_ms.tolist(),
            "contacts": self.contacts.tolist(),
        }


def simulate(
    subject: Any,
    *,
    reference: Any = None,
    options: SimulateOptions | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> Simulation:
    """Runs `subject` in a physics engine and says what it cost and what happened.

    `subject` is a collider (all that `Collider.of` takes), or a mesh, which then is a triangle mesh for the
    engine too; a path to a .json or to a folder is a collider, to any other file a mesh. Options are the
    fields of SimulateOptions, given as keywords or as one `options`: `scene` is drop, maze, stairs, pile,
    roll or leak; `balls`, `frames` and `radius` have the scene's own defaults (drop: 5000, 1000, "1%" of the
    diagonal). With `reference`, a mesh, that one runs beside it and `similarity` and `reference_measures`
    are filled. Same arguments, same result, but for the times. Needs the extra: pip install "hitbox[sim]".
    """
    subjects = {"subject": subject} | ({} if reference is None else {"reference": reference})
    name = None if reference is None else "reference"
    chosen = SimulateOptions.of(options, keywords)
    return simulate_together(subjects, reference=name, options=chosen, progress=progress, cancel=cancel)[
        "subject"
    ]


def simulate_together(
    subjects: Mapping[str, Any],
    *,
    reference: str | None = None,
    options: SimulateOptions | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> dict[str, Simulation]:
    """Runs all candidates side by side: frame k of each before frame k + 1 of any, in an order that rotates.

    So whatever slows the machine down hits all alike. All get the same balls, placed around the model named
    by `reference` (without: around all of them together), which the others are compared with. The rest as in
    `simulate`.
    """
    chosen = SimulateOptions.of(options, keywords)
    report = reporter("simulate", progress, cancel)
    models = _models(subjects, reference, chosen.scene, report)
    stage = _stage(models, reference, chosen)
    doubts = {
        name: _doubts(stage, stage.solids[k], model, name) for k, (name, model) in enumerate(models.items())
    }
    runs = {}
    for k, name in enumerate(models):
        _go_on(report, "set up", 0.0)
        runs[name] = _Run(chosen, stage, stage.solids[k])
        runs[name].notes += doubts[name]
    _play(list(runs.values()), report)
    made = {name: run.result() for name, run in runs.items()}
    if reference is not None:
        model = made[reference]
        made = {name: _compared(run, None if name == reference else model) for name, run in made.items()}
    return made


def _models(
    subjects: Mapping[str, Any], reference: str | None, scene: str, report: Report | None
) -> dict[str, Mesh | Collider]:
    if not isinstance(subjects, Mapping) or not subjects:
        raise InputError("simulate: give at least one collider or mesh, each with a name.")
    if reference is not None and reference not in subjects:
        known = ", ".join(map(str, subjects))
        raise InputError(f"simulate: reference: {reference!r:.80} is none of {known}.")
    models = {}
    for name, subject in subjects.items():
        _go_on(report, "set up", 0.0)
        models[name] = model = model_of(subject)
        if SCENES[scene].moves_subject and isinstance(model, Mesh):
            raise InputError(
                f"simulate: {name}: the scene {scene!r} moves its subject, and a triangle mesh has no inside "
                f"to move with. Give a collider."
            )
    return models


def model_of(subject: Any) -> Mesh | Collider:
    """A collider, or a mesh that is to be simulated as one."""
    if isinstance(subject, (Mesh, Collider)):
        return subject
    if isinstance(subject, (str, os.PathLike)):
        path = os.fspath(subject)
        is_collider = path.lower().endswith(".json") or os.path.isdir(path)
    else:
        is_collider = not (hasattr(subject, "faces") or pieces.is_pair(subject))
    return Collider.of(subject) if is_collider else Mesh.of(subject)


def _stage(models: dict[str, Mesh | Collider], reference: str | None, options: SimulateOptions) -> Stage:
    owners = list(models.values()) if reference is None else [models[reference]]
    bounds = np.array([owner.bounds for owner in owners])
    low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
    center = low / 2 + high / 2
    longest = float((high - low).max())
    if not longest > 0:
        raise InputError("simulate: the model is a single point. Give one with some extent.")
    diagonal = longest * float(np.linalg.norm((high - low) / longest))
    named = [models[reference]] if reference is not None else []
    axis = options.up or next((m.up for m in [*named, *models.values()] if m.up), "y")
    unit = next((m.unit for m in [*named, *models.values()] if m.unit), None)
    scene = SCENES[options.scene]
    radius = scene.radius if options.radius is None else options.radius
    count = scene.count if options.balls is None else options.balls
    ball = parse_length(radius, diagonal, unit, name="simulate: radius")
    if not 1e-4 <= ball / diagonal <= 1:
        raise InputError(f"simulate: radius: must be from 0.01% to 100% of the diagonal, not {radius!r}.")
    scale = SIZE / diagonal
    solids = tuple(solid_of(model, center, scale) for model in models.values())
    if reference is not None:
        owner = solids[list(models).index(reference)]
    else:
        owner = solids[0] if len(solids) == 1 else Solid((), *joined([solid.surface() for solid in solids]))
    return Stage(center, diagonal, UPS.index(axis), ball * scale, count, options.seed, solids, owner)


def _doubts(stage: Stage, solid: Solid, model: Mesh | Collider, name: str) -> list[str]:
    """What a reader should know about a candidate; InputError where an engine could not hold it."""
    doubts = [] if isinstance(model, Mesh) or model.status.complete else list(model.status.notes)
    low, high = solid.bounds
    if not max(np.abs(low).max(), np.abs(high).max()) < _FARTHEST:
        raise InputError(
            f"simulate: {name}: is too large for the reference, or too far from it, to run beside it."
        )
    off = max(np.abs(low - stage.bounds[0]).max(), np.abs(high - stage.bounds[1]).max())
    if off > 0.25 * SIZE:
        doubts.append(
            f"it does not seem to belong to the reference: its box is off by {off / SIZE:.0%} of the diagonal"
        )
    return doubts


class _Run:
    """One candidate's world, stepped frame by frame."""

    def __init__(self, options: SimulateOptions, stage: Stage, solid: Solid) -> None:
        self.options, self.stage, self.solid = options, stage, solid
        self.scene = scene = SCENES[options.scene]
        setup = scene.setup(stage, solid)
        self.world = ENGINES[options.engine](setup)
        frames = scene.frames if options.frames is None else options.frames
        self.notes = setup.notes
        self.down = setup.down
        self.lowest = (self.down[:, None] * stage.bounds).max(axis=1).sum(axis=1)
        self.frame_ms = np.zeros(frames)
        self.contacts: list[int] = []
        self.now = self.world.positions()
        count = len(self.now)
        records = max(2, min(_RECORDS, _MOST_RECORDED // (3 * count)))
        self.gap = scene.every * max(1, -(-frames // (records * scene.every)))
        self.record = Record(fell=np.zeros(count, bool), crossings=np.zeros((count, 2)))
        self.gone = np.zeros(count, bool)
        self._keep(0)

    def step(self, frame: int) -> None:
        started = time.perf_counter()
        self.world.step()
        self.frame_ms[frame] = (time.perf_counter() - started) * 1000
        done = frame + 1
        if done % self.scene.every == 0 or done == len(self.frame_ms):
            self._look(done)

    def _look(self, done: int) -> None:
        before, self.now = self.now, self.world.positions()
        lost = np.asarray(~np.isfinite(self.now).all(axis=1))  # the engine gave it up
        self.now[lost] = before[lost]
        self.contacts.append(self.world.contacts())
        if self.scene.every == 1:
            velocities = self.world.velocities()
            velocities[self.gone] = np.nan
            self.record.velocities.append(velocities)
        if self.scene.falls:
            self._watch(before, lost)
        if done % self.gap == 0 or done == len(self.frame_ms):
            self._keep(done)

    def _watch(self, before: FloatArray, lost: npt.NDArray[np.bool_]) -> None:
        """Who came out below the model since the last look, and who is so low as to be taken out.

        Below is where a body falls to: for one pressed against a side, beyond the opposite side.
        """
        stage, record = self.stage, self.record
        old, new = (((at * self.down).sum(axis=1) - self.lowest) for at in (before, self.now))
        crossed = ~record.fell & ((new > 0) | lost)
        share = np.clip(-old / np.maximum(new - old, 1e-12), 0, 1)[:, None]
        place = before + share * (self.now - before)
        record.crossings[crossed] = place[crossed][:, stage.across]
        record.fell |= crossed
        low = ~self.gone & ((new > _KILL) | lost)
        if low.any():
            self.world.freeze(np.flatnonzero(low).tolist())
            self.gone |= low

    def _keep(self, done: int) -> None:
        self.record.frames.append(done)
        self.record.paths.append(self.now)

    def result(self) -> Simulation:
        stage, record = self.stage, self.record
        record.last_velocities = self.world.velocities()
        upright = self.down[:, stage.up] < -0.5
        through = record.fell & upright
        if through.any():
            through &= stage.footprint.covers(record.crossings)
        resting = record.resting
        return Simulation(
            scene=self.options.scene,
            engine=self.options.engine,
            balls=len(self.now),
            frames=len(self.frame_ms),
            shapes=len(self.solid.shapes),
            frame_ms=self.frame_ms,
            contacts=np.array(self.contacts, np.int64),
            through=int(through.sum()),
            escaped=int((record.fell & ~through).sum()),
            resting=int(resting.sum()),
            moving=int((~record.fell & ~resting).sum()),
            measures=self.scene.measure(stage, self.solid, record, self.world),
            reference_measures={},
            similarity=None,
            notes=(*self.notes, *self.world.notes),
            paths=(np.array(record.paths) / SIZE).astype(np.float32),
            center=stage.center,
            diagonal=stage.diagonal,
            radius=stage.radius / stage.scale,
            bounds=stage.bounds / SIZE,
            up=UPS[stage.up],
        )


def _play(runs: list[_Run], report: Report | None) -> None:
    frames = len(runs[0].frame_ms)
    for frame in range(frames):
        first = frame % len(runs)
        for run in runs[first:] + runs[:first]:
            run.step(frame)
            _go_on(report, "simulate", (frame + 1) / frames)


def _go_on(report: Report | None, stage: str, fraction: float) -> None:
    if report is not None and not report(stage, fraction):
        raise InterruptedError("simulate was stopped")


def _compared(run: Simulation, model: Simulation | None) -> Simulation:
    if model is None:
        return run
    return replace(run, similarity=run.similarity_to(model), reference_measures=model.measures)


def _plain(measures: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if value != value else value for name, value in measures.items()}  # JSON has no NaN
