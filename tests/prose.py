"""The prose of the repository: docstrings, comments and messages of the code, and the text of documents."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
SUFFIXES = (".py", ".cpp", ".hpp", ".md")
_WORDS = 3  # shorter texts are names, not prose


class Text(NamedTuple):
    """One piece of prose. `kind` is docstring, paragraph, comment, message or document."""

    path: str
    line: int
    kind: str
    words: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.words[:150]}"


def texts() -> list[Text]:
    """Return the prose of all files of the repository, except tables of results."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    paths = [name for name in names if name.endswith(SUFFIXES) and not name.startswith("benchmarks/results/")]
    return [text for path in paths if (ROOT / path).is_file() for text in _texts_of(path)]


def _texts_of(path: str) -> Iterator[Text]:
    source = (ROOT / path).read_text(encoding="utf-8")
    read = {".py": _python, ".md": _document}.get(Path(path).suffix, _cpp)
    for line, kind, words in read(source):
        plain = " ".join(words.split())
        if len(re.findall(r"[A-Za-z]{2,}", plain)) >= _WORDS:
            yield Text(path, line, kind, plain)


def _python(source: str) -> Iterator[tuple[int, str, str]]:
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (
            text := ast.get_docstring(node)
        ):
            docstrings.add(id(node.body[0].value))
            first, *others = text.split("\n\n")
            yield node.body[0].lineno, "docstring", first
            yield from ((node.body[0].lineno, "paragraph", part) for part in others)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            if node.value.startswith("\nimport "):  # a script
                continue
            yield node.lineno, "message", node.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], "comment", token.string.lstrip("# ")


def _cpp(source: str) -> Iterator[tuple[int, str, str]]:
    block: list[str] = []
    for number, line in enumerate([*source.splitlines(), ""], 1):
        own = re.match(r"\s*// ?(.*)", line)
        if own and own[1].strip():
            block.append(own[1])
            continue
        if block:
            yield number - len(block), "comment", " ".join(block)
            block = []
        if not own and (beside := re.search(r"\s//\s(.*)", line)):
            yield number, "comment", beside[1]


def _document(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield paragraphs and items of lists, without code, headings and tables."""
    block: list[str] = []
    in_code = False
    for number, line in enumerate([*source.splitlines(), ""], 1):
        in_code ^= line.startswith("```")
        skipped = in_code or line.startswith(("```", "#", "|", "!", "<!--")) or not line.strip()
        if block and (skipped or re.match(r"\s*([-*]|\d+\.) ", line)):
            yield number - len(block), "document", " ".join(block)
            block = []
        if not skipped:
            block.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line))
