"""navigable_space: the space that a ball can reach around a mesh, as spheres to keep clear (paper 4, section
3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._base.option_kinds import Flag, Length, Points, Scale
from hitbox._base.options import Options, option
from hitbox._base.progress import Cancel, Progress
from hitbox._methods.run import Call, verb
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.option_kinds import Blockers
from hitbox._model.shapes import FloatArray, _Shape
from hitbox._model.space import Blocker, HalfSpace, NavigableSpace, SpaceOrigin

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import SpaceKeywords

_LENGTH = Length(above_zero=True)


@dataclass(frozen=True, kw_only=True)
class SpaceOptions(Options):
    """The options of the space that a ball can reach, for navigable_space, carve and merge.

    A length is mesh units, a share of the diagonal of the bounding box ("4%"), or has a unit ("5mm").
    """

    VERB: ClassVar[str] = "navigable_space"

    radius: float | str = option(
        "4%", _LENGTH, "Radius of the smallest ball that must get through.",
        group="Size", in_json=True,
    )  # fmt: skip
    tolerance: float | str = option(
        "0.8%", _LENGTH, "Maximum distance of hulls from the mesh where a ball can go.",
        group="Size", in_json=True,
    )  # fmt: skip
    floor_tolerance: float | str | None = option(
        None, _LENGTH, "Tolerance above faces that face up.", means="the tolerance", group="Size"
    )
    clear_points: npt.ArrayLike = option(
        (), Points(), "Points x,y,z around which space stays clear, as far as the mesh allows.",
        group="Where", was="keep_clear", was_flag="--clear",
    )  # fmt: skip
    blockers: Blocker | Iterable[Blocker] = option(
        (), Blockers(),
        "Regions that balls cannot enter: a floor, half-spaces, shapes, or functions of points.",
        group="Where", flag="--floor",
    )  # fmt: skip
    sealed: bool = option(
        False, Flag(), "Sealed space, which no ball reaches from outside, stays open too.", group="Where",
        was="reachable_only", was_opposite=True,
    )  # fmt: skip

    def origin(self, mesh: Mesh) -> SpaceOrigin:
        """Return what the space is made from, with lengths in mesh units."""
        scale = Scale(mesh.diagonal, mesh.unit)

        def length(name: str) -> float:
            return _LENGTH.resolved(f"{self.VERB}: {name}", getattr(self, name), scale)

        radius, tolerance = length("radius"), length("tolerance")
        if radius > mesh.diagonal:
            raise InputError(
                f"{self.VERB}: radius: {self.radius} is more than the mesh's diagonal. Give at most '100%'."
            )
        floor = 0.0
        if self.floor_tolerance is not None:
            floor = length("floor_tolerance")
            if floor > tolerance:
                raise InputError(f"{self.VERB}: floor_tolerance: is more than the tolerance. Give less.")
        halves, shapes, functions = _sorted(cast("tuple[Blocker, ...]", self.blockers))
        up = (mesh.up or "z") if self.floor_tolerance is not None else "z"
        arguments = {
            "radius": radius,
            "tolerance": tolerance,
            "floor_tolerance": floor,
            "up": tuple(float(axis == up) for axis in UPS),
            "sealed": self.sealed,
            "clear_points": np.array(self.clear_points, np.float64).reshape(-1, 3),
            "half_spaces": halves,
            "shapes": shapes,
            "function": _Nearest(self.VERB, tuple(functions)) if functions else None,
        }
        return SpaceOrigin(mesh.vertices, mesh.indices, mesh.offsets, arguments)


@verb(SpaceOptions, "The space that a ball can reach around a mesh.", makes_collider=False)
def navigable_space(
    mesh: MeshLike,
    radius: float | str,
    tolerance: float | str,
    *,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[SpaceKeywords],
) -> NavigableSpace:
    """Return the space that a ball of `radius` can reach from outside while it stays `tolerance` away from
    the mesh.

    Lengths are mesh units, have a unit, or are a share of the diagonal of the bounding box ("4%").
    `clear_points` are points whose surroundings, up to `tolerance` from the mesh, belong to the space even if
    a ball cannot reach them. `blockers` are obstacles that balls may not enter: half-spaces, shapes, or a
    function that maps points to signed distances, negative inside. `floor_tolerance` is the tolerance above
    faces that look up. `sealed=True` includes sealed space.

    Every sphere keeps 99 % of the tolerance: the rest is the slack of the proof that shapes stay out of the
    space. A passage that is too narrow by less than `step` may count as open. An
    open passage never counts as closed.

        space = hitbox.navigable_space("chair.glb", "4%", "0.8%")
        collider = hitbox.fit("chair.glb", 64, keep_clear=space)
    """
    call = Call("navigable_space", threads, progress, cancel)
    options = SpaceOptions.of(None, {"radius": radius, "tolerance": tolerance, **keywords})
    given = Mesh.of(mesh)
    origin = options.origin(given)
    made = call.core(origin.space, one_thread=origin.has_function)
    return NavigableSpace._of(made, origin)


def _sorted(blockers: Iterable[Blocker]) -> tuple[FloatArray, list[Any], list[Any]]:
    """Sort blockers: half-spaces as rows, shapes in the core's form, functions."""
    halves = [[*b.normal, b.offset] for b in blockers if isinstance(b, HalfSpace)]
    shapes = [b._crossing for b in blockers if isinstance(b, _Shape)]
    functions = [b for b in blockers if not isinstance(b, HalfSpace | _Shape)]
    return np.array(halves, np.float64).reshape(-1, 4), shapes, functions


@dataclass(frozen=True)
class _Nearest:
    """The least distance of several functions."""

    verb: str
    functions: tuple[Callable[[FloatArray], npt.ArrayLike], ...]

    def __call__(self, points: FloatArray) -> FloatArray:
        found = [np.asarray(function(points), np.float64) for function in self.functions]
        for each in found:
            if each.shape != (len(points),) or np.isnan(each).any():
                raise InputError(f"{self.verb}: a blocker's function must return one number per point.")
        return np.ascontiguousarray(np.min(found, axis=0))
