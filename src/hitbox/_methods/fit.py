"""fit: a mesh in, at most `count` convex primitives out, every face inside one of them (paper 1)."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import parse_length
from hitbox._base.options import collected, option
from hitbox._base.progress import Cancel, Progress, reporter
from hitbox._base.store import Store, build
from hitbox._base.text import counted, listed, percent, percent_up
from hitbox._base.version import version
from hitbox._formats import collider_json
from hitbox._methods.spheres import MODES, MOST_SPHERES, fit_spheres
from hitbox._model import importance, profiles
from hitbox._model.collider import Collider, Method, Source, Status, labels_of
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.profiles import Profile
from hitbox._model.shapes import IndexArray, Shape, shape_from_params
from hitbox._native import _core

PRIMITIVES = ("box", "sphere", "capsule", "cylinder", "frustum", "prism")  # in the core's order
PAPER_WEIGHTS = {"box": 1.0, "sphere": 1.0, "capsule": 1.0, "cylinder": 1.05, "frustum": 2.1, "prism": 1.4}
# Fig. 23 of the paper leaves the prism out as well.
WEIGHT_PRESETS: Mapping[str, Mapping[str, float]] = {
    "paper": PAPER_WEIGHTS,
    "uniform": dict.fromkeys(PRIMITIVES, 1.0),
    "organic": {**PAPER_WEIGHTS, "sphere": 0.7, "capsule": 0.85},
}
OBJECTIVES = ("outer", "surface")
PRESETS = ("fast", "balanced", "fine")
COSTS = ("deviation", "grown", "volume", "joint")
SPANS = ("together", "separate")
TANGENTS = ("auto", "on", "off")
MOST_SHAPES = 1_000_000
DEFAULT_TOLERANCE = "3%"  # where neither a count nor a tolerance is given
MOST_BY_DEFAULT = 256  # shapes, there
HULL_VERTICES = 32  # where neither the options nor a profile say
# With spheres alone; of these kinds, weights and weld have nothing to decide.
KNOWN_TO_SPHERES = (
    "count", "profile", "kinds", "weights", "weld", "spheres", "parts", "materials", "keep_clear", "pad",
)  # fmt: skip
_LISTED = 16  # spheres or numbers; of more the JSON has a checksum
_NAMED = 5  # spheres in a note


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """All options of fit, with their defaults. A length is mesh units, "1%" of the diagonal, or "5mm"."""

    count: int | None = option(None, "Shapes at most, 1 or more. Without it the tolerance decides.")
    tolerance: float | str | None = option(
        None, "Length within which all shapes must stay of the mesh, with as few shapes as can be found.",
        means=f"{DEFAULT_TOLERANCE} where there is no count",
    )  # fmt: skip
    max_excess: float | None = option(
        None, "Volume one merge may add, as a share of the bounding box's volume. Without it: no limit."
    )
    objective: str = option(
        "outer", "What is kept close: outer, what can be touched; surface, all of the shapes' surfaces."
    )
    preset: str = option("balanced", "How much is tried: fast, balanced or fine.")
    time_budget: float | None = option(
        None, "Wall seconds after which refining ends; the result then depends on the machine's speed."
    )
    cost: str = option(
        "deviation",
        "What is kept small: deviation (measured distances), grown (volume with a margin), volume (Eq. 4) or "
        "joint (Eq. 5, slow).",
    )
    profile: str | os.PathLike[str] | Profile | None = option(  # noqa: RUF009  # it returns a field
        None, "An engine's kinds and weights: a name such as unity, or your own JSON file."
    )
    kinds: Iterable[str] | str | None = option(
        None, "Kinds that may be used; hull is a seventh, if named.", means="all but hull"
    )
    weights: Mapping[str, float] | str | None = option(
        None, "Factor on what a kind costs: paper, uniform, organic, or kinds with numbers.", means="paper"
    )
    hull_vertices: int | None = option(
        None, "Vertices a hull may have; a profile may say another.", means=str(HULL_VERTICES)
    )
    parts: str = option("together", "Whether a shape may span parts: together, or separate.")
    materials: str = option("together", "Whether a shape may span materials: together, or separate.")
    importance: Any = option(  # noqa: RUF009
        None, "Faces that must fit closer: a direction (up, +z), names with numbers, or a number a face."
    )
    keep_clear: Any = option(  # noqa: RUF009
        None, "Spheres x,y,z,radius that shapes must not enter; wins over the count."
    )
    pad: float | str | None = option(
        None, "Length by which all sides move out; in, if negative, and faces may then stick out."
    )
    tangent: str = option("auto", "Face tangents in the frame: auto takes them where they help; on; off.")
    weld: float | str = option("exact", "Join vertices first: exact (equal ones), off, or within a length.")
    drop_thin: float | str | None = option(
        None, "Leave out shapes with a half extent up to this length; their faces are then not enclosed."
    )
    spheres: str = option(
        "conservative",
        "Where sphere is the only kind: conservative holds every face in the spheres' union, balanced leaves "
        "up to 5 % out and sticks out less.",
    )

    def __post_init__(self) -> None:
        checks.one_of("fit: objective", self.objective, OBJECTIVES)
        checks.one_of("fit: preset", self.preset, PRESETS)
        checks.one_of("fit: cost", self.cost, COSTS)
        checks.one_of("fit: parts", self.parts, SPANS)
        checks.one_of("fit: materials", self.materials, SPANS)
        checks.one_of("fit: tangent", self.tangent, TANGENTS)
        checks.one_of("fit: spheres", self.spheres, MODES)
        self._put("count", _count, "count")
        self._put("tolerance", _checked_tolerance)
        self._put("max_excess", lambda value: checks.not_negative("fit: max_excess", value))
        self._put("time_budget", lambda value: checks.positive("fit: time_budget", value))
        self._put("profile", profiles.load)
        self._put("kinds", _checked_kinds)
        self._put("weights", _checked_weights)
        self._put("importance", lambda value: importance.checked("fit: importance", value))
        self._put("keep_clear", _checked_spheres)
        if self.hull_vertices is not None:
            few, many = profiles.FEWEST_HULL_VERTICES, profiles.MOST_HULL_VERTICES
            checks.whole("fit: hull_vertices", self.hull_vertices, few, many)
            if "hull" not in self.allowed_kinds:
                raise InputError("fit: hull_vertices: no hulls are allowed. Add 'hull' to kinds.")
        if not set(self.allowed_kinds) & set(PRIMITIVES):
            raise InputError("fit: weights: 'organic' uses no prisms, and kinds allows nothing else.")
        if self.spheres != "conservative" and not self.by_spheres:
            raise InputError(f"fit: spheres: {self.spheres!r} needs kinds='sphere', and no other kind.")

    def _put(self, name: str, check: Callable[..., Any], *arguments: str) -> None:
        if getattr(self, name) is not None:
            object.__setattr__(self, name, check(getattr(self, name), *arguments))

    @property
    def _engine(self) -> Profile | None:
        assert self.profile is None or isinstance(self.profile, Profile)  # __post_init__ has loaded it
        return self.profile

    @property
    def allowed_kinds(self) -> tuple[str, ...]:
        """By `kinds`, else by the profile; `organic` weights leave prisms out."""
        kinds = self.kinds or (self._engine.kinds if self._engine else PRIMITIVES)
        return tuple(kind for kind in kinds if kind != "prism" or self.weights != "organic")

    @property
    def by_spheres(self) -> bool:
        """Whether fit places spheres by their own solver."""
        return self.allowed_kinds == ("sphere",)

    def check_for_spheres(self) -> None:
        """Refuses what their solver does not know."""
        unknown = [name for name in self.said() if name not in KNOWN_TO_SPHERES]
        if not unknown:
            return
        instead = "fit_tree(mesh, kinds='sphere')"
        if "tolerance" in unknown:
            instead += f".within({self.tolerance!r})"
        raise InputError(
            f"fit: {listed(unknown)}: no meaning for spheres alone, which are placed and not merged. Leave "
            f"it out, or let {instead} merge spheres."
        )

    @property
    def kind_weights(self) -> dict[str, float]:
        """One a primitive: by `weights`, else by the profile, else as in the paper."""
        if isinstance(self.weights, str):
            return dict(WEIGHT_PRESETS[self.weights])
        return PAPER_WEIGHTS | dict(self._engine.weights if self._engine else ()) | dict(self.weights or {})

    @property
    def most_hull_vertices(self) -> int:
        """0 where hulls are not allowed."""
        if "hull" not in self.allowed_kinds:
            return 0
        return self.hull_vertices or (self._engine and self._engine.hull_vertices) or HULL_VERTICES

    def said(self) -> dict[str, Any]:
        """The options that differ from the defaults, as the JSON has them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        plain = {f.name: f.default for f in fields(self)}
        if self._engine:
            own = self._engine.own
            values["profile"] = self._engine.name if own is None else json.loads(own)
        else:  # said or not, it is the default
            means = {"kinds": PRIMITIVES, "weights": "paper"}
            plain |= {name: value for name, value in means.items() if values[name]}
        return {name: _plain(value) for name, value in values.items() if value != plain[name]}

    def for_core(self, mesh: Mesh) -> _core.FitOptions:
        core = _core.FitOptions()
        core.objective = getattr(_core.Objective, self.objective)
        core.effort = getattr(_core.Effort, self.preset)
        core.time_budget = self.time_budget or 0.0
        core.cost = getattr(_core.Cost, self.cost)
        core.tangent = getattr(_core.Tangent, self.tangent)
        core.kinds = tuple(kind in self.allowed_kinds for kind in PRIMITIVES)
        core.weights = tuple(self.kind_weights[kind] for kind in PRIMITIVES)
        core.hull_vertices = self.most_hull_vertices
        core.max_excess = -1.0 if self.max_excess is None else self.max_excess
        core.keep_clear = self.keep_clear or ()
        if self.importance is not None:
            core.importance = importance.of_faces("fit: importance", self.importance, mesh).tolist()
        if self.drop_thin is not None:
            core.drop_thin = parse_length(self.drop_thin, mesh.diagonal, mesh.unit, name="fit: drop_thin")
        if self.pad is not None:
            core.pad = parse_length(self.pad, mesh.diagonal, mesh.unit, name="fit: pad", signed=True)
            if core.pad <= -mesh.diagonal / 2:
                raise InputError(f"fit: pad: {self.pad!r} moves sides in by half the mesh. Give less.")
            if core.pad > mesh.diagonal:
                raise InputError(
                    f"fit: pad: {self.pad!r} is more than the mesh's diagonal, {mesh.diagonal:g}. Give less."
                )
        return core


