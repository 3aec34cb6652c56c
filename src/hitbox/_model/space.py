"""NavigableSpace: where a ball can go around a mesh (paper 4, section 3).

Spheres along its boundary represent it. The mesh that it was made from proves that a shape stays out of the
whole space, also between the spheres.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.files import replace_file
from hitbox._base.lengths import UPS
from hitbox._base.text import listed
from hitbox._model.collider import Collider, ColliderLike
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import FloatArray, IndexArray, Shape, shape_from_params
from hitbox._native import _core

FORMAT, VERSION = "hitbox-space", 2
KNOWN_VERSIONS = (1, 2)  # version 1 had no mesh, and so no proof

WITHOUT_PROOF = "The space has no proof: shapes stay out of its spheres, but may enter between them."


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
    """The overlap of a collider with a space.

    `entered` is the number of spheres that it enters. A shape that enters none of them counts with the
    centres that the proof found between them. `deepest` is the greatest depth found at these, as a fraction
    of the radius: at 1 the collider contains a centre (the paper's Table 2). Elsewhere it may be deeper. With
    `is_proved` the whole space was tested, not only its spheres: if nothing is entered, that is proved.
    """

    entered: int
    deepest: float
    is_proved: bool = False


@dataclass(frozen=True)
class SpaceOrigin:
    """Keeps the arrays of the mesh that a space was made from, and the arguments of the core's options."""

    vertices: FloatArray
    indices: IndexArray
    offsets: IndexArray
    arguments: Mapping[str, Any]

    @property
    def has_function(self) -> bool:
        """Whether a function of the user takes part. It runs on the calling thread and cannot be saved."""
        return self.arguments["function"] is not None

    @property
    def options(self) -> _core.SpaceOptions:
        return _core.SpaceOptions(**self.arguments)

    def is_sound(self, radius: float, tolerance: float) -> bool:
        """Whether the options make sense for the mesh, and have these lengths."""
        corners = self.vertices[self.indices]
        diagonal = float(np.linalg.norm(corners.max(axis=0) - corners.min(axis=0)))
        try:
            _core.check_space_options(self.options, diagonal)
        except ValueError:
            return False
        return (self.arguments["radius"], self.arguments["tolerance"]) == (radius, tolerance)

    def space(self, run: _core.Run) -> _core.Space:
        return _core.navigable_space(self.vertices, self.indices, self.offsets, self.options, run)


@dataclass(frozen=True, eq=False)
class NavigableSpace:
    """Describes where a ball can go, by spheres on the boundary: rows of x, y, z and radius, in mesh units.

    navigable_space and carve make it. Made from spheres alone it has no proof. The space ends
    about a radius and a tolerance beyond the mesh's bounding box; places further away are not tested.
    """

    spheres: FloatArray
    radius: float  # the radius of the ball, in mesh units
    tolerance: float
    step: float  # the step of the grid that the spheres come from
    _origin: SpaceOrigin | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in ("radius", "tolerance", "step"):
            object.__setattr__(self, name, checks.positive(f"space: {name}", getattr(self, name)))
        spheres = np.array(self.spheres, np.float64).reshape(-1, 4)
        if not np.isfinite(spheres).all() or (spheres[:, 3] <= 0).any():
            raise InputError("space: spheres: must be finite numbers x, y, z and a radius above 0.")
        spheres.flags.writeable = False
        object.__setattr__(self, "spheres", spheres)

    @staticmethod
    def _of(made: _core.Space, origin: SpaceOrigin) -> NavigableSpace:
        space = NavigableSpace(made.spheres(), made.radius, made.tolerance, made.step, origin)
        space.__dict__["_made"] = made
        return space

    def _in_core(self, run: _core.Run) -> _core.Space:
        """Return the space in the core. That of a file is made again, which takes time, and then kept."""
        known: _core.Space | None = self.__dict__.get("_made")
        if known is not None:
            return known
        if self._origin is None:
            made = _core.Space(self.radius, self.tolerance, self.step, self.spheres)
        else:
            made = self._origin.space(run)
        self.__dict__["_made"] = made
        return made

    @property
    def _has_function(self) -> bool:
        """Whether a function of the user takes part, which only the calling thread may call."""
        return self._origin is not None and self._origin.has_function

    @property
    def _identity(self) -> str:
        """A hash of all that a result depends on."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_made"}

    @property
    def has_proof(self) -> bool:
        """Whether fit, merge and overlap prove that shapes stay out of the whole space. Without the mesh that
        the space was made from, they only test its spheres.
        """
        return self._origin is not None

    def overlap(self, collider: ColliderLike, *, threads: int = 0) -> Overlap:
        """Measure how far a collider enters this space. Any tool's hulls will do."""
        threads = checks.threads("overlap", threads)
        run = _core.Run(1 if self._has_function else threads, None)
        shapes = [shape._crossing for shape in Collider.of(collider)]
        try:
            entered, deepest, _ = self._in_core(run).overlap(shapes, run)
        except InputError:
            raise
        except ValueError as error:
            raise InputError(f"overlap: {error}") from None
        return Overlap(entered, deepest, self.has_proof)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the space as JSON. `NavigableSpace.load` reads it."""
        replace_file(path, self.to_json().encode())

    def to_json(self) -> str:
        data: dict[str, Any] = {
            "format": FORMAT, "version": VERSION, "radius": self.radius, "tolerance": self.tolerance,
            "step": self.step, "spheres": self.spheres.tolist(),
        }  # fmt: skip
        if self._origin is not None and not self._origin.has_function:
            data["made_from"] = _origin_to_json(self._origin)
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
        if data.get("version") not in KNOWN_VERSIONS:
            raise InputError(
                f"{where}: version {data.get('version')!r} of a space is unknown; known: "
                f"{listed([str(known) for known in KNOWN_VERSIONS])}."
            )
        try:
            radius, tolerance, step = (float(data[name]) for name in ("radius", "tolerance", "step"))
            origin = _origin_from_json(data["made_from"]) if "made_from" in data else None
            if origin is not None and not origin.is_sound(radius, tolerance):
                raise ValueError("made_from")
            return NavigableSpace(np.asarray(data["spheres"], np.float64), radius, tolerance, step, origin)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{where}: the space in it is incomplete. Save it again.") from None


def _origin_to_json(origin: SpaceOrigin) -> dict[str, Any]:
    arguments = {name: value for name, value in origin.arguments.items() if name != "function"}
    arguments |= {name: np.asarray(arguments[name]).tolist() for name in ("clear_points", "half_spaces")}
    arguments["shapes"] = [
        [kind, np.asarray(numbers).tolist(), np.asarray(triangles).tolist()]
        for kind, numbers, triangles in arguments["shapes"]
    ]
    arrays = {name: getattr(origin, name).tolist() for name in ("vertices", "indices", "offsets")}
    return arrays | {"options": arguments}


def _origin_from_json(data: Mapping[str, Any]) -> SpaceOrigin:
    options = data["options"]
    offsets = np.asarray(data["offsets"], np.uint32)
    indices = np.asarray(data["indices"], np.uint32)
    if len(offsets) < 2 or offsets[0] != 0 or offsets[-1] != len(indices):
        raise ValueError("offsets")
    polygons = np.split(indices, offsets[1:-1])
    mesh = Mesh(np.asarray(data["vertices"], np.float64).reshape(-1, 3), polygons)
    arguments = {name: float(options[name]) for name in ("radius", "tolerance", "floor_tolerance")} | {
        "up": tuple(np.asarray(options["up"], np.float64).reshape(3).tolist()),
        "sealed": bool(options["sealed"]),
        "clear_points": np.asarray(options["clear_points"], np.float64).reshape(-1, 3),
        "half_spaces": np.asarray(options["half_spaces"], np.float64).reshape(-1, 4),
        "shapes": [shape_from_params(*_crossing(*each))._crossing for each in options["shapes"]],
        "function": None,
    }
    return SpaceOrigin(mesh.vertices, mesh.indices, mesh.offsets, arguments)


def _crossing(kind: str, numbers: Any, triangles: Any) -> tuple[str, FloatArray, IndexArray]:
    return str(kind), np.asarray(numbers, np.float64), np.asarray(triangles, np.uint32).reshape(-1, 3)
