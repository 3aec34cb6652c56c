"""`hitbox robot`: write a URDF or MJCF with primitives as its collision shapes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.text import counted, listed
from hitbox._cli import layout, method
from hitbox._cli import options as read
from hitbox._cli.bar import progress_bar
from hitbox._cli.report import Stopwatch
from hitbox._methods.robot import RobotOptions

if TYPE_CHECKING:
    from hitbox._methods.robot import RobotReport


@click.command(short_help="Replace a robot's collision meshes with primitives.")
@click.argument("robot", metavar="URDF|MJCF")
@click.option(
    "-o",
    "--output",
    required=True,
    panel="Output",
    help="File to write. If it is the input itself, a copy of that is kept.",
)
@read.flags(RobotOptions)
@method.THREADS
@click.option("--cache", panel="Effort", help="Folder that keeps results, so that no link is fitted twice.")
@method.JSON
def robot(robot: str, output: str, threads: int, cache: str | None, as_json: bool, **given: Any) -> None:
    """Fit convex primitives to the meshes of every link, and write the same file with them as its collision
    geometry. Visuals, joints and everything else stay unchanged.

    A length is in metres (0.02), of the diagonal of each link's box (1%), or has a unit (5mm).
    """
    from hitbox._methods.robot.run import robot as convert

    options = read.chosen(RobotOptions, given)  # check options before any work
    watch = Stopwatch()
    with progress_bar(as_json) as progress:
        report = convert(robot, output, options=options, threads=threads, cache=cache, progress=progress)
    watch.lap("robot")
    if as_json:
        click.echo(json.dumps(_as_json(report, watch.seconds), indent=1))
    else:
        layout.print_title(robot)
        _print(report, watch.seconds["robot"])


def _as_json(report: RobotReport, seconds: dict[str, float]) -> dict[str, Any]:
    links = [
        {"name": link.name, "faces": link.faces, "shapes": len(link.shapes), "kinds": _kinds(link.shapes)}
        for link in report.links
    ]
    return {
        "name": report.name,
        "format": report.format,
        "shapes": sum(len(link.shapes) for link in report.links),
        "kinds": report.counts,
        "links": links,
        "collisions": [asdict(each) for each in report.collisions],
        "poses": report.poses,
        "notes": list(report.notes),
        "files": list(report.files),
        "seconds": seconds,
    }


def _print(report: RobotReport, seconds: float) -> None:
    from hitbox._methods.robot.run import described

    total = sum(len(link.shapes) for link in report.links)
    kinds = listed([counted(count, kind) for kind, count in report.counts.items()])
    rows = [("shapes", f"{total:,} for {counted(len(report.links), 'link')}: {kinds}")]
    if report.poses:
        found = counted(len(report.collisions), "pair of links", "pairs of links")
        verb = "collides" if len(report.collisions) == 1 else "collide"
        tried = f"{counted(report.poses, 'pose')} that {'was' if report.poses == 1 else 'were'} tried"
        rows.append(("poses", f"{found} newly {verb} in {tried}"))
    rows += [("collide", described(each)) for each in report.collisions]
    rows += [("note", note) for note in report.notes]
    rows.append(("time", f"{seconds:.2f} s"))
    rows += [("wrote", path) for path in report.files]
    layout.print_rows(rows)
    layout.print_table(
        ("link", "faces", "shapes"),
        [(" ".join(link.name.split()), f"{link.faces:,}", f"{len(link.shapes):,}") for link in report.links],
    )


def _kinds(shapes: Any) -> dict[str, int]:
    kinds = [shape.kind for shape in shapes]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
