"""`hitbox evaluate`: measure how closely colliders match a mesh."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.text import counted, distinct_names, listed, percent
from hitbox._cli import method
from hitbox._cli.bar import progress_bar
from hitbox._cli.layout import print_rows, print_table, print_title, print_wrapped

if TYPE_CHECKING:
    from hitbox._judges.evaluate import Distance, Evaluation

_SHOWN = 8  # the most listed numbers of shapes
_UNTOUCHABLE = "nothing can be touched"


@click.command(short_help="Measure how well a collider follows a mesh.")
@click.argument("mesh")
@click.argument("colliders", metavar="COLLIDER...", nargs=-1, required=True)
@click.option(
    "--samples", type=int, default=200_000, show_default=True, help="Number of sample points on each surface."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the sample points.")
@click.option(
    "--certify", is_flag=True, help="Also compute bounds that hold for every point, which takes seconds."
)
@method.THREADS
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    panel="Output",
    help="Print JSON: a list if there are several colliders.",
)
def evaluate(
    mesh: str,
    colliders: tuple[str, ...],
    samples: int,
    seed: int,
    certify: bool,
    threads: int,
    as_json: bool,
) -> None:
    """Compare each COLLIDER with MESH: distances, coverage, bytes, volumes, suspicious shapes.

    A collider is a collider JSON, a URDF, MJCF, SDFormat, SRDF or cuRobo file, a mesh file of convex parts
    (OBJ, GLB, PLY, STL, OFF), or a folder of such mesh files. Several colliders are shown side by side.
    """
    import hitbox

    options: dict[str, Any] = {"samples": samples, "seed": seed, "certify": certify, "threads": threads}
    loaded = hitbox.load(mesh)
    made = [hitbox.Collider.of(path) for path in colliders]
    found = []
    for collider in made:
        with progress_bar(as_json) as progress:
            found.append(hitbox.evaluate(loaded, collider, progress=progress, **options))
    if as_json:
        named = zip(distinct_names(colliders), found, strict=True)
        plain = [{"collider": name, **one.to_dict()} for name, one in named]
        click.echo(json.dumps(plain if len(plain) > 1 else plain[0], indent=1))
        return
    print_title(mesh)
    if len(found) == 1:
        _print_one(found[0])
    else:
        _print_table(distinct_names(colliders), found)


def _print_one(found: Evaluation) -> None:
    kinds = listed([counted(count, kind) for kind, count in found.counts.items()])
    coverage = found.coverage
    covered = "every sample of the surface lies in a shape"
    if coverage.outside:
        by = percent(coverage.largest)
        covered = f"{percent(coverage.outside)} of the surface sticks out, by up to {by}"
    rows = [
        ("shapes", f"{found.shapes:,}: {kinds}"),
        ("bytes", f"{found.nbytes:,}"),
        ("outer surface", _distance(found.outer_surface)),
        ("union boundary", _distance(found.union_boundary)),
        ("all surfaces", _distance(found.all_surfaces)),
        ("coverage", covered),
        ("volume", _volume(found)),
    ]
    rows += [("proved", text) for text in _proved(found)]
    rows += [("look at", text) for text in _to_look_at(found)]
    rows += [("note", note) for note in found.notes]
    print_rows(rows)
    click.echo()
    print_wrapped("Distances are of the mesh's diagonal. Outer surface: what can be touched from outside.")


def _print_table(names: Sequence[str], found: Sequence[Evaluation]) -> None:
    lines: list[tuple[str, Callable[[Evaluation], str]]] = [
        ("shapes", lambda e: f"{e.shapes:,}"),
        ("bytes", lambda e: f"{e.nbytes:,}"),
        ("outer surface, mean", lambda e: _touched(e, e.outer_surface.mean)),
        ("outer surface, largest", lambda e: _touched(e, e.outer_surface.hausdorff)),
        ("union boundary, mean", lambda e: percent(e.union_boundary.mean)),
        ("union boundary, largest", lambda e: percent(e.union_boundary.hausdorff)),
        ("all surfaces, mean", lambda e: percent(e.all_surfaces.mean)),
        ("all surfaces, largest", lambda e: percent(e.all_surfaces.hausdorff)),
        ("surface that sticks out", lambda e: percent(e.coverage.outside)),
        ("by at most", lambda e: percent(e.coverage.largest)),
        ("overlap", lambda e: percent(e.overlap)),
        ("thin shapes", lambda e: f"{len(e.thin):,}"),
    ]
    if all(one.bounds for one in found):
        lines += [
            ("proved: outer surface, largest at most", lambda e: _touched(e, _high(e, "outer_surface"))),
            ("proved: all surfaces, largest at most", lambda e: percent(_high(e, "all_surfaces"))),
            ("proved: all surfaces, mean at most", lambda e: percent(_high(e, "mean_all"))),
            ("proved: sticks out by at most", lambda e: percent(_high(e, "sticks_out"))),
        ]
    print_table(["", *names], [[title, *(shown(one) for one in found)] for title, shown in lines])
    click.echo()
    print_wrapped("Distances are of the mesh's diagonal. Outer surface: what can be touched from outside.")
    notes: list[tuple[str, str]] = []
    for name, one in zip(names, found, strict=True):
        notes += [(name, note) for note in (*_to_look_at(one), *one.notes)]
    if notes:
        click.echo()
        print_rows(notes)


def _distance(distance: Distance) -> str:
    if not distance.samples:
        return _UNTOUCHABLE
    return f"mean {percent(distance.mean)}, largest {percent(distance.hausdorff)}"


def _touched(found: Evaluation, value: float) -> str:
    """Format a distance on the outer surface if there is one. Otherwise 0 would look like a perfect fit."""
    shown = percent(value)
    return shown if found.outer_surface.samples or shown != percent(0) else _UNTOUCHABLE


def _proved(found: Evaluation) -> list[str]:
    """List the bounds that hold for every point."""
    bounds = found.bounds
    if bounds is None:
        return []
    outer = _touched(found, bounds.outer_surface[1])
    if outer != _UNTOUCHABLE:
        outer = f"largest distance {_between(bounds.outer_surface)} on the outer surface"
    texts = [
        outer,
        f"largest distance {_between(bounds.all_surfaces)} on all surfaces",
        f"mean distance {_between(bounds.mean_all)} on all surfaces",
        f"the mesh sticks out by {_between(bounds.sticks_out)}",
    ]
    return texts if bounds.complete else [*texts, "the bounds could be narrower: the search was cut short"]


def _between(pair: tuple[float, float]) -> str:
    low, high = (percent(value) for value in pair)
    return low if low == high else f"{low} to {high}"


def _high(found: Evaluation, name: str) -> float:
    high: float = getattr(found.bounds, name)[1]
    return high


def _volume(found: Evaluation) -> str:
    union = found.union_volume
    relative = union.error / union.value if union.value > 0 else 0.0
    within = f" (within {percent(relative)})" if relative else ""
    return (
        f"{union.value:,.5g} of the union{within}, {found.volume:,.5g} of all shapes: "
        f"{percent(found.overlap)} overlap"
    )


def _to_look_at(found: Evaluation) -> list[str]:
    """List shapes that an engine may handle badly, with their numbers."""
    thin = [k for k in found.thin if k not in found.degenerate]
    texts = []
    if thin:
        texts.append(f"thin, below {percent(1e-3)} of the diagonal: {_shapes(thin)}")
    if found.degenerate:
        texts.append(f"nearly without volume: {_shapes(found.degenerate)}")
    for engine, hulls in found.beyond_caps.items():
        texts.append(f"more corners or faces than {engine} takes: {_shapes(hulls)}")
    return texts


def _shapes(numbers: Sequence[int]) -> str:
    more = [f"{len(numbers) - _SHOWN:,} more"] if len(numbers) > _SHOWN else []
    word = "shape" if len(numbers) == 1 else "shapes"
    return f"{word} {listed([str(k) for k in numbers[:_SHOWN]] + more)}"
