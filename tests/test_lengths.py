from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES, parse_length

lengths = st.just(0.0) | st.floats(1e-200, 1e30)


@given(lengths)
def test_numbers_are_mesh_units_in_any_dress(value: float) -> None:
    for dress in (value, repr(value), f" {value!r} ", f"+{value!r}", np.float64(value)):
        assert parse_length(dress, 7.0, "mm") == value


@given(lengths, st.floats(1e-30, 1e30))
def test_percent_is_of_the_diagonal(value: float, diagonal: float) -> None:
    assert math.isclose(parse_length(f"{value!r}%", diagonal), value * diagonal / 100, rel_tol=1e-14)


@given(lengths, st.sampled_from(list(METRES)), st.sampled_from(list(METRES)))
def test_units_convert_there_and_back(value: float, unit: str, mesh_unit: str) -> None:
    there = parse_length(f"{value!r}{unit}", 1.0, mesh_unit)
    assert math.isclose(parse_length(f"{there!r} {mesh_unit.upper()}", 1.0, unit), value, rel_tol=1e-12)


def test_an_unknown_mesh_unit_is_metres() -> None:
    assert parse_length("5mm", 1.0) == parse_length("5mm", 1.0, "m") == 0.005
    assert parse_length("1in", 1.0, "mm") == pytest.approx(25.4)
    assert parse_length(3, 1.0) == 3.0


@pytest.mark.parametrize(
    "wrong", ["", "%", "mm", "1 2", "1%%", "0x10", "one", "1,5", "nan", "inf", None, True, [], 1j]
)
def test_what_is_no_length_is_refused_by_its_name(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^radius: .*not a length"):
        parse_length(wrong, 1.0, name="radius")  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, "-1%", math.nan, math.inf, "1e999", "-0.1mm"])
def test_lengths_are_finite_and_not_negative(wrong: float | str) -> None:
    with pytest.raises(InputError, match="0 or more"):
        parse_length(wrong, 1.0)


@given(lengths, st.sampled_from(["", "%", "mm"]))
def test_signed_lengths_may_be_negative_and_must_be_finite(value: float, unit: str) -> None:
    there = parse_length(f"{value!r}{unit}", 3.0, "cm")
    assert parse_length(f"-{value!r}{unit}", 3.0, "cm", signed=True) == -there
    assert parse_length(f"{value!r}{unit}", 3.0, "cm", signed=True) == there
    assert parse_length(-value, 3.0, signed=True) == -value
    for wrong in (math.nan, -math.inf, "-1e999"):
        with pytest.raises(InputError, match=r"must be a finite length\.$"):
            parse_length(wrong, 1.0, signed=True)


def test_unknown_units_list_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'parsec'.*mm, cm, m, km, in, ft"):
        parse_length("5 parsec", 1.0)
