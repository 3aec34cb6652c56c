"""The other end of `peers.run_peer`: runs one method on one mesh and hands back JSON.

What the method prints goes to stderr, so that nothing but the answer is on the pipe that was stdout.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import io
import json
import os
import signal
import sys
import time
from typing import Any

import numpy as np


def main() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)
    _end_with_parent()
    given = json.loads(sys.argv[1])
    _limit(given["memory"])
    result = _run(given["entry"], given["options"])
    with os.fdopen(answer, "wb") as pipe:
        pipe.write(json.dumps(result).encode())
    sys.stdout.flush()
    os._exit(0)  # a library that crashes in its destructors has answered all the same


def _end_with_parent() -> None:
    """Linux: the parent's death, however it died, ends us too."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _limit(memory: int) -> None:
    """Where the parent cannot see what is used: the address space."""
    if not os.path.exists("/proc/self/statm"):
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _run(entry: str, options: dict[str, Any]) -> dict[str, Any]:
    from hitbox.compare.peers import PeerResult
    from hitbox.errors import InputError
    from hitbox.mesh import Mesh

    given = io.BytesIO(sys.stdin.buffer.read())
    vertices, indices, offsets = (np.load(given, allow_pickle=False) for _ in range(3))
    mesh = Mesh._from_arrays(
        vertices, indices, offsets,
        part=None, material=None, part_names=(), material_names=(), name=None, unit=None, up=None,
    )  # fmt: skip
    _ = mesh.triangles  # made once, so that no method pays for it
    try:
        module, name = entry.split(":")
        method = getattr(importlib.import_module(module), name)(**options)
        notes: tuple[str, ...] = ()
        if hasattr(method, "prepare"):  # what is not part of the method: looking for a count
            notes = method.prepare(mesh)
        cpu, wall = _cpu_seconds(), time.perf_counter()
        pieces = method(mesh)
        cpu, wall = _cpu_seconds() - cpu, time.perf_counter() - wall
        peak = _peak_bytes()
        colliders = _colliders(pieces)
    except MemoryError:
        return PeerResult(error="ran out of memory").to_dict()
    except ImportError as error:
        return PeerResult(error=f"cannot be loaded: {_one_line(error)}").to_dict()
    except InputError as error:
        return PeerResult(error=_one_line(error)).to_dict()
    except Exception as error:  # whatever a peer raises is a row
        return PeerResult(error=f"{type(error).__name__}: {_one_line(error)}").to_dict()
    notes += tuple(note for collider in colliders[:1] for note in collider.status.notes)
    return PeerResult(colliders, None, cpu, wall, peak, notes).to_dict()


def _colliders(pieces: Any) -> tuple[Any, ...]:
    """One collider; several only from a method that says so by a tuple of colliders."""
    from hitbox.collider import Collider

    if isinstance(pieces, tuple) and pieces and all(isinstance(each, Collider) for each in pieces):
        return pieces
    return (Collider.of(pieces),)


def _cpu_seconds() -> float:
    """Of all threads, and of processes that have ended."""
    try:
        import resource
    except ImportError:
        return time.process_time()
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def _peak_bytes() -> int | None:
    """Not ru_maxrss on Linux: it starts with what the parent had."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(ImportError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(most) * (1 if sys.platform == "darwin" else 1024)
    return None


def _one_line(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
