"""`hitbox batch`: run a verb on all meshes of a folder, with a manifest and a page."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.text import counted, listed
from hitbox._batch.jobs import runnable
from hitbox._cli import layout
from hitbox._cli import options as read

if TYPE_CHECKING:
    from hitbox._batch import Event, Summary

_REDRAW_EVERY = 0.1  # seconds; for fast assets drawing would cost more than the work


class _WithVerb(click.RichCommand):
    """A command that has the flags of the named verb, besides its own."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        context.meta["verb"] = _named_verb(arguments)
        return super().parse_args(context, arguments)

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        own = super().get_params(context)
        verbs = runnable()
        verb = verbs.get(context.meta.get("verb", "fit"), verbs["fit"])
        return read.in_groups([*own[:1], *read.verb_params(verb.options), *own[1:]])


def _named_verb(arguments: list[str]) -> str:
    """Return the word after --verb, before all flags are known."""
    named = "fit"
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == "--verb":
            named = following
        elif word.startswith("--verb="):
            named = word.partition("=")[2]
    return named


@click.command(cls=_WithVerb, short_help="Run a verb on thousands of meshes.")
@click.argument("source", metavar="DIR|GLOB|LIST")
@click.option(
    "-o", "--output", panel="Output", required=True, help="Folder for the outputs, or a URL for fsspec."
)
@click.option(
    "--verb",
    panel="Input",
    type=click.Choice(list(runnable())),
    default="fit",
    show_default=True,
    help="Verb to run. Its options are flags too: hitbox batch --verb carve --help shows those of carve.",
)
@click.option(
    "--to",
    panel="Output",
    default="json",
    show_default=True,
    help="Format to write, or a suffix such as .collider.json.",
)
@click.option(
    "--with-mesh",
    panel="Output",
    is_flag=True,
    help="Write each mesh too, if the format can show one.",
)
@click.option(
    "--dynamic", panel="Output", is_flag=True, help="Write bodies that move, with the mass of their meshes."
)
@click.option(
    "--density", panel="Output", type=float, help="Density in kilograms per cubic metre. [default: 1000]"
)
@click.option(
    "--root", panel="Input", help="Folder that contains all inputs of a list. [default: the list's own]"
)
@click.option(
    "--workers", panel="Effort", type=int, default=0, help="Number of assets at a time; 0 is one per core."
)
@click.option(
    "--timeout",
    panel="Effort",
    type=float,
    default=900,
    show_default=True,
    help="Seconds that an asset may take.",
)
@click.option(
    "--memory",
    panel="Effort",
    type=float,
    default=8,
    show_default=True,
    help="GiB of memory that an asset may use.",
)
@click.option("--shard", panel="Input", help="Part of the assets to run, such as 2/4: the second of four.")
@click.option(
    "--resume", panel="Input", is_flag=True, help="Skip unchanged assets that an earlier run has finished."
)
@click.option(
    "--retry-failed", panel="Input", is_flag=True, help="Run only the assets that failed in an earlier run."
)
@click.option(
    "--verify", panel="Input", is_flag=True, help="With --resume, compare hashes of outputs instead of sizes."
)
@click.option(
    "--engine",
    panel="Effort",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where workers run: on this machine (local) or in a Ray cluster (ray).",
)
@click.option(
    "--address",
    panel="Effort",
    help="Address of a Ray cluster; auto is the one that this machine belongs to.",
)
@click.option(
    "--samples",
    panel="Output",
    type=int,
    default=10_000,
    show_default=True,
    help="Number of points at which distances are measured; 0 measures none.",
)
@click.option(
    "--pictures/--no-pictures",
    panel="Output",
    default=None,
    help="Draw each asset for the page. [default: if the extra render is installed]",
)
@click.option(
    "--threads", type=int, default=0, panel="Effort", help="Threads per worker; 0 distributes the cores."
)
@click.option("--json", "as_json", is_flag=True, panel="Output", help="Print the summary as JSON.")
@click.pass_context
def batch(
    context: click.Context, /, source: str, output: str, verb: str, as_json: bool, **given: Any
) -> None:
    """Run a verb on every mesh of a folder, of a pattern (quoted), or of a list (.txt, one path per line).

    Each asset has a worker with limits. An asset that crashes, hangs or cannot be read becomes a line in the
    manifest. The exit code is 0 if all went well, 1 if some assets failed, 2 for a wrong call.
    """
    from hitbox._batch import run

    kind = runnable()[verb].options
    of_verb = {param.name: given.pop(param.name) for param in read.verb_params(kind) if param.name in given}
    options = read.chosen(kind, of_verb)
    with _rows(as_json) as (watch, progress):
        try:
            summary = run(source, output, verb=verb, options=options, watch=watch, progress=progress, **given)
        except KeyboardInterrupt as stopped:
            click.echo(f"hitbox: batch: {stopped}", err=True)
            raise
    if as_json:
        click.echo(json.dumps(summary.to_dict(), indent=1))
    else:
        layout.print_title(source)
        _print(summary)
    if summary.failed:
        context.exit(1)


def _print(summary: Summary) -> None:
    kinds = (("ok", summary.ok), ("partial", summary.partial), ("failed", summary.failed))
    others = (("done before", summary.skipped), ("never ran", summary.left))
    text = [f"{count:,} {what}" for what, count in (*kinds, *others) if count]
    rows = [("assets", f"{summary.total:,}: {listed(text)}" if text else counted(summary.total, "asset"))]
    rows.append(("time", f"{summary.seconds:.1f} s"))
    rows += [("failed", f"{identity}: {why}") for identity, why in summary.failures]
    if more := summary.failed - len(summary.failures):
        rows.append(("failed", f"and {more:,} more in the manifest"))
    rows += [("note", note) for note in summary.notes]
    rows += [("wrote", summary.manifest), ("wrote", summary.page)]
    layout.print_rows(rows)


_Watchers = tuple["Callable[[Event], None] | None", "Callable[[Summary], None] | None"]


@contextlib.contextmanager
def _rows(quiet: bool) -> Iterator[_Watchers]:
    """Show a bar for the batch and a row per worker on stderr, if that is a terminal."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None, None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[text]}"),
    )  # fmt: skip
    bar = Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=5)
    whole = bar.add_task("assets", total=None, text="")
    rows: dict[int, Any] = {}
    drawn: dict[int, float] = {}

    def watch(event: Event) -> None:
        if event.worker not in rows:
            rows[event.worker] = bar.add_task(f"worker {event.worker + 1}", total=None, text="")
        now = time.monotonic()
        if now - drawn.get(event.worker, 0.0) > _REDRAW_EVERY:
            drawn[event.worker] = now
            text = "" if event.stage == "done" else escape(f"{event.stage:8} {_short(event.id)}")
            bar.update(rows[event.worker], text=text)

    def progress(summary: Summary) -> None:
        text = f"{summary.failed:,} failed" if summary.failed else ""
        bar.update(whole, total=summary.total, completed=summary.done, text=text)

    with bar:
        yield watch, progress


def _short(identity: str) -> str:
    """Return the printable end of a name, which may contain any character."""
    text = "".join(c if c.isprintable() else " " for c in identity)
    return text if len(text) <= 40 else f"…{text[-39:]}"
