"""Text for messages: numbers, lists and names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath


def counted(count: int, one: str, many: str | None = None) -> str:
    """Format a count: `1 box`, `1,200 boxes`, `no boxes`."""
    noun = one if count == 1 else many or f"{one}{'es' if one.endswith('x') else 's'}"
    return f"{count:,} {noun}" if count else f"no {noun}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words: `a, b and c`."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


def percent(value: float) -> str:
    """Format a fraction as a percentage with three digits; below a millionth it is 0."""
    share = 100 * value
    return "0 %" if share < 1e-4 else f"{share:.{_decimals(share)}f} %"


def percent_up(value: float) -> str:
    """As `percent`, but never less than the value, so that an upper bound remains one after rounding."""
    share = 100 * value
    steps = 10 ** _decimals(share)
    return f"{math.ceil(share * steps) / steps:.{_decimals(share)}f} %"


def _decimals(share: float) -> int:
    return 1 if share >= 10 else 2 if share >= 1 else 3 if share >= 0.1 else 4


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Return file names, with as much of the path as distinguishes equal names; repeated paths are
    numbered."""
    parts = {path: PurePath(path).parts or (path,) for path in paths}
    depths = dict.fromkeys(parts, 1)
    short = {path: parts[path][-1] for path in parts}
    for _ in range(max(map(len, parts.values()), default=0)):
        several = {name for name, count in Counter(short.values()).items() if count > 1}
        depths = {path: depth + (short[path] in several) for path, depth in depths.items()}
        short = {path: "/".join(parts[path][-depths[path] :]).replace("//", "/") for path in parts}
    names = [short[path] for path in paths]
    seen: set[str] = set()
    distinct = []
    for name in names:
        number, unique = 2, name
        while unique in seen:
            unique, number = f"{name} ({number})", number + 1
        seen.add(unique)
        distinct.append(unique)
    return distinct
