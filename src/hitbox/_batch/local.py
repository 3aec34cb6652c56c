"""The local engine: workers in processes of their own, one asset at a time each.

Holds: whatever an asset does to its worker (crash, hang, eat memory, start processes), each job comes back
with one result, the other workers go on, and no process stays behind. The parent touches no geometry.
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
LIMITED = sys.platform == "linux"  # only there can be seen what memory a process really uses
RETRIED = ("timeout", "oom", "crash")
_LOOK_EVERY = 0.05  # seconds between looks at running workers
_GRACE = 1.0  # seconds from a polite to an impolite end
_LAST_GRACE = 2.0  # seconds that running assets get when the batch is stopped
_LEAVE = 10.0  # seconds a recycled worker has to end by itself
_START = 300.0  # seconds a worker has to start
_MOST_FAILED_STARTS = 3
_TAIL = 4096  # bytes of what a worker printed that are kept for the message
_CODE = "import sys; sys.path[:] = {path!r}; from hitbox._batch.worker import main; main()"


@dataclass(frozen=True)
class Limits:
    """Of one asset: seconds, and bytes of its worker. `recycle`: assets after which a worker is replaced."""

    timeout: float
    memory: int
    recycle: int = 500

    @property
    def idle_memory(self) -> int:
        """A worker that holds more than this when it has nothing to do is replaced."""
        return self.memory // 2


@dataclass(frozen=True)
class Event:
    """What a worker is at: `stage` is start, a step of the work, or done."""

    worker: int
    id: str
    stage: str


Watch = Callable[[Event], object]
Result = dict[str, Any]


@dataclass
class _Turn:
    """A job with what was tried before."""

    job: Job
    attempt: int = 1
    cheaper: bool = False
    picture: bool = True


class Crew:
    """Workers that are started as they are needed and stay for the next jobs until `close`."""

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
        self._said: queue.SimpleQueue[tuple[_Worker, bytes | None]] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        self._leaving: list[_Worker] = []
        self._failed_starts = 0
        try:
            self._pickled = pickle.dumps(settings)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise InputError(f"batch: options: cannot be sent to a worker ({error}).") from None

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """One result a job, in the order in which they come. Ends early when it is stopped."""
        waiting = iter(jobs)
        again: deque[_Turn] = deque()
        following = self._next(waiting, again)
        last: float | None = None  # when running assets are given up
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
                for worker, line in self._heard():
                    yield from self._answer(worker, line, again)
                following = following or self._next(waiting, again)
                self._look()
        finally:
            for worker in self._busy:
                self._end(worker)

    def close(self) -> None:
        """Ends all workers."""
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
        """A worker that has nothing to do. Those that are missing are started, and soon are ready."""
        for worker in self._workers:
            if worker.is_idle:
                return worker
        taken = {worker.number for worker in self._workers}
        for number in range(self._most):
            if number not in taken:
                self._workers.append(_Worker(number, self._pickled, self._said))
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

    def _heard(self) -> Iterator[tuple[_Worker, bytes | None]]:
        """What was said since the last time; waits a little for the first."""
        with contextlib.suppress(queue.Empty):
            yield self._said.get(timeout=_LOOK_EVERY)
            while True:
                yield self._said.get_nowait()

    def _answer(self, worker: _Worker, line: bytes | None, again: deque[_Turn]) -> Iterator[Result]:
        """Takes one message; a result comes out where an asset is done with."""
        if worker not in self._workers:  # it was given up, and only now is its pipe empty
            return
        if line is None:
            found = self._lost(worker)
        else:
            message = _parsed(line)
            if message is None:
                worker.verdict = worker.verdict or ("crash", "ended with an answer that cannot be read")
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
        """Lets a worker go that did enough, holds too much, or is being ended while it answered."""
        is_spent |= worker.assets >= self._limits.recycle or worker.resident > self._limits.idle_memory
        if worker in self._workers and (is_spent or worker.verdict):
            self._workers.remove(worker)
            self._leaving.append(worker)
            worker.leave()

    def _another_try(self, turn: _Turn, status: str, stage: str) -> _Turn | None:
        """Once, and cheaper where that is possible. What is plainly wrong stays wrong."""
        if status not in RETRIED or turn.attempt > 1:
            return None
        if stage == "draw":  # the collider was fine
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
        """A worker whose pipe has ended: what that means for its asset."""
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
        """Deadlines, memory, and processes that ended while another holds their pipe open."""
        now = time.monotonic()
        for worker in self._workers:
            if worker.is_dead:
                worker.kill()  # what it started too
                if not worker.is_heard_out():
                    self._said.put((worker, None))
            elif worker.kill_at is not None:
                if now > worker.kill_at:
                    worker.kill()
            elif now > worker.deadline:
                at = f" at: {worker.stage}" if worker.stage else ""
                said = f"no answer in {self._limits.timeout:g} s{at}" if worker.ready else "does not start"
                worker.verdict = ("timeout", said)
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
        """Gives up a worker and its asset."""
        assert worker.turn is not None
        asset = worker.turn.job.asset
        worker.kill()
        worker.wait(None)
        worker.close()
        self._workers.remove(worker)
        place(self._settings.out).sweep((asset.output, asset.picture), worker.pid)


class _Worker:
    """A process, as the parent sees it."""

    def __init__(self, number: int, settings: bytes, said: Any) -> None:
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
            start_new_session=True,  # so that all it starts can be ended with it, and Ctrl-C is ours alone
        )
        self.pid = self._process.pid
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._threads = [
            threading.Thread(target=_hear, args=(self, self._process.stdout, said), daemon=True),
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
        with contextlib.suppress(OSError):  # it is dead: its pipe ends, and that is heard
            self._process.stdin.write(data)
            self._process.stdin.flush()

    @property
    def is_dead(self) -> bool:
        return self._process.poll() is not None

    @property
    def is_idle(self) -> bool:
        return self.ready and self.turn is None and self.verdict is None and not self.is_dead

    def is_heard_out(self) -> bool:
        """Whether all it said was heard: not so where a process that it started holds its pipe."""
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
        """Asks it to end after what it is at."""
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
        """The pipes, once the process is gone."""
        self._process.wait()
        for thread in self._threads:
            thread.join(timeout=1)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        for pipe in pipes:
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _hear(worker: _Worker, pipe: Any, said: Any) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in pipe:
            said.put((worker, line))
    said.put((worker, None))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and message.keys() & {"ready", "stage", "result"} else None


def _verdict(code: int, printed: bytes) -> tuple[str, str]:
    if hasattr(signal, "SIGKILL") and code == -signal.SIGKILL:  # not by us: the system was out of memory
        return "oom", f"killed by the system, as it does when memory runs out{last_line(printed)}"
    return "crash", how_it_ended(code, printed)
