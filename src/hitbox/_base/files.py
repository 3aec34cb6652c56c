"""Writing files: a file appears whole or not at all, and so do several that belong together."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from hitbox._base.errors import InputError


def write_files(files: Sequence[tuple[str, bytes]], folders: Iterable[str] = ()) -> None:
    """Puts each `data` at its `path`, all or none; `folders` are made where they are not there yet."""
    twice = [at for at, n in Counter(os.path.realpath(at) for at, _ in files).items() if n > 1]
    if twice:
        raise InputError(f"{os.path.basename(twice[0])} would be written twice. Give outputs other names.")
    made: list[str] = []
    try:
        for folder in sorted(folders):
            if folder and not os.path.isdir(folder):
                os.mkdir(folder)
                made.append(folder)
        replace_files(files)
    except BaseException:
        for folder in made:
            with suppress(OSError):  # some other program has put a file there meanwhile
                os.rmdir(folder)
        raise


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Puts `data` at `path`: first under another name in the same folder, then renamed over it."""
    replace_files([(path, data)])


def replace_files(files: Sequence[tuple[str | os.PathLike[str], bytes]], mark: str = "") -> None:
    """Puts each `data` at its `path`, all or none: no file changes before all are on the disk.

    `mark` is part of the names they have first, so that what a process leaves that is killed can be found.
    Raises OSError with the path as it was given.
    """
    staged: list[tuple[Path, Path]] = []
    direct: list[tuple[str, Path, bytes]] = []
    try:
        for path, data in files:
            at, target = os.fspath(path), Path(os.path.realpath(path))
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, "is a folder, not a file")
            if target.exists() and not stat.S_ISREG(target.stat().st_mode):
                direct.append((at, target, data))  # a pipe or a device: renaming would remove it
                continue
            # Not mkstemp: its files are for the owner alone, and the umask cannot be read safely.
            partial = target.with_name(f".hitbox-{mark}{secrets.token_hex(8)}.partial")
            with open(partial, "xb") as file:
                staged.append((partial, target))
                if target.exists():
                    partial.chmod(stat.S_IMODE(target.stat().st_mode))
                file.write(data)
        for at, target, data in direct:  # noqa: B007  # for the message
            target.write_bytes(data)
        for partial, target in staged:
            at = str(target)
            os.replace(partial, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, at) from None
    finally:
        for partial, _ in staged:
            partial.unlink(missing_ok=True)
