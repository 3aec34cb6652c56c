"""A cache of results: one JSON file per key, so that a second run computes only what is new.

A file appears whole or not at all. Corrupt, foreign or mismatched files are treated as cache misses.
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
    """A folder of results; without a folder it stores nothing."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            _make_folder(self._folder)

    def get(self, key: Key, decode: Callable[[Any], T]) -> T | None:
        """Return the decoded value stored under `key`, or None if there is no valid one."""
        if self._folder is None:
            return None
        try:
            entry = json.loads(self._path(key).read_bytes())
            if entry["key"] != json.loads(_canonical(key)) or entry["sha256"] != digest(entry["value"]):
                return None
            return decode(entry["value"])
        except _BROKEN:
            return None

    def put(self, key: Key, value: Any) -> None:
        """Store `value`, plain JSON."""
        if self._folder is not None:
            value = json.loads(_canonical(value))
            entry = {"key": key, "sha256": digest(value), "value": value}
            replace_file(self._path(key), _canonical(entry).encode())

    def _path(self, key: Key) -> Path:
        assert self._folder is not None
        return self._folder / f"{digest(key)[:40]}.json"


def _make_folder(folder: Path) -> None:
    """Create the folder before any work starts, so that a folder that cannot be written does not waste a
    run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(None, "no permission to write")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(f"{folder}: cannot store results there ({why}). Give a folder.") from None


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """Return a hash of plain JSON that does not depend on the order of keys."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


@cache
def build() -> str:
    """Return the version and a hash of the core, so that a new build does not use results of the old one."""
    core = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    return f"{version()} {core[:16]}"
