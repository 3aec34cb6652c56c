"""The work of a batch: its assets, the paths of their outputs, and the settings that all assets share.

Outputs mirror the inputs' relative paths, so no name can lead out of the output folder.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.store import digest
from hitbox._base.text import counted, listed
from hitbox._formats.read_mesh import READERS, suffix_of
from hitbox._formats.write_collider import FORMATS, format_for, target_of
from hitbox._methods.fit_options import PRESETS
from hitbox._methods.run import VERBS, Verb
from hitbox._model.mass import DENSITY

Source: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
PICTURES = "pictures"  # their folder, below the output folder
_LIST = ".txt"
_SHARD = re.compile(r"(\d+)/(\d+)")
_MOST_SHARDS = 1_000_000


def runnable() -> dict[str, Verb]:
    """The verbs that make a collider from a mesh."""
    return {name: verb for name, verb in VERBS.items() if verb.takes == "mesh" and verb.makes_collider}


@dataclass(frozen=True)
class Asset:
    """One input. `id` is its path below the root, with slashes; `output` is the path of its main file below
    OUT.
    """

    id: str
    path: str
    output: str

    @property
    def picture(self) -> str:
        return f"{PICTURES}/{self.id}.png"


@dataclass(frozen=True)
class Settings:
    """The settings of all assets, sent to each worker once. `options` is an instance of the verb's options
    class.
    """

    verb: str
    entry: str
    options: Any
    out: str
    format: str
    suffix: str
    samples: int
    pictures: bool
    threads: int
    dynamic: bool = False
    density: float = DENSITY
    with_mesh: bool = False
    path: tuple[str, ...] = field(default=())  # more folders to import modules from

    @property
    def sha256(self) -> str:
        """Hash everything that affects the outputs, but not threads and places."""
        relevant = {
            "verb": self.verb, "options": self.options.to_dict(), "format": self.format,
            "suffix": self.suffix,
            "samples": self.samples, "pictures": self.pictures, "with_mesh": self.with_mesh,
            "density": self.density if self.dynamic else None,
        }  # fmt: skip
        return digest(relevant)


@dataclass(frozen=True)
class Job:
    """One asset for a worker. `unless` has the input and outputs of an earlier run: skip the asset if they
    still match.
    """

    asset: Asset
    unless: dict[str, Any] | None = None
    verify: bool = False


def preset_of(options: Any) -> str | None:
    """Return the manifest's name for the effort: a preset, or carve's number."""
    if hasattr(options, "preset"):
        return str(options.preset)
    return f"effort={options.effort:g}" if hasattr(options, "effort") else None


def cheaper(options: Any) -> Any | None:
    """Return the options with the next cheaper preset, or None if there is none."""
    preset = getattr(options, "preset", None)
    if preset in PRESETS[1:] and not getattr(options, "by_spheres", False):  # spheres alone have no presets
        return replace(options, preset=PRESETS[PRESETS.index(preset) - 1])
    if getattr(options, "effort", 0) > 0:
        return replace(options, effort=0)
    return None


def output_format(to: str) -> tuple[str, str]:
    """Return the format's name and the suffix of its files, given one of the two."""
    names = dict.fromkeys(known.name for known in FORMATS)
    suffix = to if to.startswith(".") else f".{to}"
    known_suffixes = {known.suffix for known in FORMATS}
    if to not in names and os.path.splitext(f"asset{suffix}")[1].lower() in known_suffixes:
        return format_for(f"asset{suffix}").name, suffix
    checks.one_of("batch: to", to, names, "format")
    return to, next(known.suffix for known in FORMATS if known.name == to)


def check_kinds(verb: str, options: Any, form: str) -> None:
    """Check before any work that the format supports the kinds that the verb makes."""
    target = target_of(format_for("", form))
    if target.is_exact or "hull" in target.kinds:
        return
    made = getattr(options, "allowed_kinds", ("hull",))
    if wrong := [kind for kind in made if kind not in target.kinds]:
        known = listed([f"{kind}s" for kind in target.kinds])
        hint = f" Give kinds={','.join(target.kinds)}." if verb == "fit" else ""
        raise InputError(
            f"batch: to: {form} supports only {known}, but {verb} also makes a {wrong[0]}.{hint}"
        )


def assets(source: Source, out: str, suffix: str, root: str | os.PathLike[str] | None = None) -> list[Asset]:
    """Return all inputs, sorted by id. Raise InputError if two have the same output."""
    paths, below = _inputs(source, None if "://" in out else out)
    if root is not None:
        below = os.path.abspath(os.fspath(root))
    found = [_asset(path, below, suffix) for path in sorted(set(paths))]
    if not found:
        raise InputError(
            f"batch: {_described(source)}: no meshes there. Known: {', '.join(sorted(READERS))}."
        )
    _check_outputs(found, out)
    return sorted(found, key=lambda asset: asset.id)


def in_shard(identity: str, shard: tuple[int, int] | None) -> bool:
    """Choose by the id alone, so that assets added later move no other asset."""
    if shard is None:
        return True
    number, count = shard
    return int(hashlib.sha256(_bytes(identity)).hexdigest()[:16], 16) % count == number - 1


