"""What can be asked of a run: declared once, for the functions and for the shell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hitbox._base import checks
from hitbox._base.lengths import UPS
from hitbox._base.options import collected
from hitbox._base.text import listed
from hitbox._judges.simulate.engine_mujoco import MujocoEngine
from hitbox._judges.simulate.engine_rapier import RapierEngine
from hitbox._judges.simulate.scenes import SCENES
from hitbox._judges.simulate.world import Engine, Setup

ENGINES: dict[str, Callable[[Setup], Engine]] = {"rapier": RapierEngine, "mujoco": MujocoEngine}
MOST_THINGS, MOST_FRAMES = 100_000, 100_000


def _option(default: Any, help: str) -> Any:
    """A field of SimulateOptions; the shell's help is made from `help`."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class SimulateOptions:
    """All options of simulate and their defaults. A length is mesh units, "1%" of the diagonal, or "5mm"."""

    scene: str = _option("drop", f"{listed(list(SCENES), 'or')}.")
    engine: str = _option("rapier", f"{listed(list(ENGINES), 'or')}.")
    balls: int | None = _option(None, "Balls, or what else moves. [default: the scene's; drop 5000]")
    frames: int | None = _option(None, "Frames of 1/60 s. [default: the scene's; drop 1000]")
    radius: float | str | None = _option(None, "Of a ball, a length. [default: the scene's; drop 1%]")
    seed: int = _option(0, "Of the places where things start.")
    up: str | None = _option(None, "Which axis points up: x, y or z. [default: as the files say, else y]")

    def __post_init__(self) -> None:
        checks.one_of("simulate: scene", self.scene, SCENES, "scene")
        checks.one_of("simulate: engine", self.engine, ENGINES, "engine")
        if self.balls is not None:
            object.__setattr__(self, "balls", checks.whole("simulate: balls", self.balls, 1, MOST_THINGS))
        if self.frames is not None:
            object.__setattr__(self, "frames", checks.whole("simulate: frames", self.frames, 1, MOST_FRAMES))
        object.__setattr__(self, "seed", checks.seed("simulate", self.seed))
        if self.up is not None:
            checks.one_of("simulate: up", self.up, UPS, "axis")

    @staticmethod
    def of(options: SimulateOptions | None, keywords: dict[str, Any]) -> SimulateOptions:
        """As given, in one piece or as keywords; keywords go before."""
        return collected(SimulateOptions, "simulate", options, keywords)
