"""Colliders in files: of formats that know what one is, and hulls as the parts or components of a mesh."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module

from hitbox.collider import Collider, _of_pieces
from hitbox.errors import InputError
from hitbox.formats import collider_json, collider_unity, unreal_meshes
from hitbox.formats.reading import READERS, load, suffix_of
from hitbox.mesh import _utf8
from hitbox.pieces import Piece, pieces_of_mesh

# Suffix to module: its `read` gives a Collider, or None where the file is a mesh and nothing else.
COLLIDER_READERS = {
    ".glb": "collider_gltf_reader",
    ".gltf": "collider_gltf_reader",
    ".tscn": "collider_godot",
    ".usd": "collider_usd_reader",
    ".usda": "collider_usd_reader",
    ".usdc": "collider_usd_reader",
}


def read(path: str | os.PathLike[str]) -> Collider:
    """A collider JSON, a file of an engine's, a mesh file of hulls, or a folder of mesh files."""
    where = os.fsdecode(path)
    if os.path.isdir(where):
        return _of_pieces(_pieces_in(where), name=_stem(os.path.normpath(where)))
    suffix = suffix_of(where)
    if where.lower().endswith(collider_unity.SIDECAR):
        model = where[: -len(collider_unity.SIDECAR)] + ".obj"
        return collider_unity.read(where, load(model) if os.path.exists(model) else None)
    if suffix == ".json":
        with open(path, "rb") as file:
            return collider_json.read(file.read(), where)
    if suffix in COLLIDER_READERS:
        found: Collider | None = import_module(f"hitbox.formats.{COLLIDER_READERS[suffix]}").read(where)
        if found is not None:
            return found
    if suffix not in READERS:
        known = ", ".join([".json", *sorted({*READERS, *COLLIDER_READERS})])
        raise InputError(
            f"{_utf8(os.path.basename(where))}: no collider can be read from it. Known: {known}."
        )
    mesh = load(where)
    named = unreal_meshes.collider_of(mesh, _stem(where))
    if named is not None:
        return named
    known_of_file = {"name": _stem(where), "unit": mesh.unit, "up": mesh.up}
    try:
        return _of_pieces(pieces_of_mesh(mesh), **known_of_file)
    except InputError as error:
        raise InputError(f"{_utf8(os.path.basename(where))}: {error}") from None


def says_colliders(path: str) -> bool:
    """Whether the name is that of a format of an engine's that has colliders of its own."""
    return suffix_of(path) in COLLIDER_READERS or path.lower().endswith(collider_unity.SIDECAR)


def _pieces_in(folder: str) -> Iterator[Piece]:
    """Those of every mesh file in it, sorted by name; a file of one piece gives it its name."""
    names = sorted(name for name in os.listdir(folder) if suffix_of(name) in READERS)
    if not names:
        known = ", ".join(sorted(READERS))
        raise InputError(f"{_utf8(folder)}: the folder has no mesh files. Known: {known}.")
    for name in names:
        pieces = pieces_of_mesh(load(os.path.join(folder, name)))
        for piece in pieces:
            own = _stem(name) if len(pieces) == 1 else piece.name
            yield Piece(piece.vertices, piece.triangles, own)


def _stem(path: str) -> str:
    return _utf8(os.path.basename(path).split(".", 1)[0])
