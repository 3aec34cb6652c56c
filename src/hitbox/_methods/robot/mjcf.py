"""MJCF: reads bodies and joints with defaults applied, and writes the same file with other collision geoms.

Visual geoms (contype and conaffinity 0) stay. If the meshes of a body are fitted, some of its colliding geoms
stay without colliding: those that are also visible, that give the body its mass, or that something refers to.
The other colliding geoms are removed. Kinds that hitbox has no shape for (ellipsoids, primitives that MuJoCo
fits to a mesh) stay and collide. New geoms have no mass.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats.local_frames import local_and_pose
from hitbox._formats.numbers import numbers
from hitbox._methods.robot.hull_files import ROUND_SIDES, HullFiles
from hitbox._methods.robot.mesh_paths import MeshFiles
from hitbox._methods.robot.mjcf_document import Attributes, Document
from hitbox._methods.robot.model import PRIMITIVES, Joint, Link, Robot, pose_of, shape_at, together
from hitbox._methods.robot.xml_text import XmlText, quoted
from hitbox._model.convex_parts import ConvexPart, hull_of_part
from hitbox._model.mesh import Floats, Mesh
from hitbox._model.shapes import Box, Capsule, Cylinder, Hull, Shape, Sphere
from hitbox._native import _core

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
_GROUP = "3"  # MuJoCo's models put invisible collision geoms in this group
# The attributes that a new geom takes from the geom it replaces.
_CONTACT = (
    "contype", "conaffinity", "condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap",
)  # fmt: skip


@dataclass(eq=False)
class _Geom:
    element: Element
    attributes: Attributes  # merged with the defaults
    pose: Floats  # in the body's frame

    masks: tuple[int, int]  # contype and conaffinity

    @property
    def collides(self) -> bool:
        return any(self.masks)


@dataclass
class _Body:
    element: Element
    geoms: list[_Geom] = field(default_factory=list)
    has_mass: bool = False  # the file gives the mass explicitly, not by geoms
    replaced: list[_Geom] = field(default_factory=list)
    kept: list[_Geom] = field(default_factory=list)  # geoms that still collide
    has_visuals: bool = False
    is_free: bool = False


class Mjcf:
    """An MJCF. `source` selects the geometry to fit: visual or collision."""

    def __init__(self, text: XmlText, folder: str, source: str) -> None:
        self._document = Document(text, folder)
        self._text = self._document.text
        self._files = MeshFiles()
        self._bodies: list[_Body] = []
        root = self._text.root
        self.robot = Robot(root.get("model", "robot"), "mjcf", [])
        for world in root.findall("worldbody"):
            self._walk(world, -1, np.eye(4), None)
        self._names_used = _references(root)
        for link, body in zip(self.robot.links, self._bodies, strict=True):
            self._fill(link, body, source)
        self._find_apart()

    # ------------------------------------------------------------ The tree

    def _walk(self, parent: Element, link: int, frame: Floats, childclass: str | None) -> None:
        """Read everything in a body, or in a frame in a body."""
        for element in parent:
            if element.tag == "body":
                self._add_body(element, link, frame, element.get("childclass", childclass))
            elif element.tag == "frame":
                pose = frame @ self._document.pose(dict(element.attrib), element)
                self._walk(element, link, pose, element.get("childclass", childclass))
            elif element.tag in ("replicate", "attach"):
                place = f"line {self._text.line(element)}: <{element.tag}>"
                self.robot.notes.append(f"{self._text.where}: {place} is unchanged.")
            elif link >= 0 and element.tag in ("joint", "freejoint"):
                self._add_joint(element, link, frame, childclass)
            elif link >= 0 and element.tag == "geom":
                self._add_geom(element, self._bodies[link], frame, childclass)
            elif link >= 0 and element.tag == "inertial":
                is_ignored = self._document.compiler.get("inertiafromgeom", "auto") == "true"
                self._bodies[link].has_mass = not is_ignored

    def _add_body(self, element: Element, parent: int, frame: Floats, childclass: str | None) -> None:
        own_name = element.get("name")
        name = own_name or f"body at line {self._text.line(element)}"
        pose = frame @ self._document.pose(dict(element.attrib), element)
        self.robot.links.append(Link(name, parent, pose, has_name=bool(own_name)))
        self._bodies.append(_Body(element))
        self._walk(element, len(self._bodies) - 1, np.eye(4), childclass)

    def _add_geom(self, element: Element, body: _Body, frame: Floats, childclass: str | None) -> None:
        attributes = self._document.defaults.of("geom", element, childclass)
        types, withs = (
            int(self._text.numbers(attributes.get(name, "1"), 1, element)[0])
            for name in ("contype", "conaffinity")
        )
        pose = frame @ self._document.geom_pose(attributes, element)
        body.geoms.append(_Geom(element, attributes, pose, (types, withs)))

    def _add_joint(self, element: Element, number: int, frame: Floats, childclass: str | None) -> None:
        link = self.robot.links[number]
        attributes = self._document.defaults.of("joint", element, childclass)
        kind = "free" if element.tag == "freejoint" else attributes.get("type", "hinge")
        name = element.get("name") or f"joint at line {self._text.line(element)}"
        at = self._document.vector(attributes, "pos", (0.0, 0.0, 0.0), element)
        anchor = frame[:3, :3] @ at + frame[:3, 3]
        axis = frame[:3, :3] @ self._document.vector(attributes, "axis", (0.0, 0.0, 1.0), element)
        length = float(np.linalg.norm(axis))
        if length == 0:
            raise InputError(f"{self._text.place(element)}: its axis has length 0.")
        is_turn = kind in ("hinge", "ball")
        low, high = self._limits(attributes, element, is_turn)
        factor = self._document.radians if is_turn else 1.0
        zero = factor * float(self._text.numbers(attributes.get("ref", "0"), 1, element)[0])
        if kind == "ball":  # three hinges reach all of its rotations
            axes = zip("xyz", np.eye(3), strict=True)
            balls = (Joint(f"{name} {letter}", "hinge", turn, anchor, -high, high) for letter, turn in axes)
            link.joints = (*link.joints, *balls)
        elif kind in ("hinge", "slide"):
            link.joints = (*link.joints, Joint(name, kind, axis / length, anchor, low, high, zero))
        elif kind != "free":
            raise InputError(f"{self._text.place(element)}: unknown type {kind!r:.80}.")
        else:  # a free body can be anywhere: keep it where the file puts it
            self._bodies[number].is_free = True

    def _limits(self, attributes: Attributes, element: Element, is_turn: bool) -> tuple[float, float]:
        limited = attributes.get("limited", "auto")
        if limited == "auto":
            is_auto = self._document.compiler.get("autolimits", "true") == "true"
            limited = "true" if "range" in attributes and is_auto else "false"
        if limited != "true":
            return (-math.pi, math.pi) if is_turn else (0.0, 0.0)
        low, high = self._text.numbers(attributes.get("range", "0 0"), 2, element).tolist()
        factor = self._document.radians if is_turn else 1.0
        return factor * low, factor * high

    def _find_apart(self) -> None:
        """Find pairs that MuJoCo never checks: excluded, welded, parent and child, or disjoint masks."""
        number = {link.name: k for k, link in enumerate(self.robot.links)}
        links = self.robot.links
        weld: list[int] = []  # the body that each one is welded to; -1: the world
        for k, link in enumerate(links):
            moves = bool(link.joints) or self._bodies[k].is_free
            weld.append(k if moves else weld[link.parent] if link.parent >= 0 else -1)
        above = [(weld[links[w].parent] if links[w].parent >= 0 else -1) if w >= 0 else -1 for w in weld]
        flags = [e for option in self._text.root.findall("option") for e in option.findall("flag")]
        filters = all(flag.get("filterparent", "enable") != "disable" for flag in flags)
        for b in range(len(links)):
            for a in range(b):
                related = weld[a] == above[b] != -1 or weld[b] == above[a] != -1
                (type_a, with_a), (type_b, with_b) = self._masks(a), self._masks(b)
                if weld[a] == weld[b] or (related and filters) or not (type_a & with_b or type_b & with_a):
                    self.robot.apart.add((a, b))
        for contact in self._text.root.findall("contact"):
            for exclude in contact.findall("exclude"):
                pair = [number.get(exclude.get(key, ""), -1) for key in ("body1", "body2")]
                self.robot.apart.add((min(pair), max(pair)))

    def _masks(self, link: int) -> tuple[int, int]:
        """Combine the masks of the new geoms, which copy the first replaced one, and of the kept geoms."""
        body = self._bodies[link]
        masks = [geom.masks for geom in (*body.replaced[:1], *body.kept)]
        if not masks and self.robot.links[link].mesh is not None:
            return 1, 1
        types, withs = 0, 0
        for own_types, own_withs in masks:
            types, withs = types | own_types, withs | own_withs
        return types, withs

    # ------------------------------------------------------------ Geoms

    def _fill(self, link: Link, body: _Body, source: str) -> None:
        visual = [geom for geom in body.geoms if not geom.collides]
        collided = {geom: self._collided(geom) for geom in body.geoms if geom.collides}
        link.before = [piece for pieces in collided.values() for piece in pieces]
        body.kept = list(collided)
        visible_meshes = [geom for geom in visual if _kind(geom) == "mesh"]
        replaceable = [geom for geom in collided if _is_supported(geom)]
        chosen = visible_meshes if source == "visual" and visible_meshes else replaceable
        if not any(_kind(geom) == "mesh" for geom in chosen):
            return
        pieces = [self._placed(geom) for geom in chosen]
        link.before = link.before or pieces
        link.mesh = together([(p, np.eye(4)) for p in pieces if isinstance(p, Mesh)], link.name)
        link.shapes = tuple(piece for piece in pieces if not isinstance(piece, Mesh))
        body.has_visuals = bool(visual)
        body.replaced, body.kept = replaceable, [geom for geom in collided if not _is_supported(geom)]
        kept = (piece for geom in body.kept for piece in collided[geom])
        link.kept = tuple(piece for piece in kept if not isinstance(piece, Mesh))
        self.robot.notes += map(self._kept_note, body.kept)

    def _kept_note(self, geom: _Geom) -> str:
        what = _kind(geom) + ("that MuJoCo fits to a mesh" if "mesh" in geom.attributes else "")
        return f"{self._text.place(geom.element)}: this {what} is unchanged, and still collides."

    def _placed(self, geom: _Geom) -> Mesh | Shape:
        """Return a geom's geometry in the body's frame."""
        if "mesh" in geom.attributes or _kind(geom) == "mesh":
            name = geom.attributes.get("mesh", "")
            mesh, pose = self._asset(name, geom.element)
            return together([(mesh, geom.pose @ pose)], name)
        return shape_at(self._shape(geom), geom.pose)

    def _collided(self, geom: _Geom) -> list[Mesh | Shape]:
        """Return the geometry MuJoCo checks: the hull of a mesh, also for a primitive fitted to a mesh."""
        if "mesh" not in geom.attributes and _kind(geom) not in _SIZES:
            return []
        piece = self._placed(geom)
        if not isinstance(piece, Mesh):
            return [piece]
        if _kind(geom) == "mesh":  # not as a Hull, whose check is slow for large hulls
            return [_hull(piece)]
        hull, _ = hull_of_part(ConvexPart(piece.vertices, piece.triangles), self._text.where)
        return [piece if hull is None else hull]  # a flat mesh has no hull

    def _shape(self, geom: _Geom) -> Shape:
        kind, size, shape = _kind(geom), self._size(geom), self._text.shape
        middle, upright = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
        if kind == "sphere":
            return shape(geom.element, Sphere, middle, *size)
        if kind == "box":
            return shape(geom.element, Box, middle, upright, size)
        if kind == "ellipsoid":
            vertices, triangles = Sphere(middle, 1.0).to_mesh(ROUND_SIDES)
            return shape(geom.element, Hull, vertices * size, triangles)
        radius, half = size
        ends = (0.0, 0.0, -half), (0.0, 0.0, half)
        return shape(geom.element, Capsule if kind == "capsule" else Cylinder, *ends, radius)

    def _size(self, geom: _Geom) -> list[float]:
        kind, attributes = _kind(geom), geom.attributes
        words = attributes.get("size", "").split()
        size: list[float] = self._text.numbers(" ".join(words), len(words), geom.element).tolist()
        if "fromto" in attributes:  # MuJoCo uses only the first number of its size
            ends = self._text.numbers(attributes["fromto"], 6, geom.element)
            half = float(np.linalg.norm(ends[3:] - ends[:3])) / 2
            size = [*size[:1] * (_SIZES[kind] - 1), half]
        if len(size) < _SIZES[kind]:
            place = self._text.place(geom.element)
            raise InputError(f"{place}: a {kind} needs {_SIZES[kind]} sizes, not {len(size)}.")
        return size[: _SIZES[kind]]

    def _asset(self, name: str, geom: Element) -> tuple[Mesh, Floats]:
        """Return a mesh asset, and the matrix of its scale and reference frame."""
        element = self._document.meshes.get(name)
        if element is None:
            raise InputError(f"{self._text.place(geom)}: there is no mesh {name!r:.80} among the assets.")
        attributes = self._document.defaults.of("mesh", element, None)
        scale = np.diag([*self._document.vector(attributes, "scale", (1.0, 1.0, 1.0), element), 1.0])
        turn = self._document.turn({"quat": attributes.get("refquat", "1 0 0 0")}, element)
        move = self._document.vector(attributes, "refpos", (0.0, 0.0, 0.0), element)
        reference = pose_of(turn.T, -turn.T @ move)
        if "vertex" in attributes:
            return self._inline(attributes, element), scale @ reference
        if "file" not in attributes:
            raise InputError(f"{self._text.place(element)}: has neither a file nor vertices.")
        path = self._document.mesh_path(attributes["file"])
        return self._files.load(path, self._text.place(element)), scale @ reference

    def _inline(self, attributes: Attributes, element: Element) -> Mesh:
        words = attributes["vertex"].split()
        points = self._text.numbers(attributes["vertex"], len(words) - len(words) % 3, element).reshape(-1, 3)
        try:
            if "face" in attributes:
                corners = self._text.numbers(attributes["face"], len(attributes["face"].split()), element)
                return Mesh(points, corners.astype(np.int64).reshape(-1, 3), name=element.get("name"))
            vertices, triangles = _core.convex_hull(points)[:2]
            return Mesh(vertices, triangles, name=element.get("name"))
        except ValueError as error:
            raise InputError(f"{self._text.place(element)}: {error}") from None

    # ------------------------------------------------------------ Writing

    def files(
        self,
        colliders: Mapping[int, Sequence[Shape]],
        output: str,
        disabled: Sequence[tuple[str, str, int]],
    ) -> dict[str, bytes]:
        """Return the file with `colliders` as its collision geoms, and the hull files next to it, by path."""
        document, folder = self._document, os.path.dirname(os.path.abspath(output))
        hulls, assets = HullFiles(output, document.names_taken()), []
        for k, shapes in colliders.items():
            geoms = []
            for shape in shapes:
                if shape.kind in PRIMITIVES:
                    geoms.append(_primitive(shape))
                else:
                    name, path = hulls.add(f"{self.robot.links[k].name}_hull", shape)
                    assets.append(document.mesh_element(name, path, folder))
                    geoms.append(f'type="mesh" mesh={quoted(name)} pos="0 0 0" quat="1 0 0 0"')
            self._put(self._bodies[k], geoms)
        excludes = [f"<exclude body1={quoted(a)} body2={quoted(b)}/>" for a, b, _ in disabled]
        document.append("asset", assets)
        document.append("contact", excludes)
        document.move(folder, has_hulls=bool(assets))
        return {output: self._text.edited(), **hulls.files}

    def _put(self, body: _Body, geoms: Sequence[str]) -> None:
        start = f'<geom class={quoted(self._document.defaults.top)} mass="0" {self._contact(body)}'
        for old in body.replaced:
            self._retire(old, body)
        self._text.append(body.element, [f"{start} {geom}/>" for geom in geoms])

    def _contact(self, body: _Body) -> str:
        """Return a new geom's contact attributes: those of the first geom it replaces, or of a kept geom."""
        attributes = next((geom.attributes for geom in (*body.replaced, *body.kept)), {})
        taken = {name: attributes[name] for name in _CONTACT if name in attributes}
        values = {"contype": "1", "conaffinity": "1", **taken}
        stays = not body.replaced or any(self._must_stay(geom, body) for geom in body.replaced)
        values["group"] = _GROUP if stays else attributes.get("group", "0")
        return " ".join(f"{name}={quoted(value)}" for name, value in values.items())

    def _must_stay(self, geom: _Geom, body: _Body) -> bool:
        mass = geom.attributes.get("mass")
        has_mass = mass is None or self._text.numbers(mass, 1, geom.element)[0] != 0
        gives_mass = has_mass and not body.has_mass
        return not body.has_visuals or gives_mass or geom.element.get("name") in self._names_used

    def _retire(self, geom: _Geom, body: _Body) -> None:
        if self._must_stay(geom, body):
            self._text.set_attributes(geom.element, {"contype": "0", "conaffinity": "0"})
        else:
            self._text.remove(geom.element)


