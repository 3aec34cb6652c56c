"""Options of the verbs, each declared once.

The options of a verb are a frozen dataclass below `Options` whose fields are made by `option`. One
declaration gives the check and its message, the keyword of the Python function, the flag in its group of
the help with its completion, the row in the documents, the entry in the JSON, and the field of the core's
options.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

from hitbox._base import checks
from hitbox._base.errors import InputError
from hitbox._base.option_kinds import Kind, Scale

Group = Literal["Size", "Scene", "Shapes", "Where", "Effort", "Files", "Research"]
GROUPS: tuple[Group, ...] = get_args(Group)  # in the order of the help

AnyOptions = TypeVar("AnyOptions", bound="Options")


@dataclass(frozen=True)
class Declaration:
    """One option of a verb, without its name and its default value."""

    kind: Kind
    help: str
    group: Group
    default: str | None  # text for the help
    own_flag: str | None  # the flag, if it differs from the option's name
    was: str | None
    was_opposite: bool
    was_flag: str | None
    in_json: bool
    hidden: bool


def option(
    default: Any,
    kind: Kind,
    help: str,
    *,
    group: Group = "Shapes",
    means: str | None = None,
    flag: str | None = None,
    was: str | None = None,
    was_opposite: bool = False,
    was_flag: str | None = None,
    in_json: bool = False,
    hidden: bool = False,
) -> Any:
    """Declare a field of an options class.

    `means` replaces the default value in the help and the documents. `flag` is the flag's name if it differs
    from the option's. `was` and `was_flag` are old names, which still work, with a note. With `was_opposite`
    the old option had the opposite meaning. With `in_json` the JSON has the option even at its default. The
    help does not list a `hidden` option.
    """
    shown = means if means is not None else kind.text(default)
    if was and not was_flag and not was_opposite:
        was_flag = _flag_of(was)
    meta = Declaration(kind, help, group, shown, flag, was, was_opposite, was_flag, in_json, hidden)
    return field(default=default, metadata={"option": meta})


def same_as(options: type[Options], name: str) -> Any:
    """Declare a field as in another options class, for verbs that share an option."""
    shared = options.__dataclass_fields__[name]
    return field(default=shared.default, metadata=shared.metadata)


def _flag_of(name: str) -> str:
    return "--" + name.replace("_", "-")


class _TakesOldNames(type):
    """Lets an options class be made with the old names of its options."""

    if not TYPE_CHECKING:  # type checkers must see the signature of __init__

        def __call__(cls, **given: Any) -> Any:
            return super().__call__(**cls.renamed(given))


@dataclass(frozen=True)
class Options(metaclass=_TakesOldNames):
    """The common part of all options classes."""

    VERB: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, declared in self.declarations().items():
            value = getattr(self, name)
            if value is None and self._default(name) is None:
                continue
            object.__setattr__(self, name, declared.kind.checked(f"{self.VERB}: {name}", value))
        self._check_together()

    def _check_together(self) -> None:
        """Raise an InputError if options that are valid alone contradict each other."""

    @classmethod
    def declarations(cls) -> dict[str, Declaration]:
        """Return the options by name, in the order of their fields."""
        return {f.name: f.metadata["option"] for f in fields(cls) if "option" in f.metadata}

    @classmethod
    def flag(cls, name: str) -> str:
        """Return the flag of an option."""
        return cls.declarations()[name].own_flag or _flag_of(name)

    @classmethod
    def _default(cls, name: str) -> Any:
        (default,) = (f.default for f in fields(cls) if f.name == name)
        return None if default is MISSING else default

    @classmethod
    def renamed(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords under their present names. An old name causes a FutureWarning."""
        old = {declared.was: name for name, declared in cls.declarations().items() if declared.was}
        found: dict[str, Any] = {}
        for name, value in given.items():
            if name not in old:
                found[name] = value
                continue
            today = old[name]
            if today in given:
                raise InputError(f"{cls.VERB}: {name} is the old name of {today}. Give only {today}.")
            warn_of_old_name(cls.VERB, name, cls.note_on(today))
            found[today] = not value if cls.declarations()[today].was_opposite else value
        return found

    @classmethod
    def note_on(cls, name: str) -> str:
        """Explain the replacement of an old name."""
        declared = cls.declarations()[name]
        return f"is now {name}{', with the opposite meaning' if declared.was_opposite else ''}"

    @classmethod
    def of(cls: type[AnyOptions], options: AnyOptions | None, keywords: Mapping[str, Any]) -> AnyOptions:
        """Make one options object from an object, from keywords, or from both; keywords take precedence."""
        verb = cls.VERB
        if options is not None and not isinstance(options, cls):
            raise InputError(f"{verb}: options: must be {cls.__name__}, not a {type(options).__name__}.")
        known = cls.declarations()
        old = {declared.was for declared in known.values()}
        for name in keywords:
            if name not in known and name not in old:
                hint = checks.guess(name, known)
                raise InputError(f"{verb}: unknown option {name!r}.{hint} Known: {', '.join(known)}.")
        return cls(**keywords) if options is None else replace(options, **cls.renamed(keywords))

    def _plain_defaults(self) -> dict[str, Any]:
        """Return the default values, which the JSON omits."""
        return {name: self._default(name) for name in self.declarations()}

    def to_dict(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, for the JSON of a collider."""
        plain: dict[str, Any] = {}
        defaults = self._plain_defaults()
        for name, declared in self.declarations().items():
            value = getattr(self, name)
            if declared.in_json or value != defaults[name]:
                plain[name] = None if value is None else declared.kind.plain(value)
        return plain

    def into_core(self, core: Any, scale: Scale) -> Any:
        """Set the fields of the core's options that have the name of an option, except for None."""
        for name, declared in self.declarations().items():
            value = getattr(self, name)
            if value is not None and declared.kind.crosses and hasattr(core, name):
                where = f"{self.VERB}: {name}"
                setattr(core, name, declared.kind.for_core(where, value, scale, getattr(core, name)))
        return core


def warn_of_old_name(verb: str, name: str, note: str) -> None:
    """Warn with a FutureWarning at the line that called hitbox."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "hitbox":
        frame, level = frame.f_back, level + 1
    warnings.warn(f"{verb}: {name} {note}.", FutureWarning, stacklevel=level)
