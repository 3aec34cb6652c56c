"""XML from elsewhere: parsed without entities, document types and anything outside, within limits.

Names keep their prefixes as they stand; comments and processing instructions are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from hitbox.errors import InputError

Element = ElementTree.Element

MOST_BYTES = 1 << 28
MOST_ELEMENTS = 2_000_000
DEEPEST = 256


def parse(data: bytes, where: str) -> Element:
    """The root element. What is not well formed, hostile or too large is an InputError; `where` starts it."""
    if len(data) > MOST_BYTES:
        raise InputError(f"{where}: has {len(data):,} bytes of XML. At most {MOST_BYTES:,} are read.")
    tree = _Tree(where)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.builder.data
    parser.StartDoctypeDeclHandler = tree.refuse_doctype
    parser.EntityDeclHandler = tree.refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code) or "not well formed"
        raise InputError(
            f"{where}: not XML: {said} at line {error.lineno}, column {error.offset + 1}."
        ) from None
    except InputError:
        raise
    except (LookupError, ValueError):  # an encoding that Python has no table for
        raise InputError(f"{where}: not XML: its encoding is not known. Save it as UTF-8.") from None
    root: Element = tree.builder.close()
    return root


class _Tree:
    def __init__(self, where: str) -> None:
        self.builder: ElementTree.TreeBuilder = ElementTree.TreeBuilder()
        self._where = where
        self._depth = self._count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST:
            raise InputError(f"{self._where}: elements are nested more than {DEEPEST} deep.")
        if self._count > MOST_ELEMENTS:
            raise InputError(f"{self._where}: more than {MOST_ELEMENTS:,} elements.")
        self.builder.start(tag, attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self.builder.end(tag)

    def refuse_doctype(self, *_: object) -> NoReturn:
        raise InputError(
            f"{self._where}: has a document type or entities, which are not read. Remove the <!DOCTYPE ...>."
        )


def numbers(where: str, text: str | None, count: int, default: Sequence[float] | None = None) -> list[float]:
    """`count` finite numbers with spaces between them; a `default` is for a text that is not there."""
    if text is None and default is not None:
        return list(default)
    words = (text or "").split()
    try:
        found = [float(word) for word in words]
    except ValueError:
        found = []
    if len(found) != count or not all(map(math.isfinite, found)):
        what = "a number" if count == 1 else f"{count} numbers"
        raise InputError(f"{where}: must be {what}, not {text!r:.80}.")
    return found


def number(where: str, text: str | None, default: float | None = None) -> float:
    return numbers(where, text, 1, None if default is None else [default])[0]
