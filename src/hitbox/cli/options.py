"""Options as the shell has them: flags made from the fields of FitOptions, and how values are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from hitbox.errors import InputError
from hitbox.fit import FitOptions

_Command = TypeVar("_Command", bound=Callable[..., Any])


def fit_options(command: _Command) -> _Command:
    """One flag for each field of FitOptions, with its name, help and default."""
    types = {"count": int, "max_excess": float}
    hints = {"kinds": "Such as box,sphere.", "weights": "Such as organic, or prism=1.4,frustum=2."}
    for option in reversed(fields(FitOptions)):
        flags = ["-n"] if option.name == "count" else []
        said = [option.metadata["help"]] + ([hints[option.name]] if option.name in hints else [])
        if isinstance(option.default, str):
            said.append(f"[default: {option.default}]")
        elif option.default is not None:
            said.append("[default: all]")
        flags.append("--" + option.name.replace("_", "-"))
        add = click.option(*flags, type=types.get(option.name, str), help=" ".join(said))
        command = add(command)
    return command


def fit_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, under the names of FitOptions; the rest keeps its defaults."""
    readers: dict[str, Callable[[str], Any]] = {
        "kinds": lambda text: words("--kinds", text),
        "weights": lambda text: weights("--weights", text),
        "weld": number_or_text,
        "drop_thin": number_or_text,
    }
    said = {name: value for name, value in given.items() if value is not None}
    return {name: readers[name](value) if name in readers else value for name, value in said.items()}


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


def weights(option: str, text: str) -> dict[str, float] | str:
    """`box=1,prism=1.4` as a dict; a name alone is a preset's."""
    if "=" not in text and "," not in text:
        return text.strip()
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
