"""XML from strangers: a document without a type, entities or traps, within limits, or one sentence.

Nothing outside the document is ever looked at, and time and memory stay in proportion to its size.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from hitbox.errors import InputError

MOST_BYTES = 2**30
MOST_ELEMENTS = 5_000_000
DEEPEST = 200
MOST_ATTRIBUTES = 1_000  # of one element


def parse(data: bytes, where: str) -> Element:
    """The root of the document in `data`, tags as "{namespace}name"; `where` starts a complaint."""
    if len(data) > MOST_BYTES:
        raise InputError(f"{where}: more than {MOST_BYTES >> 20:,} MB of XML. Split the file.")
    return _Document(where).parse(data)


class _Document:
    def __init__(self, where: str) -> None:
        self._where = where
        self._depth = self._count = 0
        self._tree = TreeBuilder()
        self._expat = expat.ParserCreate(None, "}")
        self._expat.buffer_text = True
        self._expat.ordered_attributes = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._tree.data
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype
        self._expat.EntityDeclHandler = self._refuse_entity
        self._expat.SkippedEntityHandler = self._refuse_entity

    def parse(self, data: bytes) -> Element:
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError as error:
            why = expat.errors.messages.get(error.code, "wrong")
            place = f"line {error.lineno}, column {error.offset}"
            raise InputError(
                f"{self._where}: not well-formed XML at {place}: {why}. Export the file again."
            ) from None
        except InputError:
            raise
        except (LookupError, ValueError, UnicodeError):
            raise InputError(f"{self._where}: its encoding is not known. Save it as UTF-8.") from None
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
        raise self._refused("document types (<!DOCTYPE>) are not read")

    def _refuse_entity(self, *_: object) -> None:
        raise self._refused("entities are not read")

    def _refused(self, why: str) -> InputError:
        line = self._expat.CurrentLineNumber
        return InputError(f"{self._where}: line {line}: {why}. Export the file without.")


def _name(name: str) -> str:
    """Expat joins namespace and name by the separator; ElementTree writes "{namespace}name"."""
    return "{" + name if "}" in name else name
