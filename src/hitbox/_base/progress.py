"""The arguments that report on long verbs and stop them: `progress=`, a function, and `cancel=`, a flag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from hitbox._base.errors import InputError

Progress: TypeAlias = Callable[[str, float], object]  # (stage, fraction done); returning False stops the run
Report: TypeAlias = Callable[[str, float], bool]


class Cancel(Protocol):
    """The type of `cancel=`, such as a threading.Event."""

    def is_set(self) -> bool: ...


def reporter(verb: str, progress: Progress | None, cancel: Cancel | None) -> Report | None:
    """Combine both into one function that returns whether to continue; None if both are None."""
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
