"""`hitbox carve`: hulls around a mesh that keep open where a ball can go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hitbox._base.errors import InputError
from hitbox._cli import layout
from hitbox._cli import options as read
from hitbox._cli.bar import progress_bar
from hitbox._cli.report import (
    Stopwatch,
    check_outputs,
    distances,
    print_report,
    report_of,
    vertices_of,
    write_all,
)

if TYPE_CHECKING:
    from hitbox._methods.carve import CarveOptions
    from hitbox._model.mesh import Mesh
    from hitbox._model.space import NavigableSpace


@click.command(short_help="Hulls that keep doorways open.")
@click.argument("mesh")
@read.carve_options
@click.option("--threads", type=int, default=0, help="Threads; 0 is all cores. Never changes the result.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--space-out", help="Where to save the space that is kept open, a .json; render shows it.")
@click.option("-o", "--output", "outputs", multiple=True, help=read.OUTPUT_HELP)
def carve(
    mesh: str,
    threads: int,
    as_json: bool,
    space_out: str | None,
    outputs: tuple[str, ...],
    **given: Any,
) -> None:
    """Convex hulls around MESH that leave open wherever a ball of RADIUS gets to from outside while it stays
    TOLERANCE away from MESH.

    A length is in mesh units (0.02), of the diagonal of the bounding box (1%), or has a unit (5mm).
    """
    from hitbox._methods.carve import CarveOptions

    options = CarveOptions(**read.carve_keywords(given))  # before any work: a wrong one must not cost a run
    check_outputs("carve", outputs, [mesh])
    _check_space_out(space_out, [mesh, *outputs])

    import hitbox

    watch = Stopwatch()
    loaded = hitbox.load(mesh)
    watch.lap("read")
    with progress_bar(as_json) as progress:
        collider = hitbox.carve(loaded, options=options, threads=threads, progress=progress)
    watch.lap("carve")
    report = report_of(collider, distances(loaded, collider, threads))
    report |= vertices_of(collider)
    watch.lap("measure")
    report["seconds"] = watch.seconds
    spaces = []
    if space_out is not None:
        spaces.append((space_out, _space(loaded, options, threads).to_json().encode()))
    write_all([collider], [outputs], [report], spaces)
    report["files"] += [path for path, _ in spaces]
    if as_json:
        click.echo(json.dumps(report, indent=1))
    else:
        layout.print_title(mesh)
        print_report("carve", report)


def _check_space_out(path: str | None, others: list[str]) -> None:
    if path is None:
        return
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"carve: --space-out: {path}: a space is written as .json.")
    if Path(path).resolve() in {Path(other).resolve() for other in others}:
        raise InputError(f"carve: --space-out: {path} is another file of this command. Give it its own name.")


def _space(mesh: Mesh, options: CarveOptions, threads: int) -> NavigableSpace:
    from hitbox._methods.space import navigable_space

    return navigable_space(
        mesh, options.radius, options.tolerance, keep_clear=options.keep_clear, blockers=options.blockers,
        floor_tolerance=options.floor_tolerance, reachable_only=options.reachable_only, threads=threads,
    )  # fmt: skip
