"""`hitbox carve`: hulls around a mesh that keep open every way that a ball can go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.errors import InputError
from hitbox._cli import method
from hitbox._cli import options as read
from hitbox._methods.carve import CarveOptions

if TYPE_CHECKING:
    from hitbox._base.progress import Progress
    from hitbox._model.collider import Collider
    from hitbox._model.mesh import Mesh


@click.command(short_help="Wrap a mesh in hulls that keep doorways open.")
@method.MESH
@read.flags(CarveOptions)
@method.THREADS
@method.output_flag()
@method.JSON
@click.option(
    "--space-out",
    panel="Output",
    help="Save the space that stays open as a .json file, which render can draw.",
)
def carve(
    mesh: str,
    threads: int,
    as_json: bool,
    space_out: str | None,
    outputs: tuple[str, ...],
    **given: Any,
) -> None:
    """Make convex hulls around MESH that keep open every way that a ball of RADIUS can go while it stays
    TOLERANCE away from MESH.

    A length is in mesh units (0.02), of the diagonal of the bounding box (1%), or has a unit (5mm).
    """
    options = read.chosen(CarveOptions, given)  # before any work: a wrong one must not cost a run
    _check_space_out(space_out, [mesh, *outputs])

    def make(loaded: Mesh, progress: Progress | None) -> list[Collider]:
        import hitbox

        return [hitbox.carve(loaded, options=options, threads=threads, progress=progress)]

    def also(made: Sequence[Collider]) -> list[tuple[str, bytes]]:
        space = made[0].space
        return [] if space_out is None or space is None else [(space_out, space.to_json().encode())]

    method.run_verb("carve", mesh, make, [outputs], threads=threads, as_json=as_json, also=also)


def _check_space_out(path: str | None, others: list[str]) -> None:
    if path is None:
        return
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"carve: --space-out: {path}: a space is written as .json.")
    if Path(path).resolve() in {Path(other).resolve() for other in others}:
        raise InputError(f"carve: --space-out: {path} is another file of this command. Give it its own name.")
