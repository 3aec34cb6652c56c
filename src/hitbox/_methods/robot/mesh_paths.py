"""Resolves the mesh addresses of a robot: relative paths, package:// and file:// addresses, directories."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.lengths import METRES
from hitbox._formats import read_mesh
from hitbox._methods.robot.model import together
from hitbox._model.mesh import Mesh


def resolved(address: str, folder: str, packages: Mapping[str, str], where: str) -> str:
    """Return the path of a mesh's `filename`; `folder` is the robot file's folder."""
    scheme, colon, rest = address.partition("://")
    if not colon:
        return os.path.join(folder, address)
    if scheme == "file":
        return unquote(rest)
    if scheme not in ("package", "model"):
        raise InputError(f"{where}: {address!r:.120} is not a file. Allowed: paths, package:// and file://.")
    name, _, inside = unquote(rest).partition("/")
    for root in _roots(name, folder, packages):
        path = os.path.join(root, inside)
        if os.path.exists(path):
            return path
    raise InputError(f"{where}: {address!r:.120} was not found. Give its folder: --package {name}=DIR.")


def _roots(name: str, folder: str, packages: Mapping[str, str]) -> Iterator[str]:
    """Yield folders that may be the package: the explicit one, or candidates above the robot file."""
    if name in packages:
        yield packages[name]
        return
    here = os.path.abspath(folder)
    while True:
        if os.path.basename(here) == name or _package_name(here) == name:
            yield here
        yield os.path.join(here, name)
        above = os.path.dirname(here)
        if above == here:
            return
        here = above


def _package_name(folder: str) -> str | None:
    """Return the name in the folder's package.xml, searching only its first 64 KiB."""
    try:
        with open(os.path.join(folder, "package.xml"), "rb") as file:
            name = re.search(rb"<name>\s*([^<\s]+)\s*</name>", file.read(1 << 16))
    except OSError:
        return None
    return name[1].decode("utf-8", "replace") if name else None


class MeshFiles:
    """Loads each mesh file once, in metres. Applies the unit in the file, but not its up axis."""

    def __init__(self) -> None:
        self._meshes: dict[str, Mesh] = {}

    def load(self, path: str, where: str) -> Mesh:
        key = os.path.realpath(path)
        if key not in self._meshes:
            try:
                mesh = read_mesh.load(path)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
            scale = METRES[mesh.unit or "m"]
            self._meshes[key] = together([(mesh, np.diag([scale, scale, scale, 1.0]))], mesh.name or "mesh")
        return self._meshes[key]
