"""Whatever an asset does, a batch continues and reports its result, and the next run continues from there."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from importlib.util import find_spec
from pathlib import Path

import mesh_files
import pytest
import specimens
from hypothesis import given
from hypothesis import strategies as st
from running import processes_with

import hitbox
from hitbox import _batch as batch
from hitbox._base.errors import InputError
from hitbox._batch import gallery, jobs, manifest, places
from hitbox._batch.driver import Summary
from hitbox._batch.local import Limits
from hitbox._cli.app import run as shell

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
CUBE = mesh_files.obj(specimens.box().vertices, specimens.polygons_of(specimens.box()))


@pytest.fixture
def fakes(monkeypatch):
    """Replace the verb `fit` by one of fake_verbs; its options stay."""

    def use(name: str) -> None:
        verb = jobs.Verb("fit", hitbox.FitOptions, f"fake_verbs:{name}")
        monkeypatch.setitem(jobs.VERBS, "fit", verb)

    use("by_name")
    return use


def cubes(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CUBE)
    return folder


def run(source, out, **more) -> Summary:
    return batch.run(source, out, **{"pictures": False, "samples": 0, "workers": 1, **more})


def lines(out: Path, name: str = "manifest.jsonl") -> dict[str, dict]:
    return manifest.latest([out / name], lambda record: record)


def files(out: Path) -> dict[str, bytes]:
    """Return all outputs except the manifest and the page, which contain times."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.suffix != ".jsonl" and path.name != "index.html"
    }


@LINUX
def test_one_bad_asset_never_stops_a_batch(tmp_path, fakes, monkeypatch):
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK", mark)
    good, bad = ("a", "z"), ("child", "crashes", "eats", "exits", "killed", "memory", "raises", "refuses")
    source = cubes(tmp_path / "in", *(f"{name}.obj" for name in (*good, *bad, "partial")))
    (source / "broken.obj").write_text("f 1 2 3\n")
    (source / "empty.glb").write_bytes(b"")
    found = run(source, tmp_path / "out", timeout=3, memory=0.3, preset="fast", workers=2)
    line = lines(tmp_path / "out")
    assert {identity.split(".")[0]: record["status"] for identity, record in line.items()} == {
        "a": "ok", "broken": "error", "child": "timeout", "crashes": "crash", "eats": "oom", "empty": "error",
        "exits": "crash", "killed": "oom", "memory": "oom", "partial": "partial", "raises": "error",
        "refuses": "error", "z": "ok",
    }  # fmt: skip
    assert (found.total, found.ok, found.partial, found.failed) == (13, 2, 1, 10)
    assert "crashed (SIGSEGV)" in line["crashes.obj"]["message"]
    assert "ended with exit code 3: the last words" in line["exits.obj"]["message"]
    assert "used more than 0.3 GiB" in line["eats.obj"]["message"]
    assert "no answer in 3 s at: fit" in line["child.obj"]["message"]
    assert line["raises.obj"]["message"] == "RuntimeError: no <idea> at all"
    assert line["refuses.obj"]["message"] == "not this one."
    assert line["refuses.obj"]["error_kind"] == "InputError"
    assert line["eats.obj"]["peak_rss"] > 0.29 * 2**30
    assert sorted(files(tmp_path / "out")) == ["a.json", "partial.json", "z.json"]
    assert not processes_with(mark)


def test_rubbish_on_the_pipe_of_the_answers_is_no_answer(tmp_path, fakes):
    run(cubes(tmp_path / "in", "rubbish.obj", "z.obj"), tmp_path / "out", preset="fast")
    line = lines(tmp_path / "out")
    assert line["rubbish.obj"]["status"] == "crash"
    assert "cannot be read" in line["rubbish.obj"]["message"]
    assert line["z.obj"]["status"] == "ok"


