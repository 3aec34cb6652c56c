"""compare from meshes to rows: rows, stored results and messages. The peers are fakes, and V-HACD."""

from __future__ import annotations

import csv
import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import specimens
from hypothesis import given
from hypothesis import strategies as st

from hitbox import InputError, fit
from hitbox._base import files
from hitbox._base.store import Store
from hitbox._cli.app import run as shell
from hitbox._compare import Comparison, Row, Subject, compare
from hitbox._compare import peers as table
from hitbox._compare import run as running
from hitbox._compare.budget import FINEST, Budget, count_within_bytes, count_within_distance
from hitbox._compare.peers import Peer
from hitbox._compare.rows import COLUMNS, INPUT, winners
from hitbox._formats import write_collider
from hitbox._judges.evaluate import MOST_SAMPLES
from hitbox._judges.simulate.options import MOST_FRAMES, MOST_THINGS

HERE = Path(__file__).parent
QUICK = {"samples": 2000, "balls": 20, "frames": 12}
FAKES = ("boxes", "exits", "crashes", "hangs", "unsayable", "within")


@pytest.fixture(autouse=True)
def fake_peers(monkeypatch):
    for name in FAKES:
        monkeypatch.setitem(table.PEERS, name, Peer(name, f"Fake {name}", "numpy", f"fake_peers:{name}"))
    monkeypatch.setenv("MARK", uuid.uuid4().hex)


@pytest.fixture
def meshes(tmp_path):
    """Write two files of the same name in two folders."""
    paths = []
    for folder, mesh in (("a", specimens.torus(segments=12, sides=6)), ("b", specimens.box((3, 1, 2)))):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "model.obj")
        lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertices]
        faces = [mesh.indices[s:e] + 1 for s, e in zip(mesh.offsets[:-1], mesh.offsets[1:], strict=True)]
        lines += ["f " + " ".join(str(int(i)) for i in face) for face in faces]
        paths[-1].write_text("\n".join(lines) + "\n")
    return paths


@pytest.fixture
def no_pictures(monkeypatch):
    """Turn off pictures, which take most of the time."""
    real = running.find_spec
    monkeypatch.setattr(running, "find_spec", lambda name: None if name == "pyvista" else real(name))


def by_method(subject: Subject) -> dict[str, Row]:
    return {row.method: row for row in subject.rows}


def test_every_method_is_a_row_with_its_numbers(meshes, no_pictures):
    pytest.importorskip("vhacdx")
    pytest.importorskip("rapier3d")
    found = compare(meshes[1], peers=["boxes", "vhacd"], **QUICK)
    (subject,) = found.subjects
    rows = by_method(subject)
    assert list(rows) == [INPUT, "hitbox:boxes", "hitbox:vhacd", "boxes", "vhacd"]
    for row in subject.answered:
        assert row.error is None
        measured = [name for name in COLUMNS if name not in ("error", "notes")]
        assert all(getattr(row, name) is not None for name in measured)
        assert row.frame_ms is not None
        assert len(row.frame_ms) == QUICK["frames"]
    for peer in ("boxes", "vhacd"):
        assert rows[peer].bytes is not None
        assert rows[f"hitbox:{peer}"].bytes is not None
        assert rows[f"hitbox:{peer}"].bytes <= max(rows[peer].bytes / 3, 44)
        assert rows[f"hitbox:{peer}"].uncovered == 0
    assert rows["boxes"].bytes == 8 * 12 + 12 * 6
    assert rows[INPUT].frame_ms is not None
    sizes = [level.bytes for level in subject.levels]
    assert sizes == sorted(sizes)
    assert len(sizes) >= 1
    assert found.notes == (running.NO_PICTURES,)
    totals = found.totals()
    assert (totals.meshes, totals.of) == (1, 1)
    assert set(totals.labels) == {"hitbox:boxes", "hitbox:vhacd", "boxes", "vhacd"}


