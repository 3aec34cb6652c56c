"""The worker process: receive one asset after the other, write its files, report the result.

Messages are lines of JSON, after the pickled settings. Output that a verb prints goes to stderr, so that the
pipe that was stdout has nothing but messages.
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
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
    os._exit(0)  # skip destructors, in which some libraries crash


def _prepare_pictures() -> None:
    """Load the libraries for pictures before the first asset, whose time would include it otherwise."""
    from hitbox._judges import render

    with contextlib.suppress(InputError):  # each asset will report the error
        render.prepare()


def worked(job: dict[str, Any], settings: Settings, say: Say) -> dict[str, Any]:
    """Process one asset and return its result, whatever it raises."""
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
    except Exception as error:  # any error of a verb becomes a line
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
        chosen, shown = self.settings, mesh if self.settings.with_mesh else None
        options = ExportOptions(dynamic=chosen.dynamic, density=chosen.density, mesh=shown, solid=mesh)
        files, report = write_collider.files_of(collider, self.job["output"], chosen.format, options)
        if report.replaced:
            self.metrics["replaced"] = len(report.replaced)
        if report.notes:
            self.metrics["notes"] = list(report.notes)
        once = write_collider.format_for("", chosen.format).once
        return self._put([(_placed(path.replace(os.sep, "/"), once), data) for path, data in files])

    def _drawn(self, mesh: Any, collider: Any) -> list[dict[str, Any]]:
        """Draw a picture. If that fails, the collider is still written."""
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
    """Move files that all assets share to the root: two copies of Unity's script would not compile."""
    return once if once and path.endswith(f"/{once}") else path


class _Budget:
    """A deadline before the parent's: a worker that stops by itself need not be replaced."""

    def __init__(self, timeout: float) -> None:
        self._ends = time.monotonic() + 0.9 * timeout

    def is_set(self) -> bool:
        return time.monotonic() > self._ends


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
