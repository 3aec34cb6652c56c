"""The other end of `peers.run_peer`: runs one method on one mesh and hands back JSON.

What the method prints goes to stderr, so that nothing but the answer is on the pipe that was stdout.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import time
from typing import Any

import numpy as np

from hitbox._base.processes import cpu_seconds, end_with_parent, one_line, peak_bytes


def main() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)
    end_with_parent()
    given = json.loads(sys.argv[1])
    _limit(given["memory"])
    result = _run(given["entry"], given["options"])
    with os.fdopen(answer, "wb") as pipe:
        pipe.write(json.dumps(result).encode())
    sys.stdout.flush()
    os._exit(0)  # a library that crashes in its destructors has answered all the same


def _limit(memory: int) -> None:
    """Where the parent cannot see what is used: the address space."""
    if not os.path.exists("/proc/self/statm"):
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _run(entry: str, options: dict[str, Any]) -> dict[str, Any]:
    from hitbox._base.errors import InputError
    from hitbox._compare.peers import PeerResult
    from hitbox._model.mesh import Mesh

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
        cpu, wall = cpu_seconds(), time.perf_counter()
        pieces = method(mesh)
        cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
        peak = peak_bytes()
        colliders = _colliders(pieces)
    except MemoryError:
        return PeerResult(error="ran out of memory").to_dict()
    except ImportError as error:
        return PeerResult(error=f"cannot be loaded: {one_line(error)}").to_dict()
    except InputError as error:
        return PeerResult(error=one_line(error)).to_dict()
    except Exception as error:  # whatever a peer raises is a row
        return PeerResult(error=f"{type(error).__name__}: {one_line(error)}").to_dict()
    notes += tuple(note for collider in colliders[:1] for note in collider.status.notes)
    return PeerResult(colliders, None, cpu, wall, peak, notes).to_dict()


def _colliders(pieces: Any) -> tuple[Any, ...]:
    """One collider; several only from a method that says so by a tuple of colliders."""
    from hitbox._model.collider import Collider

    if isinstance(pieces, tuple) and pieces and all(isinstance(each, Collider) for each in pieces):
        return pieces
    return (Collider.of(pieces),)
