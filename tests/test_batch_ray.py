"""A batch on a real cluster of two nodes, one of which dies during the run: every asset has one result."""

from __future__ import annotations

import json
import sys
from collections import Counter

import mesh_files
import pytest
import specimens
from test_batch import cubes, files, lines

import hitbox
from hitbox import _batch as batch
from hitbox._base.errors import InputError
from hitbox._batch import jobs
from hitbox._batch.jobs import Asset, Job
from hitbox._cli.app import run as shell

ray = pytest.importorskip("ray", reason="needs the extra ray", exc_type=ImportError)
ASSETS = 30
pytestmark = [
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]  # Ray starts a cluster, and warns


@pytest.fixture
def two_nodes(monkeypatch):
    """Start a head with one core, and a node with another."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_DISABLE_IMPORT_WARNING", "1")
    small = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=small)
    try:
        other = cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
        cluster.wait_for_nodes(timeout=180)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        yield cluster, other
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_every_asset_comes_out_once_though_a_node_dies(tmp_path, monkeypatch, two_nodes):
    cluster, other = two_nodes
    monkeypatch.setitem(jobs.VERBS, "fit", jobs.Verb("fit", hitbox.FitOptions, "fake_verbs:slow"))
    source, out = cubes(tmp_path / "in", *(f"{k // 10}/{k}.obj" for k in range(ASSETS))), tmp_path / "out"
    (source / "broken.obj").write_text("f 1 2 3\n")
    removed = []

    def remove_the_node_once_it_has_worked(summary: batch.Summary) -> None:
        nodes = {line["worker"].split(":")[0] for line in lines(out).values()}
        if not removed and len(nodes) == 2:
            removed.append(summary.done)
            cluster.remove_node(other, allow_graceful=False)

    common = {"pictures": False, "samples": 0}
    found = batch.run(source, out, engine="ray", progress=remove_the_node_once_it_has_worked, **common)
    assert removed
    assert removed[0] < ASSETS, "the node was there until the end"
    assert (found.total, found.ok, found.failed) == (ASSETS + 1, ASSETS, 1)
    written = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()[1:]]
    assert set(Counter(line["id"] for line in written).values()) == {1}
    assert len(written) == ASSETS + 1
    batch.run(source, tmp_path / "local", **common)
    assert files(out) == files(tmp_path / "local")  # the same bytes, and no other files
    again = batch.run(source, out, resume=True, **common)  # one engine resumes the other's batch
    assert (again.skipped, again.failed) == (ASSETS, 1)


def test_a_cluster_is_started_where_there_is_none(tmp_path, capfd):
    source = cubes(tmp_path / "in", "cube.obj")
    torus = specimens.torus()
    (source / "torus.obj").write_bytes(mesh_files.obj(torus.vertices, specimens.polygons_of(torus)))
    common = ["batch", str(source), "-n", "8", "--no-pictures", "--workers", "1"]
    assert shell([*common, "-o", str(tmp_path / "ray"), "--engine", "ray"]) == 0
    assert not ray.is_initialized()
    assert shell([*common, "-o", str(tmp_path / "local")]) == 0
    assert "2: 2 ok" in capfd.readouterr().out
    assert files(tmp_path / "ray") == files(tmp_path / "local")


def test_results_may_go_to_a_url(tmp_path, monkeypatch):
    """The local engine does it, because places do not depend on the engine."""
    pytest.importorskip("fsspec")
    monkeypatch.setitem(jobs.VERBS, "fit", jobs.Verb("fit", hitbox.FitOptions, "fake_verbs:trivial"))
    source, out = cubes(tmp_path / "in", "a.obj", "b/c.obj"), f"file://{tmp_path}/out"
    common = {"pictures": False, "samples": 0, "workers": 1}
    assert batch.run(source, out, **common).ok == 2
    assert sorted(files(tmp_path / "out")) == ["a.json", "b/c.json"]
    assert sorted(lines(tmp_path / "out")) == ["a.obj", "b/c.obj"]
    assert (tmp_path / "out" / "index.html").read_text().count("<figure") == 2
    (tmp_path / "out" / "a.json").unlink()
    found = batch.run(source, out, resume=True, verify=True, **common)
    assert (found.ok, found.skipped) == (1, 1)
    assert sorted(files(tmp_path / "out")) == ["a.json", "b/c.json"]


def test_a_url_that_nobody_knows_is_refused(tmp_path):
    pytest.importorskip("fsspec")
    with pytest.raises(InputError, match="nonsense://here"):
        batch.run(cubes(tmp_path / "in", "a.obj"), "nonsense://here")


@pytest.mark.parametrize("module", ["ray", "fsspec"])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    out = "memory://x" if module == "fsspec" else tmp_path / "out"
    with pytest.raises(InputError, match=r'pip install "hitbox\[ray\]"'):
        batch.run(cubes(tmp_path / "in", "a.obj"), out, engine="ray", pictures=False)
    assert not (tmp_path / "out").exists()


def test_what_is_lost_again_and_again_is_given_up():
    from hitbox._batch.ray_engine import Lost

    first, second = (Job(Asset(name, name, name)) for name in "ab")
    lost = Lost()
    assert lost.given_up([first, second]) == []
    assert (lost.next(), lost.next(), lost.next()) == ([first], [second], [])
    assert lost.given_up([first]) == [first]


def test_groups_have_about_a_second_of_work():
    from hitbox._batch.ray_engine import _group_size

    assert _group_size([{"seconds": 0.01}], 1) == 4
    assert _group_size([{"seconds": 0.01}], 64) == 100
    assert _group_size([{"seconds": 0.25}] * 8, 8) == 4
    assert _group_size([{"seconds": 30.0}], 8) == 1
    assert _group_size([], 8) == 8


def test_an_address_without_a_cluster_is_refused(tmp_path):
    source = cubes(tmp_path / "in", "a.obj")
    with pytest.raises(InputError, match="no cluster at"):
        batch.run(source, tmp_path / "out", engine="ray", address="127.0.0.1:1", pictures=False)
