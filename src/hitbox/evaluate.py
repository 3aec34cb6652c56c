"""How far the surfaces of a collider's pieces are from the mesh they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hitbox import _core
from hitbox.errors import InputError

__all__ = ["surface_distance"]

Piece = tuple[ArrayLike, ArrayLike]  # vertices (n, 3), triangles (m, 3)


def surface_distance(
    mesh_vertices: ArrayLike,
    mesh_triangles: ArrayLike,
    pieces: Sequence[Piece],
    *,
    samples: int = 100_000,
    seed: int = 0,
    threads: int = 0,
    report: Callable[[str, float], bool] | None = None,
) -> tuple[float, float]:
    """Mean and largest distance from the surfaces of all pieces to the mesh ("all surfaces").

    Points are drawn uniformly by area over all pieces together. Both numbers are fractions of the
    diagonal of the mesh's bounding box. Guaranteed: exact distances, the same for any thread count.
    Not guaranteed: the true maximum, which may fall between two samples. Cost: 2-3 us a sample near the mesh.
    """
    vertices, triangles = _checked("mesh", mesh_vertices, mesh_triangles)
    if len(triangles) == 0:
        raise InputError("mesh: there are no triangles; give at least one.")
    if not pieces:
        raise InputError("pieces: there are none; give at least one (vertices, triangles).")
    if samples < 1:
        raise InputError(f"samples: {samples} is not allowed; give at least 1.")
    if not 0 <= seed < 2**64:
        raise InputError(f"seed: {seed} is not allowed; give a number from 0 to 2**64 - 1.")
    if threads < 0:
        raise InputError(f"threads: {threads} is not allowed; give 0 for all cores, or a count.")
    used = vertices[triangles.ravel()]
    size = used.max(axis=0) - used.min(axis=0)
    if not (longest := float(size.max())) > 0:
        raise InputError("mesh: all its vertices are equal; a distance relative to its size has no meaning.")
    # Everything in units of the longest side, so that squares of 1e-200 or 1e+200 stay in range.
    middle = used[0]
    diagonal = float(np.linalg.norm(size / longest))
    points = (_sampled(pieces, samples, seed) - middle) / longest
    offsets = np.arange(0, triangles.size + 1, 3, dtype=np.uint32)
    distances, _, _ = _core.closest_points(
        points, (vertices - middle) / longest, triangles.ravel(), offsets, threads, report
    )
    distances = np.asarray(distances) / diagonal
    return float(distances.mean()), float(distances.max())


def _sampled(pieces: Sequence[Piece], samples: int, seed: int) -> NDArray[np.float64]:
    checked = [_checked(f"piece {k}", v, t) for k, (v, t) in enumerate(pieces)]
    shifts = np.cumsum([0] + [len(v) for v, _ in checked])
    vertices = np.concatenate([v for v, _ in checked])
    triangles = np.concatenate([t + np.uint32(shift) for (_, t), shift in zip(checked, shifts, strict=False)])
    if len(triangles) == 0:
        raise InputError("pieces: none of them has a triangle; give at least one.")
    points, _ = _core.sample_surface(vertices, triangles, samples, seed)
    return np.asarray(points)


def _checked(name: str, vertices: Any, triangles: Any) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    v = np.ascontiguousarray(vertices, dtype=np.float64)
    t = np.asarray(triangles)
    if v.ndim != 2 or v.shape[1] != 3:
        raise InputError(f"{name}: vertices have the shape {v.shape}; give (n, 3).")
    if t.ndim != 2 or t.shape[1] != 3 or not (np.issubdtype(t.dtype, np.integer) or t.size == 0):
        raise InputError(f"{name}: triangles are {t.dtype} of the shape {t.shape}; give integers (m, 3).")
    if t.size and not (int(t.min()) >= 0 and int(t.max()) < len(v)):
        raise InputError(f"{name}: triangles use vertices {t.min()} to {t.max()}, but there are {len(v)}.")
    if not np.isfinite(v).all():
        raise InputError(f"{name}: vertex {int(np.argmin(np.isfinite(v).all(axis=1)))} is not finite.")
    return v, np.ascontiguousarray(t, dtype=np.uint32)
