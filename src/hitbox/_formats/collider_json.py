"""Collider JSON, version 1 (collider.schema.json beside this file is its schema).

Numbers are written as the shortest text that reads back to the same float64, keys in a fixed order, one
shape per line: the same collider always gives the same bytes. Reading and writing keep unknown keys.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._base.version import version
from hitbox._formats.export import Export, Target
from hitbox._formats.numbers import number
from hitbox._model.collider import Collider, Extra, Label, Method, Source, Status
from hitbox._model.shapes import CLASS_OF_KIND, KINDS, Shape

TARGET = Target(KINDS, is_exact=True)
FORMAT = "hitbox-collider"
VERSION = 1

T = TypeVar("T")
_TOP = (
    "format", "version", "generator", "name", "unit", "up", "source", "method", "status", "shapes",
)  # fmt: skip


# --- writing


def files(export: Export) -> dict[str, bytes]:
    return {export.file: write(export.collider, faces=export.options.faces)}


def write(collider: Collider, *, faces: bool = False) -> bytes:
    """Return the file's bytes. With `faces`, each shape also lists the input faces it owns."""
    top: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "generator": collider.generator or f"hitbox {version()}",
        "name": collider.name,
        "unit": collider.unit,
        "up": collider.up,
    }
    if collider.source is not None:
        top["source"] = _present(collider.source, "name", "sha256", "faces", "diagonal")
    if collider.method is not None:
        options = dict(collider.method.options)
        top["method"] = {"name": collider.method.name, "options": options, **collider.method.extra}
    status = collider.status
    top["status"] = {"complete": status.complete, "notes": list(status.notes), **status.extra}
    top |= collider.extra
    lines = [f" {_text(key)}: {_text(value)}," for key, value in top.items()]
    shapes = [
        "  " + _text(_shape_document(shape, label, faces))
        for shape, label in zip(collider.shapes, collider.labels, strict=True)
    ]
    text = "{\n" + "\n".join(lines) + '\n "shapes": [\n' + ",\n".join(shapes) + "\n ]\n}\n"
    return text.encode()


def _present(value: Source | Label, *keys: str) -> dict[str, Any]:
    values = {key: getattr(value, key) for key in keys if getattr(value, key) is not None}
    return values | dict(value.extra)


def _shape_document(shape: Shape, label: Label, faces: bool) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": shape.kind}
    document |= {field.name: getattr(shape, field.name) for field in fields(shape)}
    document |= _present(label, "name", "part", "material")
    if faces and label.faces is not None:
        document["faces"] = label.faces
    return document


def _text(value: object) -> str:
    """Format a value as JSON; whole numbers have no point: 1, not 1.0."""
    if isinstance(value, np.ndarray):
        return _array_text(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(str(key))}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, np.generic):
        return _text(value.item())
    return json.dumps(value, ensure_ascii=False)


def _array_text(array: np.ndarray[Any, Any]) -> str:
    """The same text, made by one `repr` where all numbers are finite."""
    if array.ndim == 0 or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return _text(array.tolist())
    text = repr((array + array.dtype.type(0)).tolist())  # + 0: no negative zero
    return text.replace(".0,", ",").replace(".0]", "]")


# --- reading


def read(data: bytes, where: str) -> Collider:
    """Read the collider in `data`; `where` names the file in messages."""
    document = _mapping(where, _parse(data, where))
    _check_header(document, where)
    entries = document.get("shapes")
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{where}: shapes must be a list with at least one shape.")
    shapes = [_shape(f"{where}: shapes[{k}]", entry) for k, entry in enumerate(entries)]
    return Collider(
        [shape for shape, _ in shapes],
        labels=[label for _, label in shapes],
        source=_optional(document, "source", where, _source),
        method=_optional(document, "method", where, _method),
        status=_optional(document, "status", where, _status),
        name=_get(document, "name", where, str) or "",
        unit=_get(document, "unit", where, str),
        up=_up(document, where),
        generator=_get(document, "generator", where, str),
        extra=_rest(document, _TOP),
    )


