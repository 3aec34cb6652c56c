"""The scenes: each places things around a model, and measures the run. Each is a class with two functions.

`setup` depends only on the world frame, so all candidates of a run get the same balls in the same places.
Scenes work for any model: they place things relative to its size and to its silhouette from above.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from hitbox._judges.simulate.joints import find_joints
from hitbox._judges.simulate.world import FRAME, GRAVITY, Bodies, Engine, Setup, Solid, turned
from hitbox._judges.simulate.world_frame import SIZE, Mask, Wall, WorldFrame, grow, points_at
from hitbox._model.shapes import Box, Capsule, FloatArray, Sphere

RESTING = 0.01 * SIZE  # m/s: a slower body is at rest
_SPACING = 2.5  # radii between the balls of a layer
_JITTER = 0.2  # radii
_TALLEST = SIZE / 2  # limit of the height of all layers of balls
_LEVEL = (0.0, 0.0, 0.0, 1.0)


@dataclass(eq=False)
class Record:
    """Observations of one run, in the world frame."""

    frames: list[int] = field(default_factory=list)  # the frame of each entry of `paths`
    paths: list[FloatArray] = field(default_factory=list)  # (n, 3) each
    velocities: list[FloatArray] = field(default_factory=list)  # (n, 3) each; only if `every` is 1
    fell: Mask = field(default_factory=lambda: np.zeros(0, bool))  # bodies that came below the model
    crossings: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))  # and their places, from above
    last_velocities: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))

    @property
    def resting(self) -> Mask:
        slow: Mask = np.linalg.norm(self.last_velocities, axis=1) < RESTING
        return slow & ~self.fell


class Scene(Protocol):
    count: int  # default number of moving things
    frames: int
    radius: str  # default radius of the moving things
    every: int  # frames between two observations
    falls: bool  # whether a body below the model's underside has left
    moves_subject: bool

    def setup(self, world: WorldFrame, subject: Solid) -> Setup: ...
    def measure(
        self, world: WorldFrame, subject: Solid, record: Record, engine: Engine
    ) -> dict[str, float]: ...


class Drop:
    """Drops layers of balls on the model (the experiment of paper 1)."""

    count, frames, radius, every = 5000, 1000, "1%", 4
    falls, moves_subject = True, False

    def setup(self, world: WorldFrame, subject: Solid) -> Setup:
        return _setup(world, subject, Bodies(_ball(world.radius), _layers(world)))

    def measure(self, world: WorldFrame, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        return {}


class Maze(Drop):
    """Drops balls on a model with holes, and counts those that pass through inside its outline."""

    def measure(self, world: WorldFrame, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        plan = world.footprint
        passed = record.fell & plan.covers(record.crossings, plan.outline)
        return {"passed": float(passed.sum())}


class Stairs:
    """Pushes balls from the highest tenth of the model, seen from above, towards the rest of it."""

    count, frames, radius, every = 300, 900, "1.5%", 1
    falls, moves_subject = True, False
    speed = 0.15 * SIZE  # m/s

    def setup(self, world: WorldFrame, subject: Solid) -> Setup:
        plan = world.footprint
        cells = np.argwhere(plan.shadow)
        heights = plan.heights[plan.shadow]
        high = heights >= np.quantile(heights, 0.9)
        downhill = plan.centers(cells[~high] if not high.all() else cells).mean(axis=0)
        downhill = downhill - plan.centers(cells[high]).mean(axis=0)
        length = float(np.linalg.norm(downhill))
        toward = downhill / length if length > 1e-6 * SIZE else np.array([1.0, 0.0])
        random = world.random()
        level = plan.centers(cells[high][random.integers(0, high.sum(), world.count)])
        # Stack balls that would start in the same place: they arrive one after the other.
        waiting = 1.5 + _SPACING * _turns(level, world.radius)
        heights = plan.surface(level, world.radius) + world.radius * waiting
        velocities = points_at(world.up, np.repeat([self.speed * toward], world.count, axis=0), 0.0)
        balls = Bodies(_ball(world.radius), points_at(world.up, level, heights), velocities=velocities)
        return _setup(world, subject, balls)

    def measure(self, world: WorldFrame, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        paths, plan = np.array(record.paths), world.footprint
        low = np.quantile(plan.heights[plan.shadow], 0.1) + 2 * world.radius
        above = [plan.covers(at[:, world.across], plan.outline) for at in paths]  # not beside it
        down = (paths[:, :, world.up] < low) & np.array(above)
        reached = down.any(axis=0)
        times = np.array(record.frames)[down.argmax(axis=0)] * FRAME
        kicks = _kicks(record, world.upward(1.0)) > 0.02 * SIZE
        return {
            "descended": float(reached.sum()),
            "descent_seconds": float(times[reached].mean()) if reached.any() else float("nan"),
            "bounces": float(kicks.sum() / world.count),
        }


class Pile:
    """Drops copies of the collider on each other and on a floor, as moving bodies."""

    count, frames, radius, every = 100, 600, "1%", 4
    falls, moves_subject = False, True

    def setup(self, world: WorldFrame, subject: Solid) -> Setup:
        random = world.random()
        k = np.arange(world.count)
        side = max(1, round((world.count / 4) ** 0.5))  # at least four layers, so that they form a pile
        level = np.stack([k % side, k // side % side], axis=1) - (side - 1) / 2
        heights = 0.6 * SIZE + 1.1 * SIZE * (k // side**2)
        level = 1.1 * SIZE * level + random.uniform(-0.2, 0.2, (world.count, 2))
        positions = points_at(world.up, level, heights)
        rotations = random.normal(size=(world.count, 4))
        rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
        wide = 20 * SIZE * side
        half = np.full(3, wide)
        half[world.up] = SIZE
        floor = Solid((Box(tuple(world.upward(-SIZE)), _LEVEL, tuple(half)),))
        return Setup(world.gravity, 1.0, (floor,), (Bodies(subject, positions, rotations),))

    def measure(self, world: WorldFrame, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        heights = record.paths[-1][:, world.up]
        return {
            "at_rest": float(record.resting.sum()),
            "highest": float(heights.max() / SIZE),
            "deepest_overlap": engine.deepest() / SIZE,
        }


class Roll:
    """Sends balls and boxes over the model's top and along its sides, and measures kicks at seams.

    Every second one slides along a side, and its weight presses it against that side.
    """

    count, frames, radius, every = 128, 300, "2%", 1
    falls, moves_subject = True, False
    speed = 0.3 * SIZE  # m/s

    def setup(self, world: WorldFrame, subject: Solid) -> Setup:
        random = world.random()
        walls = self.walls(world)
        points, velocities = np.empty((world.count, 3)), np.empty((world.count, 3))
        for wall in dict.fromkeys(walls):
            mine = np.array([each is wall for each in walls])
            cells = np.argwhere(wall.plan.shadow)
            level = wall.plan.centers(cells[random.integers(0, len(cells), mine.sum())])
            angle = random.uniform(0, 2 * np.pi, len(level))
            velocities[mine] = self.speed * wall.points(np.stack([np.cos(angle), np.sin(angle)], axis=1), 0.0)
            heights = wall.plan.surface(level, 1.5 * world.radius) + 1.02 * world.radius
            points[mine] = wall.points(level, heights)
        pushes = -GRAVITY * np.array([wall.outward for wall in walls])
        balls, boxes = slice(0, (world.count + 1) // 2), slice((world.count + 1) // 2, None)
        moving = [
            Bodies(
                solid, points[some], velocities=velocities[some], pushes=pushes[some],
                alone=True, friction=0.1, restitution=0.0,
            )
            for solid, some in ((_ball(world.radius), balls), (_box(world), boxes))
        ]  # fmt: skip
        return _setup(world, subject, *moving)

    def walls(self, world: WorldFrame) -> list[Wall]:
        """Return the wall that each thing slides on; the top is a wall, too."""
        top = Wall(world.up, 1.0, world.footprint)
        return [world.walls[k // 2 % 4] if k % 2 else top for k in range(world.count)]

    def measure(self, world: WorldFrame, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        outward = np.array([wall.outward for wall in self.walls(world)])
        kicks = _kicks(record, outward) / self.speed
        measures = {}
        for name, some in (("kick", kicks[:, ::2]), ("wall_kick", kicks[:, 1::2])):
            measures[f"largest_{name}"] = float(some.max()) if some.size else float("nan")
            measures[f"rms_{name}"] = float(np.sqrt((some**2).mean())) if some.size else float("nan")
        return measures


class Leak:
    """Pushes thin rods at the joints between shapes, and measures how many enter, and how far."""

    count, frames, radius, every = 200, 90, "0.25%", 1
    falls, moves_subject = False, False
    length, gap, deep = 12.0, 2.0, 4.0  # rod radii: length, distance at the start, depth that counts as in

    def setup(self, world: WorldFrame, subject: Solid) -> Setup:
        targets, inward, owners = self.joints(world)
        rod = Solid((Capsule((0, 0, 0), tuple(world.upward(self.length * world.radius)), world.radius),))
        rotations = np.array([_from_up(world.up, -direction) for direction in inward])
        starts = targets - inward * world.radius * (1 + self.gap)
        pushes = inward * GRAVITY
        rods = Bodies(rod, starts, rotations, pushes=pushes, turns=False, alone=True, friction=1.0)
        setup = _setup(world, subject, rods)
        if (owners < 0).all():
            setup.notes.append("no two shapes meet, so the rods were pushed at points of the surface")
        return setup

    def joints(self, world: WorldFrame) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
        return find_joints(world, world.radius, world.count, self.length * world.radius)

    def measure(self, world: WorldFrame, subject: Solid, record: Record, engine: Engine) -> dict[str, float]:
        _, inward, owners = self.joints(world)
        # Use only rods for the subject's own joints: others may hit nothing here. A mesh has no joints.
        own = np.array([owner < 0 or subject.is_mesh or world.solids[owner] is subject for owner in owners])
        moved, inward = (np.array(record.paths) - record.paths[0])[:, own], inward[own]
        along = (moved * inward).sum(axis=2)
        aside = np.linalg.norm(moved - along[..., None] * inward, axis=2)
        depth = along / world.radius - self.gap
        # A rod that slips off sideways continues along the model, or past it: it is not inside.
        first = (depth > self.deep).argmax(axis=0)
        rods = np.arange(len(first))
        leaked = (first > 0) & (aside[first, rods] < self.deep * world.radius)
        deepest = depth.max(axis=0)[leaked].max(initial=0.0) * world.radius / SIZE
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


def _setup(world: WorldFrame, subject: Solid, *moving: Bodies) -> Setup:
    return Setup(world.gravity, min(1.0, world.radius / (0.01 * SIZE)), (subject,), moving)


def _ball(radius: float) -> Solid:
    return Solid((Sphere((0, 0, 0), radius),))


def _box(world: WorldFrame) -> Solid:
    return Solid((Box((0, 0, 0), _LEVEL, (world.radius,) * 3),))


def _layers(world: WorldFrame) -> FloatArray:
    """Place balls on a jittered lattice above the model's shadow; the last layer is spread evenly."""
    plan, step = world.footprint, _SPACING * world.radius
    size = plan.cell * np.array(plan.shadow.shape)
    spare = 4  # lattice lines around the shadow, reserved for growth
    while True:
        lines = [np.arange(-spare, int(side / step) + 1 + spare) for side in size]
        lattice = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
        level = plan.low + (lattice + 0.5) * step
        mask: Mask = plan.covers(level.reshape(-1, 2)).reshape(len(lines[0]), len(lines[1]))
        if not mask.any():  # the model is thinner than the lattice: start from its middle
            mask[len(lines[0]) // 2, len(lines[1]) // 2] = True
        # Over a thin pole the layers would form a tower, so extend them beyond the pole.
        for _ in range(spare):
            if world.count * step / mask.sum() <= _TALLEST:
                break
            mask = grow(mask)
        else:
            spare *= 2
            continue
        break
    random = world.random()
    places = random.permutation(level[mask])
    k = np.arange(world.count)
    heights = np.asarray(world.top + world.radius * 2 + step * (k // len(places)), np.float64)
    points = points_at(world.up, places[k % len(places)], heights)
    return points + random.uniform(-_JITTER, _JITTER, points.shape) * world.radius


def _turns(level: FloatArray, radius: float) -> FloatArray:
    """Return for each point how many earlier points have the same lattice place."""
    places = np.floor(level / (2 * _SPACING * radius)).astype(int)
    _, place = np.unique(places, axis=0, return_inverse=True)
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    turns = np.empty(len(level))
    turns[order] = np.arange(len(level)) - np.repeat(np.cumsum(counts) - counts, counts)
    return turns


def _kicks(record: Record, outward: FloatArray) -> FloatArray:
    """Return the outward speed gained from frame to frame, (frames, n), in m/s.

    `outward` is one direction (3,), or one per body (n, 3). A body that lands and stays down gains none.
    """

    rising = np.maximum((np.array(record.velocities) * outward).sum(axis=2), 0)
    return np.asarray(np.maximum(np.nan_to_num(np.diff(rising, axis=0)), 0))


def _from_up(up: int, direction: FloatArray) -> tuple[float, float, float, float]:
    return turned(tuple(np.eye(3)[up]), direction)
