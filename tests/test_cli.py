"""The shell as a user sees it: exit codes, one line on stderr, no traceback, no file left behind."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import pytest

import hitbox
from hitbox import Box, CarveOptions, Collider, FitOptions, NavigableSpace
from hitbox._base import flag_text
from hitbox._base.errors import InputError
from hitbox._cli import options
from hitbox._cli.app import cli, run


def test_help_names_the_commands(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    commands = ("carve", "evaluate", "fit", "info", "merge", "render")
    assert all(command in shown for command in commands)
    for command in commands:
        assert run([command, "--help"]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fit", "missing.obj", "-o", "x.blend"], "x.blend: unknown format '.blend'"),
        (["fit", "missing.obj", "-o", "x"], "no suffix"),
        (["fit", "missing.obj", "-o", "x.srdf"], "this format supports no other kinds. Add --kinds sphere."),
        (["fit", "missing.obj", "-o", "x.yml", "--profile", "curobo"], "missing.obj: no such file"),
        (["fit", "missing.obj", "-n", "many"], "'many' is not a valid integer"),
        (["fit", "missing.obj"], "missing.obj: no such file"),
        (["info", "missing.obj"], "missing.obj: no such file"),
        (["fit", "missing.obj", "--weights", "organc"], "unknown preset 'organc'. Did you mean 'organic'?"),
        (["fit", "missing.obj", "--weights", "box=1,prism"], "--weights: must be kind=number"),
        (["fit", "missing.obj", "--weights", "prism=x"], "--weights: must be kind=number"),
        (["fit", "missing.obj", "--kinds", ","], "--kinds: nothing is listed"),
        (["fit", "missing.obj", "--lods", "16,x"], "--lods: must be whole numbers"),
        (["fit", "missing.obj", "--lods", "16,0"], "count: must be a whole number from 1"),
        (["fit", "missing.obj", "-n", "0"], "count: must be a whole number from 1"),
        (["fit", "missing.obj", "-o", "x.json", "-o", "./x.json"], "two outputs have the same name"),
        (["fit", "missing.obj", "--lods", "16", "-n", "4"], "either a count (-n) or --lods"),
        (["carve", "missing.obj"], "missing.obj: no such file"),
        (["carve", "missing.obj", "-o", "x.blend"], "x.blend: unknown format '.blend'"),
        (["carve", "missing.obj", "--radius", "wide"], "carve: radius: 'wide' is not a length"),
        (["carve", "missing.obj", "--floor", "up"], "--floor: must be an axis and a height such as z=0"),
        (["carve", "missing.obj", "--floor", "w=1"], "--floor: must be an axis and a height such as z=0"),
        (
            ["carve", "missing.obj", "--clear-points", "1,2"],
            "--clear-points: must be x,y,z such as 0,0,1.5, not '1,2'",
        ),
        (["carve", "missing.obj", "--max-vertices", "3"], "carve: max_vertices: must be a whole number"),
        (["carve", "missing.obj", "--space-out", "x.png"], "a space is written as .json"),
        (["carve", "missing.obj", "-o", "x.json", "--space-out", "./x.json"], "is another file of this"),
        (["merge", "missing.json"], "missing.json: No such file"),
        (["merge", "missing.json", "--tolerance", "0"], "merge: tolerance: must be above 0"),
        (["merge", "missing.json", "--space", "nowhere.json"], "nowhere.json: No such file"),
        (["merge", "missing.json", "-o", "missing.json"], "missing.json is the collider itself"),
        (["fit"], "Missing argument 'MESH'"),
        (["fit", "--cout", "3"], "No such option"),
        (["fti"], "No such command"),
        (["render", "missing.obj"], "Missing option '-o'"),
        (["render", "missing.obj", "missing.json", "-o", "x.png"], "missing.json: No such file"),
        (["render", "missing.obj", "--space", "missing.json", "-o", "x.png"], "missing.json: No such file"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hitbox: ")
    assert captured.err.count("\n") == 1
    assert says in captured.err
    assert os.listdir(tmp_path) == []


def test_the_installed_command_ends_with_2_and_shows_no_traceback(tmp_path):
    command = [sys.executable, "-c", "from hitbox._cli import main; main()", "fit", "x.obj", "-o", "x.y"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("hitbox: ")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "out of memory"),
        (RuntimeError("two\nlines"), "internal error: two lines"),
        (RuntimeError(), "internal error: RuntimeError"),
    ],
)
def test_what_is_not_the_users_fault_is_one_line_and_exit_code_1(capsys, monkeypatch, error, says):
    from hitbox._cli import app

    def fail(**_options):
        raise error

    monkeypatch.setattr(app.info, "callback", fail)
    assert run(["info", "x.obj"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"hitbox: {says}")
    assert captured.err.count("\n") == 1


def test_ctrl_c_ends_with_130(capsys, monkeypatch):
    from hitbox._cli import app

    def interrupted(**_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(app.cli, "main", interrupted)
    assert run(["info", "x"]) == 130
    assert capsys.readouterr().err == "hitbox: interrupted\n"


def test_the_shell_starts_without_heavy_imports():
    code = (
        "import sys, hitbox._cli.app; print([m for m in ('scipy', 'trimesh', 'pyvista') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lists_and_pairs_are_read():
    fit, carve = FitOptions.declarations(), CarveOptions.declarations()
    assert fit["kinds"].kind.read("--kinds", "box, sphere") == ("box", "sphere")
    assert fit["weights"].kind.read("--weights", "box=1,prism=1.4") == {"box": 1.0, "prism": 1.4}
    assert flag_text.whole_numbers("--lods", "16,64") == (16, 64)
    assert fit["keep_clear"].kind.read("--keep-clear", ["0, 1,-2.5,3e-1"]) == [(0.0, 1.0, -2.5, 0.3)]
    read = fit["importance"].kind.read
    assert read("--importance", ("up",)) == "up"
    assert read("--importance", ("-y=2",)) == ("-y", 2.0)
    assert read("--importance", ("seat=4", "a=b=.5")) == {"seat": 4.0, "a=b": 0.5}
    assert [fit["weld"].kind.read("--weld", text) for text in ("0.5", "1%", "off")] == [0.5, "1%", "off"]
    assert carve["clear_points"].kind.read("--clear-points", ["0, 1,-2.5"]) == [(0.0, 1.0, -2.5)]
    assert carve["blockers"].kind.read("--floor", ["y=-1"]) == [hitbox.HalfSpace.floor(-1, "y")]
    with pytest.raises(InputError):
        flag_text.words("--kinds", "")


def test_levels_of_detail_get_their_own_files():
    assert options.lod_path("out/chair.collider.json", 1, 64) == "out/chair.lod1.collider.json"
    assert options.lod_path("out/chair_{count}.glb", 1, 64) == "out/chair_64.glb"


@pytest.fixture
def stool(tmp_path, monkeypatch):
    """Put a stool.glb into the current folder: four legs and a seat, a mile long, so that lengths are not
    fractions.
    """
    monkeypatch.chdir(tmp_path)
    upright = (0.0, 0.0, 0.0, 1.0)
    legs = [Box((x, 200, z), upright, (20, 200, 20)) for x in (-800, 800) for z in (-300, 300)]
    Collider([*legs, Box((0, 420, 0), upright, (850, 20, 350))], up="y", unit="m").save("stool.glb")
    return tmp_path


@pytest.mark.parametrize(("command", "kind"), [("fit", FitOptions), ("carve", CarveOptions)])
def test_every_option_has_a_flag_of_its_name_with_its_help(command, kind):
    flags = {flag: option for option in cli.commands[command].params for flag in option.opts}
    for name, option in kind.declarations().items():
        flag = flags[kind.flag(name)]
        assert (flag.name, flag.panel) == (name, option.group)
        assert flag.help.startswith(option.help)
        if option.default and not flag.is_flag:
            assert flag.help.endswith(f"[default: {option.default}]")


def test_help_and_version_are_short(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("hitbox 0.")
    for arguments in (["--help"], ["fit", "--help"], ["carve", "--help"], ["merge", "--help"]):
        assert run(arguments) == 0
        shown = capsys.readouterr().out.splitlines()
        assert max(map(len, shown)) <= 80
        assert len(shown) < 80


def groups_of_help(arguments, capsys):
    assert run([*arguments, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [line.strip()[:-1] for line in lines if re.fullmatch(r"  [A-Z][a-z ]*:", line.rstrip())]


def test_help_starts_with_what_people_need(capsys):
    shapes = ["Size", "Shapes", "Where", "Effort", "Output", "Research", "Help"]
    assert groups_of_help(["fit"], capsys) == groups_of_help(["carve"], capsys) == shapes
    assert groups_of_help([], capsys) == ["Make colliders", "Use them", "Measure", "Help"]
    assert groups_of_help(["batch", "--verb", "carve"], capsys) == ["Input", *shapes]


def test_every_flag_has_a_sentence():
    for command in cli.commands.values():
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                text = re.sub(r" \[default: .*\]$", "", param.help)
                assert text[0].isupper(), (command.name, param.name)
                assert text.endswith("."), (command.name, param.name)


def report(arguments, capsys):
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_distances_are_shares_of_the_diagonal(stool, capsys):
    """The collider is one box around a stool, whose sides are far from the mesh at any scale."""
    shown = report(["fit", "stool.glb", "-n", "1"], capsys)
    assert shown["shapes"] == 1
    low, high = Collider.load(save("stool.glb", 1)).bounds
    below_the_seat = 400 / 2 / np.linalg.norm(high - low)  # the middle of a long side, halfway down
    assert 0.9 * below_the_seat < shown["hausdorff"] < 1
    assert 0.01 < shown["mean"] < shown["hausdorff"]


def save(mesh, count):
    assert run(["fit", mesh, "-n", str(count), "-o", "saved.json"]) == 0
    return "saved.json"


def test_seconds_are_split_and_do_not_hold_the_measuring(stool, capsys, monkeypatch):
    """Only these three functions advance the clock, so the machine's speed does not matter."""
    clock = [0.0]
    time = SimpleNamespace(perf_counter=lambda: clock[0])
    monkeypatch.setattr(sys.modules["hitbox._cli.report"], "time", time)

    def takes(seconds, work):
        def slow(*arguments, **keywords):
            clock[0] += seconds
            return work(*arguments, **keywords)

        return slow

    for where, name, seconds in (
        (hitbox, "load", 1.0),
        (hitbox, "fit", 10.0),
        (sys.modules["hitbox._judges.evaluate"], "distances", 100.0),
    ):
        monkeypatch.setattr(where, name, takes(seconds, getattr(where, name)))
    shown = report(["fit", "stool.glb", "-n", "5"], capsys)
    assert shown["seconds"] == {"read": 1.0, "fit": 10.0, "measure": 100.0}


