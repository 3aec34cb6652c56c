"""The wheel and the source archive that users get. Tests run hitbox from src/, so both are compared with
it.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core", exc_type=ImportError)

ROOT = Path(__file__).parent.parent
MADE = ("__pycache__", "_core.")  # parts of the names of what a build leaves in src/


def build(what: str, to: Path, **settings: str) -> Path:
    """A wheel or sdist; by a new process, as building needs the root as its working directory."""
    code = (
        "import sys; from scikit_build_core.build import build_wheel, build_sdist\n"
        f"print({what}(sys.argv[1], {settings!r}), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, str(to)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return to / done.stderr.splitlines()[-1]


def tree(*folders: str) -> set[str]:
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    names = (path.relative_to(ROOT).as_posix() for path in files)
    return {name for name in names if not any(part in name for part in MADE)}


def test_a_wheel_has_every_file_of_the_package_and_the_command(tmp_path):
    """Without CMake: the extension is the only file that it adds."""
    with zipfile.ZipFile(build("build_wheel", tmp_path, **{"wheel.cmake": "false"})) as wheel:
        names = set(wheel.namelist())
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        assert "hitbox = hitbox._cli:main" in wheel.read(entry_points).decode()
    packed = {name for name in names if ".dist-info/" not in name}
    assert packed == {name.removeprefix("src/") for name in tree("src")}


def test_a_source_archive_has_all_that_a_build_needs(tmp_path):
    with tarfile.open(build("build_sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"}
    assert names >= needed | tree("src", "core", "bindings", "cmake")
    assert not [name for name in names if name.startswith((".ci", ".venv", "build/", "benchmarks/results"))]
