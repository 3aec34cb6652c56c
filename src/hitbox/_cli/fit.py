"""`hitbox fit`: a mesh in, a collider out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hitbox._base.errors import InputError
from hitbox._cli import layout
from hitbox._cli import options as read
from hitbox._cli.bar import progress_bar
from hitbox._cli.report import Stopwatch, check_outputs, distances, print_report, report_of, write_all

if TYPE_CHECKING:
    from hitbox._model.collider import Collider
    from hitbox._model.mesh import Mesh


@click.command(short_help="A collider around a mesh.")
@click.argument("mesh")
@read.fit_options
@click.option("--lods", help="Several levels of detail from one run, such as 16,64,256.")
@click.option("--threads", type=int, default=0, help="Threads; 0 is all cores. Never changes the result.")
@click.option("--cache", help="A folder that keeps results: what is unchanged is not fitted again.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    help=f"{read.OUTPUT_HELP} With --lods {{count}} in the name becomes the count.",
)
def fit(
    mesh: str,
    lods: str | None,
    threads: int,
    cache: str | None,
    as_json: bool,
    outputs: tuple[str, ...],
    **given: Any,
) -> None:
    """Fits at most COUNT convex shapes around MESH; every face lies in one of them.

    A length is in mesh units (0.02), of the bounding box's diagonal (1%), or has a unit (5mm).
    """
    keywords = read.fit_keywords(given)
    levels = read.whole_numbers("--lods", lods) if lods else None
    kinds = _check(keywords, levels)
    targets = _targets(outputs, levels)
    check_outputs("fit", [path for paths in targets for path in paths], [mesh], kinds=kinds)

    import hitbox

    watch = Stopwatch()
    loaded = hitbox.load(mesh)
    watch.lap("read")
    with progress_bar(as_json) as progress:
        running = {"threads": threads, "cache": cache, "progress": progress}
        colliders = _colliders(loaded, levels, {**keywords, **running})
    watch.lap("fit")
    reports = [report_of(collider, distances(loaded, collider, threads, cache)) for collider in colliders]
    watch.lap("measure")
    for report in reports:
        report["seconds"] = watch.seconds
    write_all(colliders, targets, reports)
    if as_json:
        click.echo(json.dumps(reports if levels else reports[0], indent=1))
    else:
        layout.print_title(mesh)
        for k, report in enumerate(reports):
            print_report("fit", report, levels[k] if levels else None)


def _check(keywords: dict[str, Any], levels: tuple[int, ...] | None) -> tuple[str, ...]:
    """Before any work: a wrong option must not cost a run. Returns the kinds that may come out."""
    from hitbox._methods.fit import FitOptions

    options = FitOptions(**keywords)
    for level in levels or ():
        FitOptions(count=level)
    if levels and "count" in keywords:
        raise InputError("fit: give either a count (-n) or --lods, not both.")
    return options.allowed_kinds


def _targets(outputs: tuple[str, ...], levels: tuple[int, ...] | None) -> list[list[str]]:
    """The files of each level."""
    if not levels:
        return [list(outputs)]
    return [[read.lod_path(path, k, n) for path in outputs] for k, n in enumerate(levels)]


def _colliders(mesh: Mesh, levels: tuple[int, ...] | None, keywords: dict[str, Any]) -> list[Collider]:
    import hitbox

    if levels is None:
        return [hitbox.fit(mesh, **keywords)]
    tree = hitbox.fit_tree(mesh, max(levels), **keywords)
    return [tree.at(level) for level in levels]
