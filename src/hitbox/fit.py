"""fit: a mesh in, at most `count` convex primitives out, every face inside one of them (paper 1)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from hitbox import _core, checks
from hitbox._version import version
from hitbox.collider import Collider, Label, Method, Source, Status
from hitbox.errors import InputError
from hitbox.lengths import parse_length
from hitbox.mesh import Mesh, MeshLike
from hitbox.progress import Cancel, Progress, reporter
from hitbox.shapes import IndexArray, shape_from_params

PRIMITIVES = ("box", "sphere", "capsule", "cylinder", "frustum", "prism")  # in the core's order
PAPER_WEIGHTS = {"box": 1.0, "sphere": 1.0, "capsule": 1.0, "cylinder": 1.05, "frustum": 2.1, "prism": 1.4}
# Fig. 23 of the paper leaves the prism out as well.
WEIGHT_PRESETS: Mapping[str, Mapping[str, float]] = {
    "paper": PAPER_WEIGHTS,
    "uniform": dict.fromkeys(PRIMITIVES, 1.0),
    "organic": {**PAPER_WEIGHTS, "sphere": 0.7, "capsule": 0.85},
}
COSTS = ("grown", "volume", "joint")
TANGENTS = ("auto", "on", "off")
MOST_SHAPES = 1_000_000
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6


def _option(default: Any, help: str) -> Any:
    """A field of FitOptions; the shell's help and the README's table are made from `help`."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """All options of fit, with their defaults. A length is mesh units, "1%" of the diagonal, or "5mm"."""

    count: int | None = _option(None, "Shapes at most, 1 or more. Without it hitbox picks one and says why.")
    max_excess: float | None = _option(
        None, "Volume one merge may add, as a share of the bounding box's volume. Without it: no limit."
    )
    cost: str = _option(
        "grown",
        "What merging keeps small: grown (volume with a margin), volume (Eq. 4) or joint (Eq. 5, slow).",
    )
    kinds: Iterable[str] | str = _option(PRIMITIVES, "Kinds that may be used.")
    weights: Mapping[str, float] | str = _option(
        "paper", "Factor on a kind's volume: paper, uniform, organic, or kinds with numbers."
    )
    tangent: str = _option("auto", "Face tangents in the frame: auto takes them where they help; on; off.")
    weld: float | str = _option("exact", "Join vertices first: exact (equal ones), off, or within a length.")
    drop_thin: float | str | None = _option(
        None, "Leave out shapes with a half extent up to this length; their faces are then not enclosed."
    )

    def __post_init__(self) -> None:
        if self.count is not None:
            object.__setattr__(self, "count", _count(self.count, "count"))
        if self.max_excess is not None:
            object.__setattr__(self, "max_excess", checks.not_negative("fit: max_excess", self.max_excess))
        checks.one_of("fit: cost", self.cost, COSTS)
        checks.one_of("fit: tangent", self.tangent, TANGENTS)
        if not isinstance(self.kinds, Iterable):
            raise InputError(
                f"fit: kinds: must be names such as 'box' or ('box', 'sphere'), not {self.kinds!r}."
            )
        kinds = (self.kinds,) if isinstance(self.kinds, str) else tuple(self.kinds)
        for kind in kinds:
            checks.one_of("fit: kinds", kind, PRIMITIVES, "kind")
        if not kinds:
            raise InputError(f"fit: kinds: none is left. Allow at least one of {', '.join(PRIMITIVES)}.")
        object.__setattr__(self, "kinds", tuple(k for k in PRIMITIVES if k in kinds))
        if isinstance(self.weights, str):
            checks.one_of("fit: weights", self.weights, tuple(WEIGHT_PRESETS), "preset")
            if self.weights == "organic" and self.kinds == ("prism",):
                raise InputError("fit: weights: 'organic' uses no prisms, and kinds allows nothing else.")
        else:
            object.__setattr__(self, "weights", _checked_weights(self.weights))

    def said(self) -> dict[str, Any]:
        """The options that differ from the defaults, as the JSON has them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["kinds"] = list(values["kinds"])
        plain = {f.name: f.default for f in fields(self)} | {"kinds": list(PRIMITIVES)}
        return {name: value for name, value in values.items() if value != plain[name]}

    def for_core(self, mesh: Mesh) -> _core.FitOptions:
        kinds = set(self.kinds)
        if isinstance(self.weights, str):
            weights = dict(WEIGHT_PRESETS[self.weights])
            if self.weights == "organic":
                kinds -= {"prism"}
        else:
            weights = PAPER_WEIGHTS | dict(self.weights)
        core = _core.FitOptions()
        core.cost = getattr(_core.Cost, self.cost)
        core.tangent = getattr(_core.Tangent, self.tangent)
        core.kinds = tuple(kind in kinds for kind in PRIMITIVES)
        core.weights = tuple(weights[kind] for kind in PRIMITIVES)
        core.max_excess = -1.0 if self.max_excess is None else self.max_excess
        if self.drop_thin is not None:
            core.drop_thin = parse_length(self.drop_thin, mesh.diagonal, mesh.unit, name="fit: drop_thin")
        return core


