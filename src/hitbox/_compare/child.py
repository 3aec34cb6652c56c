"""The child process of `peers.run_peer`: run one method on one mesh and return JSON.

Output that the method prints goes to stderr, so that the pipe that was stdout has nothing but the answer.
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
    os._exit(0)  # skip destructors, in which some libraries crash


def _limit(memory: int) -> None:
    """Limit the address space if the parent cannot see the memory used."""
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
    _ = mesh.triangles  # compute the triangles here, so that no method is charged for them
    try:
        module, name = entry.split(":")
        method = getattr(importlib.import_module(module), name)(**options)
        notes: tuple[str, ...] = ()
        if hasattr(method, "prepare"):  # the search for a count is not part of the method
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
    except Exception as error:  # any error of a peer becomes a row
        return PeerResult(error=f"{type(error).__name__}: {one_line(error)}").to_dict()
    notes += tuple(note for collider in colliders[:1] for note in collider.status.notes)
    return PeerResult(colliders, None, cpu, wall, peak, notes).to_dict()


def _colliders(pieces: Any) -> tuple[Any, ...]:
    """Return one collider, or several if the method returned a tuple of colliders."""
    from hitbox._model.collider import Collider

    if isinstance(pieces, tuple) and pieces and all(isinstance(each, Collider) for each in pieces):
        return pieces
    return (Collider.of(pieces),)
