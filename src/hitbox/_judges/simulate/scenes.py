"""The scenes: what is put where, and what is read from the run. Each is one class of two functions.

`setup` depends on the stage alone, so all candidates of a run get the same balls in the same places. A scene
takes any model: it places its things relative to the model's size and to what is seen of it from above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hitbox._judges.simulate.joints import find_joints
from hitbox._judges.simulate.world import FRAME, GRAVITY, Bodies, Engine, Setup, Solid, turned
from hitbox._judges.simulate.world_frame import SIZE, Mask, Stage, Wall, grow
from hitbox._model.shapes import Box, Capsule, FloatArray, Sphere

RESTING = 0.01 * SIZE  # m/s: slower is at rest
_SPACING = 2.5  # radii between the balls of a layer
_JITTER = 0.2  # radii
_TALLEST = SIZE / 2  # of the layers of balls together
_LEVEL = (0.0, 0.0, 0.0, 1.0)


@dataclass(eq=False)
class Record:
    """What was seen of one run, in the world."""

    frames: list[int] = field(default_factory=list)  # at which the lists below have an entry
    paths: list[FloatArray] = field(default_factory=list)  # (n, 3) each
    velocities: list[FloatArray] = field(default_factory=list)  # (n, 3) each; only where every frame is seen
    fell: Mask = field(default_factory=lambda: np.zeros(0, bool))  # who came out below the model
    crossings: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))  # and where, seen from above
    last_velocities: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def resting(self) -> Mask:
        slow: Mask = np.linalg.norm(self.last_velocities, axis=1) < RESTING
        return slow & ~self.fell


class Scene(Protocol):
    count: int  # of the moving things, unless the caller says
    frames: int
    radius: str  # of the moving things
    every: int  # frames between two looks at the world
    falls: bool  # whether what comes below the model's underside has left
    moves_subject: bool

    def setup(self, stage: Stage, subject: Solid) -> Setup: ...
    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]: ...


class Drop:
    """Balls in layers above the model, falling on it (the experiment of paper 1)."""

    count, frames, radius, every = 5000, 1000, "1%", 4
    falls, moves_subject = True, False

    def setup(self, stage: Stage, subject: Solid) -> Setup:
        return _setup(stage, subject, Bodies(_ball(stage.radius), _layers(stage)))

    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        return {}


class Maze(Drop):
    """Balls on something with holes: how many pass through, inside the model's outline."""

    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        plan = stage.footprint
        passed = record.fell & plan.covers(record.crossings, plan.outline)
        return {"passed": float(passed.sum())}


class Stairs:
    """Balls pushed from the highest tenth of what is seen from above towards the rest of it."""

    count, frames, radius, every = 300, 900, "1.5%", 1
    falls, moves_subject = True, False
    speed = 0.15 * SIZE  # m/s

    def setup(self, stage: Stage, subject: Solid) -> Setup:
        plan = stage.footprint
        cells = np.argwhere(plan.shadow)
        heights = plan.heights[plan.shadow]
        high = heights >= np.quantile(heights, 0.9)
        downhill = plan.centers(cells[~high] if not high.all() else cells).mean(axis=0)
        downhill = downhill - plan.centers(cells[high]).mean(axis=0)
        length = float(np.linalg.norm(downhill))
        toward = downhill / length if length > 1e-6 * SIZE else np.array([1.0, 0.0])
        random = stage.random()
        level = plan.centers(cells[high][random.integers(0, high.sum(), stage.count)])
        # One above the other where they would start in the same place: they arrive one after the other.
        waiting = 1.5 + _SPACING * _turns(level, stage.radius)
        heights = plan.surface(level, stage.radius) + stage.radius * waiting
        velocities = stage.points(np.repeat([self.speed * toward], stage.count, axis=0), 0.0)
        balls = Bodies(_ball(stage.radius), stage.points(level, heights), velocities=velocities)
        return _setup(stage, subject, balls)

    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        paths, plan = np.array(record.paths), stage.footprint
        low = np.quantile(plan.heights[plan.shadow], 0.1) + 2 * stage.radius
        above = [plan.covers(at[:, stage.across], plan.outline) for at in paths]  # or it fell off beside
        down = (paths[:, :, stage.up] < low) & np.array(above)
        reached = down.any(axis=0)
        times = np.array(record.frames)[down.argmax(axis=0)] * FRAME
        kicks = _kicks(record, stage.upward(1.0)) > 0.02 * SIZE
        return {
            "descended": float(reached.sum()),
            "descent_seconds": float(times[reached].mean()) if reached.any() else float("nan"),
            "bounces": float(kicks.sum() / stage.count),
        }


