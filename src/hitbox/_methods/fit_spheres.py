"""fit_spheres: spheres that follow the volume of a mesh, for motion planners."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy.typing as npt

from hitbox._base.option_kinds import Choice, Count
from hitbox._base.options import Options, option, same_as
from hitbox._base.progress import Cancel, Progress
from hitbox._methods.fit import _Job
from hitbox._methods.fit_options import FitOptions, Span, SphereMode
from hitbox._methods.run import Call, verb
from hitbox._methods.spheres import MOST_SPHERES
from hitbox._model.collider import Collider, Method
from hitbox._model.mesh import MeshLike
from hitbox._model.space import NavigableSpace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import SpheresKeywords


@dataclass(frozen=True, kw_only=True)
class SpheresOptions(Options):
    """All options of fit_spheres, with their defaults.

    A length is mesh units, "1%" of the diagonal, or "5mm".
    """

    VERB: ClassVar[str] = "fit_spheres"

    count: int | None = option(
        None, Count(1, MOST_SPHERES),
        "Largest number of spheres. Without it: the fewest that stick out by at most 1.5 % of the diagonal "
        "on average.",
        group="Size",
    )  # fmt: skip
    mode: SphereMode = option(
        "conservative", Choice(SphereMode),
        "Cover: conservative encloses every face; balanced covers about 96 % of the surface, with "
        "spheres that stick out less.",
    )  # fmt: skip
    parts: Span = same_as(FitOptions, "parts")
    materials: Span = same_as(FitOptions, "materials")
    keep_clear: npt.ArrayLike | NavigableSpace | None = same_as(FitOptions, "keep_clear")
    pad: float | str | None = same_as(FitOptions, "pad")


@dataclass(frozen=True, kw_only=True)
class _SphereFitOptions(FitOptions):
    """The options of `fit`, whose input, groups, cache and report this verb uses; messages name this verb."""

    VERB: ClassVar[str] = "fit_spheres"


@verb(SpheresOptions, "Fit spheres for a motion planner.", command="spheres")
def fit_spheres(
    mesh: MeshLike,
    count: int | None = None,
    *,
    options: SpheresOptions | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Unpack[SpheresKeywords],
) -> Collider:
    """Make at most `count` spheres that follow the volume of `mesh`, as motion planners need them.

    Options are the fields of SpheresOptions, given as keywords or as one `options`. Without a `count` the
    result has the fewest spheres, up to 64, that stick out by at most 1.5 % of the diagonal on average.
    `cache` is a folder that keeps results.

    Guaranteed: the union of the spheres contains every face to 1e-9 of the diagonal, unless `mode` is
    "balanced" or `pad` is negative. There are at most `count` spheres, unless `keep_clear` forbids it (then
    the status says so). The result is the same for any number of threads. Not guaranteed: the fewest spheres.

        spheres = hitbox.fit_spheres("link.obj", 24)
        planner = [(sphere.center, sphere.radius) for sphere in spheres]
    """
    call = Call("fit_spheres", threads, progress, cancel)
    chosen = SpheresOptions.of(options, keywords if count is None else {**keywords, "count": count})
    shared = {name: getattr(chosen, name) for name in ("count", "parts", "materials", "keep_clear", "pad")}
    job = _Job(mesh, _SphereFitOptions(kinds="sphere", spheres=chosen.mode, **shared), call, cache)

    def work() -> Collider:
        if chosen.count is not None:
            job.check_count(chosen.count)
        return job.spheres(call)

    made = job.kept({}, work, call)
    assert made.method is not None
    options_used = chosen.to_dict() | {"count": made.method.options["count"]}
    return made._with(method=Method(call.verb, options_used, made.method.seconds))
