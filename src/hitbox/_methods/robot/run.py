"""robot: every link's meshes become primitives, and the same file comes out with them as its colliders."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hitbox._base.errors import InputError
from hitbox._base.files import replace_files
from hitbox._base.options import collected
from hitbox._base.progress import Cancel, Progress, reporter
from hitbox._base.text import counted, listed
from hitbox._formats.mesh_builder import read_bytes
from hitbox._methods.fit import FitOptions, fit
from hitbox._methods.robot.allocate import Sharing
from hitbox._methods.robot.mjcf import Mjcf
from hitbox._methods.robot.model import Link, Robot
from hitbox._methods.robot.options import RobotOptions
from hitbox._methods.robot.self_collisions import SelfCollision, new_collisions
from hitbox._methods.robot.urdf import Urdf
from hitbox._methods.robot.xml_text import XmlText
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Shape

_SUFFIXES = {"urdf": (".urdf",), "mjcf": (".xml", ".mjcf")}
_ROUNDS = 4  # of sharing
_TELLING = 4  # a ring is better off with one shape than with two, and takes eight all the same
# What each stage takes of the time, about.
_SHARING, _FITTING, _POSING = (0.0, 0.4), (0.4, 0.9), (0.9, 1.0)


@dataclass(frozen=True)
class LinkReport:
    """One link's new shapes, in its frame."""

    name: str
    faces: int  # of its meshes
    shapes: tuple[Shape, ...]
    collider: Collider


