"""Poses of shapes and links: rotation and translation, their composition, and roll, pitch and yaw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hitbox._formats.export import matrix_of
from hitbox._model.shapes import FloatArray, Rotation, Shape, Vector


class Pose(NamedTuple):
    """x -> rotate(x) + translation; the rotation is a unit quaternion (x, y, z, w)."""

    rotation: Rotation = (0.0, 0.0, 0.0, 1.0)
    translation: Vector = (0.0, 0.0, 0.0)

    def inside(self, outer: Pose) -> Pose:
        """Compose: express this pose, relative to `outer`, in the parent frame of `outer`."""
        return Pose(composed(outer.rotation, self.rotation), outer.at(self.translation))

    def at(self, point: Sequence[float]) -> Vector:
        x, y, z = (matrix_of(self.rotation) @ np.asarray(point) + self.translation).tolist()
        return x, y, z

    def all_at(self, points: FloatArray) -> FloatArray:
        return np.asarray(points @ matrix_of(self.rotation).T + self.translation)

    def placed(self, shape: Shape) -> Shape:
        return shape.transformed(self.rotation, self.translation)


def composed(outer: Rotation, inner: Rotation) -> Rotation:
    """The rotation that applies `inner` first, then `outer`."""
    a, b, c, d = outer
    x, y, z, w = inner
    return unit((
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ))  # fmt: skip


def unit(rotation: Sequence[float]) -> Rotation:
    length = math.hypot(*rotation)
    x, y, z, w = (part / length for part in rotation)
    return x, y, z, w


def about(axis: Sequence[float], angle: float) -> Rotation:
    """The rotation by `angle` (radians) about `axis`."""
    scale = math.sin(angle / 2) / math.hypot(*axis)
    x, y, z = (part * scale for part in axis)
    return unit((x, y, z, math.cos(angle / 2)))


def rpy_of(rotation: Rotation) -> Vector:
    """Roll, pitch and yaw: rotations about the fixed x, y and z axes, in this order.

    Roll and pitch are computed after the yaw is undone. This stays exact at a pitch of 90 degrees, where
    the roll and yaw axes coincide.
    """
    turn = matrix_of(rotation)
    yaw = math.atan2(turn[1, 0], turn[0, 0])
    sine, cosine = math.sin(yaw), math.cos(yaw)
    pitch = math.atan2(-turn[2, 0], cosine * turn[0, 0] + sine * turn[1, 0])
    roll = math.atan2(sine * turn[0, 2] - cosine * turn[1, 2], cosine * turn[1, 1] - sine * turn[0, 1])
    return roll + 0.0, pitch + 0.0, yaw + 0.0


def turn_of_rpy(rpy: Sequence[float]) -> Rotation:
    roll, pitch, yaw = rpy
    about_x, about_y, about_z = about((1, 0, 0), roll), about((0, 1, 0), pitch), about((0, 0, 1), yaw)
    return composed(about_z, composed(about_y, about_x))
