"""The verb `robot`: replaces the collision meshes of all links by fitted primitives."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from hitbox._base.errors import InputError
from hitbox._base.files import replace_files
from hitbox._base.progress import Cancel, Progress
from hitbox._base.text import counted, listed
from hitbox._formats.mesh_builder import read_bytes
from hitbox._methods.fit import fit
from hitbox._methods.fit_options import FitOptions
from hitbox._methods.robot.allocate import Sharing
from hitbox._methods.robot.mjcf import Mjcf
from hitbox._methods.robot.model import Link, Robot
from hitbox._methods.robot.options import RobotOptions
from hitbox._methods.robot.self_collisions import SelfCollision, new_collisions
from hitbox._methods.robot.urdf import Urdf
from hitbox._methods.robot.xml_text import XmlText
from hitbox._methods.run import Call, verb
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Shape

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hitbox._keywords import RobotKeywords

_SUFFIXES = {"urdf": (".urdf",), "mjcf": (".xml", ".mjcf")}
_ROUNDS = 4  # of allocation
_TELLING = 4  # smaller counts do not show what a mesh can use: a ring prefers 1 to 2, but can use 8
# The approximate share of each stage in the run time.
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
    """The result of `robot`: the written files, and the changes."""

    name: str
    format: str  # urdf or mjcf
    files: tuple[str, ...]
    links: tuple[LinkReport, ...]
    collisions: tuple[SelfCollision, ...]  # new ones only
    poses: int  # number of sampled poses
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The number of shapes per kind."""
        kinds = [shape.kind for link in self.links for shape in link.shapes]
        return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}

    def __str__(self) -> str:
        total = sum(len(link.shapes) for link in self.links)
        lines = [f"{self.name}: {counted(total, 'shape')} for {counted(len(self.links), 'link')}"]
        lines += [described(each) for each in self.collisions]
        return "\n".join([*lines, *self.notes])


def described(collision: SelfCollision) -> str:
    """Describe a self-collision in a sentence."""
    what = "the output excludes" if collision.disabled else "the output keeps checking"
    often = f"in {counted(collision.poses, 'pose')}"
    if collision.new < 1:
        often += f", in {1 - collision.new:.0%} of which they also collided before"
    return f"{collision.link1} and {collision.link2} now collide {often}, and {what} this pair."


class _File(Protocol):
    robot: Robot

    def files(
        self, colliders: Mapping[int, Sequence[Shape]], output: str, disabled: Sequence[tuple[str, str, int]]
    ) -> dict[str, bytes]: ...


@verb(
    RobotOptions, "Replace a robot's collision meshes with primitives.", takes="robot", makes_collider=False
)
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
    **keywords: Unpack[RobotKeywords],
) -> RobotReport:
    """Write the URDF or MJCF at `path` to `output`, with primitives in place of its collision geometry.

    Options are the fields of RobotOptions. `fit` fits each link's meshes: every face lies in one of the
    link's shapes. Links without meshes, visuals, joints and everything else stay the same, to the byte. If
    `output` is in another folder, paths relative to the file are adjusted. If `output` is the file itself, a
    copy of the original is kept beside it.

    Joints are sampled within their limits. The report lists pairs of links that collide now and did not
    before. Pairs with at most two moving joints between them are excluded from collision checks: in an SRDF
    next to a URDF, in `contact` of an MJCF, if its bodies have names. Same input, same bytes.
    """
    call = Call("robot", threads, progress, cancel)
    chosen = RobotOptions.of(options, keywords if count is None else {**keywords, "count": count})
    go_on = _Stages(call.report)
    file = _read(os.fspath(path), chosen)
    target = os.fspath(output)
    model = file.robot
    _check_suffix(os.fspath(path), target, model.format)
    meshes = {k: link.mesh for k, link in enumerate(model.links) if link.mesh is not None}
    if not meshes:
        raise InputError(f"{_name(path)}: none of its links has a mesh, so there is nothing to replace.")
    fitting = _Fitting(chosen.for_fit(), {"threads": threads, "cache": cache, "cancel": cancel}, go_on)
    colliders = _colliders(model, meshes, chosen, fitting)
    links = {k: _report(model.links[k], meshes[k], colliders[k], chosen) for k in meshes}
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
    """Reports progress over several stages, and stops the run if the caller cancels."""

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
    """Check that the output has a suffix of the input's format: programs rely on the suffix."""
    own = os.path.splitext(path)[1].lower()
    suffix = os.path.splitext(output)[1].lower()
    if suffix not in (own, *_SUFFIXES[form]):
        allowed = listed(sorted({own, *_SUFFIXES[form]} - {""}), "or")
        raise InputError(f"{_name(output)}: this robot is {form.upper()}. Use a name ending in {allowed}.")


class _Fitting:
    """Fits links. Links with the same mesh and the same count are fitted once."""

    def __init__(self, options: FitOptions, running: Mapping[str, Any], go_on: _Stages) -> None:
        self.options, self.running, self.go_on = options, running, go_on
        self._fitted: dict[tuple[str, int | None], Collider] = {}

    def all(self, meshes: Mapping[int, Mesh], counts: Mapping[int, int | None]) -> dict[int, Collider]:
        step = self.go_on.within(_FITTING, "fit")
        colliders = {}
        for number, (k, mesh) in enumerate(meshes.items()):
            step(number / len(meshes))
            key = mesh.sha256, counts[k]
            if key not in self._fitted:
                self._fitted[key] = fit(mesh, counts[k], options=self.options, **self.running)
            colliders[k] = self._fitted[key]
        return colliders


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
    # Some links use fewer shapes than allocated, which only their fits show: other links get the rest.
    numbers, settled = list(meshes), dict[int, Collider]()
    for _ in range(_ROUNDS):
        most = {numbers.index(k): len(collider) for k, collider in settled.items()}
        counts = dict(zip(numbers, sharing.counts(most), strict=True))
        colliders = fitting.all({k: mesh for k, mesh in meshes.items() if k not in settled}, counts)
        full = {k: each for k, each in colliders.items() if _TELLING < counts[k] > len(each)}
        if not full:
            break
        settled |= full
    return {k: settled[k] if k in settled else colliders[k] for k in numbers}


def _report(link: Link, mesh: Mesh, collider: Collider, options: RobotOptions) -> LinkReport:
    simple = link.shapes
    if options.pad is not None and simple:
        simple = Collider(simple, unit="m").padded(options.pad).shapes
    return LinkReport(link.name, mesh.face_count, (*collider.shapes, *simple), collider)


def _still(before: Sequence[Mesh | Shape]) -> tuple[Shape, ...]:
    """Return the collision shapes of an unchanged link."""
    return tuple(piece for piece in before if not isinstance(piece, Mesh))


def _notes(links: Mapping[int, LinkReport]) -> list[str]:
    return [
        f"{link.name}: {note}"
        for link in links.values()
        if not link.collider.status.complete
        for note in link.collider.status.notes
    ]


def _original(path: str, output: str) -> list[tuple[str | os.PathLike[str], bytes]]:
    """Return a copy of the file if `output` would overwrite it. An existing copy stays."""
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