def test_failures_and_unreadable_files_are_rows(meshes, tmp_path, no_pictures):
    broken = tmp_path / "broken.obj"
    broken.write_text("v 0 0 0\nf 1 2 3\n")
    missing = tmp_path / "missing.obj"
    found = compare(
        [meshes[1], broken, missing], peers=["exits", "crashes", "boxes"], simulate=False, **QUICK
    )
    rows = by_method(found.subjects[0])
    assert rows["exits"].error == "ended with exit code 3"
    assert "SIGSEGV" in (rows["crashes"].error or "")
    assert rows["boxes"].error is None
    assert "hitbox:exits" not in rows
    assert rows["hitbox:boxes"].error is None
    for subject, says in zip(found.subjects[1:], ("uses vertex 3", "no such file"), strict=True):
        (row,) = subject.rows
        assert row.error is not None
        assert says in row.error
        assert not row.answered
    totals = found.totals()
    assert (totals.meshes, totals.of) == (1, 3)
    assert "exits" not in totals.labels
    found.save_html(tmp_path / "x.html")
    text = (tmp_path / "x.html").read_text()
    assert "ended with exit code 3" in text
    assert "Fake exits and Fake crashes answered on no mesh" in text


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_written_all_the_same(meshes, tmp_path, capsys, no_pictures):
    names = [os.fsencode(tmp_path) + b"/caf\xe9.obj", os.fsencode(tmp_path) + b"/caf\xe8.obj"]
    for name in names:
        Path(os.fsdecode(name)).write_bytes(meshes[1].read_bytes())
    arguments = ["compare", *map(os.fsdecode, names), "--peers", "unsayable", "--no-simulate"]
    page, table_ = tmp_path / "x.html", tmp_path / "x.csv"
    assert shell([*arguments, "--samples", "2000", "-o", str(page), "--csv", str(table_)]) == 0
    assert capsys.readouterr().err == ""
    for text in (page.read_text("utf-8"), table_.read_text("utf-8")):
        assert "caf?.obj" in text
        assert "caf?.obj (2)" in text
        assert "RuntimeError: ?" in text


def test_vertices_and_faces_are_one_mesh(no_pictures):
    box = specimens.box()
    (subject,) = compare((box.vertices, box.triangles), peers=[], simulate=False, **QUICK).subjects
    assert (subject.name, subject.faces) == ("mesh 1", 12)
    assert by_method(subject)["hitbox"].error is None
    pair = (box.vertices.tolist(), box.triangles.tolist())
    assert [s.faces for s in compare([pair, pair], peers=[], simulate=False, **QUICK).subjects] == [12, 12]


def test_what_nothing_can_touch_is_the_best_at_nothing(meshes, tmp_path, capsys, no_pictures):
    asked = {"peers": ["boxes", "within"], "simulate": False, "cache": tmp_path / "kept", **QUICK}
    first, again = compare(meshes, **asked), compare(meshes, **asked)
    assert same(first, again)
    for found in (first, again):
        for subject in found.subjects:
            rows = by_method(subject)
            # the mesh is the box; half of the box around the torus sticks out
            hidden = subject.name.startswith("b")
            assert (rows["within"].outer_mean is None) == hidden
            assert (rows["within"].outer_hausdorff is None) == hidden
            assert (running.UNTOUCHABLE in rows["within"].notes) == hidden
            assert rows["within"].all_mean is not None
            assert rows["boxes"].outer_mean is not None
            if hidden:
                assert "within" not in winners(subject.rows, "outer_mean")
        totals = found.totals()
        assert totals.meshes == 2
        for method in totals.labels:
            spreads = totals.measures[method]
            assert {m: s.meshes for m, s in spreads.items()} == {
                "outer_hausdorff": 1, "outer_mean": 1, "all_hausdorff": 2, "all_mean": 2, "bytes": 2,
            }  # fmt: skip
            assert spreads["outer_mean"].mean == by_method(found.subjects[0])[method].outer_mean
    assert "The distances are over 1 mesh" in first.to_html()
    hidden_alone = Comparison(first.subjects[1:], first.budget, first.settings)
    assert "outer_mean" not in hidden_alone.totals().measures["boxes"]
    assert "The distances are over no meshes" in hidden_alone.to_html()
    arguments = ["compare", str(meshes[1]), "--peers", "within", "--no-simulate", "--samples", "2000"]
    store = ["--store", str(tmp_path / "kept")]
    assert shell([*arguments, *store, "-o", str(tmp_path / "x.html")]) == 0
    assert "no outer surface" in capsys.readouterr().out


