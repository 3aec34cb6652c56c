"""Parses untrusted XML: no DOCTYPE, no entities, bounded size. Violations raise a one-sentence InputError.

The parser never accesses anything outside the document. Its time and memory stay proportional to the
document's size. It skips comments and processing instructions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from hitbox._base.errors import InputError

MOST_BYTES = 1 << 30
MOST_ELEMENTS = 5_000_000
DEEPEST = 256
MOST_ATTRIBUTES = 1_000  # per element


def parse(data: bytes, where: str, *, namespaces: bool = False) -> Element:
    """Return the root of the document in `data`; `where` starts error messages.

    With `namespaces`, tags have the form "{namespace}name"; without, they keep the document's spelling.
    """
    if len(data) > MOST_BYTES:
        raise InputError(f"{where}: has {len(data):,} bytes of XML. The limit is {MOST_BYTES:,}.")
    return _Document(where, namespaces).parse(data)


class _Document:
    def __init__(self, where: str, namespaces: bool) -> None:
        self._where = where
        self._depth = self._count = 0
        self._tree = TreeBuilder()
        self._expat = expat.ParserCreate(None, "}" if namespaces else None)
        self._expat.buffer_text = True
        self._expat.ordered_attributes = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._tree.data
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype
        self._expat.EntityDeclHandler = self._refuse_doctype
        self._expat.SkippedEntityHandler = self._refuse_doctype

    def parse(self, data: bytes) -> Element:
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError as error:
            why = expat.errors.messages.get(error.code, "not well formed")
            place = f"line {error.lineno}, column {error.offset + 1}"
            raise InputError(f"{self._where}: not XML: {why} at {place}.") from None
        except InputError:
            raise
        except (LookupError, ValueError):  # an encoding that Python does not support
            unknown = "not XML: its encoding is unknown. Save it as UTF-8."
            raise InputError(f"{self._where}: {unknown}") from None
        return self._tree.close()

    def _start(self, tag: str, pairs: list[str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > DEEPEST:
            raise self._refused(f"elements are nested more than {DEEPEST} deep")
        if self._count > MOST_ELEMENTS:
            raise self._refused(f"there are more than {MOST_ELEMENTS:,} elements")
        if len(pairs) > 2 * MOST_ATTRIBUTES:
            raise self._refused(f"an element has more than {MOST_ATTRIBUTES:,} attributes")
        names = (_name(name) for name in pairs[::2])
        self._tree.start(_name(tag), dict(zip(names, pairs[1::2], strict=True)))

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._tree.end(_name(tag))

    def _refuse_doctype(self, *_: object) -> None:
        raise InputError(
            f"{self._where}: has a document type or entities, which are not read. Remove the <!DOCTYPE ...>."
        )

    def _refused(self, why: str) -> InputError:
        line = self._expat.CurrentLineNumber
        return InputError(f"{self._where}: line {line}: {why}. Export the file without.")


def _name(name: str) -> str:
    """Convert expat's "namespace}name" to ElementTree's "{namespace}name"."""
    return "{" + name if "}" in name else name


def numbers(where: str, text: str | None, count: int, default: Sequence[float] | None = None) -> list[float]:
    """Parse `count` finite numbers, separated by spaces; return `default` if `text` is None."""
    if text is None and default is not None:
        return list(default)
    words = (text or "").split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        what = "a number" if count == 1 else f"{count} numbers"
        raise InputError(f"{where}: must be {what}, not {text!r:.80}.")
    return values


def number(where: str, text: str | None, default: float | None = None) -> float:
    return numbers(where, text, 1, None if default is None else [default])[0]
