"""Results that are kept: one JSON file each, named by its key, so that a second run only does what is new.

Holds: a file appears whole or not at all; one that is broken, from elsewhere or of another key is as if it
were not there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hitbox._base.errors import InputError
from hitbox._base.files import replace_file
from hitbox._base.version import version
from hitbox._native import _core

T = TypeVar("T")
Key = Mapping[str, Any]  # plain JSON values

_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, InputError)


class Store:
    """A folder of results; without a folder nothing is kept."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            _make_folder(self._folder)

    def get(self, key: Key, decode: Callable[[Any], T]) -> T | None:
        """What was kept under `key`, decoded; None if there is nothing that can be used."""
        if self._folder is None:
            return None
        try:
            kept = json.loads(self._path(key).read_bytes())
            if kept["key"] != json.loads(_canonical(key)) or kept["sha256"] != digest(kept["value"]):
                return None
            return decode(kept["value"])
        except _BROKEN:
            return None

    def put(self, key: Key, value: Any) -> None:
        """Keeps `value`, plain JSON."""
        if self._folder is not None:
            value = json.loads(_canonical(value))
            kept = {"key": key, "sha256": digest(value), "value": value}
            replace_file(self._path(key), _canonical(kept).encode())

    def _path(self, key: Key) -> Path:
        assert self._folder is not None
        return self._folder / f"{digest(key)[:40]}.json"


def _make_folder(folder: Path) -> None:
    """Before any work: what cannot be kept must not cost a run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(None, "no permission to write")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(f"{folder}: nothing can be kept there ({why}). Give a folder.") from None


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """The same for the same plain JSON, whatever the order of its keys."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


@cache
def build() -> str:
    """The version, and the core's bytes: what a developer builds anew is not taken for the same."""
    core = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    return f"{version()} {core[:16]}"
