"""Changes to the text of an XML file that leave every other byte as it is."""

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
    """An attribute's value with its quotes. (xml.sax has that too, and brings half of the network along.)"""
    for sign, said in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, said)
    return '"' + "".join(f"&#{ord(c)};" if c in "\t\n\r" else c for c in text) + '"'


@dataclass(frozen=True)
class Span:
    """Where an element stands: its start tag [start, inner), its end tag [inner_end, end)."""

    start: int
    inner: int
    inner_end: int
    end: int

    @property
    def is_empty(self) -> bool:
        """<a/>"""
        return self.inner == self.end


class XmlText:
    """A document with the place of each element, and the changes to it."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data = data
        self.where = where
        # From here on the text is known to be harmless.
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
        return [found.start() for found in re.finditer(rb"\n", self.data)]

    def place(self, element: Element) -> str:
        """What a message calls an element, and where it stands."""
        name = f" {element.get('name')!r:.80}" if element.get("name") else ""
        return f"{self.where}: line {self.line(element)}: <{element.tag}>{name}"

    def numbers(self, text: str, count: int, element: Element) -> Floats:
        """`count` finite numbers that an element says."""
        with suppress(InputError):
            return np.array(xml_input.numbers("", text, count))
        return np.array(xml_input.numbers(self.place(element), text, count))  # which raises, and says where

    def made(self, element: Element, kind: Callable[..., Shape], *fields: object) -> Shape:
        """The shape that an element says; what is wrong with its numbers is said with the place."""
        try:
            return kind(*fields)
        except InputError as error:
            raise InputError(f"{self.place(element)}: {error}") from None

    def replace(self, start: int, end: int, text: str | bytes) -> None:
        new = text if isinstance(text, bytes) else text.encode("ascii", "xmlcharrefreplace")
        self._edits.append((start, end, new))

    def remove(self, element: Element) -> None:
        """With its line, where nothing else stands on it."""
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
            said = f"{name}={quoted(value)}".encode("ascii", "xmlcharrefreplace")
            found = next((own for own in _ATTRIBUTE.finditer(tag) if own[1] == name.encode()), None)
            if found:
                tag = tag[: found.start(1)] + said + tag[found.end() :]
            else:
                close = 2 if tag.endswith(b"/>") else 1
                tag = tag[:-close].rstrip() + b" " + said + tag[-close:]
        self.replace(span.start, span.inner, tag)

    def append(self, parent: Element, lines: list[str]) -> None:
        """Before the end of `parent`, each line on its own, as deep as its other children."""
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
        """The white space before it on its line."""
        before = self.data[: self.span(element).start]
        space = before[before.rfind(b"\n") + 1 :]
        return space.decode() if not space.strip() else ""

    def edited(self) -> bytes:
        data = self.data
        # From the end; of those at one place the last one first, so that they stand in their order.
        numbered = sorted(enumerate(self._edits), key=lambda each: (each[1][0], each[0]), reverse=True)
        for _, (start, end, text) in numbered:
            data = data[:start] + text + data[end:]
        return data


def _spans(data: bytes) -> list[Span]:
    """Of all elements, in the order of their starts."""
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
    found = []
    for k, at in enumerate(starts):
        tag = _TAG.match(data, at)
        assert tag is not None
        inner = tag.end()
        if data[inner - 2 : inner] == b"/>":
            found.append(Span(at, inner, inner, inner))
        else:
            found.append(Span(at, inner, ends[k], data.index(b">", ends[k]) + 1))
    return found
