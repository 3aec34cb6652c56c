"""`hitbox info`: describe a mesh file, and the effect of cleaning."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import rich_click as click

from hitbox._base.flag_text import number_or_text
from hitbox._base.text import counted, listed
from hitbox._cli.layout import print_rows, print_title, print_wrapped

if TYPE_CHECKING:
    from hitbox._model.mesh import CleanReport, Mesh, MeshInfo

_NAMES_SHOWN = 8


@click.command(short_help="Describe a mesh, and the effect of cleaning.")
@click.argument("mesh")
@click.option(
    "--weld",
    default="exact",
    show_default=True,
    help="Vertices to join: exact (equal ones), off, or all within a length.",
)
@click.option("--json", "as_json", is_flag=True, panel="Output", help="Print as JSON.")
def info(mesh: str, weld: str, as_json: bool) -> None:
    """Describe MESH, and the effect of cleaning."""
    import hitbox

    loaded = hitbox.load(mesh)
    _, cleaning = loaded.clean(weld=number_or_text(weld))
    found = loaded.info()
    if as_json:
        facts = plain(found)
        facts |= {"cleaning": plain(cleaning), "unit": loaded.unit, "up": loaded.up}
        facts |= {"part_names": list(loaded.part_names), "material_names": list(loaded.material_names)}
        click.echo(json.dumps(facts, indent=1))
        return
    print_title(mesh)
    print_rows(_rows(loaded, found))
    click.echo()
    print_wrapped(_cleaning(cleaning, weld))


def plain(value: Any) -> Any:
    """Convert dataclasses, mappings and arrays to JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _rows(mesh: Mesh, found: MeshInfo) -> list[tuple[str, str]]:
    sizes = [(found.triangles, "triangle"), (found.quads, "quad"), (found.larger, "larger polygon")]
    unit = f" {mesh.unit}" if mesh.unit else ""
    size = " x ".join(_number(side) for side in found.bounds[1] - found.bounds[0])
    low, high = (", ".join(_number(x) for x in corner) for corner in found.bounds)
    return [
        ("faces", f"{found.faces:,}: {listed([counted(n, what) for n, what in sizes if n])}"),
        ("vertices", f"{found.vertices:,}"),
        ("parts", _named(found.parts, mesh.part_names)),
        ("materials", _named(found.materials, mesh.material_names)),
        ("components", _components(found)),
        ("edges", _edges(found)),
        ("surface", _surface(found, unit)),
        ("box", f"{size}{unit}, from ({low}) to ({high}); diagonal {_number(found.diagonal)}{unit}"),
        ("axes", f"{f'{mesh.up} is up' if mesh.up else 'up axis unknown'}; unit {mesh.unit or 'unknown'}"),
    ]


def _named(count: int, names: Sequence[str]) -> str:
    if count == 0:
        return "none named"
    shown = [name or "(no name)" for name in names]
    more = [f"{len(shown) - _NAMES_SHOWN:,} more"] if len(shown) > _NAMES_SHOWN else []
    return f"{count:,}: {listed(shown[:_NAMES_SHOWN] + more)}"


def _components(found: MeshInfo) -> str:
    if found.components == found.components_by_index:
        return f"{found.components:,}"
    return f"{found.components:,} ({found.components_by_index:,} before equal vertices are welded)"


def _edges(found: MeshInfo) -> str:
    troubles = [
        (found.boundary_edges, "on a boundary"),
        (found.nonmanifold_edges, "non-manifold (more than two faces)"),
        (found.inconsistent_edges, "inconsistent (two faces that look opposite ways)"),
    ]
    text = [f"{count:,} {what}" for count, what in troubles if count]
    none = [what.split(" (")[0] for count, what in troubles if not count]
    return f"{found.edges:,}: " + ", ".join(text + ([f"none {listed(none, 'or')}"] if none else []))


def _surface(found: MeshInfo, unit: str) -> str:
    area = f"area {_number(found.area)}{unit and unit + '^2'}"
    if found.volume is None:
        return f"open, so it has no volume; {area}"
    volume = f"volume {_number(abs(found.volume))}{unit and unit + '^3'}"
    inward = ", its faces look inward" if found.volume < 0 else ""
    return f"closed{inward}; {volume}, {area}"


def _cleaning(report: CleanReport, weld: str) -> str:
    """Describe in one paragraph the changes, then the faults that would stay."""
    done = []
    if report.welded:
        joined = counted(report.welded, "vertex", "vertices")
        other = "another" if report.welded == 1 else "others"
        equal = "an equal one" if report.welded == 1 else "equal ones"
        done.append(f"join {joined} to {equal if weld == 'exact' else f'{other} within {weld}'}")
    if report.unreferenced:
        done.append(f"drop {counted(report.unreferenced, 'vertex', 'vertices')} that no face uses")
    text = "Cleaning would change nothing."
    if done:
        text = f"Cleaning would {listed(done)}: {report.vertices_before:,} vertices become "
        text += f"{report.vertices_after:,}."
    kept = [
        (report.repeated_index, "with a vertex more than once"),
        (report.zero_area, "without area"),
        (report.duplicates, "with the same vertices as an earlier one"),
    ]
    found = [f"{counted(count, 'face')} {what}" for count, what in kept if count]
    if not found:
        return f"{text} No face is degenerate or repeated."
    return f"{text} It would keep {listed(found)}: they are enclosed like the others."


def _number(value: float) -> str:
    """Format a number with five digits and commas between thousands."""
    return f"{value:,.5g}" if abs(value) < 1e5 or abs(value) >= 1e12 else f"{value:,.0f}"
