"""The page: one HTML file that contains its style, pictures and plots, without any script.

All names and messages from outside are escaped, and the page's policy forbids network access.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from hitbox._base.text import counted, listed, percent
from hitbox._compare import plots
from hitbox._compare.budget import LEVELS
from hitbox._compare.figures import three_digits, whole
from hitbox._compare.plots import Axis, Series
from hitbox._compare.rows import (
    INPUT,
    LOWEST_WINS,
    PICTURE,
    Comparison,
    Row,
    Spread,
    Subject,
    Totals,
    winners,
)

TAIL = "</body>\n</html>\n"
_NO_VALUE = '<td class="none">&ndash;</td>'
_MOST_NOTES = 3  # per method and mesh
_MOST_NAMES = 3  # a page of more meshes starts with a list of links


@dataclass(frozen=True)
class Column:
    """A column of a mesh's table: a field of Row, two lines of heading, and a function that formats
    values.
    """

    field: str
    group: str
    name: str
    write: Callable[[float], str]


COLUMNS = (
    Column("outer_mean", "Outer surface", "mean", percent),
    Column("outer_hausdorff", "Outer surface", "largest", percent),
    Column("all_mean", "All surfaces", "mean", percent),
    Column("all_hausdorff", "All surfaces", "largest", percent),
    Column("uncovered", "Mesh", "uncovered", percent),
    Column("bytes", "Size", "bytes", whole),
    Column("shapes", "Size", "shapes", whole),
    Column("cpu_seconds", "To make", "CPU s", three_digits),
    Column("frame_ms_mean", "Frame, ms", "mean", three_digits),
    Column("frame_ms_p95", "Frame, ms", "p95", three_digits),
    Column("height_field", "Behaves unlike the mesh", "heights", percent),
    Column("trajectories", "Behaves unlike the mesh", "paths", percent),
)

_TERMS = {
    "Mean and largest distance": "From points on the collider to the nearest point of the mesh, in % of the "
    "diagonal of the mesh's bounding box. The mean is the one-way Chamfer distance, the largest the one-way "
    "Hausdorff distance.",
    "Outer surface": "The surface that a ball can touch: the boundary of all shapes together, without "
    "parts inside a closed mesh.",
    "All surfaces": "The surfaces of all shapes, also where they lie inside each other.",
    "Uncovered": "The share of the mesh's surface that lies outside every shape.",
    "Bytes": "Floats of 4 bytes and indices of 2: a box has 40, a sphere 16, a hull 12 per vertex and 6 per "
    "triangle.",
    "CPU s": "Seconds of all threads, without Python's start and imports. Each method runs in a process "
    "of its own.",
    "Frame, ms": "One step of Rapier with balls dropped on the collider. The methods take turns, frame by "
    "frame, so noise affects all alike.",
    "Behaves unlike the mesh": "How much the heights at which balls came to rest, and their paths, "
    "differ from those on the mesh itself, in % of the diagonal. 0 means identical.",
}


def page(comparison: Comparison) -> str:
    """Return the whole page."""
    colors = _colors(comparison)
    title = "Colliders compared"
    body = "".join(_mesh(subject, k, colors) for k, subject in enumerate(comparison.subjects))
    return (
        f"{head(title)}{_header(comparison, title)}\n<main>\n{_totals(comparison, colors)}{body}</main>\n"
        f"{_footer(comparison)}\n{TAIL}"
    )


def head(title: str, images: str = "data:") -> str:
    """Return the start of an HTML page: its style, and a policy that forbids network access.

    `images` lists the allowed sources of pictures.
    """
    style = files("hitbox._compare").joinpath("style.css").read_text(encoding="utf-8")
    policy = f"default-src 'none'; img-src {images}; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<link rel="icon" href="data:,">\n<style>\n{style}</style>\n</head>\n<body>\n'
    )


def _colors(comparison: Comparison) -> dict[str, int]:
    """Return the colour of each method, the same on all meshes."""
    methods = dict.fromkeys(row.method for row in comparison.rows if row.method != INPUT)
    return {INPUT: plots.GREY, **{method: k for k, method in enumerate(methods)}}


def _header(comparison: Comparison, title: str) -> str:
    settings = comparison.settings
    peers = [f"{label} {version or '(not installed)'}" for label, version in settings["versions"].items()]
    against = f" beside {listed(peers)}" if peers else ""
    lead = f"hitbox {settings['version']}{against}, on {counted(len(comparison.subjects), 'mesh', 'meshes')}."
    budget = _budget_sentence(comparison.budget) if peers or not comparison.budget.startswith("bytes") else ""
    return (
        f'<header>\n<h1>{title}</h1>\n<p class="lead">{escaped(lead)} {escaped(budget)} '
        f"The best value of each column is marked.</p>\n{_notes(comparison.notes)}{_contents(comparison)}"
        f"</header>"
    )


def _budget_sentence(budget: str) -> str:
    kind, _, value = budget.partition("=")
    if kind == "bytes":
        return f"For each peer hitbox gets the largest count that needs at most {value} of that peer's bytes."
    if kind == "count":
        return f"hitbox gets at most {value} shapes."
    return f"hitbox takes the fewest shapes whose largest distance on the outer surface is at most {value}."


def _contents(comparison: Comparison) -> str:
    if len(comparison.subjects) <= _MOST_NAMES:
        return ""
    items = "".join(
        f'<li><a href="#mesh-{k}">{escaped(s.name)}</a></li>' for k, s in enumerate(comparison.subjects)
    )
    return f'<nav aria-label="Meshes"><ul>{items}</ul></nav>\n'


def _totals(comparison: Comparison, colors: dict[str, int]) -> str:
    totals = comparison.totals()
    terms = "".join(
        f"<dt>{escaped(term)}</dt><dd>{escaped(meaning)}</dd>" for term, meaning in _TERMS.items()
    )
    read = f"<details><summary>What the numbers mean</summary><dl>{terms}</dl></details>"
    return (
        f'<section aria-labelledby="totals">\n<h2 id="totals">Over the set</h2>\n'
        f"{_totals_body(comparison, totals, colors)}{read}</section>\n"
    )


def _totals_body(comparison: Comparison, totals: Totals, colors: dict[str, int]) -> str:
    answered = {row.method for row in comparison.rows if row.answered}
    silent = [label for method, label in _all_labels(comparison).items() if method not in answered]
    left_out = f" {listed(silent)} answered on no mesh and is left out." if silent else ""
    if not totals.meshes:
        return f'<p class="about">There is no mesh on which all methods answered.{escaped(left_out)}</p>'
    meshes = counted(totals.meshes, "mesh", "meshes")
    common = f"Over {meshes} of {totals.of}: those on which all methods answered.{left_out}"
    closer = "".join(f"<p>{escaped(line)}</p>" for line in _closer(totals))
    tables = _totals_table(totals, colors, "Outer surface", "outer") + _totals_table(
        totals, colors, "All surfaces", "all"
    )
    return f'<p class="about">{escaped(common)}</p>{closer}{tables}'


def _all_labels(comparison: Comparison) -> dict[str, str]:
    return {row.method: row.label for row in comparison.rows if row.method != INPUT}


def _closer(totals: Totals) -> list[str]:
    lines = []
    for method, below in totals.closer.items():
        peer = totals.labels[method.partition(":")[2]]
        hitbox = totals.labels[method].replace(",", " with")
        if {"outer_mean", "outer_hausdorff"} <= below.keys():
            meshes = counted(totals.measures[method]["outer_mean"].meshes, "mesh", "meshes")
            lines.append(
                f"{hitbox} is closer than {peer} on {below['outer_mean']} of {meshes} by the mean distance "
                f"on the outer surface, and on {below['outer_hausdorff']} by the largest."
            )
    return lines


def _totals_table(totals: Totals, colors: dict[str, int], title: str, prefix: str) -> str:
    largest, mean = f"{prefix}_hausdorff", f"{prefix}_mean"
    groups = (
        ("Largest (Hausdorff)", largest, True),
        ("Mean (Chamfer)", mean, True),
        ("Bytes", "bytes", False),
    )
    spans = "".join(
        f'<th class="group" scope="colgroup" colspan="{3 if n else 2}">{g}</th>' for g, _, n in groups
    )
    heads = "".join(
        ('<th scope="col">lowest on</th>' if numbered else "")
        + '<th scope="col">mean</th><th scope="col">median</th>'
        for _, _, numbered in groups
    )
    rows = []
    for method, label in totals.labels.items():
        cells = "".join(_spread_cells(totals, method, measure, numbered) for _, measure, numbered in groups)
        rows.append(f"<tr>{_method_cell(label, colors[method])}{cells}</tr>")
    table = (
        f"<table><thead><tr><td></td>{spans}</tr>"
        f'<tr><th scope="col">Method</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )
    return f"<h3>{title}</h3>{_fewer(totals, mean)}{_scrolling(table, f'Totals, {title}')}"


def _fewer(totals: Totals, measure: str) -> str:
    """Return a note if the distances are over fewer meshes than the other measures."""
    meshes = max((found[measure].meshes for found in totals.measures.values() if measure in found), default=0)
    if meshes == totals.meshes:
        return ""
    text = f"The distances are over {counted(meshes, 'mesh', 'meshes')}: elsewhere one method has none."
    return f'<p class="about">{escaped(text)}</p>'


def _spread_cells(totals: Totals, method: str, measure: str, numbered: bool) -> str:
    spreads = {each: found[measure] for each, found in totals.measures.items() if measure in found}
    if not spreads:
        return _NO_VALUE * (3 if numbered else 2)
    write = whole if measure == "bytes" else percent
    parts: list[tuple[str, Callable[[Spread], float], Callable[[Sequence[float]], float]]] = [
        (write(spreads[method].mean), lambda s: s.mean, min),
        (write(spreads[method].median), lambda s: s.median, min),
    ]
    if numbered:
        parts.insert(0, (f"{spreads[method].lowest}", lambda s: float(s.lowest), max))
    cells = []
    for text, of, best in parts:
        values = [of(spread) for spread in spreads.values()]
        cells.append(_cell(text, len(values) > 1 and of(spreads[method]) == best(values)))
    return "".join(cells)


def _mesh(subject: Subject, k: int, colors: dict[str, int]) -> str:
    faces = counted(subject.faces, "face") if subject.faces is not None else "not read"
    head = f'<h2 id="mesh-{k}">{escaped(subject.name)}</h2>\n<p class="about">{faces}</p>\n'
    if subject.faces is None:
        why = _notes([row.error or "" for row in subject.rows])
        return f'<section aria-labelledby="mesh-{k}">{head}{why}</section>\n'
    return (
        f'<section aria-labelledby="mesh-{k}">\n{head}{_pictures(subject)}{_table(subject, colors)}'
        f"{_plots(subject, colors)}{_pictures_with_balls(subject)}"
        f"{_notes([*subject.notes, *_row_notes(subject)])}</section>\n"
    )


def _pictures(subject: Subject) -> str:
    shown = [_picture(subject, row, row.picture, "") for row in subject.rows if row.picture]
    return f'<div class="pictures">{"".join(shown)}</div>\n' if shown else ""


def _pictures_with_balls(subject: Subject) -> str:
    when = ", halfway through the simulation"
    shown = [
        _picture(subject, row, row.picture_with_balls, when) for row in subject.rows if row.picture_with_balls
    ]
    if not shown:
        return ""
    return f'<h3>Halfway through the simulation</h3>\n<div class="pictures">{"".join(shown)}</div>\n'


def _picture(subject: Subject, row: Row, png: bytes, when: str) -> str:
    data = base64.b64encode(png).decode()
    if row.method == INPUT:
        label, size = "input", counted(subject.faces or 0, "face")
    else:
        label, size = row.label, f"{counted(row.shapes or 0, 'shape')}, {row.bytes:,} bytes"
    alt = f"{subject.name}: {label}, {size}{when}"
    about = escaped(label) if when else f"<b>{escaped(label)}</b>{escaped(size)}"
    width, height = PICTURE
    return (
        f'<figure><img src="data:image/png;base64,{data}" alt="{escaped(alt)}" width="{width}" '
        f'height="{height}">'
        f"<figcaption>{about}</figcaption></figure>"
    )


def _table(subject: Subject, colors: dict[str, int]) -> str:
    shown = [c for c in COLUMNS if any(getattr(row, c.field) is not None for row in subject.rows)]
    best = {c.field: winners(subject.rows, c.field) for c in shown if c.field in LOWEST_WINS}
    rows = [_table_row(row, shown, best, colors) for row in [*subject.rows[1:], subject.rows[0]]]
    groups = list(dict.fromkeys(c.group for c in shown))
    spans = "".join(
        f'<th class="group" scope="colgroup" colspan="{sum(c.group == group for c in shown)}">{group}</th>'
        for group in groups
    )
    heads = "".join(f'<th scope="col">{c.name}</th>' for c in shown)
    table = (
        f'<table><thead><tr><td></td>{spans}</tr><tr><th scope="col">Method</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    return _scrolling(table, f"Measures, {subject.name}")


def _table_row(row: Row, shown: Sequence[Column], best: dict[str, set[str]], colors: dict[str, int]) -> str:
    head = _method_cell(row.label, colors[row.method])
    if row.error is not None:
        return f'<tr>{head}<td class="failed" colspan="{len(shown)}">{escaped(row.error)}</td></tr>'
    cells = []
    for column in shown:
        value = getattr(row, column.field)
        if value is None:
            cells.append(_NO_VALUE)
        else:
            cells.append(_cell(column.write(value), row.method in best.get(column.field, ())))
    kind = ' class="reference"' if row.method == INPUT else ""
    return f"<tr{kind}>{head}{''.join(cells)}</tr>"


def _method_cell(label: str, color: int) -> str:
    swatch = "series-grey" if color == plots.GREY else f"series-{color % plots.SERIES}"
    return f'<th scope="row"><span class="swatch {swatch}"></span>{escaped(label)}</th>'


def _cell(text: str, best: bool) -> str:
    if not best:
        return f"<td>{text}</td>"
    return f'<td class="best"><span class="pill">{text}<span class="sr"> (best)</span></span></td>'


def _plots(subject: Subject, colors: dict[str, int]) -> str:
    figures = [_over_bytes(subject, colors, "outer_mean", "Mean distance over bytes")]
    figures.append(_over_bytes(subject, colors, "outer_hausdorff", "Largest distance over bytes"))
    figures.append(_over_frames(subject, colors))
    shown = "".join(figures)
    return f'<div class="plots">{shown}</div>\n' if shown else ""


def _over_bytes(subject: Subject, colors: dict[str, int], field: str, title: str) -> str:
    hitbox = next((m for m in colors if m.startswith("hitbox")), INPUT)
    levels = [level for level in subject.levels if getattr(level, field) is not None]
    series = [
        Series(
            f"hitbox, {LEVELS[0]} to {LEVELS[-1]} shapes",
            [level.bytes for level in levels],
            [getattr(level, field) for level in levels],
            colors[hitbox],
        )
    ]
    for row in subject.answered:
        if row.bytes is not None and getattr(row, field) is not None:
            series.append(
                Series(row.label, [row.bytes], [getattr(row, field)], colors[row.method], line=False)
            )
    axes = Axis("bytes", log=True), Axis("% of the diagonal", log=True)
    about = f"{title}, outer surface, % of the diagonal"
    return _figure(f"{subject.name}: {about}", about, axes, series)


def _over_frames(subject: Subject, colors: dict[str, int]) -> str:
    series = []
    for row in subject.rows:
        if row.frame_ms is not None and len(row.frame_ms):
            label = "input, as a trimesh" if row.method == INPUT else row.label
            series.append(Series(label, *plots.smoothed(row.frame_ms), colors[row.method]))
    about = "Time of a frame, ms, smoothed"
    return _figure(f"{subject.name}: {about}", about, (Axis("frame"), Axis("ms")), series)


def _figure(name: str, about: str, axes: tuple[Axis, Axis], series: Sequence[Series]) -> str:
    drawn = plots.plot(name, *axes, series)
    if not drawn:
        return ""
    return f"<figure><figcaption>{escaped(about)}</figcaption>{drawn}{plots.legend(series)}</figure>"


def _row_notes(subject: Subject) -> list[str]:
    notes = []
    for row in subject.rows:
        notes += [f"{row.label}: {note}" for note in row.notes[:_MOST_NOTES]]
        if len(row.notes) > _MOST_NOTES:
            notes.append(f"{row.label}: and {len(row.notes) - _MOST_NOTES:,} more notes in the CSV")
    return notes


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    return f'<ul class="notes">{"".join(f"<li>{escaped(note)}</li>" for note in notes)}</ul>\n'


def _scrolling(table: str, name: str) -> str:
    """Wrap a table in a frame of its own that scrolls sideways; the page itself never does."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(name)}">{table}</div>\n'


def _footer(comparison: Comparison) -> str:
    settings = comparison.settings
    facts = [
        f"{settings['samples']:,} samples per distance",
        f"limits per run: {settings['timeout']:g} s, {settings['memory']:g} GiB",
    ]
    if settings["simulated"]:
        facts.append(f"{settings['balls']:,} balls over {settings['frames']:,} frames")
    return f"<footer><p>{escaped('; '.join(facts))}. All methods run with their defaults.</p></footer>"


def escaped(text: str) -> str:
    return html.escape(text, quote=True)
