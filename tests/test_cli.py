"""The shell as a user meets it: exit codes, one line on stderr, no traceback, no file left behind."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hitbox.cli import options
from hitbox.cli.app import run
from hitbox.errors import InputError


def test_help_names_the_commands(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(command in shown for command in ("fit", "info", "render"))
    for command in ("fit", "info", "render"):
        assert run([command, "--help"]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fit", "missing.obj", "-o", "x.stl"], "x.stl: unknown format '.stl'"),
        (["fit", "missing.obj", "-o", "x"], "no suffix"),
        (["fit", "missing.obj", "-n", "many"], "'many' is not a valid integer"),
        (["fit", "missing.obj", "--weights", "prism"], "--weights: must be kind=number"),
        (["fit", "missing.obj", "--weights", "prism=x"], "--weights: must be kind=number"),
        (["fit", "missing.obj", "--kinds", ","], "--kinds: nothing is listed"),
        (["fit", "missing.obj", "--lods", "16,x"], "--lods: must be whole numbers"),
        (["fit", "missing.obj", "--lods", "16", "-n", "4"], "either a count (-n) or --lods"),
        (["fit"], "Missing argument 'MESH'"),
        (["fit", "--cout", "3"], "No such option"),
        (["fti"], "No such command"),
        (["render", "missing.obj"], "Missing option '-o'"),
        (["render", "missing.obj", "missing.json", "-o", "x.png"], "missing.json: No such file"),
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
    command = [sys.executable, "-c", "from hitbox.cli import main; main()", "fit", "x.obj", "-o", "x.y"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("hitbox: ")


def test_ctrl_c_ends_with_130(capsys, monkeypatch):
    from hitbox.cli import app

    def interrupted(**_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(app.cli, "main", interrupted)
    assert run(["info", "x"]) == 130
    assert capsys.readouterr().err == "hitbox: interrupted\n"


def test_the_shell_starts_without_heavy_imports():
    code = "import sys, hitbox.cli; print([m for m in ('scipy', 'trimesh', 'pyvista') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lists_and_pairs_are_read():
    assert options.words("--kinds", "box, sphere") == ("box", "sphere")
    assert options.weights("--weights", "box=1,prism=1.4") == {"box": 1.0, "prism": 1.4}
    assert options.whole_numbers("--lods", "16,64") == (16, 64)
    assert [options.number_or_text(text) for text in ("0.5", "1%", "off")] == [0.5, "1%", "off"]
    with pytest.raises(InputError):
        options.words("--kinds", "")


def test_levels_of_detail_get_their_own_files():
    assert options.lod_path("out/chair.collider.json", 1, 64) == "out/chair.lod1.collider.json"
    assert options.lod_path("out/chair_{count}.glb", 1, 64) == "out/chair_64.glb"
