"""`hitbox simulate`: run a mesh and its colliders side by side in a physics engine."""

from __future__ import annotations

import json
from typing import Any

import rich_click as click

from hitbox._base.errors import InputError
from hitbox._base.text import counted, distinct_names, percent
from hitbox._cli import layout
from hitbox._cli import options as read
from hitbox._cli.bar import progress_bar
from hitbox._judges.simulate import SCENES, SimulateOptions, Simulation, simulate_together

_HEADS = (
    "", "shapes", "mean ms", "median", "p95", "p99", "contacts", "resting", "moving", "through",
    "escaped", "heights", "paths",
)  # fmt: skip


@click.command(short_help="Run a mesh and its colliders in a physics engine.")
@click.argument("mesh")
@click.argument("colliders", nargs=-1, metavar="[COLLIDER]...")
@read.flags(SimulateOptions)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    panel="Output",
    help="Print everything as JSON, including the time of each frame.",
)
def simulate(mesh: str, colliders: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Run MESH, as triangles, and each COLLIDER (collider JSON, hulls in a mesh file, or a folder of them)
    side by side, frame by frame, and compare the runs with that of MESH.
    """
    import hitbox
    from hitbox._model.collider import Collider

    options = read.chosen(SimulateOptions, given)  # check options before any file is read
    names = distinct_names([mesh, *colliders])
    subjects: dict[str, Any] = {
        name: Collider.of(path) for name, path in zip(names[1:], colliders, strict=True)
    }
    reference = None if SCENES[options.scene].moves_subject else names[0]
    if reference is not None:
        subjects = {reference: hitbox.load(mesh), **subjects}
    elif not subjects:
        raise InputError(f"simulate: the scene {options.scene!r} moves colliders: give at least one.")
    with progress_bar(as_json) as progress:
        runs = simulate_together(subjects, reference=reference, options=options, progress=progress)
    if as_json:
        click.echo(json.dumps({name: run.to_dict() for name, run in runs.items()}, indent=1))
    else:
        layout.print_title(mesh)
        _print(runs)


def _print(runs: dict[str, Simulation]) -> None:
    first = next(iter(runs.values()))
    bodies = counted(first.balls, "body", "bodies")
    scene = f"{first.scene} in {first.engine}: {bodies}, {counted(first.frames, 'frame')}"
    if any(run.similarity for run in runs.values()):
        scene += "; heights and paths: how far from the mesh's, of the diagonal"
    layout.print_rows([("scene", scene)])
    layout.print_table(_HEADS, [_row(name, run) for name, run in runs.items()])
    more = [(name, _measures(run)) for name, run in runs.items() if run.measures]
    more += [("note", f"{name}: {note}") for name, run in runs.items() for note in run.notes]
    if more:
        layout.print_rows(more)


def _row(name: str, run: Simulation) -> tuple[str, ...]:
    like = run.similarity
    return (
        name,
        f"{run.shapes:,}" if run.shapes else "mesh",
        *(f"{ms:.2f}" for ms in (run.mean_ms, run.median_ms, run.p95_ms, run.p99_ms)),
        f"{run.mean_contacts:,.0f}",
        *(f"{count:,}" for count in (run.resting, run.moving, run.through, run.escaped)),
        *((percent(like.height_field), percent(like.trajectories)) if like else ("", "")),
    )


def _measures(run: Simulation) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in run.measures.items())
