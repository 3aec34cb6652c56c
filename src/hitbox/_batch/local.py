"""The local engine: worker processes that each handle one asset at a time.

Guaranteed: whatever an asset does to its worker (crash, hang, exhaust memory, start processes), each job
gives one result, the other workers continue, and no process stays behind. The parent handles no geometry.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from hitbox._base.errors import InputError
from hitbox._base.processes import how_it_ended, keep, last_line, resident_bytes
from hitbox._batch.jobs import Job, Settings, cheaper, preset_of
from hitbox._batch.places import place

GIB = 1 << 30
LIMITED = sys.platform == "linux"  # only Linux reports the memory that a process actually uses
RETRIED = ("timeout", "oom", "crash")
_LOOK_EVERY = 0.05  # seconds between checks of running workers
_GRACE = 1.0  # seconds from SIGTERM to SIGKILL
_LAST_GRACE = 2.0  # seconds for running assets when the batch is stopped
_LEAVE = 10.0  # seconds for a recycled worker to end by itself
_START = 300.0  # seconds for a worker to start
_MOST_FAILED_STARTS = 3
_TAIL = 4096  # bytes of a worker's output to keep for the message
_CODE = "import sys; sys.path[:] = {path!r}; from hitbox._batch.worker import main; main()"


@dataclass(frozen=True)
class Limits:
    """The limits of one asset: seconds, and bytes of memory. A worker is replaced after `recycle` assets."""

    timeout: float
    memory: int
    recycle: int = 500

    @property
    def idle_memory(self) -> int:
        """An idle worker that uses more than this is replaced."""
        return self.memory // 2


@dataclass(frozen=True)
class Event:
    """The progress of a worker: `stage` is start, a step of the work, or done."""

    worker: int
    id: str
    stage: str


Watch = Callable[[Event], object]
Result = dict[str, Any]


@dataclass
class _Turn:
    """A job, and how to try it."""

    job: Job
    attempt: int = 1
    cheaper: bool = False
    picture: bool = True


class Crew:
    """Workers that start when they are needed and are reused until `close`."""

    def __init__(
        self,
        settings: Settings,
        workers: int,
        limits: Limits,
        *,
        watch: Watch | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._settings = settings
        self._most = workers
        self._limits = limits
        self._watch = watch or (lambda event: None)
        self._stopped = stopped
        self._messages: queue.SimpleQueue[tuple[_Worker, bytes | None]] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        self._leaving: list[_Worker] = []
        self._failed_starts = 0
        try:
            self._pickled = pickle.dumps(settings)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise InputError(f"batch: options: cannot be sent to a worker ({error}).") from None

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield one result per job, in order of completion. End early if the batch is stopped."""
        waiting = iter(jobs)
        again: deque[_Turn] = deque()
        following = self._next(waiting, again)
        last: float | None = None  # the time at which running assets are given up
        try:
            while following or self._busy:
                if last is None and self._stopped():
                    following, waiting, last = None, iter(()), time.monotonic() + _LAST_GRACE
                    again.clear()
                if last is not None and (time.monotonic() > last or not self._busy):
                    return
                while following and (worker := self._free()):
                    self._send(worker, following)
                    following = self._next(waiting, again)
                for worker, line in self._received():
                    yield from self._answer(worker, line, again)
                following = following or self._next(waiting, again)
                self._look()
        finally:
            for worker in self._busy:
                self._end(worker)

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.leave()
        ends = time.monotonic() + _GRACE
        for worker in [*self._workers, *self._leaving]:
            worker.wait(max(0.0, ends - time.monotonic()))
            worker.kill()
            worker.close()
        self._workers, self._leaving = [], []

    @property
    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.turn is not None]

    @staticmethod
    def _next(waiting: Iterator[Job], again: deque[_Turn]) -> _Turn | None:
        if again:
            return again.popleft()
        job = next(waiting, None)
        return None if job is None else _Turn(job)

    def _free(self) -> _Worker | None:
        """Return an idle worker. If there is none, start the missing ones, which will be ready soon."""
        for worker in self._workers:
            if worker.is_idle:
                return worker
        taken = {worker.number for worker in self._workers}
        for number in range(self._most):
            if number not in taken:
                self._workers.append(_Worker(number, self._pickled, self._messages))
        return None

    def _send(self, worker: _Worker, turn: _Turn) -> None:
        self._watch(Event(worker.number, turn.job.asset.id, "start"))
        asset = turn.job.asset
        worker.take(turn, self._limits.timeout, {
            "path": asset.path,
            "output": asset.output,
            "picture": asset.picture if self._settings.pictures and turn.picture else None,
            "cheaper": turn.cheaper,
            "timeout": self._limits.timeout,
            "unless": turn.job.unless,
            "verify": turn.job.verify,
        })  # fmt: skip

    def _received(self) -> Iterator[tuple[_Worker, bytes | None]]:
        """Yield the messages since the last call; wait a little for the first."""
        with contextlib.suppress(queue.Empty):
            yield self._messages.get(timeout=_LOOK_EVERY)
            while True:
                yield self._messages.get_nowait()

    def _answer(self, worker: _Worker, line: bytes | None, again: deque[_Turn]) -> Iterator[Result]:
        """Handle one message. Yield a result if an asset is finished."""
        if worker not in self._workers:  # the worker was given up, and its pipe is empty only now
            return
        if line is None:
            found = self._lost(worker)
        else:
            message = _parsed(line)
            if message is None:
                worker.verdict = worker.verdict or ("crash", "gave an answer that cannot be read")
                worker.kill()
                return
            if "ready" in message:
                worker.ready, worker.deadline, self._failed_starts = True, math.inf, 0
                return
            if "stage" in message:
                worker.stage = message["stage"]
                if worker.turn:
                    self._watch(Event(worker.number, worker.turn.job.asset.id, worker.stage))
                return
            found = message["result"]
        if found is not None:
            yield from self._finished(worker, found, again)

    def _finished(self, worker: _Worker, found: Result, again: deque[_Turn]) -> Iterator[Result]:
        turn, worker.turn, worker.deadline = worker.turn, None, math.inf
        if turn is None:
            return
        worker.assets += 1
        worker.resident = found.get("rss", 0)
        self._watch(Event(worker.number, turn.job.asset.id, "done"))
        following = self._another_try(turn, found["status"], worker.stage)
        self._recycle(worker, found["status"] == "oom")
        if following:
            again.append(following)
        else:
            yield self._result(worker, turn, found)

    def _recycle(self, worker: _Worker, is_spent: bool) -> None:
        """Release a worker that processed enough assets, uses too much memory, or is being ended."""
        is_spent |= worker.assets >= self._limits.recycle or worker.resident > self._limits.idle_memory
        if worker in self._workers and (is_spent or worker.verdict):
            self._workers.remove(worker)
            self._leaving.append(worker)
            worker.leave()

    def _another_try(self, turn: _Turn, status: str, stage: str) -> _Turn | None:
        """Return a second try, cheaper if possible. An error is not tried again, because it would fail
        again.
        """
        if status not in RETRIED or turn.attempt > 1:
            return None
        if stage == "draw":  # the collider was finished
            return _Turn(turn.job, turn.attempt + 1, False, picture=False)
        is_cheaper = cheaper(self._settings.options) is not None
        if status == "timeout" and not is_cheaper:
            return None
        return _Turn(turn.job, turn.attempt + 1, is_cheaper)

    def _result(self, worker: _Worker, turn: _Turn, found: Result) -> Result:
        options = self._settings.options
        used = (cheaper(options) or options) if turn.cheaper else options
        return {
            "id": turn.job.asset.id,
            "input": turn.job.asset.path,
            "input_sha256": found.get("input_sha256"),
            "input_bytes": found.get("input_bytes"),
            "options_sha256": self._settings.sha256,
            "preset": preset_of(used),
            "attempt": turn.attempt,
            "status": found["status"],
            "error_kind": found["error_kind"],
            "message": found["message"],
            "seconds": found["seconds"],
            "cpu_seconds": found["cpu_seconds"],
            "peak_rss": found["peak_rss"],
            "worker": f"{worker.number}:{worker.pid}",
            "started": worker.started,
            "outputs": found["outputs"],
            "metrics": found["metrics"],
        }

    def _lost(self, worker: _Worker) -> Result | None:
        """Remove a worker whose pipe has ended, and return the result of its asset."""
        self._workers.remove(worker)
        worker.wait(_GRACE)
        worker.kill()
        code = worker.wait(None)
        worker.close()
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= _MOST_FAILED_STARTS:
                raise RuntimeError(f"batch: workers do not start: {how_it_ended(code, worker.tail)}")
        if worker.turn is None:
            return None
        asset = worker.turn.job.asset
        place(self._settings.out).sweep((asset.output, asset.picture), worker.pid)
        status, message = worker.verdict or _verdict(code, worker.tail)
        return {
            "status": status, "error_kind": status, "message": message, "seconds": worker.seconds,
            "cpu_seconds": None, "peak_rss": worker.peak or None, "outputs": [], "metrics": {},
        }  # fmt: skip

    def _look(self) -> None:
        """Check deadlines, memory, and workers that ended while another process holds their pipe open."""
        now = time.monotonic()
        for worker in self._workers:
            if worker.is_dead:
                worker.kill()  # with its descendants
                if not worker.is_drained():
                    self._messages.put((worker, None))
            elif worker.kill_at is not None:
                if now > worker.kill_at:
                    worker.kill()
            elif now > worker.deadline:
                at = f" at: {worker.stage}" if worker.stage else ""
                reason = f"no answer in {self._limits.timeout:g} s{at}" if worker.ready else "does not start"
                worker.verdict = ("timeout", reason)
                worker.terminate(now + _GRACE)
            elif worker.turn is not None and now >= worker.look_at:
                worker.look_at = now + _LOOK_EVERY
                worker.look()
                if worker.resident > self._limits.memory:
                    worker.verdict = ("oom", f"used more than {self._limits.memory / GIB:g} GiB of memory")
                    worker.kill()
        for worker in [worker for worker in self._leaving if worker.is_dead or now > worker.leave_by]:
            worker.kill()
            worker.close()
            self._leaving.remove(worker)

    def _end(self, worker: _Worker) -> None:
        """Give up a worker and its asset."""
        assert worker.turn is not None
        asset = worker.turn.job.asset
        worker.kill()
        worker.wait(None)
        worker.close()
        self._workers.remove(worker)
        place(self._settings.out).sweep((asset.output, asset.picture), worker.pid)


