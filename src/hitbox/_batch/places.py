"""Where outputs go: a folder, or a URL that fsspec knows. Paths are relative, with slashes."""

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
    """What a worker and the page need of it."""

    def write(self, files: Sequence[tuple[str, bytes]]) -> None: ...
    def read(self, path: str) -> bytes | None: ...
    def size(self, path: str) -> int | None: ...
    def sweep(self, paths: Iterable[str], pid: int) -> None: ...
    def clear(self) -> None: ...


def place(out: str) -> Place:
    return Url(out) if "://" in out else Folder(out)


def holds(where: Place, outputs: Sequence[Mapping[str, Any]], verify: bool) -> bool:
    """Whether all are there with their sizes; `verify`: with their hashes."""
    if not verify:
        return all(where.size(each["path"]) == each["bytes"] for each in outputs)
    found = (where.read(each["path"]) for each in outputs)
    return all(
        data is not None and hashlib.sha256(data).hexdigest() == each["sha256"]
        for data, each in zip(found, outputs, strict=True)
    )


class Folder:
    """A folder: files appear whole, all of an asset or none."""

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
        """Removes what a killed worker had not finished: beside its files, and in folders of theirs."""
        for path in paths:
            target = self.at(path)
            beside = glob.escape(str(target.parent))
            stem = glob.escape(target.name.split(".")[0])
            for pattern in (beside, os.path.join(beside, f"{stem}*")):
                for left in glob.glob(os.path.join(pattern, f".hitbox-{glob.escape(_mark(pid))}*")):
                    with contextlib.suppress(OSError):
                        os.unlink(left)

    def clear(self) -> None:
        """Removes what processes of this machine left that were killed, workers and their parent."""
        for left in self.root.rglob(f".hitbox-{glob.escape(_host())}-*.partial"):
            pid = left.name[len(f".hitbox-{_host()}-") :].split("-")[0]
            if pid.isdigit() and not is_alive(int(pid)):
                left.unlink(missing_ok=True)


class Url:
    """A place that fsspec knows. Object stores cannot rename: a file is written once, under its own name."""

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
        """Of the files beside each other that match."""
        with contextlib.suppress(OSError):
            return sorted(os.path.basename(str(each)) for each in self._files.glob(self.at(pattern)))
        return []

    def sweep(self, paths: Iterable[str], pid: int) -> None:
        """Nothing has another name first."""

    def clear(self) -> None:
        """As above."""


def _mark(pid: int) -> str:
    """Of one process of one machine, as several may write to one folder."""
    return f"{_host()}-{pid}-"


def _host() -> str:
    return socket.gethostname().replace("/", "_")
