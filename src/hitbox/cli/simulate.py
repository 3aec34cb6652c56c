"""`hitbox simulate`: a mesh and its colliders side by side in a physics engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hitbox.cli import layout
from hitbox.cli import options as read
from hitbox.cli.bar import progress_bar
from hitbox.errors import InputError
from hitbox.lengths import UPS

if TYPE_CHECKING:
    from hitbox.simulate import Simulation

_HEADS = (
    "", "shapes", "mean ms", "median", "p95", "p99", "contacts", "resting", "through", "escaped",
    "heights", "paths",
)  # fmt: skip


@click.command(short_help="A mesh and its colliders in a physics engine.")
@click.argument("mesh")
@click.argument("colliders", nargs=-1, metavar="[COLLIDER]...")
@click.option("--scene", default="drop", show_default=True, help="drop, maze, stairs, pile, roll or leak.")
@click.option("--engine", default="rapier", show_default=True, help="rapier or mujoco.")
@click.option("--balls", type=int, help="Balls, or what else moves. [default: the scene's; drop 5000]")
@click.option("--frames", type=int, help="Frames of 1/60 s. [default: the scene's; drop 1000]")
@click.option("--radius", help="Of a ball: a length, such as 1%. [default: the scene's; drop 1%]")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the places where things start.")
@click.option("--up", help="The axis that points up: x, y or z. [default: as the files say, else y]")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, each frame's time too.")
def simulate(
    mesh: str,
    colliders: tuple[str, ...],
    scene: str,
    engine: str,
    balls: int | None,
    frames: int | None,
    radius: str | None,
    seed: int,
    up: str | None,
    as_json: bool,
) -> None:
    """Runs MESH, as triangles, and each COLLIDER (collider JSON, hulls in a mesh file, or a folder of them)
    frame by frame beside each other, and compares them with MESH."""
    import hitbox
    from hitbox import checks
    from hitbox.collider import Collider
    from hitbox.compare.names import distinct_names
    from hitbox.simulate import ENGINES, SCENES, simulate_together

    checks.one_of("simulate: scene", scene, SCENES, "scene")  # before any file is read
    checks.one_of("simulate: engine", engine, ENGINES, "engine")
    if up is not None:
        checks.one_of("simulate: up", up, UPS, "axis")
    names = distinct_names([mesh, *colliders])
    subjects: dict[str, Any] = {
        name: Collider.of(path) for name, path in zip(names[1:], colliders, strict=True)
    }
    reference = None if SCENES[scene].moves_subject else names[0]
    if reference is not None:
        subjects = {reference: hitbox.load(mesh), **subjects}
    elif not subjects:
        raise InputError(f"simulate: the scene {scene!r} moves colliders: give at least one.")
    with progress_bar(as_json) as progress:
        runs = simulate_together(
            subjects, reference=reference, scene=scene, engine=engine, balls=balls, frames=frames,
            radius=None if radius is None else read.number_or_text(radius), seed=seed, up=up,
            progress=progress,
        )  # fmt: skip
    if as_json:
        click.echo(json.dumps({name: run.to_dict() for name, run in runs.items()}, indent=1))
    else:
        layout.print_title(mesh)
        _print(runs)


def _print(runs: dict[str, Simulation]) -> None:
    first = next(iter(runs.values()))
    said = f"{first.scene} in {first.engine}: {first.balls:,} bodies, {first.frames:,} frames"
    if any(run.similarity for run in runs.values()):
        said += "; heights and paths: how far from the mesh's, of the diagonal"
    layout.print_rows([("scene", said)])
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
        *(f"{count:,}" for count in (run.resting, run.through, run.escaped)),
        *((f"{like.height_field:.2%}", f"{like.trajectories:.2%}") if like else ("", "")),
    )


def _measures(run: Simulation) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in run.measures.items())
