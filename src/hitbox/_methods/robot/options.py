"""The options of `robot`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hitbox._base.errors import InputError
from hitbox._base.option_kinds import Choice, Count, Folders, Length
from hitbox._base.options import Options, option
from hitbox._methods.fit_options import DEFAULT_TOLERANCE, MOST_SHAPES, FitOptions, Preset
from hitbox._methods.robot.model import PRIMITIVES
from hitbox._model.option_kinds import ShapeKinds

MeshSource: TypeAlias = Literal["visual", "collision"]
MOST_POSES = 100_000


@dataclass(frozen=True, kw_only=True)
class RobotOptions(Options):
    """All options of robot, with their defaults. A length is metres, "1%" of a link's diagonal, or "5mm"."""

    VERB: ClassVar[str] = "robot"

    count: int | None = option(
        None, Count(1, MOST_SHAPES),
        "Maximum number of shapes of all links together.", group="Size",
    )  # fmt: skip
    tolerance: float | str | None = option(
        None, Length(above_zero=True), "Maximum distance of the shapes from each link's meshes.",
        means=f"{DEFAULT_TOLERANCE} without a count", group="Size",
    )  # fmt: skip
    kinds: Iterable[str] | str | None = option(
        None, ShapeKinds(), "Shape kinds to use. Frustum, prism and hull are written as meshes.",
        means=", ".join(PRIMITIVES),
    )  # fmt: skip
    pad: float | str | None = option(
        None, Length(signed=True), "Distance by which all sides move outward.", group="Where"
    )
    preset: Preset = option(
        "balanced", Choice(Preset), "Search effort: fast, balanced or fine.", group="Effort"
    )
    source: MeshSource = option(
        "visual",
        Choice(MeshSource),
        "Geometry that shapes are fitted to: visual or collision.",
        was_flag="--from",
    )
    packages: Mapping[str, str | os.PathLike[str]] | None = option(
        None, Folders(), "Folders of packages that are not above the robot's file, by name.", group="Files",
        flag="--package",
    )  # fmt: skip
    poses: int = option(
        200, Count(0, MOST_POSES), "Joint positions that are tested for new self-collisions; 0 tests none.",
        group="Effort",
    )  # fmt: skip

    def _check_together(self) -> None:
        if self.count is not None and self.tolerance is not None:
            raise InputError("robot: give either a count or a tolerance, not both.")
        self.for_fit()  # checks the other options

    def for_fit(self) -> FitOptions:
        """Return the options of fit for one link, without its count."""
        kinds = PRIMITIVES if self.kinds is None else self.kinds
        return FitOptions(tolerance=self.tolerance, kinds=kinds, pad=self.pad, preset=self.preset)

    @property
    def package_folders(self) -> dict[str, str]:
        return {name: os.fspath(folder) for name, folder in (self.packages or {}).items()}