class _Worker:
    """The parent's view of a worker process."""

    def __init__(self, number: int, settings: bytes, messages: Any) -> None:
        self.number = number
        self.ready = False
        self.turn: _Turn | None = None
        self.stage = ""
        self.started = ""
        self.assets = 0
        self.verdict: tuple[str, str] | None = None
        self.deadline = time.monotonic() + _START
        self.kill_at: float | None = None
        self.leave_by = self.look_at = 0.0
        self.resident = self.peak = 0
        self._since = time.monotonic()
        self._printed = bytearray()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE.format(path=[*sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # its descendants can be ended with it, and only the parent receives Ctrl-C
            start_new_session=True,
        )
        self.pid = self._process.pid
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._threads = [
            threading.Thread(target=_receive, args=(self, self._process.stdout, messages), daemon=True),
            threading.Thread(
                target=keep, args=(self._process.stderr, self._printed, _TAIL, True), daemon=True
            ),
        ]
        for thread in self._threads:
            thread.start()
        self._write(settings)

    def take(self, turn: _Turn, timeout: float, message: dict[str, Any]) -> None:
        self.turn, self.stage, self.peak, self.resident = turn, "read", 0, 0
        self.started = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self._since = time.monotonic()
        self.deadline = self._since + timeout
        self.look_at = self._since + _LOOK_EVERY
        self._write(json.dumps(message).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # the worker is dead, which the end of its pipe reports
            self._process.stdin.write(data)
            self._process.stdin.flush()

    @property
    def is_dead(self) -> bool:
        return self._process.poll() is not None

    @property
    def is_idle(self) -> bool:
        return self.ready and self.turn is None and self.verdict is None and not self.is_dead

    def is_drained(self) -> bool:
        """Return whether the output pipe is drained. It is not while a descendant holds the pipe open."""
        self._threads[0].join(timeout=_GRACE)
        return not self._threads[0].is_alive()

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self._since, 6)

    @property
    def tail(self) -> bytes:
        return bytes(self._printed)

    def look(self) -> None:
        self.resident = resident_bytes(self.pid)
        self.peak = max(self.peak, self.resident)

    def leave(self) -> None:
        """Ask the worker to end after its current asset."""
        assert self._process.stdin is not None
        self.leave_by = time.monotonic() + _LEAVE
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def terminate(self, kill_at: float) -> None:
        self.kill_at = kill_at
        self._signal(getattr(signal, "SIGTERM", None))

    def kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", None))

    def _signal(self, number: int | None) -> None:
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg") and number is not None:
                os.killpg(self.pid, number)
            else:
                self._process.kill()

    def wait(self, seconds: float | None) -> int:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return 0

    def close(self) -> None:
        """Close the pipes after the process has ended."""
        self._process.wait()
        for thread in self._threads:
            thread.join(timeout=1)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        for pipe in pipes:
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _receive(worker: _Worker, pipe: Any, messages: Any) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in pipe:
            messages.put((worker, line))
    messages.put((worker, None))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and message.keys() & {"ready", "stage", "result"} else None


def _verdict(code: int, printed: bytes) -> tuple[str, str]:
    # not killed by the parent: the system was out of memory
    if hasattr(signal, "SIGKILL") and code == -signal.SIGKILL:
        return "oom", f"killed by the system, probably because memory ran out{last_line(printed)}"
    return "crash", how_it_ended(code, printed)
