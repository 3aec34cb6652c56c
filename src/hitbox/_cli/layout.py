"""Plain text for the terminal: a bold title, rows of a name and a text, paragraphs."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence

import rich_click as click

_INDENT = "  "
_WIDEST = 100  # longer lines are hard to read
_NARROWEST = 8  # of the names, so that the rows of different commands line up


def print_title(text: str) -> None:
    click.secho(click.format_filename(text), bold=True)


def print_rows(rows: Sequence[tuple[str, str]]) -> None:
    """Print one name per row. Long texts continue below, aligned with the first words."""
    width = max(_NARROWEST, *(len(name) for name, _ in rows))
    last = None
    for name, text in rows:
        shown = "" if name == last else name  # do not repeat the name of the row above
        last = name
        print_wrapped(text, f"{_INDENT}{shown:<{width}}  ", " " * (len(_INDENT) + width + 2))


def print_wrapped(text: str, first: str = _INDENT, rest: str = _INDENT) -> None:
    columns = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    wrapped = textwrap.fill(
        click.format_filename(text),
        max(columns, len(first) + 20),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,  # a path must stay whole to be copied
        break_on_hyphens=False,
    )
    click.echo(wrapped)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with a bold head, the first column aligned left, numbers right."""
    lines = [[click.format_filename(cell) for cell in line] for line in (head, *rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    for number, line in enumerate(lines):
        first, *others = (f"{cell:{'>' if k else '<'}{widths[k]}}" for k, cell in enumerate(line))
        click.secho(_INDENT + "  ".join([first, *others]), bold=number == 0)
