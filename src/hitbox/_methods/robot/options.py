"""The options of `robot`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.options import option
from hitbox._methods.fit import FitOptions
from hitbox._methods.robot.model import PRIMITIVES

SOURCES = ("visual", "collision")
MOST_POSES = 100_000


@dataclass(frozen=True, kw_only=True)
class RobotOptions:
    """All options of robot, with their defaults. A length is metres, "1%" of a link's diagonal, or "5mm"."""

    count: int | None = option(
        None, "Shapes of all links together, at most; the next one goes to the link that gains most."
    )
    tolerance: float | str | None = option(
        None, "Length within which shapes must stay of each link's meshes.",
        means="3% where there is no count",
    )  # fmt: skip
    kinds: Iterable[str] | str | None = option(
        None, "Kinds that may be used; frustum, prism and hull are written as meshes.",
        means=", ".join(PRIMITIVES),
    )  # fmt: skip
    pad: float | str | None = option(None, "Length by which all sides move out.")
    preset: str = option("balanced", "How much is tried: fast, balanced or fine.")
    source: str = option("visual", "What shapes are made from: visual, or collision.")
    packages: Mapping[str, str | os.PathLike[str]] | None = option(
        None, "Folders of packages that are not above the robot's file, by name."
    )
    poses: int = option(
        200, "Joint positions in which self-collisions are looked for; 0 is none.", means="200"
    )

    def __post_init__(self) -> None:
        checks.one_of("robot: source", self.source, SOURCES)
        checks.whole("robot: poses", self.poses, 0, MOST_POSES)
        if self.count is not None and self.tolerance is not None:
            raise InputError("robot: give either a count or a tolerance, not both.")
        if self.packages is not None and not isinstance(self.packages, Mapping):
            raise InputError("robot: packages: must be a dict of names and folders.")
        for name, folder in (self.packages or {}).items():
            if not os.path.isdir(folder):
                raise InputError(f"robot: packages: {name}: {os.fspath(folder)} is not a folder.")
        self.for_fit()  # which checks the rest
        if self.count is not None:
            FitOptions(count=self.count)

    def for_fit(self) -> FitOptions:
        """Of one link, without its count."""
        kinds = PRIMITIVES if self.kinds is None else self.kinds
        return FitOptions(tolerance=self.tolerance, kinds=kinds, pad=self.pad, preset=self.preset)

    @property
    def package_folders(self) -> dict[str, str]:
        return {name: os.fspath(folder) for name, folder in (self.packages or {}).items()}