def test_fit_says_where_nothing_can_be_touched(stool, capsys, monkeypatch):
    """No collider of `fit` is like that, because every face lies in a shape. So the distances are
    invented.
    """
    evaluate = sys.modules["hitbox._judges.evaluate"]
    far, none = evaluate.Distance(0.25, 0.5, 1000), evaluate.Distance(0.0, 0.0, 0)
    for outer, said in ((none, "outside, nothing can be touched"), (far, "can be touched, mean 25.0 %")):
        made_up = evaluate.Distances(far, far, outer)
        monkeypatch.setattr(evaluate, "distances", lambda *_, found=made_up, **__: found)
        monkeypatch.setenv("COLUMNS", "200")
        assert run(["fit", "stool.glb", "-n", "5"]) == 0
        assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("preset", ["paper", "uniform", "organic"])
def test_weights_take_a_preset(stool, capsys, preset):
    assert run(["fit", "stool.glb", "-n", "5", "--weights", preset, "-o", "x.json"]) == 0
    said = Collider.load("x.json").method.options.get("weights", "paper")
    assert said == preset


def test_every_option_reaches_fit(stool, capsys):
    """The shell and Python get the same options, and both write the same JSON."""
    shell = [
        "-n", "6", "--objective", "surface", "--preset", "fine", "--profile", "godot", "--kinds", "box,hull",
        "--max-vertices", "12", "--parts", "separate", "--materials", "separate", "--importance", "up=2",
        "--keep-clear", "0,50,0,10", "--keep-clear", "0,60,0,10", "--pad", "-1mm", "--time-budget", "9",
    ]  # fmt: skip
    keywords = {
        "objective": "surface", "preset": "fine", "profile": "godot", "kinds": ("box", "hull"),
        "max_vertices": 12, "parts": "separate", "materials": "separate", "importance": ("up", 2),
        "keep_clear": [(0, 50, 0, 10), (0, 60, 0, 10)], "pad": "-1mm", "time_budget": 9,
    }  # fmt: skip
    assert run(["fit", "stool.glb", *shell, "-o", "x.json"]) == 0
    collider = hitbox.fit("stool.glb", 6, **keywords)
    assert Collider.load("x.json").method == collider.method
    assert set(collider.method.options) == {"count", *keywords}
    assert Collider.load("x.json").shapes == collider.shapes
    assert run(["fit", "stool.glb", "-n", "6", "--importance", "seat=4"]) == 2
    assert "fit: importance" in capsys.readouterr().err


