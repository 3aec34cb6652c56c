"""What a comparison found: plain rows, the totals over the set, and the table as CSV."""

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
    outer_mean: float | None
    outer_hausdorff: float | None


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
    """One measure over a set: its mean, its median, and on how many of the `meshes` it was the lowest."""

    mean: float
    median: float
    lowest: int
    meshes: int  # where all methods have it


@dataclass(frozen=True)
class Totals:
    """The paper's Table 2: each method's measures over the meshes on which all methods answered."""

    meshes: int  # of these
    of: int  # of the whole set
    labels: dict[str, str]  # method -> what it is called
    # Of a measure (a field of Row): left out where there is no mesh on which all methods have it.
    measures: dict[str, dict[str, Spread]]  # method -> measure -> spread
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

        Measure by measure: a mesh where one has no value for it counts for none. A method that answered on
        no mesh at all is left out.
        """
        labels = {row.method: row.label for row in self.rows if row.answered}
        if any(method.startswith("hitbox:") for method in labels):
            labels.pop("hitbox", None)  # what it did where no peer answered
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
        """One page that needs nothing else: no network, no other file."""
        replace_file(path, self.to_html().encode())

    def to_html(self) -> str:
        """What `save_html` writes."""
        from hitbox._compare.report import page

        return page(self)

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        """One line a row; what was not measured is empty. The columns never change their order."""
        replace_file(path, self.to_csv().encode())

    def to_csv(self) -> str:
        """What `save_csv` writes."""
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
    """Those on which each of the methods has a value."""
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
