"""MJCF: its bodies and joints with defaults applied, and the same file with other collision geoms.

Included files are put in the place of their `include`, as MuJoCo does. Visual geoms (contype and conaffinity
0) stay. Of a body whose meshes were fitted, a colliding geom that is also what is seen, that gives the body
its mass, or that something refers to, stays and collides no more; others go. New geoms have no mass.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

import numpy as np

from hitbox import _core
from hitbox.errors import InputError
from hitbox.formats.export import matrix_of
from hitbox.formats.objects import local_and_pose
from hitbox.formats.scene import read_bytes
from hitbox.mesh import Floats, Mesh
from hitbox.robot.mesh_paths import MeshFiles
from hitbox.robot.model import (
    Joint,
    Link,
    Robot,
    pose_of,
    quaternion_of,
    shape_at,
    together,
    turn_about,
    z_along_y,
)
from hitbox.robot.xml_text import XmlText, quoted
from hitbox.shapes import Box, Capsule, Cylinder, Shape, Sphere

_MOST_INCLUDES = 1_000
_ROUND_SIDES = 30
_GROUP = "3"  # where MuJoCo's models keep what collides and is not seen
# What a new geom takes over from the geom that it replaces.
_CONTACT = (
    "contype", "conaffinity", "condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap",
)  # fmt: skip
_Attributes = dict[str, str]


@dataclass
class _Geom:
    element: Element
    said: _Attributes  # with its defaults
    pose: Floats  # in its body's frame

    masks: tuple[int, int]  # contype and conaffinity

    @property
    def collides(self) -> bool:
        return any(self.masks)


@dataclass
class _Body:
    element: Element
    geoms: list[_Geom] = field(default_factory=list)
    has_mass: bool = False  # said, and not taken from its geoms
    replaced: list[_Geom] = field(default_factory=list)
    has_visuals: bool = False
    is_free: bool = False


class Mjcf:
    """An MJCF that was read. `source`: visual or collision, what shapes are made from."""

    def __init__(self, text: XmlText, folder: str, source: str) -> None:
        self._folder = folder
        self._text = text = _flat(text, folder)
        self._compiler: _Attributes = {}
        for element in text.root.findall("compiler"):
            self._compiler.update(element.attrib)
        self._defaults = _Defaults(text.root)
        self._files = MeshFiles()
        self._assets = self._mesh_assets()
        self._bodies: list[_Body] = []
        self.robot = Robot(text.root.get("model", "robot"), "mjcf", [])
        for world in text.root.findall("worldbody"):
            self._walk(world, -1, np.eye(4), None)
        self._names_used = _references(text.root)
        for link, body in zip(self.robot.links, self._bodies, strict=True):
            self._fill(link, body, source)
        self._find_apart()

    # ------------------------------------------------------------ The tree

    def _walk(self, parent: Element, link: int, frame: Floats, childclass: str | None) -> None:
        """All that is in a body, or in a frame in it."""
        for element in parent:
            if element.tag == "body":
                self._add_body(element, link, frame, element.get("childclass", childclass))
            elif element.tag == "frame":
                pose = frame @ self._pose(dict(element.attrib), element)
                self._walk(element, link, pose, element.get("childclass", childclass))
            elif element.tag in ("replicate", "attach"):
                place = f"line {self._text.line(element)}: <{element.tag}>"
                self.robot.notes.append(f"{self._text.where}: {place} is left as it is.")
            elif link >= 0 and element.tag in ("joint", "freejoint"):
                self._add_joint(element, link, frame, childclass)
            elif link >= 0 and element.tag == "geom":
                self._add_geom(element, self._bodies[link], frame, childclass)
            elif link >= 0 and element.tag == "inertial":
                self._bodies[link].has_mass = self._compiler.get("inertiafromgeom", "auto") != "true"

    def _add_body(self, element: Element, parent: int, frame: Floats, childclass: str | None) -> None:
        name = element.get("name") or f"body at line {self._text.line(element)}"
        pose = frame @ self._pose(dict(element.attrib), element)
        self.robot.links.append(Link(name, parent, pose))
        self._bodies.append(_Body(element))
        self._walk(element, len(self._bodies) - 1, np.eye(4), childclass)

    def _add_geom(self, element: Element, body: _Body, frame: Floats, childclass: str | None) -> None:
        said = self._defaults.of("geom", element, childclass)
        types, withs = (
            int(self._text.numbers(said.get(name, "1"), 1, element)[0]) for name in ("contype", "conaffinity")
        )
        pose = frame @ self._geom_pose(said, element)
        body.geoms.append(_Geom(element, said, pose, (types, withs)))

    def _add_joint(self, element: Element, number: int, frame: Floats, childclass: str | None) -> None:
        link = self.robot.links[number]
        said = self._defaults.of("joint", element, childclass)
        kind = "free" if element.tag == "freejoint" else said.get("type", "hinge")
        name = element.get("name") or f"joint at line {self._text.line(element)}"
        anchor = frame[:3, :3] @ self._vector(said, "pos", (0.0, 0.0, 0.0), element) + frame[:3, 3]
        axis = frame[:3, :3] @ self._vector(said, "axis", (0.0, 0.0, 1.0), element)
        length = float(np.linalg.norm(axis))
        if length == 0:
            raise InputError(f"{self._text.place(element)}: its axis has no length.")
        is_turn = kind in ("hinge", "ball")
        low, high = self._limits(said, element, is_turn)
        factor = self._radians if is_turn else 1.0
        zero = factor * float(self._text.numbers(said.get("ref", "0"), 1, element)[0])
        if kind == "ball":  # three turns reach what it reaches
            axes = zip("xyz", np.eye(3), strict=True)
            balls = (Joint(f"{name} {at}", "hinge", turn, anchor, -high, high) for at, turn in axes)
            link.joints = (*link.joints, *balls)
        elif kind in ("hinge", "slide"):
            link.joints = (*link.joints, Joint(name, kind, axis / length, anchor, low, high, zero))
        elif kind != "free":
            raise InputError(f"{self._text.place(element)}: unknown type {kind!r:.80}.")
        else:  # its place is anywhere, so it is left where it is
            self._bodies[number].is_free = True

    def _limits(self, said: _Attributes, element: Element, is_turn: bool) -> tuple[float, float]:
        limited = said.get("limited", "auto")
        if limited == "auto":
            is_auto = self._compiler.get("autolimits", "true") == "true"
            limited = "true" if "range" in said and is_auto else "false"
        if limited != "true":
            return (-math.pi, math.pi) if is_turn else (0.0, 0.0)
        low, high = self._text.numbers(said.get("range", "0 0"), 2, element).tolist()
        factor = self._radians if is_turn else 1.0
        return factor * low, factor * high

    def _find_apart(self) -> None:
        """Pairs that MuJoCo never compares: excluded, welded, parent and child, or by their masks."""
        number = {link.name: k for k, link in enumerate(self.robot.links)}
        links = self.robot.links
        weld: list[int] = []  # the body that each moves with; -1: the world
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
        """Of its new geoms, or of the ones that stay."""
        geoms = self._bodies[link].replaced or [g for g in self._bodies[link].geoms if g.collides]
        if self.robot.links[link].mesh is not None:
            return geoms[0].masks if geoms else (1, 1)
        types, withs = 0, 0
        for geom in geoms:
            types, withs = types | geom.masks[0], withs | geom.masks[1]
        return types, withs

    # ------------------------------------------------------------ Geoms

    def _fill(self, link: Link, body: _Body, source: str) -> None:
        colliding = [geom for geom in body.geoms if geom.collides and _kind(geom) not in ("plane", "hfield")]
        visual = [geom for geom in body.geoms if not geom.collides]
        has_meshes = any(_kind(geom) == "mesh" for geom in visual)
        chosen = visual if source == "visual" and has_meshes else colliding
        if chosen is visual:
            chosen = [geom for geom in visual if _kind(geom) == "mesh"]
        link.before = [piece for geom in colliding or chosen for piece in self._placed(geom)]
        if not any(_kind(geom) == "mesh" for geom in chosen):
            return
        pieces = [piece for geom in chosen for piece in self._placed(geom)]
        link.mesh = together([(p, np.eye(4)) for p in pieces if isinstance(p, Mesh)], link.name)
        link.shapes = tuple(piece for piece in pieces if not isinstance(piece, Mesh))
        body.replaced = colliding
        body.has_visuals = bool(visual)

    def _placed(self, geom: _Geom) -> list[Mesh | Shape]:
        """In the body's frame; nothing for kinds that are neither a mesh nor one of ours."""
        if _kind(geom) == "mesh":
            mesh, pose = self._asset(geom.said.get("mesh", ""), geom.element)
            return [together([(mesh, geom.pose @ pose)], geom.said.get("mesh", ""))]
        shape = self._shape(geom)
        return [] if shape is None else [shape_at(shape, geom.pose)]

    def _shape(self, geom: _Geom) -> Shape | None:
        kind, said = _kind(geom), geom.said
        if "mesh" in said:  # fitted to a mesh by MuJoCo
            return None
        words = said.get("size", "").split()
        size = [float(x) for x in self._text.numbers(" ".join(words), len(words), geom.element)]
        middle, upright = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
        if "fromto" in said and len(size) < 2:
            ends = self._text.numbers(said["fromto"], 6, geom.element)
            size.append(float(np.linalg.norm(ends[3:] - ends[:3])) / 2)
        needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}
        if kind not in needed or len(size) < needed[kind]:
            return None
        if kind == "sphere":
            return Sphere(middle, size[0])
        if kind == "box":
            return Box(middle, upright, (size[0], size[1], size[2]))
        made = Capsule if kind == "capsule" else Cylinder
        return made((0.0, 0.0, -size[1]), (0.0, 0.0, size[1]), size[0])

    def _mesh_assets(self) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for asset in self._text.root.findall("asset"):
            for element in asset.findall("mesh"):
                stem = os.path.splitext(os.path.basename(element.get("file", "")))[0]
                found[element.get("name") or stem] = element
        return found

    def _asset(self, name: str, geom: Element) -> tuple[Mesh, Floats]:
        """A mesh, and the matrix of its scale and reference frame."""
        element = self._assets.get(name)
        if element is None:
            raise InputError(f"{self._text.place(geom)}: there is no mesh {name!r:.80} among the assets.")
        said = self._defaults.of("mesh", element, None)
        scale = np.diag([*self._vector(said, "scale", (1.0, 1.0, 1.0), element), 1.0])
        turn = self._checked_turn({"quat": said.get("refquat", "1 0 0 0")}, element)
        move = self._vector(said, "refpos", (0.0, 0.0, 0.0), element)
        reference = pose_of(turn.T, -turn.T @ move)
        if "vertex" in said:
            return self._inline(said, element), scale @ reference
        if "file" not in said:
            raise InputError(f"{self._text.place(element)}: has no file and no vertices, and is not read.")
        path = self._path(said["file"])
        return self._files.load(path, self._text.place(element)), scale @ reference

    def _inline(self, said: _Attributes, element: Element) -> Mesh:
        words = said["vertex"].split()
        points = self._text.numbers(said["vertex"], len(words) - len(words) % 3, element).reshape(-1, 3)
        try:
            if "face" in said:
                corners = self._text.numbers(said["face"], len(said["face"].split()), element)
                return Mesh(points, corners.astype(np.int64).reshape(-1, 3), name=element.get("name"))
            vertices, triangles = _core.convex_hull(points)[:2]
            return Mesh(vertices, triangles, name=element.get("name"))
        except ValueError as error:
            raise InputError(f"{self._text.place(element)}: {error}") from None

    def _path(self, file: str) -> str:
        folder = self._compiler.get("meshdir", self._compiler.get("assetdir", ""))
        if self._compiler.get("strippath", "false") == "true":
            file = os.path.basename(file)
        return os.path.join(self._folder, folder, file)

    # ------------------------------------------------------------ Frames and numbers

    @property
    def _radians(self) -> float:
        """What one unit of an angle is."""
        return 1.0 if self._compiler.get("angle", "degree") == "radian" else math.pi / 180

    def _geom_pose(self, said: _Attributes, element: Element) -> Floats:
        if "fromto" in said:
            ends = self._text.numbers(said["fromto"], 6, element)
            along = " ".join(repr(float(x)) for x in ends[:3] - ends[3:])
            return pose_of(self._checked_turn({"zaxis": along}, element), (ends[:3] + ends[3:]) / 2)
        return self._pose(said, element)

    def _pose(self, said: _Attributes, element: Element) -> Floats:
        return pose_of(self._checked_turn(said, element), self._vector(said, "pos", (0.0, 0.0, 0.0), element))

    def _checked_turn(self, said: _Attributes, element: Element) -> Floats:
        try:
            return self._turn(said, element)
        except ZeroDivisionError:
            place = self._text.place(element)
            raise InputError(f"{place}: its frame has a direction without length.") from None

    def _turn(self, said: _Attributes, element: Element) -> Floats:
        if "quat" in said:
            return matrix_of(_xyzw(self._text.numbers(said["quat"], 4, element)))
        if "axisangle" in said:
            *axis, angle = self._text.numbers(said["axisangle"], 4, element)
            return turn_about(_unit(np.array(axis)), float(angle) * self._radians)
        if "euler" in said:
            turn = np.eye(3)
            angles = self._text.numbers(said["euler"], 3, element) * self._radians
            letters = self._compiler.get("eulerseq", "xyz")
            if len(letters) != 3 or not set(letters.lower()) <= set("xyz"):
                raise InputError(f"{self._text.where}: eulerseq {letters!r:.80} should be three of xyz.")
            for letter, angle in zip(letters, angles, strict=True):
                one = turn_about(np.eye(3)["xyz".index(letter.lower())], float(angle))
                turn = turn @ one if letter.islower() else one @ turn
            return turn
        if "xyaxes" in said:
            numbers = self._text.numbers(said["xyaxes"], 6, element)
            x = _unit(numbers[:3])
            y = _unit(numbers[3:] - (numbers[3:] @ x) * x)
            return np.stack([x, y, np.cross(x, y)], axis=1)
        if "zaxis" in said:
            return _turn_from_z(self._text.numbers(said["zaxis"], 3, element))
        return np.eye(3)

    def _vector(self, said: _Attributes, name: str, default: Sequence[float], element: Element) -> Floats:
        return np.array(default) if name not in said else self._text.numbers(said[name], 3, element)

    # ------------------------------------------------------------ Writing

    def files(
        self,
        colliders: Mapping[int, Sequence[Shape]],
        output: str,
        disabled: Sequence[tuple[str, str, int]],
    ) -> dict[str, bytes]:
        """The file with `colliders` as its collision geoms, by path."""
        hulls: list[str] = []
        for k, shapes in colliders.items():
            body = self._bodies[k]
            contact = self._contact(body)
            for geom in body.replaced:
                self._retire(geom, body)
            self._text.append(body.element, [self._geom(shape, contact, hulls) for shape in shapes])
        root = self._text.root
        if hulls:
            self._text.append(root, ["<asset>", *(f"  {line}" for line in hulls), "</asset>"])
        named = {body.element.get("name") for body in self._bodies}
        pairs = [(a, b) for a, b, _ in disabled if a in named and b in named]
        if pairs:
            lines = [f"  <exclude body1={quoted(a)} body2={quoted(b)}/>" for a, b in pairs]
            self._text.append(root, ["<contact>", *lines, "</contact>"])
        folder = os.path.dirname(os.path.abspath(output))
        if os.path.realpath(folder) != os.path.realpath(self._folder):
            self._text.append(root, [self._directories(folder)])
        return {output: self._text.edited()}

    def _contact(self, body: _Body) -> str:
        """How new geoms collide: as those did that they replace."""
        said = body.replaced[0].said if body.replaced else {}
        taken = {name: said[name] for name in _CONTACT if name in said}
        values = {"contype": "1", "conaffinity": "1", **taken}
        stays = not body.replaced or any(self._must_stay(geom, body) for geom in body.replaced)
        values["group"] = _GROUP if stays else said.get("group", "0")
        return " ".join(f"{name}={quoted(value)}" for name, value in values.items())

    def _must_stay(self, geom: _Geom, body: _Body) -> bool:
        return not body.has_visuals or not body.has_mass or geom.element.get("name") in self._names_used

    def _retire(self, geom: _Geom, body: _Body) -> None:
        if self._must_stay(geom, body):
            self._text.set_attributes(geom.element, {"contype": "0", "conaffinity": "0"})
        else:
            self._text.remove(geom.element)

    def _geom(self, shape: Shape, contact: str, hulls: list[str]) -> str:
        start = f"<geom class={quoted(self._defaults.top)} mass=\"0\" {contact}"
        if isinstance(shape, Capsule) and shape.start == shape.end:
            shape = Sphere(shape.start, shape.radius)
        if shape.kind in ("frustum", "prism", "hull"):
            name = f"hitbox_hull_{len(hulls)}"
            points = _said(shape.to_mesh(_ROUND_SIDES)[0].ravel())
            hulls.append(f'<mesh name="{name}" scale="1 1 1" vertex="{points}"/>')
            return f'{start} type="mesh" mesh="{name}"/>'
        local, rotation, move = local_and_pose(shape)
        turn = z_along_y(rotation) if isinstance(local, Capsule | Cylinder) else matrix_of(rotation)
        if isinstance(local, Box):
            size: Sequence[float] = local.half_extents
        elif isinstance(local, Sphere):
            size = (local.radius,)
        else:
            assert isinstance(local, Capsule | Cylinder)
            size = (local.radius, local.end[1])
        x, y, z, w = quaternion_of(turn)
        where = f'pos="{_said(move)}" quat="{_said((w, x, y, z))}"'
        return f'{start} type="{shape.kind}" size="{_said(size)}" {where}/>'

    def _directories(self, folder: str) -> str:
        """Where files are, seen from another folder. The last word counts, so nothing else has to change."""
        assets = self._compiler.get("assetdir", "")
        values = {}
        for name in ("meshdir", "texturedir"):
            path = os.path.join(os.path.abspath(self._folder), self._compiler.get(name, assets))
            values[name] = os.path.relpath(path, folder).replace(os.sep, "/")
        return "<compiler " + " ".join(f"{k}={quoted(v)}" for k, v in values.items()) + "/>"


