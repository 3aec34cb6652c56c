"""How attributes of an MJCF element go together with those of its default class, as MuJoCo has it."""

from __future__ import annotations

from collections.abc import Mapping

TURNS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")


def merged(above: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """`own` before `above`: a turn in any spelling replaces the default's, and sizes only the first ones."""
    kept = dict(above)
    if any(key in own for key in TURNS):
        kept = {key: value for key, value in kept.items() if key not in TURNS}
    known = {**kept, **own}
    if "size" in own and "size" in above:
        first = own["size"].split()
        known["size"] = " ".join([*first, *above["size"].split()[len(first) :]])
    return known
