"""The other end of a worker's pipe: takes one asset after the other, writes its files, says what came of it.

Messages are lines of JSON; the settings come first, pickled. What a verb prints goes to stderr, so that
nothing but messages is on the pipe that was stdout.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from hitbox._base.errors import InputError
from hitbox._base.processes import (
    cpu_seconds,
    end_with_parent,
    one_line,
    peak_bytes,
    reset_peak,
    resident_bytes,
)
from hitbox._batch.jobs import Settings, cheaper, input_sha256
from hitbox._batch.places import Place, holds, place

Say = Callable[[dict[str, Any]], None]
_MOST_SAID = 1000  # characters of a message
_PICTURE = (480, 240)  # pixels: the mesh on the left, the collider on the right


def main() -> None:
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    given, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def say(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message).encode() + b"\n")
        answers.flush()

    settings: Settings = pickle.load(given)
    sys.path += [folder for folder in settings.path if folder not in sys.path]
    if settings.pictures:
        _prepare_pictures()
    say({"ready": os.getpid()})
    for line in given:
        say({"result": worked(json.loads(line), settings, say)})
    os._exit(0)  # a library that crashes in its destructors has answered all the same


def _prepare_pictures() -> None:
    """Before the first asset, which else would pay for it."""
    from hitbox._judges import render

    with contextlib.suppress(InputError):  # each asset will say so
        render.prepare()


def worked(job: dict[str, Any], settings: Settings, say: Say) -> dict[str, Any]:
    """What came of one asset, whatever it raises."""
    reset_peak()
    wall, cpu = time.perf_counter(), cpu_seconds()
    found: dict[str, Any] = {"error_kind": None, "message": "", "outputs": [], "metrics": {}}
    asset = _Asset(job, settings, say)
    try:
        found |= asset.done()
    except InterruptedError:
        found |= _wrong("timeout", "timeout", f"not done in {job['timeout']:g} s")
    except MemoryError:
        found |= _wrong("oom", "MemoryError", "ran out of memory")
    except OSError as error:
        where = f"{os.path.basename(str(error.filename))}: " if error.filename else ""
        found |= _wrong("error", type(error).__name__, f"{where}{error.strerror or one_line(error)}")
    except InputError as error:
        found |= _wrong("error", "InputError", one_line(error))
    except Exception as error:  # whatever a verb raises is a line
        found |= _wrong("error", type(error).__name__, f"{type(error).__name__}: {one_line(error)}")
    found |= asset.input
    found["seconds"] = round(time.perf_counter() - wall, 6)
    found["cpu_seconds"] = round(cpu_seconds() - cpu, 6)
    found["peak_rss"] = peak_bytes()
    found["rss"] = resident_bytes(os.getpid())
    return found


def _wrong(status: str, kind: str, message: str) -> dict[str, Any]:
    return {"status": status, "error_kind": kind, "message": message}


class _Asset:
    def __init__(self, job: dict[str, Any], settings: Settings, say: Say) -> None:
        self.job = job
        self.settings = settings
        self.say = say
        self.place: Place = place(settings.out)
        self.input: dict[str, Any] = {}
        self.metrics: dict[str, Any] = {}
        self.cancel = _Budget(job["timeout"])

    def done(self) -> dict[str, Any]:
        from hitbox._formats.read_mesh import load

        sha256, size = input_sha256(self.job["path"])
        self.input = {"input_sha256": sha256, "input_bytes": size}
        if self._is_unchanged(sha256):
            return {"status": "skipped"}
        options = self.settings.options
        if self.job["cheaper"]:
            options = cheaper(options) or options
        mesh = load(self.job["path"])
        self.metrics["faces"] = mesh.face_count
        self.say({"stage": self.settings.verb})
        collider = self._verb()(mesh, options=options, threads=self.settings.threads, cancel=self.cancel)
        self._measure(mesh, collider)
        outputs = self._written(mesh, collider)
        if self.job["picture"]:
            outputs += self._drawn(mesh, collider)
        complete = collider.status.complete
        return {
            "status": "ok" if complete else "partial",
            "message": "" if complete else " ".join(collider.status.notes)[:_MOST_SAID],
            "outputs": outputs,
            "metrics": self.metrics,
        }

    def _is_unchanged(self, sha256: str) -> bool:
        unless = self.job["unless"]
        if unless is None or unless["input_sha256"] != sha256:
            return False
        return holds(self.place, unless["outputs"], self.job["verify"])

    def _verb(self) -> Callable[..., Any]:
        module, name = self.settings.entry.split(":")
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]

    def _measure(self, mesh: Any, collider: Any) -> None:
        self.metrics |= {
            "shapes": len(collider), "bytes": collider.nbytes, "kinds": dict(sorted(collider.counts.items())),
        }  # fmt: skip
        if self.settings.samples:
            from hitbox._judges.evaluate import distances

            self.say({"stage": "measure"})
            threads = self.settings.threads
            found = distances(mesh, collider, samples=self.settings.samples, threads=threads).outer_surface
            self.metrics |= {"outer_mean": found.mean, "outer_hausdorff": found.hausdorff}

    def _written(self, mesh: Any, collider: Any) -> list[dict[str, Any]]:
        from hitbox._formats import write_collider
        from hitbox._formats.export import ExportOptions

        self.say({"stage": "write"})
        said, shown = self.settings, mesh if self.settings.with_mesh else None
        options = ExportOptions(dynamic=said.dynamic, density=said.density, mesh=shown, solid=mesh)
        files, report = write_collider.files_of(collider, self.job["output"], said.format, options)
        if report.replaced:
            self.metrics["replaced"] = len(report.replaced)
        if report.notes:
            self.metrics["notes"] = list(report.notes)
        once = write_collider.format_for("", said.format).once
        return self._put([(_placed(path.replace(os.sep, "/"), once), data) for path, data in files])

    def _drawn(self, mesh: Any, collider: Any) -> list[dict[str, Any]]:
        """A picture that cannot be drawn does not cost the collider."""
        self.say({"stage": "draw"})
        try:
            from hitbox._judges.render import rendered

            return self._put([(self.job["picture"], rendered(mesh, collider, size=_PICTURE))])
        except (InputError, OSError, RuntimeError) as error:
            self.metrics["no_picture"] = one_line(error)
            return []

    def _put(self, files: list[tuple[str, bytes]]) -> list[dict[str, Any]]:
        self.place.write(files)
        return [
            {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            for path, data in files
        ]


def _placed(path: str, once: str) -> str:
    """What all assets share lies at the root: two of Unity's scripts would not compile."""
    return once if once and path.endswith(f"/{once}") else path


class _Budget:
    """The verb's own end, before the parent's: a worker that stops by itself need not be replaced."""

    def __init__(self, timeout: float) -> None:
        self._ends = time.monotonic() + 0.9 * timeout

    def is_set(self) -> bool:
        return time.monotonic() > self._ends


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