def test_timeouts_and_crashes_are_tried_once_more_and_cheaper(tmp_path, fakes):
    source = cubes(tmp_path / "in", "crashes.obj", "raises.obj", "slow.obj", "unlucky.obj")
    run(source, tmp_path / "out", timeout=2, workers=2)
    tried = {
        identity.split(".")[0]: (record["status"], record["attempt"], record["preset"])
        for identity, record in lines(tmp_path / "out").items()
    }
    assert tried == {
        "crashes": ("crash", 2, "fast"),
        "raises": ("error", 1, "balanced"),  # an error is not tried again
        "slow": ("ok", 2, "fast"),
        "unlucky": ("ok", 2, "fast"),
    }


def test_the_last_line_counts_whatever_clocks_say(tmp_path):
    path = tmp_path / "manifest.jsonl"
    line = dict.fromkeys(manifest.FIELDS) | {"id": "a", "outputs": []}
    written = manifest.Manifest(path, {})
    written.add(line | {"status": "ok", "started": "2026-11-18T12:00:00.000+00:00"})
    written.add(line | {"status": "crash", "started": ""})
    written.close()
    assert manifest.latest([path], lambda record: record["status"]) == {"a": "crash"}
    time.sleep(0.002)  # the next run starts at least a millisecond later
    later = manifest.Manifest(tmp_path / "manifest.2-of-2.jsonl", {})
    later.add(line | {"status": "ok", "started": ""})
    later.close()
    for paths in ([path, later.path], [later.path, path]):
        assert manifest.latest(paths, lambda record: record["status"]) == {"a": "ok"}


def test_suffixes_of_outputs(tmp_path, fakes):
    source = cubes(tmp_path / "in", "a.obj")
    for to, name in ((".collider.json", "a.collider.json"), (".GLB", "a.GLB"), ("usda", "a.usda")):
        run(source, tmp_path / name, to=to)
        assert name in files(tmp_path / name)


def test_unity_has_one_script_for_all(tmp_path, fakes):
    run(cubes(tmp_path / "in", "a.obj", "deep/b.obj"), tmp_path / "out", to="unity")
    made = files(tmp_path / "out")
    assert {"a.obj", "deep/b.obj", "deep/b.unity.json"} <= set(made)
    assert [name for name in made if name.endswith(".cs")] == ["Editor/HitboxColliders.cs"]


def test_what_an_export_notes_is_in_the_manifest(tmp_path):
    run(cubes(tmp_path / "in", "a.obj"), tmp_path / "out", to="unreal", count=1, samples=0, pictures=False)
    (found,) = manifest.records(tmp_path / "out" / "manifest.jsonl")
    assert any("render mesh" in note for note in found["metrics"]["notes"])


def test_the_next_cheaper_preset():
    fit, carve = hitbox.FitOptions, hitbox.CarveOptions
    assert jobs.cheaper(fit(preset="fine")) == fit(preset="balanced")
    assert jobs.cheaper(fit(preset="balanced", count=3)) == fit(preset="fast", count=3)
    assert jobs.cheaper(fit(preset="fast")) is None
    assert jobs.cheaper(fit(kinds="sphere")) is None
    assert jobs.cheaper(carve(effort=2)).to_dict() == carve(effort=0).to_dict()
    assert jobs.cheaper(carve()) is None


def test_every_line_has_all_that_the_manifest_promises(tmp_path):
    source = cubes(tmp_path / "in", "a/cube.obj")
    batch.run(source, tmp_path / "out", count=4, pictures=False)
    head, line = map(json.loads, (tmp_path / "out" / "manifest.jsonl").read_text().splitlines())
    assert {"schema", "hitbox_version", "core_build", "options"} <= head.keys()
    assert tuple(line) == manifest.FIELDS
    assert line["id"] == "a/cube.obj"
    assert line["input_sha256"] == hashlib.sha256(CUBE).hexdigest()
    assert line["input_bytes"] == len(CUBE)
    [output] = line["outputs"]
    written = (tmp_path / "out" / "a" / "cube.json").read_bytes()
    sha256 = hashlib.sha256(written).hexdigest()
    assert output == {"path": "a/cube.json", "sha256": sha256, "bytes": len(written)}
    assert line["metrics"]["kinds"] == {"box": 1}
    assert line["metrics"]["outer_hausdorff"] < 1e-9
    assert line["seconds"] > 0
    assert line["cpu_seconds"] > 0
    assert line["peak_rss"] > 1e6
    assert hitbox.Collider.load(tmp_path / "out" / "a" / "cube.json").counts == {"box": 1}