def fit(
    mesh: MeshLike,
    count: int | None = None,
    *,
    options: FitOptions | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> Collider:
    """At most `count` convex primitives around `mesh`; every face lies in at least one of them.

    Options are the fields of FitOptions, given as keywords or as one `options`. Without a count
    hitbox picks one, and the collider's status says which and why. `progress` is called with the
    stage and the fraction done; returning False from it, setting `cancel`, or Ctrl-C stop the run.

    Guaranteed: enclosure to 1e-9 of the diagonal, `len(collider) <= count` unless `max_excess`
    forbids it (the status then says so), the same result for any number of threads. Not
    guaranteed: the smallest shapes possible. Cost: about 2 us a face.

    >>> cube = ([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)],
    ...         [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    >>> fit(cube, 1).counts
    {'box': 1}
    """
    started = time.perf_counter()
    chosen = _options(options, keywords, count)
    job = _Job(mesh, chosen, threads, progress, cancel)
    if chosen.count is not None:
        tree = job.build(chosen.count)
        return job.collider(tree, chosen.count, started)
    tree = job.build(_core.most_chosen)
    picked, mean = job.choose_count(tree)
    return job.collider(tree, picked, started, note=_why(picked, mean))


def fit_tree(
    mesh: MeshLike,
    finest: int = 256,
    *,
    options: FitOptions | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> FitTree:
    """All levels of detail from one run: `fit_tree(mesh).at(n)` for any n.

    `finest` is the largest count you need; finer levels exist, but were merged coarsely. The rest
    as in `fit`, except that there is no count. `fit_tree(mesh, n).at(n)` is `fit(mesh, n)`.
    """
    chosen = _options(options, keywords, None)
    if chosen.count is not None:
        raise InputError("fit_tree: takes no count. Give the largest you need as finest, and ask .at(count).")
    finest = _count(finest, "finest")
    job = _Job(mesh, chosen, threads, progress, cancel)
    return FitTree(job, job.build(finest), finest)


class FitTree:
    """The merges of one run. Levels are nested: what is one shape at n is in one shape below n."""

    def __init__(self, job: _Job, tree: _core.MergeTree, finest: int) -> None:
        self._job = job
        self._tree = tree
        self.finest = finest

    def at(self, count: int) -> Collider:
        """At most `count` shapes. Costs the fitting of these shapes; nothing is merged again."""
        return self._job.collider(self._tree, _count(count, "count"), time.perf_counter())

    def clusters(self, count: int) -> IndexArray:
        """For each input face the number of its cluster at this level, before culling."""
        merges = self._tree.merges_to(_count(count, "count"))
        return np.asarray(self._tree.partition_after(merges))

    def __repr__(self) -> str:
        return f"<FitTree of {self._tree.face_count:,} faces, for up to {self.finest} shapes>"


class _Job:
    """One mesh with checked options, ready to be asked for trees and shapes."""

    def __init__(
        self,
        mesh: MeshLike,
        options: FitOptions,
        threads: int,
        progress: Progress | None,
        cancel: Cancel | None,
    ) -> None:
        self.mesh = Mesh.of(mesh)
        self.options = options
        self.threads = checks.threads("fit", threads)
        self.report = reporter("fit", progress, cancel)
        welded, _ = self.mesh.clean(options.weld)
        # Welding by a distance moves vertices: it says what hangs together, but it is the faces as
        # they came that must be enclosed.
        exact = welded if options.weld in ("exact", "off") else self.mesh.clean("exact")[0]
        self.input = _core.fit_input(
            welded.vertices, welded.indices, exact.vertices, exact.indices, exact.offsets,
            options.for_core(self.mesh), self.run(),
        )  # fmt: skip

    def run(self) -> _core.Run:
        return _core.Run(self.threads, self.report)

    def build(self, finest: int) -> _core.MergeTree:
        return _core.build_tree(self.input, finest, self.run())

    def choose_count(self, tree: _core.MergeTree) -> tuple[int, float]:
        count, mean = _core.choose_count(self.input, tree, self.run())
        return int(count), float(mean)

    def collider(
        self, tree: _core.MergeTree, count: int, started: float, note: str | None = None
    ) -> Collider:
        shapes, faces, offsets, dropped = _core.shapes_after(
            self.input, tree, tree.merges_to(count), self.run()
        )
        if not shapes:
            raise InputError(
                f"fit: drop_thin: all {dropped} shapes are thinner than {self.options.drop_thin!r}. "
                f"Give a smaller length."
            )
        if self.report is not None:
            self.report("done", 1.0)
        mesh, notes = self.mesh, [note] if note else []
        complete = len(shapes) <= count
        if not complete:
            notes.append(
                f"{len(shapes)} shapes instead of {count}: every further merge would add more than "
                f"max_excess={self.options.max_excess:g} of the bounding box's volume."
            )
        if dropped:
            complete = False
            notes.append(f"{dropped} thin shapes were dropped, and their faces are not enclosed (drop_thin).")
        return Collider(
            [shape_from_params(*shape) for shape in shapes],
            labels=_labels(mesh, np.asarray(faces), np.asarray(offsets)),
            source=Source(mesh.name, mesh.sha256, mesh.face_count, mesh.diagonal),
            method=Method("fit", self.options.said() | {"count": count}, time.perf_counter() - started),
            status=Status(complete, tuple(notes)),
            name=_stem(mesh.name),
            unit=mesh.unit,
            up=mesh.up,
            generator=f"hitbox {version()}",
        )


def _options(options: FitOptions | None, keywords: dict[str, Any], count: int | None) -> FitOptions:
    known = [f.name for f in fields(FitOptions)]
    if options is not None and not isinstance(options, FitOptions):
        raise InputError(f"fit: options: must be FitOptions, not a {type(options).__name__}.")
    for name in keywords:
        if name not in known:
            hint = checks.guess(name, known)
            raise InputError(f"fit: unknown option {name!r}.{hint} Known: {', '.join(known)}.")
    if count is not None:
        keywords = {**keywords, "count": count}
    return FitOptions(**keywords) if options is None else replace(options, **keywords)


def _labels(mesh: Mesh, faces: IndexArray, offsets: IndexArray) -> list[Label]:
    """A shape has a part or material name if all its faces have the same."""
    parts = _common_name(mesh.part, mesh.part_names, faces, offsets)
    materials = _common_name(mesh.material, mesh.material_names, faces, offsets)
    return [
        Label(part=part, material=material, faces=faces[offsets[k] : offsets[k + 1]])
        for k, (part, material) in enumerate(zip(parts, materials, strict=True))
    ]


def _common_name(
    ids: IndexArray | None, names: tuple[str, ...], faces: IndexArray, offsets: IndexArray
) -> list[str | None]:
    if ids is None:
        return [None] * (len(offsets) - 1)
    of_face = ids[faces]
    low = np.minimum.reduceat(of_face, offsets[:-1])
    high = np.maximum.reduceat(of_face, offsets[:-1])
    return [(names[a] or None) if a == b else None for a, b in zip(low, high, strict=True)]


def _why(count: int, mean: float) -> str:
    picked = f"hitbox picked a count of {count}"
    distance = f"{mean:.2%} of the diagonal"
    if count >= _core.most_chosen:
        return (
            f"{picked}, the most it picks by itself: on average the shapes are {distance} away from the "
            f"mesh. Give a larger count to get closer."
        )
    return (
        f"{picked}, about the fewest that stay close to the mesh: on average they are {distance} away. "
        f"Give a count for more or less."
    )


def _count(value: object, name: str) -> int:
    return checks.whole(f"fit: {name}", value, 1, MOST_SHAPES)


def _stem(name: str | None) -> str:
    return (name or "").split(".", 1)[0]


def _checked_weights(weights: Mapping[str, float]) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        known = ", ".join(WEIGHT_PRESETS)
        raise InputError(f"fit: weights: must be a dict such as {{'prism': 1.4}}, or one of {known}.")
    checked = {}
    for kind, weight in weights.items():
        checks.one_of("fit: weights", kind, PRIMITIVES, "kind")
        checked[kind] = checks.number(weight)
        if not LEAST_WEIGHT <= checked[kind] <= MOST_WEIGHT:
            limits = f"from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
            raise InputError(f"fit: weights: {kind}: must be a number {limits}, not {weight!r:.80}.")
    return checked
