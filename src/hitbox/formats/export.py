"""What a collider becomes in a format of an engine: in its unit, with its up axis, in the kinds that it has.

A format declares what it has as a `Target`; `exported` makes an `Export` of a collider for it. A shape that
the target does not have becomes a hull around it, and a hull beyond the target's caps a larger one of fewer
vertices: never a smaller one. Each time the `ExportReport` says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hitbox import _core
from hitbox.check import hull_faults
from hitbox.collider import Collider, Label
from hitbox.errors import InputError
from hitbox.lengths import METRES
from hitbox.mass import DENSITY, MassProperties, is_solid, mass_properties
from hitbox.mesh import Mesh
from hitbox.profiles import HullCaps
from hitbox.profiles import load as load_profile
from hitbox.shapes import Capsule, Cylinder, FloatArray, Frustum, Hull, Rotation, Shape, Sphere
from hitbox.words import counted

_HALF = math.sqrt(0.5)
_NO_TURN: Rotation = (0.0, 0.0, 0.0, 1.0)
# From a collider's up axis to a target's; each keeps the axis that is neither, or x.
_TURNS: Mapping[tuple[str, str], Rotation] = {
    ("y", "z"): (_HALF, 0.0, 0.0, _HALF),
    ("z", "y"): (-_HALF, 0.0, 0.0, _HALF),
    ("x", "z"): (0.0, -_HALF, 0.0, _HALF),
    ("z", "x"): (0.0, _HALF, 0.0, _HALF),
    ("x", "y"): (0.0, 0.0, _HALF, _HALF),
    ("y", "x"): (0.0, 0.0, -_HALF, _HALF),
}
_ROUND_SIDES = 30  # of a round shape's hull: no polygon with more corners than any engine takes
_FEWEST = 4  # vertices of a hull


@dataclass(frozen=True)
class Target:
    """What a format has of its own. None: no unit, no up axis, no cap."""

    kinds: tuple[str, ...]  # with hull, if it has hulls; cone: a frustum that comes to a point
    unit: str | None = None
    up: str | None = None  # or several: the preferred one first, a collider's own is kept if it is among them
    hull_vertices: int | None = None
    hull_polygons: int | None = None
    hull_corners: int | None = None  # of one polygon
    has_motion: bool = False  # mass and inertia can be said
    has_mesh: bool = False  # a render mesh can travel along
    is_exact: bool = False  # every shape is written as it is, whatever it is
    profile: str | None = None  # of the engine that reads it

    def with_caps_of(self, profile: str) -> Target:
        """Hulls within what that engine takes."""
        caps = load_profile(profile).hull or HullCaps()
        return replace(
            self, profile=profile, hull_vertices=caps.vertices, hull_polygons=caps.polygons,
            hull_corners=caps.corners,
        )  # fmt: skip

    def up_for(self, up: str | None) -> str | None:
        return up if up and up in (self.up or up) else self.up and self.up[0]


@dataclass(frozen=True)
class ExportOptions:
    """What all formats share. `mesh` travels along to be seen; of a closed one mass is taken too."""

    faces: bool = False
    dynamic: bool = False
    density: float = DENSITY
    mesh: Mesh | None = None
    folder: str | None = None  # of files beside the main one; None: named after it


@dataclass(frozen=True)
class Replacement:
    """A shape that the target does not have as it is."""

    shape: int
    name: str
    kind: str
    by: str
    why: str

    def __str__(self) -> str:
        name = " ".join(self.name.split())  # a line break in a name must not break the line
        return f"{name}: {self.kind} written as {self.by}: {self.why}."


@dataclass(frozen=True)
class ExportReport:
    """What was written, and what is not as it was."""

    format: str
    files: tuple[str, ...]
    replaced: tuple[Replacement, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.format}: {', '.join(self.files)}", *map(str, self.replaced), *self.notes]
        return "\n".join(lines)


@dataclass(frozen=True)
class Item:
    """A shape as the target has it. `name` is safe everywhere, `title` what the shape was called."""

    name: str
    title: str
    shape: Shape
    label: Label
    index: int  # of the shape in the collider


@dataclass(frozen=True)
class Export:
    """A collider in the target's unit, up axis and kinds. `file` is the name of the main file."""

    collider: Collider
    target: Target
    file: str
    name: str  # of the body: safe
    items: tuple[Item, ...]
    options: ExportOptions
    mass: MassProperties | None  # of a body that moves
    mesh: Mesh | None  # in the target's frame
    replaced: tuple[Replacement, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def stem(self) -> str:
        return self.file.split(".", 1)[0]


def exported(collider: Collider, target: Target, file: str, options: ExportOptions) -> Export:
    """`collider` for `target`; raises InputError where the target has nothing to hold a shape."""
    notes: list[str] = []
    placed, mesh = _in_frame(collider, options.mesh, target, notes)
    titles = titles_of(placed)
    names = safe_names(titles)
    items: list[Item] = []
    replaced: list[Replacement] = []
    for k, (shape, label) in enumerate(zip(placed.shapes, placed.labels, strict=True)):
        native, why = native_shape(shape, target, titles[k])
        items.append(Item(names[k], titles[k], native, label, k))
        if why:
            replaced.append(Replacement(k, titles[k], shape.kind, said(native), why))
    notes += _what_the_engine_would_change(items, target)
    if options.mesh is not None and not target.has_mesh:
        notes.append("The render mesh has no place in this format and was left out.")
        mesh = None
    mass = None
    if options.dynamic:
        if target.has_motion:
            mass = _mass(placed, mesh, options.density, notes)
        else:
            notes.append("This format cannot say that a body moves: it is written without mass.")
    name = safe_names([collider.name or file.split(".", 1)[0]])[0]
    return Export(placed, target, file, name, tuple(items), options, mass, mesh, tuple(replaced), notes)


# ---------------------------------------------------------------- Frames


def frame_change(unit: str | None, up: str | None, target: Target) -> tuple[Rotation, float]:
    """The turn and the scale from a collider's frame to the target's; what is not known stays as it is."""
    turn = _TURNS.get((up or "", target.up_for(up) or ""), _NO_TURN)
    scale = METRES[unit] / METRES[target.unit] if unit and target.unit else 1.0
    return turn, scale


def _in_frame(
    collider: Collider, mesh: Mesh | None, target: Target, notes: list[str]
) -> tuple[Collider, Mesh | None]:
    turn, scale = frame_change(collider.unit, collider.up, target)
    if target.unit and not collider.unit:
        notes.append(f"The collider says no unit: its lengths are taken as {target.unit}.")
    up = target.up_for(collider.up)
    if up and not collider.up:
        notes.append(f"The collider says no up axis: {up} is taken to point up.")
    moved = collider if turn == _NO_TURN and scale == 1 else collider.transformed(turn, scale=scale)
    moved = moved._with(unit=target.unit or collider.unit, up=up)
    return moved, None if mesh is None else _mesh_in_frame(mesh, collider, turn, scale)


def _mesh_in_frame(mesh: Mesh, collider: Collider, turn: Rotation, scale: float) -> Mesh:
    """A mesh in the collider's frame goes where the collider goes."""
    return Mesh._from_arrays(
        scale * mesh.vertices @ matrix_of(turn).T, mesh.indices, mesh.offsets,
        part=mesh.part, material=mesh.material, part_names=mesh.part_names,
        material_names=mesh.material_names, name=mesh.name, unit=collider.unit, up=collider.up,
    )  # fmt: skip


def matrix_of(rotation: Rotation) -> FloatArray:
    x, y, z, w = rotation
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


# ---------------------------------------------------------------- Names


def titles_of(collider: Collider) -> list[str]:
    """What each shape is called: its own name, else its part's, else its kind."""
    return [
        label.name or label.part or shape.kind
        for shape, label in zip(collider.shapes, collider.labels, strict=True)
    ]


def safe_names(titles: Iterable[str]) -> list[str]:
    """Letters, digits and _, no digit first, never empty, and all different in whatever case."""
    names: list[str] = []
    taken: set[str] = set()
    for title in titles:
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", title)[:80].strip("_") or "shape"
        stem = f"_{stem}" if stem[0].isdigit() else stem
        name, number = stem, 1
        while name.casefold() in taken:
            name, number = f"{stem}_{number}", number + 1
        taken.add(name.casefold())
        names.append(name)
    return names


# ---------------------------------------------------------------- Shapes


def native_shape(shape: Shape, target: Target, title: str) -> tuple[Shape, str]:
    """What the target has for it, and why it is not the shape itself ("" where it is)."""
    if target.is_exact:
        return shape, ""
    plain = _plain(shape)
    has_it = plain.kind in target.kinds or ("cone" in target.kinds and is_cone(plain))
    if has_it and not isinstance(plain, Hull):
        return plain, "" if plain.kind == shape.kind else "it is one"
    if "hull" not in target.kinds:
        known = ", ".join(target.kinds)
        raise InputError(f"{title}: a {shape.kind} cannot be written here. Make the collider of {known}.")
    if isinstance(plain, Hull):
        capped = within_caps(plain.vertices, target)
        return (plain, "") if capped is None else (capped, "the target takes no larger hull")
    points = _points_around(plain, target)
    hull = within_caps(points, target) or Hull(*_core.convex_hull(points)[:2])
    return hull, f"the target has no {shape.kind}"


def _plain(shape: Shape) -> Shape:
    """The simplest kind that it is: what has no length, or no taper, is a ball, or a cylinder."""
    if isinstance(shape, Capsule) and shape.start == shape.end:
        return Sphere(shape.start, shape.radius)
    if isinstance(shape, Frustum) and shape.radius_start == shape.radius_end:
        return Cylinder(shape.start, shape.end, shape.radius_start)
    return shape


def is_cone(shape: Shape) -> bool:
    return isinstance(shape, Frustum) and min(shape.radius_start, shape.radius_end) == 0


def _points_around(shape: Shape, target: Target) -> FloatArray:
    sides = _ROUND_SIDES
    if target.hull_vertices is not None and isinstance(shape, Cylinder | Frustum):
        sides = max(3, min(sides, target.hull_vertices // 2))
    return np.asarray(shape.to_mesh(sides)[0])


def within_caps(points: FloatArray, target: Target) -> Hull | None:
    """A hull around `points` within the target's caps; None: their own hull is within."""
    caps = (target.hull_vertices, target.hull_polygons, target.hull_corners)
    if caps == (None, None, None):
        return None
    vertices, triangles = _core.convex_hull(points)[:2]
    hull = Hull(vertices, triangles)
    if _is_within(hull, target):
        return None
    most = min(target.hull_vertices or len(vertices), len(vertices))
    while True:
        found = _core.capped_hull(points, most)
        if found is None:
            raise InputError("a hull without volume cannot be made smaller.")
        _, numbers, faces = found
        hull = Hull(np.asarray(numbers).reshape(-1, 3), faces)
        if most == _FEWEST or _is_within(hull, target):
            return hull
        most = max(_FEWEST, min(most - 1, most * 7 // 8))


def _is_within(hull: Hull, target: Target) -> bool:
    caps = HullCaps(target.hull_vertices, target.hull_polygons, corners=target.hull_corners)
    return next(hull_faults(hull, caps), None) is None


def _what_the_engine_would_change(items: Iterable[Item], target: Target) -> list[str]:
    """Hulls that fewer vertices do not help: flat ones, and such with detail below the engine's tolerance."""
    caps = load_profile(target.profile).hull if target.profile else None
    if caps is None:
        return []
    metres = METRES[target.unit or "m"]
    return [
        f"{' '.join(item.title.split())}: {target.profile} will change this hull: {why}."
        for item in items
        if isinstance(item.shape, Hull)
        for why in hull_faults(item.shape, caps, metres)
    ]


def said(shape: Shape) -> str:
    if isinstance(shape, Hull):
        return f"a hull of {counted(len(shape.vertices), 'vertex', 'vertices')}"
    return f"a {shape.kind}"


def _mass(collider: Collider, mesh: Mesh | None, density: float, notes: list[str]) -> MassProperties:
    """`density` is in kilograms a cubic metre, whatever the target's unit is."""
    by_unit = density * METRES[collider.unit or "m"] ** 3
    if mesh is not None and is_solid(mesh):
        return mass_properties(mesh, by_unit)
    what = "there is no mesh to take it from" if mesh is None else "the mesh is not closed"
    notes.append(f"Mass is that of the union of the shapes: {what}.")
    return mass_properties(collider, by_unit)
