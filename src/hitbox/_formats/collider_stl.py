"""A collider as binary STL: all shapes as one mesh. STL knows no unit, no up axis and no names.

Round shapes are circumscribed; numbers are 32-bit floats.
"""

from __future__ import annotations

import struct

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.version import version
from hitbox._formats.export import Export, Target
from hitbox._formats.local_frames import one_mesh
from hitbox._model.shapes import KINDS

TARGET = Target(KINDS, is_exact=True)

_ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def files(export: Export) -> dict[str, bytes]:
    vertices, triangles = one_mesh(export.collider)
    with np.errstate(over="ignore"):
        corners = vertices.astype(np.float32)[triangles]
    if not np.isfinite(corners).all():
        raise InputError("stl: the collider is too large for 32-bit floats. Scale it down.")
    rows = np.zeros(len(triangles), _ROW)  # a normal of 0 0 0: readers take it from the corners
    rows["corners"] = corners
    head = f"binary STL, hitbox {version()}".encode()  # never begins with solid, as text does
    return {export.file: head.ljust(80, b" ") + struct.pack("<I", len(rows)) + rows.tobytes()}
