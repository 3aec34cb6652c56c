"""merge: fewer convex shapes in place of many (paper 4, section 5)."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import parse_length
from hitbox._base.options import collected, option
from hitbox._base.progress import Cancel, Progress, reporter
from hitbox._base.text import counted, percent
from hitbox._base.version import version
from hitbox._methods.carve import FEWEST_VERTICES, MOST_PARTS, MOST_VERTICES
from hitbox._model.collider import Collider, ColliderLike, Label, Method, Status
from hitbox._model.shapes import Hull, IndexArray, shape_from_params
from hitbox._model.space import NavigableSpace
from hitbox._native import _core


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """All options of merge, with their defaults.

    A length is in the collider's units, a share of the diagonal of the mesh's bounding
    box, or of the collider's own ("1%"), or has a unit ("5mm").
    """

    count: int | None = option(None, "Shapes at most: merges end there. Without it: as few as are allowed.")
    tolerance: float | str = option(
        "0.8%", "Length: how thick a layer a merge may add, where there is neither a space nor a count."
    )
    space: NavigableSpace | None = option(  # noqa: RUF009  # it returns a field
        None, "A navigable space that merged shapes must not enter."
    )
    distance: float | str | None = option(
        None,
        "Length: shapes further apart are not merged, unless a count asks for it.",
        means="the tolerance",
    )
    max_vertices: int | None = option(None, "Vertices a hull may have at most.", means="any")
    hulls_only: bool = option(
        False, "Merged shapes stay hulls, also where a simple shape is within the tolerance.",
        means="no",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.count is not None:
            checks.whole("merge: count", self.count, 1, MOST_PARTS)
        if self.max_vertices is not None:
            checks.whole("merge: max_vertices", self.max_vertices, FEWEST_VERTICES, MOST_VERTICES)
        if self.space is not None and not isinstance(self.space, NavigableSpace):
            kind = type(self.space).__name__
            raise InputError(
                f"merge: space: must come from navigable_space or NavigableSpace.load, not {kind}."
            )
        self.length("tolerance", 1.0, None)
        if self.distance is not None:
            self.length("distance", 1.0, None)

    def length(self, name: str, diagonal: float, unit: str | None) -> float:
        found = parse_length(getattr(self, name), diagonal, unit, name=f"merge: {name}")
        if not found > 0 and name == "tolerance":
            raise InputError("merge: tolerance: must be above 0. Write '1%' of the diagonal, say.")
        return found

    def said(self) -> dict[str, Any]:
        """The options that differ from the defaults, as the JSON has them."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.space is not None:
            given["space"] = {"radius": self.space.radius, "tolerance": self.space.tolerance}
        return {f.name: given[f.name] for f in fields(self) if given[f.name] != f.default}


def merge(
    collider: ColliderLike,
    *,
    options: MergeOptions | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> Collider:
    """Fewer convex shapes that hold all that `collider` holds: shapes that lie together become one.

    `collider` is anything Collider.of takes: also hulls of other tools, or a kit's colliders in an OBJ or
    GLB. Options are the fields of MergeOptions. With a `space` shapes merge as long as they stay out of
    it; with a `count` until it is reached; with both, until one of them ends it; with neither, as long as
    a merge adds no more than a layer of `tolerance`.

    Guaranteed: every shape lies in one that comes out; one that was not merged comes out as it was; no
    merged shape enters the space; the same result for any number of threads. Not guaranteed: the fewest
    shapes. Cost: some 0.1 ms for each pair of neighbours.

        fewer = hitbox.merge("kit_colliders.glb", count=8)
    """
    started = time.perf_counter()
    chosen = collected(MergeOptions, "merge", options, keywords)
    given = Collider.of(collider)
    threads = checks.threads("merge", threads)
    tolerance = chosen.length("tolerance", given._diagonal, given.unit)
    apart = tolerance if chosen.distance is None else chosen.length("distance", given._diagonal, given.unit)
    report = reporter("merge", progress, cancel)
    found, numbers = _core.merge(
        [shape._crossing for shape in given], tolerance, apart, chosen.count or 0,
        None if chosen.space is None else chosen.space.spheres, chosen.max_vertices or 0,
        not chosen.hulls_only,
        _core.Run(threads, report),
    )  # fmt: skip
    if report is not None:
        report("done", 1.0)
    shapes = [
        given[of[0]] if len(of) == 1 else shape_from_params(*shape)
        for shape, of in zip(found, numbers, strict=True)
    ]
    made = Collider(
        shapes,
        labels=[_label([given.labels[k] for k in of]) for of in numbers],
        source=given.source,
        method=Method("merge", chosen.said(), time.perf_counter() - started),
        name=given.name,
        unit=given.unit,
        up=given.up,
        generator=f"hitbox {version()}",
    )
    return made._with(status=_status(chosen, given, made))


def _label(labels: list[Label]) -> Label:
    """Of merged shapes: the faces of all, and the names that all have."""
    if len(labels) == 1:
        return labels[0]

    def common(name: str) -> str | None:
        found = {getattr(label, name) for label in labels}
        return found.pop() if len(found) == 1 else None

    owned: list[IndexArray] = [label.faces for label in labels if label.faces is not None]
    faces = np.unique(np.concatenate(owned)) if len(owned) == len(labels) else None
    return Label(name=common("name"), part=common("part"), material=common("material"), faces=faces)


def _status(options: MergeOptions, given: Collider, made: Collider) -> Status:
    notes = [f"{counted(len(made), 'shape')} in place of {len(given):,}."]
    if given.method is None:  # pieces of a file, say: what became of them on the way
        notes += given.status.notes
    missed, most = [], options.max_vertices
    if options.count is not None and len(made) > options.count:
        why = "larger ones would enter the space" if options.space is not None else "no two can be merged"
        missed.append(f"{len(made):,} shapes instead of {options.count:,}: {why}.")
    large = sum(len(shape.vertices) > most for shape in made if isinstance(shape, Hull)) if most else 0
    if large:
        missed.append(f"{counted(large, 'hull')} of more than {most:,} vertices: given so, and not merged.")
    if options.space is not None:
        overlap = options.space.overlap(made)
        if overlap.entered:
            spheres = counted(overlap.entered, "sphere")
            missed.append(
                f"Shapes enter {spheres} of the space, by {percent(overlap.deepest)} of the radius at most: "
                f"those given do."
            )
    return Status(not missed, (*notes, *missed))
