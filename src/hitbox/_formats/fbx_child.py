"""The child process of mesh_fbx: reads an FBX file from stdin and writes its pieces as npz to stdout.

On failure it writes one line to stderr. It needs a process of its own because ufbx can crash the interpreter,
even after a successful read. ufbx counts the references to its objects wrongly, so this module releases none
of them (`_keep`) and disables the garbage collector.
"""

from __future__ import annotations

import gc
import io
import json
import os
import sys
from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T")
_kept: list[Any] = []


def _keep(thing: _T) -> _T:
    _kept.append(thing)
    return thing


def main() -> int:
    import ufbx

    gc.disable()
    data = sys.stdin.buffer.read()
    try:
        scene = _right_handed(ufbx, data)
        arrays = _pieces(scene)
    except ufbx.UfbxError as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        return 2
    answer = io.BytesIO()
    np.savez(answer, **arrays)
    sys.stdout.buffer.write(answer.getvalue())
    sys.stdout.buffer.flush()
    return 0


def _right_handed(ufbx: Any, data: bytes) -> Any:
    """Load a scene; convert left-handed axes, or an up axis that points down, to right-handed with y up."""
    scene = _keep(ufbx.load_memory(data))
    axes = _keep(_keep(scene.settings).axes)
    right, up, front = (_axis(_keep(axis)) for axis in axes)
    are_known = min(abs(right).max(), abs(up).max(), abs(front).max()) == 1
    if are_known and (up.max() < 1 or not np.array_equal(np.cross(right, up), front)):
        return _keep(ufbx.load_memory(data, target_axes=ufbx.axes_right_handed_y_up))
    return scene


def _axis(axis: Any) -> Any:
    """Return a unit vector, or zeros for an unknown axis."""
    number, vector = int(axis), np.zeros(3)
    if number < 6:
        vector[number // 2] = 1 - 2 * (number % 2)
    return vector


def _pieces(scene: Any) -> dict[str, Any]:
    nodes = _keep(list(_keep(scene.nodes)))
    arrays: dict[str, Any] = {}
    pieces: list[dict[str, Any]] = []
    for node in nodes:
        mesh = _keep(node.mesh)
        if mesh is None or not node.visible or not mesh.num_faces:
            continue
        k, number = len(pieces), mesh.typed_id
        if f"vertices{number}" not in arrays:  # once per mesh, whatever the number of instances
            arrays |= _arrays(mesh, number)
        arrays[f"matrix{k}"] = np.array([tuple(column) for column in _keep(node.geometry_to_world)]).T
        materials = _keep(list(_keep(node.materials))) or _keep(list(_keep(mesh.materials)))
        pieces.append({
            "name": node.name or mesh.name, "mesh": number, "materials": [each.name for each in materials],
            "flipped": bool(mesh.reversed_winding),
        })  # fmt: skip
    settings = _keep(scene.settings)
    up = int(_keep(settings.axes).up)
    header = {"pieces": pieces, "metres": settings.unit_meters, "up": "xyz"[up // 2] if up < 6 else None}
    return {**arrays, "header": np.frombuffer(json.dumps(header).encode(), np.uint8)}


def _arrays(mesh: Any, number: int) -> dict[str, Any]:
    faces = np.array(_keep(mesh.faces), np.int64).reshape(-1, 2)
    material = np.array(_keep(mesh.face_material), np.int64)
    return {
        f"vertices{number}": np.array(_keep(mesh.vertices), np.float64).reshape(-1, 3),
        f"indices{number}": np.array(_keep(mesh.vertex_indices), np.int64),
        f"faces{number}": faces,
        f"material{number}": material if len(material) == len(faces) else np.zeros(len(faces), np.int64),
    }


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # skips the teardown of ufbx, which crashes
