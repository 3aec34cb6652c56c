"""Short names for the meshes of a set, all different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath


def distinct_names(paths: Sequence[str]) -> list[str]:
    """File names, with as much of the path as tells equal ones apart; the same path again is numbered."""
    parts = [PurePath(path).parts or (path,) for path in paths]
    depths = [1] * len(paths)
    longest = max((len(p) for p in parts), default=0)
    for _ in range(longest):
        names = ["/".join(p[-depth:]) for p, depth in zip(parts, depths, strict=True)]
        several = {name for name, count in Counter(names).items() if count > 1}
        depths = [depth + (name in several) for name, depth in zip(names, depths, strict=True)]
    names = ["/".join(p[-depth:]) for p, depth in zip(parts, depths, strict=True)]
    seen: set[str] = set()
    distinct = []
    for name in names:
        number, given = 2, name
        while given in seen:
            given, number = f"{name} ({number})", number + 1
        seen.add(given)
        distinct.append(given)
    return distinct
