"""Guarantees of the package itself: a light import, no OpenMP, and a public interface that exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hitbox

ROOT = Path(__file__).parent.parent


def in_a_new_process(code: str, **environment: str) -> str:
    run = [sys.executable, "-c", code]
    return subprocess.run(
        run, capture_output=True, text=True, check=True, timeout=300, env={**os.environ, **environment}
    ).stdout


def test_the_public_surface_is_all_there():
    assert sorted(hitbox.__all__) == hitbox.__all__
    for name in hitbox.__all__:
        assert getattr(hitbox, name) is not None
    assert hitbox.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = hitbox.no_such_name


def test_importing_hitbox_pulls_in_numpy_and_nothing_heavier():
    loaded = set(in_a_new_process("import sys, hitbox; print(*sys.modules)").split())
    assert "numpy" in loaded
    heavy = {"scipy", "trimesh", "pyvista", "vtk", "vtkmodules", "click", "rich", "PIL", "matplotlib"}
    assert not {name.split(".")[0] for name in loaded} & heavy


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_openmp_runtime_comes_with_the_extension():
    code = (
        "import hitbox; hitbox.fit(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), 1)\n"
        "import sys; sys.stdout.write(open('/proc/self/maps').read())"
    )
    libraries = in_a_new_process(code)
    assert "_core" in libraries
    for runtime in ("libgomp", "libiomp", "libomp"):
        assert runtime not in libraries


@pytest.mark.skipif(not (ROOT / "core").is_dir(), reason="needs the sources")
def test_one_file_of_the_core_starts_threads():
    starters = re.compile(
        r"#include <(thread|mutex|shared_mutex|condition_variable|future|semaphore|barrier|latch)>"
    )
    folders = (ROOT / "core" / "include", ROOT / "core" / "src", ROOT / "bindings")
    files = [file for folder in folders for file in folder.rglob("*.[ch]pp")]
    assert len(files) > 100
    found = [file.name for file in files if starters.search(file.read_text(encoding="utf-8"))]
    assert found == ["threads.cpp"]


@pytest.mark.skipif(not (ROOT / "core").is_dir(), reason="needs the sources")
def test_one_room_of_the_core_opens_paths():
    opens = re.compile(r"#include <(filesystem|fstream|fcntl\.h|sys/stat\.h)>|\bf(?:re)?open\(")
    files = [file for name in ("include", "src") for file in (ROOT / "core" / name).rglob("*.[ch]pp")]
    found = {file.parent.name for file in files if opens.search(file.read_text(encoding="utf-8"))}
    assert found == {"files"}


@pytest.mark.skipif(sys.platform != "linux", reason="forks, and reads /proc")
def test_threads_end_with_the_call_so_a_process_may_fork_after_it():
    code = (
        "import hitbox, os\n"
        "mesh = hitbox.Sphere((0, 0, 0), 1).to_mesh(24)\n"
        "before = list(hitbox.fit(mesh, 8, threads=4))\n"
        "assert len(os.listdir('/proc/self/task')) == 1, os.listdir('/proc/self/task')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if list(hitbox.fit(mesh, 8, threads=4)) == before else 7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert in_a_new_process(code, OPENBLAS_NUM_THREADS="1") == "0\n"
