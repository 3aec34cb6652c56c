"""List the tables in benchmarks/results that are older than the code they judge.

    python benchmarks/stale.py [--mark]

Each table keeps a hash of the behaviour of its verbs at the time it was made (see behaviour.py). A table is
stale if a verb behaves differently now, or if the hash is unknown. A stale table must have a warning at its
top. `--mark` writes that warning, and removes it where it is no longer true. The exit code is 1 if a stale
table has no warning, or if a valid table has one.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import harness
from behaviour import UNKNOWN, VERBS, behaviour

HEAD = "Behaviour judged"
WARNING = re.compile(r"^\*\*Stale\*\*: .*?\n\n", re.MULTILINE | re.DOTALL)


def behaviour_line(hashes: Mapping[str, str]) -> str:
    return f"{HEAD}: " + ", ".join(f"{verb} `{found}`" for verb, found in hashes.items()) + "."


def judged(text: str) -> dict[str, str]:
    """Return the hashes in a table's head by verb, or an empty dict."""
    line = re.search(rf"^{HEAD}: (.*?)\.$", text, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"(\w+) `(\w+)`", line[1])) if line else {}


def reason(text: str, now: Mapping[str, str]) -> str | None:
    """Return why a table is stale, or None if it is valid. Verbs that cannot run on this machine are not
    compared.
    """
    kept = judged(text)
    if not kept:
        return "the table does not say what the code it judges did"
    if unknown := [verb for verb, found in kept.items() if found == UNKNOWN or verb not in VERBS]:
        return f"it is not known what {', '.join(unknown)} did when it was made"
    changed = [verb for verb, found in kept.items() if now[verb] not in (found, UNKNOWN)]
    return f"{', '.join(changed)} does something else now" if changed else None


def warned(text: str, why: str | None) -> str:
    """Return the table with a warning below its title if it is stale, without one if it is valid."""
    bare = WARNING.sub("", text, count=1)
    if why is None:
        return bare
    made = re.search(r"Made by `([^`]+)`", bare)
    command = f"\nRun `{made[1]}` to make it anew." if made else ""
    title, rest = bare.split("\n\n", 1)
    return f"{title}\n\n**Stale**: {why}.{command}\n\n{rest}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mark", action="store_true", help="write or remove the warning in each table")
    parser.add_argument("--results", type=Path, default=harness.RESULTS, help="the folder of the tables")
    given = parser.parse_args()
    tables = {path: path.read_text() for path in sorted(given.results.glob("*.md"))}
    now = behaviour(sorted({verb for text in tables.values() for verb in judged(text)} & VERBS.keys()))
    wrong = 0
    for path, text in tables.items():
        why = reason(text, now)
        right = warned(text, why)
        if given.mark and right != text:
            path.write_text(right)
        elif right != text:
            wrong += 1
        note = "" if given.mark or right == text else " (the table says otherwise: run with --mark)"
        print(f"{path.name}: {f'stale: {why}' if why else 'holds'}{note}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
