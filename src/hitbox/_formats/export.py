"""Convert a collider to the unit, the up axis and the shape kinds that a format supports.

A format declares its properties as a `Target`. `exported` makes an `Export` of a collider for it. A shape
that the target does not have becomes a hull around it, and a hull beyond the target's caps becomes a larger
one of fewer vertices, never a smaller one. The `ExportReport` lists both.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES
from hitbox._base.text import counted, listed
from hitbox._model.collider import Collider, Label
from hitbox._model.hull_limits import hull_faults
from hitbox._model.mass import DENSITY, MassProperties, mass_properties, volume_fault
from hitbox._model.mesh import Mesh
from hitbox._model.profiles import HullCaps
from hitbox._model.profiles import load as load_profile
from hitbox._model.shapes import Capsule, Cylinder, FloatArray, Frustum, Hull, Rotation, Shape, Sphere
from hitbox._native import _core

_HALF = math.sqrt(0.5)
_NO_TURN: Rotation = (0.0, 0.0, 0.0, 1.0)
# Rotations from a collider's up axis to a target's. Each keeps the third axis, or x.
_TURNS: Mapping[tuple[str, str], Rotation] = {
    ("y", "z"): (_HALF, 0.0, 0.0, _HALF),
    ("z", "y"): (-_HALF, 0.0, 0.0, _HALF),
    ("x", "z"): (0.0, -_HALF, 0.0, _HALF),
    ("z", "x"): (0.0, _HALF, 0.0, _HALF),
    ("x", "y"): (0.0, 0.0, _HALF, _HALF),
    ("y", "x"): (0.0, 0.0, -_HALF, _HALF),
}
_ROUND_SIDES = 30  # of a round shape's hull, so that no polygon has more corners than engines allow
LABEL_KEYS = ("name", "part", "material")  # the data of a shape in a format with titles
_FEWEST = 4  # the fewest vertices of a hull
# Windows does not allow these file names
_DEVICE = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
_LEAST = 2e-14  # kg, kg m^2: MuJoCo refuses a tensor below half of it


@dataclass(frozen=True)
class Target:
    """The properties of a format. None means no unit, no up axis, no cap."""

    kinds: tuple[str, ...]  # includes hull if the format has hulls; a cone is a frustum with a tip
    unit: str | None = None
    up: str | None = None  # or several, the preferred one first; a collider's own is kept if it is among them
    hull_vertices: int | None = None
    hull_polygons: int | None = None
    hull_corners: int | None = None  # of one polygon
    has_motion: bool = False  # the format has mass and inertia
    has_mesh: bool = False  # the format has a render mesh
    has_titles: bool = False  # the format keeps a shape's original name beside its safe name
    splits_capsules: bool = False  # a capsule is written as a cylinder and two balls, the same solid
    is_exact: bool = False  # all shape kinds are written unchanged
    profile: str | None = None  # the profile of the engine that reads the format

    def with_caps_of(self, profile: str) -> Target:
        """Return the target with the hull caps of its engine."""
        caps = load_profile(profile).hull or HullCaps()
        return replace(
            self, profile=profile, hull_vertices=caps.vertices, hull_polygons=caps.polygons,
            hull_corners=caps.corners,
        )  # fmt: skip

    def up_for(self, up: str | None) -> str | None:
        return up if up and up in (self.up or up) else self.up and self.up[0]


@dataclass(frozen=True)
class ExportOptions:
    """The options of all formats. `mesh` is the render mesh; if it is closed it also defines the mass.

    `solid` defines the mass if there is no render mesh.
    """

    faces: bool = False
    dynamic: bool = False
    density: float = DENSITY
    mesh: Mesh | None = None
    solid: Mesh | None = None
    folder: str | None = None  # folder of files beside the main one; None: named after it


@dataclass(frozen=True)
class Replacement:
    """A shape that the target does not have, and its replacement."""

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
    """The written files, and the replaced shapes."""

    format: str
    files: tuple[str, ...]
    replaced: tuple[Replacement, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.format}: {', '.join(self.files)}", *map(str, self.replaced), *self.notes]
        return "\n".join(lines)


@dataclass(frozen=True)
class Item:
    """A shape for the target. `name` is safe everywhere, `title` is the shape's original name."""

    name: str
    title: str
    shape: Shape
    label: Label
    index: int  # index of the shape in the collider


