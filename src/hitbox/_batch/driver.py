"""Run a batch: list the assets, let an engine process them, write the manifest and the page."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.progress import Cancel
from hitbox._base.store import build
from hitbox._base.text import counted
from hitbox._batch import gallery, jobs
from hitbox._batch import manifest as lines
from hitbox._batch.jobs import Asset, Job, Settings, Source, runnable
from hitbox._batch.local import GIB, LIMITED, Crew, Limits, Result, Watch
from hitbox._batch.places import Place, Url, place
from hitbox._model.mass import DENSITY

ENGINES = ("local", "ray")
PAGE = "index.html"
_MOST_WORKERS = 10_000
_MOST_SAMPLES = 10_000_000
_LISTED = 20  # failures listed in a summary; the manifest has all of them
_UPLOAD_EVERY = 30.0  # seconds that a manifest at a URL may lag behind


class Engine(Protocol):
    def run(self, jobs: Any) -> Iterator[Result]: ...
    def close(self) -> None: ...


@dataclass
class Summary:
    """The result of a batch.

    `skipped` counts assets done by an earlier run. `failures` lists some failures as (id, reason).
    """

    total: int
    ok: int = 0
    partial: int = 0
    failed: int = 0
    skipped: int = 0
    left: int = 0  # never ran, and were not requested
    seconds: float = 0.0
    manifest: str = ""
    page: str = ""
    failures: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def done(self) -> int:
        return self.ok + self.partial + self.failed + self.skipped + self.left

    def count(self, result: Result) -> None:
        status = result["status"]
        if status in lines.FAILED:
            self.failed += 1
            if len(self.failures) < _LISTED:
                self.failures.append((result["id"], f"{status}: {result['message']}"))
        else:
            setattr(self, status, getattr(self, status) + 1)

    def to_dict(self) -> dict[str, Any]:
        return {
            "total": self.total, "ok": self.ok, "partial": self.partial, "failed": self.failed,
            "skipped": self.skipped, "left": self.left, "seconds": round(self.seconds, 3),
            "manifest": self.manifest, "page": self.page, "notes": self.notes,
            "failures": [{"id": identity, "why": why} for identity, why in self.failures],
        }  # fmt: skip


def run(
    source: Source,
    out: str | os.PathLike[str],
    *,
    verb: str = "fit",
    options: Any = None,
    to: str = "json",
    workers: int = 0,
    timeout: float = 900,
    memory: float = 8,
    shard: str | tuple[int, int] | None = None,
    resume: bool = False,
    retry_failed: bool = False,
    verify: bool = False,
    engine: str = "local",
    address: str | None = None,
    root: str | os.PathLike[str] | None = None,
    samples: int = 10_000,
    pictures: bool | None = None,
    threads: int = 0,
    dynamic: bool = False,
    density: float | None = None,
    with_mesh: bool = False,
    watch: Watch | None = None,
    progress: Callable[[Summary], object] | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> Summary:
    """Run `verb` on all meshes of a folder, a pattern, a list (.txt) or a sequence of paths.

    Outputs go to `out` (a folder, or a URL for fsspec) under the inputs' relative paths. `options` and
    further keywords are those of the verb; `to` is a format or a suffix. Each asset may take `timeout`
    seconds and `memory` GiB in a worker process. An asset that cannot be read, crashes, hangs or exhausts
    memory becomes a line in the manifest. `resume` skips assets that an earlier run has processed with the
    same input, options and version. `retry_failed` processes only those that failed. `samples` is the number
    of points at which distances are measured; 0 turns this off. `pictures` draws each asset for the page, by
    default if the extra `render` is installed. A `dynamic` body has the mass of its mesh if that is closed,
    otherwise of its shapes, at `density` kilograms per cubic metre. `with_mesh` also writes the mesh.
    `progress` is called after each asset, `watch` after each step of a worker.

    Guaranteed: a file appears whole or not at all. Outputs do not depend on the engine or the number of
    workers (but a second try after a timeout is cheaper, and the manifest says so). Ctrl-C and `cancel` stop
    the batch: finished assets stay, and `resume` continues.
    """
    verbs = runnable()
    checks.one_of("batch: verb", verb, verbs, "verb")
    checks.one_of("batch: engine", engine, ENGINES, "engine")
    if address is not None and engine != "ray":
        raise InputError("batch: address: only the ray engine has an address. Give engine='ray' as well.")
    chosen = verbs[verb].options.of(options, keywords)
    form, suffix = jobs.output_format(to)
    jobs.check_kinds(verb, chosen, form)
    if density is not None and not dynamic:
        raise InputError("batch: density: only a dynamic body has a mass. Give dynamic as well.")
    part = jobs.parsed_shard(shard)
    most = checks.whole("batch: workers", workers, 0, _MOST_WORKERS)
    limits = Limits(
        checks.positive("batch: timeout", timeout), int(checks.positive("batch: memory", memory) * GIB)
    )
    folder = os.fsdecode(out)
    folder = folder if "://" in folder else os.path.abspath(folder)
    where = place(folder)
    every = jobs.assets(source, folder, suffix, root)
    mine = jobs.of_shard(every, part)
    settings = Settings(
        verb=verb, entry=verbs[verb].entry, options=chosen, out=folder, format=form, suffix=suffix,
        samples=checks.whole("batch: samples", samples, 0, _MOST_SAMPLES),
        pictures=_with_pictures(pictures), threads=checks.threads("batch", threads),
        dynamic=dynamic, density=checks.positive("batch: density", DENSITY if density is None else density),
        with_mesh=with_mesh, path=tuple(os.path.abspath(each) for each in sys.path),
    )  # fmt: skip
    batch = _Batch(settings, limits, every, mine, where, part, resume or retry_failed, retry_failed, verify)
    return batch.run(_engine(engine, address, most, len(mine)), watch, progress, cancel)


MakeEngine = Callable[[Settings, Limits, "Watch | None", Callable[[], bool]], Engine]


def _engine(name: str, address: str | None, most: int, count: int) -> MakeEngine:
    from hitbox._batch.ray_engine import RayCrew, library

    def local(settings: Settings, limits: Limits, watch: Watch | None, stopped: Callable[[], bool]) -> Engine:
        workers = max(1, min(most or _cores(), count))
        return Crew(_with_threads(settings, workers), workers, limits, watch=watch, stopped=stopped)

    def ray(settings: Settings, limits: Limits, watch: Watch | None, stopped: Callable[[], bool]) -> Engine:
        return RayCrew(_with_threads(settings, _cores()), most, limits, address, stopped=stopped)

    if name == "local":
        return local
    library()  # fail before any work if ray is not installed
    return ray


def _with_threads(settings: Settings, workers: int) -> Settings:
    """Divide the cores among the workers unless the caller set a number of threads."""
    return replace(settings, threads=settings.threads or max(1, _cores() // workers))


@dataclass
class _Batch:
    settings: Settings
    limits: Limits
    every: list[Asset]  # of all shards, for the page
    mine: list[Asset]
    place: Place
    shard: tuple[int, int] | None
    resume: bool
    retry_failed: bool
    verify: bool

    def run(
        self,
        make_engine: MakeEngine,
        watch: Watch | None,
        progress: Callable[[Summary], object] | None,
        cancel: Cancel | None,
    ) -> Summary:
        started = time.monotonic()
        out, name = self.settings.out, lines.name_for(self.shard)
        summary = Summary(len(self.mine), manifest=f"{out}/{name}", page=f"{out}/{PAGE}")
        if not LIMITED:
            summary.notes.append(
                "This system does not report the memory of a process: there is no memory limit."
            )
        with _stoppable(cancel) as stop, _folder_of_manifests(out, name, self.place) as (folder, upload):
            work = self._jobs(folder, summary)
            written = lines.Manifest(folder / name, self._about())
            try:
                self.place.clear()
                if work:
                    engine = make_engine(self.settings, self.limits, watch, stop.is_set)
                    self._work(engine, work, written, summary, progress, upload)
            finally:
                written.close()
                upload(True)
            summary.seconds = time.monotonic() - started
            self.place.write([(PAGE, self._page(folder, summary))])
        stop.raise_if_set(summary)
        return summary

    def _about(self) -> dict[str, Any]:
        chosen = self.settings
        return {
            "verb": chosen.verb, "options": chosen.options.to_dict(), "format": chosen.format,
            "suffix": chosen.suffix, "timeout": self.limits.timeout, "memory": self.limits.memory,
        }  # fmt: skip

    def _work(
        self,
        engine: Engine,
        work: list[Job],
        written: lines.Manifest,
        summary: Summary,
        progress: Callable[[Summary], object] | None,
        upload: Callable[[bool], None],
    ) -> None:
        try:
            with contextlib.closing(engine.run(work)) as results:  # type: ignore[type-var]
                for result in results:
                    if result["status"] != "skipped":  # a skipped asset already has its line
                        written.add(result)
                    summary.count(result)
                    upload(False)
                    if progress is not None:
                        progress(summary)
        finally:
            engine.close()

    def _jobs(self, folder: Path, summary: Summary) -> list[Job]:
        if not self.resume:
            return [Job(asset) for asset in self.mine]
        known = lines.latest(sorted(folder.glob(lines.PATTERN)), lines.resumable)
        sha256, left = self.settings.sha256, []
        for asset in self.mine:
            before = known.get(asset.id)
            if self.retry_failed and before is None:
                summary.left += 1
                continue
            if self.retry_failed and before is not None and before["status"] not in lines.FAILED:
                summary.skipped += 1
                continue
            left.append(Job(asset, _unless(before, sha256), self.verify))
        if summary.left:
            summary.notes.append(f"{counted(summary.left, 'asset')} never ran: --resume does them.")
        return left

    def _page(self, folder: Path, summary: Summary) -> bytes:
        shown = lines.latest(sorted(folder.glob(lines.PATTERN)), gallery.Entry.of)
        entries = [shown[asset.id] for asset in self.every if asset.id in shown]
        missing = len(self.every) - len(entries)
        about = gallery.About(self.settings.verb, self.settings.options.to_dict(), missing, summary.notes)
        return gallery.page(entries, about).encode("utf-8", "replace")


def _unless(before: Mapping[str, Any] | None, sha256: str) -> dict[str, Any] | None:
    """Return the input and outputs that a worker compares before it skips an asset; None if it must not
    skip.
    """
    if before is None or before["status"] not in lines.DONE:
        return None
    if before["options_sha256"] != sha256 or before["core_build"] != build():
        return None
    return {"input_sha256": before["input_sha256"], "outputs": before["outputs"]}


@contextlib.contextmanager
def _folder_of_manifests(out: str, name: str, where: Place) -> Iterator[tuple[Path, Callable[[bool], None]]]:
    """Yield a local folder of manifests, and a function that uploads them.

    A file at a URL cannot be appended to, so its manifest is written locally and copied from time to time.
    """
    if not isinstance(where, Url):
        Path(out).mkdir(parents=True, exist_ok=True)
        yield Path(out), lambda is_last: None
        return
    with tempfile.TemporaryDirectory() as here:
        folder = Path(here)
        for known in where.names(lines.PATTERN):
            (folder / known).write_bytes(where.read(known) or b"")
        due = time.monotonic() + _UPLOAD_EVERY

        def upload(is_last: bool) -> None:
            nonlocal due
            if is_last or time.monotonic() > due:
                where.write([(name, (folder / name).read_bytes())])
                due = time.monotonic() + _UPLOAD_EVERY

        yield folder, upload


class _Stop:
    """A flag that Ctrl-C or the caller's `cancel` sets."""

    def __init__(self, cancel: Cancel | None) -> None:
        self._cancel = cancel
        self._by_signal = threading.Event()

    def is_set(self) -> bool:
        return self._by_signal.is_set() or (self._cancel is not None and self._cancel.is_set())

    def on_signal(self, number: int, frame: Any) -> None:
        if self._by_signal.is_set():  # a second Ctrl-C does not wait
            raise KeyboardInterrupt
        self._by_signal.set()

    def raise_if_set(self, summary: Summary) -> None:
        progress = f"{summary.done:,} of {summary.total:,} are done; resume continues from there"
        if self._by_signal.is_set():
            raise KeyboardInterrupt(progress)
        if self.is_set() and summary.done < summary.total:
            raise InterruptedError(f"batch was stopped: {progress}")


@contextlib.contextmanager
def _stoppable(cancel: Cancel | None) -> Iterator[_Stop]:
    """Turn Ctrl-C into a flag while the batch runs, so that it truncates no file and no line."""
    stop = _Stop(cancel)
    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
        yield stop
        return
    before = signal.signal(signal.SIGINT, stop.on_signal)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _with_pictures(wanted: bool | None) -> bool:
    there = find_spec("pyvista") is not None
    if wanted and not there:
        raise InputError('batch: pictures need pyvista: pip install "hitbox[render]"')
    return there if wanted is None else wanted


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
