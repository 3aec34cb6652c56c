"""Binary PLY: all shapes as one mesh in float64. PLY has no unit and no up axis.

Round shapes are circumscribed.
"""

from __future__ import annotations

import numpy as np

from hitbox._base.version import version
from hitbox._formats.export import Export, Target
from hitbox._formats.local_frames import one_mesh
from hitbox._model.shapes import KINDS

TARGET = Target(KINDS, is_exact=True)

_FACE = np.dtype([("count", "u1"), ("corners", "<u4", 3)])


def files(export: Export) -> dict[str, bytes]:
    vertices, triangles = one_mesh(export.collider)
    head = (
        f"ply\nformat binary_little_endian 1.0\ncomment hitbox {version()}\n"
        f"element vertex {len(vertices)}\nproperty double x\nproperty double y\nproperty double z\n"
        f"element face {len(triangles)}\nproperty list uchar uint vertex_indices\nend_header\n"
    )
    faces = np.zeros(len(triangles), _FACE)
    faces["count"], faces["corners"] = 3, triangles
    return {export.file: head.encode() + vertices.astype("<f8").tobytes() + faces.tobytes()}