@dataclass(frozen=True)
class Export:
    """A collider in the target's unit, up axis and kinds. `file` is the name of the main file."""

    collider: Collider
    target: Target
    file: str
    name: str  # safe name of the body
    items: tuple[Item, ...]
    options: ExportOptions
    mass: MassProperties | None  # None for a static body
    mesh: Mesh | None  # in the target's frame
    replaced: tuple[Replacement, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """The folder of the files beside the main one. It has the main file's full name, so that no two files
        share it.
        """
        if self.options.folder is not None:
            return self.options.folder
        safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", self.file)
        if safe != self.file or safe.startswith("."):
            safe = f"_{safe[:80]}_{hashlib.sha256(os.fsencode(self.file)).hexdigest()[:8]}"
        return f"{safe}_meshes"


def exported(collider: Collider, target: Target, file: str, options: ExportOptions) -> Export:
    """Convert `collider` for `target`. Raise InputError if the target has no replacement for a shape."""
    notes: list[str] = []
    weighed = options.solid if options.mesh is None and options.dynamic else options.mesh
    placed, mesh = _in_frame(collider, weighed, target, notes)
    written: list[tuple[int, Shape]] = []
    replaced: list[Replacement] = []
    titles = titles_of(placed)
    for k, shape in enumerate(placed):
        shapes, why = native_shapes(shape, target, titles[k])
        written += [(k, native) for native in shapes]
        if why:
            replaced.append(Replacement(k, titles[k], shape.kind, _said_all(shapes), why))
    names = safe_names(titles[k] for k, _ in written)
    items = tuple(
        Item(name, titles[k], shape, placed.labels[k], k)
        for name, (k, shape) in zip(names, written, strict=True)
    )
    if not target.has_titles and not target.is_exact:
        notes += _renamed(items)
    notes += _what_the_engine_would_change(items, target)
    mass = None
    if options.dynamic:
        if target.has_motion:
            mass = _mass(placed, mesh, options.density, notes)
        else:
            notes.append("This format has no dynamic bodies: the body is written without mass.")
    if options.mesh is not None and not target.has_mesh:
        notes.append("The render mesh has no place in this format and was left out.")
    if options.mesh is None or not target.has_mesh:
        mesh = None
    name = safe_names([collider.name or file.split(".", 1)[0]])[0]
    return Export(placed, target, file, name, items, options, mass, mesh, tuple(replaced), notes)


# ---------------------------------------------------------------- Frames


def frame_change(unit: str | None, up: str | None, target: Target) -> tuple[Rotation, float]:
    """Return the rotation and the scale from a collider's frame to the target's. Unknown units and axes do
    not change.
    """
    turn = _TURNS.get((up or "", target.up_for(up) or ""), _NO_TURN)
    scale = _metres(unit) / _metres(target.unit) if unit and target.unit else 1.0
    return turn, scale


def _metres(unit: str) -> float:
    if unit not in METRES:
        raise InputError(f"collider: unknown unit {unit!r}. Known: {', '.join(METRES)}.")
    return METRES[unit]


def _in_frame(
    collider: Collider, mesh: Mesh | None, target: Target, notes: list[str]
) -> tuple[Collider, Mesh | None]:
    turn, scale = frame_change(collider.unit, collider.up, target)
    if target.unit and not collider.unit:
        notes.append(f"The collider has no unit: its lengths are taken as {target.unit}.")
    up = target.up_for(collider.up)
    if up and not collider.up:
        notes.append(f"The collider has no up axis: {up} is taken to point up.")
    moved = collider if turn == _NO_TURN and scale == 1 else collider.transformed(turn, scale=scale)
    moved = moved._with(unit=target.unit or collider.unit, up=up)
    return moved, None if mesh is None else _mesh_in_frame(mesh, collider, moved)


def _mesh_in_frame(mesh: Mesh, collider: Collider, moved: Collider) -> Mesh:
    """Convert the mesh. If mesh and collider both have a unit, or an up axis, each is converted by its own.
    Otherwise the mesh is in the collider's frame.
    """
    into = Target((), moved.unit, moved.up)
    unit, up = collider.unit and (mesh.unit or collider.unit), collider.up and (mesh.up or collider.up)
    turn, scale = frame_change(unit, up, into)
    return Mesh._from_arrays(
        scale * mesh.vertices @ matrix_of(turn).T, mesh.indices, mesh.offsets,
        part=mesh.part, material=mesh.material, part_names=mesh.part_names,
        material_names=mesh.material_names, name=mesh.name, unit=moved.unit, up=moved.up,
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
    """Return the title of each shape: its own name, else its part's, else its kind."""
    return [
        label.name or label.part or shape.kind
        for shape, label in zip(collider.shapes, collider.labels, strict=True)
    ]


def label_fields(label: Label) -> dict[str, str]:
    """Return name, part and material, if they are known."""
    return {key: getattr(label, key) for key in LABEL_KEYS if getattr(label, key) is not None}


def safe_names(titles: Iterable[str]) -> list[str]:
    """Return names of letters, digits and _, without a leading digit, never empty, and different in any
    case.
    """
    names: list[str] = []
    taken: set[str] = set()
    numbers: Counter[str] = Counter()
    for title in titles:
        stem = re.sub(r"[^A-Za-z0-9_]+", "_", title)[:80].strip("_") or "shape"
        stem = f"_{stem}" if stem[0].isdigit() or _DEVICE.fullmatch(stem) else stem
        name, key = stem, stem.casefold()
        while name.casefold() in taken:
            numbers[key] += 1
            name = f"{stem}_{numbers[key]}"
        taken.add(name.casefold())
        names.append(name)
    return names


def _renamed(items: Iterable[Item]) -> list[str]:
    """Return a note if given names had to be changed."""
    pairs = {item.title: item.name for item in items if item.label.name and item.name != item.label.name}
    if not pairs:
        return []
    title, name = next(iter(pairs.items()))
    return [f"{counted(len(pairs), 'name')} had to be changed, such as {title!r:.80} to {name!r}."]


# ---------------------------------------------------------------- Shapes


def native_shapes(shape: Shape, target: Target, title: str) -> tuple[list[Shape], str]:
    """Return the shapes that replace a shape together, and the reason ("" for the shape itself)."""
    if target.splits_capsules and isinstance(shape, Capsule) and shape.start != shape.end:
        ends = [Sphere(end, shape.radius) for end in (shape.start, shape.end)]
        return [Cylinder(shape.start, shape.end, shape.radius), *ends], "together they are one"
    native, why = native_shape(shape, target, title)
    return [native], why


def native_shape(shape: Shape, target: Target, title: str) -> tuple[Shape, str]:
    """Return the shape that replaces a shape, and the reason ("" for the shape itself)."""
    if target.is_exact:
        return shape, ""
    plain = _plain(shape)
    is_cone = isinstance(plain, Frustum) and plain.is_cone
    has_it = plain.kind in target.kinds or ("cone" in target.kinds and is_cone)
    if has_it and not isinstance(plain, Hull):
        return plain, "" if plain.kind == shape.kind else "it is one"
    if "hull" not in target.kinds:
        known = ", ".join(target.kinds)
        raise InputError(
            f"{title!r:.80}: this format has no {shape.kind}. Make the collider of {known} only."
        )
    if isinstance(plain, Hull):
        capped = within_caps(plain.vertices, target)
        return (plain, "") if capped is None else (capped, "the target takes no larger hull")
    points = _points_around(plain, target)
    hull = within_caps(points, target) or Hull._trusted(*_core.convex_hull(points)[:2])
    return hull, f"the target has no {shape.kind}"


def _plain(shape: Shape) -> Shape:
    """Return the simplest kind: a shape without length is a ball, and one without taper a cylinder."""
    if isinstance(shape, Capsule) and shape.start == shape.end:
        return Sphere(shape.start, shape.radius)
    if isinstance(shape, Frustum) and shape.radius_start == shape.radius_end:
        return Cylinder(shape.start, shape.end, shape.radius_start)
    return shape


def _points_around(shape: Shape, target: Target) -> FloatArray:
    sides = _ROUND_SIDES
    if target.hull_vertices is not None and isinstance(shape, Cylinder | Frustum):
        sides = max(3, min(sides, target.hull_vertices // 2))
    return np.asarray(shape.to_mesh(sides)[0])


def within_caps(points: FloatArray, target: Target) -> Hull | None:
    """Return a hull around `points` within the target's caps, or None if their own hull is."""
    caps = (target.hull_vertices, target.hull_polygons, target.hull_corners)
    if caps == (None, None, None):
        return None
    hull = Hull._trusted(*_core.convex_hull(points)[:2])
    if _is_within(hull, target):
        return None
    most = min(target.hull_vertices or len(hull.vertices), len(hull.vertices))
    while True:
        found = _core.capped_hull(points, most)
        if found is None:
            raise InputError("a hull without volume cannot be made smaller.")
        _, numbers, faces = found
        hull = Hull._trusted(np.asarray(numbers).reshape(-1, 3), faces)
        if most == _FEWEST or _is_within(hull, target):
            return hull
        most = max(_FEWEST, min(most - 1, most * 7 // 8))


def _is_within(hull: Hull, target: Target) -> bool:
    caps = HullCaps(target.hull_vertices, target.hull_polygons, corners=target.hull_corners)
    return next(hull_faults(hull, caps), None) is None


def _what_the_engine_would_change(items: Iterable[Item], target: Target) -> list[str]:
    """Return notes on hulls that fewer vertices do not help: flat ones, and those with detail below the
    engine's tolerance.
    """
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


def described(shape: Shape) -> str:
    if isinstance(shape, Hull):
        return f"a hull of {counted(len(shape.vertices), 'vertex', 'vertices')}"
    return f"a {shape.kind}"


def _said_all(shapes: list[Shape]) -> str:
    kinds = Counter(shape.kind for shape in shapes)
    return (
        described(shapes[0]) if len(shapes) == 1 else listed([counted(n, kind) for kind, n in kinds.items()])
    )


def _mass(collider: Collider, mesh: Mesh | None, density: float, notes: list[str]) -> MassProperties:
    """Compute the mass. `density` is in kilograms per cubic metre, for any unit of the target."""
    by_unit = density * _metres(collider.unit or "m") ** 3
    fault = "there is no mesh to take it from" if mesh is None else volume_fault(mesh)
    solid: Mesh | Collider = collider if mesh is None or fault else mesh
    if fault:
        notes.append(f"Mass is that of the union of the shapes, which may be hollow: {fault}.")
    beyond = InputError("the mass is too small or too large for a float. Scale the collider.")
    if not 0 < collider.volume < math.inf:
        raise beyond
    with np.errstate(all="ignore"):
        found = mass_properties(solid, by_unit)
    if not np.isfinite([found.mass, *found.center, *found.inertia]).all() or found.mass <= 0:
        raise beyond
    return found


def heavy_enough(mass: MassProperties, notes: list[str]) -> MassProperties:
    """Raise mass and inertia to the least values of MuJoCo, which also reads URDF."""
    missing = max(0.0, _LEAST - min(mass.principal[0]))
    if not missing and mass.mass >= _LEAST:
        return mass
    notes.append(f"Mass and inertia are raised to {_LEAST:g}: MuJoCo refuses a dynamic body with less.")
    xx, yy, zz, xy, xz, yz = mass.inertia
    inertia = (xx + missing, yy + missing, zz + missing, xy, xz, yz)
    return MassProperties(max(mass.mass, _LEAST), mass.center, inertia)
