"""Destinations of outputs: a folder, or a URL that fsspec supports. Paths are relative, with slashes."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hitbox._base.errors import InputError
from hitbox._base.files import replace_files
from hitbox._base.processes import is_alive


class Place(Protocol):
    """The interface that a worker and the page use."""

    def write(self, files: Sequence[tuple[str, bytes]]) -> None: ...
    def read(self, path: str) -> bytes | None: ...
    def size(self, path: str) -> int | None: ...
    def sweep(self, paths: Iterable[str], pid: int) -> None: ...
    def clear(self) -> None: ...


def place(out: str) -> Place:
    return Url(out) if "://" in out else Folder(out)


def holds(where: Place, outputs: Sequence[Mapping[str, Any]], verify: bool) -> bool:
    """Return whether all outputs exist with their sizes, and with their hashes if `verify` is set."""
    if not verify:
        return all(where.size(each["path"]) == each["bytes"] for each in outputs)
    found = (where.read(each["path"]) for each in outputs)
    return all(
        data is not None and hashlib.sha256(data).hexdigest() == each["sha256"]
        for data, each in zip(found, outputs, strict=True)
    )


class Folder:
    """A folder. Files appear whole, and either all files of an asset or none."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    def at(self, path: str) -> Path:
        parts = path.split("/")
        if not all(parts) or any(part in (".", "..") or os.sep in part for part in parts):
            raise InputError(f"batch: {path!r} would lead out of the output folder.")
        return self.root.joinpath(*parts)

    def write(self, files: Sequence[tuple[str, bytes]]) -> None:
        targets = [(self.at(path), data) for path, data in files]
        for target, _ in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
        replace_files(targets, mark=_mark(os.getpid()))

    def read(self, path: str) -> bytes | None:
        with contextlib.suppress(OSError, InputError):
            return self.at(path).read_bytes()
        return None

    def size(self, path: str) -> int | None:
        with contextlib.suppress(OSError, InputError):
            return self.at(path).stat().st_size
        return None

    def sweep(self, paths: Iterable[str], pid: int) -> None:
        """Remove the unfinished files of a killed worker, beside its outputs and in their folders."""
        for path in paths:
            target = self.at(path)
            beside = glob.escape(str(target.parent))
            stem = glob.escape(target.name.split(".")[0])
            for pattern in (beside, os.path.join(beside, f"{stem}*")):
                for left in glob.glob(os.path.join(pattern, f".hitbox-{glob.escape(_mark(pid))}*")):
                    with contextlib.suppress(OSError):
                        os.unlink(left)

    def clear(self) -> None:
        """Remove the unfinished files of killed processes of this machine, workers and their parent."""
        for left in self.root.rglob(f".hitbox-{glob.escape(_host())}-*.partial"):
            pid = left.name[len(f".hitbox-{_host()}-") :].split("-")[0]
            if pid.isdigit() and not is_alive(int(pid)):
                left.unlink(missing_ok=True)


class Url:
    """A URL that fsspec supports. Object stores cannot rename, so a file is written once, under its final
    name.
    """

    def __init__(self, url: str) -> None:
        try:
            import fsspec
        except ImportError:
            raise InputError(f'{url}: needs fsspec: pip install "hitbox[ray]"') from None
        try:
            self._files, self._root = fsspec.core.url_to_fs(url)
        except (ValueError, ImportError) as error:
            raise InputError(f"{url}: {error}") from None

    def at(self, path: str) -> str:
        if any(part in ("", ".", "..") for part in path.split("/")):
            raise InputError(f"batch: {path!r} would lead out of the output folder.")
        return f"{self._root.rstrip('/')}/{path}"

    def write(self, files: Sequence[tuple[str, bytes]]) -> None:
        for path, data in files:
            self._files.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
            self._files.pipe_file(self.at(path), data)

    def read(self, path: str) -> bytes | None:
        with contextlib.suppress(OSError, InputError):
            return bytes(self._files.cat_file(self.at(path)))
        return None

    def size(self, path: str) -> int | None:
        with contextlib.suppress(OSError, InputError):
            return int(self._files.size(self.at(path)))
        return None

    def names(self, pattern: str) -> list[str]:
        """Return the names of the files in the folder that match."""
        with contextlib.suppress(OSError):
            return sorted(os.path.basename(str(each)) for each in self._files.glob(self.at(pattern)))
        return []

    def sweep(self, paths: Iterable[str], pid: int) -> None:
        """Do nothing: files are never written under a temporary name."""

    def clear(self) -> None:
        """Do nothing, as in `sweep`."""


def _mark(pid: int) -> str:
    """Return a mark of this process and machine, because several may write to one folder."""
    return f"{_host()}-{pid}-"


def _host() -> str:
    return socket.gethostname().replace("/", "_")