def test_without_an_answer_there_are_no_bytes_to_share(meshes, no_pictures):
    found = compare(meshes[1], peers=["exits"], simulate=False, **QUICK)
    row = by_method(found.subjects[0])["hitbox"]
    assert row.error is None
    assert "no peer answered" in row.notes[0]


def test_a_missing_extra_is_a_word_not_an_end(meshes, monkeypatch, tmp_path):
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    monkeypatch.setitem(table.PEERS, "gone", Peer("gone", "Gone", "no-such-package", "fake_peers:boxes"))
    found = compare(meshes[1], peers=["gone"], cache=tmp_path / "kept", **QUICK)
    assert found.notes == (running.NO_PICTURES, running.NO_SIMULATION)
    rows = by_method(found.subjects[0])
    assert rows["gone"].error == "not installed: pip install 'hitbox[peers]'"
    assert rows["hitbox"].picture is None
    assert rows["hitbox"].frame_ms is None
    found.save_html(tmp_path / "x.html")
    assert "pip install &#x27;hitbox[render]&#x27;" in (tmp_path / "x.html").read_text()
    # The peer may be installed before the next run.
    monkeypatch.setitem(table.PEERS, "gone", Peer("gone", "Gone", "numpy", "fake_peers:boxes"))
    again = compare(meshes[1], peers=["gone"], cache=tmp_path / "kept", **QUICK)
    assert by_method(again.subjects[0])["gone"].error is None


def forbidden(*_, **__):
    raise AssertionError("this was kept, and done again all the same")


def same(a: Comparison, b: Comparison) -> bool:
    return [[getattr(r, c) for c in COLUMNS] for r in a.rows] == [
        [getattr(r, c) for c in COLUMNS] for r in b.rows
    ]


@pytest.mark.slow
def test_a_second_run_does_nothing_new(meshes, tmp_path, monkeypatch):
    pytest.importorskip("rapier3d")
    pytest.importorskip("pyvista", exc_type=ImportError)
    asked = {"peers": ["boxes", "exits"], "cache": tmp_path / "kept", **QUICK}
    first = compare(meshes[0], **asked)
    assert first.notes == ()
    pictures = [(row.picture, row.picture_with_balls) for row in first.rows if row.error is None]
    assert len(pictures) == 3
    assert len({png for pair in pictures for png in pair} - {None}) == 6  # all pictures differ
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    for name in ("run_peer", "evaluate"):
        monkeypatch.setattr(running, name, forbidden)
    monkeypatch.setattr(sys.modules["hitbox._judges.simulate"], "simulate_together", forbidden)
    monkeypatch.setattr(sys.modules["hitbox._judges.render"], "picture", forbidden)
    second = compare(meshes[0], **asked)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()} == files
    assert same(first, second)
    first.save_html(tmp_path / "1.html")
    second.save_html(tmp_path / "2.html")
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()


