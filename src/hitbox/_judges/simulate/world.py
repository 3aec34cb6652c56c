"""What an engine is given and what it is asked: plain data, and one small interface.

All of it is in the world's own metres (stage.py says how big a model is there), whatever the mesh's unit is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from hitbox._base.errors import InputError
from hitbox._model.shapes import FloatArray, IndexArray, Shape

GRAVITY = 9.81  # m/s^2
FRAME = 1 / 60  # seconds
FRICTION = 0.5
RESTITUTION = 0.2  # of moving things; what stands still has none of its own
SEGMENTS = 16  # sides of a frustum, which no engine has: its hull circumscribes it, at most 2 % wider


@dataclass(frozen=True, eq=False)
class Solid:
    """Convex shapes, or one triangle mesh."""

    shapes: tuple[Shape, ...] = ()
    vertices: FloatArray | None = None
    triangles: IndexArray | None = None

    @property
    def is_mesh(self) -> bool:
        return self.vertices is not None

    @property
    def bounds(self) -> FloatArray:
        """(2, 3)"""
        if self.vertices is not None and self.triangles is not None:
            used = self.vertices[self.triangles.ravel()]
            return np.array([used.min(axis=0), used.max(axis=0)])
        each = np.array([shape.bounds for shape in self.shapes])
        return np.array([each[:, 0].min(axis=0), each[:, 1].max(axis=0)])

    def surface(self) -> tuple[FloatArray, IndexArray]:
        """All its triangles; round shapes as `SEGMENTS` sides."""
        if self.vertices is not None and self.triangles is not None:
            return self.vertices, self.triangles
        return joined([shape.to_mesh(SEGMENTS) for shape in self.shapes])


@dataclass(frozen=True, eq=False)
class Bodies:
    """Moving copies of one solid, one for each row of `positions`."""

    solid: Solid
    positions: FloatArray  # (n, 3): where the solid's origin is put
    rotations: FloatArray | None = None  # (n, 4): unit quaternions (x, y, z, w)
    velocities: FloatArray | None = None  # (n, 3)
    pushes: FloatArray | None = None  # (n, 3): a steady acceleration, in place of gravity
    turns: bool = True  # False: keeps its orientation
    alone: bool = False  # True: touches what stands still, and no other body
    friction: float = FRICTION
    restitution: float = RESTITUTION


@dataclass(frozen=True, eq=False)
class Setup:
    """A scene ready to run: what stands still, what moves, and which way things fall."""

    gravity: FloatArray
    unit: float  # the size of the moving things compared with those an engine is made for: balls of 0.1 m
    still: tuple[Solid, ...]
    moving: tuple[Bodies, ...]
    notes: list[str] = field(default_factory=list)

    @property
    def down(self) -> FloatArray:
        """(n, 3): which way each body falls."""
        rows = [
            np.broadcast_to(self.gravity, bodies.positions.shape) if bodies.pushes is None else bodies.pushes
            for bodies in self.moving
        ]
        return np.concatenate([row / np.linalg.norm(row, axis=1, keepdims=True) for row in rows])


class Engine(Protocol):
    """A running world. Bodies are numbered in the order of the setup."""

    notes: list[str]  # what the engine could not do as asked

    def step(self) -> None:
        """One frame: the only call that is timed."""

    def positions(self) -> FloatArray:
        """(n, 3), of the bodies' origins."""

    def velocities(self) -> FloatArray:
        """(n, 3)"""

    def freeze(self, which: Sequence[int]) -> None:
        """Takes bodies out of the run; they stay where they are, and touch nothing."""

    def contacts(self) -> int:
        """Pairs whose shapes touch or nearly do, after the last frame."""

    def deepest(self) -> float:
        """The depth of the deepest overlap after the last frame."""


def joined(meshes: Sequence[tuple[FloatArray, IndexArray]]) -> tuple[FloatArray, IndexArray]:
    """All meshes as one."""
    first = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    triangles = [faces + np.uint32(first[k]) for k, (_, faces) in enumerate(meshes)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(triangles)


def engine_module(package: str) -> Any:
    """An engine's Python package; InputError where it is not there."""
    try:
        return import_module(package)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == package:
            raise InputError(f'simulate needs {package}: pip install "hitbox[sim]"') from None
        raise InputError(f"simulate: {package} is installed but cannot be loaded ({error}).") from error


def turned(source: Sequence[float], target: FloatArray) -> tuple[float, float, float, float]:
    """The shortest rotation from one unit vector to another, as (x, y, z, w)."""
    a, b = np.asarray(source, float), np.asarray(target, float)
    w = 1 + float(a @ b)
    if w < 1e-9:  # opposite: half a turn about any axis across
        axis = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        quaternion = np.append(axis / np.linalg.norm(axis), 0.0)
    else:
        quaternion = np.append(np.cross(a, b), w)
        quaternion /= np.linalg.norm(quaternion)
    x, y, z, w = (float(v) for v in quaternion)
    return x, y, z, w
