"""An MJCF document: its compiler settings, defaults, poses in all formats, and file paths.

Included files replace their `include` element, as in MuJoCo.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats.export import matrix_of
from hitbox._formats.mesh_builder import read_bytes
from hitbox._formats.mjcf_defaults import merged
from hitbox._formats.numbers import numbers
from hitbox._formats.poses import about, unit
from hitbox._methods.robot.model import pose_of
from hitbox._methods.robot.xml_text import XmlText, quoted
from hitbox._model.mesh import Floats

_MOST_INCLUDES = 1_000
_MOST_VERTICES = 1_000_000  # of a hull: more than any hull has
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_WITH_FILES = ("mesh", "hfield", "skin", "texture")
Attributes = dict[str, str]


class Document:
    """A document without includes. Methods take an element's attributes merged with its defaults."""

    def __init__(self, text: XmlText, folder: str) -> None:
        self.text = _flat(text, folder)
        self.folder = os.path.abspath(folder)
        self.compiler: Attributes = {}
        for element in self.text.root.findall("compiler"):
            self.compiler.update(element.attrib)
        self.defaults = _Defaults(self.text.root)
        self.meshes = _meshes(self.text.root)

    def append(self, tag: str, lines: Sequence[str]) -> None:
        """Append a section with these lines, unless there are none."""
        if lines:
            self.text.append(self.text.root, [f"<{tag}>", *(f"  {line}" for line in lines), f"</{tag}>"])

    # ------------------------------------------------------------ Frames and numbers

    @property
    def radians(self) -> float:
        """The size of the file's angle unit, in radians."""
        return 1.0 if self.compiler.get("angle", "degree") == "radian" else math.pi / 180

    def vector(self, attributes: Attributes, name: str, default: Sequence[float], element: Element) -> Floats:
        if name not in attributes:
            return np.array(default)
        return self.text.numbers(attributes[name], 3, element)

    def pose(self, attributes: Attributes, element: Element) -> Floats:
        position = self.vector(attributes, "pos", (0.0, 0.0, 0.0), element)
        return pose_of(self.turn(attributes, element), position)

    def geom_pose(self, attributes: Attributes, element: Element) -> Floats:
        if "fromto" not in attributes:
            return self.pose(attributes, element)
        ends = self.text.numbers(attributes["fromto"], 6, element)
        along = {"zaxis": numbers(ends[:3] - ends[3:])}
        return pose_of(self.turn(along, element), (ends[:3] + ends[3:]) / 2)

    def turn(self, attributes: Attributes, element: Element) -> Floats:
        try:
            return self._turn(attributes, element)
        except ZeroDivisionError:
            place = self.text.place(element)
            raise InputError(f"{place}: its frame has a direction of length 0.") from None

    def _turn(self, attributes: Attributes, element: Element) -> Floats:
        if "quat" in attributes:
            w, x, y, z = self.text.numbers(attributes["quat"], 4, element).tolist()
            return matrix_of(unit((x, y, z, w)))
        if "axisangle" in attributes:
            *axis, angle = self.text.numbers(attributes["axisangle"], 4, element).tolist()
            return matrix_of(about(axis, angle * self.radians))
        if "euler" in attributes:
            return self._euler(self.text.numbers(attributes["euler"], 3, element) * self.radians)
        if "xyaxes" in attributes:
            axes = self.text.numbers(attributes["xyaxes"], 6, element)
            x = _unit(axes[:3])
            y = _unit(axes[3:] - (axes[3:] @ x) * x)
            return np.stack([x, y, np.cross(x, y)], axis=1)
        if "zaxis" in attributes:
            return _turn_from_z(self.text.numbers(attributes["zaxis"], 3, element))
        return np.eye(3)

    def _euler(self, angles: Floats) -> Floats:
        """Lower-case letters rotate about the moving axes, capitals about fixed axes."""
        letters = self.compiler.get("eulerseq", "xyz")
        if len(letters) != 3 or not set(letters.lower()) <= set("xyz"):
            raise InputError(f"{self.text.where}: eulerseq {letters!r:.80} must be three of x, y, z.")
        turn: Floats = np.eye(3)
        for letter, angle in zip(letters, angles.tolist(), strict=True):
            one = matrix_of(about(_AXES[letter.lower()], angle))
            turn = turn @ one if letter.islower() else one @ turn
        return turn

    # ------------------------------------------------------------ Files

    @property
    def _mesh_folder(self) -> str:
        folder = self.compiler.get("meshdir", self.compiler.get("assetdir", ""))
        return os.path.join(self.folder, folder)

    @property
    def _strips_paths(self) -> bool:
        return self.compiler.get("strippath", "false") == "true"

    def mesh_path(self, file: str) -> str:
        return os.path.join(self._mesh_folder, _bare(file) if self._strips_paths else file)

    def names_taken(self) -> set[str]:
        """Return the names of meshes and mesh files, which new files must not reuse."""
        files = (_bare(element.get("file", "")) for element in self.meshes.values())
        return {*self.meshes, *(os.path.splitext(file)[0] for file in files)}

    def mesh_element(self, name: str, path: str, folder: str) -> str:
        """Return an asset for the file at `path` in `folder` that overrides the defaults for meshes."""
        defaults = self.defaults.of("mesh", Element("mesh"), None)
        most = f' maxhullvert="{_MOST_VERTICES}"' if "maxhullvert" in defaults else ""
        file = self._from_mesh_folder(os.path.join(folder, path))
        return f'<mesh name={quoted(name)} file={quoted(file)} scale="1 1 1"{most}/>'

    def _from_mesh_folder(self, path: str) -> str:
        file = os.path.relpath(path, self._mesh_folder)
        # MuJoCo removes `..` textually, Rapier resolves it on disk. Behind a link the results differ.
        reached = os.path.realpath(os.path.join(self._mesh_folder, file))
        is_plain = os.path.isdir(self._mesh_folder) and reached == os.path.realpath(path)
        return (file if is_plain else path).replace(os.sep, "/")

    def move(self, folder: str, *, has_hulls: bool) -> None:
        """Adjust the paths for an output in `folder`. The last compiler element overrides the others."""
        values = {}
        if os.path.realpath(folder) != os.path.realpath(self.folder):
            assets = self.compiler.get("assetdir", "")
            for name in ("meshdir", "texturedir"):
                path = os.path.join(self.folder, self.compiler.get(name, assets))
                values[name] = os.path.relpath(path, folder).replace(os.sep, "/")
        if has_hulls and self._strips_paths:
            self._strip_paths()
            values["strippath"] = "false"
        if values:
            attributes = " ".join(f"{name}={quoted(value)}" for name, value in values.items())
            self.text.append(self.text.root, [f"<compiler {attributes}/>"])

    def _strip_paths(self) -> None:
        """Remove folders from the file's paths, because strippath would also strip the new paths."""
        for asset in self.text.root.findall("asset"):
            for element in asset:
                files = {k: _bare(v) for k, v in element.attrib.items() if k.startswith("file")}
                if files and element.tag in _WITH_FILES:
                    self.text.set_attributes(element, files)


