"""Finds self-collisions that the new shapes of a robot add, at sampled joint positions."""

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

NEIGHBOURS = 2  # largest number of moving joints between two links whose new collision is disabled
_CORNERS = 64  # corners per link to test for containment in another link
_LOOKED_AT = 16  # poses per pair to test for a collision of the old geometry


@dataclass(frozen=True)
class SelfCollision:
    """Two links that collide now, and did not before in some of the sampled poses."""

    link1: str
    link2: str
    joints: int  # moving joints between the two links
    poses: int  # number of poses in which the new shapes collide
    new: float  # fraction of these poses in which the old geometry did not collide
    disabled: bool = False  # the output excludes the pair from collision checks


def samples(robot: Robot, count: int) -> list[dict[str, float]]:
    """Return `count` positions of all joints within their limits. The first is the position in the file.

    The rest follow an additive recurrence, which covers the space evenly and is always the same.
    """
    joints = [joint for link in robot.links for joint in link.joints if joint.mimics is None]
    steps = _steps(len(joints))
    positions = [{joint.name: _within(joint, joint.zero) for joint in joints}]
    for k in range(1, count):
        fractions = (0.5 + k * steps) % 1
        positions.append({
            joint.name: joint.low + float(fraction) * (joint.high - joint.low)
            for joint, fraction in zip(joints, fractions, strict=True)
        })  # fmt: skip
    return positions


def _steps(count: int) -> Floats:
    """Return powers of the root of x^(count + 1) = x + 1: for one joint, the golden ratio."""
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
    """Return the pairs of links whose new shapes overlap in a pose where the old geometry did not."""
    frames = [robot.poses(values) for values in samples(robot, poses)]
    convexes = {k: Convexes.of(shapes) for k, shapes in after.items() if shapes}
    overlapping = _overlapping(robot, convexes, frames, go_on)
    surfaces = {k: _Surface.of(robot.links[k].before) for k in {k for pair in overlapping for k in pair}}
    between = robot.joints_between()
    collisions = []
    for (a, b), colliding in sorted(overlapping.items()):
        tested = colliding[:: -(-len(colliding) // _LOOKED_AT)]
        new = [not surfaces[a].touches(surfaces[b], frames[k][a], frames[k][b]) for k in tested]
        if any(new):
            one, other = robot.links[a], robot.links[b]
            fraction, joints = sum(new) / len(new), between[a, b]
            # A pair that also collided before may be a real collision: keep checking it.
            disabled = all(new) and joints <= NEIGHBOURS and one.has_name and other.has_name
            collisions.append(SelfCollision(one.name, other.name, joints, len(colliding), fraction, disabled))
    return tuple(collisions)


def _overlapping(
    robot: Robot,
    convexes: Mapping[int, Convexes],
    frames: Sequence[Sequence[Floats]],
    go_on: Callable[[float], None],
) -> dict[tuple[int, int], list[int]]:
    """Return pairs of links, and the poses in which their new shapes overlap."""
    numbers = sorted(convexes)
    pairs = [(a, b) for k, b in enumerate(numbers) for a in numbers[:k] if (a, b) not in robot.apart]
    overlapping: dict[tuple[int, int], list[int]] = {}
    if not pairs:
        return overlapping
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
                overlapping.setdefault((a, b), []).append(number)
    return overlapping


def _ball(convexes: Convexes) -> tuple[Floats, float]:
    center = convexes.centers.mean(axis=0)
    reach = np.linalg.norm(convexes.centers - center, axis=1) + convexes.reaches
    return center, float(reach.max())


@dataclass(frozen=True)
class _Surface:
    """A link's old collision geometry: triangles, and the pieces that have an inside."""

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
        # Work in the other's frame, so that only one of the two moves.
        move = np.linalg.inv(others) @ own
        if surfaces_touch(_moved(self.triangles, move), other.triangles):
            return True
        # No surfaces cross: so a piece of one lies in the other with all of its corners, or with none.
        return other.holds(_moved(self._some_corners, move)) or self.holds(
            _moved(other._some_corners, np.linalg.inv(move).astype(np.float64))
        )

    @property
    def _some_corners(self) -> Floats:
        corners = self.triangles[:, 0]
        return corners[:: max(1, len(corners) // _CORNERS)]

    def holds(self, points: Floats) -> bool:
        """Whether one of `points` is inside a solid."""
        return any(_inside(piece, points).any() for piece in self.solids)


def _inside(piece: Mesh | Shape, points: Floats) -> npt.NDArray[np.bool_]:
    if not isinstance(piece, Mesh):
        return piece.contains(points)
    inside = _core.points_inside(points, piece.vertices, piece.indices, piece.offsets)
    return np.asarray(inside)


def _moved(points: Floats, matrix: Floats) -> Floats:
    return np.ascontiguousarray(points @ matrix[:3, :3].T + matrix[:3, 3])
