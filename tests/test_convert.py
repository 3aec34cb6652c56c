"""`hitbox convert`, and fit, carve and merge into several files: either all files appear or none, and all are
reported.
"""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
import specimens
from shape_strategies import one_of_each

from hitbox import Box, Collider, InputError, Mesh, Sphere, convert
from hitbox._cli.app import run
from hitbox._model.collider import Label
from hitbox._model.mass import mass_properties


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Change to a folder with one shape of each kind, a torus and spheres."""
    monkeypatch.chdir(tmp_path)
    Collider(one_of_each(), name="each", unit="m", up="z").save("each.json")
    Collider([Sphere((0, 0, 0), 1), Sphere((1, 0, 0), 0.5)], unit="m", up="z").save("balls.json")
    torus = specimens.torus()
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in torus.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (torus.triangles + 1).tolist()]
    (tmp_path / "torus.obj").write_text("\n".join(lines))
    return tmp_path


def test_the_function_and_the_command_write_the_same_files(folder):
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    assert run(["convert", "each.json", "-o", "a/each.urdf", "--dynamic", "--density", "500"]) == 0
    report = convert("each.json", "b/each.urdf", dynamic=True, density=500)
    assert report.files[0] == "b/each.urdf"
    by_command, by_function = (
        {path.relative_to(folder / name): path.read_bytes() for path in (folder / name).rglob("*.???*")
         if path.is_file()}
        for name in "ab"
    )  # fmt: skip
    assert by_command == by_function
    assert len(by_command) == len(report.files)
    pieces = Collider.load("balls.json").to_hulls()
    convert(pieces, "hulls.json")
    assert Collider.load("hulls.json").counts == {"hull": 2}
    with pytest.raises(InputError, match="no collider can be read"):
        convert("each.docx", "x.urdf")


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def report_of(arguments, capsys):
    assert run([*arguments, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_convert_says_what_it_wrote_and_what_it_replaced(folder, capsys):
    assert run(["convert", "each.json", "-o", "each.urdf", "-o", "each.xml"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "each.urdf: 1 capsule written as 1 cylinder and 2 spheres: together they are one" in shown
    assert "each.xml: 1 frustum written as hulls: the target has no frustum" in shown
    assert "wrote each.urdf each.xml each.urdf_meshes/, 3 files each.xml_meshes/, 3 files" in shown
    report = report_of(["convert", "each.xml", "-o", "again.sdf"], capsys)
    assert report["replaced"] == []
    assert set(report["files"]) == {path for path in files_in(folder) if path.startswith("again")}
    assert len(Collider.load("again.sdf")) == len(one_of_each())


def test_mujoco_opens_what_shows_a_single_triangle(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    collider = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1))])
    report = collider.save(tmp_path / "x.xml", mesh=specimens.triangle())
    assert any("render mesh was left out" in note for note in report.notes)
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml")).ngeom == 1


@pytest.mark.parametrize("file", ["x.xml", "x.urdf"])
def test_mujoco_opens_a_speck_that_moves(tmp_path, file):
    mujoco = pytest.importorskip("mujoco")
    collider = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1e-6, 1e-6, 1e-6))], unit="m")
    report = collider.save(tmp_path / file, dynamic=True)
    assert any("raised to 2e-14" in note for note in report.notes)
    mujoco.MjModel.from_xml_path(str(tmp_path / file))


def test_parts_that_overlap_are_weighed_once(tmp_path):
    """Both cubes are closed, but the sum of their masses is twice as much."""
    cube = specimens.box((2.0, 2.0, 2.0))
    smaller = Mesh(0.999 * cube.vertices, specimens.polygons_of(cube))
    collider = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1))], unit="m")
    report = collider.save(tmp_path / "x.urdf", mesh=specimens.together([cube, smaller]), dynamic=True)
    assert any("parts of the mesh may overlap" in note for note in report.notes)
    assert '<mass value="8000' in (tmp_path / "x.urdf").read_text()


def test_convert_takes_a_format_a_mesh_and_a_density(folder, capsys):
    told = ["--with-mesh", "torus.obj", "--dynamic", "--density", "500"]
    report = report_of(["convert", "each.json", "-o", "each.txt", "--format", "urdf-1.1", *told], capsys)
    assert [one["kind"] for one in report["replaced"]] == ["frustum", "prism"]
    assert report["notes"] == []  # the mass is that of the closed mesh
    text = (folder / "each.txt").read_text()
    assert f'<mass value="{mass_properties(Mesh.of("torus.obj"), 500).mass!r}" />' in text
    assert "<capsule" in text
    np.testing.assert_allclose(Mesh.of("each.txt_meshes/visual.obj").bounds, Mesh.of("torus.obj").bounds)


def test_spheres_go_to_planners_and_other_kinds_are_refused(folder, capsys):
    assert run(["convert", "balls.json", "-o", "balls.srdf", "-o", "balls.yml"]) == 0
    capsys.readouterr()
    before = files_in(folder)
    assert run(["convert", "each.json", "-o", "each.json2", "-o", "each.srdf", "--format", "srdf"]) == 2
    assert "this format has no box. Make the collider of sphere only." in capsys.readouterr().err
    assert files_in(folder) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["each.json"], "Missing option '-o'"),
        (["missing.json", "-o", "x.urdf"], "missing.json: No such file"),
        (["each.json", "-o", "x.blend"], "unknown format '.blend'. Known: .json, .obj"),
        (["each.json", "-o", "x.urdf", "--format", "urfd"], "unknown format 'urfd'. Did you mean 'urdf'?"),
        (["each.json", "-o", "./each.json"], "each.json is the input itself"),
        (["each.json", "-o", "torus.obj", "--with-mesh", "torus.obj"], "torus.obj is the input itself"),
        (["each.json", "-o", "x.urdf", "-o", "./x.urdf"], "two outputs have the same name"),
        (["each.json", "-o", "x.urdf", "--density", "5"], "only a dynamic body has a mass"),
        (["each.json", "-o", "x.urdf", "--density", "-1"], "--density: must be a finite number above 0"),
        (["each.json", "-o", "x.urdf", "--with-mesh", "no.obj"], "no.obj: no such file"),
        (["each.json", "-o", "no/x.urdf"], "No such file or directory"),
        (["each.json", "-o", "x.py", "-o", "x.py.rapier.json"], "x.py.rapier.json would be written twice"),
    ],
)
def test_what_is_wrong_leaves_nothing_behind(folder, capsys, arguments, says):
    before = files_in(folder)
    assert run(["convert", *arguments]) == 2
    captured = capsys.readouterr()
    assert says in captured.err
    assert captured.err.count("\n") == 1
    assert files_in(folder) == before
    assert not [path for path in folder.iterdir() if path.is_dir()]


@pytest.mark.parametrize("verb", [
    ["fit", "torus.obj", "-n", "8"],
    ["carve", "torus.obj", "--radius", "20%", "--tolerance", "5%"],
    ["merge", "each.json"],
])  # fmt: skip
def test_every_verb_writes_descriptions(folder, capsys, verb):
    report = report_of([*verb, "-o", "x.urdf", "-o", "x.json"], capsys)
    assert {"x.urdf", "x.json"} <= set(report["files"])
    assert set(report["files"]) == {path for path in files_in(folder) if path.startswith("x.")}
    made = Collider.load("x.json")
    replaced = [k for k, shape in enumerate(made) if shape.kind in ("capsule", "frustum", "prism")]
    assert [one["shape"] for one in report["replaced"]] == replaced
    assert len(Collider.load("x.urdf")) >= len(made)


def test_levels_of_detail_have_folders_of_their_own(folder, capsys):
    reports = report_of(["fit", "torus.obj", "--lods", "2,6", "--kinds", "prism", "-o", "x.urdf"], capsys)
    assert [list(report["folders"]) for report in reports] == [["x.lod0.urdf_meshes"], ["x.lod1.urdf_meshes"]]
    for report in reports:
        assert len(Collider.load(report["files"][0])) == report["shapes"]


def test_a_write_that_fails_leaves_no_folder(folder, capsys, monkeypatch):
    before = files_in(folder)

    def fail(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert run(["convert", "each.json", "-o", "x.urdf", "-o", "x.sdf"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert files_in(folder) == before
    assert not [path for path in folder.iterdir() if path.is_dir()]


def test_colliders_of_other_tools_are_converted(folder, capsys):
    boxes = [Box((3 * k, 0, 0), (0, 0, 0, 1), (1, 1, 1)) for k in range(3)]
    Collider(boxes, labels=[Label("a"), Label("b"), Label("c")]).save("pieces.obj")
    report = report_of(["convert", "pieces.obj", "-o", "pieces.urdf"], capsys)
    assert report["kinds"] == {"hull": 3}
    assert [label.name for label in Collider.load("pieces.urdf").labels] == ["a", "b", "c"]
    assert any("no unit" in note for note in report["notes"])
