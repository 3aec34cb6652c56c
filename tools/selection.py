"""Which tests judge a file: by its name and its folder's name, so that a new file needs no entry here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Where names do not lead to the tests: part of a path -> the tests, as test_<name>*.py.
ALSO = {
    "core/include": ("link_core",),
    "core/src/api": ("link_core",),
    "core/src/base": ("fit_stopping",),
    "core/src/bvh": ("evaluate",),
    "core/src/files": ("formats_reading",),
    "core/src/geometry": ("convex_hull",),
    "core/src/hulls": ("capped_hull", "carve"),
    "core/src/io": ("formats_reading",),
    "core/src/measure": ("evaluate", "certify"),
    "core/src/parts": ("carve",),
    "core/src/primitives": ("fit_simple",),
    "core/src/recognise": ("fit_simple",),
    "src/hitbox/_base": ("bad_input",),
    "src/hitbox/_cli": ("cli",),
    "src/hitbox/_compare": ("compare",),
    "src/hitbox/_formats": ("formats", "collider"),
    "src/hitbox/_model": ("collider", "mesh"),
    "benchmarks": ("stale", "same_bytes"),
    "docs": ("readme",),
    "docs/cpp.md": ("link_core",),
    "examples": ("link_core", "readme"),
    "tools": ("selection",),
}
# A quick look at everything, for sources that lead nowhere else.
FALLBACK = ("mesh", "cli")
# These take seconds and look at the whole tree: they always run.
ALWAYS = ("house", "documents", "one_definition", "words")


@dataclass(frozen=True)
class Selection:
    """pytest's files, and the filters of the C++ test runner."""

    python: tuple[str, ...]
    cpp: tuple[str, ...]


def select(changed: Iterable[str]) -> Selection:
    """The tests of files, given relative to the root. Unknown files add nothing to those that always run."""
    python, cpp = set(_named(ALWAYS)), set()
    for path in map(Path, changed):
        python |= _python_tests(path)
        cpp |= _cpp_filters(path)
    return Selection(tuple(sorted(python)), tuple(sorted(cpp)))


def _python_tests(path: Path) -> set[str]:
    posix = path.as_posix()
    if posix == "tests/conftest.py":
        return _test_files()
    if path.parts[0] == "tests":
        return {posix} & _test_files() if path.name.startswith("test_") else _users_of(path.stem)
    known = {name for part, names in ALSO.items() if posix.startswith(part) for name in names}
    found = _named(known | _words(path))
    return found or (_named(FALLBACK) if path.parts[0] in ("core", "bindings", "src") else set())


def _cpp_filters(path: Path) -> set[str]:
    """A folder's tests for a source of it or what its tests share, a file's own tests for a test."""
    parts = path.parts
    if path.suffix not in (".cpp", ".hpp") or parts[0] != "core":
        return set()
    if parts[1] == "tests":
        folder = "".join(f"{part}/" for part in parts[2:-1])
        return {folder + path.name if path.name.endswith("_test.cpp") else folder}
    folder = parts[2] if parts[1] == "src" else path.stem
    return {f"{folder}/"} if (ROOT / "core" / "tests" / folder).is_dir() else {""}


def _words(path: Path) -> set[str]:
    """The names that a file and its folders may have given to a test: _methods/carve.py -> carve."""
    if path.parts[0] not in ("core", "bindings", "src", "benchmarks", "docs"):
        return set()
    inside = [part.strip("_") for part in (*path.parent.parts[1:], path.stem)]
    return {word for word in inside if word not in ("src", "include", "hitbox", "init", "main", "results")}


def _named(names: Iterable[str]) -> set[str]:
    return {f"tests/{path.name}" for name in names for path in (ROOT / "tests").glob(f"test_{name}*.py")}


def _test_files() -> set[str]:
    return _named([""])


def _users_of(module: str) -> set[str]:
    """The tests that import a module which tests share."""
    imports = re.compile(rf"^\s*(import|from) {re.escape(module)}\b", re.MULTILINE)
    return {name for name in _test_files() if imports.search((ROOT / name).read_text(encoding="utf-8"))}
