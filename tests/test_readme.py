"""What README.md, docs/fit.md and docs/carve.md say is true: examples run, tables have the code's options.

Blocks marked `sh` and `python` are run in a folder with a chair.glb; those marked `bash` set a machine up.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType

import pytest

from hitbox import Box, CarveOptions, Collider, FitOptions, MergeOptions, RobotOptions
from hitbox._cli.options import CARVE_ALIASES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.fixture
def folder_with_a_chair(tmp_path):
    legs = [Box((x, 0.22, z), UPRIGHT, (0.02, 0.22, 0.02)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    seat = Box((0, 0.46, 0), UPRIGHT, (0.24, 0.02, 0.24))
    back = Box((0, 0.74, -0.22), UPRIGHT, (0.24, 0.26, 0.02))
    Collider([*legs, seat, back]).save(tmp_path / "chair.glb")
    return tmp_path


def run(command, folder):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_shell_examples_run(folder_with_a_chair):
    blocks = [text for language, text in BLOCKS if language == "sh"]
    assert blocks
    for text in blocks:
        if "render" in text or "compare" in text:
            pytest.importorskip("pyvista", exc_type=ImportError)
        shown = run(["sh", "-e", "-c", text], folder_with_a_chair)
        assert "wrote" in shown
    written = {path.name for path in folder_with_a_chair.iterdir()}
    levels = {f"chair_{count}.json" for count in (4, 16, 64)}
    fitted = {"chair.collider.json", "chair_shapes.glb", "chair.png"}
    carved = {"chair_open.json", "chair_space.json", "chair_open.png", "chair_fewer.json"}
    described = {"chair.urdf", "chair.xml", "chair.xml_meshes"}  # all boxes: the URDF has no hulls beside it
    others = {"chair.glb", "chair_compared.html", ".hitbox-compare", "colliders"}
    assert written == others | fitted | described | levels | carved


def test_the_python_examples_run(folder_with_a_chair):
    blocks = [text for language, text in BLOCKS if language == "python"]
    assert blocks
    for text in blocks:
        run([sys.executable, "-W", "error", "-c", text], folder_with_a_chair)


@pytest.mark.parametrize("document", ["fit.md", "carve.md"])
def test_the_examples_of_the_methods_run(tmp_path, document):
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert {language for language, _ in blocks} == {"sh", "python"}
    (tmp_path / "lighthouse.obj").write_bytes((ROOT / "examples" / "lighthouse.obj").read_bytes())
    shells = [line for language, text in blocks if language == "sh" for line in text.splitlines()]
    if any("hitbox render" in line for line in shells):
        pytest.importorskip("pyvista", exc_type=ImportError)
    run(["sh", "-e", "-c", "\n".join(shells)], tmp_path)
    for language, text in blocks:
        if language == "python":
            run([sys.executable, "-W", "error", "-c", text], tmp_path)


def options_table(kind, aliases=MappingProxyType({})) -> str:
    lines = ["| option | in the shell | default | what it does |", "|---|---|---|---|"]
    for option in fields(kind):
        flag = "--" + aliases.get(option.name, option.name.replace("_", "-"))
        flags = f"`-n`, `{flag}`" if option.name == "count" else f"`{flag}`"
        said = option.metadata["default"]
        default = f"`{said}`" if said else "none"
        lines.append(f"| `{option.name}` | {flags} | {default} | {option.metadata['help']} |")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("document", "mark", "kind", "aliases"),
    [
        ("README.md", "options", FitOptions, {}),
        ("docs/carve.md", "carve options", CarveOptions, {v: k for k, v in CARVE_ALIASES.items()}),
        ("docs/carve.md", "merge options", MergeOptions, {}),
        ("docs/robot.md", "robot options", RobotOptions, {"source": "from", "packages": "package"}),
    ],
)
def test_the_tables_of_options_are_those_of_the_code(document, mark, kind, aliases):
    text = (ROOT / document).read_text(encoding="utf-8")
    shown = text.split(f"<!-- {mark}:begin -->\n")[1].split(f"\n<!-- {mark}:end -->")[0]
    assert shown == options_table(kind, aliases)


def test_every_file_the_documents_point_to_exists():
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} points to {target}"
