"""Whatever a peer does, it is a result with a plain sentence, and nothing of it stays behind."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path

import pytest
import specimens

from hitbox.compare.peers import PEERS, Peer, PeerResult, run_peer
from hitbox.errors import InputError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def fake(name: str, package: str = "numpy") -> Peer:
    return Peer(name, name, package, f"fake_peers:{name}")


def run(name: str, *, timeout: float = 30, memory: float = 4, **more) -> PeerResult:
    return run_peer(fake(name), specimens.box(), timeout=timeout, memory=memory, **more)


def processes_with(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


def test_an_answer_comes_through_whatever_is_printed():
    result = run("boxes")
    assert result.error is None
    assert result.collider is not None
    assert result.collider.counts == {"hull": 1}
    assert result.collider.volume == pytest.approx(1)
    assert result.cpu_seconds is not None
    assert result.peak_bytes is not None
    assert 0 <= result.cpu_seconds < 5
    assert 1e6 < result.peak_bytes < 4e9
    again = PeerResult.from_dict(result.to_dict())
    assert again == result


def test_a_peer_cannot_forge_its_answer_by_writing_to_every_file():
    result = run("writes_to_all_files")
    assert result.error is None or "cannot be read" in result.error


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
        return True

    started = time.monotonic()
    result = run("hangs", timeout=4, go_on=look)
    assert result.error == "no answer in 4 s"
    assert time.monotonic() - started < 20
    assert seen, "it had not started its process yet"
    assert processes_with(mark) == []


def test_endless_printing_costs_no_memory():
    result = run("prints_for_ever", timeout=3)
    assert result.error == "no answer in 3 s"


@LINUX
def test_memory_that_is_used_is_limited():
    started = time.monotonic()
    result = run("eats_memory", memory=0.5)
    assert result.error == "used more than 0.5 GiB of memory"
    assert time.monotonic() - started < 25


@LINUX
def test_memory_that_is_only_reserved_is_not():
    assert run("reserves_address_space", memory=0.5).error is None


def test_cpu_seconds_are_of_all_threads_and_of_the_method_alone():
    result = run("works")
    assert result.cpu_seconds is not None
    assert result.wall_seconds is not None
    idle = run("boxes")
    assert idle.cpu_seconds is not None
    assert result.cpu_seconds > idle.cpu_seconds + 0.05
    assert idle.cpu_seconds < 0.4  # less than what `works` spends before its work starts, and Python at all


def test_what_is_not_installed_says_how_to_get_it():
    result = run_peer(fake("boxes", package="no-such-package"), specimens.box(), timeout=9, memory=4)
    assert result.error == "not installed: pip install 'hitbox[peers]'"


@LINUX
def test_stopping_ends_the_child_at_once(monkeypatch):
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK", mark)
    stop = threading.Event()
    threading.Timer(2, stop.set).start()
    with pytest.raises(InterruptedError):
        run("hangs", go_on=lambda: not stop.is_set())
    assert processes_with(mark) == []


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
    result = run_peer(PEERS[name], mesh, timeout=120, memory=4)
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
def test_what_is_no_result_is_refused(change):
    good = run("boxes").to_dict()
    with pytest.raises((ValueError, KeyError, TypeError, InputError)):
        PeerResult.from_dict(good | change)