def _kind(geom: _Geom) -> str:
    return geom.attributes.get("type", "sphere")


def _is_supported(geom: _Geom) -> bool:
    """Whether hitbox has a shape for a geom. It has none for primitives that MuJoCo fits to a mesh."""
    return _kind(geom) == "mesh" or (_kind(geom) in PRIMITIVES and "mesh" not in geom.attributes)


def _hull(mesh: Mesh) -> Mesh:
    """Return the hull of a mesh; a flat mesh has none and is returned unchanged."""
    vertices, triangles, _, dimension = _core.convex_hull(mesh.vertices)
    return mesh if dimension < 3 else Mesh(vertices, triangles, name=mesh.name)


def _references(root: Element) -> set[str]:
    """Return the names of geoms that something refers to."""
    names = set()
    for element in root.iter():
        for key in ("geom", "geom1", "geom2", "objname", "refname"):
            if key in element.attrib:
                names.add(element.attrib[key])
    return names


def _primitive(shape: Shape) -> str:
    """Return the attributes of a geom."""
    if isinstance(shape, Capsule) and shape.start == shape.end:
        shape = Sphere(shape.start, shape.radius)
    local, (x, y, z, w), move = local_and_pose(shape, "z")
    if isinstance(local, Box):
        size: Sequence[float] = local.half_extents
    elif isinstance(local, Sphere):
        size = (local.radius,)
    else:
        assert isinstance(local, Capsule | Cylinder)
        size = (local.radius, local.end[2])
    pose = f'pos="{numbers(move)}" quat="{numbers((w, x, y, z))}"'
    return f'type="{local.kind}" size="{numbers(size)}" {pose}'
