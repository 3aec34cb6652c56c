"""Finds where C++ sources define types, by reading their text.

It knows namespaces, braces and the words in front of a brace, which is enough for sources that clang-format
formats. Types in functions and in namespaces without a name are left out: each file may have its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*"  # comments, directives
    r'|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL | re.MULTILINE,
)
_TOKEN = re.compile(r"\w+|::|\S")
_ATTRIBUTE = re.compile(r"alignas \( [^()]* \) |\[ \[ .*? \] \] ")
_NAMESPACE = re.compile(r"(?:inline )?namespace ?(?P<name>.*)")
_TYPE = re.compile(
    r"(?P<before>.* |)(?:struct|class|union|enum(?: class| struct)?)"
    r"(?P<name> \w+(?: :: \w+)*(?: < .* >)?)(?: final)?(?: : .*)?"
)


def definitions(files: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the files that define each type, by its full name. A file that has it twice counts once."""
    found: dict[str, list[Path]] = {}
    for file in files:
        for name in dict.fromkeys(types_in(file.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(file)
    return found


def types_in(text: str) -> Iterator[str]:
    """Yield the full name of each type that `text` defines. Raise ValueError if a brace has no partner."""
    scopes: list[str | None] = []  # of the open braces; None: what it holds has no name elsewhere
    words: list[str] = []  # since the last brace or semicolon
    for token in _TOKEN.findall(_NOT_CODE.sub(" ", text)):
        if token == "{":
            name, is_type = _opened(words)
            scopes.append(name)
            if is_type and None not in scopes:
                yield "::".join(scope for scope in scopes if scope)
        elif token == "}":
            if not scopes:
                raise ValueError("a brace closes nothing")
            scopes.pop()
        words = [] if token in "{};" else [*words, token]
    if scopes:
        raise ValueError(f"braces stay open: {scopes}")


def _opened(words: list[str]) -> tuple[str | None, bool]:
    """Return the name of what a brace after `words` opens, and whether it is a type."""
    if words == ["extern"]:  # extern "C"
        return "", False
    head = _ATTRIBUTE.sub("", " ".join(_without_parameters(words)))
    if namespace := _NAMESPACE.fullmatch(head):
        return namespace["name"].replace(" ", "") or None, False
    kind = _TYPE.fullmatch(head)
    if kind is None or kind["before"].count("(") != kind["before"].count(")"):
        return None, False
    return kind["name"].replace(" ", ""), True


def _without_parameters(words: list[str]) -> Iterator[str]:
    """Yield the words without `template <...>`, in which `class` begins no type."""
    depth, skips = 0, False
    for word in words:
        skips = skips or word == "template"
        depth += skips * ((word == "<") - (word == ">"))
        if not skips:
            yield word
        skips = skips and not (word == ">" and depth == 0)
