"""The core as an engine uses it: installed with CMake, found with find_package, linked without Python."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tool(name: str) -> str | None:
    """Look beside this Python first, where `make test` installs it."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


@pytest.mark.builds
@pytest.mark.skipif(tool("cmake") is None, reason="needs cmake")
def test_another_project_links_the_installed_core(tmp_path):
    prefix, consumer = tmp_path / "prefix", tmp_path / "consumer"
    build = ROOT / "build" / "core"  # kept, so that only changed files are compiled again
    ninja = tool("ninja")
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []

    def cmake(*arguments):
        command = [tool("cmake"), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    cmake("-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", "-DHITBOX_PRECOMPILE=ON", *generator)
    cmake("--build", build, "--parallel", 2)
    cmake("--install", build, "--prefix", prefix)
    public = ROOT / "core" / "include"
    assert {path.relative_to(prefix / "include") for path in prefix.glob("include/**/*.hpp")} == {
        path.relative_to(public) for path in public.rglob("*.hpp")
    }
    cmake("-S", ROOT / "examples" / "link_core", "-B", consumer, f"-DCMAKE_PREFIX_PATH={prefix}", *generator)
    cmake("--build", consumer)
    done = subprocess.run([consumer / "link_core"], capture_output=True, text=True, check=True)
    assert done.stdout == "box 48.000000\n"
