"""Drop balls on a mesh and on all its colliders together, and copy the measures into rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from hitbox._base.lengths import UPS
from hitbox._compare.rows import INPUT, Row
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh

if TYPE_CHECKING:
    from hitbox._judges.simulate import Simulation
    from hitbox._judges.simulate.options import Up

Runs: TypeAlias = dict[str, dict[str, Any]]  # method -> the results of its run, as plain JSON


def simulated(
    mesh: Mesh,
    colliders: Mapping[str, Collider],
    *,
    count: int,
    frames: int,
    seed: int,
    up: str | None,
    progress: Callable[[str, float], bool],
) -> Runs:
    """Simulate all colliders and the mesh itself, which is the reference."""
    from hitbox._judges.simulate import simulate_together

    found = simulate_together(
        {INPUT: mesh, **colliders}, reference=INPUT, balls=count, frames=frames, seed=seed,
        up=cast("Up | None", up), progress=progress,
    )  # fmt: skip
    return {
        method: {
            "frame_ms": [round(float(ms), 4) for ms in run.frame_ms],
            "height_field": run.similarity.height_field if run.similarity else None,
            "trajectories": run.similarity.trajectories if run.similarity else None,
            "notes": list(run.notes),
            "radius": run.radius,
            "balls": _halfway(run),
        }
        for method, run in found.items()
    }


def checked(kept: Any) -> Runs:
    """Raise an error that the store treats as a corrupt entry, unless `kept` is what `simulated` returns."""
    for run in kept.values():
        if not len(run["frame_ms"]) or run["radius"] <= 0:
            raise ValueError("not a run")
        np.asarray(run["balls"], dtype=np.float64).reshape(-1, 3)
        _ = run["height_field"], run["trajectories"], list(run["notes"])
    return dict(kept)


def with_run(row: Row, run: Mapping[str, Any]) -> Row:
    frames = np.asarray(run["frame_ms"], dtype=np.float64)
    return replace(
        row,
        frame_ms=frames,
        frame_ms_mean=float(frames.mean()),
        frame_ms_p95=float(np.percentile(frames, 95)),
        height_field=run["height_field"],
        trajectories=run["trajectories"],
        notes=tuple(dict.fromkeys((*row.notes, *run["notes"]))),
    )


def _halfway(run: Simulation) -> list[list[float]]:
    """Return the balls' positions halfway through the run, without those that had already fallen below the
    model.
    """
    at = run.paths[len(run.paths) // 2].astype(np.float64)
    axis = UPS.index(run.up)
    still = at[at[:, axis] >= run.bounds[0, axis]] * run.diagonal + run.center
    return [[float(f"{x:.6g}") for x in ball] for ball in still]
