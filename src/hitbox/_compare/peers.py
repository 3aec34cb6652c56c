"""The compared methods. Each runs in a process of its own, with a time and a memory limit.

Guaranteed: whatever the method does (crash, hang, exhaust memory, print, return nonsense, start processes),
`run_peer` returns colliders or one sentence, and leaves no process and no file behind. (Without /proc, a
process that left its parent's group stays.) Pipes carry the mesh to the child (`child.py`) and the answer
back.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.processes import descendants, how_it_ended, keep, kill, last_line, resident_bytes
from hitbox._formats import collider_json
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh, _utf8

GIB = 1 << 30
_LOOK_EVERY = 0.02  # seconds between checks of a running child
_TAIL = 4096  # bytes of the child's output to keep for the message
_MARK = "HITBOX_COMPARE_RUN"  # environment variable of a child and all its descendants
_SWEEPS = 20
_START = "import sys; sys.path[:] = {path!r}; from hitbox._compare.child import main; main()"


@dataclass(frozen=True)
class Peer:
    """A method to compare.

    `entry` names a function, "module:name". It runs in the child, imports the libraries of the method and
    returns the function to time, which takes a Mesh and returns anything that Collider.of takes.
    """

    name: str
    label: str
    package: str  # its name for pip; results are stored by its version
    entry: str
    install: str = "pip install 'hitbox[peers]'"


# One line per peer. Peers run with the defaults of their libraries.
PEERS: dict[str, Peer] = {
    "coacd": Peer("coacd", "CoACD", "coacd", "hitbox._compare.peers:coacd"),
    "vhacd": Peer("vhacd", "V-HACD", "vhacdx", "hitbox._compare.peers:vhacd"),
}
HITBOX = Peer("hitbox", "hitbox", "hitbox", "hitbox._compare.budget:in_child")
LEVELS = Peer("levels", "hitbox's levels of detail", "hitbox", "hitbox._compare.budget:levels_in_child")


def coacd() -> Callable[[Mesh], Any]:
    import coacd

    coacd.set_log_level("error")
    return lambda mesh: coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles))


def vhacd() -> Callable[[Mesh], Any]:
    import vhacdx

    # vhacdx takes faces in VTK's layout, each preceded by its number of corners. Without it the result is
    # wrong.
    return lambda mesh: vhacdx.compute_vhacd(mesh.vertices, np.insert(mesh.triangles, 0, 3, axis=1))


@dataclass(frozen=True)
class PeerResult:
    """The result of one run. The seconds are those of the method alone, without Python's start and
    imports.
    """

    colliders: tuple[Collider, ...] = ()
    error: str | None = None  # one sentence, if there are no colliders
    cpu_seconds: float | None = None  # of all threads
    wall_seconds: float | None = None
    peak_bytes: int | None = None  # of the whole process
    notes: tuple[str, ...] = field(default=())

    @property
    def collider(self) -> Collider | None:
        return self.colliders[0] if self.colliders else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "colliders": [json.loads(collider_json.write(collider)) for collider in self.colliders],
            "error": self.error,
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
            "peak_bytes": self.peak_bytes,
            "notes": list(self.notes),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> PeerResult:
        """Read the output of `to_dict`, or raise ValueError, KeyError or TypeError."""
        colliders = tuple(collider_json.read(json.dumps(c).encode(), "kept") for c in data["colliders"])
        error = None if data["error"] is None else _utf8(str(data["error"]))
        if (error is None) == (not colliders):
            raise ValueError("either colliders or an error")
        measured = [data[key] for key in ("cpu_seconds", "wall_seconds", "peak_bytes")]
        cpu, wall, peak = (None if value is None else float(value) for value in measured)
        notes = tuple(_utf8(str(note)) for note in data["notes"])
        return PeerResult(colliders, error, cpu, wall, None if peak is None else int(peak), notes)


def version_of(peer: Peer) -> str | None:
    """Return the installed version, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(peer.package)
    except PackageNotFoundError:
        return None


