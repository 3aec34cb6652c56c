"""Shared by the readers of URDF, SDF, MJCF, SRDF and cuRobo: collects their collision shapes.

A description may only refer to files in its own folder and below.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES
from hitbox._base.text import counted
from hitbox._formats.mesh_builder import inside_folder
from hitbox._formats.poses import Pose
from hitbox._formats.read_mesh import load
from hitbox._formats.xml_input import number, numbers
from hitbox._model.collider import Collider, Label, Status
from hitbox._model.convex_parts import ConvexPart, hull_of_part
from hitbox._model.mesh import _utf8
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Hull, IndexArray, Shape, Sphere

_ELLIPSOID_SIDES = 30


class Described:
    """Collects the shapes of one file. Messages start with its name."""

    def __init__(self, path: str) -> None:
        self.where = _utf8(os.path.basename(path))
        self.name = ""
        self._folder = os.path.realpath(os.path.dirname(path) or ".")
        self._shapes: list[Shape] = []
        self._origins: list[tuple[str, str | None, Label | None]] = []
        self._notes: list[str] = []
        self._left_out = 0
        self._meshes: dict[str, tuple[FloatArray, IndexArray]] = {}

    def at(self, *places: str) -> str:
        return ": ".join([self.where, *places])

    def error(self, message: str, where: str | None = None) -> InputError:
        return InputError(f"{where or self.where}: {message}")

    def add(self, shape: Shape | None, link: str, name: str | None, label: Label | None = None) -> None:
        """Add a shape; None stands for one that was left out. `label` is the file's information on it."""
        if shape is not None:
            self._shapes.append(shape)
            self._origins.append((link, name, label))

    def leave_out(self, where: str, why: str) -> None:
        self._left_out += 1
        self._notes.append(f"{where}: {why}: left out.")

    def collider(self) -> Collider:
        """Return all shapes. A label's part is its link's name, if several links have shapes."""
        if not self._shapes:
            more = f" {counted(self._left_out, 'shape')} left out." if self._left_out else ""
            raise self.error(f"has no collision shapes.{more}")
        several = len({link for link, _, _ in self._origins}) > 1
        labels = [
            label or Label(name=name or None, part=link or None if several else None)
            for link, name, label in self._origins
        ]
        status = Status(not self._left_out, tuple(self._notes))
        return Collider(self._shapes, labels=labels, status=status, name=self.name, unit="m", up="z")

    # --- shapes

    def made(self, where: str, kind: type[Any], *fields: Any) -> Shape:
        """Create a shape of this kind; an error in its numbers names the place."""
        try:
            shape: Shape = kind(*fields)
        except InputError as error:
            raise self.error(str(error), where) from None
        return shape

    def round(
        self, where: str, kind: type[Any], pose: Pose, radius: float, length: float, *more: float
    ) -> Shape:
        """Return a capsule, cylinder or frustum along the z axis of `pose`, around its origin."""
        ends = pose.at((0, 0, -length / 2)), pose.at((0, 0, length / 2))
        return self.made(where, kind, *ends, radius, *more)

    def simple(
        self, where: str, kind: str, attribute: Callable[[str], str | None], pose: Pose
    ) -> Shape | None:
        """Return a box, sphere, cylinder or capsule, sized by its attributes; None for other kinds."""

        def value(key: str) -> float:
            return number(f"{where}: {key}", attribute(key))

        match kind:
            case "box":
                half = [side / 2 for side in numbers(f"{where}: size", attribute("size"), 3)]
                return self.made(where, Box, pose.translation, pose.rotation, half)
            case "sphere":
                return self.made(where, Sphere, pose.translation, value("radius"))
            case "cylinder":
                return self.round(where, Cylinder, pose, value("radius"), value("length"))
            case "capsule":
                has_height = attribute("length") is None and attribute("height") is not None
                length = "height" if has_height else "length"
                return self.round(where, Capsule, pose, value("radius"), value(length))
        return None

    def ellipsoid(self, where: str, pose: Pose, radii: list[float]) -> Shape | None:
        vertices, triangles = Sphere((0, 0, 0), 1).to_mesh(_ELLIPSOID_SIDES)
        self._notes.append(f"{where}: an ellipsoid is replaced by a hull around it.")
        return self._hull(where, vertices * radii, triangles, pose)

    def mesh_hull(
        self, where: str, path: str | None, scale: FloatArray, pose: Pose, reference: Pose | None = None
    ) -> Hull | None:
        """Return the hull of a mesh file; None and a note for a flat mesh.

        `reference` transforms the mesh before scaling.
        """
        vertices, triangles = self._mesh(where, path)
        return self._hull(where, (reference or Pose()).all_at(vertices) * scale, triangles, pose)

    def points_hull(self, where: str, points: FloatArray, pose: Pose) -> Hull | None:
        return self._hull(where, points, np.empty((0, 3), np.uint32), pose, quietly=True)

    def _hull(
        self, where: str, vertices: FloatArray, triangles: IndexArray, pose: Pose, *, quietly: bool = False
    ) -> Hull | None:
        hull, note = hull_of_part(ConvexPart(vertices, triangles), where)
        if hull is None:
            self.leave_out(where, "is flat and has no inside")
            return None
        if note and not quietly:
            self._notes.append(note)
        placed = pose.placed(hull)
        assert isinstance(placed, Hull)
        return placed

    def _mesh(self, where: str, path: str | None) -> tuple[FloatArray, IndexArray]:
        if not path:
            raise self.error("the mesh has no file.", where)
        at = os.path.realpath(os.path.join(self._folder, path.removeprefix("file://")))
        if "://" in path.removeprefix("file://") or not inside_folder(at, self._folder):
            message = f"the mesh {path!r:.120} is not below the file's own folder"
            raise self.error(f"{message}. Use a relative path, or allow a folder: HITBOX_ASSET_ROOT.", where)
        if at not in self._meshes:
            mesh = load(at)
            metres = METRES[mesh.unit or "m"]  # COLLADA and FBX have a unit; descriptions use metres
            self._meshes[at] = mesh.vertices * metres, mesh.triangles
        return self._meshes[at]


def scaled(where: str, text: str | None) -> FloatArray:
    """Parse the scale of a mesh: three numbers, or 1 if it is missing. Negative numbers mirror."""

    scale = np.array(numbers(where, text, 3, (1, 1, 1)))
    if not scale.all():
        raise InputError(f"{where}: must not have a 0.")
    return scale
