"""The options of `fit` and `fit_tree`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, cast, get_args

import numpy.typing as npt

from hitbox._base.errors import InputError
from hitbox._base.option_kinds import Choice, Count, Fraction, Length, Scale, Seconds
from hitbox._base.options import Options, option
from hitbox._base.text import listed
from hitbox._model import importance, profiles
from hitbox._model.mesh import Mesh
from hitbox._model.option_kinds import (
    PRIMITIVES,
    ClearSpheres,
    Engine,
    FaceImportance,
    KindWeights,
    ShapeKinds,
    Spheres,
)
from hitbox._model.profiles import Profile
from hitbox._model.space import NavigableSpace
from hitbox._native import _core

PAPER_WEIGHTS = {"box": 1.0, "sphere": 1.0, "capsule": 1.0, "cylinder": 1.05, "frustum": 2.1, "prism": 1.4}
# Fig. 23 of the paper also excludes the prism.
WEIGHT_PRESETS: Mapping[str, Mapping[str, float]] = {
    "paper": PAPER_WEIGHTS,
    "uniform": dict.fromkeys(PRIMITIVES, 1.0),
    "organic": {**PAPER_WEIGHTS, "sphere": 0.7, "capsule": 0.85},
}
Objective: TypeAlias = Literal["outer", "surface"]
Preset: TypeAlias = Literal["fast", "balanced", "fine"]
Cost: TypeAlias = Literal["deviation", "grown", "volume", "joint"]
Span: TypeAlias = Literal["together", "separate"]
Tangent: TypeAlias = Literal["auto", "on", "off"]
SphereMode: TypeAlias = Literal["conservative", "balanced"]
PRESETS = get_args(Preset)
MOST_SHAPES = 1_000_000
DEFAULT_TOLERANCE = "3%"  # if neither a count nor a tolerance is given
MAX_VERTICES = 32  # of a hull, if neither the options nor a profile set it
# Options for spheres alone. Of these, kinds, weights and weld have no effect.
KNOWN_TO_SPHERES = (
    "count", "profile", "kinds", "weights", "weld", "spheres", "parts", "materials", "keep_clear", "pad",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FitOptions(Options):
    """All options of fit, with their defaults. A length is mesh units, "1%" of the diagonal, or "5mm"."""

    VERB: ClassVar[str] = "fit"

    count: int | None = option(
        None, Count(1, MOST_SHAPES), "Maximum number of shapes. Without it the tolerance decides.",
        group="Size",
    )  # fmt: skip
    tolerance: float | str | None = option(
        None, Length(above_zero=True),
        "Maximum distance of the shapes from the mesh, with as few shapes as possible.",
        means=f"{DEFAULT_TOLERANCE} without a count", group="Size",
    )  # fmt: skip
    max_excess: float | None = option(
        None, Fraction(),
        "Maximum volume that one merge may add, as a fraction of the bounding box's volume.",
        group="Research",
    )  # fmt: skip
    objective: Objective = option(
        "outer", Choice(Objective),
        "Surface to keep close to the mesh: outer (what can be touched) or surface (all of it).",
        group="Research",
    )  # fmt: skip
    preset: Preset = option(
        "balanced", Choice(Preset), "Search effort: fast, balanced or fine.", group="Effort"
    )
    time_budget: float | None = option(
        None, Seconds(),
        "Time after which refining ends. The result then depends on the machine's speed.",
        group="Effort",
    )  # fmt: skip
    cost: Cost = option(
        "deviation", Choice(Cost),
        "Merge cost: deviation (measured distance), grown (volume with a margin), volume (Eq. 4) "
        "or joint (Eq. 5, slow).",
        group="Research",
    )  # fmt: skip
    profile: str | os.PathLike[str] | Profile | None = option(
        None, Engine(), "Engine whose shape kinds and weights to use: a name such as unity, or a JSON file."
    )
    kinds: Iterable[str] | str | None = option(
        None,
        ShapeKinds(),
        "Shape kinds to use: box, sphere, capsule, cylinder, frustum, prism, hull.",
        means="all but hull",
    )
    weights: Mapping[str, float] | str | None = option(
        None, KindWeights(WEIGHT_PRESETS),
        "Cost factor of each kind: paper, uniform, organic, or pairs such as prism=1.4,frustum=2.",
        means="paper",
    )  # fmt: skip
    max_vertices: int | None = option(
        None, Count(profiles.FEWEST_HULL_VERTICES, profiles.MOST_HULL_VERTICES),
        "Maximum number of vertices of a hull.", means=f"the profile's, else {MAX_VERTICES}",
        was="hull_vertices",
    )  # fmt: skip
    parts: Span = option(
        "together", Choice(Span), "Whether one shape may span several mesh parts: together or separate."
    )
    materials: Span = option(
        "together", Choice(Span), "Whether one shape may span several materials: together or separate."
    )
    importance: str | tuple[Any, float] | Mapping[str, float] | npt.ArrayLike | None = option(
        None, FaceImportance(),
        "Faces that need a tighter fit: a direction (up, +z=8), NAME=WEIGHT of parts or materials, "
        "or one weight per face.",
        group="Where",
    )  # fmt: skip
    keep_clear: npt.ArrayLike | NavigableSpace | None = option(
        None, Spheres(),
        "Spheres x,y,z,radius that shapes must not enter, even if the count is then exceeded.",
        group="Where",
    )  # fmt: skip
    pad: float | str | None = option(
        None, Length(signed=True),
        "Distance by which all sides move outward. If it is negative, faces may stick out.", group="Where",
    )  # fmt: skip
    tangent: Tangent = option(
        "auto", Choice(Tangent), "Face tangents as axes of shapes: auto (where they help), on or off.",
        group="Research",
    )  # fmt: skip
    weld: float | str = option(
        "exact", Length(words=("exact", "off")),
        "Vertices to join first: exact (equal ones), off, or all within a length.", group="Research",
    )  # fmt: skip
    drop_thin: float | str | None = option(
        None, Length(),
        "Drop shapes with a half extent up to this length. Their faces are then not enclosed.",
        group="Where",
    )  # fmt: skip
    spheres: SphereMode = option(
        "conservative", Choice(SphereMode),
        "Mode of fit_spheres, if sphere is the only kind: conservative or balanced.", hidden=True,
    )  # fmt: skip

    def _check_together(self) -> None:
        if self.max_vertices is not None and "hull" not in self.allowed_kinds:
            raise InputError("fit: max_vertices: no hulls are allowed. Add 'hull' to kinds.")
        if not set(self.allowed_kinds) & set(PRIMITIVES):
            raise InputError("fit: weights: 'organic' uses no prisms, and kinds allows nothing else.")
        if self.spheres != "conservative" and not self.by_spheres:
            raise InputError(f"fit: spheres: {self.spheres!r} needs kinds='sphere', and no other kind.")

    @property
    def _engine(self) -> Profile | None:
        assert self.profile is None or isinstance(self.profile, Profile)  # the check has loaded the profile
        return self.profile

    @property
    def allowed_kinds(self) -> tuple[str, ...]:
        """The kinds of `kinds`, else of the profile. `organic` weights exclude prisms."""
        kinds = self.kinds or (self._engine.kinds if self._engine else PRIMITIVES)
        return tuple(kind for kind in kinds if kind != "prism" or self.weights != "organic")

    @property
    def by_spheres(self) -> bool:
        """Whether fit uses the solver of spheres."""
        return self.allowed_kinds == ("sphere",)

    def check_for_spheres(self) -> None:
        """Refuse options that the solver of spheres does not have."""
        unknown = [name for name in self.to_dict() if name not in KNOWN_TO_SPHERES]
        if not unknown:
            return
        instead = "fit_tree(mesh, kinds='sphere')"
        if "tolerance" in unknown:
            instead += f".within({self.tolerance!r})"
        raise InputError(
            f"fit: {listed(unknown)}: no effect on spheres alone, which are placed and not merged. Leave "
            f"it out, or let {instead} merge spheres."
        )

    @property
    def clear_spheres(self) -> ClearSpheres:
        """The spheres and spaces of `keep_clear`, as its check has made them."""
        return ClearSpheres.of((), ()) if self.keep_clear is None else cast("ClearSpheres", self.keep_clear)

    @property
    def kind_weights(self) -> dict[str, float]:
        """One weight per primitive: of `weights`, else of the profile, else of the paper."""
        if isinstance(self.weights, str):
            return dict(WEIGHT_PRESETS[self.weights])
        return PAPER_WEIGHTS | dict(self._engine.weights if self._engine else ()) | dict(self.weights or {})

    @property
    def hull_vertices(self) -> int:
        """Largest number of vertices of a hull; 0 if hulls are not allowed."""
        if "hull" not in self.allowed_kinds:
            return 0
        return self.max_vertices or (self._engine and self._engine.hull_vertices) or MAX_VERTICES

    def _plain_defaults(self) -> dict[str, Any]:
        defaults = super()._plain_defaults()
        if not self._engine:  # given or not, these are the defaults
            means = {"kinds": PRIMITIVES, "weights": "paper"}
            defaults |= {name: value for name, value in means.items() if getattr(self, name)}
        return defaults

    def for_core(self, mesh: Mesh) -> _core.FitOptions:
        core: _core.FitOptions = self.into_core(_core.FitOptions(), Scale(mesh.diagonal, mesh.unit))
        core.kinds = tuple(kind in self.allowed_kinds for kind in PRIMITIVES)
        core.weights = tuple(self.kind_weights[kind] for kind in PRIMITIVES)
        core.max_vertices = self.hull_vertices
        if self.importance is not None:
            checked = cast("importance.Importance", self.importance)
            core.importance = importance.of_faces("fit: importance", checked, mesh)
        if core.pad <= -mesh.diagonal / 2:
            raise InputError(f"{self.VERB}: pad: {self.pad!r} moves sides in by half the mesh. Give less.")
        if core.pad > mesh.diagonal:
            raise InputError(
                f"{self.VERB}: pad: {self.pad!r} is more than the mesh's diagonal, {mesh.diagonal:g}. "
                f"Give less."
            )
        return core
