"""`hitbox info`: what a mesh file holds, and what cleaning would do to it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import click

from hitbox.cli.options import number_or_text


@click.command()
@click.argument("mesh")
@click.option("--weld", default="exact", show_default=True, help="Join vertices: exact, off, or a distance.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def info(mesh: str, weld: str, as_json: bool) -> None:
    """Says what MESH holds, and what cleaning would do."""
    import hitbox

    loaded = hitbox.load(mesh)
    _, report = loaded.clean(weld=number_or_text(weld))
    found = plain(loaded.info())
    cleaning = plain(report)
    if as_json:
        click.echo(json.dumps({"info": found, "cleaning": cleaning}, indent=1))
        return
    _print(mesh, found, cleaning)


def plain(value: Any) -> Any:
    """Dataclasses, mappings and arrays as what JSON has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _print(mesh: str, found: Any, cleaning: Any) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{escape(mesh)}[/bold]")
    for title, rows in (("", found), ("cleaning", cleaning)):
        if title:
            console.print(f"[bold]{title}[/bold]")
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for key, value in rows.items():
            table.add_row(escape(str(key).replace("_", " ")), escape(_said(value)))
        console.print(table)


def _said(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_said(item)}" for key, item in value.items()) or "-"
    if isinstance(value, list):
        shown = ", ".join(_said(item) for item in value[:12])
        return f"{shown}, and {len(value) - 12} more" if len(value) > 12 else shown or "-"
    return str(value)
