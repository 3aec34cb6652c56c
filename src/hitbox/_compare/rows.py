"""The results of a comparison: rows, totals over the set, and the table as CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from statistics import mean, median
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox._base.files import replace_file
from hitbox._model.collider import Collider

Picture: TypeAlias = bytes | None  # PNG

PICTURE = (560, 420)  # pixels
INPUT = "input"  # the method of the row of the mesh itself


@dataclass(frozen=True, eq=False)
class Row:
    """The result of one method on one mesh. Distances are fractions of the mesh's diagonal; None means not
    measured.

    `method` is "input" (the mesh itself as a trimesh, the reference of the simulation), "hitbox",
    "hitbox:coacd" (hitbox with a share of CoACD's bytes), or a peer's name.
    """

    mesh: str  # unique in the set
    method: str
    label: str
    version: str | None = None
    error: str | None = None  # why there are no numbers
    shapes: int | None = None
    counts: Mapping[str, int] | None = None  # shapes of each kind
    bytes: int | None = None
    outer_mean: float | None = None
    outer_hausdorff: float | None = None
    all_mean: float | None = None
    all_hausdorff: float | None = None
    uncovered: float | None = None  # fraction of the input's surface outside every shape
    cpu_seconds: float | None = None
    wall_seconds: float | None = None
    peak_bytes: int | None = None
    frame_ms_mean: float | None = None
    frame_ms_p95: float | None = None
    height_field: float | None = None  # difference from the input's run as a trimesh; 0: identical
    trajectories: float | None = None
    notes: tuple[str, ...] = ()
    collider: Collider | None = field(default=None, repr=False)
    frame_ms: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    picture: Picture = field(default=None, repr=False)
    picture_with_balls: Picture = field(default=None, repr=False)  # halfway through the simulation

    @property
    def answered(self) -> bool:
        return self.method != INPUT and self.error is None


@dataclass(frozen=True)
class Level:
    """One level of detail of hitbox."""

    shapes: int
    bytes: int
    outer_mean: float | None
    outer_hausdorff: float | None


@dataclass(frozen=True)
class Subject:
    """One mesh of the set with all its results. The first row is the mesh itself."""

    name: str
    faces: int | None
    rows: tuple[Row, ...]
    levels: tuple[Level, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def answered(self) -> list[Row]:
        return [row for row in self.rows if row.answered]


@dataclass(frozen=True)
class Spread:
    """One measure of a method over a set: mean, median, and on how many of the `meshes` it is the lowest."""

    mean: float
    median: float
    lowest: int
    meshes: int  # on which all methods have the measure


@dataclass(frozen=True)
class Totals:
    """The paper's Table 2: the measures of each method over the meshes on which all methods answered."""

    meshes: int  # the number of these meshes
    of: int  # the number of meshes in the set
    labels: dict[str, str]  # method -> its label
    # A measure is a field of Row. It is missing if there is no mesh on which all methods have it.
    measures: dict[str, dict[str, Spread]]  # method -> measure -> spread
    # "hitbox:coacd" -> measure -> number of meshes on which it is below coacd's
    closer: dict[str, dict[str, int]]


# Fields of Row with totals, and fields whose lowest value wins.
TOTALLED = ("outer_hausdorff", "outer_mean", "all_hausdorff", "all_mean", "bytes")
LOWEST_WINS = (
    *TOTALLED, "shapes", "cpu_seconds", "uncovered", "frame_ms_mean", "frame_ms_p95", "height_field",
    "trajectories",
)  # fmt: skip


def winners(rows: Sequence[Row], measure: str) -> set[str]:
    """Return the methods with the lowest value, several if they are equal, and none if only one answered."""
    values = {row.method: getattr(row, measure) for row in rows if row.answered}
    known = {method: value for method, value in values.items() if value is not None}
    if len(known) < 2:
        return set()
    lowest = min(known.values())
    return {method for method, value in known.items() if value == lowest}


@dataclass(frozen=True)
class Comparison:
    """All results of `compare`, ready to be written."""

    subjects: tuple[Subject, ...]
    budget: str
    settings: dict[str, Any]  # settings that the report mentions
    notes: tuple[str, ...] = ()  # steps that were skipped for all meshes: pictures, simulation

    @property
    def rows(self) -> list[Row]:
        """Return one row per mesh and method, in the order of the meshes. A mesh that cannot be read has one
        row.
        """
        return [row for subject in self.subjects for row in subject.rows]

    def totals(self) -> Totals:
        """Return totals over the meshes on which every method answered. Any others would compare different
        sets.

        A measure counts only on meshes where all methods have it. A method that answered on no mesh is left
        out.
        """
        labels = {row.method: row.label for row in self.rows if row.answered}
        if any(method.startswith("hitbox:") for method in labels):
            labels.pop("hitbox", None)  # its rows where no peer answered
        common = [s for s in self.subjects if labels and labels.keys() <= {row.method for row in s.answered}]
        known = {m: meshes for m in TOTALLED if (meshes := _with_all(common, labels, m))}
        measures = {
            method: {m: _spread(meshes, method, m) for m, meshes in known.items()}
            for method in labels
            if common
        }
        closer = {
            method: {m: _times_below(meshes, method, peer, m) for m, meshes in known.items()}
            for method in labels
            if common and (peer := method.partition(":")[2]) in labels
        }
        return Totals(len(common), len(self.subjects), labels, measures, closer)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write one page that needs no network and no other file."""
        replace_file(path, self.to_html().encode())

    def to_html(self) -> str:
        """Return the page that `save_html` writes."""
        from hitbox._compare.report import page

        return page(self)

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        """Write one line per row. Missing measures are empty. The order of the columns is fixed."""
        replace_file(path, self.to_csv().encode())

    def to_csv(self) -> str:
        """Return the text that `save_csv` writes."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            writer.writerow([_cell(getattr(row, column)) for column in COLUMNS])
        return text.getvalue()


_NO_COLUMN = ("collider", "frame_ms", "picture", "picture_with_balls")
COLUMNS = tuple(f.name for f in fields(Row) if f.name not in _NO_COLUMN)


def _row(subject: Subject, method: str) -> Row:
    return next(row for row in subject.rows if row.method == method)


def _with_all(subjects: Sequence[Subject], methods: Iterable[str], measure: str) -> list[Subject]:
    """Return the meshes on which all methods have a value."""
    methods = tuple(methods)
    return [s for s in subjects if all(getattr(_row(s, m), measure) is not None for m in methods)]


def _spread(subjects: Sequence[Subject], method: str, measure: str) -> Spread:
    values = [float(getattr(_row(subject, method), measure)) for subject in subjects]
    lowest = sum(method in winners(subject.rows, measure) for subject in subjects)
    return Spread(mean(values), median(values), lowest, len(subjects))


def _times_below(subjects: Sequence[Subject], method: str, other: str, measure: str) -> int:
    pairs = [(_row(subject, method), _row(subject, other)) for subject in subjects]
    return sum(getattr(row, measure) < getattr(than, measure) for row, than in pairs)


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{count} {kind}" for kind, count in value.items())
    return " ".join(value) if isinstance(value, tuple) else value
