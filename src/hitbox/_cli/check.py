"""`hitbox check`: check whether a collider fits an engine."""

from __future__ import annotations

import json

import rich_click as click

from hitbox._cli.info import plain
from hitbox._cli.layout import print_rows, print_title

DOES_NOT_FIT = 1


@click.command(short_help="Check whether a collider fits an engine.")
@click.argument("collider")
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    required=True,
    help="Engine such as physx, or a JSON file. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, panel="Output", help="Print the report as JSON.")
def check(collider: str, profiles: tuple[str, ...], as_json: bool) -> int:
    """Report which shapes of COLLIDER an engine would change, and why.

    The exit code is 0 if all shapes fit, and 1 if one does not. Engines silently shrink a hull beyond their
    caps, so that the mesh sticks out of it.
    """
    import hitbox

    loaded = hitbox.Collider.of(collider)
    reports = [hitbox.check(loaded, profile) for profile in profiles]
    if as_json:
        click.echo(json.dumps([{"fits": report.fits, **plain(report)} for report in reports], indent=1))
    else:
        print_title(collider)
        for report in reports:
            first, *others = str(report).splitlines()
            print_rows([(report.profile, first), *((report.profile, line) for line in others)])
    return 0 if all(report.fits for report in reports) else DOES_NOT_FIT
