"""docs/glossary.md: its words are those of the verbs and options."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import hitbox
from hitbox._methods.run import VERBS
from hitbox._model.shapes import KINDS

GLOSSARY = Path(__file__).parent.parent / "docs" / "glossary.md"


def rows(title: str) -> dict[str, list[str]]:
    """The other cells of each row of a section's table, by its first cell; a row may name several words."""
    section = GLOSSARY.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    found = {}
    for line in section.splitlines():
        words, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|"):
            found |= {word.strip(): cells for word in words.split(",")}
    return found


def test_every_option_that_verbs_share_has_a_row():
    counts = Counter(name for verb in VERBS.values() for name in verb.options.declarations())
    shared = {name for name, count in counts.items() if count > 1}
    assert shared - set(rows("Options")) == set()


@pytest.mark.parametrize("verb", VERBS)
def test_old_names_are_those_that_still_work(verb):
    for name, declared in VERBS[verb].options.declarations().items():
        for old in filter(None, (declared.was, declared.was_flag)):
            if old.startswith("--") and declared.was and declared.was != name:
                continue  # the flag of an old keyword, which the row names
            assert f"`{old}`" in rows("Options")[name][-1], (name, old)


def test_every_name_in_the_last_column_is_an_old_one():
    declared = [d for verb in VERBS.values() for d in verb.options.declarations().values()]
    old = {d.was for d in declared} | {d.was_flag for d in declared}
    for cells in rows("Options").values():
        for name in re.findall(r"`([^`]+)`", cells[-1]):
            assert name in old or name in VERBS, name


def test_verbs_and_kinds_have_rows():
    verbs = set(rows("Verbs")) - {"word", "---"}
    assert set(VERBS) - verbs <= {"navigable_space"}  # a thing: the verb makes it
    assert all(hasattr(hitbox, name) for name in verbs)
    kinds = rows("Things")["shape"][0]
    assert all(kind in kinds for kind in KINDS)
