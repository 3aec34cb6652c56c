"""Reads USD (.usd, .usda, .usdc, .usdz): the visible geometry of a stage, as polygons. Needs the extra `usd`.

Reads meshes (of a subdivision surface its cage), simple shapes as meshes around them, instances and point
instancers. Skips prims with the purpose guide or proxy, and invisible prims. A face's part is its prim.
Animated values are read at their first time sample.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats import usd_stage
from hitbox._formats.mesh_builder import (
    Polygons,
    Scene,
    Whole,
    checked_indices,
    file_name,
    read_bytes,
)
from hitbox._model.mesh import Floats, Mesh
from hitbox._model.shapes import Box, Capsule, Cylinder, Frustum, Shape, Sphere

_DEEPEST = 20  # instancers of instancers
_DRAWN = ("default", "render")
_HANDED_LEFT = "leftHanded"


def read(path: str) -> Mesh:
    try:
        from pxr import Usd  # noqa: F401
    except ImportError:
        raise InputError(f'{file_name(path)}: USD needs the extra usd: pip install "hitbox[usd]".') from None
    data = read_bytes(path)  # checks the path, and unpacks gzip
    if not path.lower().endswith(".gz"):
        return _read(path, path)
    with tempfile.TemporaryDirectory(prefix="hitbox-") as folder:
        unpacked = os.path.join(folder, os.path.basename(path)[:-3])
        with open(unpacked, "wb") as file:
            file.write(data)
        return _read(unpacked, path)


def _read(path: str, named: str) -> Mesh:
    from pxr import Tf, UsdGeom

    where = file_name(named)
    stage = usd_stage.opened(path, where)
    try:
        result = _Stage(stage, where).scene()
    except Tf.ErrorException as error:
        raise usd_stage.unreadable(where, error) from None
    metres, up = UsdGeom.GetStageMetersPerUnit(stage), str(UsdGeom.GetStageUpAxis(stage)).lower()
    return result.mesh(named, float(metres), up)


class _Stage:
    """Collects the polygons of one stage in a scene."""

    def __init__(self, stage: Any, where: str) -> None:
        from pxr import Usd, UsdGeom

        self._stage = stage
        self._where = where
        self._time = Usd.TimeCode.EarliestTime()
        self._poses = UsdGeom.XformCache(self._time)
        layers = {layer.realPath for layer in stage.GetUsedLayers()}  # a small layer may reference large ones
        self._scene = Scene(where, sum(os.path.getsize(path) for path in layers if os.path.isfile(path)))
        self._visited = usd_stage.Visited(where)
        self._geometry: dict[Any, tuple[Polygons, bool] | None] = {}

    def scene(self) -> Scene:
        self._add_below(self._stage.GetPseudoRoot(), np.eye(4), 0)
        return self._scene

    def _add_below(self, root: Any, above: Floats, depth: int) -> None:
        """Add the visible geometry of `root` and its descendants; `above` places the root's own frame."""
        from pxr import UsdGeom

        if depth > _DEEPEST:
            raise InputError(f"{self._where}: its point instancers instance each other endlessly.")
        for prim in self._drawn(root):
            matrix = above @ self._relative(prim, root)
            if prim.IsA(UsdGeom.PointInstancer):
                self._add_instances(UsdGeom.PointInstancer(prim), matrix, depth)
                continue
            geometry = self._polygons(prim)
            if geometry is not None:
                self._scene.add(geometry[0], matrix, prim.GetName(), flipped=geometry[1])

    def _drawn(self, root: Any) -> Iterator[Any]:
        """Yield the visible prims. Prototypes are skipped: only their instancer draws them."""
        from pxr import Usd, UsdGeom

        prims = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
        for prim in prims:
            self._visited.add()
            image = UsdGeom.Imageable(prim)
            if image:
                hidden = image.GetVisibilityAttr().Get(self._time) == UsdGeom.Tokens.invisible
                if hidden:
                    prims.PruneChildren()
                    continue
                if prim.IsA(UsdGeom.PointInstancer):
                    prims.PruneChildren()
                if str(image.ComputePurpose()) not in _DRAWN:
                    continue
            yield prim

    def _relative(self, prim: Any, root: Any) -> Floats:
        """Return the matrix from the prim's frame to the root's."""
        if root.IsPseudoRoot():
            return _columns(self._poses.GetLocalToWorldTransform(prim))
        return _columns(self._poses.ComputeRelativeTransform(prim, root)[0])

    def _add_instances(self, instancer: Any, matrix: Floats, depth: int) -> None:
        targets = instancer.GetPrototypesRel().GetForwardedTargets()
        numbers = instancer.GetProtoIndicesAttr().Get(self._time)
        if not targets or numbers is None or not len(numbers):
            return
        # Ignore the mask here: applying it would shift the transforms after each masked instance.
        placed = instancer.ComputeInstanceTransformsAtTime(
            self._time, self._time, instancer.IncludeProtoXform, instancer.IgnoreMask
        )
        mask = instancer.ComputeMaskAtTime(self._time) or [True] * len(numbers)
        if len(placed) != len(numbers) or len(mask) != len(numbers):
            what = f"{self._where}: {instancer.GetPath()}"
            raise InputError(f"{what}: its transforms and mask do not match its {len(numbers)} instances.")
        for number, pose, shown in zip(numbers, placed, mask, strict=True):
            if not 0 <= number < len(targets):
                what = f"{self._where}: {instancer.GetPath()}"
                raise InputError(f"{what}: an instance uses prototype {number} of {len(targets)}.")
            prototype = self._stage.GetPrimAtPath(targets[number])
            if shown and prototype:
                self._add_below(prototype, matrix @ _columns(pose), depth + 1)

    # ------------------------------------------------------------ Geometry

    def _polygons(self, prim: Any) -> tuple[Polygons, bool] | None:
        """Return a prim's polygons in its own frame, and whether its faces look inward.

        Return None for a prim without a surface.
        """
        key = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
        if key not in self._geometry:
            self._geometry[key] = self._read_geometry(prim)
        return self._geometry[key]

    def _read_geometry(self, prim: Any) -> tuple[Polygons, bool] | None:
        from pxr import UsdGeom

        if prim.IsA(UsdGeom.Mesh):
            return self._mesh(UsdGeom.Mesh(prim))
        shape = self._shape(prim)
        if shape is None:
            return None
        vertices, faces = _box(shape) if isinstance(shape, Box) else shape.to_mesh()
        indices = faces.astype(np.int64)
        sizes = np.full(len(indices), indices.shape[1])
        material = self._material(prim)
        polygons = Polygons(vertices, indices.ravel(), sizes, np.zeros_like(sizes), (material,))
        return polygons, UsdGeom.Gprim(prim).GetOrientationAttr().Get() == _HANDED_LEFT

    def _mesh(self, mesh: Any) -> tuple[Polygons, bool] | None:
        what = f"{self._where}: {mesh.GetPath()}"
        points = mesh.GetPointsAttr().Get(self._time)
        counts = mesh.GetFaceVertexCountsAttr().Get(self._time)
        corners = mesh.GetFaceVertexIndicesAttr().Get(self._time)
        if points is None or counts is None or corners is None or not len(counts):
            return None
        vertices = np.asarray(points, np.float64).reshape(-1, 3)
        sizes, indices = np.asarray(counts, np.int64), np.asarray(corners, np.int64)
        if (sizes < 0).any() or sizes.sum() != len(indices):
            raise InputError(f"{what}: has {len(indices)} corners, but its counts add up to {sizes.sum()}.")
        checked_indices(indices, len(vertices), what)
        material, names = self._materials(mesh, len(sizes))
        real = sizes >= 3  # faces with fewer corners are points and lines
        holes = np.asarray(mesh.GetHoleIndicesAttr().Get(self._time) or [], np.int64)
        real[holes[(holes >= 0) & (holes < len(sizes))]] = False
        polygons = Polygons(vertices, indices[np.repeat(real, sizes)], sizes[real], material[real], names)
        return polygons, mesh.GetOrientationAttr().Get() == _HANDED_LEFT

    def _materials(self, mesh: Any, count: int) -> tuple[Whole, tuple[str, ...]]:
        """Return each face's material: that of the mesh, or of a face subset with its own."""
        from pxr import UsdShade

        names, of_face = [self._material(mesh.GetPrim())], np.zeros(count, np.int64)
        for subset in UsdShade.MaterialBindingAPI(mesh.GetPrim()).GetMaterialBindSubsets():
            faces = np.asarray(subset.GetIndicesAttr().Get(self._time) or [], np.int64)
            of_face[faces[(faces >= 0) & (faces < count)]] = len(names)
            names.append(self._material(subset.GetPrim()))
        return of_face, tuple(names)

    def _material(self, prim: Any) -> str:
        from pxr import UsdShade

        bound = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        return str(bound.GetPrim().GetName()) if bound else ""

    def _shape(self, prim: Any) -> Shape | None:
        """Return a simple shape in its own frame, or None for another prim."""
        from pxr import UsdGeom

        def value(name: str) -> Any:
            return prim.GetAttribute(name).Get(self._time)

        middle, upright = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
        if prim.IsA(UsdGeom.Cube):
            half = float(value("size")) / 2
            return Box(middle, upright, (half, half, half))
        if prim.IsA(UsdGeom.Sphere):
            return Sphere(middle, float(value("radius")))
        if not any(prim.IsA(kind) for kind in (UsdGeom.Cylinder, UsdGeom.Cone, UsdGeom.Capsule)):
            return None
        axis = np.eye(3)["XYZ".index(str(value("axis")))] * float(value("height")) / 2
        start, end, radius = tuple(-axis), tuple(axis), float(value("radius"))
        if prim.IsA(UsdGeom.Capsule):
            return Capsule(start, end, radius)
        if prim.IsA(UsdGeom.Cone):
            return Frustum(start, end, radius, 0.0)
        return Cylinder(start, end, radius)


def _box(box: Box) -> tuple[Floats, Whole]:
    """Return the six outward quads of a cube."""
    half = box.half_extents[0]
    corners = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return corners, quads


def _columns(matrix: Any) -> Floats:
    """Transpose: USD multiplies row vectors."""
    return np.array(matrix, np.float64).T