@dataclass(frozen=True)
class RobotReport:
    """What was written, and what is not as it was."""

    name: str
    format: str  # urdf or mjcf
    files: tuple[str, ...]
    links: tuple[LinkReport, ...]
    collisions: tuple[SelfCollision, ...]  # that were not there before
    poses: int  # that were looked at
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Shapes by their kind."""
        kinds = [shape.kind for link in self.links for shape in link.shapes]
        return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}

    def __str__(self) -> str:
        total = sum(len(link.shapes) for link in self.links)
        lines = [f"{self.name}: {counted(total, 'shape')} for {counted(len(self.links), 'link')}"]
        lines += [said(each) for each in self.collisions]
        return "\n".join([*lines, *self.notes])


def said(collision: SelfCollision) -> str:
    """A self-collision as a sentence."""
    what = "are written down as not to be checked" if collision.disabled else "are left as they are"
    often = f"in {counted(collision.poses, 'pose')}"
    if collision.new < 1:
        often += f", in {1 - collision.new:.0%} of which they did so before"
    return f"{collision.link1} and {collision.link2} now collide {often}, and {what}."


class _File(Protocol):
    robot: Robot

    def files(
        self, colliders: Mapping[int, Sequence[Shape]], output: str, disabled: Sequence[tuple[str, str, int]]
    ) -> dict[str, bytes]: ...


def robot(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    count: int | None = None,
    *,
    options: RobotOptions | None = None,
    threads: int = 0,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **keywords: Any,
) -> RobotReport:
    """Writes the URDF or MJCF at `path` to `output`, with primitives in place of its collision geometry.

    Options are the fields of RobotOptions. Each link's meshes are fitted as by `fit`: every face lies in one
    of the link's shapes. Links without meshes, visuals, joints and all else stay as they are, to the byte;
    paths that are relative to the file are changed where `output` is in another folder. Where `output` is
    the file itself, the original is kept beside it.

    Joints are sampled within their limits. Pairs of links that collide now and did not before are reported;
    those with at most two moving joints between them are written down as not to be checked: in an SRDF beside
    a URDF, in `contact` of an MJCF, which needs the names of its bodies. Same input, same bytes.
    """
    given = keywords if count is None else {**keywords, "count": count}
    chosen = collected(RobotOptions, "robot", options, given)
    report = reporter("robot", progress, cancel)
    go_on = _Stages(report)
    file = _read(os.fspath(path), chosen)
    target = os.fspath(output)
    model = file.robot
    _check_suffix(os.fspath(path), target, model.format)
    fitted = {k: link.mesh for k, link in enumerate(model.links) if link.mesh is not None}
    if not fitted:
        raise InputError(f"{_name(path)}: none of its links has a mesh: there is nothing to replace.")
    fitting = _Fitting(chosen.for_fit(), {"threads": threads, "cache": cache, "cancel": cancel}, go_on)
    colliders = _colliders(model, fitted, chosen, fitting)
    links = {k: _report(model.links[k], fitted[k], colliders[k], chosen) for k in fitted}
    shapes = {k: link.shapes for k, link in links.items()}
    collisions: tuple[SelfCollision, ...] = ()
    if chosen.poses:
        after = {k: shapes.get(k, _still(link.before)) + link.kept for k, link in enumerate(model.links)}
        collisions = new_collisions(model, after, chosen.poses, go_on.within(_POSING, "pose"))
    disabled = [(each.link1, each.link2, each.joints) for each in collisions if each.disabled]
    files = file.files(shapes, target, disabled)
    kept = _original(os.fspath(path), target)
    for at in files:
        os.makedirs(os.path.dirname(at) or ".", exist_ok=True)
    replace_files([*kept, *files.items()])
    names = tuple(files) + tuple(os.fspath(at) for at, _ in kept)
    notes = (*model.notes, *_notes(links))
    return RobotReport(
        model.name, model.format, names, tuple(links.values()), collisions, chosen.poses, notes
    )


class _Stages:
    """Progress over several stages, and the way out."""

    def __init__(self, report: Callable[[str, float], bool] | None) -> None:
        self.report = report

    def within(self, span: tuple[float, float], stage: str) -> Callable[[float], None]:
        low, high = span

        def go_on(fraction: float) -> None:
            if self.report is not None and not self.report(stage, low + (high - low) * fraction):
                raise InterruptedError("robot was stopped")

        return go_on


def _read(path: str, options: RobotOptions) -> _File:
    text = XmlText(read_bytes(path), _name(path))
    folder = os.path.dirname(path)
    if text.root.tag == "robot":
        return Urdf(text, folder, options.source, options.package_folders)
    if text.root.tag == "mujoco":
        return Mjcf(text, folder, options.source)
    raise InputError(
        f"{text.where}: its root is <{text.root.tag}>. Give a URDF, whose root is <robot>, or an MJCF, whose "
        f"root is <mujoco>."
    )


def _check_suffix(path: str, output: str, form: str) -> None:
    """The file stays what it is; programs go by the suffix."""
    own = os.path.splitext(path)[1].lower()
    suffix = os.path.splitext(output)[1].lower()
    if suffix not in (own, *_SUFFIXES[form]):
        known = listed(sorted({own, *_SUFFIXES[form]} - {""}), "or")
        raise InputError(f"{_name(output)}: this robot is {form.upper()}. Give a name that ends in {known}.")


class _Fitting:
    """Colliders of links; links that are the same, with as many shapes, are fitted once."""

    def __init__(self, options: FitOptions, running: Mapping[str, Any], go_on: _Stages) -> None:
        self.options, self.running, self.go_on = options, running, go_on
        self._known: dict[tuple[str, int | None], Collider] = {}

    def all(self, meshes: Mapping[int, Mesh], counts: Mapping[int, int | None]) -> dict[int, Collider]:
        step = self.go_on.within(_FITTING, "fit")
        found = {}
        for number, (k, mesh) in enumerate(meshes.items()):
            step(number / len(meshes))
            key = mesh.sha256, counts[k]
            if key not in self._known:
                self._known[key] = fit(mesh, counts[k], options=self.options, **self.running)
            found[k] = self._known[key]
        return found


def _colliders(
    model: Robot, meshes: Mapping[int, Mesh], options: RobotOptions, fitting: _Fitting
) -> dict[int, Collider]:
    if options.count is None:
        return fitting.all(meshes, dict.fromkeys(meshes))
    simple = sum(len(model.links[k].shapes) for k in meshes)
    left = options.count - simple
    if left < len(meshes):
        raise InputError(
            f"robot: count: {counted(len(meshes), 'link')} with meshes need {len(meshes) + simple:,} shapes "
            f"or more, not {options.count:,}."
        )
    plain, threads = replace(options.for_fit(), pad=None), fitting.running["threads"]
    step = fitting.go_on.within(_SHARING, "share")
    sharing = Sharing(list(meshes.values()), left, plain, threads, step)
    # Some links use fewer than they are given, which only their fits tell: others get what is left.
    numbers, settled = list(meshes), dict[int, Collider]()
    for _ in range(_ROUNDS):
        most = {numbers.index(k): len(collider) for k, collider in settled.items()}
        counts = dict(zip(numbers, sharing.counts(most), strict=True))
        found = fitting.all({k: mesh for k, mesh in meshes.items() if k not in settled}, counts)
        full = {k: each for k, each in found.items() if _TELLING < counts[k] > len(each)}
        if not full:
            break
        settled |= full
    return {k: settled[k] if k in settled else found[k] for k in numbers}


def _report(link: Link, mesh: Mesh, collider: Collider, options: RobotOptions) -> LinkReport:
    simple = link.shapes
    if options.pad is not None and simple:
        simple = Collider(simple, unit="m").padded(options.pad).shapes
    return LinkReport(link.name, mesh.face_count, (*collider.shapes, *simple), collider)


def _still(before: Sequence[Mesh | Shape]) -> tuple[Shape, ...]:
    """What a link that is not changed collides with."""
    return tuple(piece for piece in before if not isinstance(piece, Mesh))


def _notes(links: Mapping[int, LinkReport]) -> list[str]:
    return [
        f"{link.name}: {note}"
        for link in links.values()
        if not link.collider.status.complete
        for note in link.collider.status.notes
    ]


def _original(path: str, output: str) -> list[tuple[str | os.PathLike[str], bytes]]:
    """A copy of the file beside it, where it would be lost; the first one stays."""
    if os.path.realpath(path) != os.path.realpath(output):
        return []
    stem, suffix = os.path.splitext(path)
    kept = f"{stem}.original{suffix}"
    if os.path.exists(kept):
        return []
    with open(path, "rb") as file:
        return [(kept, file.read())]


def _name(path: str | os.PathLike[str]) -> str:
    return os.path.basename(os.fspath(path))