def test_resume_does_what_is_new_changed_or_failed(tmp_path, fakes):
    source, out = cubes(tmp_path / "in", "a.obj", "b.obj", "c.obj", "d.obj", "raises.obj"), tmp_path / "out"
    first = run(source, out)
    assert (first.ok, first.failed) == (4, 1)
    again = run(source, out, resume=True)
    assert (again.skipped, again.failed) == (4, 1)
    (source / "a.obj").write_bytes(CUBE + b"# changed\n")
    (out / "b.json").unlink()
    same_size = b"x" * (out / "c.json").stat().st_size
    (out / "c.json").write_bytes(same_size)
    cubes(source, "new.obj")
    third = run(source, out, resume=True)
    assert (third.skipped, third.ok, third.failed) == (2, 3, 1)
    assert (out / "c.json").read_bytes() == same_size
    verified = run(source, out, resume=True, verify=True)
    assert (verified.skipped, verified.ok) == (4, 1)
    assert (out / "c.json").read_bytes() != same_size
    other = run(source, out, resume=True, count=3)  # other options: no result is reused
    assert (other.skipped, other.ok) == (0, 5)


def test_retry_failed_does_nothing_else(tmp_path, fakes):
    source, out = cubes(tmp_path / "in", "a.obj", "raises.obj"), tmp_path / "out"
    run(source, out)
    cubes(source, "new.obj")
    fakes("trivial")
    found = run(source, out, retry_failed=True)
    assert (found.ok, found.failed, found.skipped, found.left) == (1, 0, 1, 1)
    assert found.notes == ["1 asset never ran: --resume does them."]
    assert sorted(files(out)) == ["a.json", "raises.json"]
    assert lines(out)["raises.obj"]["status"] == "ok"


def test_another_version_is_done_again(tmp_path, fakes, monkeypatch):
    source, out = cubes(tmp_path / "in", "a.obj"), tmp_path / "out"
    run(source, out)
    monkeypatch.setattr("hitbox._batch.driver.build", lambda: "another")
    assert run(source, out, resume=True).ok == 1


def test_a_torn_last_line_is_done_again(tmp_path, fakes):
    source, out = cubes(tmp_path / "in", "a.obj", "b.obj"), tmp_path / "out"
    run(source, out)
    path = out / "manifest.jsonl"
    kept = [line for line in path.read_bytes().splitlines(True) if b'"id":"b.obj"' not in line]
    path.write_bytes(b"".join(kept) + b'{"id": "b.obj", "status": "ok", "inp')
    found = run(source, out, resume=True)
    assert (found.skipped, found.ok) == (1, 1)
    for line in path.read_bytes().splitlines():
        json.loads(line)


@given(st.binary(max_size=300).map(lambda data: data.replace(b"\n", b"")), st.booleans())
def test_a_torn_last_line_is_dropped(torn, is_long):
    torn *= 1000 if is_long else 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "manifest.jsonl"
        whole = manifest.Manifest(path, {})
        record = {**dict.fromkeys(manifest.FIELDS), "id": "a", "started": "2026"}
        whole.add(record)
        whole.close()
        before = path.read_bytes()
        path.write_bytes(before + torn)
        assert [line["id"] for line in manifest.records(path)] == ["a"]
        manifest.Manifest(path, {}).close()
        assert path.read_bytes().startswith(before)
        assert path.read_bytes().count(b"\n") == 3
        assert [line["id"] for line in manifest.records(path)] == ["a"]


def test_the_buffers_of_a_gltf_are_part_of_it(tmp_path):
    (tmp_path / "a b.bin").write_bytes(b"123")
    gltf = tmp_path / "a.gltf"
    gltf.write_text(json.dumps({"buffers": [{"uri": "a%20b.bin"}, {"uri": "data:,x"}, {}]}))
    before = jobs.input_sha256(str(gltf))
    (tmp_path / "a b.bin").write_bytes(b"124")
    assert jobs.input_sha256(str(gltf)) != before
    assert before[1] == gltf.stat().st_size + 3
    gltf.write_text('{"buffers": 3}')
    assert jobs.input_sha256(str(gltf))[1] == gltf.stat().st_size


