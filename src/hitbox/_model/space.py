"""NavigableSpace: where a ball can go around a mesh, as spheres that shapes must avoid (paper 4, section
3)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.files import replace_file
from hitbox._base.lengths import UPS
from hitbox._model.collider import Collider, ColliderLike
from hitbox._model.shapes import FloatArray, Shape
from hitbox._native import _core

FORMAT, VERSION = "hitbox-space", 1


@dataclass(frozen=True)
class HalfSpace:
    """All points p with normal . p <= offset, for example solid ground. The normal may have any length but
    0."""

    normal: tuple[float, float, float]
    offset: float

    def __post_init__(self) -> None:
        normal = np.asarray(self.normal, np.float64)
        length = float(np.linalg.norm(normal)) if normal.shape == (3,) else 0.0
        if not 0 < length < np.inf or not np.isfinite(self.offset):
            raise InputError(
                f"HalfSpace: {self.normal!r:.80}, {self.offset!r:.80}: must be three finite numbers, not all "
                f"0, and one more."
            )
        object.__setattr__(self, "normal", tuple((normal / length).tolist()))
        object.__setattr__(self, "offset", float(self.offset) / length)

    @staticmethod
    def floor(height: float = 0.0, up: str = "z") -> HalfSpace:
        """Everything below `height` (Eq. 5)."""
        checks.one_of("HalfSpace.floor: up", up, UPS)
        normal = [float(axis == up) for axis in UPS]
        return HalfSpace((normal[0], normal[1], normal[2]), height)


Blocker: TypeAlias = HalfSpace | Shape | Callable[[FloatArray], npt.ArrayLike]


@dataclass(frozen=True)
class Overlap:
    """The overlap of a collider with a space: the number of spheres it enters, and the greatest depth as a
    fraction of the sphere's radius. At 1 the collider contains a sphere's centre (the paper's Table 2)."""

    entered: int
    deepest: float


@dataclass(frozen=True, eq=False)
class NavigableSpace:
    """Spheres on the boundary of where a ball can go: rows of x, y, z and radius, in mesh units."""

    spheres: FloatArray
    radius: float  # the radius of the ball, in mesh units
    tolerance: float
    step: float  # the step of the grid that the spheres come from

    def __post_init__(self) -> None:
        for name in ("radius", "tolerance", "step"):
            object.__setattr__(self, name, checks.positive(f"space: {name}", getattr(self, name)))
        spheres = np.array(self.spheres, np.float64).reshape(-1, 4)
        if not np.isfinite(spheres).all() or (spheres[:, 3] <= 0).any():
            raise InputError("space: spheres: must be finite numbers x, y, z and a radius above 0.")
        spheres.flags.writeable = False
        object.__setattr__(self, "spheres", spheres)

    def overlap(self, collider: ColliderLike, *, threads: int = 0) -> Overlap:
        """Measure how far a collider enters this space. Any tool's hulls will do."""
        threads = checks.threads("overlap", threads)
        shapes = list(Collider.of(collider))
        if not shapes or not len(self.spheres):
            return Overlap(0, 0.0)
        low, high = self.spheres[:, :3].min(axis=0), self.spheres[:, :3].max(axis=0)
        origin, unit = (low + high) / 2, float(max((high - low).max(), self.radius))
        union = _core.shape_union([shape._crossing for shape in shapes], tuple(origin), unit, threads)
        centers = np.ascontiguousarray((self.spheres[:, :3] - origin) / unit)
        distances = np.asarray(union.distances_outside(centers, threads, None)) * unit
        radii = self.spheres[:, 3]
        # Touching a sphere is allowed.
        depth = np.where(distances < radii * (1 - 1e-9), 1 - distances / radii, 0.0)
        return Overlap(int(np.count_nonzero(depth)), float(depth.max()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the space as JSON. `NavigableSpace.load` reads it."""
        replace_file(path, self.to_json().encode())

    def to_json(self) -> str:
        data = {
            "format": FORMAT, "version": VERSION, "radius": self.radius, "tolerance": self.tolerance,
            "step": self.step, "spheres": self.spheres.tolist(),
        }  # fmt: skip
        return json.dumps(data)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> NavigableSpace:
        where = Path(path).name
        try:
            data = json.loads(Path(path).read_text())
        except OSError as error:
            raise InputError(f"{where}: {error.strerror}.") from None
        except ValueError:
            data = None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise InputError(f"{where}: not a navigable space. NavigableSpace.save writes one.")
        if data.get("version") != VERSION:
            raise InputError(
                f"{where}: version {data.get('version')!r} of a space is unknown; known: {VERSION}."
            )
        try:
            numbers = [float(data[name]) for name in ("radius", "tolerance", "step")]
            return NavigableSpace(np.asarray(data["spheres"], np.float64), *numbers)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{where}: the space in it is incomplete. Save it again.") from None
