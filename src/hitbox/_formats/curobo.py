"""cuRobo: the spheres of one link, as an excerpt of a robot's YAML file. Metres, z up.

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
    name = json.dumps(export.name)  # a double-quoted JSON string is also a YAML string
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
    """Add a point to numbers with an exponent: in YAML 1.1, 1e-05 is a text."""
    text = number(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text


# --- reading


def read(data: bytes, into: Described) -> None:
    """Read the spheres of all links, each in the frame of its link."""
    links: Any = _parsed(data, into)
    for key in ("robot_cfg", "kinematics"):
        if isinstance(links, Mapping) and key in links:
            links = links[key]
    links = links.get("collision_spheres") if isinstance(links, Mapping) else None
    if not isinstance(links, Mapping):
        raise into.error("has no collision_spheres with the spheres of each link.")
    for link, spheres in links.items():
        place = f"link {link!r:.80}"
        if not isinstance(spheres, list):
            raise into.error("must be a list of spheres.", into.at(place))
        for k, sphere in enumerate(spheres):
            where = into.at(place, f"sphere {k}")
            if not isinstance(sphere, Mapping) or not {"center", "radius"} <= set(sphere):
                raise into.error("must have center and radius.", where)
            fields = _value(sphere["center"]), _value(sphere["radius"])
            into.add(into.made(where, Sphere, *fields), link, None)


def _value(value: Any) -> float | str | list[float | str]:
    """Return a number or a list of numbers. Anything else stays a short text, which the shape refuses."""
    return [_number_of(each) for each in value[:4]] if isinstance(value, list) else _number_of(value)


def _number_of(value: Any) -> float | str:
    try:
        return float(value)
    except (TypeError, ValueError):
        return f"{value!s:.40}"


def _parsed(data: bytes, into: Described) -> Any:
    if len(data) > _MOST_BYTES:
        raise into.error(f"has {len(data):,} bytes of YAML. The limit is {_MOST_BYTES:,}.")
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
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the last two: a character beyond Unicode
        raise into.error(f"not YAML: {' '.join(str(error).split()):.200}.") from None
    except RecursionError:
        raise into.error("not YAML: nested too deeply.") from None


def _plain_loader(yaml: Any, into: Described) -> Any:
    """Return a loader for plain lists, mappings and texts, which stay as small as the file.

    It refuses aliases and merge keys, because a few of them can expand to millions of spheres. It keeps all
    scalars as texts, because YAML has numbers that take hours to parse (1:1:1:1..., in base 60).
    """

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
                raise into.error(f"unsupported YAML: it has {what}. Replace them by their content.")
            return super().compose_node(parent, index)

    return Plain
