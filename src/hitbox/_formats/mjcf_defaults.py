"""Combines the attributes of an MJCF element with those of its default class, as MuJoCo does."""

from __future__ import annotations

from collections.abc import Mapping

TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


def merged(above: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Let `own` override `above`: any orientation replaces the default's, a `size` only leading values."""
    kept = dict(above)
    if any(key in own for key in TURNS):
        kept = {key: value for key, value in kept.items() if key not in TURNS}
    attributes = {**kept, **own}
    if "size" in own and "size" in above:
        first = own["size"].split()
        attributes["size"] = " ".join([*first, *above["size"].split()[len(first) :]])
    return attributes
