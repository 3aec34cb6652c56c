"""The properties of engines: one JSON file per engine beside this module, or a file of the user.

    {"kinds": ["box", "sphere"], "weights": {"sphere": 0.9}, "hull": {"vertices": 64, "polygons": null},
     "source": "where this is from"}

`kinds` includes hull if hulls are as fast as primitives in the engine. `weights` may omit kinds. `hull` is
null if hulls should be avoided; a cap is null if there is none. `HullCaps` has all caps of a hull, which may
be omitted. `cones` is true if the engine has only frustums with a tip.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.text import listed
from hitbox._model.shapes import KINDS

NAMES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.json")))
FEWEST_HULL_VERTICES, MOST_HULL_VERTICES = 4, 256

_PRIMITIVES = tuple(kind for kind in KINDS if kind != "hull")
_KEYS = ("kinds", "weights", "hull", "cones", "source")
_PLANE_TOLERANCE = ("metres", "of_half_extents")


@dataclass(frozen=True)
class HullCaps:
    """The caps of an engine on a hull. Beyond them the engine changes it. None: no such cap is known."""

    vertices: int | None = None
    polygons: int | None = None  # after triangles in one plane are merged
    triangles: int | None = None  # before triangles are merged
    corners: int | None = None  # corners of one polygon
    # largest extent divided by the distance from the centre of mass to the nearest side
    aspect: float | None = None
    # A vertex must stick out of the hull of the others by more than this length in metres, and by more than
    # this fraction of the sum of the three half extents. Otherwise the engine drops it.
    plane_tolerance: tuple[float, float] | None = None


@dataclass(frozen=True)
class Profile:
    """The kinds of an engine, factors for some of them, and the limits of its hulls."""

    name: str
    kinds: tuple[str, ...]
    weights: tuple[tuple[str, float], ...]
    hull: HullCaps | None  # None: hulls should be avoided
    source: str
    cones: bool = False  # the engine has only frustums with a tip
    own: str | None = None  # the content of a user's file, as JSON

    @property
    def hull_vertices(self) -> int | None:
        """The largest number of vertices within all caps: a hull of n vertices has up to 2 n - 4 sides."""
        if self.hull is None:
            return None
        sides = [cap // 2 + 2 for cap in (self.hull.polygons, self.hull.triangles) if cap is not None]
        return min([MOST_HULL_VERTICES, self.hull.vertices or MOST_HULL_VERTICES, *sides])


def load(profile: str | os.PathLike[str] | Profile) -> Profile:
    """Load the profile of that name, or from the JSON file at that path."""
    if isinstance(profile, Profile):
        return profile
    if not isinstance(profile, (str, os.PathLike)):
        raise InputError(
            f"profile: must be a name such as 'unity' or a JSON file's path, not {profile!r:.80}."
        )
    text = os.fspath(profile)
    if text.lower().endswith(".json"):
        path = Path(text)
        document = _read(path)
        return replace(_profile(path, document), own=json.dumps(document))
    checks.one_of("profile", text, NAMES, "profile")
    path = Path(__file__).parent / f"{text}.json"
    return _profile(path, _read(path))


def _read(path: Path) -> dict[str, Any]:
    where = f"profile: {path}"
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{where}: cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"{where}: is not JSON.") from None
    if not isinstance(document, dict):
        raise InputError(f"{where}: must be a JSON object with {', '.join(_KEYS)}.")
    return document


def _profile(path: Path, document: dict[str, Any]) -> Profile:
    where = f"profile: {path}"
    for key in document:
        checks.one_of(where, key, _KEYS, "key")
    kinds = document.get("kinds")
    if not isinstance(kinds, list) or not kinds:
        raise InputError(f"{where}: kinds: must be a list such as ['box', 'sphere'].")
    for kind in kinds:
        checks.one_of(f"{where}: kinds", kind, KINDS, "kind")
    if kinds == ["hull"]:
        raise InputError(f"{where}: kinds: 'hull' needs at least one other kind beside it, such as 'box'.")
    return Profile(
        path.stem,
        tuple(kind for kind in KINDS if kind in kinds),
        tuple(checks.weights(where, document.get("weights") or {}, _PRIMITIVES).items()),
        _hull_caps(where, document.get("hull")),
        str(document.get("source", "")),
        document.get("cones", False) is True,
    )


def _hull_caps(where: str, hull: Any) -> HullCaps | None:
    if hull is None:
        return None
    if not isinstance(hull, Mapping):
        raise InputError(f"{where}: hull: must be null or {{'vertices': 64, 'polygons': 64}}.")
    for key in hull:
        checks.one_of(f"{where}: hull", key, [field.name for field in fields(HullCaps)], "key")
    least = {"vertices": FEWEST_HULL_VERTICES, "polygons": 4, "triangles": 4, "corners": 3}
    counts = {
        key: checks.whole(f"{where}: hull: {key}", hull[key], few, 10**6)
        for key, few in least.items()
        if hull.get(key) is not None
    }
    aspect = hull.get("aspect")
    return HullCaps(
        **counts,
        aspect=None if aspect is None else checks.positive(f"{where}: hull: aspect", aspect),
        plane_tolerance=_plane_tolerance(f"{where}: hull: plane_tolerance", hull.get("plane_tolerance")),
    )


def _plane_tolerance(where: str, given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != set(_PLANE_TOLERANCE):
        raise InputError(f"{where}: must be null or have {listed(_PLANE_TOLERANCE)}.")
    metres, share = (checks.not_negative(f"{where}: {key}", given[key]) for key in _PLANE_TOLERANCE)
    return metres, share
