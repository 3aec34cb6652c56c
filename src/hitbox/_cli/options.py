"""Options as the shell has them: flags made from options classes, and how values are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click

from hitbox._base.errors import InputError
from hitbox._base.lengths import UPS
from hitbox._formats.write_collider import suffixes
from hitbox._methods.carve import CarveOptions
from hitbox._methods.fit import FitOptions
from hitbox._methods.merge import MergeOptions
from hitbox._methods.robot import RobotOptions
from hitbox._model.importance import DIRECTIONS
from hitbox._model.space import HalfSpace, NavigableSpace

OUTPUT_HELP = f"Where to write; the suffix picks the format ({', '.join(suffixes())}). May be given again."
_Command = TypeVar("_Command", bound=Callable[..., Any])


def fit_options(command: _Command) -> _Command:
    """One flag for each field of FitOptions."""
    hints = {
        "kinds": "Such as box,sphere.",
        "weights": "Such as organic, or prism=1.4,frustum=2.",
        "importance": "Such as up, +z=8 or seat=4. May be given again.",
        "keep_clear": "Or a saved space. May be given again.",
    }
    types = {"count": int, "max_excess": float, "time_budget": float, "hull_vertices": int}
    return _flags(command, FitOptions, types, hints=hints, again=("importance", "keep_clear"))


def carve_options(command: _Command) -> _Command:
    """One flag for each field of CarveOptions; those of CARVE_ALIASES come last."""
    clear = "A point x,y,z around which room is kept. May be given again."
    sealed = "Sealed space counts too, not only what balls get to."
    command = click.option("--sealed", is_flag=True, help=sealed)(command)
    command = click.option("--clear", multiple=True, help=clear)(command)
    floor = "Solid ground, such as z=0: balls do not come from below it. May be given again."
    command = click.option("--floor", multiple=True, help=floor)(command)
    types = {"count": int, "max_vertices": int, "effort": float, "concave_edges": int, "seed": int}
    return _flags(command, CarveOptions, types, but=tuple(CARVE_ALIASES.values()))


def merge_options(command: _Command) -> _Command:
    """One flag for each field of MergeOptions but the one that is a file."""
    return _flags(command, MergeOptions, {"count": int, "max_vertices": int}, but=("space",))


# Flags of robot that have another name than their field: a word of Python, and one of several.
ROBOT_ALIASES = {"from_": "source", "package": "packages"}


def robot_options(command: _Command) -> _Command:
    """One flag for each field of RobotOptions but those of ROBOT_ALIASES, and theirs."""
    command = click.option(
        "--package", multiple=True, help="Where a package is, such as arm=src/arm. May be given again."
    )(command)
    known = {field.name: field.metadata["help"] for field in fields(RobotOptions)}
    command = click.option("--from", "from_", help=f"{known['source']} [default: visual]")(command)
    hints = {"kinds": "Such as box,sphere."}
    types = {"count": int, "poses": int}
    return _flags(command, RobotOptions, types, hints=hints, but=tuple(ROBOT_ALIASES.values()))


# Flags of carve that have another name than their field, as they are said in another way.
CARVE_ALIASES = {"floor": "blockers", "clear": "keep_clear", "sealed": "reachable_only"}


def _flags(
    command: _Command,
    options: Any,
    types: Mapping[str, type],
    *,
    hints: Mapping[str, str] = MappingProxyType({}),
    again: Sequence[str] = (),
    but: Sequence[str] = (),
) -> _Command:
    """One flag for each field of an options class, with its name, help and default.

    `types`: those of fields that are not texts; `hints`: what the help says besides; `again`: fields that
    may be given several times; `but`: fields without a flag of their name.
    """
    for option in reversed([field for field in fields(options) if field.name not in but]):
        flags = ["-n"] if option.name == "count" else []
        said = [option.metadata["help"]] + ([hints[option.name]] if option.name in hints else [])
        if option.metadata["default"]:
            said.append(f"[default: {option.metadata['default']}]")
        flags.append("--" + option.name.replace("_", "-"))
        if isinstance(option.default, bool):
            command = click.option(*flags, is_flag=True, help=" ".join(said))(command)
            continue
        kind, several = types.get(option.name, str), option.name in again
        command = click.option(*flags, type=kind, multiple=several, help=" ".join(said))(command)
    return command


def fit_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, under the names of FitOptions; the rest keeps its defaults."""
    return _keywords(given, {
        "kinds": lambda text: words("--kinds", text),
        "weights": lambda text: weights("--weights", text),
        "weld": number_or_text,
        "drop_thin": number_or_text,
        "pad": number_or_text,
        "tolerance": number_or_text,
        "importance": lambda texts: importance("--importance", texts),
        "keep_clear": lambda texts: [row for text in texts for row in spheres("--keep-clear", text)],
    })  # fmt: skip


