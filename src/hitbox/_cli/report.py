"""The common part of verbs that make colliders: checks of outputs, times, distances, and the report."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hitbox._base.errors import InputError
from hitbox._base.text import counted, listed, percent
from hitbox._cli import layout

if TYPE_CHECKING:
    from hitbox._formats.export import ExportOptions
    from hitbox._model.collider import Collider
    from hitbox._model.mesh import Mesh

_SAMPLES = 100_000


class Stopwatch:
    """Measures seconds between laps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now


def check_outputs(
    verb: str,
    paths: Sequence[str],
    inputs: Sequence[str],
    what: str = "mesh",
    *,
    format: str | None = None,
    kinds: Sequence[str] = (),
) -> None:
    """Check outputs before any work: different names, known formats that support these kinds, and no
    inputs.
    """
    from hitbox._formats import write_collider

    read = {os.path.realpath(path) for path in inputs}
    for path in paths:
        target = write_collider.target_of(write_collider.format_for(path, format))
        if "hull" not in target.kinds and set(kinds) - set(target.kinds):
            only = ",".join(target.kinds)
            raise InputError(f"{verb}: {path}: this format supports no other kinds. Add --kinds {only}.")
        if os.path.realpath(path) in read:
            raise InputError(f"{verb}: {path} is the {what} itself. Give the output another name.")
    if len({os.path.realpath(path) for path in paths}) != len(paths):
        raise InputError(f"{verb}: two outputs have the same name among {', '.join(paths)}.")


def write_all(
    colliders: Sequence[Collider],
    targets: Sequence[Sequence[str]],
    reports: Sequence[dict[str, Any]],
    others: Sequence[tuple[str, bytes]] = (),
    *,
    format: str | None = None,
    options: ExportOptions | None = None,
) -> None:
    """Write each collider to its files, and other files unchanged: all files or none.

    Add the written files and the replaced shapes to each collider's report.
    """
    from hitbox._base.files import write_files
    from hitbox._formats import write_collider

    files: list[tuple[str, bytes]] = []
    for collider, paths, report in zip(colliders, targets, reports, strict=True):
        report |= {"files": [], "folders": {}, "replaced": []}
        for path in paths:
            made, export = write_collider.files_of(collider, path, format, options)
            files += made
            report["files"] += export.files
            within = Counter(os.path.dirname(at) for at in export.files)
            report["folders"] |= {at: n for at, n in within.items() if at != os.path.dirname(path)}
            report["replaced"] += [{"file": path, **asdict(one)} for one in export.replaced]
            report["notes"] += [f"{path}: {note}" for note in export.notes]
    write_files([*files, *others], {at for report in reports for at in report["folders"]})


def distances(mesh: Mesh, collider: Collider, threads: int, cache: str | None = None) -> dict[str, Any]:
    """Return the distances of the report, as fractions of the mesh's diagonal."""
    from hitbox._base.store import Store, build, digest
    from hitbox._formats import collider_json
    from hitbox._judges.evaluate import distances as measure

    store, written = Store(cache), collider_json.write(collider).decode()
    key = {
        "what": "distances", "build": build(), "mesh": mesh.sha256, "collider": digest(written),
        "samples": _SAMPLES,
    }  # fmt: skip
    known = store.get(key, dict)
    if known is not None:
        return known
    found = measure(mesh, collider, samples=_SAMPLES, threads=threads)
    measured = {
        "mean": found.all_surfaces.mean,
        "hausdorff": found.all_surfaces.hausdorff,
        "outer_mean": found.outer_surface.mean,
        "outer_hausdorff": found.outer_surface.hausdorff,
        "outer_samples": found.outer_surface.samples,  # 0: nothing can be touched, and both distances are 0
    }
    store.put(key, measured)
    return measured


def report_of(collider: Collider, measured: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    """Return the report that --json prints. The seconds are added at the end, and the written files by
    `write_all`.

    `measured` is the result of `distances`.
    """
    return {
        "count": collider.method.options.get("count") if collider.method else None,
        "shapes": len(collider),
        "kinds": collider.counts,
        "bytes": collider.nbytes,
        **measured,
        "complete": collider.status.complete,
        "notes": list(collider.status.notes),
    }


def vertices_of(collider: Collider) -> dict[str, int]:
    """Return the numbers of vertices of hulls, on which engines have caps."""
    from hitbox._model.shapes import Hull

    counts = [len(shape.vertices) for shape in collider if isinstance(shape, Hull)]
    return {"vertices": sum(counts), "most_vertices": max(counts)} if counts else {}


def print_report(verb: str, report: dict[str, Any], level: int | None = None) -> None:
    """Print a report. `level` is the requested count, if one run makes several levels."""
    kinds = listed([counted(count, kind) for kind, count in report["kinds"].items()])
    asked, all_levels = (f" of at most {level:,}", " all levels") if level else ("", "")
    rows = [("shapes", f"{report['shapes']:,}{asked}: {kinds}")]
    if "vertices" in report:
        rows.append(("vertices", f"{report['vertices']:,}, {report['most_vertices']:,} at most in a hull"))
    rows.append(("bytes", f"{report['bytes']:,}"))
    if "mean" in report:
        rows.append(("distance", _distance(report)))
    rows.append(("time", _time(verb, all_levels, report["seconds"])))
    layout.print_rows(rows + written_rows(report))


def written_rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return rows for replaced shapes and written files. Files in folders of their own are only counted."""
    rows = [("note", note) for note in report["notes"]]
    alike = Counter((one["file"], one["kind"], _by(one), one["why"]) for one in report["replaced"])
    for (path, kind, by, why), count in alike.items():
        rows.append(("replaced", f"{path}: {counted(count, kind)} written as {by}: {why}"))
    folders = report["folders"]
    rows += [("wrote", path) for path in report["files"] if os.path.dirname(path) not in folders]
    return rows + [("wrote", f"{at}{os.sep}, {counted(count, 'file')}") for at, count in folders.items()]


def _by(replacement: dict[str, Any]) -> str:
    return "hulls" if replacement["by"].startswith("a hull") else str(replacement["by"])


def _distance(report: dict[str, Any]) -> str:
    touched = f"where it can be touched, mean {percent(report['outer_mean'])}"
    return (
        f"mean {percent(report['mean'])}, largest {percent(report['hausdorff'])} of the diagonal; "
        f"outside, {touched if report['outer_samples'] else 'nothing can be touched'}"
    )


def _time(verb: str, what: str, seconds: dict[str, float]) -> str:
    times = [f"{seconds[verb]:.2f} s to {verb}{what}", f"{seconds['read']:.2f} s to read"]
    if "measure" in seconds:
        times.append(f"{seconds['measure']:.2f} s to measure the distance")
    return ", ".join(times)