class Pile:
    """Copies of the collider as moving bodies, falling on each other and on a floor."""

    count, frames, radius, every = 100, 600, "1%", 4
    falls, moves_subject = False, True

    def setup(self, stage: Stage, subject: Solid) -> Setup:
        random = stage.random()
        k = np.arange(stage.count)
        side = max(1, round((stage.count / 4) ** 0.5))  # four layers or more, so that they do pile up
        level = np.stack([k % side, k // side % side], axis=1) - (side - 1) / 2
        heights = 0.6 * SIZE + 1.1 * SIZE * (k // side**2)
        positions = stage.points(1.1 * SIZE * level + random.uniform(-0.2, 0.2, (stage.count, 2)), heights)
        rotations = random.normal(size=(stage.count, 4))
        rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
        wide = 20 * SIZE * side
        half = np.full(3, wide)
        half[stage.up] = SIZE
        floor = Solid((Box(tuple(stage.upward(-SIZE)), _LEVEL, tuple(half)),))
        return Setup(stage.gravity, 1.0, (floor,), (Bodies(subject, positions, rotations),))

    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        heights = record.paths[-1][:, stage.up]
        return {
            "at_rest": float(record.resting.sum()),
            "highest": float(heights.max() / SIZE),
            "deepest_overlap": engine.deepest() / SIZE,
        }


class Roll:
    """Balls and boxes sent over the top of the model and along its sides: kicks at seams.

    Every second one is on a side, and its weight presses it against that side.
    """

    count, frames, radius, every = 128, 300, "2%", 1
    falls, moves_subject = True, False
    speed = 0.3 * SIZE  # m/s

    def setup(self, stage: Stage, subject: Solid) -> Setup:
        random = stage.random()
        walls = self.walls(stage)
        points, velocities = np.empty((stage.count, 3)), np.empty((stage.count, 3))
        for wall in dict.fromkeys(walls):
            mine = np.array([each is wall for each in walls])
            cells = np.argwhere(wall.plan.shadow)
            level = wall.plan.centers(cells[random.integers(0, len(cells), mine.sum())])
            angle = random.uniform(0, 2 * np.pi, len(level))
            velocities[mine] = self.speed * wall.points(np.stack([np.cos(angle), np.sin(angle)], axis=1), 0.0)
            heights = wall.plan.surface(level, 1.5 * stage.radius) + 1.02 * stage.radius
            points[mine] = wall.points(level, heights)
        pushes = -GRAVITY * np.array([wall.outward for wall in walls])
        balls, boxes = slice(0, (stage.count + 1) // 2), slice((stage.count + 1) // 2, None)
        moving = [
            Bodies(
                solid, points[some], velocities=velocities[some], pushes=pushes[some],
                alone=True, friction=0.1, restitution=0.0,
            )
            for solid, some in ((_ball(stage.radius), balls), (_box(stage), boxes))
        ]  # fmt: skip
        return _setup(stage, subject, *moving)

    def walls(self, stage: Stage) -> list[Wall]:
        """What each thing slides on; the top is a wall too."""
        top = Wall(stage.up, 1.0, stage.footprint)
        return [stage.walls[k // 2 % 4] if k % 2 else top for k in range(stage.count)]

    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        outward = np.array([wall.outward for wall in self.walls(stage)])
        kicks = _kicks(record, outward) / self.speed
        found = {}
        for name, some in (("kick", kicks[:, ::2]), ("wall_kick", kicks[:, 1::2])):
            found[f"largest_{name}"] = float(some.max()) if some.size else float("nan")
            found[f"rms_{name}"] = float(np.sqrt((some**2).mean())) if some.size else float("nan")
        return found


class Leak:
    """Thin rods pushed from outside at the joints between shapes: whether any gets in, and how far."""

    count, frames, radius, every = 200, 90, "0.25%", 1
    falls, moves_subject = False, False
    length, gap, deep = 12.0, 2.0, 4.0  # rod radii: the rod's, its start's distance, what counts as inside

    def setup(self, stage: Stage, subject: Solid) -> Setup:
        targets, inward, owners = self.joints(stage)
        rod = Solid((Capsule((0, 0, 0), tuple(stage.upward(self.length * stage.radius)), stage.radius),))
        rotations = np.array([_from_up(stage.up, -direction) for direction in inward])
        starts = targets - inward * stage.radius * (1 + self.gap)
        pushes = inward * GRAVITY
        rods = Bodies(rod, starts, rotations, pushes=pushes, turns=False, alone=True, friction=1.0)
        setup = _setup(stage, subject, rods)
        if (owners < 0).all():
            setup.notes.append("no two shapes meet: rods were pushed at points of the surface instead")
        return setup

    def joints(self, stage: Stage) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
        return find_joints(stage, stage.radius, stage.count, self.length * stage.radius)

    def measure(self, stage: Stage, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        _, inward, owners = self.joints(stage)
        # Rods meant for another candidate's joints may find nothing here; the mesh has none of its own.
        own = np.array([owner < 0 or subject.is_mesh or stage.solids[owner] is subject for owner in owners])
        moved, inward = (np.array(record.paths) - record.paths[0])[:, own], inward[own]
        along = (moved * inward).sum(axis=2)
        aside = np.linalg.norm(moved - along[..., None] * inward, axis=2)
        depth = along / stage.radius - self.gap
        # One that slips off sideways goes on along the model, or past it: it is not inside.
        first = (depth > self.deep).argmax(axis=0)
        rods = np.arange(len(first))
        leaked = (first > 0) & (aside[first, rods] < self.deep * stage.radius)
        deepest = depth.max(axis=0)[leaked].max(initial=0.0) * stage.radius / SIZE
        return {
            "rods": float(len(rods)),
            "leaked": float(leaked.sum()),
            "deepest": float(np.clip(deepest, 0.0, 1.0)),
        }


SCENES: dict[str, Scene] = {
    "drop": Drop(),
    "maze": Maze(),
    "stairs": Stairs(),
    "pile": Pile(),
    "roll": Roll(),
    "leak": Leak(),
}


def _setup(stage: Stage, subject: Solid, *moving: Bodies) -> Setup:
    return Setup(stage.gravity, min(1.0, stage.radius / (0.01 * SIZE)), (subject,), moving)


def _ball(radius: float) -> Solid:
    return Solid((Sphere((0, 0, 0), radius),))


def _box(stage: Stage) -> Solid:
    return Solid((Box((0, 0, 0), _LEVEL, (stage.radius,) * 3),))


def _layers(stage: Stage) -> FloatArray:
    """A jittered lattice above the model's shadow, one layer above the other; the last is spread evenly."""
    plan, step = stage.footprint, _SPACING * stage.radius
    size = plan.cell * np.array(plan.shadow.shape)
    spare = 4  # lattice lines around the shadow, to grow into
    while True:
        lines = [np.arange(-spare, int(side / step) + 1 + spare) for side in size]
        lattice = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
        level = plan.low + (lattice + 0.5) * step
        mask: Mask = plan.covers(level.reshape(-1, 2)).reshape(len(lines[0]), len(lines[1]))
        if not mask.any():  # a model thinner than the lattice: start from its middle
            mask[len(lines[0]) // 2, len(lines[1]) // 2] = True
        # Over a thin pole the layers would become a tower: let them be wider than the pole.
        for _ in range(spare):
            if stage.count * step / mask.sum() <= _TALLEST:
                break
            mask = grow(mask)
        else:
            spare *= 2
            continue
        break
    random = stage.random()
    places = random.permutation(level[mask])
    k = np.arange(stage.count)
    heights = np.asarray(stage.top + stage.radius * 2 + step * (k // len(places)), np.float64)
    points = stage.points(places[k % len(places)], heights)
    return points + random.uniform(-_JITTER, _JITTER, points.shape) * stage.radius


def _turns(level: FloatArray, radius: float) -> FloatArray:
    """For each point how many points of the same lattice place came before it."""
    places = np.floor(level / (2 * _SPACING * radius)).astype(int)
    _, place = np.unique(places, axis=0, return_inverse=True)
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    turns = np.empty(len(level))
    turns[order] = np.arange(len(level)) - np.repeat(np.cumsum(counts) - counts, counts)
    return turns


def _kicks(record: Record, outward: FloatArray) -> FloatArray:
    """Speed outward, one direction (3,) or one each (n, 3), gained from frame to frame (frames, n), m/s.

    One that lands and stays down gains none.
    """
    rising = np.maximum((np.array(record.velocities) * outward).sum(axis=2), 0)
    return np.asarray(np.maximum(np.nan_to_num(np.diff(rising, axis=0)), 0))


def _from_up(up: int, direction: FloatArray) -> tuple[float, float, float, float]:
    return turned(tuple(np.eye(3)[up]), direction)
