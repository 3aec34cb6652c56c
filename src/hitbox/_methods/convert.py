"""convert: a collider from anywhere, written for an engine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hitbox._model.collider import Collider, ColliderLike
from hitbox._model.mass import DENSITY
from hitbox._model.mesh import MeshLike

if TYPE_CHECKING:
    from hitbox._formats.export import ExportReport


def convert(
    collider: ColliderLike,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    faces: bool = False,
    mesh: MeshLike | None = None,
    dynamic: bool = False,
    density: float = DENSITY,
) -> ExportReport:
    """Write `collider` to `path` in the format of an engine, and report what the format replaces.

    `collider` is anything that `Collider.of` takes: the path of a collider, of a description such as URDF or
    of convex parts in a mesh file, a folder, or the parts that another tool returned. The other arguments are
    those of `Collider.save`.

        report = hitbox.convert("chair.collider.json", "chair.urdf", dynamic=True)
    """
    given = Collider.of(collider)
    return given.save(path, format=format, faces=faces, mesh=mesh, dynamic=dynamic, density=density)
