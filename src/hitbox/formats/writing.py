"""Writes a collider in the format that the file's suffix names. A file appears whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from hitbox.collider import Collider
from hitbox.errors import InputError


def _json(collider: Collider, faces: bool) -> bytes:
    from hitbox.formats import collider_json

    return collider_json.write(collider, faces=faces)


def _obj(collider: Collider, faces: bool) -> bytes:
    from hitbox.formats import collider_obj

    return collider_obj.write(collider)


def _glb(collider: Collider, faces: bool) -> bytes:
    from hitbox.formats import collider_glb

    return collider_glb.write(collider)


# One line a format: its suffix, and what turns a collider into the bytes of a file.
WRITERS: dict[str, Callable[[Collider, bool], bytes]] = {".json": _json, ".obj": _obj, ".glb": _glb}


def writer_for(path: str | os.PathLike[str]) -> Callable[[Collider, bool], bytes]:
    """The writer for `path`; raises InputError for a suffix that is not known."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        said = f"unknown format {suffix!r}" if suffix else "no suffix that names a format"
        raise InputError(f"{os.fspath(path)}: {said}. Known: {', '.join(WRITERS)}.")
    return WRITERS[suffix]


def write(collider: Collider, path: str | os.PathLike[str], *, faces: bool = False) -> None:
    """Writes `collider` to `path`; `faces`: with the input faces each shape owns, if the format has them."""
    replace_file(path, writer_for(path)(collider, faces))


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Puts `data` at `path`: first under another name in the same folder, then renamed over it."""
    replace_files([(path, data)])


def replace_files(files: Sequence[tuple[str | os.PathLike[str], bytes]]) -> None:
    """Puts each `data` at its `path`, all or none: no file changes before all are on the disk.

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
            partial = target.with_name(f".hitbox-{secrets.token_hex(8)}.partial")
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