def test_only_what_is_new_is_done(meshes, tmp_path, monkeypatch, no_pictures):
    asked = {"simulate": False, "cache": tmp_path / "kept", **QUICK}
    compare(meshes[0], peers=["exits"], **asked)
    called: list[tuple[str, str]] = []
    real = running.run_peer

    def counted(peer, mesh, **more):
        called.append((peer.name, mesh.name))
        return real(peer, mesh, **more)

    monkeypatch.setattr(running, "run_peer", counted)
    compare(meshes, peers=["exits", "boxes"], **asked)
    assert [name for name, _ in called].count("exits") == 1  # on the new mesh
    assert [name for name, _ in called].count("boxes") == 2
    called.clear()
    compare(meshes, peers=["exits"], timeout=77, **asked)
    assert [name for name, _ in called].count("exits") == 2  # a failure is valid for its own limits only
    called.clear()
    compare(meshes, peers=["boxes"], timeout=77, **asked)
    assert called == []  # an answer is valid for all limits


@pytest.mark.parametrize("harm", ["cut", "other", "bits"])
def test_a_broken_store_is_done_again(meshes, tmp_path, harm, no_pictures):
    asked = {"peers": ["boxes"], "simulate": False, "cache": tmp_path / "kept", **QUICK}
    first = compare(meshes[0], **asked)
    for path in (tmp_path / "kept").iterdir():
        data = path.read_bytes()
        changed = {"cut": data[: len(data) // 2], "other": b'{"key": 1}', "bits": data.replace(b"1", b"2")}
        path.write_bytes(changed[harm])
    again = compare(meshes[0], **asked)
    for a, b in zip(first.rows, again.rows, strict=True):
        assert (a.method, a.shapes, a.bytes, a.outer_mean) == (b.method, b.shapes, b.bytes, b.outer_mean)


def test_an_interrupted_run_keeps_what_was_finished(meshes, tmp_path, no_pictures):
    stop = threading.Event()

    def watch(stage: str, fraction: float) -> None:
        assert 0 <= fraction <= 1
        if "Fake hangs" in stage:
            stop.set()

    with pytest.raises(InterruptedError):
        compare(
            meshes[0], peers=["boxes", "hangs"], cache=tmp_path / "kept", progress=watch, cancel=stop, **QUICK
        )
    assert list((tmp_path / "kept").iterdir())
    assert not list((tmp_path / "kept").glob("*.partial"))


def test_progress_names_the_mesh_and_the_method_and_goes_forward(meshes, no_pictures):
    seen: list[tuple[str, float]] = []
    compare(meshes, peers=["boxes"], simulate=False, progress=lambda *said: seen.append(said), **QUICK)
    assert [fraction for _, fraction in seen] == sorted(fraction for _, fraction in seen)
    stages = {stage for stage, _ in seen}
    assert {"a/model.obj: Fake boxes", "b/model.obj: levels of detail", "done"} <= stages
    assert seen[-1] == ("done", 1.0)


def test_the_csv_has_one_line_a_row(meshes, tmp_path, no_pictures):
    found = compare(meshes[1], peers=["boxes", "exits"], simulate=False, **QUICK)
    found.save_csv(tmp_path / "x.csv")
    with open(tmp_path / "x.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(found.rows)
    for line, row in zip(lines, found.rows, strict=True):
        assert (line["mesh"], line["method"], line["error"]) == (row.mesh, row.method, row.error or "")
        assert line["bytes"] == ("" if row.bytes is None else str(row.bytes))
        if row.outer_mean is not None:
            assert float(line["outer_mean"]) == row.outer_mean


# --- budget ---


@given(st.lists(st.integers(16, 44), min_size=1, max_size=200), st.integers(1, 6000), st.integers(0, 50))
def test_a_large_count_within_the_bytes_is_found(sizes, most, extra):
    total = np.cumsum(sizes)
    tried = {}

    def nbytes(count: int) -> int:
        tried[count] = int(total[min(count, len(sizes)) - 1])
        return tried[count]

    faces = len(sizes) + extra
    count, notes = count_within_bytes(nbytes, most, faces)
    fitting = [n for n in range(1, faces + 1) if total[min(n, len(sizes)) - 1] <= most]
    assert bool(notes) == (not fitting)
    if not fitting:
        assert count == 1
        return
    assert count in fitting
    assert count == max(n for n in tried if n in fitting)
    assert len(tried) >= 6 or tried[count] >= 0.99 * most or count == max(fitting)


@given(st.integers(0, 2**32), st.integers(100, 100_000))
def test_few_fits_are_enough(seed, most):
    total = np.cumsum(np.random.default_rng(seed).choice([16, 28, 32, 40, 44], 8000))
    tried = []
    count, _ = count_within_bytes(lambda n: tried.append(n) or int(total[n - 1]), most, len(total))
    assert len(tried) <= 6
    assert total[count - 1] > most - max(44, 0.02 * most)


@given(st.integers(0, 2**32), st.floats(0, 1.1))
def test_the_fewest_shapes_within_a_distance_are_found(seed, most):
    falling = np.sort(np.random.default_rng(seed).uniform(0, 1, FINEST))[::-1]
    count, notes = count_within_distance(lambda n: falling[n - 1], most)
    within = [n for n in range(1, FINEST + 1) if falling[n - 1] <= most]
    assert count == (min(within) if within else FINEST)
    assert bool(notes) == (not within)


def test_a_count_is_the_count_of_fit(meshes, no_pictures):
    found = compare(meshes[0], peers=["boxes"], budget="count=3", simulate=False, **QUICK)
    row = by_method(found.subjects[0])["hitbox"]
    plain = fit(meshes[0], 3)
    assert (row.shapes, row.bytes) == (len(plain), plain.nbytes)


def test_a_tolerance_holds_where_it_is_measured(meshes, no_pictures):
    found = compare(meshes[0], peers=[], budget="tolerance=4%", simulate=False, **QUICK)
    row = by_method(found.subjects[0])["hitbox"]
    assert row.outer_hausdorff is not None
    assert row.outer_hausdorff <= 0.04
    coarse = [level for level in found.subjects[0].levels if row.shapes and level.shapes < row.shapes]
    assert coarse == [] or coarse[-1].outer_hausdorff > 0.04
    found = compare(meshes[0], peers=[], budget="tolerance=0.0000001%", simulate=False, **QUICK)
    assert "not reached" in by_method(found.subjects[0])["hitbox"].notes[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bytes=0", "share"), ("bytes=1/0", "share"), ("bytes=-1/3", "share"), ("bytes=x", "share"),
        ("bytes=nan", "share"), ("bytes=1e99999999", "share"), ("bytes=1/" + "3" * 10**6, "share"),
        ("bytes=1001", "share"), ("bytes=1e-99999999", "share"), ("count=0", "whole number"),
        ("count=1.5", "whole number"), ("count=many", "whole number"),
        ("tolerance=0", "more than 0"), ("tolerance=1parsec", "unknown unit"), ("tolerance=-1%", "0 or more"),
        ("size=3", "unknown budget"), ("bytes", "not a budget"), ("", "not a budget"), (3, "not a budget"),
    ],
)  # fmt: skip
def test_a_wrong_budget_is_one_line(text, says):
    with pytest.raises(InputError, match=says) as caught:
        Budget.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_share_is_a_fraction_or_a_decimal(a, b):
    assert Budget.parse(f"bytes={a}/{b}").share == Fraction(a, b)
    assert Budget.parse(f"bytes={a}").share == a
    assert Budget.parse(f"bytes={a}.{b}").share == Fraction(f"{a}.{b}")
    assert Budget.parse(f"bytes=.{b}").share == Fraction(f"0.{b}")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"peers": ["coacdd"]}, "Did you mean 'coacd'"),
        ({"peers": ["boxes", "boxes"]}, "names one twice"),
        ({"timeout": 0}, "more than 0"),
        ({"memory": float("nan")}, "finite"),
        ({"balls": 0}, "whole number"),
        ({"balls": MOST_THINGS + 1}, "whole number"),
        ({"frames": 0}, "whole number"),
        ({"frames": MOST_FRAMES + 1}, "whole number"),
        ({"samples": 0}, "whole number"),
        ({"samples": MOST_SAMPLES + 1}, "whole number"),
        ({"seed": -1}, "seed"),
        ({"progress": 3}, "progress"),
    ],
)
def test_wrong_options_are_refused_before_any_work(given, says, tmp_path):
    with pytest.raises(InputError, match=says):
        compare(specimens.box(), cache=tmp_path / "kept", **{"peers": ["boxes"], **given})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="no meshes"):
        compare([])


