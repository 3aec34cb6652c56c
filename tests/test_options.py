"""Options are declared once: the checks, the keywords, the flags and the JSON come from the declaration."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import warnings
from dataclasses import fields

import keyword_types
import numpy as np
import pytest
import specimens
from option_lists import KEYWORDS

import hitbox
from hitbox import CarveOptions, FitOptions, InputError, MergeOptions, RobotOptions, SimulateOptions
from hitbox._base.options import GROUPS
from hitbox._cli.app import cli, run
from hitbox._methods.run import VERBS
from hitbox._methods.space import SpaceOptions

CLASSES = [CarveOptions, FitOptions, MergeOptions, RobotOptions, SimulateOptions, SpaceOptions]


@pytest.mark.parametrize("kind", CLASSES)
def test_every_field_is_declared_with_a_sentence_and_a_group(kind):
    for field in fields(kind):
        declared = kind.declarations()[field.name]
        assert declared.help[0].isupper()
        assert declared.help.endswith(".")
        assert declared.group in GROUPS
        if declared.kind.is_closed:
            assert set(declared.kind.words) >= {field.default} - {None}


@pytest.mark.parametrize("kind", CLASSES)
def test_defaults_pass_their_own_checks_and_are_not_in_the_json(kind):
    options = kind()
    always = {name for name, declared in kind.declarations().items() if declared.in_json}
    assert set(options.to_dict()) == always
    for name, declared in kind.declarations().items():
        value = getattr(options, name)
        if value is not None:
            assert declared.kind.checked("x: y", value) == value


def test_options_survive_pickling():
    options = CarveOptions(count=3, blockers=[hitbox.HalfSpace.floor(1)], sealed=True)
    assert pickle.loads(pickle.dumps(options)) == options


def test_the_keywords_for_type_checkers_are_up_to_date():
    assert KEYWORDS.read_text(encoding="utf-8") == keyword_types.text(), "run python tests/option_lists.py"


def test_signatures_list_every_option_with_its_default():
    """Notebooks and `help` show them."""
    for verb in VERBS.values():
        function = getattr(hitbox, verb.name)
        shown = inspect.signature(function).parameters
        assert set(verb.options.declarations()) <= set(shown)
        assert not any(p.kind is p.VAR_KEYWORD for p in shown.values())
    assert inspect.signature(hitbox.fit).parameters["preset"].default == "balanced"


SNIPPET = """
import hitbox
space = hitbox.navigable_space("a.obj", "5%", "1%", sealed=True)
hitbox.fit("a.obj", 4, preset="fine", keep_clear=space, kinds=("box",), weights={"box": 2})
hitbox.carve("a.obj", "5%", max_vertices=64, clear_points=[(0, 0, 1)], blockers=[hitbox.HalfSpace.floor()])
hitbox.merge("a.json", hulls_only=True)
hitbox.FitOptions(preset="fast")
"""
WRONG = {
    "hitbox.fit('a.obj', presett='fine')": 'Unexpected keyword argument "presett" for "fit"',
    "hitbox.fit('a.obj', preset='finest')": "has incompatible type \"Literal['finest']\"",
    "hitbox.fit('a.obj', tolerance=[1])": '"tolerance"',
    "hitbox.carve('a.obj', count='3')": 'Argument "count" to "carve"',
    "hitbox.merge('a.json', hull_only=True)": 'Unexpected keyword argument "hull_only" for "merge"',
    "hitbox.robot('a.urdf', 'b.urdf', source='visuals')": 'Argument "source" to "robot"',
    "hitbox.simulate('a.json', scene='maize')": 'Argument "scene" to "simulate"',
    "hitbox.navigable_space('a.obj', 1, 1, seald=True)": 'keyword argument "seald" for "navigable_space"',
    "hitbox.FitOptions(preset='finest')": 'Argument "preset" to "FitOptions"',
}


def test_a_misspelt_keyword_is_an_error_for_mypy(tmp_path):
    pytest.importorskip("mypy")
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET + "\n".join(WRONG) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path)]
    done = subprocess.run([*command, str(snippet)], capture_output=True, text=True, check=False, cwd=tmp_path)
    first = SNIPPET.count("\n") + 1
    for number, (line, said) in enumerate(WRONG.items(), first):
        found = [text for text in done.stdout.splitlines() if text.startswith(f"snippet.py:{number}: error")]
        assert any(said in text for text in found), (line, done.stdout)
    assert not [text for text in done.stdout.splitlines() if int(text.split(":")[1]) < first]


@pytest.mark.parametrize(
    ("kind", "old", "name", "value"),
    [
        (FitOptions, {"hull_vertices": 12, "kinds": ("box", "hull")}, "max_vertices", 12),
        (CarveOptions, {"keep_clear": [(1, 2, 3)]}, "clear_points", ((1.0, 2.0, 3.0),)),
        (CarveOptions, {"reachable_only": False}, "sealed", True),
        (CarveOptions, {"reachable_only": True}, "sealed", False),
    ],
)
def test_an_old_keyword_goes_on_working_with_a_warning(kind, old, name, value):
    with pytest.warns(FutureWarning, match=f"{next(iter(old))} is now {name}") as caught:
        options = kind(**old)
    assert caught[0].filename == __file__
    assert getattr(options, name) == value
    with pytest.warns(FutureWarning):
        assert kind.of(kind(), old) == options
    with pytest.raises(InputError, match=f"is the old name of {name}"):
        kind.of(None, {**old, name: value})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind(**{name: value for name, value in old.items() if name == "kinds"}, **{name: value})


def test_an_old_keyword_of_a_verb_warns_where_the_verb_is_called():
    with pytest.warns(FutureWarning, match="carve: reachable_only is now sealed") as caught:
        collider = hitbox.carve(specimens.box(), "20%", "5%", reachable_only=False)
    assert caught[0].filename == __file__
    assert collider.method.options["sealed"] is True


@pytest.mark.parametrize(
    ("arguments", "old", "new"),
    [
        (["fit", "x.obj", "--kinds", "box,hull"], ["--hull-vertices", "8"], ["--max-vertices", "8"]),
        (["carve", "x.obj"], ["--clear", "0,0,9"], ["--clear-points", "0,0,9"]),
    ],
)
def test_an_old_flag_goes_on_working_with_a_note(tmp_path, monkeypatch, capsys, arguments, old, new):
    monkeypatch.chdir(tmp_path)
    hitbox.Collider([hitbox.Box((0, 0, 0), (0, 0, 0, 1), (1, 2, 3))]).save("x.obj")
    assert run([*arguments, *new, "-o", "new.json"]) == 0
    assert capsys.readouterr().err == ""
    assert run([*arguments, *old, "-o", "old.json"]) == 0
    assert capsys.readouterr().err == f"hitbox: note: {old[0]} is now {new[0]}.\n"
    assert (tmp_path / "old.json").read_bytes() == (tmp_path / "new.json").read_bytes()
    assert run([arguments[0], "--help"]) == 0
    shown = capsys.readouterr().out
    assert new[0] in shown
    assert f"{old[0]} " not in shown


def completed(words, monkeypatch, tmp_path):
    """Return the shell's completions of the last word."""
    monkeypatch.chdir(tmp_path)
    from click.shell_completion import ShellComplete

    complete = ShellComplete(cli, {}, "hitbox", "_HITBOX_COMPLETE")
    return [(item.value, item.type) for item in complete.get_completions(words[:-1], words[-1])]


def test_the_shell_completes_words_lists_and_files(tmp_path, monkeypatch):
    for name in ("chair.obj", "chair.txt", "chairs.glb"):
        (tmp_path / name).touch()
    assert completed(["fit", "x", "--preset", "fa"], monkeypatch, tmp_path) == [("fast", "plain")]
    assert completed(["fit", "x", "--kinds", "box,sp"], monkeypatch, tmp_path) == [("box,sphere", "plain")]
    assert completed(["fit", "ch"], monkeypatch, tmp_path) == [
        ("chair.obj", "plain"),
        ("chairs.glb", "plain"),
    ]
    (tmp_path / "chest").mkdir()
    assert completed(["fit", "ch"], monkeypatch, tmp_path) == [("ch", "file")]


def test_a_switch_takes_true_and_false_alone():
    assert CarveOptions(hulls_only=np.bool_(True)).hulls_only is True
    with pytest.raises(InputError, match="carve: hulls_only: must be True or False, not 'no'"):
        CarveOptions(hulls_only="no")
