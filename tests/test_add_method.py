"""CONTRIBUTING's "Add a method" is true: its one file is enough for Python, shell, batch and types."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
import sys

import keyword_types
import pytest
import specimens
from option_lists import ROOT, OptionList

import hitbox
from hitbox._methods.run import VERBS

SHELL = "import wrapping; from hitbox._cli import main; main()"


@pytest.fixture
def wrapping(tmp_path, monkeypatch):
    """The module that the document shows, entered in the table of verbs."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Add a method")[1]
    (block,) = re.findall(r"^```python\n(.*?)^```", text.split("\n## ")[0], re.MULTILINE | re.DOTALL)
    (tmp_path / "wrapping.py").write_text(block)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("wrapping")
    VERBS.pop("wrap")
    del sys.modules["wrapping"]


def in_the_shell(*arguments):
    path = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", SHELL, *arguments],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_one_file_is_enough_for_python(wrapping):
    mesh = specimens.icosphere(2)
    collider = wrapping.wrap(mesh, max_vertices=16)
    assert len(collider[0].vertices) <= 16
    assert (collider[0].signed_distance(mesh.vertices) <= 1e-6 * mesh.diagonal).all()
    assert collider.method.options == {"max_vertices": 16}
    with pytest.raises(hitbox.InputError, match="wrap: max_vertices: must be a whole number from 4 to 256"):
        wrapping.wrap(mesh, max_vertices=3)
    with pytest.raises(hitbox.InputError, match=r"wrap: unknown option 'max_vertex'\. Did you mean"):
        wrapping.wrap(mesh, max_vertex=3)
    assert inspect.signature(wrapping.wrap).parameters["max_vertices"].default == 64


def test_one_file_is_enough_for_types_and_documents(wrapping, tmp_path):
    assert "class WrapKeywords(TypedDict, total=False):\n    max_vertices: int\n" in keyword_types.text()
    listed = OptionList(tmp_path / "wrap.md", "wrap options", wrapping.WrapOptions).text()
    assert listed.startswith("- `max_vertices` (`--max-vertices`; default: 64): Maximum number")


def test_one_file_is_enough_for_the_shell_and_a_batch(wrapping, tmp_path):
    os.mkdir("models")
    box = hitbox.Box((0, 0, 0), (0, 0, 0, 1), (1, 2, 3))
    hitbox.Collider([box]).save("models/box.obj")
    code, shown, said = in_the_shell("wrap", "models/box.obj", "--max-vertices", "8", "-o", "box.json")
    assert (code, said) == (0, "")
    assert "s to wrap" in shown
    assert hitbox.Collider.load("box.json").method.options == {"max_vertices": 8}
    code, shown, said = in_the_shell("wrap", "--help")
    assert "One hull around MESH, which holds every face." in shown
    batch = ["batch", "models", "--verb", "wrap", "--max-vertices", "9", "-o", "out", "--no-pictures"]
    code, shown, said = in_the_shell(*batch, "--json")
    assert (code, said) == (0, "")
    assert json.loads(shown)["ok"] == 1
    assert hitbox.Collider.load("out/box.json").method.options == {"max_vertices": 9}
