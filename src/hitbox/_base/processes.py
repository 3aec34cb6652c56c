"""Child processes: what the system says of them, how they end, and what they keep to say of themselves."""

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
    """Of the process and all below it; 0 where the system does not tell."""
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
    """Whether there is a process of that number; yes where we may not know."""
    if sys.platform == "win32":  # to ask there is to end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def keep(pipe: IO[bytes], kept: bytearray, most: int, last: bool) -> None:
    """Reads to the end; keeps the first or the last `most` bytes."""
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
    """The last line it printed, for the sentence; at most 160 characters, nothing that is not text."""
    lines = [line for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return ""
    last = "".join(c if c.isprintable() else " " for c in lines[-1])
    return f": {' '.join(last.split())[:160]}"


def end_with_parent() -> None:
    """Linux: the parent's death, however it died, ends us too."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def cpu_seconds() -> float:
    """Of all threads, and of processes that have ended."""
    try:
        import resource
    except ImportError:
        return time.process_time()
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def peak_bytes() -> int | None:
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


def reset_peak() -> None:
    """From here on `peak_bytes` counts anew, where the system can do that (Linux)."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "wb") as file:
        file.write(b"5")


def one_line(error: BaseException) -> str:
    return " ".join((str(error) or type(error).__name__).split())[:300]
