"""`simulate` and `simulate_together`: checks, the world frame, the frames of the run, and the results."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS, parse_length
from hitbox._base.progress import Cancel, Progress, Report, reporter
from hitbox._judges.simulate.options import ENGINES, SimulateOptions
from hitbox._judges.simulate.scenes import SCENES, Record
from hitbox._judges.simulate.similarity import Similarity, height_field_distance, trajectory_distance
from hitbox._judges.simulate.world import Solid, joined
from hitbox._judges.simulate.world_frame import SIZE, WorldFrame, solid_of
from hitbox._model import convex_parts as pieces
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import SimulateKeywords

_RECORDS = 100  # recorded positions over the whole run
_MOST_RECORDED = 60_000_000  # numbers, over all records of a run
_FARTHEST = 1e5  # m from the origin; engines use float32
_KILL = 0.05 * SIZE  # m below the model: lower bodies are removed


@dataclass(frozen=True, eq=False)
class Simulation:
    """One candidate's run. Times are milliseconds of the engine's step, without anything else."""

    scene: str
    engine: str
    balls: int  # or the other moving things of the scene
    frames: int
    shapes: int  # 0 for a triangle mesh
    frame_ms: FloatArray = field(repr=False)  # (frames,)
    contacts: npt.NDArray[np.int64] = field(repr=False)  # touching or nearly touching pairs, every few frames
    through: int  # fell through: came below the model where the model is above
    escaped: int  # came below the model beside it
    resting: int  # at rest at the end
    moving: int  # still moving at the end; these four add up to all balls
    measures: Mapping[str, float]  # the scene's own measures
    reference_measures: Mapping[str, float]  # the same for the reference's run; empty without a reference
    similarity: Similarity | None  # to the reference
    notes: tuple[str, ...]
    paths: npt.NDArray[np.float32] = field(repr=False)  # (records, balls, 3): from `center`, in diagonals
    center: FloatArray = field(repr=False)  # of the model
    diagonal: float = field(repr=False)  # of the model
    radius: float = field(repr=False)  # of the balls, in mesh units
    bounds: FloatArray = field(repr=False)  # (2, 3) of the model, relative to `center`, in diagonals
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
        """The final positions (balls, 3), in the mesh's coordinates."""
        return np.asarray(self.center + self.paths[-1].astype(np.float64) * self.diagonal)

    def similarity_to(self, other: Simulation) -> Similarity:
        """Compare two runs of the same scene around the same model; equal runs give 0."""
        if self.paths.shape != other.paths.shape or self.scene != other.scene or self.up != other.up:
            raise InputError("similarity: the two runs must have the same scene, balls, frames and up axis.")
        a, b, axis = self.paths, other.paths, UPS.index(self.up)
        return Similarity(height_field_distance(a[-1], b[-1], other.bounds, axis), trajectory_distance(a, b))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without positions."""
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
    **keywords: Unpack[SimulateKeywords],
) -> Simulation:
    """Run `subject` in a physics engine, and return frame times and what happened.

    `subject` is a collider (anything that `Collider.of` accepts) or a mesh, which the engine then uses as a
    triangle mesh. A path to a .json file or to a folder is a collider, any other path a mesh. Options are the
    fields of SimulateOptions, as keywords or as one `options`: `scene` is drop, maze, stairs, pile, roll or
    leak; each scene has its own defaults for `balls`, `frames` and `radius` (drop: 5000, 1000, "1%" of the
    diagonal). A `reference` mesh runs beside the subject, and sets `similarity` and `reference_measures`. The
    same arguments give the same result, except for the times. Needs the extra: pip install "hitbox[sim]".
    """
    subjects = {"subject": subject} | ({} if reference is None else {"reference": reference})
    name = None if reference is None else "reference"
    settings = SimulateOptions.of(options, keywords)
    return simulate_together(subjects, reference=name, options=settings, progress=progress, cancel=cancel)[
        "subject"
    ]


def simulate_together(
    subjects: Mapping[str, Any],
    *,
    reference: str | None = None,
    options: SimulateOptions | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[SimulateKeywords],
) -> dict[str, Simulation]:
    """Run all candidates side by side: frame k of each before frame k + 1 of any, in a rotating order.

    So a slowdown of the machine affects all alike. All candidates get the same balls, placed around the model
    named by `reference` (without it: around all of them together); the others are compared with that model.
    Otherwise it works as `simulate`.
    """
    chosen = SimulateOptions.of(options, keywords)
    report = reporter("simulate", progress, cancel)
    models = _models(subjects, reference, chosen.scene, report)
    world = _world_frame(models, reference, chosen)
    doubts = {
        name: _doubts(world, world.solids[k], model, name) for k, (name, model) in enumerate(models.items())
    }
    runs = {}
    for k, name in enumerate(models):
        _go_on(report, "set up", 0.0)
        runs[name] = _Run(chosen, world, world.solids[k])
        runs[name].notes += doubts[name]
    _play(list(runs.values()), report)
    results = {name: run.result() for name, run in runs.items()}
    if reference is not None:
        model = results[reference]
        results = {
            name: _compared(run, None if name == reference else model) for name, run in results.items()
        }
    return results


def _models(
    subjects: Mapping[str, Any], reference: str | None, scene: str, report: Report | None
) -> dict[str, Mesh | Collider]:
    if not isinstance(subjects, Mapping) or not subjects:
        raise InputError("simulate: give at least one collider or mesh, each with a name.")
    if reference is not None and reference not in subjects:
        names = ", ".join(map(str, subjects))
        raise InputError(f"simulate: reference: {reference!r:.80} is not one of the subjects: {names}.")
    models = {}
    for name, subject in subjects.items():
        _go_on(report, "set up", 0.0)
        models[name] = model = model_of(subject)
        if SCENES[scene].moves_subject and isinstance(model, Mesh):
            raise InputError(
                f"simulate: {name}: the scene {scene!r} moves its subject, but a triangle mesh cannot move. "
                f"Use a collider."
            )
    return models


def model_of(subject: Any) -> Mesh | Collider:
    """Return a subject as a collider, or as a mesh to simulate directly."""
    if isinstance(subject, (Mesh, Collider)):
        return subject
    if isinstance(subject, (str, os.PathLike)):
        path = os.fspath(subject)
        is_collider = path.lower().endswith(".json") or os.path.isdir(path)
    else:
        is_collider = not (hasattr(subject, "faces") or pieces.is_pair(subject))
    return Collider.of(subject) if is_collider else Mesh.of(subject)


def _world_frame(
    models: dict[str, Mesh | Collider], reference: str | None, options: SimulateOptions
) -> WorldFrame:
    owners = list(models.values()) if reference is None else [models[reference]]
    bounds = np.array([owner.bounds for owner in owners])
    low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
    center = low / 2 + high / 2
    longest = float((high - low).max())
    if not longest > 0:
        raise InputError("simulate: the model is a single point. Use one with some extent.")
    diagonal = longest * float(np.linalg.norm((high - low) / longest))
    named = [models[reference]] if reference is not None else []
    axis: str = options.up or next((m.up for m in [*named, *models.values()] if m.up), "y")
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
    return WorldFrame(center, diagonal, UPS.index(axis), ball * scale, count, options.seed, solids, owner)


def _doubts(world: WorldFrame, solid: Solid, model: Mesh | Collider, name: str) -> list[str]:
    """Return notes on a candidate; raise InputError if it is too far away for an engine."""
    doubts = [] if isinstance(model, Mesh) or model.status.complete else list(model.status.notes)
    low, high = solid.bounds
    if not max(np.abs(low).max(), np.abs(high).max()) < _FARTHEST:
        raise InputError(
            f"simulate: {name}: is too large for the reference, or too far from it, to run together."
        )
    off = max(np.abs(low - world.bounds[0]).max(), np.abs(high - world.bounds[1]).max())
    if off > 0.25 * SIZE:
        doubts.append(
            f"it probably belongs to another model: its box differs from the reference's by {off / SIZE:.0%}"
        )
    return doubts


class _Run:
    """One candidate's world, simulated frame by frame."""

    def __init__(self, options: SimulateOptions, world: WorldFrame, solid: Solid) -> None:
        self.options, self.world, self.solid = options, world, solid
        self.scene = scene = SCENES[options.scene]
        setup = scene.setup(world, solid)
        self.engine = ENGINES[options.engine](setup)
        frames = scene.frames if options.frames is None else options.frames
        self.notes = setup.notes
        self.down = setup.down
        self.lowest = (self.down[:, None] * world.bounds).max(axis=1).sum(axis=1)
        self.frame_ms = np.zeros(frames)
        self.contacts: list[int] = []
        self.now = self.engine.positions()
        count = len(self.now)
        records = max(2, min(_RECORDS, _MOST_RECORDED // (3 * count)))
        self.gap = scene.every * max(1, -(-frames // (records * scene.every)))
        self.record = Record(fell=np.zeros(count, bool), crossings=np.zeros((count, 2)))
        self.gone = np.zeros(count, bool)
        self._keep(0)

    def step(self, frame: int) -> None:
        started = time.perf_counter()
        self.engine.step()
        self.frame_ms[frame] = (time.perf_counter() - started) * 1000
        done = frame + 1
        if done % self.scene.every == 0 or done == len(self.frame_ms):
            self._look(done)

    def _look(self, done: int) -> None:
        before, self.now = self.now, self.engine.positions()
        lost = np.asarray(~np.isfinite(self.now).all(axis=1))  # the engine lost track of these bodies
        self.now[lost] = before[lost]
        self.contacts.append(self.engine.contacts())
        if self.scene.every == 1:
            velocities = self.engine.velocities()
            velocities[self.gone] = np.nan
            self.record.velocities.append(velocities)
        if self.scene.falls:
            self._watch(before, lost)
        if done % self.gap == 0 or done == len(self.frame_ms):
            self._keep(done)

    def _watch(self, before: FloatArray, lost: npt.NDArray[np.bool_]) -> None:
        """Record the bodies that came below the model since the last look, and remove those far below.

        A body falls along its own `down`: a body pressed against a side is below beyond the opposite side.
        """
        world, record = self.world, self.record
        old, new = (((at * self.down).sum(axis=1) - self.lowest) for at in (before, self.now))
        crossed = ~record.fell & ((new > 0) | lost)
        fraction = np.clip(-old / np.maximum(new - old, 1e-12), 0, 1)[:, None]
        place = before + fraction * (self.now - before)
        record.crossings[crossed] = place[crossed][:, world.across]
        record.fell |= crossed
        low = ~self.gone & ((new > _KILL) | lost)
        if low.any():
            self.engine.freeze(np.flatnonzero(low).tolist())
            self.gone |= low

    def _keep(self, done: int) -> None:
        self.record.frames.append(done)
        self.record.paths.append(self.now)

    def result(self) -> Simulation:
        world, record = self.world, self.record
        record.last_velocities = self.engine.velocities()
        upright = self.down[:, world.up] < -0.5
        through = record.fell & upright
        if through.any():
            through &= world.footprint.covers(record.crossings)
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
            measures=self.scene.measure(world, self.solid, record, self.engine),
            reference_measures={},
            similarity=None,
            notes=(*self.notes, *self.engine.notes),
            paths=(np.array(record.paths) / SIZE).astype(np.float32),
            center=world.center,
            diagonal=world.diagonal,
            radius=world.radius / world.scale,
            bounds=world.bounds / SIZE,
            up=UPS[world.up],
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
