"""The interface to physics engines: plain data that describes a world, and a small protocol.

All values use the world's own metres, whatever the mesh's unit: see world_frame.py.
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
RESTITUTION = 0.2  # of moving bodies; static ones have 0
SEGMENTS = 16  # sides of a frustum's hull, which is at most 2 % wider: no engine has frustums


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
        """The lower and upper corner, as (2, 3)."""
        if self.vertices is not None and self.triangles is not None:
            used = self.vertices[self.triangles.ravel()]
            return np.array([used.min(axis=0), used.max(axis=0)])
        each = np.array([shape.bounds for shape in self.shapes])
        return np.array([each[:, 0].min(axis=0), each[:, 1].max(axis=0)])

    def surface(self) -> tuple[FloatArray, IndexArray]:
        """Return all triangles; round shapes have `SEGMENTS` sides."""
        if self.vertices is not None and self.triangles is not None:
            return self.vertices, self.triangles
        return joined([shape.to_mesh(SEGMENTS) for shape in self.shapes])


@dataclass(frozen=True, eq=False)
class Bodies:
    """Moving copies of one solid, one for each row of `positions`."""

    solid: Solid
    positions: FloatArray  # (n, 3): positions of the solid's origin
    rotations: FloatArray | None = None  # (n, 4): unit quaternions (x, y, z, w)
    velocities: FloatArray | None = None  # (n, 3)
    pushes: FloatArray | None = None  # (n, 3): a constant acceleration that replaces gravity
    turns: bool = True  # False: fixed orientation
    alone: bool = False  # True: collides with static solids only
    friction: float = FRICTION
    restitution: float = RESTITUTION


@dataclass(frozen=True, eq=False)
class Setup:
    """A scene that is ready to run: static solids, moving bodies, and gravity."""

    gravity: FloatArray
    unit: float  # size of the moving bodies relative to an engine's usual bodies: balls of 0.1 m
    still: tuple[Solid, ...]
    moving: tuple[Bodies, ...]
    notes: list[str] = field(default_factory=list)

    @property
    def down(self) -> FloatArray:
        """Return the direction in which each body falls, as (n, 3)."""
        rows = [
            np.broadcast_to(self.gravity, bodies.positions.shape) if bodies.pushes is None else bodies.pushes
            for bodies in self.moving
        ]
        return np.concatenate([row / np.linalg.norm(row, axis=1, keepdims=True) for row in rows])


class Engine(Protocol):
    """A running world. Bodies are numbered in the order of the setup."""

    notes: list[str]  # limitations of the engine in this run

    def step(self) -> None:
        """Simulate one frame. Only this call is timed."""

    def positions(self) -> FloatArray:
        """Return the bodies' origins, as (n, 3)."""

    def velocities(self) -> FloatArray:
        """Return the bodies' velocities, as (n, 3)."""

    def freeze(self, which: Sequence[int]) -> None:
        """Remove bodies from the run: they keep their positions and collide with nothing."""

    def contacts(self) -> int:
        """Return the number of pairs that touch or nearly touch after the last frame."""

    def deepest(self) -> float:
        """Return the depth of the deepest overlap after the last frame."""


def joined(meshes: Sequence[tuple[FloatArray, IndexArray]]) -> tuple[FloatArray, IndexArray]:
    """Combine meshes into one."""
    first = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    triangles = [faces + np.uint32(first[k]) for k, (_, faces) in enumerate(meshes)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(triangles)


def engine_module(package: str) -> Any:
    """Import an engine's Python package; raise InputError if it is missing."""
    try:
        return import_module(package)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == package:
            raise InputError(f'simulate needs {package}: pip install "hitbox[sim]"') from None
        raise InputError(f"simulate: {package} is installed but cannot be loaded ({error}).") from error


def turned(source: Sequence[float], target: FloatArray) -> tuple[float, float, float, float]:
    """Return the shortest rotation from one unit vector to another, as (x, y, z, w)."""
    a, b = np.asarray(source, float), np.asarray(target, float)
    w = 1 + float(a @ b)
    if w < 1e-9:  # opposite: half a turn about any perpendicular axis
        axis = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        quaternion = np.append(axis / np.linalg.norm(axis), 0.0)
    else:
        quaternion = np.append(np.cross(a, b), w)
        quaternion /= np.linalg.norm(quaternion)
    x, y, z, w = (float(v) for v in quaternion)
    return x, y, z, w
