"""benchmarks/same_bytes.py: two runs of a build agree, and a difference between two runs is detected."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "same_bytes.py"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def hashed(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("same_bytes") / "hashes.json"
    done = run("--quick", "--only", "box", "table", "--jobs", 1, "--out", path)
    assert done.returncode == 0, done.stderr
    return path


def changed(path: Path, change) -> Path:
    document = json.loads(path.read_text())
    change(document["hashes"])
    other = path.with_name("other.json")
    other.write_text(json.dumps(document))
    return other


@pytest.mark.slow
def test_every_verb_is_hashed(hashed):
    keys = json.loads(hashed.read_text())["hashes"]
    verbs = (
        "fit",
        "fit_tree",
        "space",
        "carve",
        "merge",
        "evaluate",
        "check",
        "save",
        "load",
        "shell",
        "robot",
    )
    for name in ("box", "table"):
        own = [key.split(" | ", 1)[1] for key in keys if key.startswith(f"{name} | ")]
        missing = [verb for verb in verbs if not any(key.startswith(verb) for key in own)]
        assert missing == (["robot"] if name == "table" else [])  # every third mesh becomes a robot


def test_another_run_gives_the_same_hashes(hashed, tmp_path):
    again = tmp_path / "again.json"
    run("--quick", "--only", "box", "--jobs", 1, "--out", again)
    of_box = {k: v for k, v in json.loads(hashed.read_text())["hashes"].items() if k.startswith("box | ")}
    assert json.loads(again.read_text())["hashes"] == of_box


def test_a_difference_is_listed_and_fails(hashed):
    key = "box | fit 8 | shapes"
    other = changed(hashed, lambda hashes: hashes.update({key: "0"}))
    done = run("compare", hashed, other)
    assert done.returncode == 1
    assert f"differs: {key}" in done.stdout
    assert "1 differences" in done.stdout


def test_a_lost_output_and_a_new_one_are_differences(hashed):
    key = "table | save urdf | fit 8 | made.urdf"
    other = changed(hashed, lambda hashes: hashes.pop(key))
    lost, new = run("compare", hashed, other), run("compare", other, hashed)
    assert (lost.returncode, new.returncode) == (1, 1)
    assert f"missing: {key}" in lost.stdout
    assert f"new: {key}" in new.stdout


def test_an_expected_difference_has_its_reason_and_passes(hashed, tmp_path):
    expected = tmp_path / "expected.json"
    expected.write_text(json.dumps({"* | fit 8 | *": "fit is better now"}))
    other = changed(hashed, lambda hashes: hashes.update({"box | fit 8 | shapes": "0"}))
    done = run("compare", hashed, other, "--expected", expected)
    assert done.returncode == 0
    assert "fit is better now" in done.stdout
    assert run("compare", hashed, hashed).returncode == 0
