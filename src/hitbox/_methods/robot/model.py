"""A robot's links, shapes and joints, independent of its file format. Metres, radians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hitbox._formats.export import matrix_of
from hitbox._formats.mesh_builder import Polygons, Scene
from hitbox._formats.poses import about
from hitbox._model.mass import quaternion_of
from hitbox._model.mesh import Floats, Mesh
from hitbox._model.shapes import Shape

PRIMITIVES = ("box", "sphere", "capsule", "cylinder")  # the kinds that both URDF and MJCF support


@dataclass(frozen=True)
class Joint:
    """A `hinge` rotates about an axis through the anchor, a `slide` moves along it; in the child's frame."""

    name: str
    kind: str
    axis: Floats
    anchor: Floats
    low: float
    high: float
    zero: float = 0.0  # the value at which the child has the pose in the file
    mimics: tuple[str, float, float] | None = None  # another joint, a factor and an offset

    def matrix(self, value: float) -> Floats:
        matrix = np.eye(4)
        if self.kind == "slide":
            matrix[:3, 3] = self.axis * (value - self.zero)
        else:
            matrix[:3, :3] = matrix_of(about(self.axis.tolist(), value - self.zero))
            matrix[:3, 3] = self.anchor - matrix[:3, :3] @ self.anchor
        return matrix


@dataclass
class Link:
    """A body: the source of its new shapes, and its old collision geometry. All in its own frame."""

    name: str
    parent: int  # -1: the world
    fixed: Floats  # matrix from its frame to the parent's, with the joints at zero
    joints: tuple[Joint, ...] = ()
    mesh: Mesh | None = None  # everything that needs fitting
    shapes: tuple[Shape, ...] = ()  # source geometry that is a simple shape already
    before: list[Mesh | Shape] = field(default_factory=list)  # the collision geometry in the file
    kept: tuple[Shape, ...] = ()  # collision shapes that remain beside the new ones
    has_name: bool = True  # if false, `name` is made up, and the output cannot refer to the link


@dataclass
class Robot:
    """The links, parents before children."""

    name: str
    format: str
    links: list[Link]
    # Pairs that the file excludes from collision checks, smaller index first.
    apart: set[tuple[int, int]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def poses(self, values: Mapping[str, float]) -> list[Floats]:
        """Return each link's frame in the world, for joint values by name. A missing joint is at its zero."""
        poses: list[Floats] = []
        for link in self.links:
            pose = (poses[link.parent] if link.parent >= 0 else np.eye(4)) @ link.fixed
            for joint in link.joints:
                pose = pose @ joint.matrix(_value(joint, values))
            poses.append(pose)
        return poses

    def joints_between(self) -> dict[tuple[int, int], int]:
        """Return the number of moving joints between each two links."""
        paths: list[dict[int, int]] = []
        for k, link in enumerate(self.links):
            above = paths[link.parent] if link.parent >= 0 else {-1: 0}
            step = 1 if link.joints else 0
            paths.append({**{at: far + step for at, far in above.items()}, k: 0})
        between = {}
        for b in range(len(self.links)):
            for a in range(b):
                common = set(paths[a]) & set(paths[b])
                between[a, b] = min(paths[a][at] + paths[b][at] for at in common)
        return between


def _value(joint: Joint, values: Mapping[str, float]) -> float:
    if joint.mimics is not None:
        other, factor, offset = joint.mimics
        return factor * values.get(other, 0.0) + offset
    return values.get(joint.name, joint.zero)


def pose_of(turn: Floats, move: Sequence[float] | Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, move
    return matrix


def shape_at(shape: Shape, pose: Floats) -> Shape:
    return shape.transformed(quaternion_of(pose[:3, :3]), tuple(float(x) for x in pose[:3, 3]))


def together(pieces: Sequence[tuple[Mesh, Floats]], name: str) -> Mesh:
    """Combine meshes into one with a part each, after poses that may scale; a mirror reverses faces."""
    scene = Scene(name)
    for mesh, pose in pieces:
        sizes = np.asarray(np.diff(mesh.offsets), np.int64)
        faces = Polygons(mesh.vertices, mesh.indices.astype(np.int64), sizes, np.zeros_like(sizes), ("",))
        scene.add(faces, pose, mesh.name or "")
    return scene.mesh(name, 1.0, "z")
