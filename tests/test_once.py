"""Work is done once: the check of a file that was read, cleaning, the proof that a hull is convex."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mesh_files
import numpy as np
import pytest
import specimens
from hypothesis import given

import hitbox
from hitbox._base import files
from hitbox._formats import sidecar_files
from hitbox._model import mesh as mesh_module
from hitbox._model import shapes as shapes_module
from hitbox._model.collider import Collider, Label
from hitbox._model.mesh import Mesh


class _Counting:
    """The core, with the calls of its functions counted by name."""

    def __init__(self, core: Any) -> None:
        self.core, self.calls = core, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self.core, name)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counting = _Counting(mesh_module._core)
    monkeypatch.setattr(mesh_module, "_core", counting)
    return counting.calls


def _files(mesh: Mesh) -> dict[str, bytes]:
    polygons, triangles = specimens.polygons_of(mesh), mesh.triangles
    return {
        ".obj": mesh_files.obj(mesh.vertices, polygons),
        ".off": mesh_files.off(mesh.vertices, polygons),
        ".stl": mesh_files.stl(mesh.vertices, triangles),
        ".glb": mesh_files.gltf_of(mesh.vertices, triangles).glb(),
    }


@pytest.mark.parametrize("suffix", [".obj", ".off", ".stl", ".glb"])
def test_a_file_is_checked_where_it_is_read_and_nowhere_else(
    suffix: str, tmp_path: Path, calls: Counter[str]
) -> None:
    path = tmp_path / f"mesh{suffix}"
    path.write_bytes(_files(specimens.torus())[suffix])
    calls.clear()
    read = hitbox.load(path)
    assert calls["check_mesh"] == 0
    made = Mesh(read.vertices, specimens.polygons_of(read), **read._known())
    assert calls["check_mesh"] == 1
    assert read == made
    assert pickle.loads(pickle.dumps(read)) == made
    assert np.array_equal(read.bounds, made.bounds)
    assert read.diagonal == made.diagonal


@pytest.mark.parametrize("suffix", [".obj", ".off", ".stl", ".glb"])
def test_arrays_of_a_file_cannot_be_written_to(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"mesh{suffix}"
    path.write_bytes(_files(specimens.torus())[suffix])
    mesh = hitbox.load(path)
    clean, _ = mesh.clean()
    for one in (mesh, clean):
        for array in (one.vertices, one.indices, one.offsets, one.bounds, one.part, one.material):
            assert array is None or not array.flags.writeable


@pytest.mark.parametrize("weld", ["exact", "off"])
@pytest.mark.parametrize("make", [specimens.torus, lambda: specimens.with_split_vertices(specimens.torus())])
def test_a_mesh_is_cleaned_once(make: Callable[[], Mesh], weld: Any, calls: Counter[str]) -> None:
    mesh = make()
    clean, report = mesh.clean(weld)
    again, report_again = mesh.clean(weld)
    assert again is clean
    assert report_again == report
    assert calls["clean_mesh"] == 1


def test_verbs_share_what_cleaning_gave(calls: Counter[str]) -> None:
    mesh = specimens.with_split_vertices(specimens.torus())
    hitbox.fit(mesh, 4)
    hitbox.fit(mesh, 2)
    hitbox.fit_spheres(mesh, 4)
    assert calls["clean_mesh"] == 1


@given(specimens.ugly_meshes())
def test_a_clean_mesh_knows_what_cleaning_it_again_would_say(mesh: Mesh) -> None:
    clean, _ = mesh.clean()
    known = clean.clean()
    forgetful = Mesh._from_arrays(
        clean.vertices.copy(), clean.indices.copy(), clean.offsets.copy(), **clean._known()
    )
    found = forgetful.clean()
    assert known[1] == found[1]
    assert not found[1].changed
    assert known[0] == found[0] == clean
    assert np.array_equal(clean.bounds, forgetful.bounds)
    assert clean.diagonal == forgetful.diagonal


def test_what_cleaning_gave_goes_with_its_mesh() -> None:
    """No mesh keeps itself alive."""
    import gc
    import weakref

    class Watched(Mesh):
        __slots__ = ("__weakref__",)

    for made in (specimens.torus(), specimens.with_split_vertices(specimens.torus())):
        mesh = Watched(made.vertices, specimens.polygons_of(made))
        mesh.clean()
        seen = weakref.ref(mesh)
        gc.disable()
        try:
            del mesh
            assert seen() is None
        finally:
            gc.enable()


def test_labels_share_the_faces_that_the_core_gave() -> None:
    collider = hitbox.fit(specimens.torus(), 4)
    owned = [label.faces for label in collider.labels if label.faces is not None]
    assert len(owned) == len(collider) > 1
    assert not any(faces.flags.writeable for faces in owned)
    assert all(faces.base is owned[0].base is not None for faces in owned)


def test_a_label_copies_faces_that_somebody_may_write_to() -> None:
    faces = np.arange(6, dtype=np.uint32)
    seen_through = faces[1:4]
    seen_through.flags.writeable = False
    labels = [Label(faces=given) for given in (faces, seen_through, [3, 4])]
    faces[:] = 0
    assert [label.faces.tolist() for label in labels if label.faces is not None] == [
        [0, 1, 2, 3, 4, 5], [1, 2, 3], [3, 4]
    ]  # fmt: skip
    faces.flags.writeable = False
    assert Label(faces=faces).faces is faces


MOST_BYTES_PER_FACE = (
    500  # with the mesh itself, which has 28. benchmarks/results/costs.md has a larger mesh.
)
_PEAK = """
import resource
import numpy as np
import hitbox
u, v = np.meshgrid(np.arange({side}), np.arange({side}), indexing="ij")
s, t = 2 * np.pi * u.ravel() / {side}, 2 * np.pi * v.ravel() / {side}
away = 2 + (0.5 + 0.1 * np.sin(9 * s + 5 * t)) * np.cos(t)
points = np.stack([away * np.cos(s), away * np.sin(s), 0.5 * np.sin(t)], axis=1)
place = lambda i, j: (i % {side} * {side} + j % {side}).ravel()
a, b, c, d = place(u, v), place(u + 1, v), place(u + 1, v + 1), place(u, v + 1)
faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
mesh = hitbox.Mesh(points, faces.astype(np.uint32))
hitbox.fit(mesh, 16, preset="fast", threads=1)
print(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, mesh.face_count)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss counts kilobytes on Linux alone")
def test_fit_needs_little_memory_for_each_face() -> None:
    """The memory that a process needs for a mesh of any size does not count."""
    peaks = []
    for side in (200, 450):
        command = [sys.executable, "-c", _PEAK.format(side=side)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append([int(word) for word in done.stdout.split()])
    (small, few), (large, many) = peaks
    assert (large - small) / (many - few) < MOST_BYTES_PER_FACE


def _hulls(count: int) -> Collider:
    """Hulls of random points, in a unit and with an up axis that URDF does not have."""
    clouds = np.random.default_rng(5).normal(size=(count, 20, 3)) + np.arange(count)[:, None, None]
    made = Collider.of([(cloud, np.stack([0 * _FAN, _FAN, _FAN + 1], axis=1)) for cloud in clouds])
    return Collider(made.shapes, unit="mm", up="y")


_FAN = np.arange(1, 19)


def test_a_hull_is_proved_convex_where_it_comes_in_and_not_when_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proofs = []
    prove = shapes_module.hull_fault
    monkeypatch.setattr(shapes_module, "hull_fault", lambda *hull: proofs.append(hull) or prove(*hull))
    hulls = _hulls(6)
    given = Collider([hitbox.Hull(hull.vertices, hull.triangles) for hull in hulls], unit="mm", up="y")
    assert len(proofs) == 6
    for suffix in ("urdf", "xml", "sdf", "obj", "glb", "json"):
        given.save(tmp_path / f"hulls.{suffix}")
    assert len(proofs) == 6


def test_a_hull_is_placed_and_written_as_text_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[str]()

    def counted(module: Any, name: str) -> None:
        inner = getattr(module, name)

        def outer(*arguments: Any) -> Any:
            calls[name] += 1
            return inner(*arguments)

        monkeypatch.setattr(module, name, outer)

    counted(sidecar_files, "local_and_pose")
    counted(sidecar_files, "obj_bytes")
    _hulls(6).save(tmp_path / "hulls.urdf")
    assert calls == {"local_and_pose": 6, "obj_bytes": 6}


def test_the_folder_of_many_files_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = Counter[str]()
    real = os.path.realpath

    def counted(path: str) -> str:
        looked_up[path] += 1
        return real(path)

    monkeypatch.setattr(files.os.path, "realpath", counted)
    (tmp_path / "many").mkdir()
    files.replace_files([(tmp_path / "many" / f"{k}.txt", b"") for k in range(20)])
    assert looked_up == {str(tmp_path / "many"): 1}
    assert len(os.listdir(tmp_path / "many")) == 20
