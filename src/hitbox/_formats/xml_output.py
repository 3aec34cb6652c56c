"""XML that is well formed whatever the names in it are."""

from __future__ import annotations

import re
from xml.etree import ElementTree

Element = ElementTree.Element

# What XML cannot hold even when it is escaped: control characters, halves of surrogate pairs.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(value: str) -> str:
    """`value` without the characters that XML has no way to say."""
    return _FORBIDDEN.sub("\ufffd", value)


def element(tag: str, *children: Element | None, **attributes: str) -> Element:
    """An element with these children (None: none) and attributes (class_ is class)."""
    made = ElementTree.Element(tag, {key.rstrip("_"): text(value) for key, value in attributes.items()})
    made.extend(child for child in children if child is not None)
    return made


def leaf(tag: str, content: str, **attributes: str) -> Element:
    """An element with a text in it."""
    made = element(tag, **attributes)
    made.text = text(content)
    return made


def document(root: Element) -> bytes:
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + data + b"\n"
