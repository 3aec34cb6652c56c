"""The manifest: one line of JSON per finished asset, written by one process.

Every run adds a header line and then its own lines. The last line of an asset counts. A line that a crash has
truncated is dropped.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

from hitbox._base.errors import InputError
from hitbox._base.store import build
from hitbox._base.version import version

SCHEMA = "hitbox-batch-manifest 1"
FIELDS = (
    "id", "input", "input_sha256", "input_bytes", "options_sha256", "preset", "attempt", "status",
    "error_kind", "message", "seconds", "cpu_seconds", "peak_rss", "worker", "started", "outputs", "metrics",
)  # fmt: skip
DONE = ("ok", "partial")
FAILED = ("error", "timeout", "oom", "crash")
PATTERN = "manifest*.jsonl"
T = TypeVar("T")
Record = dict[str, Any]


def name_for(shard: tuple[int, int] | None) -> str:
    """Return the file name. Shards may run at the same time, so each has its own manifest."""
    return "manifest.jsonl" if shard is None else f"manifest.{shard[0]}-of-{shard[1]}.jsonl"


class Manifest:
    """A manifest that is open for one run. A line is in the file when `add` returns."""

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._lock()
            self._drop_torn_line()
        except BaseException:
            os.close(self._file)
            raise
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        head = {"schema": SCHEMA, "hitbox_version": version(), "core_build": build(), "started": now}
        self._write({**head, **about})

    def add(self, record: Record) -> None:
        self._write({name: record[name] for name in FIELDS})

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.fsync(self._file)
        os.close(self._file)

    def _write(self, line: Record) -> None:
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        while data:
            data = data[os.write(self._file, data) :]

    def _lock(self) -> None:
        """Lock the manifest. A second batch would repeat the work of the first."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise InputError(
                    f"batch: {self.path}: another batch is writing it. Wait for it, or give another folder."
                ) from None

    def _drop_torn_line(self) -> None:
        size = os.fstat(self._file).st_size
        keep = size
        with open(self.path, "rb") as file:
            while keep > 0:
                start = max(0, keep - (1 << 16))
                file.seek(start)
                end = file.read(keep - start).rfind(b"\n")
                if end >= 0:
                    keep = start + end + 1
                    break
                keep = start
        if keep < size:
            os.ftruncate(self._file, keep)


def records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Yield all lines of a manifest, each with the version, the build and the start of its run."""
    head: Record = {"run": ""}
    try:
        file = open(path, "rb")  # noqa: SIM115  # it is closed below
    except FileNotFoundError:
        return
    with file:
        for line in file:
            record = _parsed(line)
            if record is None:
                continue
            if "schema" in record:
                head = {name: record.get(name) for name in ("hitbox_version", "core_build")}
                head["run"] = str(record.get("started", ""))
            elif all(name in record for name in FIELDS):
                yield {**record, **head}


def latest(paths: Iterable[str | os.PathLike[str]], keep: Callable[[Record], T]) -> dict[str, T]:
    """Return `keep` of the last line of each asset; over several manifests, of the latest run.

    The start of an asset does not decide, because the clocks of several machines differ.
    """
    found: dict[str, tuple[str, T]] = {}
    for path in paths:
        for record in records(path):
            before = found.get(record["id"])
            if before is None or record["run"] >= before[0]:
                found[record["id"]] = record["run"], keep(record)
    return {identity: kept for identity, (_, kept) in found.items()}


def resumable(record: Record) -> Record:
    """Return the fields that a resume needs."""
    names = ("status", "input_sha256", "options_sha256", "outputs", "hitbox_version", "core_build")
    return {name: record.get(name) for name in names}


def _parsed(line: bytes) -> Record | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
