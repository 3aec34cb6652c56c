"""URDF: reads links and joints, and writes the same file with other collision elements."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats.export import matrix_of
from hitbox._formats.local_frames import local_and_pose
from hitbox._formats.numbers import number, numbers
from hitbox._formats.poses import Pose, rpy_of, turn_of_rpy
from hitbox._methods.robot import srdf
from hitbox._methods.robot.hull_files import HullFiles
from hitbox._methods.robot.mesh_paths import MeshFiles, resolved
from hitbox._methods.robot.model import PRIMITIVES, Joint, Link, Robot, pose_of, shape_at, together
from hitbox._methods.robot.xml_text import XmlText, quoted
from hitbox._model.mesh import Floats, Mesh
from hitbox._model.shapes import Box, Capsule, Cylinder, Shape, Sphere

_MOVING = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}
_STILL = ("fixed", "floating", "planar")


class Urdf:
    """A URDF. `source` selects the geometry to fit: visual or collision."""

    def __init__(self, text: XmlText, folder: str, source: str, packages: Mapping[str, str]) -> None:
        if text.root.tag != "robot":
            raise InputError(f"{text.where}: its root is <{text.root.tag}>, not <robot>. Give a URDF.")
        self._text = text
        self._folder = folder
        self._srdf = srdf.path_for(os.path.join(folder, text.where))
        self._packages = packages
        self._files = MeshFiles()
        self._elements = text.root.findall("link")
        names = [link.get("name", "") for link in self._elements]
        if len(set(names)) != len(names) or "" in names:
            raise InputError(f"{text.where}: its links must have distinct names.")
        self.robot = Robot(text.root.get("name", "robot"), "urdf", [])
        self._read(source)
        self._find_apart()

    # ------------------------------------------------------------ Reading

    def _read(self, source: str) -> None:
        joint_of = self._joints()
        order = self._parents_first(joint_of)
        self._elements = [self._elements[k] for k in order]
        number = {link.get("name", ""): k for k, link in enumerate(self._elements)}
        for element in self._elements:
            name = element.get("name", "")
            joint = joint_of.get(name)
            if joint is None:
                link = Link(name, -1, np.eye(4))
            else:
                parent = number[self._end(joint, "parent")]
                link = Link(name, parent, self._origin(joint), self._moving(joint))
            self._fill(link, element, source)
            self.robot.links.append(link)

    def _find_apart(self) -> None:
        """Find the pairs that the SRDF next to the file excludes from collision checks."""
        disabled = srdf.disabled_pairs(self._srdf)
        for b, link in enumerate(self.robot.links):
            pairs = {(a, b) for a in range(b) if frozenset((self.robot.links[a].name, link.name)) in disabled}
            self.robot.apart |= pairs

    def _joints(self) -> dict[str, Element]:
        """Return the joint above each link that has one."""
        names = {link.get("name", "") for link in self._elements}
        joint_of: dict[str, Element] = {}
        for joint in self._text.root.findall("joint"):
            where = self._text.place(joint)
            kind = joint.get("type", "")
            if kind not in _MOVING and kind not in _STILL:
                allowed = ", ".join((*_MOVING, *_STILL))
                raise InputError(f"{where}: unknown type {kind!r:.80}. Allowed: {allowed}.")
            for end in ("parent", "child"):
                if self._end(joint, end) not in names:
                    raise InputError(f"{where}: there is no link {self._end(joint, end)!r:.80}.")
            child = self._end(joint, "child")
            if child in joint_of:
                raise InputError(f"{where}: the link {child!r:.80} has a second parent.")
            joint_of[child] = joint
        return joint_of

    def _parents_first(self, joint_of: Mapping[str, Element]) -> list[int]:
        depth: list[int] = []
        for link in self._elements:
            name, steps = link.get("name", ""), 0
            while name in joint_of:
                name, steps = self._end(joint_of[name], "parent"), steps + 1
                if steps > len(self._elements):
                    raise InputError(f"{self._text.where}: its joints form a cycle.")
            depth.append(steps)
        return sorted(range(len(depth)), key=lambda k: (depth[k], k))

    def _end(self, joint: Element, tag: str) -> str:
        end = joint.find(tag)
        return "" if end is None else end.get("link", "")

    def _moving(self, joint: Element) -> tuple[Joint, ...]:
        kind = joint.get("type", "")
        if kind not in _MOVING:
            return ()
        axis = self._vector(joint.find("axis"), "xyz", (1.0, 0.0, 0.0), joint)
        length = float(np.linalg.norm(axis))
        if length == 0:
            raise InputError(f"{self._text.place(joint)}: its axis has length 0.")
        limit = joint.find("limit")
        low, high = (-math.pi, math.pi) if kind == "continuous" else (0.0, 0.0)
        if kind != "continuous" and limit is not None:
            limits = (limit.get(end, "0") for end in ("lower", "upper"))
            low, high = (float(self._text.numbers(text, 1, joint)[0]) for text in limits)
        mimic = joint.find("mimic")
        mimics = None
        if mimic is not None:
            factor, offset = (
                float(self._text.numbers(mimic.get(name, default), 1, joint)[0])
                for name, default in (("multiplier", "1"), ("offset", "0"))
            )
            mimics = mimic.get("joint", ""), factor, offset
        name = joint.get("name", "")
        ends = min(low, high), max(low, high)
        return (Joint(name, _MOVING[kind], axis / length, np.zeros(3), *ends, mimics=mimics),)

    def _fill(self, link: Link, element: Element, source: str) -> None:
        chosen = source if element.find(f"{source}/geometry/mesh") is not None else "collision"
        pieces = self._pieces(element, chosen)
        meshes = [(piece, pose) for piece, pose in pieces if isinstance(piece, Mesh)]
        link.mesh = together(meshes, link.name) if meshes else None
        link.shapes = tuple(shape_at(piece, pose) for piece, pose in pieces if not isinstance(piece, Mesh))
        before = pieces
        if chosen != "collision" and element.find("collision") is not None:
            try:
                before = self._pieces(element, "collision")
            except InputError as error:
                self.robot.notes.append(f"{error} Self-collisions are compared with the visuals.")
        link.before = [
            together([(piece, pose)], link.name) if isinstance(piece, Mesh) else shape_at(piece, pose)
            for piece, pose in before
        ]

    def _pieces(self, link: Element, tag: str) -> list[tuple[Mesh | Shape, Floats]]:
        """Return the pieces of a link's visual or collision elements. A mesh's pose includes its scale."""
        pieces = []
        for element in link.findall(tag):
            geometry = element.find("geometry")
            inside = None if geometry is None else next(iter(geometry), None)
            if inside is None:
                raise InputError(f"{self._text.place(element)}: has no geometry.")
            pose = self._origin(element)
            if inside.tag == "mesh":
                scale = self._vector(inside, "scale", (1.0, 1.0, 1.0), inside)
                where = self._text.place(inside)
                if not scale.all():
                    raise InputError(f"{where}: its scale must not be 0.")
                path = resolved(inside.get("filename", ""), self._folder, self._packages, where)
                piece: Mesh | Shape = self._files.load(path, where)
                pose = pose @ np.diag([*scale, 1.0])
            else:
                piece = self._shape(inside)
            pieces.append((piece, pose))
        return pieces

    def _shape(self, element: Element) -> Shape:
        def value(name: str) -> float:
            return float(self._text.numbers(element.get(name, ""), 1, element)[0])

        middle, upright = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
        if element.tag == "box":
            size = self._text.numbers(element.get("size", ""), 3, element)
            return self._text.shape(element, Box, middle, upright, (size / 2).tolist())
        if element.tag == "sphere":
            return self._text.shape(element, Sphere, middle, value("radius"))
        if element.tag in ("cylinder", "capsule"):
            is_capsule = element.tag == "capsule"  # some files call its length height
            length = value("height" if is_capsule and element.get("length") is None else "length")
            ends = (0.0, 0.0, -length / 2), (0.0, 0.0, length / 2)
            return self._text.shape(element, Capsule if is_capsule else Cylinder, *ends, value("radius"))
        known = "mesh, box, sphere, cylinder, capsule"
        raise InputError(f"{self._text.place(element)}: unknown geometry <{element.tag}>. Known: {known}.")

    def _origin(self, element: Element) -> Floats:
        origin = element.find("origin")
        rpy = self._vector(origin, "rpy", (0.0, 0.0, 0.0), element).tolist()
        return pose_of(matrix_of(turn_of_rpy(rpy)), self._vector(origin, "xyz", (0.0, 0.0, 0.0), element))

    def _vector(self, element: Element | None, name: str, default: Sequence[float], named: Element) -> Floats:
        text = None if element is None else element.get(name)
        return np.array(default) if text is None else self._text.numbers(text, 3, named)

    # ------------------------------------------------------------ Writing

    def files(
        self,
        colliders: Mapping[int, Sequence[Shape]],
        output: str,
        disabled: Sequence[tuple[str, str, int]],
    ) -> dict[str, bytes]:
        """Return the file with `colliders` as its collision elements, and the files next to it, by path."""
        hulls = HullFiles(output)
        has_capsules = self._text.root.get("version", "1.0") not in ("1", "1.0")
        for k, shapes in colliders.items():
            lines = []
            for shape in shapes:
                if shape.kind in PRIMITIVES:
                    lines += _elements(shape, has_capsules)
                else:
                    path = hulls.add(self.robot.links[k].name, shape).path
                    lines.append(_collision(f"<mesh filename={quoted(path)}/>", Pose()))
            self._put(self._elements[k], lines)
        self._move_paths(os.path.dirname(os.path.abspath(output)), colliders)
        files = {output: self._text.edited(), **hulls.files}
        path = srdf.path_for(output)
        if disabled or (os.path.exists(self._srdf) and not os.path.exists(path)):
            files[path] = srdf.with_pairs(path, self._srdf, self.robot.name, disabled)
        return files

    def _put(self, link: Element, lines: list[str]) -> None:
        for old in link.findall("collision"):
            self._text.remove(old)
        self._text.append(link, lines)

    def _move_paths(self, folder: str, replaced: Iterable[int]) -> None:
        """Adjust paths that are relative to the file, if the output is in another folder."""
        if os.path.realpath(folder) == os.path.realpath(self._folder):
            return
        removed = {e for k in replaced for old in self._elements[k].findall("collision") for e in old.iter()}
        named = [e for e in self._text.root.iter() if e.tag in ("mesh", "texture") and e.get("filename")]
        lost = []
        for element in named:
            address = element.get("filename", "")
            if element in removed or os.path.isabs(address):
                continue
            if "://" in address:
                lost += [] if _is_found(address, folder) else [address]
                continue
            path = os.path.relpath(os.path.join(self._folder, address), folder)
            self._text.set_attributes(element, {"filename": path.replace(os.sep, "/")})
        if lost:
            some = f"{lost[0]!r:.80}" + (f" and {len(lost) - 1} more" if len(lost) > 1 else "")
            self.robot.notes.append(f"{some}: unchanged, but not found from the new folder.")


def _is_found(address: str, folder: str) -> bool:
    try:
        return os.path.exists(resolved(address, folder, {}, ""))
    except InputError:
        return False


def _elements(shape: Shape, has_capsules: bool) -> list[str]:
    """Return the collision elements of a shape. A capsule becomes a cylinder and two spheres in URDF 1.0."""
    if isinstance(shape, Capsule) and shape.start == shape.end:
        shape = Sphere(shape.start, shape.radius)
    local, rotation, translation = local_and_pose(shape, "z")
    pose = Pose(rotation, translation)
    if isinstance(local, Box):
        return [_collision(f'<box size="{numbers(2 * half for half in local.half_extents)}"/>', pose)]
    if isinstance(local, Sphere):
        return [_collision(f'<sphere radius="{number(local.radius)}"/>', pose)]
    assert isinstance(local, Capsule | Cylinder)
    length = number(2 * local.end[2])
    size = f'radius="{number(local.radius)}" length="{length}"'
    if isinstance(local, Capsule) and has_capsules:  # some readers expect the length as height
        return [_collision(f'<capsule {size} height="{length}"/>', pose)]
    elements = [_collision(f"<cylinder {size}/>", pose)]
    if isinstance(shape, Capsule):
        for end in (shape.start, shape.end):
            elements += _elements(Sphere(end, shape.radius), has_capsules)
    return elements


def _collision(geometry: str, pose: Pose) -> str:
    origin = f'<origin xyz="{numbers(pose.translation)}" rpy="{numbers(rpy_of(pose.rotation))}"/>'
    return f"<collision>{origin}<geometry>{geometry}</geometry></collision>"
