"""Self-collisions of a robot before and after its shapes are replaced, over sampled joint positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitbox._methods.robot.model import Joint, Robot
from hitbox._methods.robot.overlaps import Convexes, overlap, surfaces_touch, triangles_of
from hitbox._model.mass import is_solid
from hitbox._model.mesh import Floats, Mesh
from hitbox._model.shapes import Shape
from hitbox._native import _core

NEIGHBOURS = 2  # moving joints between two links, at most
_CORNERS = 64  # of a link, asked whether they lie inside another one
_LOOKED_AT = 16  # poses of a pair in which it is asked whether it collided before, too


@dataclass(frozen=True)
class SelfCollision:
    """Two links that collide now and did not before, in some of the sampled poses."""

    link1: str
    link2: str
    joints: int  # moving ones between the two
    poses: int  # in which they collide now
    new: float  # share of those in which they did not before
    disabled: bool = False  # written down as not to be checked


def samples(robot: Robot, count: int) -> list[dict[str, float]]:
    """`count` positions of all joints within their limits, the first as the file has it.

    The rest follow an additive recurrence, which fills the space of positions evenly; always the same ones.
    """
    joints = [joint for link in robot.links for joint in link.joints if joint.mimics is None]
    steps = _steps(len(joints))
    found = [{joint.name: _within(joint, joint.zero) for joint in joints}]
    for k in range(1, count):
        shares = (0.5 + k * steps) % 1
        found.append({
            joint.name: joint.low + float(share) * (joint.high - joint.low)
            for joint, share in zip(joints, shares, strict=True)
        })  # fmt: skip
    return found


def _steps(count: int) -> Floats:
    """Powers of the root of x^(count + 1) = x + 1: for one joint the golden ratio."""
    root = 1.5
    for _ in range(64):
        root = (1 + root) ** (1 / (count + 1))
    return np.asarray(root ** -np.arange(1.0, count + 1))


def _within(joint: Joint, value: float) -> float:
    return min(max(value, joint.low), joint.high)


def new_collisions(
    robot: Robot,
    after: Mapping[int, Sequence[Shape]],
    poses: int,
    go_on: Callable[[float], None],
) -> tuple[SelfCollision, ...]:
    """Pairs of links whose new shapes overlap where what was there before did not."""
    frames = [robot.poses(values) for values in samples(robot, poses)]
    convexes = {k: Convexes.of(shapes) for k, shapes in after.items() if shapes}
    overlapping = _overlapping(robot, convexes, frames, go_on)
    surfaces = {k: _Surface.of(robot.links[k].before) for k in {k for pair in overlapping for k in pair}}
    between = robot.joints_between()
    found = []
    for (a, b), colliding in sorted(overlapping.items()):
        looked_at = colliding[:: -(-len(colliding) // _LOOKED_AT)]
        new = [not surfaces[a].touches(surfaces[b], frames[k][a], frames[k][b]) for k in looked_at]
        if any(new):
            one, other = robot.links[a], robot.links[b]
            share, joints = sum(new) / len(new), between[a, b]
            # A pair that also collided before may do so in earnest.
            disabled = all(new) and joints <= NEIGHBOURS and one.has_name and other.has_name
            found.append(SelfCollision(one.name, other.name, joints, len(colliding), share, disabled))
    return tuple(found)


def _overlapping(
    robot: Robot,
    convexes: Mapping[int, Convexes],
    frames: Sequence[Sequence[Floats]],
    go_on: Callable[[float], None],
) -> dict[tuple[int, int], list[int]]:
    """Pairs of links, and the poses in which their new shapes overlap."""
    numbers = sorted(convexes)
    pairs = [(a, b) for k, b in enumerate(numbers) for a in numbers[:k] if (a, b) not in robot.apart]
    found: dict[tuple[int, int], list[int]] = {}
    if not pairs:
        return found
    balls = {k: _ball(convexes[k]) for k in numbers}
    first, second = np.array(pairs).T
    reach = np.array([balls[a][1] + balls[b][1] for a, b in pairs])
    for number, frame in enumerate(frames):
        go_on(number / len(frames))
        centers = np.zeros((len(frame), 3))
        for k in numbers:
            centers[k] = frame[k][:3, :3] @ balls[k][0] + frame[k][:3, 3]
        near = np.linalg.norm(centers[first] - centers[second], axis=1) <= reach
        placed: dict[int, Convexes] = {}
        for at in np.flatnonzero(near):
            a, b = pairs[at]
            for k in (a, b):
                if k not in placed:
                    placed[k] = convexes[k].at(frame[k])
            if overlap(placed[a], placed[b]):
                found.setdefault((a, b), []).append(number)
    return found


def _ball(convexes: Convexes) -> tuple[Floats, float]:
    center = convexes.centers.mean(axis=0)
    reach = np.linalg.norm(convexes.centers - center, axis=1) + convexes.reaches
    return center, float(reach.max())


@dataclass(frozen=True)
class _Surface:
    """What a link collided with before: triangles, and what has an inside among it."""

    triangles: Floats
    convexes: Convexes | None  # the simple shapes
    solids: tuple[Mesh | Shape, ...]

    @staticmethod
    def of(pieces: Sequence[Mesh | Shape]) -> _Surface:
        shapes = [piece for piece in pieces if not isinstance(piece, Mesh)]
        triangles = np.concatenate([np.empty((0, 3, 3)), *(triangles_of(piece) for piece in pieces)])
        solids = tuple(piece for piece in pieces if not isinstance(piece, Mesh) or is_solid(piece))
        return _Surface(triangles, Convexes.of(shapes) if shapes else None, solids)

    def touches(self, other: _Surface, own: Floats, others: Floats) -> bool:
        if self.convexes and other.convexes and overlap(self.convexes.at(own), other.convexes.at(others)):
            return True
        # In the other's frame: one of the two need not move.
        move = np.linalg.inv(others) @ own
        if surfaces_touch(_moved(self.triangles, move), other.triangles):
            return True
        # Nothing crosses: a piece of one lies in the other with all of its corners, or with none.
        return other.holds(_moved(self._some_corners, move)) or self.holds(
            _moved(other._some_corners, np.linalg.inv(move).astype(np.float64))
        )

    @property
    def _some_corners(self) -> Floats:
        corners = self.triangles[:, 0]
        return corners[:: max(1, len(corners) // _CORNERS)]

    def holds(self, points: Floats) -> bool:
        """Whether one of `points` is inside of something."""
        return any(_inside(piece, points).any() for piece in self.solids)


def _inside(piece: Mesh | Shape, points: Floats) -> npt.NDArray[np.bool_]:
    if not isinstance(piece, Mesh):
        return piece.contains(points)
    found = _core.points_inside(points, piece.vertices, piece.indices, piece.offsets)
    return np.asarray(found)


def _moved(points: Floats, matrix: Floats) -> Floats:
    return np.ascontiguousarray(points @ matrix[:3, :3].T + matrix[:3, 3])