@given(st.lists(st.text(min_size=1), unique=True, max_size=30), st.integers(1, 7))
def test_shards_partition_the_assets(names, count):
    shards = [{name for name in names if jobs.in_shard(name, (k + 1, count))} for k in range(count)]
    assert sum(map(len, shards)) == len(names)
    assert set().union(*shards) == set(names)


def test_shards_together_are_the_whole(tmp_path, fakes):
    fakes("trivial")
    source = cubes(tmp_path / "in", *(f"{k}.obj" for k in range(12)))
    run(source, tmp_path / "whole")
    parts = [run(source, tmp_path / "parts", shard=f"{k}/2") for k in (1, 2)]
    assert sum(part.total for part in parts) == 12
    assert all(part.total for part in parts)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    assert run(source, tmp_path / "parts", resume=True).skipped == 12  # reads the manifests of all shards
    page = (tmp_path / "parts" / "index.html").read_text()
    assert page.count("<figure") == 12


def test_outputs_do_not_depend_on_the_number_of_workers(tmp_path):
    source = cubes(tmp_path / "in", "cube.obj", "a/cube.obj")
    for name, mesh in {"torus": specimens.torus(), "cone": specimens.cone()}.items():
        (source / f"{name}.obj").write_bytes(mesh_files.obj(mesh.vertices, specimens.polygons_of(mesh)))
    for workers in (1, 2):
        batch.run(source, tmp_path / f"out{workers}", count=8, to=".glb", workers=workers, pictures=False)
    assert files(tmp_path / "out1") == files(tmp_path / "out2")
    assert sorted(files(tmp_path / "out1")) == ["a/cube.glb", "cone.glb", "cube.glb", "torus.glb"]
    records = [lines(tmp_path / f"out{workers}") for workers in (1, 2)]
    for identity in records[0]:
        for field in ("id", "input_sha256", "options_sha256", "status", "outputs", "metrics", "preset"):
            assert records[0][identity][field] == records[1][identity][field]


def test_names_cannot_lead_out_of_the_output_folder(tmp_path, fakes):
    fakes("trivial")
    odd = ['it\'s "quoted".obj', "two\nlines.obj", "..hidden.obj", "a/..b/%2e%2e.obj", "<b>&amp;.obj"]
    if sys.platform == "linux":
        odd.append(os.fsdecode(b"not\xffutf8.obj"))
    source = cubes(tmp_path / "in", *odd)
    run(source, tmp_path / "out")
    assert sorted(files(tmp_path / "out")) == sorted(f"{name[:-4]}.json" for name in odd)
    assert {path.name for path in tmp_path.iterdir()} == {"in", "out"}
    assert sorted(lines(tmp_path / "out")) == sorted(odd)
    assert run(source, tmp_path / "out", resume=True).skipped == len(odd)
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<b>&amp;.obj" not in page
    assert "&lt;b&gt;&amp;amp;.obj" in page


NAMES = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=20)


@given(st.lists(NAMES, max_size=3), NAMES, st.sampled_from([".json", ".collider.json", ".glb"]))
def test_whatever_a_path_is_its_output_stays_below(folders, name, suffix):
    root = os.path.abspath("root")
    # as a walk over folders gives it, without dots
    path = os.path.abspath(os.path.join(root, *folders, f"{name}.obj"))
    if not path.startswith(root + os.sep):
        with pytest.raises(InputError, match="is not below"):
            jobs._asset(path, root, suffix)
        return
    asset = jobs._asset(path, root, suffix)
    for made in (asset.output, asset.picture):
        target = str(places.Folder("out").at(made))
        assert os.path.normpath(target) == target
        assert target.startswith(f"out{os.sep}")
    assert asset.output.endswith(suffix)


