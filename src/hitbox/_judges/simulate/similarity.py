"""How alike two runs are: two distances, both of the model's diagonal, both 0 for the same run.

Balls are chaotic: a change in the last digit of one contact sends each of them somewhere else. So no ball is
compared with itself, only all balls with all balls.
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
    """Distances to the reference run, of the diagonal; docs/simulate.md says what noise alone gives."""

    height_field: float  # between the heights at which balls lie in the end
    trajectories: float  # between where balls are, over the whole run


def height_field_distance(a: Floats, b: Floats, bounds: FloatArray, up: int) -> float:
    """Mean difference of the heights up to which each cell of the footprint is filled with balls.

    `a` and `b` are the last positions (n, 3), in diagonals, as `bounds` (2, 3) is.
    """
    return float(np.abs(_filled(a, bounds, up) - _filled(b, bounds, up)).mean())


def _filled(points: Floats, bounds: FloatArray, up: int) -> FloatArray:
    """Mean height of the balls in each cell above the model's underside; 0 where there are none."""
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
    """The sliced Wasserstein distance between all positions (frames, n, 3), averaged over the frames.

    In each of some directions: how far balls would have to be moved to turn one crowd into the other.
    """
    directions = _directions()
    total = 0.0
    for one, other in zip(a, b, strict=True):
        p = np.sort(one.astype(np.float64) @ directions.T, axis=0)
        q = np.sort(other.astype(np.float64) @ directions.T, axis=0)
        total += float(np.abs(p - q).mean())
    return total / len(a)


def _directions() -> FloatArray:
    """Evenly over half the sphere, along a golden spiral."""
    k = np.arange(_DIRECTIONS)
    z = (k + 0.5) / _DIRECTIONS
    angle = k * np.pi * (3 - np.sqrt(5))
    ring = np.sqrt(1 - z * z)
    return np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1)
