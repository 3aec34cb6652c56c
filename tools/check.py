"""The checks before a commit: format, lint, types, imports, and the tests of changed files.

    make check                  builds, then checks the files that differ from the last commit
    make check SINCE=main       the files that differ from another one

Tests that take long are left to `make test`. Every step runs, so that one call finds all there is to repair.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from selection import ROOT, select

BIN = Path(sys.executable).parent
TESTS = ROOT / "build" / "dev" / "core" / "hitbox_tests"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--since", default="HEAD", help="a commit or branch to compare the tree with")
    changed = changed_files(parser.parse_args().since)
    started = time.perf_counter()
    failed = [name for name, command in steps(changed) if not passes(name, command)]
    took = f"{time.perf_counter() - started:.0f} s"
    print(
        f"\n{len(changed)} files changed, {took}: "
        + (f"FAILED: {', '.join(failed)}" if failed else "all passed")
    )
    return 1 if failed else 0


def changed_files(since: str) -> list[str]:
    """The files that differ from a commit, and the new ones that git does not ignore."""
    tracked = git("diff", "--name-only", "--diff-filter=d", since)
    return sorted({*tracked, *git("ls-files", "--others", "--exclude-standard")})


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def steps(changed: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Name and command of each step."""
    cpp = [name for name in changed if name.endswith((".cpp", ".hpp"))]
    tests = select(changed)
    return [
        ("format", [*tool("ruff"), "format", "--check", "--quiet", "."]),
        *([("C++ format", [*tool("clang-format"), "--dry-run", "--Werror", *cpp])] if cpp else []),
        ("lint", [*tool("ruff"), "check", "--quiet", "."]),
        ("types", tool("mypy")),
        ("imports", tool("lint-imports")),
        *([("C++ tests", [str(TESTS), *tests.cpp])] if tests.cpp else []),
        (
            "tests",
            [
                *tool("pytest"),
                "-n",
                "2",
                "--dist",
                "worksteal",
                "-m",
                "not slow and not builds",
                *tests.python,
            ],
        ),
    ]


def tool(name: str) -> list[str]:
    return [str(BIN / name)]


def passes(name: str, command: Sequence[str]) -> bool:
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(
        f"{'ok' if done.returncode == 0 else 'FAILED':>6} {name} ({time.perf_counter() - started:.1f} s)",
        flush=True,
    )
    if done.returncode != 0:
        print(done.stdout + done.stderr, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
