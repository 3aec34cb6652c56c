"""`hitbox fit`: a mesh in, a collider out."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hitbox.cli import options as read
from hitbox.errors import InputError

if TYPE_CHECKING:
    from hitbox.collider import Collider

_BAR_AFTER = 0.5  # seconds: a bar that only flashes up says nothing


@click.command()
@click.argument("mesh")
@click.option("-n", "--count", type=int, help="At most this many shapes. Without it hitbox picks a count.")
@click.option("--max-excess", type=float, help="Largest volume a merge may add, as a share of the box.")
@click.option("--cost", help="What merging keeps small: volume or grown.")
@click.option("--kinds", help="Kinds to use, such as box,sphere.")
@click.option("--weights", help="What a kind costs, such as prism=1.4,frustum=2.1.")
@click.option("--tangent", help="The tangent term of the frame: auto, on or off.")
@click.option("--weld", help="Join vertices: exact, off, or a distance such as 0.1% or 2mm.")
@click.option("--drop-thin", help="Leave out shapes thinner than this length.")
@click.option("--lods", help="Several levels of detail from one run, such as 16,64,256.")
@click.option("--threads", type=int, help="Threads; 0 is all cores. Never changes the result.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    help="Where to write; the suffix picks the format (.json, .obj, .glb). May be given again. With --lods "
    "{count} in the name is replaced by the count, or .lod0, .lod1 is put before the suffix.",
)
def fit(mesh: str, lods: str | None, as_json: bool, outputs: tuple[str, ...], **given: Any) -> None:
    """Fits at most COUNT convex shapes around MESH; every face lies in one of them."""
    from hitbox.formats import writing

    for path in outputs:  # before any work: a wrong suffix must not cost a run
        writing.writer_for(path)
    keywords = _keywords(given)
    levels = read.whole_numbers("--lods", lods) if lods else None
    if levels and keywords.get("count") is not None:
        raise InputError("fit: give either a count (-n) or --lods, not both.")

    import hitbox

    started = time.perf_counter()
    loaded = hitbox.load(mesh)
    with _progress(as_json) as progress:
        if levels:
            tree = hitbox.fit_tree(loaded, progress=progress, **keywords)
            colliders = [tree.at(level) for level in levels]
        else:
            colliders = [hitbox.fit(loaded, progress=progress, **keywords)]
    seconds = time.perf_counter() - started

    reports = []
    for level, collider in enumerate(colliders):
        paths = [read.lod_path(path, level, levels[level]) for path in outputs] if levels else list(outputs)
        reports.append(_report(loaded, collider, seconds, paths))
    _write_all(colliders, reports)
    if as_json:
        click.echo(json.dumps(reports if levels else reports[0], indent=1))
    else:
        for report in reports:
            _print(mesh, report)


def _keywords(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, under the names of FitOptions; the rest keeps its defaults, and Python checks."""
    said = {key: value for key, value in given.items() if value is not None}
    readers: dict[str, Callable[[str], Any]] = {
        "kinds": lambda text: read.words("--kinds", text),
        "weights": lambda text: read.weights("--weights", text),
        "weld": read.number_or_text,
        "drop_thin": read.number_or_text,
    }
    return {key: readers[key](value) if key in readers else value for key, value in said.items()}


def _write_all(colliders: list[Collider], reports: list[dict[str, Any]]) -> None:
    paths = [path for report in reports for path in report["files"]]
    twice = {os.path.realpath(path) for path in paths}
    if len(twice) != len(paths):
        raise InputError(f"fit: two outputs have the same name among {', '.join(paths)}.")
    for collider, report in zip(colliders, reports, strict=True):
        for path in report["files"]:
            collider.save(path)


def _report(mesh: Any, collider: Collider, seconds: float, paths: list[str]) -> dict[str, Any]:
    from hitbox.evaluate import surface_distance

    pieces = [shape.to_mesh(64) for shape in collider]
    mean, hausdorff = surface_distance(mesh.vertices, mesh.triangles, pieces)
    diagonal = collider.source.diagonal if collider.source else None
    share = 1 / diagonal if diagonal else 1.0
    return {
        "shapes": len(collider),
        "kinds": collider.counts,
        "bytes": collider.nbytes,
        "mean": float(mean) * share,
        "hausdorff": float(hausdorff) * share,
        "seconds": seconds,
        "complete": collider.status.complete,
        "notes": list(collider.status.notes),
        "files": paths,
    }


def _print(mesh: str, report: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    kinds = ", ".join(f"{count} {kind}" for kind, count in report["kinds"].items())
    table.add_row("shapes", f"{report['shapes']} ({kinds})")
    table.add_row("bytes", f"{report['bytes']:,}")
    table.add_row("distance", f"mean {report['mean']:.3%}, largest {report['hausdorff']:.3%} of the diagonal")
    table.add_row("time", f"{report['seconds']:.2f} s")
    for note in report["notes"]:
        table.add_row("note", escape(note))
    for path in report["files"]:
        table.add_row("wrote", escape(path))
    console.print(f"[bold]{escape(mesh)}[/bold]")
    console.print(table)


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str, float], bool] | None]:
    """A bar on stderr, if that is a terminal, and only when the work takes longer than a moment."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=1.0)

    def advance(stage: str, fraction: float) -> bool:
        if not bar.live.is_started and time.monotonic() - started > _BAR_AFTER:
            bar.start()
        bar.update(task, description=stage, completed=fraction)
        return True

    try:
        yield advance
    finally:
        bar.stop()
