"""carve: convex hulls around a mesh that keep every space open where a ball can go (paper 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hitbox._base.option_kinds import Count, Flag, Number, Scale, Seed
from hitbox._base.options import option
from hitbox._base.progress import Cancel, Progress
from hitbox._base.text import counted, listed, percent
from hitbox._methods.run import Call, shapes_of, verb
from hitbox._methods.space import SpaceOptions
from hitbox._model.collider import Collider, Status
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.space import NavigableSpace, SpaceOrigin
from hitbox._native import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import CarveKeywords

FEWEST_VERTICES, MOST_VERTICES = 8, 65_535
MOST_EDGES = 1_000
MOST_PARTS = 1_000_000
MOST_EFFORT = 1_000
MOST_NAMED = 5  # the most hulls named in the status


@dataclass(frozen=True, kw_only=True)
class CarveOptions(SpaceOptions):
    """All options of carve, with their defaults; those of the space come first.

    A length is mesh units, a share of the diagonal of the bounding box ("4%"), or has a unit ("5mm").
    """

    VERB: ClassVar[str] = "carve"

    count: int | None = option(
        None, Count(1, MOST_PARTS),
        "Maximum number of hulls. If it is too low, hulls enter the space, and the status says how far.",
        group="Size",
    )  # fmt: skip
    max_vertices: int | None = option(
        None, Count(FEWEST_VERTICES, MOST_VERTICES),
        "Maximum number of vertices of a hull. Some engines need 64 or 255.", means="no maximum",
    )  # fmt: skip
    effort: float = option(
        0, Number(MOST_EFFORT),
        "Search steps per hull, for fewer hulls. 1 takes about seven times as long as 0.", group="Effort",
    )  # fmt: skip
    concave_edges: int = option(
        4, Count(0, MOST_EDGES), "Concave edges through which each cut tries planes.",
        group="Research",
    )  # fmt: skip
    seed: int = option(0, Seed(), "Random seed of the search.", group="Research")
    hulls_only: bool = option(
        False, Flag(), "Make a hull also of a mesh that is a box, ball, capsule or cylinder."
    )

    def carving(self, mesh: Mesh, origin: SpaceOrigin) -> _core.CarveOptions:
        """Return the options in the core's form."""
        core: _core.CarveOptions = self.into_core(_core.CarveOptions(), Scale(mesh.diagonal, mesh.unit))
        core.space = origin.options
        return core


@verb(CarveOptions, "Wrap a mesh in hulls that keep doorways open.")
def carve(
    mesh: MeshLike,
    radius: float | str | None = None,
    tolerance: float | str | None = None,
    *,
    options: CarveOptions | None = None,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[CarveKeywords],
) -> Collider:
    """Make convex hulls around `mesh` that keep open every way that a ball of `radius` can go.

    A ball can go wherever it comes from outside and stays `tolerance` away from the mesh. Options are the
    fields of CarveOptions, given as keywords or as one `options`; lengths are mesh units, have a unit, or are
    a share of the diagonal of the bounding box.

    Guaranteed: no hull enters that space, which is proved for the whole space and not only at samples (if
    `count` is too small for that, the status says how deep hulls enter). Every face lies in the union of the
    hulls, to 1e-6 of the diagonal. Hulls lie in the mesh's convex hull, except flat parts, which stick out by
    1 % of the tolerance, and capped hulls, by up to 30 % of it. The result is the same for any number of
    threads. A mesh that is a box, ball, capsule or cylinder becomes that one shape. Not guaranteed: the
    fewest hulls. Cost: near linear in the faces; 1 to 3 s for a scan at 1 %.

    The collider's `space` is the space that stays open.

        collider = hitbox.carve("house.glb", radius="40cm", tolerance="5cm")
    """
    call = Call("carve", threads, progress, cancel)
    given = {"radius": radius, "tolerance": tolerance}
    named = {name: value for name, value in given.items() if value is not None}
    chosen = CarveOptions.of(options, {**keywords, **named})
    loaded = Mesh.of(mesh)
    origin = chosen.origin(loaded)
    shapes, faces, offsets, is_proved, is_capped, depths, space = call.core(
        _core.carve, loaded.vertices, loaded.indices, loaded.offsets, chosen.carving(loaded, origin),
        one_thread=origin.has_function,
    )  # fmt: skip
    status = _status(chosen, len(shapes), is_proved, is_capped, depths)
    made = call.around(loaded, shapes_of(shapes), faces, offsets, chosen.to_dict(), status)
    return made._with(space=NavigableSpace._of(space, origin))


def _status(
    options: CarveOptions, count: int, is_proved: bool, is_capped: bool, depths: Sequence[float]
) -> Status:
    hulls, notes, missed = counted(count, "hull"), [], []
    if is_proved:
        what = f"a ball of radius {options.radius} that stays {options.tolerance} away from the mesh"
        notes.append(f"{hulls}: none enters the space of {what} (proved).")
    elif any(depths):
        why = f"A count of {options.count:,} is too few" if options.count else "Parts cannot be cut further"
        missed.append(f"{why}: {_entered_by(depths)}.")
    else:
        missed.append("There is no proof that no hull enters the space. Give a larger tolerance.")
    if options.count is not None and count > options.count:
        missed.append(f"{hulls} instead of {options.count:,}: the cap on vertices allows no more merges.")
    if not is_capped:
        missed.append(f"Some hulls have more than {options.max_vertices} vertices. Give a larger tolerance.")
    return Status(not missed, (*notes, *missed))


def _entered_by(depths: Sequence[float]) -> str:
    """Name the hulls that enter the space, the deepest first."""
    entering = [k for k in sorted(range(len(depths)), key=lambda k: -depths[k]) if depths[k]]
    named = [f"hull {k} by {percent(depths[k])}" for k in entering[:MOST_NAMED]]
    named[0] += " of the radius"
    if more := len(entering) - len(named):
        named.append(f"{more:,} more by less")
    verb = "enters" if len(entering) == 1 else "enter"
    return f"{len(entering):,} of {counted(len(depths), 'hull')} {verb} the space, {listed(named)}"