class _Defaults:
    """Attributes by class and by tag; a class has what the class around it has."""

    def __init__(self, root: Element) -> None:
        self.top = "main"
        self._classes: dict[str, dict[str, _Attributes]] = {}
        for element in root.findall("default"):
            self.top = element.get("class", self.top)
        self._classes[self.top] = {}
        for element in root.findall("default"):
            self._read(element, self.top, {})

    def _read(self, element: Element, name: str, above: dict[str, _Attributes]) -> None:
        own = {tag: dict(said) for tag, said in {**above, **self._classes.get(name, {})}.items()}
        for child in element:
            if child.tag != "default":
                own.setdefault(child.tag, {}).update(child.attrib)
        self._classes[name] = own
        for child in element.findall("default"):
            self._read(child, child.get("class", ""), own)

    def of(self, tag: str, element: Element, childclass: str | None) -> _Attributes:
        name = element.get("class") or childclass or self.top
        return {**self._classes.get(name, {}).get(tag, {}), **element.attrib}


def _kind(geom: _Geom) -> str:
    return geom.said.get("type", "sphere")


def _references(root: Element) -> set[str]:
    """Names of geoms that something refers to."""
    found = set()
    for element in root.iter():
        for key in ("geom", "geom1", "geom2", "objname", "refname"):
            if key in element.attrib:
                found.add(element.attrib[key])
    return found