# --- store ---


def test_a_store_gives_back_what_it_got_and_nothing_else(tmp_path):
    store = Store(tmp_path / "deep" / "kept")
    store.put({"a": 1, "b": [2]}, {"x": 0.1})
    assert store.get({"b": [2], "a": 1}, dict) == {"x": 0.1}
    assert store.get({"a": 1, "b": [3]}, dict) is None

    def refuse(value):
        raise ValueError

    assert store.get({"a": 1, "b": [2]}, refuse) is None
    (file,) = (tmp_path / "deep" / "kept").iterdir()
    for length in range(0, file.stat().st_size, 7):  # many prefixes
        whole = file.read_bytes()
        file.write_bytes(whole[:length])
        assert store.get({"a": 1, "b": [2]}, dict) is None
        file.write_bytes(whole)
    nothing = Store(None)
    nothing.put({"a": 1}, 2)
    assert nothing.get({"a": 1}, int) is None


# --- totals ---


def test_totals_are_over_meshes_where_all_answered():
    def row(mesh, method, value, **more):
        measures = dict.fromkeys(("outer_hausdorff", "outer_mean", "all_hausdorff", "all_mean"), value)
        return Row(mesh, method, method, **{"bytes": 10, "shapes": 1, **measures, **more})

    subjects = [
        Subject("a", 1, (row("a", "hitbox:p", 0.1), row("a", "p", 0.2))),
        Subject("b", 1, (row("b", "hitbox:p", 0.4), row("b", "p", 0.3))),
        Subject("c", 1, (row("c", "hitbox:p", 0.1), row("c", "p", 0.5))),
        Subject("d", 1, (row("d", "hitbox", 9.0), Row("d", "p", "p", error="no answer"))),
    ]
    totals = Comparison(tuple(subjects), "bytes=1/3", {}).totals()
    assert (totals.meshes, totals.of) == (3, 4)
    assert set(totals.labels) == {"hitbox:p", "p"}
    ours = totals.measures["hitbox:p"]["outer_hausdorff"]
    assert (ours.lowest, ours.mean, ours.median) == (2, pytest.approx(0.2), pytest.approx(0.1))
    assert totals.measures["p"]["all_mean"].median == pytest.approx(0.3)
    assert totals.measures["p"]["bytes"].lowest == 3  # all values are equal, so all are the lowest
    assert totals.closer == {"hitbox:p": {**dict.fromkeys(ours_measures(), 2), "bytes": 0}}


