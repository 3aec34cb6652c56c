"""navigable_space: where a ball can go around a mesh, as spheres to keep clear of (paper 4, section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS, parse_length
from hitbox._base.options import option
from hitbox._base.progress import Cancel, Progress, reporter
from hitbox._model.mesh import Mesh, MeshLike
from hitbox._model.shapes import FloatArray, Vector, _Shape
from hitbox._model.space import Blocker, HalfSpace, NavigableSpace
from hitbox._native import _core


@dataclass(frozen=True, kw_only=True)
class SpaceOptions:
    """Where a ball can go: what navigable_space, carve and merge are told about it.

    A length is mesh units, a share of the diagonal of the bounding box ("4%"), or has a unit ("5mm").
    """

    VERB: ClassVar[str] = "navigable_space"

    radius: float | str = option("4%", "Length: radius of the smallest ball that must get through.")
    tolerance: float | str = option("0.8%", "Length: how far from the mesh hulls may be, where a ball goes.")
    floor_tolerance: float | str | None = option(
        None, "Length: the tolerance above what faces up.", means="as elsewhere"
    )
    keep_clear: Any = option((), "Points x,y,z around which room is kept, as far as the mesh leaves it.")  # noqa: RUF009
    blockers: Any = option((), "What balls may not enter: a floor, half-spaces, shapes, functions of points.")  # noqa: RUF009
    reachable_only: bool = option(True, "Only space that a ball gets to from outside counts.", means="yes")

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep_clear", _points(self.VERB, self.keep_clear))
        object.__setattr__(self, "blockers", _listed(self.VERB, self.blockers))
        for name in ("radius", "tolerance", "floor_tolerance"):
            if getattr(self, name) is not None:
                self._length(name, 1.0, None)

    def _length(self, name: str, diagonal: float, unit: str | None) -> float:
        where = f"{self.VERB}: {name}"
        found = parse_length(getattr(self, name), diagonal, unit, name=where)
        if not found > 0:
            raise InputError(f"{where}: must be above 0. Write '4%' of the diagonal, say.")
        return found

    def for_core(self, mesh: Mesh) -> tuple[_core.SpaceOptions, bool]:
        """And whether Python functions are asked: only the thread that called may do that."""
        diagonal = mesh.diagonal
        radius, tolerance = (self._length(name, diagonal, mesh.unit) for name in ("radius", "tolerance"))
        if radius > diagonal:
            raise InputError(
                f"{self.VERB}: radius: {self.radius} is more than the mesh's diagonal. Give at most '100%'."
            )
        floor = 0.0
        if self.floor_tolerance is not None:
            floor = self._length("floor_tolerance", diagonal, mesh.unit)
            if floor > tolerance:
                raise InputError(f"{self.VERB}: floor_tolerance: is more than the tolerance. Give less.")
        halves, shapes, functions = _sorted(self.blockers)
        up = (mesh.up or "z") if self.floor_tolerance is not None else "z"
        core = _core.SpaceOptions(
            radius, tolerance, floor, tuple(float(axis == up) for axis in UPS), bool(self.reachable_only),
            np.array(self.keep_clear, np.float64).reshape(-1, 3), halves, shapes,
            _together(self.VERB, functions) if functions else None,
        )  # fmt: skip
        return core, bool(functions)

    def said(self) -> dict[str, Any]:
        """The lengths, and the options that differ from the defaults, as the JSON has them."""
        plain: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "keep_clear":
                value = [list(point) for point in value]
            elif f.name == "blockers":
                value = [_named(blocker) for blocker in value]
            if isinstance(value, np.generic):
                value = value.item()
            if f.name in ("radius", "tolerance") or (value != f.default and value != []):
                plain[f.name] = value
        return plain


def navigable_space(
    mesh: MeshLike,
    radius: float | str,
    tolerance: float | str,
    *,
    keep_clear: npt.ArrayLike = (),
    blockers: Iterable[Blocker] = (),
    floor_tolerance: float | str | None = None,
    reachable_only: bool = True,
    threads: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> NavigableSpace:
    """Where a ball of `radius` gets to from outside while it stays `tolerance` away from the mesh.

    Lengths are mesh units, have a unit, or are a share of the diagonal of the bounding box ("4%").
    `keep_clear`: points whose surroundings, up to `tolerance` from the mesh, belong to the space whether a
    ball gets there or not. `blockers`: what balls may not enter: half-spaces, shapes, or a function that
    takes points and gives signed distances, negative inside. `floor_tolerance` is the tolerance above what
    faces up. With `reachable_only=False` sealed space counts too.

    Every sphere keeps the tolerance. A passage too narrow by less than `step` may be taken for open; none
    that is open is taken for closed.

        space = hitbox.navigable_space("chair.glb", "4%", "0.8%")
        collider = hitbox.fit("chair.glb", 64, keep_clear=space)
    """
    given = Mesh.of(mesh)
    threads = checks.threads("navigable_space", threads)
    options = SpaceOptions(
        radius=radius, tolerance=tolerance, floor_tolerance=floor_tolerance, keep_clear=keep_clear,
        blockers=blockers, reachable_only=reachable_only,
    )  # fmt: skip
    core, on_one_thread = options.for_core(given)
    run = _core.Run(1 if on_one_thread else threads, reporter("navigable_space", progress, cancel))
    try:
        spheres, step = _core.navigable_space(given.vertices, given.indices, given.offsets, core, run)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"navigable_space: {error}") from None
    return NavigableSpace(np.asarray(spheres), core.radius, core.tolerance, step)


def _points(verb: str, given: npt.ArrayLike) -> tuple[Vector, ...]:
    try:
        points = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        points = np.full(1, np.nan)
    if points.size == 0:
        return ()
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise InputError(
            f"{verb}: keep_clear: must be points such as [(x, y, z)], three finite numbers each."
        )
    return tuple((x, y, z) for x, y, z in points.tolist())


def _listed(verb: str, blockers: Any) -> tuple[Blocker, ...]:
    if isinstance(blockers, HalfSpace | _Shape) or callable(blockers):
        return (blockers,)
    if not isinstance(blockers, Iterable):
        raise InputError(f"{verb}: blockers: must be a list of them, not a {type(blockers).__name__}.")
    found = tuple(blockers)
    for k, blocker in enumerate(found):
        if not isinstance(blocker, HalfSpace | _Shape) and not callable(blocker):
            raise InputError(
                f"{verb}: blocker {k + 1} is a {type(blocker).__name__}: give a HalfSpace, a shape, or a "
                f"function of points."
            )
    return found


def _sorted(blockers: Iterable[Blocker]) -> tuple[FloatArray, list[Any], list[Any]]:
    """Half-spaces as rows, shapes as they cross to the core, functions."""
    halves = [[*b.normal, b.offset] for b in blockers if isinstance(b, HalfSpace)]
    shapes = [b._crossing for b in blockers if isinstance(b, _Shape)]
    functions = [b for b in blockers if not isinstance(b, HalfSpace | _Shape)]
    return np.array(halves, np.float64).reshape(-1, 4), shapes, functions


def _named(blocker: Blocker) -> Any:
    """As the JSON has it; functions have no better name than that."""
    if isinstance(blocker, HalfSpace):
        return {"normal": list(blocker.normal), "offset": blocker.offset}
    return blocker.kind if isinstance(blocker, _Shape) else "function"


def _together(verb: str, functions: list[Any]) -> Callable[[FloatArray], FloatArray]:
    def nearest(points: FloatArray) -> FloatArray:
        found = [np.asarray(function(points), np.float64) for function in functions]
        for each in found:
            if each.shape != (len(points),) or np.isnan(each).any():
                raise InputError(f"{verb}: a blocker's function must give one number for each point.")
        return np.ascontiguousarray(np.min(found, axis=0))

    return nearest
