"""The keywords of the verbs, for type checkers and editors.

Made from the options classes by `python tests/option_lists.py`. Do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

import numpy.typing as npt

from hitbox._model.profiles import Profile
from hitbox._model.space import Blocker, NavigableSpace


class FitKeywords(TypedDict, total=False):
    tolerance: float | str | None
    max_excess: float | None
    objective: Literal["outer", "surface"]
    preset: Literal["fast", "balanced", "fine"]
    time_budget: float | None
    cost: Literal["deviation", "grown", "volume", "joint"]
    profile: str | os.PathLike[str] | Profile | None
    kinds: Iterable[str] | str | None
    weights: Mapping[str, float] | str | None
    max_vertices: int | None
    parts: Literal["together", "separate"]
    materials: Literal["together", "separate"]
    importance: str | tuple[Any, float] | Mapping[str, float] | npt.ArrayLike | None
    keep_clear: npt.ArrayLike | NavigableSpace | None
    pad: float | str | None
    tangent: Literal["auto", "on", "off"]
    weld: float | str
    drop_thin: float | str | None
    spheres: Literal["conservative", "balanced"]


class MergeKeywords(TypedDict, total=False):
    count: int | None
    tolerance: float | str
    space: NavigableSpace | None
    distance: float | str | None
    max_vertices: int | None
    hulls_only: bool


class RobotKeywords(TypedDict, total=False):
    tolerance: float | str | None
    kinds: Iterable[str] | str | None
    pad: float | str | None
    preset: Literal["fast", "balanced", "fine"]
    source: Literal["visual", "collision"]
    packages: Mapping[str, str | os.PathLike[str]] | None
    poses: int


class SimulateKeywords(TypedDict, total=False):
    scene: Literal["drop", "maze", "stairs", "pile", "roll", "leak"]
    engine: Literal["rapier", "mujoco"]
    balls: int | None
    frames: int | None
    radius: float | str | None
    seed: int
    up: Literal["x", "y", "z"] | None


class SpaceKeywords(TypedDict, total=False):
    floor_tolerance: float | str | None
    clear_points: npt.ArrayLike
    blockers: Blocker | Iterable[Blocker]
    sealed: bool


class SpheresKeywords(TypedDict, total=False):
    mode: Literal["conservative", "balanced"]
    parts: Literal["together", "separate"]
    materials: Literal["together", "separate"]
    keep_clear: npt.ArrayLike | NavigableSpace | None
    pad: float | str | None


class CarveKeywords(TypedDict, total=False):
    floor_tolerance: float | str | None
    clear_points: npt.ArrayLike
    blockers: Blocker | Iterable[Blocker]
    sealed: bool
    count: int | None
    max_vertices: int | None
    effort: float
    concave_edges: int
    seed: int
    hulls_only: bool
