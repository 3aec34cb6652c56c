"""Colliders in files: collider JSON, descriptions of bodies and robots, files of engines, and hulls in files
that know nothing of colliders: as the parts or components of a mesh."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from importlib import import_module

from hitbox._base.errors import InputError
from hitbox._formats import (
    collider_json,
    collider_unity,
    collider_unreal_obj,
    curobo,
    mjcf_input,
    sdf,
    srdf,
    unreal_meshes,
    urdf,
    xml_input,
)
from hitbox._formats.mesh_builder import file_name, read_bytes, unpacked
from hitbox._formats.read_mesh import DESCRIPTIONS, READERS, suffix_of
from hitbox._formats.read_mesh import load as load_mesh
from hitbox._formats.robot_description import Described
from hitbox._model.collider import Collider, _of_parts
from hitbox._model.convex_parts import ConvexPart, convex_parts_of_mesh
from hitbox._model.mesh import _utf8
from hitbox._model.shapes import Shape

# Suffix to module: its `read` gives a Collider, or None where the file is a mesh and nothing else.
COLLIDER_READERS = {
    ".glb": "collider_gltf_reader",
    ".gltf": "collider_gltf_reader",
    ".tscn": "collider_godot",
    ".usd": "collider_usd_reader",
    ".usda": "collider_usd_reader",
    ".usdc": "collider_usd_reader",
    ".usdz": "collider_usd_reader",
}
# The others unpack what is gzipped themselves; USD's library reads plain files alone.
_PLAIN_FILES = ("collider_usd_reader",)


def load(path: str | os.PathLike[str]) -> Collider:
    """The collider in a file: a collider JSON, a description, a file of an engine, or a mesh file whose
    parts or connected components are hulls. A folder gives the shapes of all its colliders and meshes."""
    where = os.fsdecode(path)
    if os.path.isdir(where):
        return _of_parts(_pieces_in(where), name=_stem(os.path.normpath(where)))
    suffix = suffix_of(where)
    if (known_as := _collider_in(where, suffix)) is not None:
        return known_as
    if suffix not in READERS:
        return _json_of_any_suffix(where)
    mesh = load_mesh(where)
    known_of_file = {"name": _stem(where), "unit": mesh.unit, "up": mesh.up}
    try:
        named = unreal_meshes.collider_of(mesh, _stem(where))
        if named is not None:
            ours = suffix == ".obj" and collider_unreal_obj.is_ours(where)
            return named._with(unit="cm", up="y") if ours else named
        return _of_parts(convex_parts_of_mesh(mesh), **known_of_file)
    except InputError as error:
        raise InputError(f"{_utf8(os.path.basename(where))}: {error}") from None


def _json_of_any_suffix(where: str) -> Collider:
    """A collider JSON may have any suffix, as its first character tells it."""
    data = read_bytes(where) if os.path.exists(where) else b""
    if data.lstrip().startswith(b"{"):
        return collider_json.read(data, where)
    known = ", ".join([".json", *DESCRIPTIONS, *sorted({*READERS, *COLLIDER_READERS})])
    raise InputError(
        f"{_utf8(os.path.basename(where))}: no collider can be read from it. Give a folder, or a file with "
        f"one of these suffixes: {known}."
    )


def _collider_in(where: str, suffix: str) -> Collider | None:
    """None: the file is a mesh and nothing else."""
    if where.lower().endswith(collider_unity.SIDECAR):
        model = where[: -len(collider_unity.SIDECAR)] + ".obj"
        return collider_unity.read(where, load_mesh(model) if os.path.exists(model) else None)
    if suffix in COLLIDER_READERS:
        return _read_by(COLLIDER_READERS[suffix], where)
    if suffix != ".json" and suffix not in DESCRIPTIONS:
        return None
    with open(where, "rb") as file:
        data = unpacked(file.read(), file_name(where))
    if suffix in DESCRIPTIONS:
        return read_description(data, where, suffix)
    return collider_json.read(data, where)


def _read_by(module: str, where: str) -> Collider | None:
    found: Collider | None
    read_file = import_module(f"hitbox._formats.{module}").read
    if module not in _PLAIN_FILES or not where.lower().endswith(".gz"):
        found = read_file(where)
        return found
    with tempfile.TemporaryDirectory(prefix="hitbox-") as folder:
        plain = os.path.join(folder, os.path.basename(where)[: -len(".gz")])
        with open(plain, "wb") as file:
            file.write(read_bytes(where))
        found = read_file(plain)
    return found


def read_description(data: bytes, path: str, suffix: str) -> Collider:
    """XML is told by its root, as .xml is MJCF or URDF."""
    into = Described(path)
    if suffix in (".yml", ".yaml"):
        curobo.read(data, into)
        return into.collider()
    root = xml_input.parse(data, into.where)
    into.name = root.get("model" if root.tag == "mujoco" else "name", "")
    if root.tag == "robot":
        (urdf if root.find("link") is not None else srdf).read(root, into)
    elif root.tag == "mujoco":
        mjcf_input.read(root, into)
    elif root.tag == "sdf":
        sdf.read(root, into)
    else:
        raise into.error(f"<{root.tag}> is an unknown description. Known: robot, mujoco, sdf.")
    return into.collider()


def _pieces_in(folder: str) -> Iterator[ConvexPart | Shape]:
    """Those of every file in it, sorted by name; a mesh file of one piece gives it its name."""
    names = sorted(name for name in os.listdir(folder) if suffix_of(name) in (".json", *READERS))
    if not names:
        known = ", ".join([".json", *sorted(READERS)])
        raise InputError(f"{_utf8(folder)}: the folder has no colliders. Known: {known}.")
    for name in names:
        if suffix_of(name) == ".json":
            yield from load(os.path.join(folder, name))
            continue
        pieces = convex_parts_of_mesh(load_mesh(os.path.join(folder, name)))
        for piece in pieces:
            own = _stem(name) if len(pieces) == 1 else piece.name
            yield ConvexPart(piece.vertices, piece.triangles, own)


def _stem(path: str) -> str:
    return _utf8(os.path.basename(path).split(".", 1)[0])
