"""`hitbox render`: draw a mesh, and its collider beside it."""

from __future__ import annotations

import rich_click as click

from hitbox._base.lengths import UPS
from hitbox._cli.layout import print_rows


@click.command(short_help="Draw a mesh and its collider.")
@click.argument("mesh")
@click.argument("collider", required=False)
@click.option("--space", help="Saved space to draw as spheres, such as carve --space-out writes.")
@click.option("-o", "--output", required=True, help="Picture to write, a .png file.")
@click.option(
    "--size", nargs=2, type=int, default=(1600, 800), show_default=True, help="Width and height in pixels."
)
@click.option("--up", type=click.Choice(UPS), help="Axis that points up. [default: as the files say]")
def render(
    mesh: str, collider: str | None, space: str | None, output: str, size: tuple[int, int], up: str | None
) -> None:
    """Draw MESH, and COLLIDER (a collider JSON, URDF, MJCF or SDFormat) beside it. This needs no display."""
    import hitbox
    from hitbox._judges.render import render as draw
    from hitbox._model.collider import Collider

    shapes = Collider.load(collider) if collider else None
    opened = hitbox.NavigableSpace.load(space) if space else None
    draw(hitbox.load(mesh), shapes, output, space=opened, size=size, up=up)
    print_rows([("wrote", output)])
