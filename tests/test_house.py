"""What the package promises about itself: a light import, no OpenMP, and a public surface that exists."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hitbox


def in_a_new_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


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
