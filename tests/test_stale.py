"""benchmarks/stale.py: a table of results is reported when the code behind it gives other results."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, BENCHMARKS / "stale.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def tables(tmp_path) -> Path:
    """Copy a published table that is up to date. The hash of `load` takes no time."""
    publish = (
        "import harness, pathlib; harness.RESULTS = pathlib.Path(r'{}');"
        "harness.publish('read', 'Reading', 'a table', [], judges=('load',), whole=True, arguments=[])"
    )
    script = f"import sys; sys.path.insert(0, r'{BENCHMARKS}'); {publish.format(tmp_path)}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.mark.slow
def test_every_published_table_says_whether_it_holds():
    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    listed = {line.split(":")[0] for line in done.stdout.splitlines()}
    assert listed == {path.name for path in (BENCHMARKS / "results").glob("*.md")}


def test_a_table_names_the_commit_it_was_made_at(tables):
    text = (tables / "read.md").read_text()
    assert re.search(r"Made by `python benchmarks/read.py` at commit `([0-9a-f]{7,}\+?|unknown)`\.", text)


def test_a_new_table_holds(tables):
    done = run("--results", tables)
    assert (done.returncode, done.stdout) == (0, "read.md: holds\n")


def test_a_table_of_other_behaviour_is_refused_until_it_says_so(tables):
    table = tables / "read.md"
    made = table.read_text()
    table.write_text(re.sub(r"load `\w+`", "load `0000000000`", made))
    refused = run("--results", tables)
    assert refused.returncode == 1
    assert "read.md: stale: load does something else now" in refused.stdout
    run("--results", tables, "--mark")
    assert "**Stale**: load does something else now." in table.read_text()
    assert "Run `python benchmarks/read.py` to make it anew." in table.read_text()
    assert run("--results", tables).returncode == 0


def test_a_warning_that_is_no_longer_true_is_refused_and_removed(tables):
    table = tables / "read.md"
    made = table.read_text()
    title, rest = made.split("\n\n", 1)
    table.write_text(f"{title}\n\n**Stale**: load does something else now.\n\n{rest}")
    assert run("--results", tables).returncode == 1
    run("--results", tables, "--mark")
    assert table.read_text() == made


def test_a_table_without_a_hash_is_stale(tables):
    shutil.copy(tables / "read.md", tables / "bare.md")
    bare = tables / "bare.md"
    bare.write_text(re.sub(r"Behaviour judged.*\n\n", "", bare.read_text()))
    done = run("--results", tables)
    assert done.returncode == 1
    assert "bare.md: stale: the table does not say" in done.stdout
