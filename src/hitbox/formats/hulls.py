"""Colliders in files: collider JSON, descriptions of bodies and robots, and hulls in files that know nothing
of colliders: as the parts or components of a mesh."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hitbox.collider import Collider, _of_pieces
from hitbox.errors import InputError
from hitbox.formats import collider_json, curobo, mjcf_input, sdf, srdf, urdf, xml_input
from hitbox.formats.described import Described
from hitbox.formats.reading import READERS, load, suffix_of
from hitbox.mesh import _utf8
from hitbox.pieces import Piece, pieces_of_mesh
from hitbox.shapes import Shape

DESCRIPTIONS = (".urdf", ".xml", ".sdf", ".srdf", ".yml", ".yaml")


def read(path: str | os.PathLike[str]) -> Collider:
    """A collider JSON, a description, a mesh file of hulls, or a folder of colliders and mesh files."""
    where = os.fsdecode(path)
    if os.path.isdir(where):
        return _of_pieces(_pieces_in(where), name=_stem(os.path.normpath(where)))
    suffix = suffix_of(where)
    if suffix == ".json" or suffix in DESCRIPTIONS:
        return read_collider(path)
    if suffix not in READERS:
        known = ", ".join([".json", *DESCRIPTIONS, *sorted(READERS)])
        raise InputError(
            f"{_utf8(os.path.basename(where))}: no collider can be read from it. Known: {known}."
        )
    mesh = load(where)
    known_of_file = {"name": _stem(where), "unit": mesh.unit, "up": mesh.up}
    try:
        return _of_pieces(pieces_of_mesh(mesh), **known_of_file)
    except InputError as error:
        raise InputError(f"{_utf8(os.path.basename(where))}: {error}") from None


def read_collider(path: str | os.PathLike[str]) -> Collider:
    """A collider JSON, or the collision shapes of a description, which its suffix tells."""
    where = os.fsdecode(path)
    with open(path, "rb") as file:
        data = file.read()
    suffix = os.path.splitext(where.lower())[1]
    if suffix in DESCRIPTIONS:
        return read_description(data, where, suffix)
    return collider_json.read(data, where)


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
        raise into.error(f"<{root.tag}> is no description that is known. Known: robot, mujoco, sdf.")
    return into.collider()


def _pieces_in(folder: str) -> Iterator[Piece | Shape]:
    """Those of every file in it, sorted by name; a mesh file of one piece gives it its name."""
    names = sorted(name for name in os.listdir(folder) if suffix_of(name) in (".json", *READERS))
    if not names:
        known = ", ".join([".json", *sorted(READERS)])
        raise InputError(f"{_utf8(folder)}: the folder has no colliders. Known: {known}.")
    for name in names:
        if suffix_of(name) == ".json":
            yield from Collider.load(os.path.join(folder, name))
            continue
        pieces = pieces_of_mesh(load(os.path.join(folder, name)))
        for piece in pieces:
            own = _stem(name) if len(pieces) == 1 else piece.name
            yield Piece(piece.vertices, piece.triangles, own)


def _stem(path: str) -> str:
    return _utf8(os.path.basename(path).split(".", 1)[0])
