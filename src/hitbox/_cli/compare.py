"""`hitbox compare`: compare hitbox and its peers on the same meshes, on one page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._base.text import counted, percent
from hitbox._cli import layout
from hitbox._cli.bar import progress_bar

if TYPE_CHECKING:
    from hitbox._compare import Comparison, Row, Subject


@click.command(short_help="Compare hitbox with other tools, as a page.")
@click.argument("meshes", nargs=-1, required=True, metavar="MESH...")
@click.option(
    "--peers",
    default="coacd,vhacd",
    show_default=True,
    help="Tools to compare with; an empty text is none.",
)
@click.option(
    "--budget",
    default="bytes=1/3",
    show_default=True,
    help="Budget of hitbox: bytes=1/3 (of each peer's bytes), count=64, or tolerance=1%.",
)
@click.option("--balls", type=int, default=5000, show_default=True, help="Number of balls in the simulation.")
@click.option(
    "--frames", type=int, default=1000, show_default=True, help="Number of frames in the simulation."
)
@click.option("--simulate/--no-simulate", default=True, help="Drop balls on each collider.")
@click.option(
    "--samples",
    type=int,
    default=200_000,
    show_default=True,
    help="Number of points at which distances are measured.",
)
@click.option("--up", type=click.Choice(UPS), help="Axis that points up. [default: as the files say]")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed of the points and the balls."
)
@click.option("--timeout", type=float, default=900, show_default=True, help="Seconds that each run may take.")
@click.option(
    "--memory", type=float, default=8, show_default=True, help="GiB of memory that each run may use."
)
@click.option("--cache", help="Folder that keeps results. [default: .hitbox-compare beside the page]")
@click.option("--store", hidden=True)
@click.option("-o", "--output", required=True, help="Page to write, an .html file.")
@click.option("--csv", "table", help="Table of the rows to write, a .csv file.")
def compare(
    meshes: tuple[str, ...],
    peers: str,
    budget: str,
    balls: int,
    frames: int,
    simulate: bool,
    samples: int,
    up: str | None,
    seed: int,
    timeout: float,
    memory: float,
    cache: str | None,
    store: str | None,
    output: str,
    table: str | None,
) -> None:
    """Run hitbox and its peers on each MESH, measure and simulate the results, and write one page.

    Each run has a process of its own. A run that crashes, hangs or exhausts memory becomes a row of the page.
    Results are kept, so a second run computes only new ones.
    """
    _check_outputs(output, table)
    if store is not None:
        click.echo("hitbox: note: --store is now --cache.", err=True)
        cache = cache or store

    from hitbox._base.files import replace_files
    from hitbox._compare import compare as run

    with progress_bar(False) as progress:
        found = run(
            meshes,
            peers=[name.strip() for name in peers.split(",") if name.strip()],
            budget=budget,
            simulate=simulate,
            balls=balls,
            frames=frames,
            samples=samples,
            up=up,
            seed=seed,
            timeout=timeout,
            memory=memory,
            cache=cache if cache is not None else Path(output).parent / ".hitbox-compare",
            progress=progress,
        )
    files = {output: found.to_html()} | ({table: found.to_csv()} if table else {})
    replace_files([(path, text.encode()) for path, text in files.items()])
    _print(found, list(files))
    if all(subject.faces is None for subject in found.subjects):
        raise InputError("compare: none of the meshes could be read; the page says why.")


def _check_outputs(output: str, table: str | None) -> None:
    """Check before any work that the report can be written."""
    for path, suffix, what in ((output, ".html", "the page is"), (table, ".csv", "the table is")):
        if path is None:
            continue
        if Path(path).suffix.lower() != suffix:
            raise InputError(f"compare: {path}: {what} written as {suffix}.")
        if not Path(path).parent.is_dir():
            raise InputError(f"compare: {path}: there is no folder {os.fspath(Path(path).parent)!r}.")
        if Path(path).is_dir():
            raise InputError(f"compare: {path}: is a folder, not a file.")


def _print(found: Comparison, written: list[str]) -> None:
    for subject in found.subjects:
        layout.print_title(subject.name)
        layout.print_rows(_rows(subject))
    layout.print_rows([("note", note) for note in found.notes] + [("wrote", path) for path in written])


def _rows(subject: Subject) -> list[tuple[str, str]]:
    rows = []
    for row in subject.rows:
        if row.error is not None:
            rows.append((row.label, row.error))
        elif row.answered:
            rows.append((row.label, "; ".join(_numbers(row))))
    return rows


def _numbers(row: Row) -> Iterator[str]:
    yield f"{counted(row.shapes or 0, 'shape')}, {row.bytes:,} bytes"
    if row.outer_mean is None or row.outer_hausdorff is None:
        yield "no outer surface"
    else:
        yield f"outer surface mean {percent(row.outer_mean)}, largest {percent(row.outer_hausdorff)}"
    yield f"{row.cpu_seconds:.3g} CPU s"
    if row.frame_ms_mean is not None:
        yield f"{row.frame_ms_mean:.3g} ms per frame"
