"""`hitbox fit`: fit a collider around a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.errors import InputError
from hitbox._base.flag_text import whole_numbers
from hitbox._cli import method
from hitbox._cli import options as read
from hitbox._methods.fit_options import FitOptions

if TYPE_CHECKING:
    from hitbox._base.progress import Progress
    from hitbox._model.collider import Collider
    from hitbox._model.mesh import Mesh


@click.command(short_help="Fit simple shapes around a mesh.")
@method.MESH
@read.flags(FitOptions)
@click.option(
    "--lods", panel="Size", help="Counts of several levels of detail from one run, such as 16,64,256."
)
@method.THREADS
@click.option("--cache", panel="Effort", help="Folder that keeps results, so that none is computed twice.")
@method.output_flag("With --lods, {count} in the name becomes the count.")
@method.JSON
def fit(
    mesh: str,
    lods: str | None,
    threads: int,
    cache: str | None,
    as_json: bool,
    outputs: tuple[str, ...],
    **given: Any,
) -> None:
    """Fit at most COUNT convex shapes around MESH. Every face lies in one of them.

    A length is in mesh units (0.02), of the bounding box's diagonal (1%), or has a unit (5mm).
    """
    options = read.chosen(FitOptions, given)  # check options before any work
    levels = whole_numbers("--lods", lods) if lods else None
    if levels and options.count is not None:
        raise InputError("fit: give either a count (-n) or --lods, not both.")
    for level in levels or ():
        FitOptions(count=level)

    def make(loaded: Mesh, progress: Progress | None) -> list[Collider]:
        import hitbox

        running: dict[str, Any] = {"threads": threads, "cache": cache, "progress": progress}
        if levels is None:
            return [hitbox.fit(loaded, options=options, **running)]
        tree = hitbox.fit_tree(loaded, max(levels), options=options, **running)
        return [tree.at(level) for level in levels]

    method.run_verb(
        "fit", mesh, make, _targets(outputs, levels), threads=threads, as_json=as_json,
        kinds=options.allowed_kinds, levels=levels, cache=cache,
    )  # fmt: skip


def _targets(outputs: tuple[str, ...], levels: tuple[int, ...] | None) -> list[list[str]]:
    """Return the files of each level."""
    if not levels:
        return [list(outputs)]
    return [[read.lod_path(path, k, n) for path in outputs] for k, n in enumerate(levels)]
