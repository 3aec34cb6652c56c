"""Values of options as the shell writes them: lists with commas, and `kind=weight` pairs."""

from __future__ import annotations

from pathlib import Path

from hitbox.errors import InputError


def words(option: str, text: str) -> tuple[str, ...]:
    """`box,sphere` as ("box", "sphere")."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise InputError(f"{option}: nothing is listed in {text!r}. Write names with commas between them.")
    return found


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """`16,64,256` as (16, 64, 256)."""
    try:
        return tuple(int(word) for word in words(option, text))
    except ValueError:
        raise InputError(f"{option}: must be whole numbers such as 16,64,256, not {text!r}.") from None


def weights(option: str, text: str) -> dict[str, float]:
    """`box=1,prism=1.4` as a dict."""
    found: dict[str, float] = {}
    for pair in words(option, text):
        kind, equals, value = pair.partition("=")
        try:
            if not equals:
                raise ValueError
            found[kind.strip()] = float(value)
        except ValueError:
            raise InputError(f"{option}: must be kind=number such as prism=1.4, not {pair!r}.") from None
    return found


def number_or_text(text: str) -> float | str:
    """A number where the text is one, else the text itself (1%, 5mm, exact, off)."""
    try:
        return float(text)
    except ValueError:
        return text


def lod_path(path: str, level: int, count: int) -> str:
    """Where level of detail `level` goes: `{count}` is replaced, else `.lod0` comes before the suffixes."""
    if "{count}" in path:
        return path.replace("{count}", str(count))
    whole = Path(path)
    stem, dot, suffixes = whole.name.partition(".")
    return str(whole.with_name(f"{stem}.lod{level}{dot}{suffixes}"))
