"""Reads COLLADA (.dae) 1.4 and 1.5: the meshes of its scene, placed by its nodes.

Reads triangles, polygons, polylists, strips and fans; instances of geometries, nodes and skins (in their bind
pose); all transforms. A face's part is its node; its material is the one bound to its symbol.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats import xml_input
from hitbox._formats.mesh_builder import Polygons, Scene, Whole, checked_indices, file_name, read_bytes
from hitbox._model.mesh import Floats, Mesh

_MOST_NODES = 1_000_000  # visited nodes: nested instances multiply
_DEEPEST = 100
_UPS = {"X_UP": "x", "Y_UP": "y", "Z_UP": "z"}
_FACES = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def read(path: str) -> Mesh:
    root = xml_input.parse(read_bytes(path), file_name(path), namespaces=True)
    return _Document(root, file_name(path), os.path.getsize(path)).mesh(path)


class _Document:
    def __init__(self, root: Element, where: str, file_size: int) -> None:
        self._where = where
        if _tag(root) != "COLLADA":
            raise InputError(f"{where}: its root is <{_tag(root)}>, not <COLLADA>. Export it as COLLADA.")
        self._root = root
        self._by_id = _ids(root)
        self._local_ids: dict[str, Element] = {}  # ids of the geometry that is being read
        self._scene = Scene(where, file_size)
        self._visited = 0
        # Each geometry is read once, whatever the number of its instances.
        self._geometry = lru_cache(maxsize=None)(self._read_geometry)

    def mesh(self, path: str) -> Mesh:
        scene = self._visual_scene()
        if scene is not None:
            for node in _children(scene, "node"):
                self._add_node(node, np.eye(4), 0)
        else:  # only a library: add each geometry once
            for library in _children(self._root, "library_geometries"):
                for geometry in _children(library, "geometry"):
                    self._add_geometry(geometry, np.eye(4), _name(geometry), {})
        metres, up = self._asset()
        return self._scene.mesh(path, metres, up)

    def _asset(self) -> tuple[float, str]:
        asset = _child(self._root, "asset")
        unit = None if asset is None else _child(asset, "unit")
        up_axis = None if asset is None else _child(asset, "up_axis")
        metres = 1.0 if unit is None else self._numbers(unit.get("meter", "1"), "unit", 1)[0]
        up = "Y_UP" if up_axis is None else (up_axis.text or "").strip()
        if up not in _UPS:
            raise InputError(f"{self._where}: unknown up_axis {up!r:.80}. Known: {', '.join(_UPS)}.")
        return float(metres), _UPS[up]

    def _visual_scene(self) -> Element | None:
        scene = _child(self._root, "scene")
        instance = None if scene is None else _child(scene, "instance_visual_scene")
        if instance is not None:
            return self._target(instance, "url", "visual_scene")
        libraries = _children(self._root, "library_visual_scenes")
        return next((scene for library in libraries for scene in _children(library, "visual_scene")), None)

    # ------------------------------------------------------------ Nodes

    def _add_node(self, node: Element, above: Floats, depth: int) -> None:
        self._visited += 1
        if depth > _DEEPEST or self._visited > _MOST_NODES:
            raise InputError(f"{self._where}: its nodes instance each other endlessly.")
        matrix = above @ self._local(node)
        for child in node:
            kind = _tag(child)
            if kind == "node":
                self._add_node(child, matrix, depth + 1)
            elif kind == "instance_node":
                self._add_node(self._target(child, "url", "node"), matrix, depth + 1)
            elif kind == "instance_geometry":
                geometry = self._target(child, "url", "geometry")
                self._add_geometry(geometry, matrix, _name(node) or _name(geometry), self._bound(child))
            elif kind == "instance_controller":
                self._add_skin(child, matrix, _name(node))

    def _add_skin(self, instance: Element, matrix: Floats, name: str) -> None:
        """Add a skin in its bind pose, or a morph without its weights."""
        source = self._target(instance, "url", "controller")
        for _ in range(_DEEPEST):
            inner = _child(source, "skin")
            if inner is not None:
                bind = _child(inner, "bind_shape_matrix")
                if bind is not None:
                    matrix = matrix @ self._numbers(bind.text, "bind_shape_matrix", 16).reshape(4, 4)
            else:
                inner = _child(source, "morph")
            if inner is None:
                raise InputError(f"{self._where}: controller {_name(source)!r:.80} has no skin or morph.")
            source = self._target(inner, "source", "geometry", "controller")
            if _tag(source) == "geometry":
                self._add_geometry(source, matrix, name or _name(source), self._bound(instance))
                return
        raise InputError(f"{self._where}: its controllers reference each other endlessly. Export it again.")

    def _add_geometry(self, geometry: Element, matrix: Floats, name: str, bound: Mapping[str, str]) -> None:
        polygons = self._geometry(geometry)
        if polygons is not None:
            materials = tuple(bound.get(symbol, symbol) for symbol in polygons.materials)
            named = replace(polygons, materials=materials)
            self._scene.add(named, matrix, name)

    def _bound(self, instance: Element) -> dict[str, str]:
        """Map each material symbol to the name of the bound material."""
        names = {}
        for each in instance.iter():
            if _tag(each) == "instance_material":
                material = self._by_id.get(each.get("target", "").lstrip("#"))
                name = each.get("target", "").lstrip("#") if material is None else _name(material)
                names[each.get("symbol", "")] = name
        return names

    def _local(self, node: Element) -> Floats:
        matrix = np.eye(4)
        for child in node:
            make = _TRANSFORMS.get(_tag(child))
            if make is not None:
                count, function = make
                try:
                    matrix = matrix @ function(self._numbers(child.text, _tag(child), count))
                except ZeroDivisionError:
                    what = f"{self._where}: <{_tag(child)}>"
                    raise InputError(f"{what} has a direction of length 0. Export it again.") from None
        return matrix

    # ------------------------------------------------------------ Geometry

    def _read_geometry(self, geometry: Element) -> Polygons | None:
        """Return None for a geometry without faces, such as a spline."""
        mesh = _child(geometry, "mesh")
        if mesh is None:
            mesh = _child(geometry, "convex_mesh")
        if mesh is None:
            return None
        what = f"{self._where}: geometry {_name(geometry)!r:.80}"
        # Ids should be unique within a file, but some tools repeat them in every geometry.
        self._local_ids = _ids(geometry)
        pieces: list[tuple[Whole, Whole, str]] = []
        of_source: dict[str, tuple[Floats, int]] = {}
        first = 0
        for element in mesh:
            if _tag(element) not in _FACES:
                continue
            stride, offset, source = self._inputs(element, what)
            if source not in of_source:  # usually all faces share one source
                points = self._positions(source, what)
                of_source[source] = points, first
                first += len(points)
            points, start = of_source[source]
            corners, sizes = self._faces(element, stride, offset, what)
            indices = checked_indices(corners, len(points), what) + start
            pieces.append((indices, sizes, element.get("material", "")))
        self._local_ids = {}
        if not pieces:
            return None
        vertices = np.concatenate([points for points, _ in of_source.values()])
        symbols = tuple(dict.fromkeys(symbol for _, _, symbol in pieces))
        return Polygons(
            vertices,
            np.concatenate([indices for indices, _, _ in pieces]),
            np.concatenate([sizes for _, sizes, _ in pieces]),
            np.concatenate([np.full(len(sizes), symbols.index(symbol)) for _, sizes, symbol in pieces]),
            symbols,
        )

    def _inputs(self, primitive: Element, what: str) -> tuple[int, int, str]:
        """Return the number of indices per corner, the position of the vertex index, and the vertices' id."""
        offsets, vertex = [0], None
        for each in _children(primitive, "input"):
            offset = int(self._whole(each.get("offset", "0"), f"{what}: an input's offset", 1)[0])
            if not 0 <= offset < 1000:
                raise InputError(f"{what}: an input has the offset {offset}. Allowed: 0 to 999.")
            offsets.append(offset)
            if each.get("semantic") == "VERTEX":
                vertex = offset, each.get("source", "")
        if vertex is None:
            raise InputError(f"{what}: <{_tag(primitive)}> has no VERTEX input. Export it again.")
        return max(offsets) + 1, vertex[0], vertex[1]

    def _positions(self, reference: str, what: str) -> Floats:
        vertices = self._find(reference, what, "vertices")
        for each in _children(vertices, "input"):
            if each.get("semantic") == "POSITION":
                return self._source(self._find(each.get("source", ""), what, "source"), what)
        raise InputError(f"{what}: its vertices have no POSITION input. Export it again.")

    def _source(self, source: Element, what: str) -> Floats:
        common = _child(source, "technique_common")
        accessor = None if common is None else _child(common, "accessor")
        array = _child(source, "float_array")
        if accessor is not None and accessor.get("source", "").startswith("#"):
            array = self._lookup(accessor.get("source", "")[1:])
        if array is None or _tag(array) != "float_array":
            raise InputError(f"{what}: its positions have no float_array. Export it again.")
        numbers = self._numbers(array.text, f"{what}: positions")
        stride, start, columns = 3, 0, [0, 1, 2]
        count = len(numbers) // 3
        if accessor is not None:
            keys = ("stride", "offset", "count")
            defaults = ("1", "0", str(count))
            values = [accessor.get(key, default) for key, default in zip(keys, defaults, strict=True)]
            stride, start, count = (int(self._whole(text, f"{what}: its accessor", 1)[0]) for text in values)
            params = [param.get("name", "") for param in _children(accessor, "param")]
            axes = [k for k, name in enumerate(params) if name]
            columns = axes[:3] if len(axes) >= 3 else columns
        declared = self._whole(array.get("count", str(len(numbers))), f"{what}: a count", 1)[0]
        if declared != len(numbers):
            raise InputError(f"{what}: has {len(numbers)} numbers, but its count is {declared}.")
        last = start + stride * count
        if min(start, count) < 0 or stride <= max(columns) or last > len(numbers):
            raise InputError(f"{what}: its accessor reaches beyond its {len(numbers)} numbers.")
        return numbers[start:last].reshape(count, stride)[:, columns]

    def _faces(self, primitive: Element, stride: int, offset: int, what: str) -> tuple[Whole, Whole]:
        """Return the vertex indices of all faces, and each face's number of corners."""
        kind = _tag(primitive)
        if _child(primitive, "ph") is not None:
            raise InputError(f"{what}: hitbox does not read polygons with holes (<ph>). Export triangles.")
        rows = [self._corners(p.text, stride, offset, what) for p in _children(primitive, "p")]
        if kind == "polygons":
            sizes = np.array([len(row) for row in rows], np.int64)
        elif kind == "polylist":
            counts = _child(primitive, "vcount")
            sizes = self._whole("" if counts is None else counts.text, f"{what}: vcount")
        elif kind == "triangles":
            sizes = np.full(sum(map(len, rows)) // 3, 3, np.int64)
        else:
            rows = [_strip(row) if kind == "tristrips" else _fan(row) for row in rows]
            sizes = np.full(sum(map(len, rows)) // 3, 3, np.int64)
        corners = np.concatenate([np.empty(0, np.int64), *rows])
        if (sizes < 0).any() or sizes.sum() != len(corners):
            raise InputError(f"{what}: <{kind}> has {len(corners)} corners, but needs {sizes.sum()}.")
        real = sizes >= 3  # faces with fewer corners are points and lines
        return corners[np.repeat(real, sizes)], sizes[real]

    def _corners(self, text: str | None, stride: int, offset: int, what: str) -> Whole:
        numbers = self._whole(text, f"{what}: <p>")
        if len(numbers) % stride:
            raise InputError(f"{what}: <p> has {len(numbers)} numbers, which is not a multiple of {stride}.")
        return numbers[offset::stride]

    # ------------------------------------------------------------ References and numbers

    def _target(self, element: Element, attribute: str, *kinds: str) -> Element:
        return self._find(element.get(attribute, ""), f"{self._where}: <{_tag(element)}>", *kinds)

    def _find(self, reference: str, what: str, *kinds: str) -> Element:
        if not reference.startswith("#"):
            raise InputError(f"{what}: {reference!r:.80} is not in this file. Export all into one file.")
        target = self._lookup(reference[1:])
        if target is None or _tag(target) not in kinds:
            raise InputError(f"{what}: there is no {' or '.join(kinds)} {reference!r:.80}. Export it again.")
        return target

    def _lookup(self, name: str) -> Element | None:
        return self._local_ids.get(name, self._by_id.get(name))

    def _numbers(self, text: str | None, what: str, count: int | None = None) -> Floats:
        what = what if what.startswith(self._where) else f"{self._where}: {what}"
        words = (text or "").split()
        try:
            numbers = np.array(words, np.float64)
        except ValueError:
            raise InputError(f"{what}: expected numbers. Export it again.") from None
        if count is not None and len(numbers) != count:
            raise InputError(f"{what}: {len(numbers)} numbers instead of {count}. Export it again.")
        if not np.isfinite(numbers).all():
            raise InputError(f"{what}: number {int(np.argmin(np.isfinite(numbers)))} is not finite.")
        return numbers

    def _whole(self, text: str | None, what: str, count: int | None = None) -> Whole:
        numbers = self._numbers(text, what, count)
        if (numbers != np.floor(numbers)).any() or (np.abs(numbers) > 2**32).any():
            raise InputError(f"{what}: expected whole numbers. Export it again.")
        return numbers.astype(np.int64)


def _strip(row: Whole) -> Whole:
    """Return a strip's triangles; every second one has the opposite orientation."""
    rows = np.stack([row[:-2], row[1:-1], row[2:]], axis=1) if len(row) >= 3 else np.empty((0, 3), np.int64)
    rows[1::2] = rows[1::2, [1, 0, 2]]
    return rows.ravel()


def _fan(row: Whole) -> Whole:
    if len(row) < 3:
        return np.empty(0, np.int64)
    return np.stack([np.full(len(row) - 2, row[0]), row[1:-1], row[2:]], axis=1).ravel()


# ---------------------------------------------------------------- Transforms, as matrices for column vectors


def _translate(v: Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = v
    return matrix


def _rotate(v: Floats) -> Floats:
    """Rotate about an axis, by degrees."""
    length = math.hypot(*v[:3])
    matrix = np.eye(4)
    if length > 0:
        x, y, z = v[:3] / length
        angle = math.radians(float(v[3]))
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        matrix[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return matrix


def _scale(v: Floats) -> Floats:
    return np.diag([*v, 1.0])


def _lookat(v: Floats) -> Floats:
    """Place a camera at a point, looking at another one along its own -z axis, with a given up direction."""
    eye, target, up = v.reshape(3, 3)
    back = _unit(eye - target)
    right = _unit(np.cross(up, back))
    matrix = np.eye(4)
    matrix[:3] = np.stack([right, np.cross(back, right), back, eye], axis=1)
    return matrix


def _skew(v: Floats) -> Floats:
    """Shear by an angle in degrees: move along one axis, in proportion to the coordinate along the other."""
    along, across = _unit(v[1:4]), _unit(v[4:7])
    matrix = np.eye(4)
    matrix[:3, :3] += math.tan(math.radians(float(v[0]))) * np.outer(across, along)
    return matrix


def _unit(v: Floats) -> Floats:
    return v * (1 / math.hypot(*v))


_TRANSFORMS: dict[str, tuple[int, Callable[[Floats], Any]]] = {
    "matrix": (16, lambda v: v.reshape(4, 4)),
    "translate": (3, _translate),
    "rotate": (4, _rotate),
    "scale": (3, _scale),
    "lookat": (9, _lookat),
    "skew": (7, _skew),
}


# ---------------------------------------------------------------- Elements, in any namespace


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _children(element: Element, tag: str) -> Iterator[Element]:
    return (child for child in element if _tag(child) == tag)


def _child(element: Element, tag: str) -> Element | None:
    return next(_children(element, tag), None)


def _ids(root: Element) -> dict[str, Element]:
    """Map each id to the first element that has it."""
    elements: dict[str, Element] = {}
    for element in root.iter():
        if "id" in element.attrib:
            elements.setdefault(element.attrib["id"], element)
    return elements


def _name(element: Element) -> str:
    return element.get("name") or element.get("id") or ""
