"""What a comparison found: plain rows, the totals over the set, and the table as CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from statistics import mean, median
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitbox.collider import Collider
from hitbox.formats.writing import replace_file

Picture: TypeAlias = bytes | None  # PNG

INPUT = "input"  # the method of the row that stands for the mesh itself


@dataclass(frozen=True, eq=False)
class Row:
    """One method on one mesh. Distances are fractions of the mesh's diagonal; None: not measured.

    `method` is "input" (the mesh itself as a trimesh, the reference of the simulation), "hitbox",
    "hitbox:coacd" (hitbox with a share of CoACD's bytes) or a peer's name.
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
    height_field: float | None = None  # behaviour against the input as a trimesh; 0: the same
    trajectories: float | None = None
    notes: tuple[str, ...] = ()
    collider: Collider | None = field(default=None, repr=False)
    frame_ms: npt.NDArray[np.float64] | None = field(default=None, repr=False)
    picture: Picture = field(default=None, repr=False)
    picture_with_balls: Picture = field(default=None, repr=False)  # in the middle of the simulation

    @property
    def answered(self) -> bool:
        return self.method != INPUT and self.error is None


@dataclass(frozen=True)
class Level:
    """One level of detail of hitbox."""

    shapes: int
    bytes: int
    outer_mean: float
    outer_hausdorff: float


@dataclass(frozen=True)
class Subject:
    """One mesh of the set with all that was found on it. The first row is the mesh itself."""

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
    """One measure over a set: its mean, its median, and on how many meshes it was the lowest."""

    mean: float
    median: float
    lowest: int


@dataclass(frozen=True)
class Totals:
    """The paper's Table 2: each method's measures over the meshes on which all methods answered."""

    meshes: int  # of these
    of: int  # of the whole set
    labels: dict[str, str]  # method -> what it is called
    measures: dict[str, dict[str, Spread]]  # method -> measure (a field of Row) -> spread
    closer: dict[str, dict[str, int]]  # "hitbox:coacd" -> measure -> on how many it is below coacd


# Fields of Row that are summed up, and those where the lowest wins.
TOTALLED = ("outer_hausdorff", "outer_mean", "all_hausdorff", "all_mean", "bytes")
LOWEST_WINS = (
    *TOTALLED, "shapes", "cpu_seconds", "uncovered", "frame_ms_mean", "frame_ms_p95", "height_field",
    "trajectories",
)  # fmt: skip


def winners(rows: Sequence[Row], measure: str) -> set[str]:
    """The methods with the lowest value, all of them where several are equal; none if only one answered."""
    values = {row.method: getattr(row, measure) for row in rows if row.answered}
    known = {method: value for method, value in values.items() if value is not None}
    if len(known) < 2:
        return set()
    lowest = min(known.values())
    return {method for method, value in known.items() if value == lowest}


@dataclass(frozen=True)
class Comparison:
    """All that `compare` found, ready to be written."""

    subjects: tuple[Subject, ...]
    budget: str
    settings: dict[str, Any]  # what the report says about the run
    notes: tuple[str, ...] = ()  # what could not be done anywhere: no pictures, no simulation

    @property
    def rows(self) -> list[Row]:
        """One a mesh and method, in the order of the meshes; a mesh that cannot be read has one."""
        return [row for subject in self.subjects for row in subject.rows]

    def totals(self) -> Totals:
        """Only over meshes where every method answered: anything else would compare different sets.

        A method that answered on no mesh at all is left out.
        """
        labels = {row.method: row.label for row in self.rows if row.answered}
        if any(method.startswith("hitbox:") for method in labels):
            labels.pop("hitbox", None)  # what it did where no peer answered
        common = [s for s in self.subjects if labels and labels.keys() <= {row.method for row in s.answered}]
        of = {method: [_row(subject, method) for subject in common] for method in labels}
        measures = {
            method: {m: _spread(rows, common, m) for m in TOTALLED} for method, rows in of.items() if rows
        }
        closer = {
            method: {m: _times_below(of[method], of[peer], m) for m in TOTALLED}
            for method in labels
            if common and (peer := method.partition(":")[2]) in of
        }
        return Totals(len(common), len(self.subjects), labels, measures, closer)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """One page that needs nothing else: no network, no other file."""
        from hitbox.compare.report import page

        replace_file(path, page(self).encode())

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        """One line a row; what was not measured is empty. The columns never change their order."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            writer.writerow([_cell(getattr(row, column)) for column in COLUMNS])
        replace_file(path, text.getvalue().encode())


_NO_COLUMN = ("collider", "frame_ms", "picture", "picture_with_balls")
COLUMNS = tuple(f.name for f in fields(Row) if f.name not in _NO_COLUMN)


def _row(subject: Subject, method: str) -> Row:
    return next(row for row in subject.rows if row.method == method)


def _spread(rows: Sequence[Row], subjects: Sequence[Subject], measure: str) -> Spread:
    values = [float(getattr(row, measure)) for row in rows]
    lowest = sum(
        row.method in winners(subject.rows, measure) for row, subject in zip(rows, subjects, strict=True)
    )
    return Spread(mean(values), median(values), lowest)


def _times_below(rows: Sequence[Row], others: Sequence[Row], measure: str) -> int:
    pairs = zip(rows, others, strict=True)
    return sum(getattr(row, measure) < getattr(other, measure) for row, other in pairs)


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{count} {kind}" for kind, count in value.items())
    return " ".join(value) if isinstance(value, tuple) else value
