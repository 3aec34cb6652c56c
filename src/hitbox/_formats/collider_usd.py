"""USD Physics: one body with one gprim per shape.

Text (.usda) needs no package; usd-core, the extra `usd`, converts it to binary (.usdc, .usd). Attributes of
the prims hold sizes, translate and orient hold poses; only a cube has a scale. A frustum that ends in a point
becomes a Cone; any other frustum becomes a hull, because readers silently ignore cylinders with two radii.
Metres; y or z is up, as in the collider.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.version import version
from hitbox._formats.export import Export, Item, Target, safe_names
from hitbox._formats.local_frames import extras_of, finite_mesh, local_and_pose
from hitbox._formats.poses import composed
from hitbox._model.mass import MassProperties
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Frustum, Rotation, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "capsule", "cylinder", "cone", "hull"),
    unit="m", up="zy", has_motion=True, has_mesh=True,
).with_caps_of("usd")  # fmt: skip

_SEGMENTS = 30
_HALF_TURN: Rotation = (1.0, 0.0, 0.0, 0.0)  # about x: maps y to -y


def files(export: Export) -> dict[str, bytes]:
    text = _stage(export)
    return {export.file: text.encode() if export.file.lower().endswith(".usda") else _binary(text)}


def _binary(text: str) -> bytes:
    try:
        from pxr import Sdf
    except ImportError:
        raise InputError('binary USD needs usd-core. pip install "hitbox[usd]", or write .usda.') from None
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.usdc")
        layer.Export(path)
        with open(path, "rb") as file:
            return file.read()


def _stage(export: Export) -> str:
    collider = export.collider
    generator = _text(collider.generator or f"hitbox {version()}")
    head = {
        "customLayerData": f"{{ string generator = {generator} }}",
        "defaultPrim": _text(export.name),
        "kilogramsPerUnit": "1",
        "metersPerUnit": "1",
        "upAxis": _text((collider.up or "z").upper()),
    }
    lines = ["#usda 1.0", "(", *(f"    {key} = {value}" for key, value in head.items()), ")", ""]
    moves = export.mass is not None
    schemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] if moves else []
    inner = _mass(export.mass)
    for item in export.items:
        inner += ["", *_shape(item, is_guide=export.mesh is not None)]
    if export.mesh is not None:
        taken = [item.name for item in export.items]
        inner += ["", *_visual(export.mesh, safe_names([*taken, "visual"])[-1])]
    title = {"name": collider.name} if collider.name else {}
    lines += _prim("Xform", export.name, inner, schemas, title, kind="component")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- Prims


def _prim(
    kind_of_prim: str,
    name: str,
    inner: Iterable[str],
    schemas: Sequence[str] = (),
    extras: dict[str, str] | None = None,
    kind: str | None = None,
) -> list[str]:
    about = []
    if schemas:
        about.append(f"    prepend apiSchemas = [{', '.join(map(_text, schemas))}]")
    if extras:
        about.append("    customData = {")
        about.append("        dictionary hitbox = {")
        about += [f"            string {key} = {_text(value)}" for key, value in extras.items()]
        about += ["        }", "    }"]
    if kind:
        about.append(f"    kind = {_text(kind)}")
    head = f"def {kind_of_prim} {_text(name)}"
    opened = [f"{head} (", *about, ")"] if about else [head]
    return [*opened, "{", *(f"    {line}" if line else "" for line in inner), "}"]


def _mass(mass: MassProperties | None) -> list[str]:
    if mass is None:
        return []
    moments, turn = mass.principal
    return [
        f"point3f physics:centerOfMass = {_vector(mass.center)}",
        f"float3 physics:diagonalInertia = {_vector(moments)}",
        f"float physics:mass = {_number(mass.mass)}",
        f"quatf physics:principalAxes = {_quaternion(turn)}",
    ]


def _shape(item: Item, is_guide: bool) -> list[str]:
    local, rotation, translation = local_and_pose(item.shape)
    prim, attributes, schemas = "Mesh", [], ["PhysicsCollisionAPI"]
    scale = None
    low, high = local.bounds
    if isinstance(local, Box):
        prim, scale = "Cube", [2 * half for half in local.half_extents]
        attributes = ["double size = 1"]
        low, high = np.full(3, -0.5), np.full(3, 0.5)
    elif isinstance(local, Sphere):
        prim, attributes = "Sphere", [f"double radius = {_number(local.radius)}"]
    elif isinstance(local, Capsule | Cylinder):
        prim = local.kind.capitalize()
        attributes = _round(2 * local.end[1], local.radius)
    elif isinstance(local, Frustum):  # a USD Cone has its point at +y
        prim, attributes = "Cone", _round(2 * local.end[1], max(local.radius_start, local.radius_end))
        if local.radius_start == 0:
            rotation = composed(rotation, _HALF_TURN)
    else:
        schemas.append("PhysicsMeshCollisionAPI")
        attributes = ['uniform token physics:approximation = "convexHull"', *_mesh_of(local, item.name)]
    attributes.append(f"float3[] extent = [{_vector(low)}, {_vector(high)}]")
    if is_guide:
        attributes.append('uniform token purpose = "guide"')
    operations = {
        "xformOp:translate": f"double3 xformOp:translate = {_vector(translation)}",
        "xformOp:orient": f"quatd xformOp:orient = {_quaternion(rotation)}",
    }
    if scale is not None:
        operations["xformOp:scale"] = f"double3 xformOp:scale = {_vector(scale)}"
    order = f"uniform token[] xformOpOrder = [{', '.join(map(_text, operations))}]"
    inner = [*sorted(attributes), *operations.values(), order]
    return _prim(prim, item.name, inner, schemas, extras_of(item.shape, item.label))


def _round(height: float, radius: float) -> list[str]:
    sizes = [f"double height = {_number(height)}", f"double radius = {_number(radius)}"]
    return ['uniform token axis = "Y"', *sizes]


def _mesh_of(local: Shape, name: str) -> list[str]:
    vertices, triangles = finite_mesh(local, name, _SEGMENTS)
    return _polygons(vertices, triangles.ravel().tolist(), [3] * len(triangles))


def _polygons(vertices: FloatArray, indices: list[int], counts: list[int]) -> list[str]:
    return [
        f"int[] faceVertexCounts = {counts}",
        f"int[] faceVertexIndices = {indices}",
        f"point3f[] points = [{', '.join(map(_vector, vertices.tolist()))}]",
        'uniform token subdivisionScheme = "none"',
    ]


def _visual(mesh: Mesh, name: str) -> list[str]:
    """The render mesh: one Mesh per part, with a face subset per material."""
    part = np.zeros(mesh.face_count, np.uint32) if mesh.part is None else mesh.part
    numbers = [int(number) for number in np.unique(part)]
    titles = [mesh.part_names[number] if mesh.part is not None else "mesh" for number in numbers]
    inner: list[str] = []
    names = safe_names(title or "mesh" for title in titles)
    for number, title, safe in zip(numbers, titles, names, strict=True):
        faces = np.flatnonzero(part == number)
        counts = np.diff(mesh.offsets)
        corners = np.repeat(part == number, counts)
        used, indices = np.unique(mesh.indices[corners], return_inverse=True)
        vertices = mesh.vertices[used]
        attributes = [
            f"float3[] extent = [{_vector(vertices.min(axis=0))}, {_vector(vertices.max(axis=0))}]",
            *_polygons(vertices, indices.reshape(-1).tolist(), counts[faces].tolist()),
            *_subsets(mesh, faces),
        ]
        inner += _prim("Mesh", safe, attributes, (), {"name": title} if title else None)
    return _prim("Xform", name, inner)


def _subsets(mesh: Mesh, faces: Any) -> list[str]:
    if mesh.material is None:
        return []
    numbers = [int(number) for number in np.unique(mesh.material[faces])]
    titles = [mesh.material_names[number] or "material" for number in numbers]
    lines: list[str] = []
    for number, title, safe in zip(numbers, titles, safe_names(titles), strict=True):
        chosen = np.flatnonzero(mesh.material[faces] == number).tolist()
        inner = [
            'uniform token elementType = "face"',
            'uniform token familyName = "material"',
            f"int[] indices = {chosen}",
        ]
        lines += ["", *_prim("GeomSubset", safe, inner, (), {"name": title})]
    return lines


# ---------------------------------------------------------------- Text


def _text(value: str) -> str:
    """Quote a text, escaping control characters byte by byte."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c, f"\\x{ord(c):02x}" if ord(c) < 32 else c) for c in value) + '"'


def _number(value: float) -> str:
    return repr(float(value))


def _vector(values: Iterable[float]) -> str:
    return f"({', '.join(map(_number, values))})"


def _quaternion(rotation: Rotation) -> str:
    x, y, z, w = rotation
    return _vector((w, x, y, z))
