"""Places shapes, defined around the origin, by a matrix. Shared by the readers of scene formats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hitbox._base.errors import InputError
from hitbox._model.mass import quaternion_of
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Frustum, Rotation, Shape, Sphere, Vector

_SAME = 1e-5  # tolerance for equal scales and right angles after float32 rounding
# Exceptions a malformed file can cause without a message of ours: a text instead of a number, an overflow.
WRONG_VALUES = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def strict_numbers() -> np.errstate:
    """A context in which a numeric overflow raises one of WRONG_VALUES."""
    return np.errstate(over="raise", invalid="raise")


class Placement:
    """A 4 x 4 matrix (for column vectors), split into rotation, translation and scale.

    `where` starts the error messages. Round shapes lie along y, unless `axis` names another axis.
    """

    def __init__(self, matrix: FloatArray, where: str) -> None:
        linear = np.asarray(matrix, np.float64)[:3, :3]
        self.where = where
        self.scales: FloatArray = np.linalg.norm(linear, axis=0)
        if not (np.isfinite(linear).all() and (self.scales > 0).all()):
            raise InputError(f"{where}: its scale must not be 0.")
        axes = linear / self.scales
        if np.abs(axes.T @ axes - np.eye(3)).max() > _SAME:
            raise InputError(f"{where}: a sheared shape cannot be read.")
        if np.linalg.det(axes) < 0:  # mirrored: every shape made here is its own mirror image
            axes = axes * [1, 1, -1]
        self.axes = axes
        self.rotation: Rotation = quaternion_of(axes)
        self.center: Vector = _vector(np.asarray(matrix, np.float64)[:3, 3])

    @property
    def scale(self) -> float:
        if np.ptp(self.scales) > _SAME * self.scales.max():
            raise InputError(f"{self.where}: a round shape must have the same scale along all axes.")
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