def ours_measures() -> tuple[str, ...]:
    return ("outer_hausdorff", "outer_mean", "all_hausdorff", "all_mean")


# --- the shell ---


def test_the_shell_writes_the_page_and_the_table(meshes, tmp_path, capsys, monkeypatch, no_pictures):
    monkeypatch.chdir(tmp_path)
    arguments = ["compare", *map(str, meshes), "--peers", "boxes", "--no-simulate", "--samples", "2000"]
    assert shell([*arguments, "-o", "x.html", "--csv", "x.csv"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "a/model.obj" in said.out
    assert "Fake boxes" in said.out
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".hitbox-compare",
        "a",
        "b",
        "x.csv",
        "x.html",
    ]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["-o", "x.htm"], "written as .html"),
        (["-o", "x.html", "--csv", "x.txt"], "written as .csv"),
        (["-o", "nowhere/x.html"], "there is no folder"),
        (["-o", "x.html", "--peers", "vhacdd"], "Did you mean 'vhacd'"),
        (["-o", "x.html", "--budget", "bytes"], "not a budget"),
        (["-o", "x.html", "--timeout", "0"], "more than 0"),
        ([], "Missing option"),
    ],
)
def test_wrong_arguments_are_one_line(more, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shell(["compare", "x.obj", *more]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ctrl_c_ends_the_children_and_leaves_no_file(meshes, tmp_path):
    mark = os.environ["MARK"]
    code = textwrap.dedent(
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        from hitbox._compare.peers import PEERS, Peer
        PEERS["hangs"] = Peer("hangs", "Hangs", "numpy", "fake_peers:hangs")
        from hitbox._cli import main
        main(["compare", sys.argv[2], "--peers", "hangs", "-o", sys.argv[3]])
        """
    )
    work = tmp_path / "work"
    work.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(HERE), str(meshes[0]), str(work / "x.html")],
        env={**os.environ, "TMPDIR": str(work)}, stderr=subprocess.PIPE, cwd=work,
    )  # fmt: skip
    ends = time.monotonic() + 60
    while not processes_with(mark, besides=process.pid) and time.monotonic() < ends:
        time.sleep(0.05)
    assert processes_with(mark, besides=process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.strip() == b"hitbox: interrupted"
    assert processes_with(mark, besides=process.pid) == []
    assert [path.name for path in work.iterdir()] == [".hitbox-compare"]
    assert list((work / ".hitbox-compare").iterdir()) == []


def processes_with(mark: str, besides: int) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "cmdline").read_bytes() and int(process.name) != besides:
                found.append(process.name)
        except OSError:
            continue
    return found


def test_files_appear_whole_or_not_at_all(meshes, tmp_path, monkeypatch, no_pictures):
    found = compare(meshes[1], peers=[], simulate=False, **QUICK)
    (tmp_path / "x.html").write_text("before")
    monkeypatch.setattr(write_collider.os, "replace", forbidden)
    with pytest.raises(AssertionError):
        found.save_html(tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text() == "before"
    assert not list(tmp_path.glob("*.partial"))


def test_the_shell_writes_both_or_neither(meshes, tmp_path, capsys, monkeypatch, no_pictures):
    (tmp_path / "x.html").write_text("before")
    table_ = str(tmp_path / "x.csv")
    real = open

    def full(path, *more, **named):
        if len(list(tmp_path.glob("*.partial"))) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, *more, **named)

    monkeypatch.setattr(files, "open", full, raising=False)
    arguments = ["compare", str(meshes[1]), "--peers", "", "--no-simulate", "--samples", "2000"]
    stored = ["--store", str(tmp_path / "a")]
    assert shell([*arguments, *stored, "-o", str(tmp_path / "x.html"), "--csv", table_]) != 0
    assert "No space left on device" in capsys.readouterr().err
    assert (tmp_path / "x.html").read_text() == "before"
    assert not os.path.exists(table_)
    assert not list(tmp_path.glob("*.partial"))


def test_the_seed_of_the_shell_is_that_of_the_measures(meshes, tmp_path, monkeypatch, no_pictures):
    seen = []
    real = running.evaluate

    def watched(*given, **named):
        seen.append(named["seed"])
        return real(*given, **named)

    monkeypatch.setattr(running, "evaluate", watched)
    arguments = ["compare", str(meshes[1]), "--peers", "", "--no-simulate", "--samples", "2000"]
    assert shell([*arguments, "--seed", "7", "-o", str(tmp_path / "x.html")]) == 0
    assert set(seen) == {7}


def test_the_old_name_of_the_cache_goes_on_working(tmp_path):
    with pytest.warns(FutureWarning, match="compare: store is now cache"):
        compare(specimens.box(), peers=[], store=tmp_path / "kept", **QUICK)
    assert (tmp_path / "kept").is_dir()
