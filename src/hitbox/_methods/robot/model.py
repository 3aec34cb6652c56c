"""A robot as its shapes and its joints see it, whatever file it comes from. Metres, radians."""

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

PRIMITIVES = ("box", "sphere", "capsule", "cylinder")  # what both URDF and MJCF have


@dataclass(frozen=True)
class Joint:
    """`hinge` turns about an axis through the anchor, `slide` moves along it; both in the child's frame."""

    name: str
    kind: str
    axis: Floats
    anchor: Floats
    low: float
    high: float
    zero: float = 0.0  # the value where the child stands as the file puts it
    mimics: tuple[str, float, float] | None = None  # another joint, a factor, and what is added

    def matrix(self, value: float) -> Floats:
        moved = np.eye(4)
        if self.kind == "slide":
            moved[:3, 3] = self.axis * (value - self.zero)
        else:
            moved[:3, :3] = matrix_of(about(self.axis.tolist(), value - self.zero))
            moved[:3, 3] = self.anchor - moved[:3, :3] @ self.anchor
        return moved


@dataclass
class Link:
    """A body: what its shapes are made from, and what collided before. In its own frame."""

    name: str
    parent: int  # -1: the world
    fixed: Floats  # from its frame to the parent's, joints at zero
    joints: tuple[Joint, ...] = ()
    mesh: Mesh | None = None  # all that is to be fitted
    shapes: tuple[Shape, ...] = ()  # what is a simple shape already
    before: list[Mesh | Shape] = field(default_factory=list)
    kept: tuple[Shape, ...] = ()  # what goes on to collide beside the new shapes
    has_name: bool = True  # else `name` is ours, and the file cannot speak of the link


@dataclass
class Robot:
    """Links in an order that has parents first."""

    name: str
    format: str
    links: list[Link]
    apart: set[tuple[int, int]] = field(default_factory=set)  # pairs that never collide, smaller number first
    notes: list[str] = field(default_factory=list)

    def poses(self, values: Mapping[str, float]) -> list[Floats]:
        """Each link's frame in the world, for values of joints by name; one not given is at zero."""
        found: list[Floats] = []
        for link in self.links:
            pose = (found[link.parent] if link.parent >= 0 else np.eye(4)) @ link.fixed
            for joint in link.joints:
                pose = pose @ joint.matrix(_value(joint, values))
            found.append(pose)
        return found

    def joints_between(self) -> dict[tuple[int, int], int]:
        """How many moving joints lie between two links."""
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
        other, factor, added = joint.mimics
        return factor * values.get(other, 0.0) + added
    return values.get(joint.name, joint.zero)


def pose_of(turn: Floats, move: Sequence[float] | Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, move
    return matrix


def shape_at(shape: Shape, pose: Floats) -> Shape:
    return shape.transformed(quaternion_of(pose[:3, :3]), tuple(float(x) for x in pose[:3, 3]))


def together(pieces: Sequence[tuple[Mesh, Floats]], name: str) -> Mesh:
    """One mesh of several, a part each, after poses that may scale; a mirror turns faces round."""
    scene = Scene(name)
    for mesh, pose in pieces:
        sizes = np.asarray(np.diff(mesh.offsets), np.int64)
        faces = Polygons(mesh.vertices, mesh.indices.astype(np.int64), sizes, np.zeros_like(sizes), ("",))
        scene.add(faces, pose, mesh.name or "")
    return scene.mesh(name, 1.0, "z")
