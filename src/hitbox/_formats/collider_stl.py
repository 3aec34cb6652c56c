"""Binary STL: all shapes as one mesh. STL has no unit, no up axis and no names.

Round shapes are circumscribed. Numbers are 32-bit floats.
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
    rows = np.zeros(len(triangles), _ROW)  # normals stay 0 0 0: readers compute them from the corners
    rows["corners"] = corners
    head = f"binary STL, hitbox {version()}".encode()  # must not begin with "solid", which marks text files
    return {export.file: head.ljust(80, b" ") + struct.pack("<I", len(rows)) + rows.tobytes()}
