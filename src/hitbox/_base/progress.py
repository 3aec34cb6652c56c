"""What long verbs are told while they run: `progress=`, a function to call, and `cancel=`, a flag to ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from hitbox._base.errors import InputError

Progress: TypeAlias = Callable[[str, float], object]  # the stage, the fraction done; False stops the run
Report: TypeAlias = Callable[[str, float], bool]


class Cancel(Protocol):
    """What `cancel=` takes: a threading.Event, say."""

    def is_set(self) -> bool: ...


def reporter(verb: str, progress: Progress | None, cancel: Cancel | None) -> Report | None:
    """Both as one function, which says whether to go on; None where neither was given."""
    if progress is not None and not callable(progress):
        raise InputError(f"{verb}: progress: must be a function of the stage and the fraction done.")
    if cancel is not None and not hasattr(cancel, "is_set"):
        raise InputError(f"{verb}: cancel: must have is_set(), like a threading.Event.")
    if progress is None and cancel is None:
        return None

    def go_on(stage: str, fraction: float) -> bool:
        stopped = cancel is not None and cancel.is_set()
        return not stopped and (progress is None or progress(stage, fraction) is not False)

    return go_on
