"""The solver of spheres, behind `fit_spheres` and `fit` with the kind sphere alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hitbox._base.progress import Report
from hitbox._model.mesh import Mesh
from hitbox._native import _core

MODES = ("conservative", "balanced")
MOST_SPHERES = _core.MOST_SPHERES
LADDER = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # counts to choose from
# fraction of the diagonal: how far spheres may stick out on average if no count is given
CLOSE_ENOUGH = 0.015


@dataclass(frozen=True)
class FittedSpheres:
    """Spheres, and measures of how closely they follow the mesh."""

    shapes: Any  # as the core returns them; a face is listed with each sphere that contains a part of it
    count: int  # the given or chosen count
    notes: tuple[str, ...]


def place_spheres(
    mesh: Mesh,
    count: int | None,
    mode: str,
    options: _core.FitOptions,
    *,
    least: int = 1,
    threads: int = 0,
    report: Report | None = None,
) -> FittedSpheres:
    """Place at most `count` spheres; without a count the fewest that stay close to the mesh, but at least
    `least`.

    Only the options `group_of_face`, `keep_clear` and `pad` have an effect.
    """
    exact, _ = mesh.clean("exact")

    def run(most: int, low: float, high: float) -> tuple[Any, dict[str, float]]:
        def part(stage: str, fraction: float) -> bool:
            return report is None or report(stage, low + (high - low) * fraction)

        told = _core.Run(threads, None if report is None else part)
        arrays = (exact.vertices, exact.indices, exact.offsets)
        return _core.fit_spheres(*arrays, most, mode == "conservative", options, told)

    notes = []
    if count is None:
        count, found = _fewest(run, [rung for rung in LADDER if rung >= least] or [least])
        notes.append(_why(count, found[1]["mean"]))
    else:
        found = run(count, 0.0, 1.0)
    shapes, measure = found
    return FittedSpheres(shapes, count, (*notes, *_described(measure, options.pad != 0)))


def _fewest(run: Any, ladder: Sequence[int]) -> tuple[int, tuple[Any, dict[str, float]]]:
    """Find the first count of the ladder that is close enough, by bisection: more spheres are closer."""
    low, high = 0, len(ladder) - 1
    tried: dict[int, tuple[Any, dict[str, float]]] = {}
    while low < high:
        middle = (low + high) // 2
        tried[middle] = run(ladder[middle], len(tried) / 5, (len(tried) + 1) / 5)
        low, high = (low, middle) if tried[middle][1]["mean"] <= CLOSE_ENOUGH else (middle + 1, high)
    if low not in tried:
        tried[low] = run(ladder[low], len(tried) / 5, 1.0)
    return ladder[low], tried[low]


def _why(count: int, mean: float) -> str:
    if mean > CLOSE_ENOUGH:
        return (
            f"hitbox picked a count of {count}, the most it picks by itself: on average the spheres stick "
            f"out by {mean:.2%} of the diagonal. Give a larger count to get closer."
        )
    return (
        f"hitbox picked a count of {count}, the fewest it tried that stick out by at most {CLOSE_ENOUGH:.1%} "
        f"of the diagonal on average. Give a count for more or less."
    )


def _described(measure: dict[str, float], padded: bool) -> list[str]:
    """Describe coverage and protrusion, one sentence each. Lengths are fractions of the diagonal."""
    spheres = "Before padding the spheres" if padded else "The spheres"
    covered = f"{spheres} cover {measure['coverage']:.1%} of the surface"
    if measure["left_out"] > 0:
        covered += f"; the rest is at most {measure['left_out']:.2%} of the diagonal outside them"
    protrusion = (
        f"Their outer surface is {measure['mean']:.2%} of the diagonal away from the mesh on average, "
        f"{measure['largest']:.2%} at most"
    )
    if measure["volume_ratio"] > 0:
        protrusion += f"; together they have {measure['volume_ratio']:.2f} times the solid's volume"
    return [f"{covered}.", f"{protrusion}."]
