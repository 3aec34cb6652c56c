"""fit: encloses a mesh in at most `count` convex primitives, with every face inside one of them (paper 1)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import parse_length
from hitbox._base.option_kinds import Length, plain
from hitbox._base.progress import Cancel, Progress
from hitbox._base.store import Store, build
from hitbox._base.text import counted, listed, percent, percent_up
from hitbox._formats import collider_json
from hitbox._methods.fit_options import DEFAULT_TOLERANCE, MOST_SHAPES, FitOptions
from hitbox._methods.run import Call, shapes_of, verb
from hitbox._methods.spheres import MOST_SPHERES, place_spheres
from hitbox._model.collider import Collider, Status
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.shapes import IndexArray, Shape
from hitbox._model.space import WITHOUT_PROOF
from hitbox._native import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import FitKeywords

MOST_BY_DEFAULT = 256  # shapes, if neither a count nor a tolerance is given
_NAMED = 5  # the most spheres named in a note
_NOW_A_VERB = "The kind sphere alone has a verb of its own now: fit_spheres, hitbox spheres in the shell."


@verb(FitOptions, "Fit simple shapes around a mesh.")
def fit(
    mesh: MeshLike,
    count: int | None = None,
    *,
    options: FitOptions | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[FitKeywords],
) -> Collider:
    """Fit at most `count` convex primitives around `mesh`. Every face lies in at least one of them.

    Options are the fields of FitOptions, given as keywords or as one `options`. With a `tolerance` the result
    has few shapes whose surfaces stay within it of the mesh; the collider's status has the certified bound. A
    count beside it is a cap. With neither, the tolerance is 3 %, and the cap 256 shapes. `cache` is a folder
    that keeps results: the same mesh, options and version are not fitted again (except with a time_budget).
    `progress` is called with the stage and the fraction done. If it returns False, `cancel` is set, or the
    user presses Ctrl-C, the run stops.

    Guaranteed: enclosure to 1e-9 of the diagonal, `len(collider) <= count` unless `max_excess` or
    `keep_clear` forbids it (the status then says so), and the same result for any number of threads. Not
    guaranteed: the smallest shapes possible. Cost: about 2 us per face, and up to two seconds for the shapes;
    preset="fast" takes a quarter of that.

    With kinds="sphere" alone this is `fit_spheres`: the spheres follow the volume, and it is their union that
    holds every face.

    >>> cube = ([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...         [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    >>> fit(cube, 1).counts
    {'box': 1}
    """
    call = Call("fit", threads, progress, cancel)
    chosen = FitOptions.of(options, keywords if count is None else {**keywords, "count": count})
    if chosen.by_spheres:
        chosen.check_for_spheres()
    job = _Job(mesh, chosen, call, cache)

    def work() -> Collider:
        if chosen.count is not None:
            job.check_count(chosen.count)
        if chosen.by_spheres:
            return job.spheres(call, (_NOW_A_VERB,) if chosen.kinds else ())
        if chosen.count is not None and chosen.tolerance is None:
            return job.collider(job.shapes(chosen.count), chosen.count, call)
        return job.within(call)

    return job.kept({}, work, call)


def fit_tree(
    mesh: MeshLike,
    finest: int = 256,
    *,
    options: FitOptions | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[FitKeywords],
) -> FitTree:
    """Make all levels of detail in one run: `.at(n)` for any count, `.within("1%")` for any tolerance.

    `finest` is the largest count you need; finer levels exist, but were merged coarsely. The shapes of all
    levels up to it are made here, with certified bounds of their distances, so levels then take milliseconds.
    Other arguments are those of `fit`, without a count and a tolerance. Levels are neither refined nor
    trimmed, because they would no longer be nested: `fit(mesh, n)` is closer than `fit_tree(mesh, n).at(n)`.
    With a `cache` the merging starts when a level is missing there.
    """
    call = Call("fit", threads, progress, cancel)
    chosen = FitOptions.of(options, keywords)
    if chosen.count is not None:
        raise InputError(
            "fit_tree: takes no count. Give the largest count you need as finest, and call .at(count)."
        )
    if chosen.tolerance is not None:
        raise InputError("fit_tree: takes no tolerance. Call fit_tree(mesh).within('1%').")
    if chosen.spheres != "conservative":
        raise InputError(
            f"fit_tree: spheres: a tree merges spheres, and holds every face. For {chosen.spheres!r} call "
            f"fit_spheres(mesh, mode={chosen.spheres!r})."
        )
    finest = _count(finest, "finest")
    job = _Job(mesh, chosen, call, cache, expected=finest)
    return FitTree(job, finest)


# The core's result: shapes, faces, their offsets, the number of dropped shapes, whether refining ended early
_Shapes = tuple[list[Any], IndexArray, IndexArray, int, bool]
# The same with the largest distance from the mesh, in diagonals; how many shapes exceed the tolerance; and
# whether the count was too small.
_Judged = tuple[_Shapes, float, int, bool]


class FitTree:
    """The merges of one run. Levels are nested: a shape of a level lies in one cluster of every coarser
    level.
    """

    def __init__(self, job: _Job, finest: int) -> None:
        self._job = job
        self.finest = finest
        if not job.keeps:
            _ = self._levels

    @cached_property
    def _levels(self) -> _core.Levels:
        return self._job.levels(self.finest)

    def at(self, count: int) -> Collider:
        """Return at most `count` shapes. Only counts above `finest` need to fit shapes."""
        call, count = self._job.call.again(), _count(count, "count")

        def work() -> Collider:
            self._job.check_count(count)
            return self._job.collider(call.core(self._levels.at, count), count, call)

        return self._job.kept({"finest": self.finest, "level": count}, work, call)

    def within(self, tolerance: float | str) -> Collider:
        """Return as few shapes of the tree as stay within `tolerance` of the mesh. The status has the bound.

        Where even the finest shapes do not stay within it, they are used, and the status says so.
        """
        call, share = self._job.call.again(), self._job.share_of(_checked_tolerance(tolerance))

        def work() -> Collider:
            found = call.core(self._levels.within, share)
            why = (
                f"{self.finest:,} shapes, the tree's finest, are too few. There it has the finest, elsewhere "
                f"larger ones. Make the tree with a larger finest."
            )
            return self._job.judged(found, share, call, why, {"tolerance": plain(tolerance)})

        return self._job.kept({"finest": self.finest, "within": repr(share)}, work, call)

    def clusters(self, count: int | None = None, *, within: float | str | None = None) -> IndexArray:
        """Return the cluster number of each input face at this level, before culling."""
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
    """One mesh with checked options, prepared for trees and shapes."""

    def __init__(
        self,
        mesh: MeshLike,
        options: FitOptions,
        call: Call,
        cache: str | os.PathLike[str] | None = None,
        expected: int | None = None,
    ) -> None:
        self.mesh = Mesh.of(mesh)
        self.options = options
        self.expected = expected or options.count  # about this many shapes
        self.call = call
        has_function = any(space._has_function for space in options.clear_spheres.spaces)
        if has_function:
            call.threads = 1
        if cache is not None and not isinstance(cache, (str, os.PathLike)):
            raise InputError(f"{call.verb}: cache: must be the path of a folder, not {cache!r:.80}.")
        # A result that depends on the machine's speed is not kept, nor one that depends on a function.
        self.keeps = cache is not None and options.time_budget is None and not has_function
        self._store = Store(cache if self.keeps else None)

    @cached_property
    def groups(self) -> _Groups:
        return _Groups.of(self.mesh, self.options)

    @cached_property
    def core_options(self) -> _core.FitOptions:
        core = self.options.for_core(self.mesh)
        core.group_of_face = self.groups.of_face
        core.expected_shapes = self.expected or 0
        core.spaces = [self.call.core(space._in_core) for space in self.options.clear_spheres.spaces]
        return core

    @cached_property
    def input(self) -> _core.FitInput:
        weld = self.options.weld
        exact, _ = self.mesh.clean("off" if weld == "off" else "exact")
        # Welding by a distance moves vertices. It defines the connectivity, but the original faces must be
        # enclosed.
        welded = exact if weld in ("exact", "off") else _by_position(exact).clean(weld)[0]
        return self.call.core(
            _core.fit_input, welded.vertices, welded.indices, exact.vertices, exact.indices, exact.offsets,
            self.core_options,
        )  # fmt: skip

    def check_count(self, count: int) -> None:
        groups = self.groups
        if count < groups.count:
            raise InputError(
                f"{self.call.verb}: count: {count:,} shapes cannot keep {groups.count:,} {groups.what} "
                f"separate. Give a count of {groups.count:,} or more, or let them be together."
            )

    def levels(self, finest: int) -> _core.Levels:
        return self.call.core(_core.levels, self.input, finest)

    def shapes(self, count: int) -> _Shapes:
        return self.call.core(_core.fit, self.input, count)

    def share_of(self, tolerance: float | str) -> float:
        """Return a tolerance as a fraction of the diagonal."""
        length = parse_length(tolerance, self.mesh.diagonal, self.mesh.unit, name="fit: tolerance")
        return length / self.mesh.diagonal

    def spheres(self, call: Call, notes: tuple[str, ...] = ()) -> Collider:
        groups = self.groups
        if groups.count > MOST_SPHERES:
            raise InputError(
                f"{self.call.verb}: {groups.what}: {MOST_SPHERES:,} spheres, the largest number, cannot keep "
                f"{groups.count:,} of them separate. Let them be together, or fit each on its own."
            )
        found = place_spheres(
            self.mesh, self.options.count, self.options.spheres, self.core_options, least=groups.count,
            threads=call.threads, report=call.report,
        )  # fmt: skip
        return self.collider(found.shapes, found.count, call, (*found.notes, *notes))

    def within(self, call: Call) -> Collider:
        """Return as few shapes as stay within the tolerance, by default DEFAULT_TOLERANCE."""
        options = self.options
        tolerance = DEFAULT_TOLERANCE if options.tolerance is None else options.tolerance
        share = self.share_of(tolerance)
        by_default = MOST_BY_DEFAULT if options.tolerance is None else MOST_SHAPES
        most = max(options.count or by_default, self.groups.count)
        found = call.core(_core.fit_within, self.input, share, most)
        why = (
            f"that takes more than {most:,} shapes, so these are the shapes of fit with a count of "
            f"{most:,}. Give a larger count, or a larger tolerance."
            if found[3]
            else "even the shape around a single face deviates further there."
        )
        return self.judged(found, share, call, why, {"tolerance": plain(tolerance)})

    def judged(
        self, found: _Judged, share: float, call: Call, why_not: str, asked: Mapping[str, Any]
    ) -> Collider:
        """Add the proved bound of the shapes' distance to the notes."""
        shapes, strays, over, _ = found
        number = counted(len(shapes[0]), "shape")
        bound = f"within {percent_up(strays)} of the diagonal (certified)"
        if self.core_options.pad:
            bound += ", before padding"
        if strays <= share:
            notes = (f"{number} for a tolerance of {percent(share)}: every shape stays {bound}.",)
            return self.collider(shapes, self.options.count, call, notes, (), asked)
        beyond = f"{over:,} of {number} not surely within {percent(share)}"
        missed = (f"Every shape stays {bound}, but {beyond}: {why_not}",)
        return self.collider(shapes, self.options.count, call, (), missed, asked)

    def kept(self, level: Mapping[str, int | str], work: Callable[[], Collider], call: Call) -> Collider:
        """Return the collider that an earlier run kept, or the result of `work`."""
        if not self.keeps:
            return work()
        key = {"what": "fit", "build": build(), "mesh": _identity(self.mesh), **self._asked(), **level}
        known = self._store.get(key, lambda text: collider_json.read(text.encode(), "cache"))
        if known is not None and known.method is not None:
            call.done()
            return known._with(method=replace(known.method, seconds=call.seconds))
        made = work()
        self._store.put(key, collider_json.write(made, faces=True).decode())
        return made

    def _asked(self) -> dict[str, Any]:
        """Return the options with the values of profiles and presets, which may change between versions."""
        options = self.options
        kinds = {"kinds": options.allowed_kinds, "weights": options.kind_weights}
        spaces = {"spaces": [space._identity for space in options.clear_spheres.spaces]}
        asked = {"options": options.to_dict(), "hull_vertices": options.hull_vertices, **kinds}
        return asked | spaces if spaces["spaces"] else asked

    def collider(
        self,
        found: _Shapes,
        count: int | None,
        call: Call,
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
        shapes = shapes_of(made)
        missed = [*missed, *self._missed(shapes, count, dropped)]
        if not all(space.has_proof for space in self.options.clear_spheres.spaces):
            notes = (*notes, WITHOUT_PROOF)
        if ended_early:
            budget = self.options.time_budget
            notes = (*notes, f"The time budget of {budget:g} s was used up: refining ended early.")
        written = self.options.to_dict() | dict(asked) | ({} if count is None else {"count": count})
        return call.around(self.mesh, shapes, faces, offsets, written, Status(not missed, (*notes, *missed)))

    def _missed(self, shapes: list[Shape], count: int | None, dropped: int) -> list[str]:
        """Yield requests and guarantees that the result does not meet."""
        missed = []
        if count is not None and len(shapes) > count:
            missed.append(f"{len(shapes)} shapes instead of {count}: {self._what_forbids_merges()}.")
        if dropped:
            were = "thin shape was" if dropped == 1 else "thin shapes were"
            missed.append(f"{dropped:,} {were} dropped, and their faces are not enclosed (drop_thin).")
        if self.core_options.pad < 0:
            missed.append(f"The sides were moved in, so faces may stick out (pad={self.options.pad}).")
        if self.options.spheres == "balanced":
            missed.append("A part of the surface is not covered, because the mode is balanced.")
        return missed + self._entered_spheres(shapes) + self._entered_spaces(shapes)

    def _entered_spheres(self, shapes: list[Shape]) -> list[str]:
        """Name the spheres of keep_clear that shapes enter."""
        spheres = self.options.clear_spheres.given
        entered = _entered(shapes, spheres, 1e-9 * self.mesh.diagonal)
        if not entered:
            return []
        named = [f"number {k + 1} at ({', '.join(f'{x:g}' for x in spheres[k][:3])})" for k in entered]
        more = [f"{len(named) - _NAMED:,} more"] if len(named) > _NAMED else []
        return [
            f"Shapes enter {len(entered):,} of the {len(spheres):,} spheres of keep_clear: "
            f"{listed(named[:_NAMED] + more)}."
        ]

    def _entered_spaces(self, shapes: list[Shape]) -> list[str]:
        """Describe how far shapes enter the spaces of keep_clear, which a proof tests as a whole."""
        made = Collider(shapes)
        found = [
            space.overlap(made, threads=self.call.threads) for space in self.options.clear_spheres.spaces
        ]
        deepest = max((overlap.deepest for overlap in found), default=0.0)
        return (
            [f"Shapes enter the space of keep_clear, by at least {percent(deepest)} of the radius."]
            if deepest
            else []
        )

    def _what_forbids_merges(self) -> str:
        if self.options.by_spheres:
            return "larger spheres would enter what keep_clear keeps clear"
        would = []
        if self.options.max_excess is not None:
            would.append(f"add more than max_excess={self.options.max_excess:g} of the bounding box's volume")
        if self.options.clear_spheres:
            would.append("enter what keep_clear keeps clear")
        return f"every further merge would {' or '.join(would)}"


@dataclass(frozen=True)
class _Groups:
    """The groups of faces. Only faces with the same number may share a shape."""

    of_face: IndexArray  # empty: one group
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
    """Sort the vertices along the axes, so that the result of welding does not depend on their order."""
    order = np.lexsort(mesh.vertices.T)
    number = np.empty(len(order), np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    return Mesh._from_arrays(mesh.vertices[order], number[mesh.indices], mesh.offsets, **mesh._known())


def _identity(mesh: Mesh) -> dict[str, Any]:
    """Return all data of a mesh that a collider depends on."""

    def checksum(ids: IndexArray | None) -> str | None:
        return None if ids is None else hashlib.sha256(ids.astype("<u4").tobytes()).hexdigest()

    return {
        "geometry": mesh.sha256, "part": checksum(mesh.part), "material": checksum(mesh.material),
        "part_names": mesh.part_names, "material_names": mesh.material_names, "name": mesh.name,
        "unit": mesh.unit, "up": mesh.up,
    }  # fmt: skip


def _entered(shapes: Iterable[Shape], spheres: npt.ArrayLike, slack: float) -> list[int]:
    """Return which spheres a shape enters by more than `slack`."""
    rows = np.asarray(spheres, np.float64).reshape(-1, 4)
    if not len(rows):
        return []
    nearest = np.min([shape.signed_distance(rows[:, :3]) for shape in shapes], axis=0)
    return [int(k) for k in np.flatnonzero(nearest < rows[:, 3] - slack)]


def _count(value: object, name: str) -> int:
    return checks.whole(f"fit: {name}", value, 1, MOST_SHAPES)


def _checked_tolerance(value: Any) -> Any:
    return Length(above_zero=True).checked("fit: tolerance", value)
