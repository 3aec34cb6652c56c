"""The keywords of the verbs as typed dictionaries, made from the options classes.

`python tests/option_lists.py` writes them into src/hitbox/_keywords.py; tests/test_options.py compares.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from dataclasses import fields

from hitbox import SimulateOptions
from hitbox._base.options import Options
from hitbox._methods.run import VERBS

HEAD = '''"""The keywords of the verbs, for type checkers and editors.

Made from the options classes by `python tests/option_lists.py`. Do not edit.
"""

from __future__ import annotations

'''


# _keywords.py imports nothing that is above it.
ABOVE = ("from hitbox._methods", "from hitbox._judges")


def text() -> str:
    classes = [*dict.fromkeys(verb.options for verb in VERBS.values()), SimulateOptions]
    classes.sort(key=lambda kind: (len(kind.__mro__), kind.__name__))
    named = {verb.options: positional(verb.entry) for verb in VERBS.values()}
    imports: set[str] = set()
    written = [typed_dict(kind, named.get(kind, set()), imports) for kind in classes]
    return "\n\n\n".join([HEAD + in_order(imports), *written]) + "\n"


def in_order(imports: set[str]) -> str:
    """One statement per module, sorted as ruff wants them."""
    modules: dict[str, set[str]] = {}
    for each in imports:
        start, _, names = each.partition(" import ")
        modules.setdefault(start, set()).update([names] if names else [])
    groups: dict[int, list[str]] = {}
    for start in sorted(modules, key=lambda start: (start.startswith("from"), start)):
        top = start.split()[1].partition(".")[0]
        group = 0 if top in sys.stdlib_module_names else 2 if top == "hitbox" else 1
        names = ", ".join(sorted(modules[start]))
        groups.setdefault(group, []).append(f"{start} import {names}" if names else start)
    return "\n\n".join("\n".join(groups[group]) for group in sorted(groups))


def positional(entry: str) -> set[str]:
    """The options that a verb's function names itself: a typed dictionary must not have them too."""
    module, name = entry.split(":")
    code = getattr(sys.modules[module], name).__code__
    return set(code.co_varnames[: code.co_argcount])


def typed_dict(kind: type[Options], but: set[str], imports: set[str]) -> str:
    imports.add("from typing import TypedDict")
    lines = [f"class {kind.__name__.replace('Options', 'Keywords')}(TypedDict, total=False):"]
    for field in fields(kind):
        if "option" not in field.metadata or field.name in but:
            continue
        owner = next(each for each in kind.__mro__ if field.name in inspect.get_annotations(each))
        lines.append(f"    {field.name}: {expanded(str(field.type), owner.__module__, imports)}")
    return "\n".join(lines)


def expanded(annotation: str, owner: str, imports: set[str]) -> str:
    """The annotation with the aliases of its module written out; adds what it needs to `imports`."""
    module = ast.parse(inspect.getsource(sys.modules[owner]))

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if (found := imported(module, node.id)) is not None:
                if not found.startswith(ABOVE):
                    imports.add(found)
                    return node
                return ast.parse(expanded(node.id, module_of(found), imports), mode="eval").body
            if (alias := assigned(module, node.id)) is not None:
                return self.visit(alias)
            assert hasattr(builtins, node.id), f"{owner}: where does {node.id} come from?"
            return node

    return ast.unparse(Names().visit(ast.parse(annotation, mode="eval"))).replace("'", '"')


def module_of(statement: str) -> str:
    return statement.split()[1]


def imported(module: ast.Module, name: str) -> str | None:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom | ast.Import):
            for each in node.names:
                if (each.asname or each.name) == name:
                    what = each.name + (f" as {each.asname}" if each.asname else "")
                    return (
                        f"{f'from {node.module} ' if isinstance(node, ast.ImportFrom) else ''}import {what}"
                    )
    return None


def assigned(module: ast.Module, name: str) -> ast.expr | None:
    for node in module.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return node.value
    return None
