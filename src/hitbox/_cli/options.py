"""Flags made from the declared options, and the options that are given by flags."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import rich_click as click
from click.shell_completion import CompletionItem

from hitbox._base.option_kinds import Count, Kind, Number
from hitbox._base.options import GROUPS, Declaration, Options
from hitbox._base.text import listed
from hitbox._formats.write_collider import suffixes

OUTPUT_HELP = f"File to write. Its suffix picks the format: {listed(suffixes(), 'or')}. Repeatable."
_Command = TypeVar("_Command", bound=Callable[..., Any])
AnyOptions = TypeVar("AnyOptions", bound=Options)


PANELS = ("Input", *(group for group in GROUPS if group != "Research"), "Output", "Research")


def in_groups(params: Sequence[click.Parameter]) -> list[click.Parameter]:
    """The parameters in the order of the help's groups; arguments and others keep their places."""

    def place(param: click.Parameter) -> int:
        panel = getattr(param, "panel", None)
        return PANELS.index(panel) if panel in PANELS else -1 if panel is None else len(PANELS)

    return sorted(params, key=place)


class Words(click.ParamType[str]):
    """A text with words and files that the shell completes. The options class checks it."""

    name = "text"

    def __init__(self, words: Sequence[str] = (), suffixes: Sequence[str] = (), lists: bool = False) -> None:
        self._words = words
        self._suffixes = tuple(suffixes)
        self._lists = lists

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",") if self._lists else ("", "", incomplete)
        items = [
            CompletionItem(before + comma + word)
            for word in self._words
            if word.startswith(last) and word not in before.split(",")
        ]
        return items + self._files(incomplete) if self._suffixes else items

    def _files(self, incomplete: str) -> list[CompletionItem]:
        """Complete files with these suffixes. If folders match as well, the shell completes all files
        itself.
        """
        folder, start = os.path.split(incomplete)
        try:
            found = sorted(e.name for e in os.scandir(folder or ".") if e.name.startswith(start))
            folders = any(os.path.isdir(os.path.join(folder, name)) for name in found)
        except OSError:
            return []
        if folders:
            return [CompletionItem(incomplete, type="file")]
        return [
            CompletionItem(os.path.join(folder, name))
            for name in found
            if name.lower().endswith(self._suffixes)
        ]


def flags(options: type[Options], but: Sequence[str] = ()) -> Callable[[_Command], _Command]:
    """Return a flag per option, in the groups of the help, and hidden flags for old names."""

    def add(command: _Command) -> _Command:
        for group in reversed(GROUPS):
            for name, declared in reversed(options.declarations().items()):
                if declared.group == group and name not in but:
                    command = _flag(options, name, declared)(command)
        return command

    return add


def _flag(options: type[Options], name: str, declared: Declaration) -> Callable[[_Command], _Command]:
    kind = declared.kind
    names = (["-n"] if name == "count" else []) + [options.flag(name)]
    help = " ".join(filter(None, (declared.help, kind.hint, _default(declared))))
    shared: dict[str, Any] = {"is_flag": True} if kind.is_switch else _typed(kind)

    def add(command: _Command) -> _Command:
        if declared.was_flag:
            command = click.option(declared.was_flag, _old(name), hidden=True, **shared)(command)
        return click.option(*names, name, help=help, panel=declared.group, hidden=declared.hidden, **shared)(
            command
        )

    return add


def _default(declared: Declaration) -> str:
    hidden = declared.default is None or declared.kind.is_switch
    return "" if hidden else f"[default: {declared.default}]"


def _typed(kind: Kind) -> dict[str, Any]:
    shared: dict[str, Any] = {"multiple": kind.repeats, "metavar": kind.metavar}
    if isinstance(kind, Count):
        return shared | {"type": int}
    if isinstance(kind, Number):
        return shared | {"type": float}
    return shared | {"type": Words(kind.words, kind.suffixes, kind.lists)}


def _old(name: str) -> str:
    """Return the parameter of the old flag of an option."""
    return f"old_{name}"


def chosen(options: type[AnyOptions], given: dict[str, Any], **others: Any) -> AnyOptions:
    """Return the options that the flags set; others keep their defaults. An old flag causes a note on
    stderr.
    """
    return options(**keywords(options, given), **others)


def keywords(options: type[Options], given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the flags, under the names of the options."""
    found: dict[str, Any] = {}
    for name, declared in options.declarations().items():
        flag, text = options.flag(name), given.get(name)
        if given.get(_old(name)) not in (None, (), False):
            click.echo(f"hitbox: note: {declared.was_flag} is now {flag}.", err=True)
            flag, text = str(declared.was_flag), given[_old(name)]
        if text in (None, ()) or (declared.kind.is_switch and not text):
            continue
        found[name] = declared.kind.read(flag, text)
    return found


def verb_params(options: type[Options]) -> list[click.Parameter]:
    """Return only the flags, for a command that runs a verb."""
    return click.command()(flags(options)(lambda **_given: None)).params


def lod_path(path: str, level: int, count: int) -> str:
    """Return the path of a level of detail: `{count}` is replaced, otherwise `.lod0` is inserted before the
    suffixes.
    """
    if "{count}" in path:
        return path.replace("{count}", str(count))
    whole = Path(path)
    stem, dot, suffixes = whole.name.partition(".")
    return str(whole.with_name(f"{stem}.lod{level}{dot}{suffixes}"))
