"""evaluate: how well a collider stands for a mesh, in numbers.

Lengths are fractions of the diagonal of the mesh's bounding box; volumes are in mesh units cubed. What each
number means: docs/evaluate.md.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.progress import Cancel, Progress, Report, reporter
from hitbox._model import profiles
from hitbox._model.collider import Collider, ColliderLike
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.profiles import HullCaps
from hitbox._native import _core

MOST_SAMPLES = 100_000_000
OUTSIDE = 1e-5  # of the diagonal: a point further out than this is not covered
ENCLOSED = 1e-9  # of the diagonal: what `fit` promises; less is rounding
OFFSET = 1e-3  # of the diagonal: how far out a point is looked from for shapes that cover it
THIN = 1e-3  # of the diagonal: shapes thinner than this are listed
DEGENERATE = 2.001e-5  # of the diagonal: as thin as the thinnest that `fit` makes, or thinner
FARTHEST = 1e30  # longest sides of the mesh: beyond, a collider cannot be measured against it
LIKELY_SCALE = 5.0  # a collider this many times larger or smaller has another scale

# Engines whose profiles have caps on hulls, as people call them.
CAPS = {
    "PhysX": "physx",
    "PhysX on a GPU": "physx-gpu",
    "Omniverse": "usd",
    "Unity": "unity",
    "Jolt": "jolt",
    "Godot with Jolt": "jolt",
}

_Floats = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Distance:
    """From points on the collider to the mesh: their mean and largest distance, and how many they are."""

    mean: float
    hausdorff: float
    samples: int


@dataclass(frozen=True)
class Coverage:
    """How much of the mesh's surface no shape holds: the fraction that is outside by more than 1e-5 of the
    diagonal, and the largest and mean distance by which the surface sticks out."""

    outside: float
    largest: float
    mean: float


@dataclass(frozen=True)
class Estimate:
    """A value from samples; with 95 % probability the true one is no further away than `error`."""

    value: float
    error: float


@dataclass(frozen=True)
class Distances:
    """From the collider to the mesh: on all of its surfaces, on the boundary of the shapes' union, and on
    what of that can be touched from outside the mesh."""

    all_surfaces: Distance
    union_boundary: Distance
    outer_surface: Distance


@dataclass(frozen=True)
class Bounds:
    """Proved, not sampled: the true value lies between the two numbers of each pair. `complete`: all pairs
    are as narrow as was asked for."""

    all_surfaces: tuple[float, float]  # the largest distance
    outer_surface: tuple[float, float]  # the same
    sticks_out: tuple[float, float]  # the largest distance by which the mesh leaves the union
    mean_all: tuple[float, float]  # the mean distance on all surfaces
    complete: bool


@dataclass(frozen=True)
class Evaluation:
    """Everything `evaluate` measures. Lengths: of the diagonal; volumes: mesh units cubed."""

    shapes: int
    counts: dict[str, int]
    nbytes: int
    diagonal: float  # of the mesh, in its units
    all_surfaces: Distance
    union_boundary: Distance
    outer_surface: Distance
    coverage: Coverage
    volume: float  # sum over the shapes
    union_volume: Estimate
    overlap: float  # 1 - union / sum
    thin: tuple[int, ...]  # shapes
    degenerate: tuple[int, ...]
    beyond_caps: dict[str, tuple[int, ...]]  # engine -> hulls that it would change
    bounds: Bounds | None  # with `certify`
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as JSON has them."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain


def evaluate(
    mesh: MeshLike,
    collider: ColliderLike,
    *,
    samples: int = 200_000,
    seed: int = 0,
    certify: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Evaluation:
    """How well `collider` stands for `mesh`: distances, coverage, volumes, bytes, shapes to look at.

    `collider` is all that Collider.of takes: also hulls of other tools. Points are drawn on the true
    surfaces, `samples` of them, from `seed`. `certify` adds bounds that hold for every point.

    Guaranteed: exact distances of all points, the same result for any number of threads. Not guaranteed
    without `certify`: the true maximum, which may fall between two samples. Cost: about 10 us a sample and
    thread; certifying takes seconds.

    >>> cube = ([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...         [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    >>> from hitbox import Sphere
    >>> round(evaluate(cube, [Sphere((0.5, 0.5, 0.5), 1)]).outer_surface.hausdorff, 3)
    0.289
    """
    job = _Job(mesh, collider, samples, seed, threads, reporter("evaluate", progress, cancel))
    sampled = 0.2 if certify else 1.0  # share of the time
    distances = job.distances(0.0, 0.6 * sampled)
    coverage = job.coverage(0.6 * sampled, 0.8 * sampled)
    total, union = job.volumes(0.8 * sampled, sampled)
    bounds = job.bounds(sampled, 1.0) if certify else None
    facts = job.facts()
    job.say("done", 1.0)
    return Evaluation(
        shapes=len(job.collider),
        counts=job.collider.counts,
        nbytes=job.collider.nbytes,
        diagonal=job.mesh.diagonal,
        all_surfaces=distances.all_surfaces,
        union_boundary=distances.union_boundary,
        outer_surface=distances.outer_surface,
        coverage=coverage,
        volume=total,
        union_volume=union,
        overlap=max(0.0, 1 - union.value / total) if total > 0 else 0.0,
        thin=_where(facts[:, 1] < THIN),
        degenerate=_where(facts[:, 1] <= DEGENERATE),
        beyond_caps=_beyond_caps(facts[:, 2], facts[:, 3]),
        bounds=bounds,
        notes=_notes(job.mesh, job.collider),
    )


def distances(
    mesh: MeshLike, collider: ColliderLike, *, samples: int = 200_000, seed: int = 0, threads: int = 0
) -> Distances:
    """The distances of `evaluate` alone."""
    return _Job(mesh, collider, samples, seed, threads, None).distances(0.0, 1.0)


class _Job:
    """One mesh and one collider, in lengths of the mesh's longest side: squares of 1e-60 or 1e60 stay in
    the range of numbers that way."""

    def __init__(
        self,
        mesh: MeshLike,
        collider: ColliderLike,
        samples: object,
        seed: object,
        threads: object,
        report: Report | None,
    ) -> None:
        self.samples = checks.whole("evaluate: samples", samples, 1, MOST_SAMPLES)
        self.seed = checks.seed("evaluate", seed)
        self.threads = checks.threads("evaluate", threads)
        self.report = report
        self.mesh = Mesh.of(mesh)
        self.collider = Collider.of(collider)
        low, high = self.mesh.bounds
        self.origin = low / 2 + high / 2
        self.unit = float((high - low).max())
        self.diagonal = self.mesh.diagonal / self.unit
        # Times 1 / unit, as the core does it for the shapes: what lay in one plane stays in one plane.
        self.vertices = np.ascontiguousarray((self.mesh.vertices - self.origin) * (1 / self.unit))
        self._check_reach()
        crossings = [shape._crossing for shape in self.collider.shapes]
        self.shapes = _core.shape_union(crossings, tuple(self.origin), self.unit, self.threads)

    def _check_reach(self) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            for k, shape in enumerate(self.collider.shapes):
                reach = np.abs((shape.bounds - self.origin) / self.unit).max()
                if not reach <= FARTHEST:
                    raise InputError(
                        f"evaluate: shape {k} reaches more than {FARTHEST:g} times the mesh's size away from "
                        f"it. Give the collider of this mesh."
                    )

    def say(self, stage: str, fraction: float) -> None:
        if self.report is not None and not self.report(stage, fraction):
            raise InterruptedError("evaluate: stopped")

    def part(self, low: float, high: float) -> Report | None:
        """A reporter for a step that is this share of the whole."""
        if self.report is None:
            return None
        report = self.report
        return lambda stage, fraction: report(stage, low + (high - low) * fraction)

    def distances(self, low: float, high: float) -> Distances:
        share = _shares(low, high, 0.2, 0.7)
        points, _, _, hidden = self.shapes.sample(
            self.samples, self.seed, OFFSET * self.diagonal, self.threads, self.part(*share[0])
        )
        found, _, _ = _core.closest_points(
            points, self.vertices, self.mesh.indices, self.mesh.offsets, self.threads, self.part(*share[1])
        )
        far = np.asarray(found) / self.diagonal
        boundary = np.asarray(hidden) == 0
        outer = boundary & ~self._inside(np.asarray(points), boundary, self.part(*share[2]))
        return Distances(_distance(far), _distance(far[boundary]), _distance(far[outer]))

    def _inside(self, points: _Floats, asked: _Bools, report: Report | None) -> _Bools:
        """Which of the points asked for lie inside the mesh, where it is a closed solid."""
        inside = np.zeros(len(points), bool)
        arrays = (self.vertices, self.mesh.indices, self.mesh.offsets)
        if asked.any() and _core.is_closed_solid(*arrays):
            inside[asked] = _core.points_inside(
                np.ascontiguousarray(points[asked]), *arrays, self.threads, report
            )
        return inside

    def coverage(self, low: float, high: float) -> Coverage:
        points, _ = _core.sample_surface(self.vertices, self.mesh.triangles, self.samples, self.seed)
        found = self.shapes.distances_outside(points, self.threads, self.part(low, high))
        out = np.asarray(found) / self.diagonal
        out[out <= ENCLOSED] = 0.0
        return Coverage(float((out > OUTSIDE).mean()), float(out.max()), float(out.mean()))

    def volumes(self, low: float, high: float) -> tuple[float, Estimate]:
        total, union, error = self.shapes.union_volume(
            self.samples, self.seed, self.threads, self.part(low, high)
        )
        cube = self.unit**3
        return total * cube, Estimate(union * cube, error * cube)

    def bounds(self, low: float, high: float) -> Bounds:
        found = self.shapes.certify(
            self.vertices,
            self.mesh.indices,
            self.mesh.offsets,
            OFFSET,
            threads=self.threads,
            report=self.part(low, high),
        )
        return Bounds(**{field.name: found[field.name] for field in fields(Bounds)})

    def facts(self) -> _Floats:
        """A row a shape: volume, smallest extent of the diagonal, corners and polygons of a hull."""
        facts = np.array(self.shapes.facts(), np.float64)
        facts[:, 1] /= self.diagonal
        return facts


def _shares(low: float, high: float, *cuts: float) -> list[tuple[float, float]]:
    return list(pairwise(low + (high - low) * cut for cut in (0.0, *cuts, 1.0)))


def _distance(far: _Floats) -> Distance:
    """Where there are no points nothing is away from the mesh."""
    return Distance(float(far.mean()), float(far.max()), len(far)) if len(far) else Distance(0.0, 0.0, 0)


def _where(chosen: _Bools) -> tuple[int, ...]:
    return tuple(int(k) for k in np.flatnonzero(chosen))


def _beyond_caps(corners: _Floats, polygons: _Floats) -> dict[str, tuple[int, ...]]:
    """Only the engines with such hulls."""
    beyond = {}
    for engine, profile in CAPS.items():
        caps = profiles.load(profile).hull or HullCaps()
        many, sides = caps.vertices or math.inf, caps.polygons or math.inf
        beyond[engine] = _where((corners > many) | (polygons > sides))
    return {engine: hulls for engine, hulls in beyond.items() if hulls}


def _notes(mesh: Mesh, collider: Collider) -> tuple[str, ...]:
    """What a person should know before trusting the numbers."""
    notes = []
    (low, high), (own_low, own_high) = mesh.bounds, collider.bounds
    if (own_low > high).any() or (own_high < low).any():
        notes.append("The collider lies apart from the mesh: it does not seem to belong to it.")
    with np.errstate(over="ignore"):
        scale = float(np.linalg.norm((own_high - own_low) / mesh.diagonal))
    if scale >= LIKELY_SCALE or scale <= 1 / LIKELY_SCALE:
        said = f"{scale:,.3g} times as large as" if scale > 1 else f"{1 / scale:,.3g} times smaller than"
        notes.append(f"The collider is {said} the mesh: another unit, perhaps, or another mesh.")
    source = collider.source
    if source is not None and source.sha256 is not None and source.sha256 != mesh.sha256:
        made_of = f" ({source.name})" if source.name else ""
        notes.append(f"The collider was made from another mesh{made_of}, or another version of this one.")
    if collider.method is None or not collider.status.complete:
        notes += collider.status.notes
    return tuple(notes)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
