"""Texts of flags as values: lists, pairs and numbers. Errors start with the flag's name."""

from __future__ import annotations

from hitbox._base.errors import InputError


def words(flag: str, text: str) -> tuple[str, ...]:
    """`box,sphere` as ("box", "sphere")."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise InputError(f"{flag}: nothing is listed in {text!r}. Write names with commas between them.")
    return found


def whole_numbers(flag: str, text: str) -> tuple[int, ...]:
    """`16,64,256` as (16, 64, 256)."""
    try:
        return tuple(int(word) for word in words(flag, text))
    except ValueError:
        raise InputError(f"{flag}: must be whole numbers such as 16,64,256, not {text!r}.") from None


def numbers(flag: str, text: str, names: str, example: str) -> tuple[float, ...]:
    """`0,0,1.5` as (0.0, 0.0, 1.5): as many as `names` has."""
    wrong = InputError(f"{flag}: must be {names} such as {example}, not {text!r}.")
    try:
        found = tuple(float(word) for word in words(flag, text))
    except ValueError:
        raise wrong from None
    if len(found) != len(names.split(",")):
        raise wrong
    return found


def folder(flag: str, text: str) -> tuple[str, str]:
    """`name=where`."""
    name, equals, where = text.partition("=")
    if not (name.strip() and equals and where):
        raise InputError(f"{flag}: must be a name and a folder such as arm=src/arm, not {text!r}.")
    return name.strip(), where


def pair(text: str, wrong: str) -> tuple[str, float]:
    """`name=4` as ("name", 4.0); `wrong` starts the message of an error."""
    name, _, value = text.rpartition("=")
    try:
        if not name:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise InputError(f"{wrong}, not {text!r}.") from None


def number_or_text(text: str) -> float | str:
    """A number if the text is one, else the text itself (1%, 5mm, exact, off)."""
    try:
        return float(text)
    except ValueError:
        return text
