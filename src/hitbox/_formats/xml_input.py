"""XML from strangers: a document without a type, entities or traps, within limits, or one sentence.

Nothing outside the document is ever looked at, and time and memory stay in proportion to its size. Comments
and processing instructions are passed over.
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
MOST_ATTRIBUTES = 1_000  # of one element


def parse(data: bytes, where: str, *, namespaces: bool = False) -> Element:
    """The root of the document in `data`; `where` starts a complaint.

    With `namespaces` tags are "{namespace}name"; without, they are as they stand.
    """
    if len(data) > MOST_BYTES:
        raise InputError(f"{where}: has {len(data):,} bytes of XML. At most {MOST_BYTES:,} are read.")
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
        except (LookupError, ValueError):  # an encoding that Python has no table for
            unknown = "not XML: its encoding is not known. Save it as UTF-8."
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
    """Expat joins namespace and name by the separator; ElementTree writes "{namespace}name"."""
    return "{" + name if "}" in name else name


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
