"""The options of a simulation, declared once for the functions and for the shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hitbox._base.option_kinds import Choice, Count, Length, Seed
from hitbox._base.options import Options, option
from hitbox._judges.simulate.engine_mujoco import MujocoEngine
from hitbox._judges.simulate.engine_rapier import RapierEngine
from hitbox._judges.simulate.world import Engine, Setup

SceneName: TypeAlias = Literal["drop", "maze", "stairs", "pile", "roll", "leak"]
EngineName: TypeAlias = Literal["rapier", "mujoco"]
Up: TypeAlias = Literal["x", "y", "z"]
ENGINES: dict[EngineName, Callable[[Setup], Engine]] = {"rapier": RapierEngine, "mujoco": MujocoEngine}
MOST_THINGS, MOST_FRAMES = 100_000, 100_000


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(Options):
    """All options of simulate and their defaults. A length is mesh units, "1%" of the diagonal, or "5mm"."""

    VERB: ClassVar[str] = "simulate"

    scene: SceneName = option(
        "drop", Choice(SceneName, what="scene"), "What happens in the simulation.", group="Scene"
    )
    engine: EngineName = option(
        "rapier", Choice(EngineName, what="engine"), "The physics engine.", group="Scene"
    )
    balls: int | None = option(
        None, Count(1, MOST_THINGS), "Number of balls, or of other moving bodies.",
        means="the scene's; drop 5000", group="Scene",
    )  # fmt: skip
    frames: int | None = option(
        None, Count(1, MOST_FRAMES), "Number of frames of 1/60 s.", means="the scene's; drop 1000",
        group="Scene",
    )  # fmt: skip
    radius: float | str | None = option(
        None, Length(), "Length: the radius of a ball.", means="the scene's; drop 1%", group="Scene"
    )
    seed: int = option(0, Seed(), "Random seed of the starting positions.", group="Scene")
    up: Up | None = option(
        None, Choice(Up, what="axis"), "The axis that points up.", means="as the files say, else y",
        group="Scene",
    )  # fmt: skip
