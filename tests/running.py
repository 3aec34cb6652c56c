"""List the machine's processes from /proc, for tests that none is left behind."""

from __future__ import annotations

from pathlib import Path


def processes_with(mark: str) -> list[str]:
    """Return the processes whose command line contains `mark`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found
