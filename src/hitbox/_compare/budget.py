"""hitbox's budget in a comparison: a share of a peer's bytes, a count, or a distance.

The search for the count that fits a budget is not part of the method, so it is not timed. The run with that
count is timed. `peers.py` names `in_child` and `levels_in_child` as entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.lengths import parse_length
from hitbox._methods.fit import fit, fit_tree
from hitbox._methods.fit_options import MOST_SHAPES
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh

LEVELS = (4, 8, 16, 32, 64, 128, 256)  # the curve of distance over bytes
FINEST = 1024  # the most shapes that the search for a tolerance tries
MOST_SHARE = 1000
_LEAST_BYTES = 16  # of one shape: a sphere
_USUAL_BYTES = 38
_CLOSE = 0.99  # fraction of the bytes at which the search stops
_TRIES = 6
_SHARE = r"\d{1,9}(/\d{1,9})?|\d{0,9}\.\d{1,9}"
_KINDS = "bytes=1/3 (of a peer's), count=64 or tolerance=1%"


@dataclass(frozen=True)
class Budget:
    """A parsed budget: `kind` is "bytes", "count" or "tolerance", `text` its value as the caller wrote it."""

    kind: str
    text: str

    @staticmethod
    def parse(text: object) -> Budget:
        """Parse "bytes=1/3", "count=64" or "tolerance=1%", or raise InputError."""
        if isinstance(text, Budget):
            return text
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(\S+)\s*", text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"compare: budget: {text!r:.80} is not a budget. Give {_KINDS}.")
        kind, value = match.groups()
        checks.one_of("compare: budget", kind, ("bytes", "count", "tolerance"), "budget")
        budget = Budget(kind, value)
        if kind == "bytes":
            _ = budget.share
        elif kind == "count":
            _ = budget.count
        else:
            budget.tolerance(1.0, None)
        return budget

    @property
    def share(self) -> Fraction:
        """Return the share of a peer's bytes."""
        share = Fraction(0)
        if re.fullmatch(_SHARE, self.text):  # no exponents: Fraction would expand them to all their digits
            with suppress(ZeroDivisionError):
                share = Fraction(self.text)
        if not 0 < share <= MOST_SHARE:
            raise InputError(
                f"compare: budget: bytes={self.text:.80}: must be a share of a peer's bytes such as 1/3 or "
                f"0.5, more than 0 and at most {MOST_SHARE}."
            )
        return share

    @property
    def count(self) -> int:
        number = int(self.text) if re.fullmatch(r"\d{1,9}", self.text) else self.text
        return checks.whole("compare: budget: count", number, 1, MOST_SHAPES)

    def tolerance(self, diagonal: float, unit: str | None) -> float:
        """Return the tolerance as a fraction of the diagonal."""
        length = parse_length(self.text, diagonal, unit, name="compare: budget: tolerance")
        if not length > 0:
            raise InputError("compare: budget: tolerance: must be a length of more than 0, such as 1%.")
        return length / diagonal

    def __str__(self) -> str:
        return f"{self.kind}={self.text}"


def in_child(**options: Any) -> _WithinBudget:
    return _WithinBudget(**options)


class _WithinBudget:
    """hitbox in a child process. At most one of the first three options is given; without one, hitbox picks
    the count.
    """

    def __init__(
        self,
        nbytes: int | None = None,
        count: int | None = None,
        tolerance: float | None = None,
        samples: int = 0,
        seed: int = 0,
    ) -> None:
        self._nbytes, self._count, self._tolerance = nbytes, count, tolerance
        self._samples, self._seed = samples, seed
        self._run: Callable[[Mesh], Collider] = lambda mesh: fit(mesh, count)

    def prepare(self, mesh: Mesh) -> tuple[str, ...]:
        """Find the count, and return notes about it."""
        if self._nbytes is not None:
            count, note = count_within_bytes(lambda n: fit(mesh, n).nbytes, self._nbytes, mesh.face_count)
            self._run = lambda mesh: fit(mesh, count)
            return note
        if self._tolerance is not None:
            return self._prepare_tolerance(mesh, self._tolerance)
        return ()

    def _prepare_tolerance(self, mesh: Mesh, tolerance: float) -> tuple[str, ...]:
        from hitbox._judges.evaluate import evaluate

        tree = fit_tree(mesh, FINEST)

        def distance(count: int) -> float:
            found = evaluate(mesh, tree.at(count), samples=self._samples, seed=self._seed)
            return found.outer_surface.hausdorff

        count, note = count_within_distance(distance, tolerance)
        self._run = lambda mesh: fit_tree(mesh, FINEST).at(count)
        return note

    def __call__(self, mesh: Mesh) -> Collider:
        return self._run(mesh)


def levels_in_child() -> Callable[[Mesh], Any]:
    """Return a method that makes one collider per level of detail from one tree, without repeated levels."""

    def run(mesh: Mesh) -> tuple[Collider, ...]:
        tree = fit_tree(mesh, LEVELS[-1])
        colliders: list[Collider] = []
        for count in LEVELS:
            level = tree.at(count)
            if not colliders or level.shapes != colliders[-1].shapes:
                colliders.append(level)
        return tuple(colliders)

    return run


def count_within_bytes(nbytes: Callable[[int], int], most: int, faces: int) -> tuple[int, tuple[str, ...]]:
    """Return about the largest count whose collider has at most `most` bytes, and notes.

    A fit may take seconds, so the search uses few of them, mostly two or three. The first guesses scale the
    last count to slightly less than the budget. Once there is a count on either side, the next guess
    interpolates linearly between them, or bisects if the last interpolation stayed on the same side.
    Guaranteed: at most `most` bytes (unless one shape has more). The count is the largest possible unless the
    search stopped early, at _CLOSE of the bytes or after _TRIES fits.
    """
    fits, kept, too_many, over = 0, 0, min(faces, MOST_SHAPES) + 1, 0
    guess, tries, found, fitted = most // _USUAL_BYTES, 0, 0, False
    while fits + 1 < too_many:
        count = min(max(guess, fits + 1), too_many - 1)
        before, fitted_before = found, fitted
        found = nbytes(count)
        fitted = found <= most
        tries += 1
        if fitted:
            fits, kept = count, found
        else:
            too_many, over = count, found
        if fits and (kept >= _CLOSE * most or tries >= _TRIES):
            break
        if fits and over:
            part = 0.5 if fitted == fitted_before else (most - kept) / (over - kept)
            guess = fits + floor(part * (too_many - fits))
        elif found == before:  # the same shapes again: take a larger step
            guess = 2 * count if fitted else count // 2
        else:
            guess = floor(count * (1 + _CLOSE) / 2 * most / max(found, _LEAST_BYTES))
    if fits == 0:
        return 1, (f"one shape already has more than {most:,} bytes",)
    return fits, ()


def count_within_distance(distance: Callable[[int], float], most: float) -> tuple[int, tuple[str, ...]]:
    """Return the fewest shapes, up to FINEST, whose distance is at most `most`, by bisection, and notes."""
    far, within = 0, FINEST
    found = distance(within)
    if found > most:
        return within, (
            f"not reached: with {FINEST:,} shapes the largest distance is still {found:.3%} of the diagonal",
        )
    while within - far > 1:
        count = (far + within) // 2
        if distance(count) <= most:
            within = count
        else:
            far = count
    return within, ()
