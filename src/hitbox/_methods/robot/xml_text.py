"""Edits the text of an XML file and preserves every other byte."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element
from xml.parsers import expat

import numpy as np

from hitbox._base.errors import InputError
from hitbox._formats import xml_input
from hitbox._model.mesh import Floats
from hitbox._model.shapes import Shape

_ATTRIBUTE = re.compile(rb"\s([^\s=]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_TAG = re.compile(rb"<(?:[^\"'>]|\"[^\"]*\"|'[^']*')*>")


def quoted(text: str) -> str:
    """Escape and quote an attribute's value. (xml.sax has this too, but imports many network modules.)"""
    for sign, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, escaped)
    return '"' + "".join(f"&#{ord(c)};" if c in "\t\n\r" else c for c in text) + '"'


@dataclass(frozen=True)
class Span:
    """The byte range of an element: its start tag [start, inner) and its end tag [inner_end, end)."""

    start: int
    inner: int
    inner_end: int
    end: int

    @property
    def is_empty(self) -> bool:
        """Whether it is written as <a/>."""
        return self.inner == self.end


class XmlText:
    """An XML document with the byte range of each element, and pending edits."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data = data
        self.where = where
        # parse() refuses harmful documents, so the rest of this class trusts the text.
        self.root = xml_input.parse(data, where, namespaces=True)
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{where}: is not UTF-8. Save it as UTF-8.") from None
        self._spans = dict(zip(self.root.iter(), _spans(data), strict=True))
        self._edits: list[tuple[int, int, bytes]] = []

    def span(self, element: Element) -> Span:
        return self._spans[element]

    def line(self, element: Element) -> int:
        return bisect(self._line_ends, self.span(element).start) + 1

    @cached_property
    def _line_ends(self) -> list[int]:
        return [newline.start() for newline in re.finditer(rb"\n", self.data)]

    def place(self, element: Element) -> str:
        """Return an element's tag, name and line, for messages."""
        name = f" {element.get('name')!r:.80}" if element.get("name") else ""
        return f"{self.where}: line {self.line(element)}: <{element.tag}>{name}"

    def numbers(self, text: str, count: int, element: Element) -> Floats:
        """Parse `count` finite numbers; an error names the element."""
        with suppress(InputError):
            return np.array(xml_input.numbers("", text, count))
        return np.array(xml_input.numbers(self.place(element), text, count))  # raises, naming the element

    def shape(self, element: Element, kind: Callable[..., Shape], *fields: object) -> Shape:
        """Create the shape that an element describes; an error in its numbers names the element."""
        try:
            return kind(*fields)
        except InputError as error:
            raise InputError(f"{self.place(element)}: {error}") from None

    def replace(self, start: int, end: int, text: str | bytes) -> None:
        new = text if isinstance(text, bytes) else text.encode("ascii", "xmlcharrefreplace")
        self._edits.append((start, end, new))

    def remove(self, element: Element) -> None:
        """Remove an element, and its line if nothing else is on it."""
        span = self.span(element)
        start = len(self.data[: span.start].rstrip(b" \t"))
        alone = self.data[start - 1 : start] == b"\n" and self.data[span.end :].lstrip(b" \t\r")[:1] == b"\n"
        if alone:
            start -= 2 if self.data[start - 2 : start] == b"\r\n" else 1
        self.replace(start if alone else span.start, span.end, b"")

    def set_attributes(self, element: Element, values: Mapping[str, str]) -> None:
        span = self.span(element)
        tag = self.data[span.start : span.inner]
        for name, value in values.items():
            attribute = f"{name}={quoted(value)}".encode("ascii", "xmlcharrefreplace")
            old = next((own for own in _ATTRIBUTE.finditer(tag) if own[1] == name.encode()), None)
            if old:
                tag = tag[: old.start(1)] + attribute + tag[old.end() :]
            else:
                close = 2 if tag.endswith(b"/>") else 1
                tag = tag[:-close].rstrip() + b" " + attribute + tag[-close:]
        self.replace(span.start, span.inner, tag)

    def append(self, parent: Element, lines: list[str]) -> None:
        """Insert lines before the end of `parent`, indented like its other children."""
        span = self.span(parent)
        outer = self.indent(parent)
        inner = (self.indent(parent[0]) if len(parent) else "") or outer + "  "
        text = "".join(f"\n{inner}{line}" for line in lines)
        if span.is_empty:
            tag = self.data[span.start : span.inner][:-2].rstrip()
            name = tag[1:].split()[0].decode()
            self.replace(span.start, span.end, tag + b">" + text.encode() + f"\n{outer}</{name}>".encode())
            return
        at = len(self.data[: span.inner_end].rstrip())
        rest = "" if b"\n" in self.data[at : span.inner_end] else f"\n{outer}"
        self.replace(at, at, text + rest)

    def indent(self, element: Element) -> str:
        """Return the white space before an element on its line."""
        before = self.data[: self.span(element).start]
        space = before[before.rfind(b"\n") + 1 :]
        return space.decode() if not space.strip() else ""

    def edited(self) -> bytes:
        data = self.data
        # Apply from the end. Edits at the same place apply in reverse, so that they end up in their order.
        numbered = sorted(enumerate(self._edits), key=lambda each: (each[1][0], each[0]), reverse=True)
        for _, (start, end, text) in numbered:
            data = data[:start] + text + data[end:]
        return data


def _spans(data: bytes) -> list[Span]:
    """Return the byte ranges of all elements, in document order."""
    parser = expat.ParserCreate()
    starts: list[int] = []
    ends: dict[int, int] = {}
    open_: list[int] = []

    def start(*_: object) -> None:
        open_.append(len(starts))
        starts.append(parser.CurrentByteIndex)

    def end(*_: object) -> None:
        ends[open_.pop()] = parser.CurrentByteIndex

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(data, True)
    spans = []
    for k, at in enumerate(starts):
        tag = _TAG.match(data, at)
        assert tag is not None
        inner = tag.end()
        if data[inner - 2 : inner] == b"/>":
            spans.append(Span(at, inner, inner, inner))
        else:
            spans.append(Span(at, inner, ends[k], data.index(b">", ends[k]) + 1))
    return spans
