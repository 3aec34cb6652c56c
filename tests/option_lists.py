"""Make the lists of options in the documents from the options classes.

`python tests/option_lists.py` writes them into the documents; tests/test_readme.py compares.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, fields
from pathlib import Path

from hitbox import CarveOptions, FitOptions, MergeOptions, RobotOptions
from hitbox._cli.options import CARVE_ALIASES

ROOT = Path(__file__).parent.parent
COLUMNS = 120


@dataclass(frozen=True)
class OptionList:
    """Where a document lists the options of `kind`, between two marks named after `mark`."""

    document: str
    mark: str
    kind: type
    flags: dict[str, str] = field(default_factory=dict)  # flags that differ from the option's name

    def text(self) -> str:
        return "\n".join(self._item(option) for option in fields(self.kind))

    def _item(self, option) -> str:
        flag = "--" + self.flags.get(option.name, option.name.replace("_", "-"))
        flags = f"`-n`, `{flag}`" if option.name == "count" else f"`{flag}`"
        default = option.metadata["default"]
        shown = f"default: {default}" if default else "no default"
        text = f"- `{option.name}` ({flags}; {shown}): {option.metadata['help']}"
        return textwrap.fill(
            text, COLUMNS, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )

    def split(self) -> tuple[str, str, str]:
        """Split the document into the text before the list, the list, and the text after it."""
        text = (ROOT / self.document).read_text(encoding="utf-8")
        before, rest = text.split(f"<!-- {self.mark}:begin -->\n")
        shown, after = rest.split(f"\n<!-- {self.mark}:end -->")
        return f"{before}<!-- {self.mark}:begin -->\n", shown, f"\n<!-- {self.mark}:end -->{after}"


OPTION_LISTS = [
    OptionList("docs/fit.md", "fit options", FitOptions),
    OptionList("docs/carve.md", "carve options", CarveOptions, {v: k for k, v in CARVE_ALIASES.items()}),
    OptionList("docs/carve.md", "merge options", MergeOptions),
    OptionList("docs/robot.md", "robot options", RobotOptions, {"source": "from", "packages": "package"}),
]


def main() -> None:
    for options in OPTION_LISTS:
        before, _, after = options.split()
        (ROOT / options.document).write_text(before + options.text() + after, encoding="utf-8")


if __name__ == "__main__":
    main()
