"""Writes shapes that robot formats do not support as OBJ files, in a folder next to the robot's file.

Each shape has its own file, because readers make one hull of a whole file. All readers support OBJ.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from hitbox._formats.export import safe_names
from hitbox._formats.obj_file import ObjObject, obj_bytes
from hitbox._model.shapes import Shape

ROUND_SIDES = 30


class HullFile(NamedTuple):
    """`path` is relative to the robot's file, with / between folders."""

    name: str
    path: str


class HullFiles:
    """Collects hull files. `taken` has the names that are already in use."""

    def __init__(self, output: str, taken: Iterable[str] = ()) -> None:
        self.files: dict[str, bytes] = {}  # by path, relative to the same folder as `output`
        self._beside = os.path.dirname(output)
        self._folder = f"{os.path.splitext(os.path.basename(output))[0]}_collision"
        self._taken = {name.casefold() for name in taken}
        self._numbers: Counter[str] = Counter()

    def add(self, title: str, shape: Shape) -> HullFile:
        """Add a hull around the shape, named after `title` with the next free number."""
        name = self._free(safe_names([title])[0])
        path = f"{self._folder}/{name}.obj"
        vertices, triangles = shape.to_mesh(ROUND_SIDES)
        hull = ObjObject(name, vertices, [(None, triangles)])
        self.files[os.path.join(self._beside, path)] = obj_bytes(name, [hull])
        return HullFile(name, path)

    def _free(self, stem: str) -> str:
        while True:
            name = f"{stem}_{self._numbers[stem]}"
            self._numbers[stem] += 1
            if name.casefold() not in self._taken:
                self._taken.add(name.casefold())
                return name
