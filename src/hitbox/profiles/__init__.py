"""What each engine has of its own: one JSON file an engine, beside this module, or one of the user's.

    {"kinds": ["box", "sphere"], "weights": {"sphere": 0.9}, "hull": {"vertices": 64, "polygons": null},
     "source": "where this is from"}

`kinds` has hull where the engine likes hulls as much as primitives; `weights` may leave kinds out; `hull`
is null where hulls are better avoided, a cap where there is none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hitbox import checks
from hitbox.errors import InputError
from hitbox.shapes import KINDS

NAMES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.json")))
FEWEST_HULL_VERTICES, MOST_HULL_VERTICES = 4, 256

_PRIMITIVES = tuple(kind for kind in KINDS if kind != "hull")
_KEYS = ("kinds", "weights", "hull", "source")


@dataclass(frozen=True)
class Profile:
    """The kinds an engine has, a factor for some of them, and how large its hulls may be."""

    name: str
    kinds: tuple[str, ...]
    weights: tuple[tuple[str, float], ...]
    hull_vertices: int | None  # as few as both caps need; None: hulls are better avoided
    source: str
    own: str | None = None  # of a file of the user's: what it says, as JSON


def load(profile: str | os.PathLike[str] | Profile) -> Profile:
    """The profile of that name, or in the JSON file at that path."""
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
        _hull_vertices(where, document.get("hull")),
        str(document.get("source", "")),
    )


def _hull_vertices(where: str, hull: Any) -> int | None:
    """A hull of n vertices has up to 2 n - 4 sides."""
    if hull is None:
        return None
    if not isinstance(hull, Mapping):
        raise InputError(f"{where}: hull: must be null or {{'vertices': 64, 'polygons': 64}}.")
    for key in hull:
        checks.one_of(f"{where}: hull", key, ("vertices", "polygons"), "key")
    caps = [MOST_HULL_VERTICES]
    if hull.get("vertices") is not None:
        caps.append(checks.whole(f"{where}: hull: vertices", hull["vertices"], 4, 10**6))
    if hull.get("polygons") is not None:
        caps.append(checks.whole(f"{where}: hull: polygons", hull["polygons"], 4, 10**6) // 2 + 2)
    return min(caps)