def parsed_shard(text: str | tuple[int, int] | None) -> tuple[int, int] | None:
    """Parse `2/4`, the second of four."""
    if text is None:
        return None
    number, count = (0, 0)
    if isinstance(text, tuple) and len(text) == 2:
        number, count = text
    elif isinstance(text, str) and (match := _SHARD.fullmatch(text.strip())):
        number, count = (int(part) for part in match.groups())
    if not 1 <= number <= count <= _MOST_SHARDS:
        raise InputError(f"batch: shard: must be such as 2/4, the second of four, not {text!r}.")
    return number, count


def input_sha256(path: str) -> tuple[str, int]:
    """Hash the file and the buffers that a .gltf names, and return their size in bytes."""
    total, size = hashlib.sha256(), 0
    for each in (path, *_buffers(path)):
        with open(each, "rb") as file:
            while data := file.read(1 << 20):
                total.update(data)
                size += len(data)
    return total.hexdigest(), size


def _buffers(path: str) -> list[str]:
    if suffix_of(path) != ".gltf":
        return []
    import gzip
    import json
    from urllib.parse import unquote

    try:
        with gzip.open(path, "rb") if path.lower().endswith(".gz") else open(path, "rb") as file:
            uris = [buffer.get("uri", "data:") for buffer in json.load(file).get("buffers", ())]
        named = [unquote(uri) for uri in uris if not uri.startswith("data:")]
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return []  # the reader will report the error
    beside = [os.path.join(os.path.dirname(path), name) for name in named]
    return [each for each in beside if os.path.isfile(each)]


def _inputs(source: Source, out: str | None) -> tuple[list[str], str]:
    """Return the absolute paths of the inputs, and the root folder of their ids."""
    if not isinstance(source, (str, os.PathLike)):
        listed = [os.path.abspath(os.fsdecode(path)) for path in source]
        return listed, os.path.commonpath([os.path.dirname(path) for path in listed]) if listed else ""
    where = os.path.abspath(os.fsdecode(source))
    if os.path.isdir(where):
        return _walked(where, out), where
    if os.path.isfile(where):
        return (_listed(where) if where.lower().endswith(_LIST) else [where]), os.path.dirname(where)
    if glob.has_magic(where):
        found = (os.path.abspath(path) for path in glob.iglob(where, recursive=True))
        return [path for path in found if _is_mesh(path) and not _is_below(path, out)], _fixed_part(where)
    raise InputError(
        f"batch: {_described(source)}: no such folder or file. Give a folder, a pattern, or a list."
    )


def _walked(folder: str, out: str | None) -> list[str]:
    found = []
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_below(os.path.join(at, name), out)]
        found += [path for name in files if _is_mesh(path := os.path.join(at, name))]
    return found


def _listed(path: str) -> list[str]:
    """Read one path per line, relative to the list's own folder."""
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="\n") as file:
        lines = [line.rstrip("\r\n") for line in file]
    return [os.path.abspath(os.path.join(os.path.dirname(path), line)) for line in lines if line.strip()]


def _fixed_part(pattern: str) -> str:
    """Return the folder before the first wildcard."""
    folder = pattern
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder


def _is_mesh(path: str) -> bool:
    # a broken link counts: reading it reports the error
    return suffix_of(path) in READERS and not os.path.isdir(path)


def _is_below(path: str, folder: str | None) -> bool:
    """Return whether `path` lies below `folder`. Outputs of an earlier run are not inputs."""
    return folder is not None and (path + os.sep).startswith(os.path.abspath(folder) + os.sep)


def _asset(path: str, root: str, suffix: str) -> Asset:
    if not _is_below(path, root):
        raise InputError(
            f"batch: {path}: is not below {root}. Give a folder that contains all inputs as root."
        )
    identity = PurePosixPath(*os.path.relpath(path, root).split(os.sep))
    name = identity.name[:-3] if identity.name.lower().endswith(".gz") else identity.name
    stem = name[: -len(os.path.splitext(name)[1]) or None]
    return Asset(str(identity), path, str(identity.with_name(f"{stem}{suffix}")))


def _check_outputs(found: Sequence[Asset], out: str) -> None:
    """Check before any work that no two assets have the same output, and that no output is an input."""
    owners: dict[str, Asset] = {}
    for asset in found:
        other = owners.setdefault(os.path.normcase(asset.output), asset)
        if other is not asset:
            raise InputError(
                f"batch: {other.id} and {asset.id} would both become {asset.output}. Rename one of them, or "
                f"give a list that has only one."
            )
    if "://" in out:
        return
    inputs = {os.path.realpath(asset.path) for asset in found}
    for asset in found:
        target = os.path.join(os.path.abspath(out), *asset.output.split("/"))
        if os.path.realpath(target) in inputs:
            raise InputError(f"batch: {asset.output} in {out} is an input itself. Give another folder.")


def _described(source: Source) -> str:
    return os.fsdecode(source) if isinstance(source, (str, os.PathLike)) else counted(len(source), "path")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def of_shard(found: Iterable[Asset], shard: tuple[int, int] | None) -> list[Asset]:
    return [asset for asset in found if in_shard(asset.id, shard)]
