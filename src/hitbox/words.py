"""Numbers and lists as people write them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 box`, `1,200 boxes`, `no boxes`."""
    noun = one if count == 1 else many or f"{one}{'es' if one.endswith('x') else 's'}"
    return f"{count:,} {noun}" if count else f"no {noun}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
