"""Numbers, lists and names as people write them, and prose without habits that make it hard to read."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prose import Text, texts

from hitbox._base.text import counted, distinct_names, listed, percent


@given(st.lists(st.text(alphabet="ab/.", min_size=1, max_size=8), min_size=1, max_size=8))
def test_names_are_distinct(paths):
    names = distinct_names(["/" + path for path in paths])
    assert len(set(names)) == len(paths)


def test_names_are_short():
    assert distinct_names(["/x/a.obj", "/y/b.obj"]) == ["a.obj", "b.obj"]
    assert distinct_names(["/x/p/a.obj", "/x/q/a.obj", "/x/c.obj"]) == ["p/a.obj", "q/a.obj", "c.obj"]
    assert distinct_names(["/x/a.obj", "/x/a.obj"])[1].endswith("a.obj (2)")


@given(st.floats(0, 100))
def test_a_percentage_is_right_to_three_digits_or_a_millionth(value):
    number, unit = percent(value).split()
    assert unit == "%"
    assert abs(float(number) / 100 - value) <= max(0.006 * value, 1e-6)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0 %"), (9e-7, "0 %"), (1.2e-5, "0.0012 %"), (0.001, "0.100 %"), (0.0123, "1.23 %"), (1, "100.0 %")],
)
def test_percentages(value, said):
    assert percent(value) == said


def test_counts_and_lists():
    assert [counted(n, "box") for n in (0, 1, 1200)] == ["no boxes", "1 box", "1,200 boxes"]
    assert counted(2, "body", "bodies") == "2 bodies"
    assert [listed(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_lists_read_as_sentences(words):
    said = listed(words)
    assert said.startswith(words[0])
    assert said.endswith(words[-1])
    assert len(said) == sum(map(len, words)) + 2 * max(0, len(words) - 2) + (5 if len(words) > 1 else 0)


class Habit(NamedTuple):
    """A pattern of prose that is hard to read, an example of it, and a better text."""

    pattern: str
    wrong: str
    better: str


_COUNTED = (
    "asset|ball|case|cell|cluster|core|corner|cube|edge|face|facet|file|fit|format|frame|group|hull|item|kind|"
    "layer|level|line|link|mesh|module|node|part|patch|peer|piece|point|quad|query|question|row|run|sample|"
    "second|shape|side|sphere|spoke|step|task|thread|triangle|verb|vertex|worker"
)
_SUBJECT = (
    r"(?:it|they|one|others?|has|have|lies?|is|are|was|were|comes?|came|an?|the|[a-z]+ (?:is|are|has|have))"
)
HABITS = [
    Habit(
        rf"\b(?:one|two|three|four|six|nine|\d[\d.]*(?: (?:[mnu]?s|µs|bytes|seconds?|CPU s))?|a minute|"
        rf"seconds?|numbers?|bytes|threads) an? (?:{_COUNTED})\b",
        "one number a face",
        "one number per face",
    ),
    Habit(
        r"\b(?:is|are|be) said\b",
        "The up axis is said, not turned.",
        "hitbox reports the up axis but does not rotate.",
    ),
    Habit(r"\b(?:is|are|be) asked\b", "A hull is asked by its facets.", "A hull uses its facets."),
    Habit(
        r"\bnobody\b|\bno one\b|\banybody\b",
        "What nobody gets to is filled.",
        "Unreachable space may be filled.",
    ),
    Habit(
        rf"(?:^|[.:;] )What {_SUBJECT}\b[^?]*$",
        "What lies inside it does not count.",
        "Points inside it do not count.",
    ),
    Habit(
        r"^(?:Of|Of an?|Of the) (?!(?:these|those|several)\b)[^,]*$",
        "Of the search.",
        "Random seed of the search.",
    ),
    Habit(
        r"\bwhere (?:there (?:is|are)|it has) (?:none|one)\b",
        "its name, where there is one",
        "its name, or None",
    ),
    Habit(r"\bas it is(?: already)?[.,;]", "A shape is kept as it is.", "A shape is kept unchanged."),
    Habit(r"\bbut for\b", "The same but for its name.", "The same except for its name."),
    Habit(r"\bhangs? together\b|\bfalls? apart\b", "Faces that hang together.", "Faces that are connected."),
    Habit(r"\bmakes? way\b", "Balls make way for smaller ones.", "Smaller balls replace them."),
    Habit(r"\bwithout a word\b", "It is dropped without a word.", "It is dropped silently."),
    Habit(r"\b(?:S|s)ome \d", "It takes some 0.1 ms.", "It takes about 0.1 ms."),
    Habit(r"\bthere twice\b", "Faces that are there twice.", "Duplicate faces."),
    Habit(r"\bwhatever (?:it|they|that) (?:is|are|was|takes)\b", "A shape, whatever it is.", "Any shape."),
    Habit(r"\bgets? to\b", "where a ball gets to", "where a ball can go"),
    Habit(r"\b(?:goes|went|gone) along\b", "The SRDF goes along.", "hitbox copies the SRDF."),
]
# A docstring starts with a verb, or names a thing. These words start a clause without a subject.
FRAGMENT = re.compile(r"(?:What|How|Where|Who|Of) (?!.*\?)")
# Texts that a pattern finds although they are good, by path.
ALLOWED: dict[str, tuple[str, ...]] = {
    "tests/carve_judge.py": ("at 1 a hull contains a centre",),
    "tests/test_words.py": ("",),  # the examples themselves
}


@pytest.fixture(scope="module")
def every_text():
    return texts()


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.better)
def test_a_pattern_finds_its_example(habit):
    assert re.search(habit.pattern, habit.wrong)
    assert not re.search(habit.pattern, habit.better)


@pytest.mark.parametrize("habit", HABITS, ids=lambda habit: habit.better)
def test_no_text_has_a_bad_habit(habit, every_text):
    found = [text for text in every_text if re.search(habit.pattern, text.words) and not is_allowed(text)]
    assert not found, "\n".join([f"write such as: {habit.better}", *map(str, found)])


def is_allowed(text: Text) -> bool:
    return any(words in text.words for words in ALLOWED.get(text.path, ()))


def test_docstrings_start_with_a_subject_or_a_verb(every_text):
    found = [text for text in every_text if text.kind == "docstring" and FRAGMENT.match(text.words)]
    assert not [text for text in found if not is_allowed(text)], "\n".join(map(str, found))