def test_carve_says_what_it_made(stool, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    lengths = ["--radius", "8%", "--tolerance", "3%"]
    assert run(["carve", "stool.glb", *lengths, "-o", "x.json", "-o", "x.glb"]) == 0
    shown = capsys.readouterr().out
    for words in (
        "shapes    5: 5 hulls", "vertices  40, 8 at most in a hull", "s to carve", "of the diagonal; outside",
        "note      5 hulls: none enters the space of a ball of radius 8%", "wrote     x.json",
    ):  # fmt: skip
        assert words in shown
    assert Collider.load("x.json").shapes == hitbox.carve("stool.glb", "8%", "3%").shapes


def test_every_option_reaches_carve(stool, capsys):
    shell = [
        "--radius", "9%", "--tolerance", "60", "--floor-tolerance", "3%", "-n", "7", "--max-vertices", "64",
        "--effort", "0.5", "--concave-edges", "3", "--seed", "4", "--floor", "y=-1",
        "--floor", "x=-9", "--sealed", "--hulls-only",
        "--clear-points", "0,200,0", "--clear-points", "0,-500,0",
    ]  # fmt: skip
    keywords = {
        "radius": "9%", "tolerance": 60.0, "floor_tolerance": "3%", "count": 7, "max_vertices": 64,
        "effort": 0.5, "concave_edges": 3, "seed": 4, "hulls_only": True,
        "blockers": [hitbox.HalfSpace.floor(-1, "y"), hitbox.HalfSpace.floor(-9, "x")],
        "sealed": True, "clear_points": [(0, 200, 0), (0, -500, 0)],
    }  # fmt: skip
    shown = report(["carve", "stool.glb", *shell, "-o", "x.json", "--space-out", "space.json"], capsys)
    collider = hitbox.carve("stool.glb", **keywords)
    assert Collider.load("x.json").shapes == collider.shapes
    assert Collider.load("x.json").method == collider.method
    assert set(collider.method.options) == set(keywords) == {option.name for option in fields(CarveOptions)}
    assert shown["files"] == ["x.json", "space.json"]
    assert (shown["shapes"], shown["complete"]) == (len(collider), True)
    assert set(shown["seconds"]) == {"read", "carve", "measure"}
    del keywords["effort"], keywords["concave_edges"], keywords["seed"], keywords["hulls_only"]
    del keywords["count"], keywords["max_vertices"]
    space = hitbox.navigable_space("stool.glb", **keywords)
    assert NavigableSpace.load("space.json").spheres.tobytes() == space.spheres.tobytes()


def test_a_saved_space_is_kept_clear_by_fit(stool, capsys):
    assert run(["carve", "stool.glb", "--radius", "9%", "--tolerance", "4%", "--space-out=space.json"]) == 0
    assert run(["fit", "stool.glb", "-n", "30", "--keep-clear", "space.json", "-o", "open.json"]) == 0
    space = NavigableSpace.load("space.json")
    assert space.overlap("open.json").deepest <= 1e-6
    assert Collider.load("open.json").shapes == hitbox.fit("stool.glb", 30, keep_clear=space).shapes


def test_a_folder_of_colliders_is_merged(stool, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    pathlib.Path("kit").mkdir()
    assert run(["fit", "stool.glb", "-n", "6", "-o", "kit/a.json", "-o", "kit/b.glb"]) == 0
    given = len(Collider.load("kit/a.json"))
    capsys.readouterr()
    assert run(["merge", "kit", "-n", "3", "-o", "few.json"]) == 0
    assert f"3 shapes in place of {2 * given}." in capsys.readouterr().out


def test_merge_takes_several_colliders_as_one(stool, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    upright = (0.0, 0.0, 0.0, 1.0)
    boxes = [Box((x, 0, 0), upright, (1, 1, 1)) for x in (0, 2, 4)]
    for name, shapes in (("a", boxes[:2]), ("b", boxes[2:])):
        Collider(shapes, unit="m").save(f"{name}.json")
    assert run(["merge", "a.json", "b.json", "-o", "x.json"]) == 0
    shown = capsys.readouterr().out
    for words in ("shapes    1: 1 box", "s to merge", "1 shape in place of 3", "wrote     x.json"):
        assert words in shown
    assert Collider.load("x.json").unit == "m"
    said = report(["merge", "a.json", "b.json", "-n", "2", "--hulls-only", "--distance", "1m"], capsys)
    assert (said["shapes"], said["shapes_given"], said["kinds"]) == (2, 3, {"box": 1, "hull": 1})
    Collider(boxes, unit="mm").save("c.json")
    assert run(["merge", "a.json", "c.json"]) == 2
    assert "merge: unit: the colliders have m and mm" in capsys.readouterr().err


def test_merge_keeps_out_of_a_space(stool, capsys):
    """There is room under the stool, so its legs stay apart."""
    lengths = ["--radius", "8%", "--tolerance", "3%"]
    assert run(["carve", "stool.glb", *lengths, "-o", "x.json", "--space-out", "space.json"]) == 0
    capsys.readouterr()
    assert report(["merge", "x.json", "-n", "1"], capsys)["shapes"] == 1
    assert report(["merge", "x.json", "--space", "space.json"], capsys)["shapes"] == 5


@pytest.mark.parametrize("asked", [["-n", "5"], [], ["--lods", "2,5"]])
def test_a_cache_saves_the_second_run_all_the_work(stool, capsys, monkeypatch, asked):
    arguments = ["fit", "stool.glb", *asked, "--cache", "deep/kept", "-o", "x{count}.json", "--json"]
    first = run_once(arguments, capsys)
    for name in ("fit", "fit_within", "levels"):
        monkeypatch.setattr(hitbox._core, name, None)
    monkeypatch.setattr(sys.modules["hitbox._judges.evaluate"], "distances", None)
    assert run_once(arguments, capsys) == first


def run_once(arguments, capsys):
    """Return the printed text without times, and the written files."""
    assert run(arguments) == 0
    shown = json.loads(capsys.readouterr().out)
    for each in shown if isinstance(shown, list) else [shown]:
        del each["seconds"]
    return shown, {path.name: path.read_bytes() for path in Path().glob("x*.json")}


def test_levels_of_detail_come_from_one_run(stool, capsys):
    shown = report(["fit", "stool.glb", "--lods", "1,10", "-o", "{count}.json"], capsys)
    assert [level["files"] for level in shown] == [["1.json"], ["10.json"]]
    assert shown[0]["shapes"] == 1 < shown[1]["shapes"] <= 10
    assert len(Collider.load("10.json")) == shown[1]["shapes"]
    assert shown[1]["mean"] < shown[0]["mean"]


def test_of_several_outputs_all_appear_or_none(stool, capsys):
    Path("old.json").write_text("mine")
    Path("folder.glb").mkdir()
    before = sorted(os.listdir())
    for wrong in ("no_such_folder/x.glb", "folder.glb"):
        assert run(["fit", "stool.glb", "-n", "5", "-o", "new.json", "-o", "old.json", "-o", wrong]) == 2
        assert capsys.readouterr().err.startswith(f"hitbox: {wrong}: ")
        assert sorted(os.listdir()) == before
        assert Path("old.json").read_text() == "mine"


def test_notes_and_paths_wrap_below_each_other(stool, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["fit", "stool.glb", "-o", "a.json", "-o", "b.glb"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 60 and line == line.rstrip() for line in shown)
    note = next(k for k, line in enumerate(shown) if line.startswith("  note"))
    assert shown[note + 1].startswith(" " * 12)
    assert shown[-2:] == ["  wrote     a.json", "            b.glb"]


def test_info_says_it_in_plain_words(stool, capsys):
    Path("open.obj").write_text(
        "v 0 0 0\nv 4 0 0\nv 4 2000 0\nv 0 2000 0\nv 0 0 0\nv 9 9 9\nf 1 2 3 4\nf 5 2 3\nf 2 5 3\nf 1 1 2\n"
    )
    assert run(["info", "open.obj"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "faces 4: 3 triangles and 1 quad",
        "vertices 6",
        "open, so it has no volume",
        "box 4 x 2,000 x 0, from (0, 0, 0) to (4, 2,000, 0); diagonal 2,000",
        "up axis unknown",
        "Cleaning would join 1 vertex to an equal one and drop 1 vertex that no face uses: 6 vertices",
        "It would keep 1 face with a vertex more than once and 1 face with the same vertices as an",
    ):
        assert words in shown
    assert shown.count("Cleaning") == 1

    assert run(["info", "stool.glb"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("components 5", "closed; volume", " m^3, area ", "y is up; unit m"):
        assert words in shown
    assert "none on a boundary, non-manifold or inconsistent" in shown


def test_info_as_json_has_the_numbers(stool, capsys):
    shown = report(["info", "stool.glb"], capsys)
    assert shown["faces"] == 60
    assert shown["volume"] == pytest.approx(4 * 40 * 400 * 40 + 1700 * 40 * 700)
    assert shown["cleaning"]["vertices_after"] == 40
    assert shown["unit"] == "m"


@pytest.mark.slow
def test_render_shows_nothing_of_vtk(stool):
    pytest.importorskip("pyvista", exc_type=ImportError)
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    command = [sys.executable, "-c", "from hitbox._cli import main; main()"]
    command += ["render", "stool.glb", "-o", "x.png", "--size", "64", "64"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "  wrote     x.png\n", "")


def test_the_mesh_is_never_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mesh.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "link.obj").symlink_to("mesh.obj")
    before = (tmp_path / "mesh.obj").read_bytes()
    for output in ("mesh.obj", "./mesh.obj", "link.obj"):
        assert run(["fit", "mesh.obj", "-n", "1", "-o", output]) == 2
        assert "is the mesh itself" in capsys.readouterr().err
    assert (tmp_path / "mesh.obj").read_bytes() == before


def test_bare_hitbox_shows_its_help(capsys):
    assert run([]) == 2
    assert "\n  fit  " in capsys.readouterr().out


def test_closed_streams_and_odd_names_do_not_matter(tmp_path):
    odd = tmp_path / os.fsdecode(b"\xe9 \xc3\xa9.obj")
    odd.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    command = f'{sys.executable} -m hitbox fit "$0" -n 1 -o out.json 2>&- <&-'
    done = subprocess.run(["sh", "-c", command, os.fsencode(odd)], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert len(Collider.load(tmp_path / "out.json")) == 1
