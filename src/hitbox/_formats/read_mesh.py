"""Reading meshes: the registry that picks a reader by the file's suffix.

The core reads OBJ, PLY, STL, OFF, glTF and GLB; its table says which suffixes it knows. A reader
written in Python joins by one line in `_IN_PYTHON`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from importlib import import_module

from hitbox._base.errors import InputError
from hitbox._model.mesh import Mesh, _call, _utf8
from hitbox._native import _core


def _core_reader(suffix: str, unit: str, up: str) -> Callable[[str], Mesh]:
    def read(path: str) -> Mesh:
        name = _utf8(os.path.basename(path))
        vertices, indices, offsets, part, material, part_names, material_names, checked = _call(
            _core.read_mesh, os.fsencode(path), _utf8(path), suffix
        )
        return Mesh._trusted(
            vertices,
            indices,
            offsets,
            checked,
            part=part if len(part) else None,
            material=material if len(material) else None,
            part_names=part_names,
            material_names=material_names,
            name=name,
            unit=unit or None,
            up=up or None,
        )

    return read


def _python_reader(module: str) -> Callable[[str], Mesh]:
    def read(path: str) -> Mesh:
        mesh: Mesh = import_module(f"hitbox._formats.{module}").read(path)  # what it needs waits until then
        return mesh

    return read


# Modules of this folder with `read(path) -> Mesh`.
_IN_PYTHON = {
    ".dae": "mesh_dae",
    ".fbx": "mesh_fbx",
    ".usd": "mesh_usd",
    ".usda": "mesh_usd",
    ".usdc": "mesh_usd",
    ".usdz": "mesh_usd",
}

DESCRIPTIONS = (".urdf", ".xml", ".mjcf", ".sdf", ".srdf", ".yml", ".yaml")
_COLLIDERS_ONLY = (".json", ".tscn", *DESCRIPTIONS)  # suffixes that `Collider.load` alone reads

READERS: dict[str, Callable[[str], Mesh]] = {
    **{suffix: _core_reader(suffix, unit, up) for suffix, unit, up in _core.mesh_formats()},
    **{suffix: _python_reader(module) for suffix, module in _IN_PYTHON.items()},
}


def load(path: str | os.PathLike[str]) -> Mesh:
    """The mesh in a file: .obj, .ply, .stl, .off, .gltf, .glb, .dae, .usd (.usda, .usdc, .usdz) or .fbx.

    Each may be gzipped (.obj.gz). USD needs the extra `usd`, FBX the extra `fbx`.

    Polygons, their order and the vertices are the file's own; node or group and material names
    come with the faces; scene transforms and instances are applied. Nothing is welded or
    repaired (see `Mesh.clean`). A file that is cut short or wrong raises InputError with the place.
    Files that hold colliders (.json, .urdf, .xml, .sdf, ...) are read by `Collider.load`.
    """
    where = os.fsdecode(path)
    suffix = suffix_of(where)
    if suffix not in READERS:
        raise InputError(_unknown(where, suffix))
    return READERS[suffix](where)


def suffix_of(path: str) -> str:
    """Lower case, with its dot, and without a last `.gz`."""
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix == ".gz" else suffix


def _unknown(path: str, suffix: str) -> str:
    name = _utf8(os.path.basename(os.path.normpath(path)))
    if suffix in _COLLIDERS_ONLY:
        return f"{name}: {suffix} files hold colliders, not meshes. Read it with hitbox.Collider.load."
    if os.path.isdir(path):
        return f"{name}: is a folder. Give a mesh file, or read a folder of hulls with hitbox.Collider.load."
    close = difflib.get_close_matches(suffix, READERS, n=1, cutoff=0.5)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    what = f"no reader for {suffix!r} files" if suffix else "the name has no suffix to tell the format by"
    known = ", ".join(sorted(READERS))
    return f"{name}: {what}.{guess} Known: {known}, each also with .gz."
