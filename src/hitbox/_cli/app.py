"""The command `hitbox`. Errors are one line on stderr. The exit code is 2 for wrong input, 1 for other errors
(no memory, an internal error) and for a failed check, and 130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import rich_click as click
from click.exceptions import Abort, Exit

from hitbox._base.errors import InputError
from hitbox._batch.jobs import runnable
from hitbox._cli import method, style
from hitbox._cli import options as read
from hitbox._cli.batch import batch
from hitbox._cli.carve import carve
from hitbox._cli.check import check
from hitbox._cli.compare import compare
from hitbox._cli.convert import convert
from hitbox._cli.evaluate import evaluate
from hitbox._cli.fit import fit
from hitbox._cli.info import info
from hitbox._cli.merge import merge
from hitbox._cli.render import render
from hitbox._cli.robot import robot
from hitbox._cli.simulate import simulate

FAILED, INTERRUPTED = 1, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hitbox", message="hitbox %(version)s")
def cli() -> None:
    """Turn a 3D mesh into a collider: a few convex shapes that enclose it.

    \b
    hitbox fit chair.glb -n 32 -o chair.collider.json
    hitbox carve house.glb --radius 40cm --tolerance 5cm -o house.collider.json
    hitbox convert chair.collider.json -o chair.urdf
    hitbox evaluate chair.glb chair.collider.json
    hitbox render chair.glb chair.collider.json -o chair.png
    hitbox batch models -n 32 -o colliders
    """


_COMMANDS = {
    "Make colliders": (fit, carve, merge, robot, batch),
    "Use them": (convert, check, render, simulate),
    "Measure": (evaluate, compare, info),
}

style.apply()
for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        _command.panel = _panel
        cli.add_command(_command)
for _verb in runnable().values():
    if _verb.command not in cli.commands:
        cli.add_command(method.command(_verb, panel="Make colliders"))
for _made in cli.commands.values():
    _made.params = read.in_groups(_made.params)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    try:
        ended = cli.main(args=None if arguments is None else list(arguments), standalone_mode=False)
    except (Abort, KeyboardInterrupt, InterruptedError):
        return _say("interrupted", INTERRUPTED)
    except Exit as finished:
        return finished.exit_code
    except SystemExit as finished:  # rich-click has shown the help of a command without arguments
        return finished.code if isinstance(finished.code, int) else FAILED
    except click.ClickException as error:
        hint = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        return _say(f"{error.format_message()}{f' Try: {hint} --help' if hint else ''}", 2)
    except InputError as error:
        return _say(str(error), 2)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"{where}{error.strerror or error}", 2)
    except MemoryError:
        return _say("out of memory. Use a mesh with fewer faces, or a machine with more memory.", FAILED)
    except RuntimeError as error:
        return _say(f"internal error: {str(error) or type(error).__name__}", FAILED)
    return ended if isinstance(ended, int) else 0  # a command may return an exit code


def _say(message: str, code: int) -> int:
    if sys.stderr is not None:  # stderr may be closed
        print("hitbox: " + " ".join(message.split()), file=sys.stderr)
    return code
