"""Runs the tests of one name, in either language.

make t NAME=sphere_is_round          part of a test's name
make t NAME=tests/test_mesh.py       a file, or a test of it as pytest names it (tests/test_mesh.py::test_x)
make t NAME=geometry/hull_test.cpp   a file or a folder of core/tests
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from check import ROOT, TESTS, tool


def main() -> int:
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if not name:
        sys.exit((__doc__ or "").strip())
    name = name.removeprefix("core/tests/")
    commands = [command for command in (cpp_command(name), python_command(name)) if command]
    if not commands:
        sys.exit(f"no test in C++ or Python has {name!r} in its name")
    return max(subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands)


def cpp_command(name: str) -> list[str] | None:
    listed = subprocess.run([TESTS, "--list", name], stdout=subprocess.PIPE, text=True, check=False).stdout
    return [str(TESTS), name] if listed else None


def python_command(name: str) -> list[str] | None:
    if (ROOT / name.split("::")[0]).exists() and name.startswith("tests"):
        return [*tool("pytest"), name]
    has_it = re.compile(rf"^\s*def test_\w*{re.escape(name)}|^\s*def {re.escape(name)}", re.MULTILINE)
    files = [path for path in sorted((ROOT / "tests").glob("test_*.py")) if has_it.search(read(path))]
    return [*tool("pytest"), "-k", name, *map(str, files)] if files else None


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