def carve_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, under the names of CarveOptions; the rest keeps its defaults."""
    found = _keywords(given, {
        "radius": number_or_text,
        "tolerance": number_or_text,
        "floor_tolerance": number_or_text,
        "floor": lambda texts: [floor("--floor", text) for text in texts],
        "clear": lambda texts: [point("--clear", text) for text in texts],
        "sealed": lambda is_set: not is_set,
    })  # fmt: skip
    return {CARVE_ALIASES.get(name, name): value for name, value in found.items()}


def robot_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, under the names of RobotOptions; the rest keeps its defaults."""
    found = _keywords(given, {
        "kinds": lambda text: words("--kinds", text),
        "tolerance": number_or_text,
        "pad": number_or_text,
        "package": lambda texts: dict(folder("--package", text) for text in texts),
    })  # fmt: skip
    return {ROBOT_ALIASES.get(name, name): value for name, value in found.items()}


def merge_keywords(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, under the names of MergeOptions; the rest keeps its defaults."""
    return _keywords(given, {
        "tolerance": number_or_text,
        "distance": number_or_text,
        "space": NavigableSpace.load,
    })  # fmt: skip


@dataclass(frozen=True)
class VerbFlags:
    """A verb's options as flags, and what was said with them as keywords."""

    options: Callable[[Any], Any]
    keywords: Callable[[dict[str, Any]], dict[str, Any]]

    @property
    def params(self) -> list[click.Parameter]:
        """The flags alone, for a command that runs the verb."""
        return click.command()(self.options(lambda **_given: None)).params


VERBS = {
    "fit": VerbFlags(fit_options, fit_keywords),
    "carve": VerbFlags(carve_options, carve_keywords),
}


def _keywords(given: dict[str, Any], readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    said = {name: value for name, value in given.items() if value not in (None, ())}
    return {name: readers[name](value) if name in readers else value for name, value in said.items()}


def words(option: str, text: str) -> tuple[str, ...]:
    """`box,sphere` as ("box", "sphere")."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise InputError(f"{option}: nothing is listed in {text!r}. Write names with commas between them.")
    return found


def whole_numbers(option: str, text: str) -> tuple[int, ...]:
    """`16,64,256` as (16, 64, 256)."""
    try:
        return tuple(int(word) for word in words(option, text))
    except ValueError:
        raise InputError(f"{option}: must be whole numbers such as 16,64,256, not {text!r}.") from None


def weights(option: str, text: str) -> dict[str, float] | str:
    """`box=1,prism=1.4` as a dict; a name alone is a preset's."""
    if "=" not in text and "," not in text:
        return text.strip()
    return dict(
        _pair(pair, f"{option}: must be kind=number such as prism=1.4") for pair in words(option, text)
    )


def importance(option: str, texts: Sequence[str]) -> str | tuple[str, float] | dict[str, float]:
    """`up` as it is, `up=8` as ("up", 8.0); names of parts or materials, `seat=4`, as one dict."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0].strip()
    wrong = f"{option}: must be one direction such as up, or name=number such as seat=4"
    found = dict(_pair(text, wrong) for text in texts)
    directions = [name for name in found if name in DIRECTIONS]
    if directions and len(found) > 1:
        raise InputError(f"{wrong}, not {' and '.join(texts)!r}.")
    return (directions[0], found[directions[0]]) if directions else found


def spheres(option: str, text: str) -> list[tuple[float, ...]]:
    """`0,0,1.5,0.3`: a centre and a radius; or all those of a saved space."""
    if text.lower().endswith(".json"):
        return [tuple(row) for row in NavigableSpace.load(text).spheres.tolist()]
    return [_numbers(option, text, "x,y,z,radius", "0,0,1.5,0.3")]


def point(option: str, text: str) -> tuple[float, ...]:
    """`0,0,1.5`."""
    return _numbers(option, text, "x,y,z", "0,0,1.5")


def _numbers(option: str, text: str, names: str, example: str) -> tuple[float, ...]:
    wrong = InputError(f"{option}: must be {names} such as {example}, not {text!r}.")
    try:
        found = tuple(float(word) for word in words(option, text))
    except ValueError:
        raise wrong from None
    if len(found) != len(names.split(",")):
        raise wrong
    return found


def folder(option: str, text: str) -> tuple[str, str]:
    """`name=where`."""
    name, equals, where = text.partition("=")
    if not (name.strip() and equals and where):
        raise InputError(f"{option}: must be a name and a folder such as arm=src/arm, not {text!r}.")
    return name.strip(), where


def floor(option: str, text: str) -> HalfSpace:
    """`z=0`: the axis that points up, and how high the ground is."""
    wrong = f"{option}: must be an axis and a height such as z=0"
    axis, height = _pair(text, wrong)
    if axis not in UPS:
        raise InputError(f"{wrong}, not {text!r}.")
    return HalfSpace.floor(height, axis)


def _pair(text: str, wrong: str) -> tuple[str, float]:
    name, _, value = text.rpartition("=")
    try:
        if not name:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise InputError(f"{wrong}, not {text!r}.") from None


def number_or_text(text: str) -> float | str:
    """A number where the text is one, else the text itself (1%, 5mm, exact, off)."""
    try:
        return float(text)
    except ValueError:
        return text


def lod_path(path: str, level: int, count: int) -> str:
    """Where level of detail `level` goes: `{count}` is replaced, else `.lod0` comes before the suffixes."""
    if "{count}" in path:
        return path.replace("{count}", str(count))
    whole = Path(path)
    stem, dot, suffixes = whole.name.partition(".")
    return str(whole.with_name(f"{stem}.lod{level}{dot}{suffixes}"))
