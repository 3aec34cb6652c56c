"""Mass, centre and inertia: exact for a closed mesh, sampled for overlapping shapes.

The core sums them up (core/src/measure/*_moments). Moments of single, separate and equal shapes are exact.
Only partial overlaps cause an error, of about 0.1 % in the inertia of 64 shapes. The same input gives the
same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray, Rotation, Vector
from hitbox._native import _core

DENSITY = 1000.0  # kilograms per cubic metre: water

_FAULTS = {"": None, "open": "the mesh is not closed", "overlapping": "parts of the mesh may overlap"}


@dataclass(frozen=True)
class MassProperties:
    """The mass of a rigid body. `inertia` is the tensor about `center`, as xx, yy, zz, xy, xz, yz."""

    mass: float
    center: Vector
    inertia: tuple[float, float, float, float, float, float]

    @property
    def tensor(self) -> FloatArray:
        xx, yy, zz, xy, xz, yz = self.inertia
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def principal(self) -> tuple[Vector, Rotation]:
        """Return the moments about the principal axes, and the rotation (x, y, z, w) from these axes to the
        body's.
        """
        moments, axes = np.linalg.eigh(self.tensor)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        return _vector(moments), quaternion_of(axes)


def mass_properties(solid: Mesh | Collider, density: float = DENSITY) -> MassProperties:
    """Return the mass of a mesh with one volume, or of the union of a collider's shapes, where overlaps count
    once.

    Lengths are in the unit of `solid`; `density` is mass per cubic unit.
    """
    density = checks.positive("density", density)
    if isinstance(solid, Collider):
        moments = _core.union_moments([shape._crossing for shape in solid])
        if moments is None:
            raise InputError(
                "mass_properties: the volume of the shapes is too small or too large for a float. Scale them."
            )
        return _weighed(*moments, density)
    fault = volume_fault(solid)
    if fault:
        raise InputError(f"mass_properties: {fault}. Give its collider instead.")
    return _weighed(*_core.mesh_moments(solid.vertices, solid.indices, solid.offsets), density)


def is_solid(mesh: Mesh) -> bool:
    return bool(_core.is_closed_solid(mesh.vertices, mesh.indices, mesh.offsets))


def volume_fault(mesh: Mesh) -> str | None:
    """Say why a mesh does not have one volume, or return None if it does."""
    return _FAULTS[_core.volume_fault(mesh.vertices, mesh.indices, mesh.offsets)]


def _weighed(
    volume: float, center: Sequence[float], about: Sequence[float], density: float
) -> MassProperties:
    """Return the mass of a solid; `about` is the integral of x x^T from `center` (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = (density * each for each in about)
    inertia = (yy + zz, xx + zz, xx + yy, 0.0 - xy, 0.0 - xz, 0.0 - yz)  # 0.0 -: one zero, not two
    return MassProperties(density * volume, _vector(center), inertia)


def _vector(values: Sequence[float] | FloatArray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])


def quaternion_of(matrix: FloatArray) -> Rotation:
    """Return the quaternion of a rotation matrix. Its largest component, which is never small, is computed
    first.
    """
    m = matrix
    squares = 1 + np.array(
        [m[0, 0] - m[1, 1] - m[2, 2], m[1, 1] - m[0, 0] - m[2, 2], m[2, 2] - m[0, 0] - m[1, 1], np.trace(m)]
    )
    k = int(np.argmax(squares))
    rows = [
        [squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
        [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]],
    ]
    x, y, z, w = np.array(rows[k]) / np.linalg.norm(rows[k])
    return float(x), float(y), float(z), float(w)
