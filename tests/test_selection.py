"""make check runs the tests of what changed: every source leads to some."""

from __future__ import annotations

import re

import pytest
from selection import ALSO, ALWAYS, ROOT, select

SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("core/src", "core/include", "bindings", "src/hitbox")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".cpp", ".hpp")
)
QUICK = set(select([]).python)


def test_what_always_runs_is_there():
    assert {re.sub(r"^tests/test_|\.py$", "", name) for name in QUICK} == set(ALWAYS)


def test_every_source_leads_to_tests_of_its_own():
    assert not [name for name in SOURCES if set(select([name]).python) <= QUICK]


def test_every_source_of_the_core_leads_to_tests_in_its_language():
    without = [name for name in SOURCES if name.startswith("core/") and not select([name]).cpp]
    assert SOURCES
    assert not without


@pytest.mark.parametrize("part", ALSO)
def test_a_special_case_names_what_exists(part):
    assert list(ROOT.glob(f"{part}*"))
    for name in ALSO[part]:
        assert list((ROOT / "tests").glob(f"test_{name}*.py")), name


@pytest.mark.parametrize(
    ("changed", "python", "cpp"),
    [
        ("core/src/carve/cut.cpp", "tests/test_carve.py", "carve/"),
        ("core/tests/geometry/hull_test.cpp", None, "geometry/hull_test.cpp"),
        ("core/tests/fit/cost/deviation_test.cpp", None, "fit/cost/deviation_test.cpp"),
        ("core/tests/borders/plane_grid.hpp", None, "borders/"),
        ("core/tests/check.hpp", None, ""),
        ("src/hitbox/_methods/merge.py", "tests/test_merge.py", None),
        ("src/hitbox/_formats/urdf.py", "tests/test_formats_robot.py", None),
        ("src/hitbox/_judges/simulate/world.py", "tests/test_simulate.py", None),
        ("tests/test_mass.py", "tests/test_mass.py", None),
        ("tests/specimens.py", "tests/test_carve.py", None),
        ("docs/fit.md", "tests/test_readme.py", None),
        ("README.md", "tests/test_documents.py", None),
    ],
)
def test_a_change_leads_to_its_tests(changed, python, cpp):
    found = select([changed])
    assert python is None or python in found.python
    assert found.cpp == (() if cpp is None else (cpp,))


def test_a_file_that_is_gone_leads_nowhere():
    assert set(select(["tests/test_of_nothing.py", "LICENSE"]).python) == QUICK
