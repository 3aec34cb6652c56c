"""Numbers, lists and names as people write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 box`, `1,200 boxes`, `no boxes`."""
    noun = one if count == 1 else many or f"{one}{'es' if one.endswith('x') else 's'}"
    return f"{count:,} {noun}" if count else f"no {noun}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


def percent(value: float) -> str:
    """Three digits, down to a millionth; below that it is 0."""
    share = 100 * value
    if share < 1e-4:
        return "0 %"
    decimals = 1 if share >= 10 else 2 if share >= 1 else 3 if share >= 0.1 else 4
    return f"{share:.{decimals}f} %"


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
