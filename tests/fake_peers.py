"""Peers that misbehave, each in its own way. They run in the children of test_compare_peers.py."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time


def boxes():
    """A correct peer that also prints: one box around the mesh."""

    def run(mesh):
        print("rubbish on stdout " * 10_000)
        print("rubbish on stderr", file=sys.stderr)
        os.write(1, b"\xff\xfe{}\0 more rubbish")
        low, high = mesh.bounds
        corners = [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
        return [(corners, [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])]

    return run


def within():
    """A box inside the mesh, which hides it."""

    def run(mesh):
        [(corners, triangles)] = boxes()(mesh)
        middle = mesh.bounds.mean(axis=0)
        return [((corners - middle) / 2 + middle, triangles)]

    return run


def exits():
    return lambda mesh: os._exit(3)


def crashes():
    return lambda mesh: ctypes.string_at(0)


def raises():
    def run(mesh):
        raise RuntimeError("no <idea>\nat all")

    return run


def unsayable():
    """Raises a message that cannot be encoded."""

    def run(mesh):
        raise RuntimeError("\udce9")

    return run


def hangs():
    """Hangs, and starts a process that hangs too."""

    def run(mesh):
        sleep = f"import time; time.sleep(1000)  # {os.environ['MARK']}"
        subprocess.Popen([sys.executable, "-c", sleep], stdout=sys.stderr)
        time.sleep(1000)

    return run


def leaves(then: str, orphan: bool):
    """Starts a process in a session of its own; with `orphan`, one that is not a descendant any more."""

    def run(mesh):
        sleep = f"import time; print(flush=True); time.sleep(1000)  # {os.environ['MARK']}"
        start = f"import os, sys; os.fork() or os.execv(sys.executable, [sys.executable, '-c', {sleep!r}])"
        code = start if orphan else sleep
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
        assert child.stdout.readline(), "it has not started"
        if orphan:
            child.wait()
        if then == "hangs":
            time.sleep(1000)
        return {"answers": boxes, "crashes": crashes}[then]()(mesh)

    return run


def eats_memory():
    def run(mesh):
        eaten = []
        while True:
            eaten.append(bytearray(b"x" * 10_000_000))
            time.sleep(0.002)

    return run


def reserves_address_space():
    """Reserves memory and never touches it, so it is not used."""

    def run(mesh):
        import mmap

        no_reserve = getattr(mmap, "MAP_NORESERVE", 0x4000)
        with mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve):
            time.sleep(0.2)
            return boxes()(mesh)

    return run


def prints_64_mb():
    def run(mesh):
        for _ in range(64):
            os.write(1, b"rubbish " * (1 << 17))
        answer = boxes()(mesh)
        os.write(1, b"the end")
        return answer

    return run


def sleeps():
    return lambda mesh: time.sleep(1000)


def answers_nonsense():
    return lambda mesh: {"pieces": 3}


def answers_nothing():
    return lambda mesh: []


def writes_to_all_files():
    """Writes to all open files, including the answer's pipe."""

    def run(mesh):
        for number in range(3, 64):
            try:
                os.write(number, b"rubbish")
            except OSError:
                continue
        return boxes()(mesh)

    return run


def works():
    """Uses a quarter of a CPU second in each of two threads, after a second that does not count."""

    def work(seconds):
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass

    work(1)

    def run(mesh):
        threads = [threading.Thread(target=work, args=(0.25,)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return boxes()(mesh)

    return run
