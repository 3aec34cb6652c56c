"""Numbers, lists and names as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