def run_peer(
    peer: Peer,
    mesh: Mesh,
    *,
    timeout: float,
    memory: float,
    options: Mapping[str, Any] | None = None,
    go_on: Callable[[], bool] | None = None,
) -> PeerResult:
    """Run `peer` on `mesh`, with `timeout` in seconds from the start of the process and `memory` in GiB.

    `go_on` is called many times per second. If it returns False, the run is killed and InterruptedError
    raised; Ctrl-C does the same with KeyboardInterrupt. The memory limit applies to the memory actually used,
    sampled many times per second. Only Linux reports it; elsewhere the limit applies to the address space.
    """
    if version_of(peer) is None:
        return PeerResult(error=f"not installed: {peer.install}")
    code = _START.format(path=[*sys.path])
    what = json.dumps({"entry": peer.entry, "options": dict(options or {}), "memory": int(memory * GIB)})
    mark = f"{_MARK}={uuid.uuid4().hex}"
    child = subprocess.Popen(
        [sys.executable, "-c", code, what],
        env={**os.environ, **dict([mark.split("=")])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # its descendants can then be ended with it
    )
    pipes = _Pipes(child, mesh, int(memory * GIB))
    try:
        stopped = _wait(child, timeout, int(memory * GIB), go_on)
    finally:
        _kill_all(child, mark.encode())
        pipes.close()
    if stopped is not None:
        return PeerResult(error=stopped)
    return _result(child.returncode, pipes)


class _Pipes:
    """Threads that send the mesh to a child and keep its answer and the end of its output."""

    def __init__(self, child: subprocess.Popen[bytes], mesh: Mesh, most: int) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self.answer = bytearray()
        self.printed = bytearray()
        self._files = (child.stdin, child.stdout, child.stderr)
        jobs: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
            (_feed, (child.stdin, mesh)),
            (keep, (child.stdout, self.answer, most, False)),
            (keep, (child.stderr, self.printed, _TAIL, True)),
        ]
        self._threads = [threading.Thread(target=job, args=given, daemon=True) for job, given in jobs]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Close the pipes. The threads end by themselves once the child is gone."""
        for thread in self._threads:
            thread.join(timeout=5)
        for file, thread in zip(self._files, self._threads, strict=True):
            if not thread.is_alive():  # otherwise a process that was not found still holds the pipe
                with contextlib.suppress(OSError):
                    file.close()


def _feed(pipe: IO[bytes], mesh: Mesh) -> None:
    with contextlib.suppress(OSError):  # the child may end before it has read everything
        for array in (mesh.vertices, mesh.indices, mesh.offsets):
            file = io.BytesIO()  # numpy needs a file position, which a pipe does not have
            np.save(file, array, allow_pickle=False)
            pipe.write(file.getbuffer())
        pipe.close()


def _wait(
    child: subprocess.Popen[bytes], timeout: float, memory: int, go_on: Callable[[], bool] | None
) -> str | None:
    """Wait for the end; return a sentence if the child exceeded a limit."""
    ends = time.monotonic() + timeout
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_LOOK_EVERY)
            return None
        if go_on is not None and not go_on():
            raise InterruptedError("compare was stopped")
        if time.monotonic() > ends:
            return f"no answer in {timeout:g} s"
        if resident_bytes(child.pid) > memory:
            return f"used more than {memory / GIB:g} GiB of memory"


def _kill_all(child: subprocess.Popen[bytes], mark: bytes) -> None:
    """Kill the child, its group, and processes that left the group: descendants, and those that inherited its
    mark.
    """
    below = list(descendants(child.pid)) if child.poll() is None else []
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    kill(below)
    child.wait()
    for _ in range(_SWEEPS):  # a process may start another one during the sweep
        marked = list(_marked(mark))
        if not marked:
            break
        kill(marked)


def _marked(mark: bytes) -> Iterator[int]:
    """Return the processes with `mark` in their environment, or none if the system does not report
    environments.
    """
    for pid in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{int(pid)}/environ", "rb") as file:
            if mark in file.read().split(b"\0"):
                yield int(pid)


def _result(code: int, pipes: _Pipes) -> PeerResult:
    if code != 0:
        return PeerResult(error=how_it_ended(code, bytes(pipes.printed)))
    try:
        return PeerResult.from_dict(json.loads(bytes(pipes.answer)))
    except (ValueError, KeyError, TypeError, InputError):
        answer = "an answer that cannot be read" if pipes.answer else "no answer"
        return PeerResult(error=f"ended with {answer}{last_line(bytes(pipes.printed))}")
