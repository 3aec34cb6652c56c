"""merge: fewer convex shapes in place of many (paper 4, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hitbox._base.option_kinds import Count, Flag, Length, Scale
from hitbox._base.options import Options, option
from hitbox._base.progress import Cancel, Progress
from hitbox._base.text import counted, percent
from hitbox._methods.carve import FEWEST_VERTICES, MOST_PARTS, MOST_VERTICES
from hitbox._methods.run import Call, verb
from hitbox._model.collider import Collider, ColliderLike, Label, Status
from hitbox._model.option_kinds import SavedSpace
from hitbox._model.shapes import Hull, IndexArray, shape_from_params
from hitbox._model.space import WITHOUT_PROOF, NavigableSpace
from hitbox._native import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import MergeKeywords


@dataclass(frozen=True, kw_only=True)
class MergeOptions(Options):
    """All options of merge, with their defaults.

    A length is in the collider's units, a share of the diagonal of the mesh's bounding
    box, or of the collider's own ("1%"), or has a unit ("5mm").
    """

    VERB: ClassVar[str] = "merge"

    count: int | None = option(
        None, Count(1, MOST_PARTS),
        "Maximum number of shapes. Without it: as few as the space or the tolerance allows.", group="Size",
    )  # fmt: skip
    tolerance: float | str = option(
        "0.8%", Length(above_zero=True),
        "Maximum thickness of the layer that a merge adds, without a space or a count.",
        group="Size",
    )  # fmt: skip
    space: NavigableSpace | None = option(
        None,
        SavedSpace(),
        "Navigable space that merged shapes must not enter, such as carve --space-out writes.",
        group="Where",
    )
    distance: float | str | None = option(
        None, Length(),
        "Maximum distance between shapes that merge, unless a count needs more.",
        means="the tolerance", group="Where",
    )  # fmt: skip
    max_vertices: int | None = option(
        None,
        Count(FEWEST_VERTICES, MOST_VERTICES),
        "Maximum number of vertices of a hull.",
        means="no maximum",
    )
    hulls_only: bool = option(
        False, Flag(), "Merged shapes stay hulls, even where a simple shape is within the tolerance."
    )

    def for_core(self, given: Collider) -> _core.MergeOptions:
        """The options in the core's form, with lengths in the collider's units."""
        core: _core.MergeOptions = self.into_core(_core.MergeOptions(), Scale(given._diagonal, given.unit))
        if self.distance is None:
            core.distance = core.tolerance
        return core


@verb(MergeOptions, "Merge the shapes of colliders into fewer.", takes="colliders")
def merge(
    collider: ColliderLike,
    *,
    options: MergeOptions | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[MergeKeywords],
) -> Collider:
    """Merge neighbouring shapes of `collider` into fewer convex shapes that contain the same.

    `collider` is anything that Collider.of takes, also hulls of other tools, or a kit's colliders in an OBJ
    or GLB. Options are the fields of MergeOptions. With a `space`, shapes merge as long as they stay out of
    it. With a `count`, they merge until it is reached. With both, both limits apply. With neither, shapes
    merge as long as a merge adds no more than a layer of `tolerance`.

    Guaranteed: every input shape lies in an output shape. A shape that was not merged stays unchanged. No
    merged shape enters the space. The result is the same for any number of threads. Not guaranteed: the
    fewest shapes. Cost: about 0.1 ms per pair of neighbours.

        fewer = hitbox.merge("kit_colliders.glb", count=8)
    """
    call = Call("merge", threads, progress, cancel)
    chosen = MergeOptions.of(options, keywords)
    given = Collider.of(collider)
    space, one_thread = chosen.space, chosen.space is not None and chosen.space._has_function
    found, numbers = call.core(
        _core.merge, [shape._crossing for shape in given], chosen.for_core(given),
        None if space is None else call.core(space._in_core, one_thread=one_thread), one_thread=one_thread,
    )  # fmt: skip
    shapes = [
        given[of[0]] if len(of) == 1 else shape_from_params(*shape)
        for shape, of in zip(found, numbers, strict=True)
    ]
    made = call.collider(
        shapes,
        chosen.to_dict(),
        labels=[_label([given.labels[k] for k in of]) for of in numbers],
        source=given.source,
        name=given.name,
        unit=given.unit,
        up=given.up,
    )
    return made._with(status=_status(chosen, given, made))


def _label(labels: list[Label]) -> Label:
    """Return the label of merged shapes: the faces of all, and the names that all share."""
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
    if given.method is None:  # notes from reading convex parts of a file, for example
        notes += given.status.notes
    missed, most = [], options.max_vertices
    if options.count is not None and len(made) > options.count:
        why = "larger shapes would enter the space" if options.space is not None else "no two can be merged"
        missed.append(f"{len(made):,} shapes instead of {options.count:,}: {why}.")
    large = sum(len(shape.vertices) > most for shape in made if isinstance(shape, Hull)) if most else 0
    if large:
        missed.append(
            f"{counted(large, 'hull')} of more than {most:,} vertices: they are those of the input."
        )
    if options.space is not None:
        overlap = options.space.overlap(made)
        if overlap.entered:
            missed.append(
                f"Shapes of the input enter the space, by at least {percent(overlap.deepest)} of the radius."
            )
        elif not overlap.is_proved:
            notes.append(WITHOUT_PROOF)
    return Status(not missed, (*notes, *missed))
