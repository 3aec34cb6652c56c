"""evaluate: measures how closely a collider matches a mesh.

Lengths are fractions of the diagonal of the mesh's bounding box; volumes are in cubic mesh units.
docs/evaluate.md explains each number.
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
OUTSIDE = 1e-5  # fraction of the diagonal: a point farther outside is not covered
ENCLOSED = 1e-9  # fraction of the diagonal: the tolerance that `fit` promises; less is rounding
OFFSET = 1e-3  # fraction of the diagonal: the distance outside from which a point must be visible
THIN = 1e-3  # fraction of the diagonal: thinner shapes are listed
DEGENERATE = 2.001e-5  # fraction of the diagonal: at most as thick as the thinnest shapes of `fit`
FARTHEST = 1e30  # longest sides of the mesh: the limit for a collider's reach
LIKELY_SCALE = 5.0  # a size ratio that suggests another unit

# Engines by display name, and their profiles with limits for hulls.
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
    """The mean and largest distance from points on the collider to the mesh, and the number of points."""

    mean: float
    hausdorff: float
    samples: int


@dataclass(frozen=True)
class Coverage:
    """The part of the mesh's surface outside all shapes.

    `outside` is the fraction that is outside by more than 1e-5 of the diagonal; `largest` and `mean` are the
    distances by which the surface sticks out.
    """

    outside: float
    largest: float
    mean: float


@dataclass(frozen=True)
class Estimate:
    """A value from samples; with 95 % probability the true value differs by at most `error`."""

    value: float
    error: float


@dataclass(frozen=True)
class Distances:
    """Distances from the collider to the mesh, over three sets of points.

    These are all of its surfaces, the boundary of the shapes' union, and the part of that boundary that is
    reachable from outside the mesh.
    """

    all_surfaces: Distance
    union_boundary: Distance
    outer_surface: Distance


@dataclass(frozen=True)
class Bounds:
    """Proved bounds: the true value lies between the two numbers of each pair.

    `complete` means that all pairs reached the requested precision.
    """

    all_surfaces: tuple[float, float]  # the largest distance
    outer_surface: tuple[float, float]  # the largest distance on the outer surface
    sticks_out: tuple[float, float]  # the largest distance by which the mesh leaves the union
    mean_all: tuple[float, float]  # the mean distance on all surfaces
    complete: bool


@dataclass(frozen=True)
class Evaluation:
    """All measurements of `evaluate`. Lengths are fractions of the diagonal, volumes cubic mesh units."""

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
    thin: tuple[int, ...]  # indices of the shapes
    degenerate: tuple[int, ...]
    beyond_caps: dict[str, tuple[int, ...]]  # engine -> indices of the hulls it would change
    bounds: Bounds | None  # None without `certify`
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
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
    """Measure how closely `collider` matches `mesh`: distances, coverage, volumes, bytes, suspicious shapes.

    `collider` is anything that Collider.of accepts, including hulls of other tools. `samples` points are
    drawn on the true surfaces, from the random seed `seed`. `certify` adds bounds that hold for every point.

    Guaranteed: exact distances of all points, and the same result for any number of threads. Not guaranteed
    without `certify`: the true maximum, which may lie between samples. Cost: about 10 us per sample and
    thread; certifying takes seconds.

    >>> cube = ([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...         [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    >>> from hitbox import Sphere
    >>> round(evaluate(cube, [Sphere((0.5, 0.5, 0.5), 1)]).outer_surface.hausdorff, 3)
    0.289
    """
    job = _Job(mesh, collider, samples, seed, threads, reporter("evaluate", progress, cancel))
    sampled = 0.2 if certify else 1.0  # fraction of the time
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
    """Compute only the distances of `evaluate`."""
    return _Job(mesh, collider, samples, seed, threads, None).distances(0.0, 1.0)


class _Job:
    """One mesh and one collider, scaled by the mesh's longest side.

    The scaling keeps the squares of lengths such as 1e-60 or 1e60 within the range of floats.
    """

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
        # Multiply by 1 / unit, as the core does for shapes: then points of one plane stay in one plane.
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
                        f"it. Use the collider of this mesh."
                    )

    def say(self, stage: str, fraction: float) -> None:
        if self.report is not None and not self.report(stage, fraction):
            raise InterruptedError("evaluate: stopped")

    def part(self, low: float, high: float) -> Report | None:
        """Return a reporter for a step that covers this part of the progress."""
        if self.report is None:
            return None
        report = self.report
        return lambda stage, fraction: report(stage, low + (high - low) * fraction)

    def distances(self, low: float, high: float) -> Distances:
        spans = _spans(low, high, 0.2, 0.7)
        points, _, _, hidden = self.shapes.sample(
            self.samples, self.seed, OFFSET * self.diagonal, self.threads, self.part(*spans[0])
        )
        distances, _, _ = _core.closest_points(
            points, self.vertices, self.mesh.indices, self.mesh.offsets, self.threads, self.part(*spans[1])
        )
        far = np.asarray(distances) / self.diagonal
        boundary = np.asarray(hidden) == 0
        outer = boundary & ~self._inside(np.asarray(points), boundary, self.part(*spans[2]))
        return Distances(_distance(far), _distance(far[boundary]), _distance(far[outer]))

    def _inside(self, points: _Floats, selected: _Bools, report: Report | None) -> _Bools:
        """Return which of the selected points lie inside the mesh, if it is a closed solid."""
        inside = np.zeros(len(points), bool)
        arrays = (self.vertices, self.mesh.indices, self.mesh.offsets)
        if selected.any() and _core.is_closed_solid(*arrays):
            inside[selected] = _core.points_inside(
                np.ascontiguousarray(points[selected]), *arrays, self.threads, report
            )
        return inside

    def coverage(self, low: float, high: float) -> Coverage:
        points, _ = _core.sample_surface(self.vertices, self.mesh.triangles, self.samples, self.seed)
        distances = self.shapes.distances_outside(points, self.threads, self.part(low, high))
        out = np.asarray(distances) / self.diagonal
        out[out <= ENCLOSED] = 0.0
        return Coverage(float((out > OUTSIDE).mean()), float(out.max()), float(out.mean()))

    def volumes(self, low: float, high: float) -> tuple[float, Estimate]:
        total, union, error = self.shapes.union_volume(
            self.samples, self.seed, self.threads, self.part(low, high)
        )
        cube = self.unit**3
        return total * cube, Estimate(union * cube, error * cube)

    def bounds(self, low: float, high: float) -> Bounds:
        bounds = self.shapes.certify(
            self.vertices,
            self.mesh.indices,
            self.mesh.offsets,
            OFFSET,
            threads=self.threads,
            report=self.part(low, high),
        )
        return Bounds(**{field.name: bounds[field.name] for field in fields(Bounds)})

    def facts(self) -> _Floats:
        """Return a row per shape: volume, smallest extent in diagonals, corners and polygons of a hull."""
        facts = np.array(self.shapes.facts(), np.float64)
        facts[:, 1] /= self.diagonal
        return facts


def _spans(low: float, high: float, *cuts: float) -> list[tuple[float, float]]:
    return list(pairwise(low + (high - low) * cut for cut in (0.0, *cuts, 1.0)))


def _distance(far: _Floats) -> Distance:
    """Summarise distances; without points they are 0."""
    return Distance(float(far.mean()), float(far.max()), len(far)) if len(far) else Distance(0.0, 0.0, 0)


def _where(mask: _Bools) -> tuple[int, ...]:
    return tuple(int(k) for k in np.flatnonzero(mask))


def _beyond_caps(corners: _Floats, polygons: _Floats) -> dict[str, tuple[int, ...]]:
    """List the hulls beyond each engine's limits, for the engines that have such hulls."""
    beyond = {}
    for engine, profile in CAPS.items():
        caps = profiles.load(profile).hull or HullCaps()
        many, sides = caps.vertices or math.inf, caps.polygons or math.inf
        beyond[engine] = _where((corners > many) | (polygons > sides))
    return {engine: hulls for engine, hulls in beyond.items() if hulls}


def _notes(mesh: Mesh, collider: Collider) -> tuple[str, ...]:
    """Return warnings that a reader needs before trusting the numbers."""
    notes = []
    (low, high), (own_low, own_high) = mesh.bounds, collider.bounds
    if (own_low > high).any() or (own_high < low).any():
        notes.append("The collider lies apart from the mesh: it probably belongs to another one.")
    with np.errstate(over="ignore"):
        scale = float(np.linalg.norm((own_high - own_low) / mesh.diagonal))
    if scale >= LIKELY_SCALE or scale <= 1 / LIKELY_SCALE:
        ratio = f"{scale:,.3g} times as large as" if scale > 1 else f"{1 / scale:,.3g} times smaller than"
        notes.append(f"The collider is {ratio} the mesh: perhaps its unit or its mesh is another one.")
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
