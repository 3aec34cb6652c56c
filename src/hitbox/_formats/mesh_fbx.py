"""Reads FBX (.fbx) with ufbx, in a separate process. Needs the extra `fbx`.

Reads polygons, nodes as parts, materials, unit and up axis. Skins keep their bind pose. Invisible nodes are
skipped.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats.mesh_builder import Polygons, Scene, checked_indices, file_name, read_bytes
from hitbox._model.mesh import Mesh


def read(path: str) -> Mesh:
    where = file_name(path)
    if importlib.util.find_spec("ufbx") is None:
        raise InputError(f'{where}: FBX needs the extra fbx: pip install "hitbox[fbx]".')
    answer = _ask_child(read_bytes(path), where)
    header = json.loads(answer["header"].tobytes())
    scene = Scene(where, os.path.getsize(path))
    for k, piece in enumerate(header["pieces"]):
        polygons = _polygons(answer, piece, where)
        matrix = np.vstack([answer[f"matrix{k}"], [0, 0, 0, 1]])
        scene.add(polygons, matrix, piece["name"], flipped=piece["flipped"])
    return scene.mesh(path, header["metres"] or 0.01, header["up"])


def _ask_child(data: bytes, where: str) -> dict[str, Any]:
    child = [sys.executable, "-m", "hitbox._formats.fbx_child"]
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # the child must find the same packages
    done = subprocess.run(child, input=data, capture_output=True, check=False, env={**os.environ, **paths})
    if done.returncode == 2:
        why = done.stderr.decode("utf-8", "replace").strip()[-160:]
        raise InputError(f"{where}: not a readable FBX file ({why}). Export it again.")
    if done.returncode:
        raise InputError(f"{where}: the FBX reader crashed (code {done.returncode}). Export it as glTF.")
    with np.load(io.BytesIO(done.stdout)) as arrays:
        return dict(arrays)


def _polygons(answer: dict[str, Any], piece: dict[str, Any], where: str) -> Polygons:
    number = piece["mesh"]
    vertices, faces = answer[f"vertices{number}"], answer[f"faces{number}"]
    what = f"{where}: {piece['name']!r:.80}"
    faces_material = answer[f"material{number}"]
    sizes = faces[:, 1]
    # The corners of all faces follow each other.
    indices = checked_indices(answer[f"indices{number}"][: sizes.sum()], len(vertices), what)
    names = tuple(piece["materials"]) or ("",)
    real = sizes >= 3  # faces with fewer corners are points and lines
    material = np.clip(faces_material, 0, len(names) - 1)[real]
    return Polygons(vertices, indices[np.repeat(real, sizes)], sizes[real], material, names)