def _flat(text: XmlText, folder: str) -> XmlText:
    """With included files in their places; paths are relative to the first file's folder."""
    seen: set[str] = set()
    while True:
        includes = list(text.root.iter("include"))
        if not includes:
            return text
        for element in includes:
            path = os.path.join(folder, element.get("file", ""))
            real = os.path.realpath(path)
            place = f"{text.where}: line {text.line(element)}"
            if real in seen or len(seen) >= _MOST_INCLUDES:
                raise InputError(f"{place}: {element.get('file')!r:.80} is included a second time.")
            seen.add(real)
            inner = XmlText(read_bytes(path), os.path.basename(path))
            span, own = text.span(element), inner.span(inner.root)
            text.replace(span.start, span.end, inner.data[own.inner : own.inner_end].strip())
        text = XmlText(text.edited(), text.where)


def _xyzw(wxyz: Floats) -> tuple[float, float, float, float]:
    w, x, y, z = _unit(wxyz).tolist()
    return x, y, z, w


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector * (1 / math.hypot(*vector)))  # by zero it raises, which numpy does not


def _turn_from_z(direction: Floats) -> Floats:
    """The shortest turn that takes z to a direction."""
    target = _unit(direction)
    axis = np.cross([0.0, 0.0, 1.0], target)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3) if target[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return turn_about(axis / sine, math.atan2(sine, float(target[2])))


def _said(values: Sequence[float] | Floats) -> str:
    return " ".join(repr(float(x) + 0.0) for x in values)
