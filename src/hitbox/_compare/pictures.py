"""Pictures of a mesh and all its colliders from one camera, alone and with the balls of the simulation."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from hitbox._compare.balls import Runs
from hitbox._compare.rows import INPUT, PICTURE, Row
from hitbox._model.collider import Collider
from hitbox._model.mesh import Mesh

# method -> its pictures as base64: alone, and with balls if it was simulated.
Pictures: TypeAlias = dict[str, list[str]]


def drawn(
    mesh: Mesh,
    colliders: Mapping[str, Collider],
    runs: Runs,
    up: str | None,
    progress: Callable[[str, float], object],
) -> Pictures:
    from hitbox._judges.render import corners, picture

    subjects: dict[str, Any] = {INPUT: mesh, **colliders}
    around = np.vstack([corners(subject) for subject in subjects.values()])
    pictures: Pictures = {}
    for k, (method, subject) in enumerate(subjects.items()):
        progress("", k / len(subjects))
        shown: list[Any] = [None]
        if method in runs:
            shown.append((np.asarray(runs[method]["balls"]).reshape(-1, 3), runs[method]["radius"]))
        pngs = [picture(subject, around=around, balls=balls, size=PICTURE, up=up or "y") for balls in shown]
        pictures[method] = [base64.b64encode(png).decode() for png in pngs]
    return pictures


def checked(kept: Any) -> Pictures:
    """Raise an error that the store treats as a corrupt entry, unless `kept` is what `drawn` returns."""
    pictures = {str(method): [str(png) for png in pngs] for method, pngs in kept.items()}
    for png in (png for pngs in pictures.values() for png in pngs):
        if not base64.b64decode(png).startswith(b"\x89PNG"):
            raise ValueError("not a picture")
    return pictures


def with_pictures(row: Row, pictures: Sequence[str]) -> Row:
    alone, with_balls = ([base64.b64decode(png) for png in pictures] + [None, None])[:2]
    return replace(row, picture=alone, picture_with_balls=with_balls)
