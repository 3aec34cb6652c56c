"""The functions of CoACD 1.0.14, implemented by carve. Only the import has to change.

    from hitbox.compat import coacd  # instead of: import coacd

docs/carve.md explains the effect of each parameter. CoACD is neither needed nor used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._methods.carve import FEWEST_VERTICES, MOST_EFFORT, MOST_PARTS, MOST_VERTICES, carve
from hitbox._model.mesh import Mesh as _Mesh
from hitbox._model.shapes import Hull

_LOG_LEVELS = ("off", "debug", "info", "warn", "error", "critical")
_ITERATIONS = 150  # CoACD's default; more iterations become effort


class Mesh:
    """Vertices (n, 3) and the indices of triangles (m, 3)."""

    def __init__(
        self,
        vertices: npt.ArrayLike = np.zeros((0, 3), dtype=np.double),  # noqa: B008 (as CoACD has it)
        indices: npt.ArrayLike = np.zeros((0, 3), dtype=np.int32),  # noqa: B008
    ) -> None:
        self.vertices = np.ascontiguousarray(vertices, dtype=np.double)
        self.indices = np.ascontiguousarray(indices, dtype=np.int32)
        for name, array in (("vertices", self.vertices), ("indices", self.indices)):
            if array.ndim != 2 or array.shape[1] != 3:
                raise InputError(f"Mesh: {name}: must be rows of three, not of shape {array.shape}.")


def run_coacd(
    mesh: Mesh,
    threshold: float = 0.05,
    max_convex_hull: int = -1,
    preprocess_mode: str = "auto",
    preprocess_resolution: int = 50,
    resolution: int = 2000,
    mcts_nodes: int = 20,
    mcts_iterations: int = 150,
    mcts_max_depth: int = 3,
    pca: int = False,
    merge: bool = True,
    decimate: bool = False,
    max_ch_vertex: int = 256,
    extrude: bool = False,
    extrude_margin: float = 0.01,
    apx_mode: str = "ch",
    seed: int = 0,
    real_metric: bool = False,
    *,
    radius: float | str | None = None,
    tolerance: float | str | None = None,
) -> list[list[npt.NDArray[Any]]]:
    """Return convex hulls around a mesh as a list of [vertices, triangles], as CoACD does.

    `threshold` sets the tolerance of carve and the radius of its ball; `tolerance` and `radius` override
    them. The guarantees of carve hold for the hulls if `max_convex_hull` is large enough.

        parts = coacd.run_coacd(coacd.Mesh(vertices, faces), threshold=0.05)
    """
    _refuse(extrude, apx_mode)
    given = _Mesh(mesh.vertices, mesh.indices)
    if tolerance is None:
        tolerance = _as_length(threshold, given, bool(real_metric))
    cap = None
    if decimate:
        cap = checks.whole("run_coacd: max_ch_vertex", max_ch_vertex, FEWEST_VERTICES, MOST_VERTICES)
    iterations = checks.positive("run_coacd: mcts_iterations", mcts_iterations)
    collider = carve(
        given,
        tolerance if radius is None else radius,
        tolerance,
        count=_count(max_convex_hull),
        max_vertices=cap,
        effort=min(max(0.0, iterations / _ITERATIONS - 1), MOST_EFFORT),
        seed=int(seed) % 2**64,  # any number, as in CoACD
        hulls_only=True,
    )
    hulls = (shape for shape in collider if isinstance(shape, Hull))  # all shapes are hulls
    return [[np.array(hull.vertices, np.double), np.array(hull.triangles, np.int32)] for hull in hulls]


def set_log_level(level: str) -> None:
    """Check `level`. Nothing is printed at any level."""
    checks.one_of("set_log_level", level, _LOG_LEVELS)


def _refuse(extrude: bool, apx_mode: str) -> None:
    if extrude:
        raise InputError("run_coacd: extrude: the hulls meet without it. Leave it out.")
    if apx_mode != "ch":
        raise InputError(f"run_coacd: apx_mode: {apx_mode!r}: only 'ch'. For boxes use fit with kinds='box'.")


def _as_length(threshold: float, mesh: _Mesh, is_real: bool) -> float:
    """Convert a threshold to a length. CoACD measures in a copy with a longest side of 2, unless
    `real_metric` is set.
    """
    found = checks.positive("run_coacd: threshold", threshold)
    return found if is_real else found / 2 * _longest_side(mesh)


def _count(max_convex_hull: int) -> int | None:
    count = checks.whole("run_coacd: max_convex_hull (-1 is any)", max_convex_hull, -1, MOST_PARTS)
    return count if count > 0 else None


def _longest_side(mesh: _Mesh) -> float:
    """Return the size of the box around the used vertices."""
    corners = mesh.vertices[mesh.indices]
    return float((corners.max(axis=0) - corners.min(axis=0)).max())
