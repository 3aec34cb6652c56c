"""A verb that does what the asset's name says, usually something bad. It runs in the workers of a batch."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time

from hitbox import Box, Collider, InputError
from hitbox._model.collider import Status


def by_name(mesh, *, options, threads=0, cancel=None):
    print("rubbish on stdout", flush=True)
    word = mesh.name.split(".")[0].split("-")[0]
    WAYS.get(word, lambda mesh, options, cancel: None)(mesh, options, cancel)
    return around(mesh, word != "partial")


def around(mesh, complete=True):
    """Return one box around the mesh, which takes no time."""
    low, high = mesh.bounds
    box = Box(tuple((low + high) / 2), (0.0, 0.0, 0.0, 1.0), tuple((high - low) / 2))
    return Collider([box], status=Status(complete, () if complete else ("Fell short.",)))


def trivial(mesh, *, options, threads=0, cancel=None):
    return around(mesh)


def slow(mesh, *, options, threads=0, cancel=None):
    time.sleep(0.2)
    return around(mesh)


def _hangs(mesh, options, cancel):
    time.sleep(1000)


def _hangs_with_a_child(mesh, options, cancel):
    code = f"import time; print(flush=True); time.sleep(1000)  # {os.environ['MARK']}"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout.readline(), "it has not started"
    time.sleep(1000)


def _is_slow_unless_fast(mesh, options, cancel):
    while options.preset != "fast":
        if cancel.is_set():
            raise InterruptedError("cancelled")
        time.sleep(0.01)


def _crashes(mesh, options, cancel):
    ctypes.string_at(0)


def _crashes_unless_fast(mesh, options, cancel):
    if options.preset != "fast":
        ctypes.string_at(0)


def _eats(mesh, options, cancel):
    eaten = []
    while True:
        eaten.append(bytearray(b"x" * 10_000_000))
        time.sleep(0.002)


def _is_killed(mesh, options, cancel):
    os.kill(os.getpid(), 9)


def _exits(mesh, options, cancel):
    print("the last words", file=sys.stderr, flush=True)
    os._exit(3)


def _raises(mesh, options, cancel):
    raise RuntimeError("no <idea>\nat all")


def _refuses(mesh, options, cancel):
    raise InputError("not this one.")


def _says_rubbish(mesh, options, cancel):
    """Writes rubbish to all open files, including the answer's pipe."""
    for number in range(3, 64):
        try:
            os.write(number, b"rubbish\n")
        except OSError:
            continue
    time.sleep(1)


def _runs_out(mesh, options, cancel):
    raise MemoryError


def _takes_a_moment(mesh, options, cancel):
    time.sleep(0.15)


WAYS = {
    "hangs": _hangs, "child": _hangs_with_a_child, "slow": _is_slow_unless_fast, "crashes": _crashes,
    "unlucky": _crashes_unless_fast, "eats": _eats, "killed": _is_killed, "exits": _exits, "raises": _raises,
    "refuses": _refuses, "rubbish": _says_rubbish, "memory": _runs_out, "moment": _takes_a_moment,
}  # fmt: skip
