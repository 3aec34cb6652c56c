"""Make the lists of options in the documents from the options classes.

`python tests/option_lists.py` writes them into the documents, and the verbs' keywords into src/hitbox; tests
compare.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

import keyword_types

from hitbox._base.options import Options
from hitbox._methods.run import VERBS

ROOT = Path(__file__).parent.parent
KEYWORDS = ROOT / "src" / "hitbox" / "_keywords.py"
COLUMNS = 120


@dataclass(frozen=True)
class OptionList:
    """The list of a verb's options in a document, between two marks named after it."""

    document: Path
    mark: str
    kind: type[Options]

    def text(self) -> str:
        return "\n".join(self._item(name) for name in self.kind.declarations())

    def _item(self, name: str) -> str:
        declared = self.kind.declarations()[name]
        flag = self.kind.flag(name)
        flags = f"`-n`, `{flag}`" if name == "count" else f"`{flag}`"
        shown = f"default: {declared.default}" if declared.default else "no default"
        text = f"- `{name}` ({flags}; {shown}): {declared.help}"
        return textwrap.fill(
            text, COLUMNS, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False
        )

    def split(self) -> tuple[str, str, str]:
        """Split the document into the text before the list, the list, and the text after it."""
        text = self.document.read_text(encoding="utf-8")
        begin, end = f"<!-- {self.mark}:begin -->\n", f"<!-- {self.mark}:end -->"
        before, rest = text.split(begin)
        shown, after = rest.split(end)
        return before + begin, shown.removesuffix("\n"), f"\n{end}{after}"


def option_lists() -> list[OptionList]:
    """Those of all verbs that a document lists."""
    documents = sorted(ROOT.glob("docs/*.md"))
    texts = {document: document.read_text(encoding="utf-8") for document in documents}
    return [
        OptionList(document, f"{verb.name} options", verb.options)
        for document, text in texts.items()
        for verb in VERBS.values()
        if f"<!-- {verb.name} options:begin -->" in text
    ]


OPTION_LISTS = option_lists()


def main() -> None:
    for options in OPTION_LISTS:
        before, _, after = options.split()
        options.document.write_text(before + options.text() + after, encoding="utf-8")
    KEYWORDS.write_text(keyword_types.text(), encoding="utf-8")


if __name__ == "__main__":
    main()
