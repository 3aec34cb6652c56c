"""SRDF: excludes pairs of links from collision checks, in a file next to a URDF."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hitbox._formats.mesh_builder import read_bytes
from hitbox._methods.robot.xml_text import XmlText, quoted


def path_for(urdf: str) -> str:
    return os.path.splitext(urdf)[0] + ".srdf"


def disabled_pairs(path: str) -> set[frozenset[str]]:
    """Return the excluded pairs in a file; none if the file does not exist."""
    return _pairs(_read(path)) if os.path.exists(path) else set()


def with_pairs(path: str, source: str, name: str, pairs: Sequence[tuple[str, str, int]]) -> bytes:
    """Add pairs to the file at `path`; if it does not exist, to the file at `source`, or to a new one."""
    existing = next((each for each in (path, source) if os.path.exists(each)), None)
    empty = f'<?xml version="1.0"?>\n<robot name={quoted(name)}>\n</robot>\n'
    text = XmlText(empty.encode(), path) if existing is None else _read(existing)
    disabled = _pairs(text)
    lines = [
        f"<disable_collisions link1={quoted(a)} link2={quoted(b)} "
        f'reason="{"Adjacent" if joints < 2 else "User"}"/>'
        for a, b, joints in pairs
        if frozenset((a, b)) not in disabled
    ]
    if lines:
        text.append(text.root, lines)
    return text.edited()


def _read(path: str) -> XmlText:
    return XmlText(read_bytes(path), os.path.basename(path))


def _pairs(text: XmlText) -> set[frozenset[str]]:
    elements = text.root.iter("disable_collisions")
    return {frozenset((e.get("link1", ""), e.get("link2", ""))) for e in elements}
