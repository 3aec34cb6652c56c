"""The common part of commands that make a collider from a mesh, and `command`, which makes a whole
command.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

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
from hitbox._formats.read_mesh import READERS

if TYPE_CHECKING:
    from hitbox._base.progress import Progress
    from hitbox._methods.run import Verb
    from hitbox._model.collider import Collider
    from hitbox._model.mesh import Mesh

_Command = TypeVar("_Command", bound=Callable[..., Any])
Make = Callable[["Mesh", "Progress | None"], "Sequence[Collider]"]
Also = Callable[["Sequence[Collider]"], "list[tuple[str, bytes]]"]

MESH = click.argument("mesh", type=read.Words(suffixes=tuple(READERS)))
THREADS = click.option(
    "--threads",
    type=int,
    default=0,
    panel="Effort",
    help="Number of threads; 0 uses all cores. The result is always the same.",
)
JSON = click.option("--json", "as_json", is_flag=True, panel="Output", help="Print the report as JSON.")


def output_flag(more: str = "") -> Callable[[_Command], _Command]:
    """Return the flag `-o`, which may be given several times. `more` is another sentence of its help."""
    help = f"{read.OUTPUT_HELP} {more}".strip()
    return click.option("-o", "--output", "outputs", multiple=True, panel="Output", help=help)


def run_verb(
    verb: str,
    mesh: str,
    make: Make,
    targets: Sequence[Sequence[str]],
    *,
    threads: int,
    as_json: bool,
    kinds: Sequence[str] = (),
    levels: Sequence[int] | None = None,
    cache: str | None = None,
    also: Also | None = None,
) -> None:
    """Load the mesh, make colliders, measure them, write the files, and print the report.

    `targets` are the files of each collider. `levels` are the counts of several colliders. `also` returns
    more files to write for the colliders, as paths and bytes.
    """
    check_outputs(verb, [path for paths in targets for path in paths], [mesh], kinds=kinds)

    import hitbox

    watch = Stopwatch()
    loaded = hitbox.load(mesh)
    watch.lap("read")
    with progress_bar(as_json) as progress:
        colliders = make(loaded, progress)
    watch.lap(verb)
    reports = [report_of(one, distances(loaded, one, threads, cache)) | vertices_of(one) for one in colliders]
    watch.lap("measure")
    for report in reports:
        report["seconds"] = watch.seconds
    others = also(colliders) if also else []
    write_all(colliders, targets, reports, others)
    reports[0]["files"] += [path for path, _ in others]
    if as_json:
        click.echo(json.dumps(reports if levels else reports[0], indent=1))
    else:
        layout.print_title(mesh)
        for k, report in enumerate(reports):
            print_report(verb, report, levels[k] if levels else None)


def command(verb: Verb, panel: str) -> click.RichCommand:
    """Return the command of a verb that needs only the flags of its options."""
    module, name = verb.entry.split(":")
    function = getattr(import_module(module), name)

    def run(mesh: str, threads: int, as_json: bool, outputs: tuple[str, ...], **given: Any) -> None:
        options = read.chosen(verb.options, given)  # check options before any work
        kinds = getattr(options, "allowed_kinds", ())

        def make(loaded: Mesh, progress: Progress | None) -> list[Collider]:
            return [function(loaded, options=options, threads=threads, progress=progress)]

        run_verb(verb.name, mesh, make, [outputs], threads=threads, as_json=as_json, kinds=kinds)

    first = (inspect.getdoc(function) or "").split("\n\n")[0]  # the rest describes Python
    run.__doc__ = re.sub("`(.*?)`", lambda name: name[1].upper(), first)
    for decorate in (JSON, output_flag(), THREADS, read.flags(verb.options), MESH):
        run = decorate(run)
    return click.command(verb.command, short_help=verb.short, panel=panel)(run)
