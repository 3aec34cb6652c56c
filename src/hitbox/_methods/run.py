"""The common part of all verbs: their table, and the steps of every call.

A verb is a public function marked with `verb`. It makes a `Call`, which checks the arguments that all verbs
share, runs functions of the core, and wraps shapes in a `Collider`.
"""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.options import Options
from hitbox._base.progress import Cancel, Progress, reporter
from hitbox._base.version import version
from hitbox._model.collider import Collider, Method, Source, Status, labels_of
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Shape, shape_from_params
from hitbox._native import _core

Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")
Takes = Literal["mesh", "colliders", "robot"]


@dataclass(frozen=True)
class Verb:
    """A verb: its argument, its options, and its function as "module:name"."""

    name: str
    options: type[Options]
    entry: str
    short: str = ""  # its short help in the shell
    takes: Takes = "mesh"
    makes_collider: bool = True
    command: str = ""  # its name in the shell


VERBS: dict[str, Verb] = {}


def verb(
    options: type[Options],
    short: str,
    *,
    takes: Takes = "mesh",
    makes_collider: bool = True,
    command: str | None = None,
) -> Callable[[Function], Function]:
    """Enter a function in the table of verbs, and list its options in its signature.

    `command` is its name in the shell, if that differs from the function's.
    """

    def enter(function: Function) -> Function:
        entry = f"{function.__module__}:{function.__name__}"
        name = options.VERB
        in_shell = command or name.replace("_", "-")
        VERBS[name] = Verb(name, options, entry, short, takes, makes_collider, in_shell)
        function.__signature__ = _signature(function, options)  # type: ignore[attr-defined]
        return function

    return enter


def _signature(function: Callable[..., Any], options: type[Options]) -> inspect.Signature:
    """Return the function's own parameters, and a keyword per option, for `help` and notebooks."""
    plain = inspect.signature(function)
    own = [p for p in plain.parameters.values() if p.kind is not p.VAR_KEYWORD]
    named = {p.name for p in own}
    keywords = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
        for f in options.__dataclass_fields__.values()
        if "option" in f.metadata and f.name not in named
    ]
    return plain.replace(parameters=[*own, *keywords])


def shapes_of(crossing: Sequence[Any]) -> list[Shape]:
    """Convert shapes of the core."""
    return [shape_from_params(*each) for each in crossing]


class Call:
    """One call of a verb. Make it first, because its time starts here."""

    def __init__(
        self, verb: str, threads: int, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> None:
        self._started = time.perf_counter()
        self.verb = verb
        self.threads = checks.threads(verb, threads)
        self.report = reporter(verb, progress, cancel)

    def again(self) -> Call:
        """Return another call with the same arguments, which starts now."""
        another = copy.copy(self)
        another._started = time.perf_counter()
        return another

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    def done(self) -> None:
        if self.report is not None:
            self.report("done", 1.0)

    def core(self, function: Callable[..., Result], *arguments: Any, one_thread: bool = False) -> Result:
        """Call a function of the core, whose last argument is a Run; its errors become InputErrors."""
        run = _core.Run(1 if one_thread else self.threads, self.report)
        try:
            return function(*arguments, run)
        except InputError:
            raise
        except ValueError as error:
            raise InputError(f"{self.verb}: {error}") from None

    def around(
        self,
        mesh: Mesh,
        shapes: Sequence[Shape],
        faces: npt.ArrayLike,
        offsets: npt.ArrayLike,
        options: dict[str, Any],
        status: Status,
    ) -> Collider:
        """Make the collider of a mesh. `faces` and `offsets` have the faces of the mesh that each shape
        owns.
        """
        return self.collider(
            shapes,
            options,
            labels=labels_of(mesh, np.asarray(faces), np.asarray(offsets)),
            source=Source(mesh.name, mesh.sha256, mesh.face_count, mesh.diagonal),
            status=status,
            name=(mesh.name or "").split(".", 1)[0],
            unit=mesh.unit,
            up=mesh.up,
        )

    def collider(self, shapes: Sequence[Shape], options: dict[str, Any], **known: Any) -> Collider:
        """Make the collider of this call. `options` are those of its JSON."""
        self.done()
        method = Method(self.verb, options, self.seconds)
        return Collider(shapes, method=method, generator=f"hitbox {version()}", **known)
