"""Writes a collider in a format that is named, or that the file's suffix names.

A file appears whole or not at all; so do the files that belong to it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.files import write_files
from hitbox._formats.export import ExportOptions, ExportReport, Target, exported
from hitbox._model.collider import Collider


@dataclass(frozen=True)
class Format:
    """A format that can be written. A suffix selects the first format that has it. A format may have several
    suffixes.

    Its `module` has `target`, what the format has of its own, and `files`, the bytes of each file by its
    name, the main one first.
    """

    name: str
    suffix: str
    module: str
    what: str
    target: str = "TARGET"
    once: str = ""  # a file beside the main one that many colliders share


FORMATS = (
    Format("json", ".json", "collider_json", "collider JSON: everything, exactly"),
    Format("obj", ".obj", "collider_obj", "a mesh a shape"),
    Format("gltf", ".glb", "collider_gltf", "glTF with KHR and OMI physics"),
    Format("gltf", ".gltf", "collider_gltf", "the same as text"),
    Format("stl", ".stl", "collider_stl", "one mesh of all shapes, in 32 bits"),
    Format("ply", ".ply", "collider_ply", "one mesh of all shapes"),
    Format("urdf", ".urdf", "urdf", "URDF 1.0: a link"),
    Format("urdf-1.1", ".urdf", "urdf", "URDF 1.1: a link, with capsules", "TARGET_1_1"),
    Format("mjcf", ".xml", "mjcf", "MJCF: a body for MuJoCo"),
    Format("sdf", ".sdf", "sdf", "SDFormat 1.11: a model for Gazebo"),
    Format("srdf", ".srdf", "srdf", "SRDF: spheres of a link"),
    Format("curobo", ".yml", "curobo", "cuRobo: spheres of a link"),
    Format("curobo", ".yaml", "curobo", "cuRobo: spheres of a link"),
    Format("rapier", ".py", "rapier", "Rapier: builders in Python, and the same as JSON"),
    Format("usd", ".usda", "collider_usd", "USD Physics as text"),
    Format("usd", ".usd", "collider_usd", "the same, binary"),
    Format("usd", ".usdc", "collider_usd", "the same, binary"),
    Format("godot", ".tscn", "collider_godot", "a Godot 4 scene"),
    Format("unreal", ".glb", "collider_unreal", "meshes named for Unreal"),
    Format("unreal-obj", ".obj", "collider_unreal_obj", "the same as OBJ, in centimetres"),
    Format(
        "unity",
        ".obj",
        "collider_unity",
        "an OBJ with a sidecar and an import script for Unity",
        once="Editor/HitboxColliders.cs",
    ),
    Format("glb-meshes", ".glb", "collider_glb", "a coloured mesh a shape"),
)


def format_for(path: str | os.PathLike[str], name: str | None = None) -> Format:
    """The format of that name, or of the path's suffix; InputError for one that is not known."""
    if name is not None:
        checks.one_of("format", name, dict.fromkeys(known.name for known in FORMATS), "format")
        return next(known for known in FORMATS if known.name == name)
    suffix = Path(path).suffix.lower()
    for known in FORMATS:
        if known.suffix == suffix:
            return known
    reason = f"unknown format {suffix!r}" if suffix else "no suffix that names a format"
    raise InputError(f"{os.fspath(path)}: {reason}. Known: {', '.join(suffixes())}.")


def _module(chosen: Format) -> Any:
    return import_module(f"hitbox._formats.{chosen.module}")


def target_of(chosen: Format) -> Target:
    target: Target = getattr(_module(chosen), chosen.target)
    return target


def suffixes() -> list[str]:
    return list(dict.fromkeys(known.suffix for known in FORMATS))


def files_of(
    collider: Collider,
    path: str | os.PathLike[str],
    name: str | None = None,
    options: ExportOptions | None = None,
) -> tuple[list[tuple[str, bytes]], ExportReport]:
    """All files of `collider` in that format with their paths, the main one first, and what was replaced."""
    chosen = format_for(path, name)
    module = _module(chosen)
    folder, file = os.path.split(os.fspath(path))
    export = exported(collider, target_of(chosen), file, options or ExportOptions())
    try:
        made = module.files(export)
    except UnicodeEncodeError as error:  # half of a letter: JSON can say it, and nothing can write it
        reason = f"a name in the collider is no text: {error.object!r:.80}. Rename it."
        raise InputError(f"{file}: {reason}") from None
    files = [(os.path.join(folder, each), data) for each, data in made.items()]
    report = ExportReport(chosen.name, tuple(at for at, _ in files), export.replaced, tuple(export.notes))
    return files, report


def write(
    collider: Collider,
    path: str | os.PathLike[str],
    name: str | None = None,
    options: ExportOptions | None = None,
) -> ExportReport:
    """Writes `collider` to `path`, and what belongs to it beside it."""
    files, report = files_of(collider, path, name, options)
    write_files(files, {os.path.dirname(at) for at, _ in files[1:]})
    return report
