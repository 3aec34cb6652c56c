"""README.md and docs are true: examples run, and lists and tables match the code and the results.

Blocks marked `sh` and `python` run in order, one folder per document, beside a chair.glb and the bundled
model.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from option_lists import OPTION_LISTS, ROOT

from hitbox import Box, Collider

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
EXTRAS = {  # word of an example -> the package that it needs
    "render": "pyvista", "compare": "pyvista", "--peers": "vhacdx", "simulate": "rapier3d", ".yml": "yaml",
}  # fmt: skip


def examples(document: Path) -> list[tuple[str, str]]:
    text = document.read_text(encoding="utf-8")
    return re.findall(r"^```(sh|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    legs = [Box((x, 0.22, z), UPRIGHT, (0.02, 0.22, 0.02)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    seat = Box((0, 0.46, 0), UPRIGHT, (0.24, 0.02, 0.24))
    back = Box((0, 0.74, -0.22), UPRIGHT, (0.24, 0.26, 0.02))
    Collider([*legs, seat, back]).save(tmp_path / "chair.glb")
    shutil.copy(ROOT / "examples" / "lighthouse.obj", tmp_path)
    return tmp_path


def run(language: str, text: str, folder: Path) -> str:
    command = ["sh", "-e", "-c", text] if language == "sh" else [sys.executable, "-W", "error", "-c", text]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


WITH_EXAMPLES = [document for document in DOCUMENTS if examples(document)]


@pytest.mark.slow
@pytest.mark.parametrize("document", WITH_EXAMPLES, ids=lambda document: document.stem)
def test_the_examples_run(folder, document):
    for language, text in examples(document):
        for word, package in EXTRAS.items():
            if word in text:
                pytest.importorskip(package, exc_type=ImportError)
        run(language, text, folder)


@pytest.mark.slow
def test_the_first_examples_write_what_they_name(folder):
    pytest.importorskip("pyvista", exc_type=ImportError)
    for language, text in examples(ROOT / "README.md"):
        run(language, text, folder)
    given = {"chair.glb", "lighthouse.obj"}
    written = {"chair.json", "chair.urdf", "chair.png", "chair.tscn", "chair.tscn_visual.glb"}
    assert {path.name for path in folder.iterdir()} == given | written


@pytest.mark.parametrize("options", OPTION_LISTS, ids=lambda options: options.mark)
def test_the_lists_of_options_are_those_of_the_code(options):
    _, shown, _ = options.split()
    assert shown == options.text(), "run python tests/option_lists.py"


def test_the_table_against_peers_has_the_figures_of_the_results():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.split("<!-- compare:begin -->")[1].split("<!-- compare:end -->")[0]
    rows = [[cell.strip() for cell in line.split("|")[2:4]] for line in table.splitlines()[3:]]
    assert rows == [[claimed(claim, peer) for peer in ("CoACD", "V-HACD")] for claim in CLAIMS]


CLAIMS = [
    "outer mean lower than {peer}'s at 1/3 of {peer}'s bytes",
    "outer Hausdorff lower than {peer}'s at 1/3 of {peer}'s bytes",
    "{peer}'s CPU time to hitbox's, at 1/3 of {peer}'s bytes",
    "frame time lower than {peer}'s at equal outer mean",
]


def claimed(claim: str, peer: str) -> str:
    """Return the result in benchmarks/results/compare.md, in the words of the README's table."""
    results = (ROOT / "benchmarks" / "results" / "compare.md").read_text(encoding="utf-8")
    row = next(line for line in results.splitlines() if line.startswith(f"| {claim.format(peer=peer)} |"))
    found = row.split("|")[2]
    if times := re.search(r"median ([\d.]+)x", found):
        return f"{times[1]} times less"
    count, ratio = re.search(r"(\d+ of \d+), .* ratio ([\d.]+)", found).groups()
    return f"{ratio}, lower on {count}"
