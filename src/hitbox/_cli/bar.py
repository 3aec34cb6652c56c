"""The progress bar of long commands."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hitbox._base.progress import Report

_BAR_AFTER = 0.5  # seconds; a bar that only flashes up is useless


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Report | None]:
    """Show a bar on stderr, if that is a terminal and the work takes longer than a moment."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=1.0)

    def advance(stage: str, fraction: float) -> bool:
        if not bar.live.is_started and time.monotonic() - started > _BAR_AFTER:
            bar.start()
        bar.update(task, description=stage, completed=fraction)
        return True

    try:
        yield advance
    finally:
        bar.stop()
