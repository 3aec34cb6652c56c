"""Writes files so that a file, or a set of files, appears whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from hitbox._base.errors import InputError


def write_files(files: Sequence[tuple[str, bytes]], folders: Iterable[str] = ()) -> None:
    """Write each `data` to its `path`, all or none. Missing `folders` are created."""
    twice = [at for at, n in Counter(_targets(at for at, _ in files)).items() if n > 1]
    if twice:
        raise InputError(f"{os.path.basename(twice[0])} would be written twice. Give outputs other names.")
    created: list[str] = []
    try:
        for folder in sorted(folders):
            if folder and not os.path.isdir(folder):
                os.mkdir(folder)
                created.append(folder)
        replace_files(files)
    except BaseException:
        for folder in created:
            with suppress(OSError):  # another program may have put a file there
                os.rmdir(folder)
        raise


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`: to a temporary file in the same folder first, which then replaces `path`."""
    replace_files([(path, data)])


def replace_files(files: Sequence[tuple[str | os.PathLike[str], bytes]], mark: str = "") -> None:
    """Write each `data` to its `path`, all or none: no file changes before all data is on the disk.

    `mark` is part of the temporary names, so that files which a killed process leaves behind can be found.
    Raises OSError with the path as the caller passed it.
    """
    staged: list[tuple[str, str]] = []
    direct: list[tuple[str, str, bytes]] = []
    try:
        for (path, data), target in zip(files, _targets(path for path, _ in files), strict=True):
            at = os.fspath(path)
            mode = _mode(target)
            if mode is not None and stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, "is a folder, not a file")
            if mode is not None and not stat.S_ISREG(mode):
                direct.append((at, target, data))  # a pipe or a device, which renaming would remove
                continue
            # Not mkstemp: only the owner can read its files, and there is no safe way to read the umask.
            partial = os.path.join(os.path.dirname(target), f".hitbox-{mark}{secrets.token_hex(8)}.partial")
            with open(partial, "xb") as file:
                staged.append((partial, target))
                if mode is not None:
                    os.chmod(partial, stat.S_IMODE(mode))
                file.write(data)
        for at, target, data in direct:  # noqa: B007  # for the message
            Path(target).write_bytes(data)
        for partial, target in staged:
            at = target
            os.replace(partial, target)
        staged.clear()
    except OSError as error:
        raise OSError(error.errno, error.strerror, at) from None
    finally:
        for partial, _ in staged:
            Path(partial).unlink(missing_ok=True)


def _targets(paths: Iterable[str | os.PathLike[str]]) -> list[str]:
    """Return the file that each path leads to, as `os.path.realpath`, which looks at every folder on the way:
    here once for all files of a folder.
    """
    real = cache(os.path.realpath)

    def target(path: str) -> str:
        folder, name = os.path.split(path)
        at = os.path.join(real(folder), name)
        return os.path.realpath(path) if name in ("", ".", "..") or os.path.islink(at) else at

    return [target(os.fspath(path)) for path in paths]


def _mode(path: str) -> int | None:
    """Return the kind and the permissions of what is at `path`, or None if nothing is there."""
    try:
        return os.stat(path).st_mode
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise
