"""Compares two runs by two distances, in diagonals of the model. Both are 0 for equal runs.

Balls are chaotic: a change in the last digit of one contact sends each ball elsewhere. So the distances
compare the set of all balls with the set of all balls, and no ball with itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._model.shapes import FloatArray

Floats = npt.NDArray[np.floating[Any]]

CELLS = 16  # along the longer side of the footprint
_DIRECTIONS = 24


@dataclass(frozen=True)
class Similarity:
    """Distances to the reference run, in diagonals; docs/simulate.md gives the size of noise."""

    height_field: float  # between the final heights of the balls
    trajectories: float  # between the balls' positions, over the whole run


def height_field_distance(a: Floats, b: Floats, bounds: FloatArray, up: int) -> float:
    """Return the mean difference of the mean ball height in each cell of the footprint.

    `a` and `b` are the last positions (n, 3). They and `bounds` (2, 3) are in diagonals.
    """
    return float(np.abs(_filled(a, bounds, up) - _filled(b, bounds, up)).mean())


def _filled(points: Floats, bounds: FloatArray, up: int) -> FloatArray:
    """Return the mean height of the balls in each cell above the model's underside; 0 without balls."""
    across = [axis for axis in range(3) if axis != up]
    low, size = bounds[0, across], np.ptp(bounds[:, across], axis=0)
    cell = max(float(size.max()), 1e-9) / CELLS
    shape = np.maximum(1, np.ceil(size / cell - 1e-9)).astype(int)
    height = points[:, up] - bounds[0, up]
    at = np.floor((points[:, across] - low) / cell).astype(int)
    inside = ((at >= 0) & (at < shape)).all(axis=1) & (height > 0)
    flat = at[inside, 0] * shape[1] + at[inside, 1]
    cells = int(shape[0] * shape[1])
    counts = np.bincount(flat, minlength=cells)
    sums = np.bincount(flat, height[inside], cells)
    return np.asarray(sums / np.maximum(counts, 1))


def trajectory_distance(a: Floats, b: Floats) -> float:
    """Return the sliced Wasserstein distance between all positions (frames, n, 3), averaged over the frames.

    For each of several directions, this is how far balls must move to turn one set into the other.
    """
    directions = _directions()
    total = 0.0
    for one, other in zip(a, b, strict=True):
        p = np.sort(one.astype(np.float64) @ directions.T, axis=0)
        q = np.sort(other.astype(np.float64) @ directions.T, axis=0)
        total += float(np.abs(p - q).mean())
    return total / len(a)


def _directions() -> FloatArray:
    """Return directions that cover half the sphere evenly, along a golden spiral."""
    k = np.arange(_DIRECTIONS)
    z = (k + 0.5) / _DIRECTIONS
    angle = k * np.pi * (3 - np.sqrt(5))
    ring = np.sqrt(1 - z * z)
    return np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1)
