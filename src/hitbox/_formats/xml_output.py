"""Writes XML that is well formed for any text in it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

Element = ElementTree.Element

# Characters that XML cannot contain, even escaped: control characters and lone surrogates.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(value: str) -> str:
    """Replace the characters that XML cannot contain."""
    return _FORBIDDEN.sub("\ufffd", value)


def element(tag: str, *children: Element | None, **attributes: str) -> Element:
    """Return an element with children (skipping None) and attributes (`class_` becomes `class`)."""
    result = ElementTree.Element(tag, {key.rstrip("_"): text(value) for key, value in attributes.items()})
    result.extend(child for child in children if child is not None)
    return result


def leaf(tag: str, content: str, **attributes: str) -> Element:
    """Return an element that contains text."""
    result = element(tag, **attributes)
    result.text = text(content)
    return result


def document(root: Element) -> bytes:
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + data + b"\n"
