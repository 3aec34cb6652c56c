"""`hitbox convert`: write a collider in the format of an engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import rich_click as click

from hitbox._base.text import counted, listed
from hitbox._cli import layout
from hitbox._cli.options import OUTPUT_HELP
from hitbox._cli.report import check_outputs, report_of, write_all, written_rows
from hitbox._formats.write_collider import FORMATS

if TYPE_CHECKING:
    from hitbox._model.collider import Collider

_NAMES = ", ".join(dict.fromkeys(known.name for known in FORMATS))


@click.command(short_help="Write a collider in an engine's format.")
@click.argument("collider", metavar="IN")
@click.option("-o", "--output", "outputs", multiple=True, required=True, help=OUTPUT_HELP)
@click.option("--format", "name", help=f"Format to write, whatever the suffix: {_NAMES}.")
@click.option("--with-mesh", "mesh", help="Mesh to write too, for display. A closed one gives the mass.")
@click.option("--dynamic", is_flag=True, help="Write a body that moves, with mass, centre and inertia.")
@click.option("--density", type=float, help="Density in kilograms per cubic metre. [default: 1000]")
@click.option("--json", "as_json", is_flag=True, panel="Output", help="Print the report as JSON.")
def convert(
    collider: str,
    outputs: tuple[str, ...],
    name: str | None,
    mesh: str | None,
    dynamic: bool,
    density: float | None,
    as_json: bool,
) -> None:
    """Write the collider IN for an engine, and report replaced shapes.

    IN is a collider JSON, a URDF, MJCF, SDFormat, SRDF or cuRobo file, a glTF, USD or Godot scene with
    colliders, a Unity sidecar, a mesh file of convex parts, or a folder of such mesh files.
    """
    check_outputs("convert", outputs, [collider, *([mesh] if mesh else [])], "input", format=name)

    import hitbox
    from hitbox._base import checks
    from hitbox._base.errors import InputError
    from hitbox._formats.export import ExportOptions
    from hitbox._model.mass import DENSITY

    if density is not None:
        checks.positive("convert: --density", density)
        if not dynamic:
            raise InputError("convert: --density: only a dynamic body has a mass. Give --dynamic as well.")
    found = hitbox.Collider.of(collider)
    shown = None if mesh is None else hitbox.load(mesh)
    options = ExportOptions(dynamic=dynamic, density=density or DENSITY, mesh=shown)
    report = report_of(found)
    write_all([found], [outputs], [report], format=name, options=options)
    if as_json:
        click.echo(json.dumps(report, indent=1))
    else:
        layout.print_title(collider)
        layout.print_rows([("shapes", _shapes(found)), *written_rows(report)])


def _shapes(collider: Collider) -> str:
    kinds = [counted(count, kind) for kind, count in collider.counts.items()]
    return f"{len(collider):,}: {listed(kinds)}"
