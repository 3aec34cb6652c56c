"""cuRobo: the spheres of one link as the part of a robot's YAML that has them. Metres, z up.

Reading needs PyYAML (extra `yaml`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hitbox._base.errors import InputError
from hitbox._formats.export import Export, Target
from hitbox._formats.numbers import number
from hitbox._formats.robot_description import Described
from hitbox._model.shapes import Sphere

TARGET = Target(("sphere",), unit="m", up="z")
_MOST_BYTES = 1 << 24


# --- writing


def files(export: Export) -> dict[str, bytes]:
    name = json.dumps(export.name)  # text in double quotes is the same in YAML
    spheres = [
        f"        - {{center: [{', '.join(map(_number, item.shape.center))}], "
        f"radius: {_number(item.shape.radius)}}}"
        for item in export.items
        if isinstance(item.shape, Sphere)
    ]
    lines = [
        "robot_cfg:",
        "  kinematics:",
        f"    collision_link_names: [{name}]",
        "    collision_spheres:",
        f"      {name}:",
        *spheres,
        "    collision_sphere_buffer: 0.0",
        "    self_collision_ignore: {}",
    ]
    return {export.file: ("\n".join(lines) + "\n").encode()}


def _number(value: float) -> str:
    """In YAML 1.1 a number with an exponent has a point: 1e-05 would be a text."""
    text = number(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


# --- reading


def read(data: bytes, into: Described) -> None:
    """The spheres of all links, each in the frame of its link."""
    links: Any = _parsed(data, into)
    for key in ("robot_cfg", "kinematics"):
        if isinstance(links, Mapping) and key in links:
            links = links[key]
    links = links.get("collision_spheres") if isinstance(links, Mapping) else None
    if not isinstance(links, Mapping):
        raise into.error("has no collision_spheres with the spheres of each link.")
    for link, spheres in links.items():
        said = f"link {link!r:.80}"
        if not isinstance(spheres, list):
            raise into.error("must be a list of spheres.", into.at(said))
        for k, sphere in enumerate(spheres):
            where = into.at(said, f"sphere {k}")
            if not isinstance(sphere, Mapping) or not {"center", "radius"} <= set(sphere):
                raise into.error("must have center and radius.", where)
            fields = _value(sphere["center"]), _value(sphere["radius"])
            into.add(into.made(where, Sphere, *fields), link, None)


def _value(found: Any) -> float | str | list[float | str]:
    """A number or a list of them. What is none stays a text, for the shape to complain about: a short one."""
    return [_number_of(each) for each in found[:4]] if isinstance(found, list) else _number_of(found)


def _number_of(found: Any) -> float | str:
    try:
        return float(found)
    except (TypeError, ValueError):
        return f"{found!s:.40}"


def _parsed(data: bytes, into: Described) -> Any:
    if len(data) > _MOST_BYTES:
        raise into.error(f"has {len(data):,} bytes of YAML. At most {_MOST_BYTES:,} are read.")
    try:
        import yaml
    except ImportError:
        raise InputError(
            f'{into.where}: reading YAML needs the package pyyaml: pip install "hitbox[yaml]".'
        ) from None
    try:
        return yaml.load(data, _plain_loader(yaml, into))
    except InputError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the last two: a letter beyond Unicode
        raise into.error(f"not YAML: {' '.join(str(error).split()):.200}.") from None
    except RecursionError:
        raise into.error("not YAML: nested too deeply.") from None


def _plain_loader(yaml: Any, into: Described) -> Any:
    """Lists, mappings and texts, and nothing that stands for something else: a few aliases or merge keys can
    stand for millions of spheres, and YAML has numbers that take hours (1:1:1:1..., to the base 60)."""

    class Plain(yaml.BaseLoader):  # type: ignore[misc]
        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            what = None
            if isinstance(event, yaml.AliasEvent):
                what = "aliases (*)"
            elif event.tag not in (None, "!"):
                what = "tags (!)"
            elif isinstance(event, yaml.ScalarEvent) and event.value == "<<":
                what = "merge keys (<<)"
            if what:
                raise into.error(f"not YAML that is read: it has {what}. Write out what they stand for.")
            return super().compose_node(parent, index)

    return Plain
