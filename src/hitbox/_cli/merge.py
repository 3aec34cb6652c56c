"""`hitbox merge`: fewer shapes in place of many."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.errors import InputError
from hitbox._base.text import listed
from hitbox._cli import layout, method
from hitbox._cli import options as read
from hitbox._cli.bar import progress_bar
from hitbox._cli.report import Stopwatch, check_outputs, print_report, report_of, vertices_of, write_all
from hitbox._methods.merge import MergeOptions

if TYPE_CHECKING:
    from hitbox._model.collider import Collider


@click.command(short_help="Merge the shapes of colliders into fewer.")
@click.argument("colliders", metavar="COLLIDER...", nargs=-1, required=True)
@read.flags(MergeOptions)
@method.THREADS
@method.output_flag()
@method.JSON
def merge(
    colliders: tuple[str, ...], threads: int, as_json: bool, outputs: tuple[str, ...], **given: Any
) -> None:
    """Merge neighbouring shapes of all COLLIDERs, which together count as one.

    A collider is a collider JSON, a URDF, MJCF, SDFormat, SRDF or cuRobo file, a mesh file of convex parts
    (OBJ, GLB, PLY, STL, OFF), or a folder of such mesh files. A length is in their units (0.02), of the
    diagonal of their box (1%), or has a unit (5mm).
    """
    options = read.chosen(MergeOptions, given)  # check options before any work
    check_outputs("merge", outputs, colliders, "collider")

    import hitbox

    watch = Stopwatch()
    together = _together([hitbox.Collider.of(path) for path in colliders])
    watch.lap("read")
    with progress_bar(as_json) as progress:
        merged = hitbox.merge(together, options=options, threads=threads, progress=progress)
    watch.lap("merge")
    report = report_of(merged) | vertices_of(merged)
    report |= {"shapes_given": len(together), "seconds": watch.seconds}
    write_all([merged], [outputs], [report])
    if as_json:
        click.echo(json.dumps(report, indent=1))
    else:
        layout.print_title(", ".join(colliders))
        print_report("merge", report)


def _together(colliders: Sequence[Collider]) -> Collider:
    """Return all shapes of all colliders as one collider."""
    from hitbox._model.collider import Collider

    first, *others = colliders
    if not others:
        return first
    for word in ("unit", "up"):
        values = sorted({getattr(collider, word) for collider in colliders} - {None})
        if len(values) > 1:
            raise InputError(
                f"merge: {word}: the colliders have {listed(values)}. Convert them to the same one."
            )
    return Collider(
        [shape for collider in colliders for shape in collider],
        labels=[label for collider in colliders for label in collider.labels],
        name=first.name,
        unit=next((c.unit for c in colliders if c.unit), None),
        up=next((c.up for c in colliders if c.up), None),
    )
