"""Child processes: their memory and time, how they ended, and the output that is kept of them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from typing import IO


def descendants(pid: int) -> Iterator[int]:
    yield pid
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                for each in file.read().split():
                    yield from descendants(int(each))


def resident_bytes(pid: int) -> int:
    """Return the memory of the process and its descendants; 0 if the system does not report it."""
    total = 0
    for each in descendants(pid):
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{each}/statm", "rb") as file:
            total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Return whether the process exists; true if the system does not allow the question."""
    if sys.platform == "win32":  # os.kill would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def keep(pipe: IO[bytes], kept: bytearray, most: int, last: bool) -> None:
    """Read the pipe to its end, and keep the first or the last `most` bytes."""
    with contextlib.suppress(OSError, ValueError):
        while data := os.read(pipe.fileno(), 1 << 16):
            if last:
                kept += data
                del kept[: max(0, len(kept) - most)]
            elif len(kept) < most:
                kept += data


def how_it_ended(code: int, printed: bytes) -> str:
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"crashed ({name}){last_line(printed)}"
    return f"ended with exit code {code}{last_line(printed)}"


def last_line(printed: bytes) -> str:
    """Return the last line of the output for a message: at most 160 characters, printable ones only."""
    lines = [line for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return ""
    last = "".join(c if c.isprintable() else " " for c in lines[-1])
    return f": {' '.join(last.split())[:160]}"


def end_with_parent() -> None:
    """On Linux, end this process when its parent dies, whatever the cause."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def cpu_seconds() -> float:
    """Return the CPU time of all threads, and of child processes that have ended."""
    try:
        import resource
    except ImportError:
        return time.process_time()
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def peak_bytes() -> int | None:
    """Return the peak memory. Linux: not ru_maxrss, which starts with the parent's peak."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/status", "rb") as file:
        for line in file:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(ImportError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(most) * (1 if sys.platform == "darwin" else 1024)
    return None


def reset_peak() -> None:
    """Restart the peak that `peak_bytes` reports, where the system supports it (Linux)."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "wb") as file:
        file.write(b"5")


def one_line(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