def test_a_list_or_paths_outside_of_the_root_are_refused(tmp_path, fakes):
    fakes("trivial")
    cubes(tmp_path, "in/a.obj", "in/sub/b.obj", "c.obj")
    listed = tmp_path / "in" / "list.txt"
    listed.write_text("a.obj\n\nsub/../sub/b.obj\n")
    run(listed, tmp_path / "out")
    assert sorted(files(tmp_path / "out")) == ["a.json", "sub/b.json"]
    listed.write_text("a.obj\n../c.obj\n")
    with pytest.raises(InputError, match=r"c\.obj: is not below .*in\. Give a folder"):
        run(listed, tmp_path / "out2")
    assert not (tmp_path / "out2").exists()
    run(listed, tmp_path / "out2", root=tmp_path)
    assert sorted(files(tmp_path / "out2")) == ["c.json", "in/a.json"]
    run([tmp_path / "c.obj", tmp_path / "in" / "a.obj"], tmp_path / "out3")
    assert sorted(files(tmp_path / "out3")) == ["c.json", "in/a.json"]


def test_a_pattern_starts_at_its_first_wildcard(tmp_path, fakes):
    fakes("trivial")
    cubes(tmp_path, "in/x/a.obj", "in/y/deep/b.obj", "in/y/c.ply")
    run(str(tmp_path / "in" / "**" / "*.obj"), tmp_path / "in" / "out")
    assert sorted(files(tmp_path / "in" / "out")) == ["x/a.json", "y/deep/b.json"]
    (tmp_path / "in" / "y" / "c.ply").unlink()
    assert run(tmp_path / "in", tmp_path / "in" / "out").total == 2  # outputs are not inputs
    run(tmp_path / "in" / "x" / "a.obj", tmp_path / "one", to=".obj")
    assert sorted(files(tmp_path / "one")) == ["a.obj"]
    assert run(tmp_path / "in", tmp_path / "in" / "out").total == 2


