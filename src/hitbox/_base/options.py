"""What the verbs' options share: how a field is declared, and how keywords become one options object."""

from __future__ import annotations

from dataclasses import field, fields, replace
from typing import Any, TypeVar

from hitbox._base import checks
from hitbox._base.errors import InputError

Options = TypeVar("Options")


def option(default: Any, help: str, means: str | None = None) -> Any:
    """A field of an options class; the shell's help and the documents' tables are made from `help`.

    `means`: what holds where nothing is given, if the default does not say it.
    """
    said = default if isinstance(default, str) else means
    return field(default=default, metadata={"help": help, "default": said})


def collected(kind: type[Options], verb: str, options: Options | None, keywords: dict[str, Any]) -> Options:
    """One options object from an object, from keywords, or from both; keywords win."""
    known = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    if options is not None and not isinstance(options, kind):
        raise InputError(f"{verb}: options: must be {kind.__name__}, not a {type(options).__name__}.")
    for name in keywords:
        if name not in known:
            hint = checks.guess(name, known)
            raise InputError(f"{verb}: unknown option {name!r}.{hint} Known: {', '.join(known)}.")
    return kind(**keywords) if options is None else replace(options, **keywords)  # type: ignore[type-var]