def fit(
    mesh: MeshLike,
    count: int | None = None,
    *,
    options: FitOptions | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> Collider:
    """At most `count` convex primitives around `mesh`; every face lies in at least one of them.

    Options are the fields of FitOptions, given as keywords or as one `options`. With a `tolerance` the
    shapes are as few as can be found whose surfaces stay within it of the mesh, certified: the collider's
    status has the bound. A count beside it is a cap. With neither, the tolerance is 3 %, and the cap 256
    shapes. `cache` is a folder that keeps results: the same mesh, options and version are not fitted
    again (with a time_budget they are).
    `progress` is called with the stage and the fraction done; returning False from it, setting
    `cancel`, or Ctrl-C stop the run.

    Guaranteed: enclosure to 1e-9 of the diagonal, `len(collider) <= count` unless `max_excess` or
    `keep_clear` forbid it (the status then says so), the same result for any number of threads. Not
    guaranteed: the smallest shapes possible. Cost: about 2 us a face, and up to a second or two for the
    shapes; preset="fast" takes a quarter of that.

    With kinds="sphere" alone the spheres follow the volume (docs/spheres.md), and it is their union
    that holds every face; most of each face with spheres="balanced".

    >>> cube = ([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...         [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    >>> fit(cube, 1).counts
    {'box': 1}
    """
    started = time.perf_counter()
    chosen = _options(options, keywords, count)
    if chosen.by_spheres:
        chosen.check_for_spheres()
    job = _Job(mesh, chosen, threads, progress, cancel, cache)

    def work() -> Collider:
        if chosen.count is not None:
            job.check_count(chosen.count)
        if chosen.by_spheres:
            return job.spheres(started)
        if chosen.count is not None and chosen.tolerance is None:
            return job.collider(job.shapes(chosen.count), chosen.count, started)
        return job.within(started)

    return job.kept({}, work, started)


def fit_tree(
    mesh: MeshLike,
    finest: int = 256,
    *,
    options: FitOptions | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> FitTree:
    """All levels of detail from one run: `.at(n)` for any count, `.within("1%")` for any tolerance.

    `finest` is the largest count you need; finer levels exist, but were merged coarsely. The shapes of all
    levels up to it are made here, and how far they stray is certified: levels then come within milliseconds.
    The rest as in `fit`, except that there is no count and no tolerance. Levels are neither refined nor
    trimmed, as that would end their being nested: `fit(mesh, n)` is closer than `fit_tree(mesh, n).at(n)`.
    With a `cache` the merging waits until a level is asked for that is not there.
    """
    chosen = _options(options, keywords, None)
    if chosen.count is not None:
        raise InputError("fit_tree: takes no count. Give the largest you need as finest, and ask .at(count).")
    if chosen.tolerance is not None:
        raise InputError("fit_tree: takes no tolerance. Ask the tree: fit_tree(mesh).within('1%').")
    if chosen.spheres != "conservative":
        raise InputError(
            f"fit_tree: spheres: a tree merges spheres, and holds every face. For {chosen.spheres!r} call "
            f"fit(mesh, kinds='sphere', spheres={chosen.spheres!r})."
        )
    finest = _count(finest, "finest")
    job = _Job(mesh, chosen, threads, progress, cancel, cache, expected=finest)
    return FitTree(job, finest)


# Of the core: shapes, faces, their offsets, how many were dropped, whether refining ended early
_Shapes = tuple[list[Any], IndexArray, IndexArray, int, bool]
# And how far they stray from the mesh at most, of the diagonal; how many stray further than the tolerance;
# whether a count stood in the way.
_Judged = tuple[_Shapes, float, int, bool]


class FitTree:
    """The merges of one run. Levels are nested: what is one shape at n is in one shape below n."""

    def __init__(self, job: _Job, finest: int) -> None:
        self._job = job
        self.finest = finest
        if not job.keeps:
            _ = self._levels

    @cached_property
    def _levels(self) -> _core.Levels:
        return self._job.levels(self.finest)

    def at(self, count: int) -> Collider:
        """At most `count` shapes. Only counts above `finest` cost the fitting of their shapes."""
        started, count = time.perf_counter(), _count(count, "count")

        def work() -> Collider:
            self._job.check_count(count)
            return self._job.collider(self._levels.at(count, self._job.run()), count, started)

        return self._job.kept({"finest": self.finest, "level": count}, work, started)

    def within(self, tolerance: float | str) -> Collider:
        """As few shapes of the tree as stay within `tolerance` of the mesh; the status has the bound.

        Where not even the finest shapes stay within it, they are taken there, and the status says so.
        """
        started, share = time.perf_counter(), self._job.share_of(_checked_tolerance(tolerance))

        def work() -> Collider:
            found = self._levels.within(share, self._job.run())
            why = (
                f"{self.finest:,} shapes, the tree's finest, are too few. There it has the finest, elsewhere "
                f"larger ones. Make the tree with a larger finest."
            )
            return self._job.judged(found, share, started, why, {"tolerance": _plain(tolerance)})

        return self._job.kept({"finest": self.finest, "within": repr(share)}, work, started)

    def clusters(self, count: int | None = None, *, within: float | str | None = None) -> IndexArray:
        """For each input face the number of its cluster at this level, before culling."""
        if (count is None) == (within is None):
            raise InputError("fit: clusters: give either a count or within.")
        if within is not None:
            return np.asarray(self._levels.clusters_within(self._job.share_of(_checked_tolerance(within))))
        level = _count(count, "count")
        self._job.check_count(level)
        return np.asarray(self._levels.clusters_at(level))

    def __repr__(self) -> str:
        return f"<FitTree of {self._job.mesh.face_count:,} faces, for up to {self.finest} shapes>"


class _Job:
    """One mesh with checked options, ready to be asked for trees and shapes."""

    def __init__(
        self,
        mesh: MeshLike,
        options: FitOptions,
        threads: int,
        progress: Progress | None,
        cancel: Cancel | None,
        cache: str | os.PathLike[str] | None = None,
        expected: int | None = None,
    ) -> None:
        self.mesh = Mesh.of(mesh)
        self.options = options
        self.expected = expected or options.count  # shapes, about
        self.threads = checks.threads("fit", threads)
        self.report = reporter("fit", progress, cancel)
        if cache is not None and not isinstance(cache, (str, os.PathLike)):
            raise InputError(f"fit: cache: must be the path of a folder, not {cache!r:.80}.")
        # What depends on the machine's speed is not the result, only one of many.
        self.keeps = cache is not None and options.time_budget is None
        self._store = Store(cache if self.keeps else None)

    @cached_property
    def groups(self) -> _Groups:
        return _Groups.of(self.mesh, self.options)

    @cached_property
    def core_options(self) -> _core.FitOptions:
        core = self.options.for_core(self.mesh)
        core.group_of_face = self.groups.of_face.tolist()
        core.expected_shapes = self.expected or 0
        return core

    @cached_property
    def input(self) -> _core.FitInput:
        weld = self.options.weld
        exact, _ = self.mesh.clean("off" if weld == "off" else "exact")
        # Welding by a distance moves vertices: it says what hangs together, but it is the faces as
        # they came that must be enclosed.
        welded = exact if weld in ("exact", "off") else _by_position(exact).clean(weld)[0]
        return _core.fit_input(
            welded.vertices, welded.indices, exact.vertices, exact.indices, exact.offsets,
            self.core_options, self.run(),
        )  # fmt: skip

    def check_count(self, count: int) -> None:
        groups = self.groups
        if count < groups.count:
            raise InputError(
                f"fit: count: {count:,} shapes cannot keep {groups.count:,} {groups.what} separate. "
                f"Give a count of {groups.count:,} or more, or let them be together."
            )

    def run(self) -> _core.Run:
        return _core.Run(self.threads, self.report)

    def levels(self, finest: int) -> _core.Levels:
        return _core.levels(self.input, finest, self.run())

    def shapes(self, count: int) -> _Shapes:
        return _core.fit(self.input, count, self.run())

    def share_of(self, tolerance: float | str) -> float:
        """A tolerance as a share of the diagonal."""
        length = parse_length(tolerance, self.mesh.diagonal, self.mesh.unit, name="fit: tolerance")
        return length / self.mesh.diagonal

    def spheres(self, started: float) -> Collider:
        groups = self.groups
        if groups.count > MOST_SPHERES:
            raise InputError(
                f"fit: {groups.what}: {MOST_SPHERES:,} spheres, the most there are, cannot keep "
                f"{groups.count:,} of them separate. Let them be together, or fit each on its own."
            )
        found = fit_spheres(
            self.mesh, self.options.count, self.options.spheres, self.core_options, least=groups.count,
            threads=self.threads, report=self.report,
        )  # fmt: skip
        return self.collider(found.shapes, found.count, started, found.notes)

    def within(self, started: float) -> Collider:
        """As few shapes as stay within the tolerance, the default one where none is given."""
        options = self.options
        tolerance = DEFAULT_TOLERANCE if options.tolerance is None else options.tolerance
        share = self.share_of(tolerance)
        by_default = MOST_BY_DEFAULT if options.tolerance is None else MOST_SHAPES
        most = max(options.count or by_default, self.groups.count)
        found = _core.fit_within(self.input, share, most, self.run())
        why = (
            f"that takes more than {most:,} shapes, and these are the ones that fit gives for a count of "
            f"{most:,}. Give a larger count, or a larger tolerance."
            if found[3]
            else "even the shape around a single face strays further there."
        )
        return self.judged(found, share, started, why, {"tolerance": _plain(tolerance)})

    def judged(
        self, found: _Judged, share: float, started: float, why_not: str, asked: Mapping[str, Any]
    ) -> Collider:
        """With what is proved about the distance of the shapes."""
        shapes, strays, over, _ = found
        number = counted(len(shapes[0]), "shape")
        bound = f"within {percent_up(strays)} of the diagonal (certified)"
        if self.core_options.pad:
            bound += ", before padding"
        if strays <= share:
            notes = (f"{number} for a tolerance of {percent(share)}: every shape stays {bound}.",)
            return self.collider(shapes, self.options.count, started, notes, (), asked)
        beyond = f"{over:,} of {number} not surely within {percent(share)}"
        missed = (f"Every shape stays {bound}, but {beyond}: {why_not}",)
        return self.collider(shapes, self.options.count, started, (), missed, asked)

    def kept(self, level: Mapping[str, int | str], work: Callable[[], Collider], started: float) -> Collider:
        """The collider that an earlier run kept, or `work`'s."""
        if not self.keeps:
            return work()
        key = {"what": "fit", "build": build(), "mesh": _identity(self.mesh), **self._asked(), **level}
        known = self._store.get(key, lambda text: collider_json.read(text.encode(), "cache"))
        if known is not None and known.method is not None:
            if self.report is not None:
                self.report("done", 1.0)
            return known._with(method=replace(known.method, seconds=time.perf_counter() - started))
        made = work()
        self._store.put(key, collider_json.write(made, faces=True).decode())
        return made

    def _asked(self) -> dict[str, Any]:
        """Also what profiles and presets stand for: that may change between versions."""
        options = self.options
        kinds = {"kinds": options.allowed_kinds, "weights": options.kind_weights}
        return {"options": options.said(), "hull_vertices": options.most_hull_vertices, **kinds}

    def collider(
        self,
        found: _Shapes,
        count: int | None,
        started: float,
        notes: tuple[str, ...] = (),
        missed: Iterable[str] = (),
        asked: Mapping[str, Any] = MappingProxyType({}),
    ) -> Collider:
        made, faces, offsets, dropped, ended_early = found
        if not made:
            raise InputError(
                f"fit: drop_thin: all {dropped} shapes are thinner than {self.options.drop_thin!r}. "
                f"Give a smaller length."
            )
        if self.report is not None:
            self.report("done", 1.0)
        mesh = self.mesh
        shapes = [shape_from_params(*shape) for shape in made]
        missed = [*missed, *self._missed(shapes, count, dropped)]
        if ended_early:
            budget = self.options.time_budget
            notes = (*notes, f"The time budget of {budget:g} s was used up: refining ended early.")
        said = self.options.said() | dict(asked) | ({} if count is None else {"count": count})
        return Collider(
            shapes,
            labels=labels_of(mesh, np.asarray(faces), np.asarray(offsets)),
            source=Source(mesh.name, mesh.sha256, mesh.face_count, mesh.diagonal),
            method=Method("fit", said, time.perf_counter() - started),
            status=Status(not missed, (*notes, *missed)),
            name=_stem(mesh.name),
            unit=mesh.unit,
            up=mesh.up,
            generator=f"hitbox {version()}",
        )

    def _missed(self, shapes: list[Shape], count: int | None, dropped: int) -> list[str]:
        """What was asked for or is promised otherwise, and was not reached."""
        missed = []
        if count is not None and len(shapes) > count:
            missed.append(f"{len(shapes)} shapes instead of {count}: {self._what_forbids_merges()}.")
        if dropped:
            were = "thin shape was" if dropped == 1 else "thin shapes were"
            missed.append(f"{dropped:,} {were} dropped, and their faces are not enclosed (drop_thin).")
        if self.core_options.pad < 0:
            missed.append(f"The sides were moved in, so faces may stick out (pad={self.options.pad}).")
        if self.options.spheres == "balanced":
            missed.append("A part of the surface was left out on purpose (spheres='balanced').")
        spheres = self.options.keep_clear or ()
        entered = _entered(shapes, spheres, 1e-9 * self.mesh.diagonal)
        if entered:
            named = [f"number {k + 1} at ({', '.join(f'{x:g}' for x in spheres[k][:3])})" for k in entered]
            more = [f"{len(named) - _NAMED:,} more"] if len(named) > _NAMED else []
            missed.append(
                f"Shapes enter {len(entered):,} of the {len(spheres):,} spheres of keep_clear: "
                f"{listed(named[:_NAMED] + more)}."
            )
        return missed

    def _what_forbids_merges(self) -> str:
        if self.options.by_spheres:
            return "large ones would enter a sphere of keep_clear"
        would = []
        if self.options.max_excess is not None:
            would.append(f"add more than max_excess={self.options.max_excess:g} of the bounding box's volume")
        if self.options.keep_clear:
            would.append("enter a sphere of keep_clear")
        return f"every further merge would {' or '.join(would)}"


@dataclass(frozen=True)
class _Groups:
    """Which faces may share a shape: those with the same number."""

    of_face: IndexArray  # empty: all of them
    count: int
    what: str = ""

    @staticmethod
    def of(mesh: Mesh, options: FitOptions) -> _Groups:
        asked = [
            (ids, what)
            for ids, what in ((mesh.part, "parts"), (mesh.material, "materials"))
            if ids is not None and getattr(options, what) == "separate"
        ]
        if not asked:
            return _Groups(np.empty(0, np.uint32), 1)
        number = np.zeros(mesh.face_count, np.int64)
        for ids, _ in asked:
            compact = np.unique(ids, return_inverse=True)[1]
            number = number * (int(compact.max()) + 1) + compact
        found, of_face = np.unique(number, return_inverse=True)
        words = [what for _, what in asked]
        what = words[0] if len(words) == 1 else "pairs of part and material"
        return _Groups(of_face.astype(np.uint32), len(found), what)


def _by_position(mesh: Mesh) -> Mesh:
    """With its vertices along the axes: which one others are welded to must not depend on their order."""
    order = np.lexsort(mesh.vertices.T)
    number = np.empty(len(order), np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    return Mesh._from_arrays(mesh.vertices[order], number[mesh.indices], mesh.offsets, **mesh._known())


def _identity(mesh: Mesh) -> dict[str, Any]:
    """All of a mesh that a collider depends on."""

    def checksum(ids: IndexArray | None) -> str | None:
        return None if ids is None else hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest()

    return {
        "geometry": mesh.sha256, "part": checksum(mesh.part), "material": checksum(mesh.material),
        "part_names": mesh.part_names, "material_names": mesh.material_names, "name": mesh.name,
        "unit": mesh.unit, "up": mesh.up,
    }  # fmt: skip


def _entered(shapes: Iterable[Shape], spheres: npt.ArrayLike, slack: float) -> list[int]:
    """Which spheres a shape enters by more than `slack`."""
    rows = np.asarray(spheres, np.float64).reshape(-1, 4)
    if not len(rows):
        return []
    nearest = np.min([shape.signed_distance(rows[:, :3]) for shape in shapes], axis=0)
    return [int(k) for k in np.flatnonzero(nearest < rows[:, 3] - slack)]


def _options(options: FitOptions | None, keywords: dict[str, Any], count: int | None) -> FitOptions:
    return collected(FitOptions, "fit", options, keywords if count is None else {**keywords, "count": count})


def _count(value: object, name: str) -> int:
    return checks.whole(f"fit: {name}", value, 1, MOST_SHAPES)


def _checked_tolerance(value: Any) -> Any:
    if not parse_length(value, 1.0, name="fit: tolerance") > 0:
        raise InputError(f"fit: tolerance: must be above 0, not {value!r:.80}. Write '1%', say.")
    return value


def _stem(name: str | None) -> str:
    return (name or "").split(".", 1)[0]


def _checked_kinds(kinds: object) -> tuple[str, ...]:
    if not isinstance(kinds, Iterable):
        raise InputError(f"fit: kinds: must be names such as 'box' or ('box', 'sphere'), not {kinds!r:.80}.")
    named = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    known = (*PRIMITIVES, "hull")
    for kind in named:
        checks.one_of("fit: kinds", kind, known, "kind")
    if not named:
        raise InputError(f"fit: kinds: none is left. Allow at least one of {', '.join(PRIMITIVES)}.")
    if set(named) == {"hull"}:
        raise InputError("fit: kinds: 'hull' needs at least one other kind beside it, such as 'box'.")
    return tuple(kind for kind in known if kind in named)


def _checked_weights(weights: object) -> dict[str, float] | str:
    if not isinstance(weights, str):
        return checks.weights("fit", weights, PRIMITIVES, f", or one of {', '.join(WEIGHT_PRESETS)}")
    checks.one_of("fit: weights", weights, WEIGHT_PRESETS, "preset")
    return weights


def _checked_spheres(spheres: Any) -> tuple[tuple[float, ...], ...]:
    """Rows of x, y, z, radius, or what has them as `.spheres`."""
    given = getattr(spheres, "spheres", spheres)
    try:
        rows = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.size == 0 and hasattr(given, "__len__") and len(given) == 0:
        return ()
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise InputError("fit: keep_clear: must be spheres such as [(x, y, z, radius)], four numbers each.")
    wrong = np.flatnonzero(~(np.isfinite(rows).all(axis=1) & (rows[:, 3] > 0)))
    if wrong.size:
        k = int(wrong[0])
        raise InputError(
            f"fit: keep_clear: sphere {k + 1} is {tuple(rows[k].tolist())}, but must be finite, with a "
            f"radius above 0."
        )
    return tuple(tuple(row) for row in rows.tolist())


def _plain(value: Any) -> Any:
    """As JSON has it; of long lists a checksum."""
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, (tuple, list)):
        return value
    if len(value) > _LISTED:
        digest = hashlib.sha256(np.asarray(value, "<f8").tobytes()).hexdigest()
        return {"numbers": np.size(value), "sha256": digest}
    return [_plain(each) for each in value]
