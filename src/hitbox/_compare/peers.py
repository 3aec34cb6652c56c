"""The methods that are compared, and how one is run: in a process of its own, with a time and a memory limit.

Holds: whatever the method does (crash, hang, eat memory, print, answer nonsense, start processes of its own),
`run_peer` comes back with colliders or with one plain sentence, and no process and no file is left behind.
(Where there is no /proc, a process that left the group of its parent stays.)
The mesh goes in and the answer comes out through pipes (`child.py` is the other end).
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
_LOOK_EVERY = 0.02  # seconds between looks at a running child
_TAIL = 4096  # bytes of what a child printed that are kept for the message
_MARK = "HITBOX_COMPARE_RUN"  # in the environment of a child and of all it starts
_SWEEPS = 20
_START = "import sys; sys.path[:] = {path!r}; from hitbox._compare.child import main; main()"


@dataclass(frozen=True)
class Peer:
    """A method that can be compared.

    `entry` names a function, "module:name". It runs in the child, imports what the method needs and returns
    the function that is timed, which takes a Mesh and returns anything that Collider.of takes.
    """

    name: str
    label: str
    package: str  # as pip calls it: its version is part of what is kept
    entry: str
    install: str = "pip install 'hitbox[peers]'"


# One line a peer. The defaults of its library are the ones that are compared.
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

    # It takes faces as VTK has them, each with its number of corners first; without, it makes nonsense.
    return lambda mesh: vhacdx.compute_vhacd(mesh.vertices, np.insert(mesh.triangles, 0, 3, axis=1))


@dataclass(frozen=True)
class PeerResult:
    """What became of one run. Seconds are of the method alone: starting Python and imports do not count."""

    colliders: tuple[Collider, ...] = ()
    error: str | None = None  # a sentence; then there are no colliders
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
        """Raises ValueError, KeyError or TypeError for what `to_dict` did not write."""
        colliders = tuple(collider_json.read(json.dumps(c).encode(), "kept") for c in data["colliders"])
        error = None if data["error"] is None else _utf8(str(data["error"]))
        if (error is None) == (not colliders):
            raise ValueError("either colliders or an error")
        measured = [data[key] for key in ("cpu_seconds", "wall_seconds", "peak_bytes")]
        cpu, wall, peak = (None if value is None else float(value) for value in measured)
        notes = tuple(_utf8(str(note)) for note in data["notes"])
        return PeerResult(colliders, error, cpu, wall, None if peak is None else int(peak), notes)


def version_of(peer: Peer) -> str | None:
    """The installed version; None: not installed."""
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
    """Runs `peer` on `mesh`; `timeout` in seconds from the start of the process, `memory` in GiB.

    `go_on` is asked many times a second; False kills the run and raises InterruptedError, as Ctrl-C does
    with KeyboardInterrupt. The memory limit is on what is really used, looked at many times a second; where
    that cannot be seen (only Linux shows it), on the address space.
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
        start_new_session=True,  # so that all it starts can be ended with it
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
    """Feeds the mesh to a child and keeps its answer and the end of what it printed."""

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
        """Once the child is gone its ends are closed, so the threads end by themselves."""
        for thread in self._threads:
            thread.join(timeout=5)
        for file, thread in zip(self._files, self._threads, strict=True):
            if not thread.is_alive():  # else a process that could not be found still holds the pipe
                with contextlib.suppress(OSError):
                    file.close()


def _feed(pipe: IO[bytes], mesh: Mesh) -> None:
    with contextlib.suppress(OSError):  # the child may end before it has read all
        for array in (mesh.vertices, mesh.indices, mesh.offsets):
            file = io.BytesIO()  # numpy wants to know where it is in a file, and a pipe does not say
            np.save(file, array, allow_pickle=False)
            pipe.write(file.getbuffer())
        pipe.close()


def _wait(
    child: subprocess.Popen[bytes], timeout: float, memory: int, go_on: Callable[[], bool] | None
) -> str | None:
    """Waits for the end; a sentence if a limit was passed."""
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
    """The child, its group, and what left the group: what is below the child or inherited its mark."""
    below = list(descendants(child.pid)) if child.poll() is None else []
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    kill(below)
    child.wait()
    for _ in range(_SWEEPS):  # one may have started another while we looked
        marked = list(_marked(mark))
        if not marked:
            break
        kill(marked)


def _marked(mark: bytes) -> Iterator[int]:
    """The processes that have `mark` in their environment; none where the system does not tell."""
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
        said = "an answer that cannot be read" if pipes.answer else "no answer"
        return PeerResult(error=f"ended with {said}{last_line(bytes(pipes.printed))}")
