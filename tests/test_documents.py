"""The form of documents: no long lines, and a short README and ARCHITECTURE."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COLUMNS = 120
FOLDERS = ("benchmarks", "bindings", "core", "docs", "examples", "src", "tests")
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
)


def long_lines(text: str) -> list[int]:
    """The numbers of lines that are too long and could be broken.

    Rows of tables, blocks of code, and lines of one word (a URL, a link) cannot be broken.
    """
    found, in_code = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        one_word = " " not in re.sub(r"^\s*([-*] |\d+\. )?", "", line)
        if len(line) > COLUMNS and not (in_code or one_word or line.lstrip().startswith("|")):
            found.append(number)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_line_of_a_document_is_too_long(document):
    assert not long_lines(document.read_text(encoding="utf-8")), f"lines above {COLUMNS} columns"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a " * 60, []),
        ("short\n" + "a " * 61, [2]),
        ("  - " + "a " * 61, [1]),
        ("| " + "a " * 61, []),
        ("  | " + "a " * 61, []),
        ("- https://" + "a" * 130, []),
        ("see https://" + "a" * 130, [1]),
        ("```text\n" + "a " * 61 + "\n```\n" + "a " * 61, [4]),
    ],
)
def test_only_lines_that_can_be_broken_are_too_long(text, found):
    assert long_lines(text) == found


@pytest.mark.parametrize(("name", "most"), [("README.md", 110), ("ARCHITECTURE.md", 150)])
def test_a_document_that_everybody_reads_is_short(name, most):
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= most