class _Defaults:
    """Default attributes by class and tag; a class inherits from the class around it."""

    def __init__(self, root: Element) -> None:
        self.top = "main"
        self._classes: dict[str, dict[str, Attributes]] = {}
        for element in root.findall("default"):
            self.top = element.get("class", self.top)
        self._classes[self.top] = {}
        for element in root.findall("default"):
            self._read(element, self.top, {})

    def _read(self, element: Element, name: str, above: dict[str, Attributes]) -> None:
        own = {tag: dict(attributes) for tag, attributes in {**above, **self._classes.get(name, {})}.items()}
        for child in element:
            if child.tag != "default":
                own[child.tag] = merged(own.get(child.tag, {}), child.attrib)
        self._classes[name] = own
        for child in element.findall("default"):
            self._read(child, child.get("class", ""), own)

    def of(self, tag: str, element: Element, childclass: str | None) -> Attributes:
        name = element.get("class") or childclass or self.top
        return merged(self._classes.get(name, {}).get(tag, {}), element.attrib)


def _meshes(root: Element) -> dict[str, Element]:
    """Return mesh assets by name; a mesh without a name has that of its file."""
    meshes: dict[str, Element] = {}
    for asset in root.findall("asset"):
        for element in asset.findall("mesh"):
            stem = os.path.splitext(_bare(element.get("file", "")))[0]
            meshes[element.get("name") or stem] = element
    return meshes


def _flat(text: XmlText, folder: str) -> XmlText:
    """Replace includes by their files' content. Paths are relative to the first file's folder."""
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


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector * (1 / math.hypot(*vector)))  # raises for a zero vector, unlike numpy


def _turn_from_z(direction: Floats) -> Floats:
    """Return the shortest rotation from z to a direction."""
    target = _unit(direction)
    axis = np.cross([0.0, 0.0, 1.0], target)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3) if target[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return matrix_of(about(axis.tolist(), math.atan2(sine, float(target[2]))))


def _bare(file: str) -> str:
    """Return the file name without folders, for either separator."""
    return re.split(r"[/\\]", file)[-1]