def _parse(data: bytes, where: str) -> object:
    def refuse(constant: str) -> object:
        raise InputError(f"{where}: {constant} is not a JSON number.")

    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=refuse)
    except UnicodeDecodeError:
        raise InputError(f"{where}: not a collider JSON: the text is not UTF-8.") from None
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{where}: not a collider JSON: {error.msg} at {at}.") from None
    except RecursionError:
        raise InputError(f"{where}: not a collider JSON: nested too deeply.") from None
    except InputError:
        raise
    except ValueError as error:  # an integer with thousands of digits
        raise InputError(f"{where}: not a collider JSON: {error}.") from None


def _check_header(document: Mapping[str, Any], where: str) -> None:
    if document.get("format") != FORMAT:
        raise InputError(f'{where}: not a collider JSON: "format" must be "{FORMAT}".')
    found = document.get("version")
    if isinstance(found, bool) or found != VERSION:
        raise InputError(f"{where}: collider JSON version {found!r} is not supported. Supported: {VERSION}.")


def _shape(where: str, value: object) -> tuple[Shape, Label]:
    entry = _mapping(where, value)
    kind = entry.get("kind")
    if kind not in KINDS:
        near = difflib.get_close_matches(str(kind), KINDS, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"{where}: unknown kind {kind!r}.{hint} Known: {', '.join(KINDS)}.")
    names = [field.name for field in fields(CLASS_OF_KIND[kind])]
    for name in names:
        if name not in entry:
            raise InputError(f"{where}: a {kind} needs {name!r}.")
    try:
        shape: Shape = CLASS_OF_KIND[kind](*[entry[name] for name in names])
        label = Label(
            _get(entry, "name", where, str),
            _get(entry, "part", where, str),
            _get(entry, "material", where, str),
            None if entry.get("faces") is None else np.array(_get(entry, "faces", where, list)),
            _rest(entry, ("kind", "name", "part", "material", "faces", *names)),
        )
    except InputError as error:
        raise InputError(f"{where}: {str(error).removeprefix(where + ': ')}") from None
    except (ValueError, OverflowError):
        raise InputError(f"{where}: faces must be whole numbers, 0 or more.") from None
    return shape, label


def _source(where: str, entry: Mapping[str, Any]) -> Source:
    diagonal = _get(entry, "diagonal", where, (int, float))
    return Source(
        _get(entry, "name", where, str),
        _get(entry, "sha256", where, str),
        _get(entry, "faces", where, int),
        None if diagonal is None else float(diagonal),
        _rest(entry, ("name", "sha256", "faces", "diagonal")),
    )


def _method(where: str, entry: Mapping[str, Any]) -> Method:
    name = _get(entry, "name", where, str) or ""
    options = _get(entry, "options", where, dict) or {}
    return Method(name, options, extra=_rest(entry, ("name", "options")))


def _status(where: str, entry: Mapping[str, Any]) -> Status:
    complete = _get(entry, "complete", where, bool)
    notes = _get(entry, "notes", where, list) or []
    if not all(isinstance(note, str) for note in notes):
        raise InputError(f"{where}: notes must be texts.")
    return Status(complete is not False, tuple(notes), _rest(entry, ("complete", "notes")))


def _up(document: Mapping[str, Any], where: str) -> str | None:
    up = document.get("up")
    if up is not None and up not in UPS:
        raise InputError(f"{where}: up must be one of {', '.join(UPS)} or null, not {up!r}.")
    return up


def _mapping(where: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: must be a JSON object.")
    return value


def _optional(
    document: Mapping[str, Any], key: str, where: str, make: Callable[[str, Mapping[str, Any]], T]
) -> T | None:
    value = document.get(key)
    return None if value is None else make(f"{where}: {key}", _mapping(f"{where}: {key}", value))


_WORDS = {str: "a text", int: "a whole number", list: "a list", dict: "a JSON object", bool: "true or false"}


def _get(entry: Mapping[str, Any], key: str, where: str, kind: type | tuple[type, ...]) -> Any:
    value = entry.get(key)
    is_bool = isinstance(value, bool)
    if value is not None and (not isinstance(value, kind) or (is_bool and kind is not bool)):
        expected = _WORDS.get(kind, "a number") if isinstance(kind, type) else "a number"
        raise InputError(f"{where}: {key} must be {expected}, not {value!r}.")
    return value


def _rest(entry: Mapping[str, Any], known: tuple[str, ...]) -> Extra:
    return {key: value for key, value in entry.items() if key not in known}