@pytest.mark.parametrize(
    ("names", "more", "says"),
    [
        (("a.obj", "a.stl"), {}, r"a\.obj and a\.stl would both become a\.json"),
        (("a.obj", "a.obj.gz"), {}, "would both become"),
        ((), {}, "no meshes there"),
        (("a.obj",), {"to": "jsn"}, "Did you mean 'json'"),
        (("a.obj",), {"to": ".xyz"}, "unknown format '.xyz'"),
        (("a.obj",), {"verb": "fti"}, "Did you mean 'fit'"),
        (("a.obj",), {"shard": "3/2"}, "shard: must be such as 2/4"),
        (("a.obj",), {"shard": "0/2"}, "shard: must be"),
        (("a.obj",), {"timeout": 0}, "timeout: must be"),
        (("a.obj",), {"memory": -1}, "memory: must be"),
        (("a.obj",), {"workers": -1}, "workers: must be"),
        (("a.obj",), {"cout": 3}, "unknown option 'cout'"),
        (("a.obj",), {"address": "auto"}, "only the ray engine"),
        (("a.obj",), {"engine": "dask"}, "Known: local, ray"),
        (
            ("a.obj",),
            {"to": "srdf"},
            "srdf supports only spheres, but fit also makes a box. Give kinds=sphere.",
        ),
        (("a.obj",), {"to": "curobo", "verb": "carve", "radius": 1, "tolerance": 1}, "also makes a hull"),
        (("a.obj",), {"density": 500}, "only a dynamic body has a mass"),
        (("a.obj",), {"density": 0, "dynamic": True}, "density: must be"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(tmp_path, names, more, says):
    source = cubes(tmp_path / "in", *names)
    source.mkdir(exist_ok=True)
    with pytest.raises(InputError, match=says):
        run(source, tmp_path / "out", **more)
    assert not (tmp_path / "out").exists()


def test_bodies_that_move_have_the_mass_of_their_meshes(tmp_path):
    """The shapes of a ring of boxes have more volume than the ring. A list may start with a byte order
    mark.
    """
    ring = specimens.torus()
    (tmp_path / "ring.obj").write_bytes(mesh_files.obj(ring.vertices, specimens.polygons_of(ring)))
    (tmp_path / "all.txt").write_bytes(b"\xef\xbb\xbfring.obj\n")
    told = {"to": "urdf", "count": 4, "samples": 0, "pictures": False}
    assert run(tmp_path / "all.txt", tmp_path / "out", **told, dynamic=True, density=500).ok == 1
    text = (tmp_path / "out" / "ring.urdf").read_text()
    mass = float(re.search(r'<mass value="([^"]+)"', text)[1])
    assert mass == pytest.approx(500 * specimens.volume(ring))
    assert "<visual" not in text
    assert run(tmp_path / "all.txt", tmp_path / "out", **told, with_mesh=True, resume=True).skipped == 0
    text = (tmp_path / "out" / "ring.urdf").read_text()
    assert "<visual" in text
    assert "<mass" not in text


@LINUX
def test_a_link_to_nothing_is_a_line(tmp_path, fakes):
    source = cubes(tmp_path / "in", "a.obj")
    (source / "b.obj").symlink_to("nowhere.obj")
    found = run(source, tmp_path / "out")
    assert (found.ok, found.failed) == (1, 1)


def test_an_output_that_is_an_input_is_refused(tmp_path):
    source = cubes(tmp_path / "in", "a.obj")
    with pytest.raises(InputError, match="is an input itself"):
        run([source / "a.obj"], source, to="obj")
    assert (source / "a.obj").read_bytes() == CUBE


def test_two_batches_cannot_write_one_manifest(tmp_path):
    pytest.importorskip("fcntl")
    held = manifest.Manifest(tmp_path / "manifest.jsonl", {})
    with pytest.raises(InputError, match="another batch"):
        manifest.Manifest(tmp_path / "manifest.jsonl", {})
    held.close()
    manifest.Manifest(tmp_path / "manifest.jsonl", {}).close()


def test_cancel_stops_it_and_what_is_done_stays(tmp_path, fakes):
    fakes("slow")
    source = cubes(tmp_path / "in", *(f"{k:02}.obj" for k in range(40)))
    cancel = threading.Event()

    def after_three(summary: Summary) -> None:
        if summary.done == 3:
            cancel.set()

    with pytest.raises(InterruptedError, match="of 40 are done; resume continues"):
        run(source, tmp_path / "out", progress=after_three, cancel=cancel, workers=2)
    done = lines(tmp_path / "out")
    assert 3 <= len(done) < 40
    assert sorted(files(tmp_path / "out")) == sorted(f"{identity[:-4]}.json" for identity in done)


SCRIPT = """
import sys, hitbox
from hitbox._batch import jobs
from hitbox._cli.app import main
jobs.VERBS["fit"] = jobs.Verb("fit", hitbox.FitOptions, "fake_verbs:by_name")
main(["batch", sys.argv[1], "-o", sys.argv[2], "--workers", "2", "--no-pictures", *sys.argv[3:]])
"""


@LINUX
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_batch_leaves_whole_files_and_a_manifest_to_go_on_from(tmp_path, fakes, how):
    names = [f"moment-{k:02}.obj" for k in range(13)] + ["hangs.obj"]
    source, out = cubes(tmp_path / "in", *names), tmp_path / "out"
    tests = str(Path(__file__).parent)
    paths = os.pathsep.join([tests, *(os.path.abspath(path) for path in sys.path if path)])
    started = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(source), str(out)],
        env={**os.environ, "PYTHONPATH": paths}, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    ends = time.monotonic() + 120
    while not (out / "moment-02.json").exists():
        assert time.monotonic() < ends, started.stderr.read()
        time.sleep(0.01)
    workers = workers_of(started.pid)
    assert workers
    started.send_signal(how)
    _, said = started.communicate(timeout=60)
    assert started.returncode == (130 if how == signal.SIGINT else -9)
    if how == signal.SIGINT:
        assert re.search(r"hitbox: batch: \d+ of 14 are done; resume continues from there\n", said)
    ends = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < ends, "workers are left"
        time.sleep(0.05)
    cut_short = out / f".hitbox-{socket.gethostname()}-{workers[0]}-x.partial"
    cut_short.write_bytes(b"{")  # as if the process had been killed while writing
    for name, data in files(out).items():
        assert name.endswith(".partial") or json.loads(data)
    done = [identity for identity, line in lines(out).items() if line["status"] == "ok"]
    assert 2 <= len(done) < 13
    (source / "hangs.obj").unlink()
    found = run(source, out, resume=True, samples=10_000)
    assert found.skipped == len(done)
    assert found.ok == 13 - len(done)
    assert sorted(files(out)) == [f"moment-{k:02}.json" for k in range(13)]


def workers_of(pid: int) -> list[str]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text().split()
    return found


def test_a_killed_worker_leaves_no_unfinished_file(tmp_path):
    where = places.Folder(tmp_path)
    where.write([("a/b.json", b"1")])
    mine, other = f".hitbox-{places._mark(7)}x.partial", f".hitbox-{places._mark(8)}x.partial"
    for name in (mine, other):
        (tmp_path / "a" / name).write_bytes(b"")
    (tmp_path / "a" / "b_meshes").mkdir()
    (tmp_path / "a" / "b_meshes" / mine).write_bytes(b"")
    where.sweep(["a/b.json"], 7)
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [other, "b.json", "b_meshes"]
    assert list((tmp_path / "a" / "b_meshes").iterdir()) == []


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/x", "a//x", ".", ""])
def test_a_place_is_not_left(tmp_path, path):
    (tmp_path / "out").mkdir()
    wheres = [places.Folder(tmp_path / "out")]
    if find_spec("fsspec"):
        wheres.append(places.Url(f"file://{tmp_path}/out"))
    for where in wheres:
        with pytest.raises(InputError, match="lead out"):
            where.write([(path, b"")])
    assert [str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*")] == ["out"]


def test_workers_are_replaced_after_some_assets(tmp_path, fakes, monkeypatch):
    fakes("trivial")
    monkeypatch.setattr("hitbox._batch.driver.Limits", lambda timeout, memory: Limits(timeout, memory, 3))
    run(cubes(tmp_path / "in", *(f"{k}.obj" for k in range(8))), tmp_path / "out", workers=1)
    workers = [line["worker"] for line in lines(tmp_path / "out").values()]
    assert [workers.count(worker) for worker in dict.fromkeys(workers)] == [3, 3, 2]


def test_workers_that_do_not_start_end_the_batch(tmp_path, monkeypatch):
    monkeypatch.setattr("hitbox._batch.local._CODE", "raise SystemExit('no luck')")
    with pytest.raises(RuntimeError, match="workers do not start: ended with exit code 1: no luck"):
        run(cubes(tmp_path / "in", "a.obj"), tmp_path / "out")


@pytest.mark.serial
def test_200_small_assets_cost_little_beside_their_work(tmp_path, fakes):
    fakes("trivial")
    source = cubes(tmp_path / "in", *(f"{k}.obj" for k in range(200)))
    threads = threading.active_count()
    seen: list[float] = []
    found = run(source, tmp_path / "out", workers=1, progress=lambda _: seen.append(time.perf_counter()))
    assert found.ok == 200
    assert threading.active_count() == threads
    work = sum(line["seconds"] for line in lines(tmp_path / "out").values())
    beside = (seen[-1] - seen[0] - work) / 199
    assert beside < 0.015, f"{1000 * beside:.2f} ms an asset"  # about 1 ms on an idle machine


def test_the_shell(tmp_path, capsys, fakes):
    source = cubes(tmp_path / "in", "a.obj", "raises.obj")
    out = str(tmp_path / "out")
    common = ["batch", str(source), "-o", out, "--no-pictures", "--workers", "2"]
    assert shell([*common, "-n", "4", "--kinds", "box"]) == 1
    shown = capsys.readouterr()
    assert "2: 1 ok and 1 failed" in shown.out
    assert "raises.obj: error: RuntimeError: no <idea> at all" in " ".join(shown.out.split())
    assert shown.err == ""
    (source / "raises.obj").unlink()
    assert shell([*common, "-n", "4", "--kinds", "box", "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["skipped"] == 1
    assert shell([*common, "--radius", "3"]) == 2
    assert "No such option" in capsys.readouterr().err
    assert shell(["batch", str(tmp_path / "nowhere"), "-o", out]) == 2
    assert "no such folder or file" in capsys.readouterr().err
    assert shell([*common, "--preset", "fats"]) == 2


def test_the_shell_carves_too(tmp_path, capsys):
    source, out = cubes(tmp_path / "in", "a.obj"), tmp_path / "out"
    carve = ["--verb", "carve", "--radius", "10%", "--tolerance", "2%", "--floor", "z=0"]
    assert shell(["batch", str(source), "-o", str(out), "--no-pictures", *carve]) == 0
    capsys.readouterr()
    written = json.loads((out / "a.json").read_text())
    assert written["method"]["name"] == "carve"
    assert written["method"]["options"]["radius"] == "10%"
    assert lines(out)["a.obj"]["preset"] == "effort=0"


def test_on_a_terminal_there_is_a_row_a_worker(tmp_path, fakes):
    pty = pytest.importorskip("pty")
    source = cubes(tmp_path / "in", *(f"moment-{k}.obj" for k in range(6)))
    ours, theirs = pty.openpty()
    paths = os.pathsep.join([str(Path(__file__).parent), *(os.path.abspath(p) for p in sys.path if p)])
    done = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(source), str(tmp_path / "out")],
        env={**os.environ, "PYTHONPATH": paths, "TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.DEVNULL, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert done.wait() == 0
    for words in (b"worker 1", b"worker 2", b"moment-", b"6/6"):
        assert words in shown


def entry(**more) -> gallery.Entry:
    record = {
        "id": "a.obj", "status": "ok", "message": "", "seconds": 1.0, "peak_rss": 2**20, "preset": "fast",
        "attempt": 1, "outputs": [{"path": "a.json"}],
        "metrics": {"shapes": 1, "bytes": 40, "kinds": {"box": 1}, "outer_mean": 0.1, "outer_hausdorff": 0.2},
    }  # fmt: skip
    metrics = {**record["metrics"], **more.pop("metrics", {})}
    return gallery.Entry.of({**record, **more, "metrics": metrics})


def test_the_page_has_failures_first_and_then_the_worst():
    entries = [
        entry(id="good", metrics={"outer_mean": 0.01}),
        entry(id="worst", metrics={"outer_mean": 0.5}),
        entry(id="short", status="partial", message="Fell short."),
        entry(id="<failed>", status="crash", message="crashed (<SIGSEGV>)", outputs=[]),
    ]
    page = gallery.page(entries, gallery.About("fit", {"count": 3}, 2))
    order = [page.index(f">{name}<") for name in ("&lt;failed&gt;", "short", "worst", "good")]
    assert order == sorted(order)
    assert "crash: crashed (&lt;SIGSEGV&gt;)" in page
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "hitbox[render]" in page
    assert "2 assets not processed yet" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)


def test_pictures_are_made_in_the_workers_and_shown(tmp_path):
    pytest.importorskip("pyvista", exc_type=ImportError)
    source = cubes(tmp_path / "in", 'sub/a "b" #1%.obj')
    batch.run(source, tmp_path / "out", count=1, workers=1)
    [line] = lines(tmp_path / "out").values()
    assert [output["path"] for output in line["outputs"]] == [
        'sub/a "b" #1%.json', 'pictures/sub/a "b" #1%.obj.png',
    ]  # fmt: skip
    picture = tmp_path / "out" / "pictures" / "sub" / 'a "b" #1%.obj.png'
    assert picture.read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "out" / "index.html").read_text()
    assert 'src="./pictures/sub/a%20%22b%22%20%231%25.obj.png"' in page
    assert "hitbox[render]" not in page
    _look_at(tmp_path / "out" / "index.html")


def _look_at(page: Path) -> None:
    """Check in a browser, if there is one, that the picture is drawn and that the page makes no request."""
    from chromium import browser, chromium

    if chromium() is None:
        return
    with browser() as tab:
        tab.open(page, 1000, 800)
        assert tab.run("[...document.images].map(i => i.decode().then(() => i.naturalWidth))[0]") == 480
        assert all(url.startswith(("file:", "data:")) for url in tab.requests)
        assert tab.complaints == []
