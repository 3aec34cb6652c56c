"""`hitbox fit`: a mesh in, a collider out."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import click

from hitbox.cli import layout
from hitbox.cli import options as read
from hitbox.cli.bar import progress_bar
from hitbox.errors import InputError
from hitbox.words import counted, listed, percent

if TYPE_CHECKING:
    from hitbox.collider import Collider
    from hitbox.mesh import Mesh

_SAMPLES = 100_000


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
    help="Where to write; the suffix picks the format (.json, .obj, .glb). May be given again. With --lods "
    "{count} in the name is replaced by the count, or .lod0, .lod1 is put before the suffix.",
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
    _check(keywords, levels)
    targets = _targets(outputs, levels, mesh)

    import hitbox

    started = time.perf_counter()
    loaded = hitbox.load(mesh)
    read_seconds = time.perf_counter() - started
    with progress_bar(as_json) as progress:
        running = {"threads": threads, "cache": cache, "progress": progress}
        colliders = _colliders(loaded, levels, {**keywords, **running})
    seconds = {"read": read_seconds, "fit": time.perf_counter() - started - read_seconds}

    reports = [
        _report(collider, paths, _distances(loaded, collider, threads, cache))
        for collider, paths in zip(colliders, targets, strict=True)
    ]
    seconds["measure"] = time.perf_counter() - started - sum(seconds.values())
    for report in reports:
        report["seconds"] = seconds
    _write_all(colliders, targets)
    if as_json:
        click.echo(json.dumps(reports if levels else reports[0], indent=1))
    else:
        layout.print_title(mesh)
        for k, report in enumerate(reports):
            _print(report, levels[k] if levels else None)


def _check(keywords: dict[str, Any], levels: tuple[int, ...] | None) -> None:
    """Before any work: a wrong option must not cost a run."""
    from hitbox.fit import FitOptions

    FitOptions(**keywords)
    for level in levels or ():
        FitOptions(count=level)
    if levels and "count" in keywords:
        raise InputError("fit: give either a count (-n) or --lods, not both.")


def _targets(outputs: tuple[str, ...], levels: tuple[int, ...] | None, mesh: str) -> list[list[str]]:
    """The files of each level, all different, all of a known format, none of them the mesh."""
    from hitbox.formats import writing

    targets = [list(outputs)]
    if levels:
        targets = [[read.lod_path(path, k, n) for path in outputs] for k, n in enumerate(levels)]
    paths = [path for level in targets for path in level]
    for path in paths:
        writing.writer_for(path)
        if os.path.realpath(path) == os.path.realpath(mesh):
            raise InputError(f"fit: {path} is the mesh itself. Give the collider another name.")
    if len({os.path.realpath(path) for path in paths}) != len(paths):
        raise InputError(f"fit: two outputs have the same name among {', '.join(paths)}.")
    return targets


def _colliders(mesh: Mesh, levels: tuple[int, ...] | None, keywords: dict[str, Any]) -> list[Collider]:
    import hitbox

    if levels is None:
        return [hitbox.fit(mesh, **keywords)]
    tree = hitbox.fit_tree(mesh, max(levels), **keywords)
    return [tree.at(level) for level in levels]


def _write_all(colliders: list[Collider], targets: list[list[str]]) -> None:
    from hitbox.formats import writing

    pairs = [(c, path) for c, paths in zip(colliders, targets, strict=True) for path in paths]
    writing.replace_files([(path, writing.writer_for(path)(c, False)) for c, path in pairs])


def _distances(mesh: Mesh, collider: Collider, threads: int, cache: str | None) -> dict[str, Any]:
    from hitbox.evaluate import distances
    from hitbox.formats import collider_json
    from hitbox.store import Store, build, digest

    store, written = Store(cache), collider_json.write(collider).decode()
    key = {
        "what": "distances", "build": build(), "mesh": mesh.sha256, "collider": digest(written),
        "samples": _SAMPLES,
    }  # fmt: skip
    known = store.get(key, dict)
    if known is not None:
        return known
    found = distances(mesh, collider, samples=_SAMPLES, threads=threads)
    measured = {
        "mean": found.all_surfaces.mean,  # all four: of the mesh's diagonal
        "hausdorff": found.all_surfaces.hausdorff,
        "outer_mean": found.outer_surface.mean,
        "outer_hausdorff": found.outer_surface.hausdorff,
        "outer_samples": found.outer_surface.samples,  # 0: nothing can be touched, and both are 0
    }
    store.put(key, measured)
    return measured


def _report(collider: Collider, paths: list[str], measured: dict[str, Any]) -> dict[str, Any]:
    return {
        "count": collider.method.options.get("count") if collider.method else None,
        "shapes": len(collider),
        "kinds": collider.counts,
        "bytes": collider.nbytes,
        **measured,
        "complete": collider.status.complete,
        "notes": list(collider.status.notes),
        "files": paths,
    }


def _print(report: dict[str, Any], level: int | None) -> None:
    kinds = listed([counted(count, kind) for kind, count in report["kinds"].items()])
    seconds = report["seconds"]
    asked, all_levels = (f" of at most {level:,}", " all levels") if level else ("", "")
    touched = f"where it can be touched, mean {percent(report['outer_mean'])}"
    rows = [
        ("shapes", f"{report['shapes']:,}{asked}: {kinds}"),
        ("bytes", f"{report['bytes']:,}"),
        (
            "distance",
            f"mean {percent(report['mean'])}, largest {percent(report['hausdorff'])} of the diagonal; "
            f"outside, {touched if report['outer_samples'] else 'nothing can be touched'}",
        ),
        (
            "time",
            f"{seconds['fit']:.2f} s to fit{all_levels}, {seconds['read']:.2f} s to read, "
            f"{seconds['measure']:.2f} s to measure the distance",
        ),
    ]
    rows += [("note", note) for note in report["notes"]]
    rows += [("wrote", path) for path in report["files"]]
    layout.print_rows(rows)
