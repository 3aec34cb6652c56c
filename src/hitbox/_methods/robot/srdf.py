"""SRDF: pairs of links that are not to be checked, in a file beside a URDF."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hitbox._formats.mesh_builder import read_bytes
from hitbox._methods.robot.xml_text import XmlText, quoted


def beside(urdf: str) -> str:
    return os.path.splitext(urdf)[0] + ".srdf"


def disabled_pairs(path: str) -> set[frozenset[str]]:
    """Those of a file; none where it is not there."""
    return _pairs(_read(path)) if os.path.exists(path) else set()


def with_pairs(path: str, source: str, name: str, pairs: Sequence[tuple[str, str, int]]) -> bytes:
    """The file at `path` with these pairs too; where there is none that at `source`, or a new one."""
    found = next((each for each in (path, source) if os.path.exists(each)), None)
    empty = f"<?xml version=\"1.0\"?>\n<robot name={quoted(name)}>\n</robot>\n"
    text = XmlText(empty.encode(), path) if found is None else _read(found)
    known = _pairs(text)
    lines = [
        f"<disable_collisions link1={quoted(a)} link2={quoted(b)} "
        f'reason="{"Adjacent" if joints < 2 else "User"}"/>'
        for a, b, joints in pairs
        if frozenset((a, b)) not in known
    ]
    if lines:
        text.append(text.root, lines)
    return text.edited()


def _read(path: str) -> XmlText:
    return XmlText(read_bytes(path), os.path.basename(path))


def _pairs(text: XmlText) -> set[frozenset[str]]:
    elements = text.root.iter("disable_collisions")
    return {frozenset((e.get("link1", ""), e.get("link2", ""))) for e in elements}
