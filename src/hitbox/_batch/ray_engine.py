"""The Ray engine: the same jobs on a cluster, in groups of about a second of work.

A task runs the local engine with one worker, so limits and isolation are the same. Ray restarts a task when
its worker or its node is lost. Outputs are written whole and are the same each time, so a task may run twice.
Of two results for one asset the first counts.
"""

from __future__ import annotations

import atexit
import os
import re
import socket
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from hitbox._base.errors import InputError
from hitbox._base.processes import one_line
from hitbox._batch.jobs import Job, Settings, preset_of
from hitbox._batch.local import Crew, Limits, Result

_LOSSES = 3  # lost workers and nodes after which Ray restarts a task
_TRIES = 2  # tries of an asset whose task Ray gave up
_WORK = 1.0  # seconds of work per task
_MOST_IN_GROUP = 100
_AHEAD = 2  # tasks for each CPU of the cluster
_LOOK_EVERY = 0.2  # seconds
_KNOCK = 10.0  # seconds to wait for an address

_crews: dict[tuple[str, Limits], Crew] = {}  # of a Ray worker, which keeps its child for the next task


class RayCrew:
    """Tasks on an existing cluster (`address`), or on a local one that is started here."""

    def __init__(
        self,
        settings: Settings,
        most: int,
        limits: Limits,
        address: str | None,
        *,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._ray = library()
        self._settings = settings
        self._limits = limits
        self._most = most
        self._stopped = stopped
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            self._join(address)
        # No runtime_env: it would make Ray send the current folder to all nodes.
        task = self._ray.remote(max_retries=_LOSSES, num_cpus=settings.threads)(worked)
        self._shared = self._ray.put(settings)
        self._task = task

    def run(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield one result per job, in order of completion. End early if the batch is stopped."""
        waiting, lost = iter(jobs), Lost()
        running: dict[Any, list[Job]] = {}
        seen: set[str] = set()
        size = 1
        try:
            while True:
                while len(running) < self._room() and (group := lost.next() or list(islice(waiting, size))):
                    running[self._task.remote(self._shared, self._limits, group)] = group
                if not running:
                    return
                ready, _ = self._ray.wait(list(running), num_returns=1, timeout=_LOOK_EVERY)
                if self._stopped():
                    return
                for task in ready:
                    group = running.pop(task)
                    results = self._results(task, group, lost)
                    size = _group_size(results, size)
                    for result in results:
                        if result["id"] not in seen:
                            seen.add(result["id"])
                            yield result
        finally:
            for task in running:
                self._ray.cancel(task, force=True)

    def close(self) -> None:
        if self._is_ours:
            self._ray.shutdown()

    def _join(self, address: str | None) -> None:
        _check_reachable(address)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # turn off Ray's usage reports
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if address is not None:
                self._ray.init(address=address, **quiet)
            else:
                self._ray.init(num_cpus=self._most or None, include_dashboard=False, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f" at {address}" if address else ""
            raise InputError(f"batch: ray: no cluster{where} ({one_line(error)}).") from None

    def _room(self) -> int:
        """Return how many tasks may run or wait. Nodes come and go."""
        cores = self._ray.cluster_resources().get("CPU", 1) // self._settings.threads
        return max(1, min(int(cores), self._most) if self._most else int(cores)) * _AHEAD

    def _results(self, task: Any, group: list[Job], lost: Lost) -> list[Result]:
        try:
            return list(self._ray.get(task))
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            raise InputError(f"batch: ray: a node cannot work: {one_line(cause)}") from None
        except self._ray.exceptions.RayError as error:
            return [self._crashed(job, error) for job in lost.given_up(group)]

    def _crashed(self, job: Job, error: Exception) -> Result:
        return {
            "id": job.asset.id, "input": job.asset.path, "input_sha256": None, "input_bytes": None,
            "options_sha256": self._settings.sha256, "preset": preset_of(self._settings.options),
            "attempt": _TRIES, "status": "crash", "error_kind": type(error).__name__,
            "message": f"its worker was lost each time: {one_line(error)}", "seconds": 0.0,
            "cpu_seconds": None, "peak_rss": None, "worker": "", "started": "", "outputs": [], "metrics": {},
        }  # fmt: skip


class Lost:
    """Assets of tasks that Ray gave up. Each gets a task of its own before it is given up too."""

    def __init__(self) -> None:
        self._waiting: deque[Job] = deque()
        self._tries: Counter[str] = Counter()

    def next(self) -> list[Job]:
        return [self._waiting.popleft()] if self._waiting else []

    def given_up(self, group: Iterable[Job]) -> list[Job]:
        """Return the assets of a lost group that are not tried again."""
        over: list[Job] = []
        for job in group:
            self._tries[job.asset.id] += 1
            is_over = self._tries[job.asset.id] >= _TRIES
            (over if is_over else self._waiting).append(job)
        return over


def worked(settings: Settings, limits: Limits, group: list[Job]) -> list[Result]:
    """The task: process the group's assets one after the other, in a child with the local engine's limits."""
    key = (settings.sha256 + settings.out, limits)
    if key not in _crews:
        _crews[key] = Crew(settings, 1, limits)
        atexit.register(_crews[key].close)
    results = list(_crews[key].run(group))
    here = f"{library().get_runtime_context().get_node_id()}:{os.getpid()}"
    return [{**result, "worker": here} for result in results]


def _group_size(results: list[Result], before: int) -> int:
    """Return how many assets take about a second, at most four times as many as before."""
    if not results:
        return before
    mean = sum(result["seconds"] for result in results) / len(results)
    return max(1, min(int(_WORK / max(mean, 1e-3)), 4 * before, _MOST_IN_GROUP))


def _check_reachable(address: str | None) -> None:
    """Fail early if the address does not answer. Ray itself would try for minutes."""
    match = re.fullmatch(r"(?:ray://)?(?P<host>[^/]+):(?P<port>\d+)", address or "")
    if match:
        try:
            socket.create_connection((match["host"].strip("[]"), int(match["port"])), timeout=_KNOCK).close()
        except (OSError, OverflowError) as error:
            raise InputError(f"batch: ray: no cluster at {address} ({one_line(error)}).") from None


def library() -> Any:
    """Import Ray, or raise InputError."""
    try:
        import ray
    except ImportError:
        raise InputError('batch: the engine needs ray: pip install "hitbox[ray]"') from None
    return ray
