"""Shapes around the origin, put where a matrix says: what readers of scenes share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hitbox._base.errors import InputError
from hitbox._model.mass import quaternion_of
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Frustum, Rotation, Shape, Sphere, Vector

_SAME = 1e-5  # what float32 leaves of equal scales and right angles
# What a file can do wrong that no sentence of ours is about: a text where a number belongs, or one too large.
WRONG_VALUES = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def strict_numbers() -> np.errstate:
    """Within it a number that overflows is one of WRONG_VALUES."""
    return np.errstate(over="raise", invalid="raise")


class Placement:
    """A 4 x 4 matrix (of columns) as a turn, a move and a scale; `said` starts a message.

    Round shapes lie along y, unless their `axis` is another.
    """

    def __init__(self, matrix: FloatArray, said: str) -> None:
        linear = np.asarray(matrix, np.float64)[:3, :3]
        self.said = said
        self.scales: FloatArray = np.linalg.norm(linear, axis=0)
        if not (np.isfinite(linear).all() and (self.scales > 0).all()):
            raise InputError(f"{said}: its scale must not be 0.")
        axes = linear / self.scales
        if np.abs(axes.T @ axes - np.eye(3)).max() > _SAME:
            raise InputError(f"{said}: a sheared shape cannot be read.")
        if np.linalg.det(axes) < 0:  # mirrored: all that is made here is its own mirror image
            axes = axes * [1, 1, -1]
        self.axes = axes
        self.rotation: Rotation = quaternion_of(axes)
        self.center: Vector = _vector(np.asarray(matrix, np.float64)[:3, 3])

    @property
    def scale(self) -> float:
        if np.ptp(self.scales) > _SAME * self.scales.max():
            raise InputError(f"{self.said}: a round shape must have the same scale along all axes.")
        return float(self.scales[0])

    def box(self, size: Sequence[float]) -> Shape:
        return Box(self.center, self.rotation, _vector(np.asarray(size, np.float64) * self.scales / 2))

    def sphere(self, radius: float) -> Shape:
        return Sphere(self.center, radius * self.scale)

    def capsule(self, height: float, radius: float, axis: int = 1) -> Shape:
        if height <= 0:
            return self.sphere(radius)
        return Capsule(*self._ends(height, axis), radius * self.scale)

    def frustum(self, height: float, start: float, end: float, axis: int = 1) -> Shape:
        ends = self._ends(height, axis)
        if start == end:
            return Cylinder(*ends, start * self.scale)
        return Frustum(*ends, start * self.scale, end * self.scale)

    def _ends(self, height: float, axis: int) -> tuple[Vector, Vector]:
        along = self.axes[:, axis] * (height * self.scale / 2)
        center = np.array(self.center)
        return _vector(center - along), _vector(center + along)


def _vector(values: FloatArray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
