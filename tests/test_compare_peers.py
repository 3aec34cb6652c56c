"""Whatever a peer does, the result has one plain sentence, and no process or file stays behind."""

from __future__ import annotations

import os
import sys
import tempfile
import uuid

import numpy as np
import pytest
import specimens
from running import processes_with

from hitbox._base.errors import InputError
from hitbox._compare import peers
from hitbox._compare.peers import PEERS, Peer, PeerResult, run_peer

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def fake(name: str, package: str = "numpy") -> Peer:
    return Peer(name, name, package, f"fake_peers:{name}")


def run(name: str, *, timeout: float = 120, memory: float = 4, **more) -> PeerResult:
    return run_peer(fake(name), specimens.box(), timeout=timeout, memory=memory, **more)


@pytest.fixture(scope="module")
def good() -> PeerResult:
    return run("boxes")


def test_an_answer_comes_through_whatever_is_printed(good):
    assert good.error is None
    assert good.collider is not None
    assert good.collider.counts == {"hull": 1}
    assert good.collider.volume == pytest.approx(1)
    assert good.cpu_seconds is not None
    assert good.peak_bytes is not None
    assert 0 <= good.cpu_seconds < 60
    assert 1e6 < good.peak_bytes < 4e9
    again = PeerResult.from_dict(good.to_dict())
    assert again == good


def test_rubbish_on_the_pipe_of_the_answer_is_no_answer():
    result = run("writes_to_all_files")
    assert result.colliders == ()
    assert result.error is not None
    assert "ended with an answer that cannot be read" in result.error


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("exits", "ended with exit code 3"),
        ("crashes", "crashed (SIGSEGV)"),
        ("raises", "RuntimeError: no <idea> at all"),
        ("answers_nonsense", "not a collider"),
        ("answers_nothing", "at least one"),
        ("no_such_function", "AttributeError"),
    ],
)
def test_a_failure_is_a_sentence(name, says):
    result = run(name)
    assert result.colliders == ()
    assert result.error is not None
    assert says in result.error
    assert "\n" not in result.error


@LINUX
def test_what_hangs_is_ended_with_all_it_started(monkeypatch):
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK", mark)
    seen = []

    def look() -> bool:
        seen.extend(processes_with(mark))
        return not seen

    with pytest.raises(InterruptedError):
        run("hangs", go_on=look)
    assert seen
    assert processes_with(mark) == []


@LINUX
@pytest.mark.parametrize("orphan", [False, True])
@pytest.mark.parametrize("then", ["answers", "crashes", "hangs"])
def test_a_process_in_a_session_of_its_own_is_ended_too(monkeypatch, then, orphan):
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK", mark)
    options = {"then": then, "orphan": orphan}
    if then == "hangs":
        with pytest.raises(InterruptedError):
            run("leaves", options=options, go_on=lambda: not processes_with(mark))
    else:  # the peer has waited for the process to start
        said = {"answers": "None", "crashes": "crashed (SIGSEGV)"}[then]
        assert said in str(run("leaves", options=options).error)
    assert processes_with(mark) == []


def test_what_takes_too_long_is_ended():
    assert run("sleeps", timeout=0.5).error == "no answer in 0.5 s"


def test_endless_printing_costs_no_memory(monkeypatch):
    kept = []
    real = peers._Pipes

    def pipes(*given):
        kept.append(real(*given))
        return kept[-1]

    monkeypatch.setattr(peers, "_Pipes", pipes)
    result = run("prints_64_mb")
    assert result.error is None
    assert len(kept[0].printed) == peers._TAIL
    assert kept[0].printed.endswith(b"the end")


@LINUX
def test_memory_that_is_used_is_limited():
    assert run("eats_memory", memory=0.5).error == "used more than 0.5 GiB of memory"


@LINUX
def test_memory_that_is_only_reserved_is_not():
    assert run("reserves_address_space", memory=0.5).error is None


def test_cpu_seconds_are_of_all_threads_and_of_the_method_alone():
    """`works` spends a second while it is loaded, which does not count."""
    result = run("works")
    assert result.cpu_seconds is not None
    assert result.wall_seconds is not None
    spent = 2 * 0.25  # two threads
    assert spent <= result.cpu_seconds < spent + 1


def test_what_is_not_installed_says_how_to_get_it():
    result = run_peer(fake("boxes", package="no-such-package"), specimens.box(), timeout=9, memory=4)
    assert result.error == "not installed: pip install 'hitbox[peers]'"


def test_no_file_is_left_anywhere(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("boxes", "crashes"):
        run(name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", PEERS)
def test_the_real_ones_answer(name):
    pytest.importorskip({"vhacd": "vhacdx"}.get(name, name))
    mesh = specimens.box((3, 1, 1))
    result = run_peer(PEERS[name], mesh, timeout=600, memory=4)
    assert result.error is None
    assert result.collider is not None
    assert result.collider.counts.keys() == {"hull"}
    assert result.collider.bounds == pytest.approx(mesh.bounds, abs=0.1)


@pytest.mark.parametrize(
    "change",
    [
        {"colliders": []},
        {"colliders": [{"format": "other"}]},
        {"cpu_seconds": "many"},
        {"error": "and colliders"},
        {"notes": None},
    ],
)
def test_what_is_no_result_is_refused(change, good):
    with pytest.raises((ValueError, KeyError, TypeError, InputError)):
        PeerResult.from_dict(good.to_dict() | change)


def test_vhacd_gets_faces_that_it_understands():
    """It needs the number of corners before each face. Without it a cube becomes 64 slivers."""
    box = specimens.box()
    found = run_peer(PEERS["vhacd"], box, timeout=600, memory=8)
    assert found.collider is not None, found.error
    assert len(found.collider) == 1
    assert found.collider.volume == pytest.approx(np.prod(np.ptp(box.bounds, axis=0)), rel=0.01)
