"""The page in a real browser: no errors, no missing parts, no requests, no overflow."""

from __future__ import annotations

import itertools
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import specimens
from chromium import browser, chromium
from hypothesis import given
from hypothesis import strategies as st

from hitbox import Mesh
from hitbox._compare import Comparison, Level, Row, Subject, compare
from hitbox._compare import peers as table
from hitbox._compare.peers import Peer
from hitbox._compare.plots import HEIGHT, WIDTH, Axis, Series, plot, smoothed
from hitbox._compare.report import page
from hitbox._compare.rows import INPUT

EVIL = "<img src=x onerror=alert(1)>\"'&.obj"
SETTINGS = {
    "version": "0.1.0", "versions": {"<b>Peer</b>": "1", "Gone": None}, "samples": 1000, "timeout": 9.0,
    "memory": 1.0, "balls": 3, "frames": 4, "simulated": True,
}  # fmt: skip
VOID = {"meta", "link", "img", "br"}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Compare two meshes, one with an evil name, and two unreadable ones. One peer answers, one crashes."""
    pytest.importorskip("rapier3d")
    pytest.importorskip("pyvista", exc_type=ImportError)
    if chromium() is None:
        pytest.skip("no Chromium: on Debian and Ubuntu, apt-get install chromium")
    torus, box = specimens.torus(segments=12, sides=6), specimens.box((3, 1, 2))
    named = [Mesh(m.vertices, m.triangles, name=name) for m, name in ((torus, "torus.obj"), (box, EVIL))]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("boxes", "exits"):
            patch.setitem(table.PEERS, name, Peer(name, f"<i>{name}</i>", "numpy", f"fake_peers:{name}"))
        found = compare(
            [*named, "missing.obj", "missing2.obj"],
            peers=["boxes", "exits"],
            samples=2000,
            balls=40,
            frames=60,
        )
    path = tmp_path_factory.mktemp("report") / "report.html"
    found.save_html(path)
    return path


@pytest.fixture(scope="module")
def tab():
    if chromium() is None:
        pytest.skip("no Chromium: on Debian and Ubuntu, apt-get install chromium")
    with browser() as opened:
        yield opened


@pytest.mark.parametrize(
    ("width", "height", "dark"), [(1280, 900, False), (1280, 900, True), (390, 844, False), (320, 568, True)]
)
def test_the_page_is_all_there_in_a_browser(report, tab, width, height, dark):
    tab.complaints.clear()
    tab.requests.clear()
    tab.open(report, width, height, dark=dark)
    assert tab.complaints == []
    fetched = [url for url in tab.requests if not url.startswith("data:")]
    assert fetched == [report.resolve().as_uri()]
    pictures = tab.run(
        "[...document.images].map(i => [i.naturalWidth, i.getBoundingClientRect().width, i.alt])"
    )
    # the input, hitbox and the peer, alone and with balls, for two meshes
    assert len(pictures) == 2 * (3 + 3)
    assert all(natural > 0 and shown > 50 and alt for natural, shown, alt in pictures)
    assert len({alt for _, _, alt in pictures}) == len(pictures)
    wide = tab.run("[document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]")
    assert max(wide[:2]) <= wide[2] == width
    assert tab.run("document.querySelectorAll('b + b, script, i').length") == 0
    assert tab.run("getComputedStyle(document.body).backgroundColor") == (
        "rgb(18, 22, 28)" if dark else "rgb(251, 251, 252)"
    )


def test_every_plot_has_lines_that_can_be_seen_within_its_box(report, tab):
    for width in (1280, 390):
        tab.open(report, width, 900)
        plots = tab.run(
            """[...document.querySelectorAll('svg.plot')].map(svg => {
              const box = svg.getBoundingClientRect();
              const drawn = [...svg.querySelectorAll('path, circle')].map(p => {
                const r = p.getBoundingClientRect(), style = getComputedStyle(p);
                const paint = style.fill === 'none' ? style.stroke : style.fill;
                return [r.left - box.left, r.top - box.top, box.right - r.right, box.bottom - r.bottom,
                        p.getTotalLength(), paint];
              });
              return [box.width, box.height, drawn];
            })"""
        )
        assert len(plots) == 2 * 3
        for wide, high, drawn in plots:
            assert wide > 200
            assert high > 100
            assert drawn
            for left, top, right, bottom, length, paint in drawn:
                assert min(left, top, right, bottom) >= 0
                assert length > 5
                assert paint not in ("none", "rgb(0, 0, 0)", "rgba(0, 0, 0, 0)")
        texts = tab.run("[...document.querySelectorAll('svg.plot text')].map(t => t.textContent)")
        assert all(texts)
        assert not [text for text in texts if "nan" in text or "inf" in text]


def test_a_wide_table_scrolls_by_itself_and_keeps_its_names(report, tab):
    tab.open(report, 390, 844)
    inside = tab.run("[...document.querySelectorAll('.scroll')].map(s => [s.scrollWidth, s.clientWidth])")
    assert any(wide > shown for wide, shown in inside)
    moved = tab.run(
        """(() => { const all = [...document.querySelectorAll('.scroll')];
          const s = all.find(s => s.scrollWidth > s.clientWidth);
          s.scrollLeft = 9999; const t = s.querySelector('tbody th').getBoundingClientRect();
          return [s.scrollLeft, t.left - s.getBoundingClientRect().left]; })()"""
    )
    assert moved[0] > 0
    assert -1 <= moved[1] < 30


def test_the_browser_agrees_with_what_was_written(report, tab):
    tab.open(report, 1280, 900)
    heads = tab.run("[...document.querySelectorAll('h2')].map(h => h.textContent)")
    assert heads == ["Over the set", "torus.obj", EVIL, "missing.obj", "missing2.obj"]
    links = tab.run("[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.hash))")
    assert links is True
    best = tab.run("[...document.querySelectorAll('td.best')].map(t => t.textContent)")
    assert best
    assert all(text.endswith("(best)") for text in best)
    spans = tab.run(
        """[...document.querySelectorAll('table')].every(t => { const n = [...t.rows].map(
          r => [...r.cells].reduce((sum, c) => sum + c.colSpan, 0)); return n.every(x => x === n[0]); })"""
    )
    assert spans is True


class Balance(HTMLParser):
    """Checks that every opened element is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


numbers = st.none() | st.floats(0, 1e9) | st.sampled_from([0.0, 1e-12, 5e-324, 0.5])
texts = st.text(max_size=12) | st.sampled_from([EVIL, "</section>", "]]>", "&amp;", "\x00\n"])


@st.composite
def comparisons(draw):
    subjects = []
    for k in range(draw(st.integers(0, 3))):
        name = f"{draw(texts)} {k}"
        rows = [Row(name, INPUT, "input", frame_ms=np.array(draw(st.lists(st.floats(0, 1e6), max_size=9))))]
        for method in draw(st.lists(st.sampled_from(["hitbox", "hitbox:p", "p", "q"]), unique=True)):
            error = draw(st.none() | texts)
            fields = ("outer_mean", "outer_hausdorff", "all_mean", "all_hausdorff")
            measured = {field: draw(st.none() | st.floats(0, 1e3)) for field in fields}
            optional = {field: draw(numbers) for field in ("uncovered", "cpu_seconds", "frame_ms_mean")}
            sizes = {"bytes": draw(st.integers(1, 10**9)), "shapes": draw(st.integers(1, 10**6))}
            values = {**measured, **optional, **sizes, "picture": b"png"} if error is None else {}
            notes = tuple(draw(st.lists(texts, max_size=5)))
            rows.append(Row(name, method, draw(texts), error=error, notes=notes, **values))
        levels = [
            Level(4, draw(st.integers(1, 10**6)), *draw(st.tuples(*2 * [st.none() | st.floats(0, 1)])))
            for _ in range(draw(st.integers(0, 3)))
        ]
        faces = draw(st.none() | st.integers(1, 10**7))
        subjects.append(
            Subject(name, faces, tuple(rows), tuple(levels), tuple(draw(st.lists(texts, max_size=2))))
        )
    budget = draw(st.sampled_from(["bytes=1/3", "count=3", "tolerance=1%"]))
    return Comparison(tuple(subjects), budget, SETTINGS, tuple(draw(st.lists(texts, max_size=2))))


@given(comparisons())
def test_any_comparison_is_a_sound_page(comparison):
    text = page(comparison)
    parser = Balance()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert parser.seen & {"script", "iframe", "object", "b"} <= {"b"}
    assert "<b>Peer" not in text
    assert "onerror=alert(1)>" not in text
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert "url(" not in text
    assert "@import" not in text
    assert not re.search(r'="[^"]*\b(nan|inf)\b', re.sub(r'(alt|aria-label)="[^"]*"', "", text))


def length_of(path):
    at = [tuple(map(float, pair.split())) for pair in path.rstrip("Z").split("L")]
    return sum(math.dist(a, b) for a, b in itertools.pairwise(at))


@pytest.mark.parametrize("levels", [1, 3, 40])
def test_levels_that_are_all_the_same_are_a_dot(levels):
    axes = Axis("bytes", log=True), Axis("%", log=True)
    drawn = plot("x", *axes, [Series("one box", [40] * levels, [0.0] * levels, 0)])
    assert drawn.count("<circle") == 1
    assert "<path" not in drawn


points = st.lists(st.tuples(st.floats(0, 1e12), st.floats(0, 1e12)), min_size=1, max_size=30)


@given(st.lists(points, min_size=1, max_size=8), st.booleans(), st.booleans(), st.booleans())
def test_every_point_of_a_plot_is_in_its_box(series, log_x, log_y, line):
    drawn = plot(
        "x",
        Axis("x", log=log_x),
        Axis("y", log=log_y),
        [Series("s", [x for x, _ in s], [y for _, y in s], k, line) for k, s in enumerate(series)],
    )
    groups = re.findall(r"<g .*?</g>", drawn)
    assert len(groups) == len(series)
    assert all("<path" in group or "<circle" in group for group in groups)
    found = re.findall(r'<path[^>]* d="M([^"]+)"', drawn)
    assert line or len(found) == sum(map(len, series))
    for path in found:
        assert length_of(path) > 5
        for pair in path.rstrip("Z").split("L"):
            x, y = map(float, pair.split())
            assert math.isfinite(x + y)
            assert 0 <= x <= WIDTH
            assert 0 <= y <= HEIGHT
    assert drawn.count('class="tick"') <= 40


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=3000))
def test_a_smoothed_line_stays_within_what_it_smooths(values):
    x, y = smoothed(np.array(values))
    assert len(x) == len(y) <= 240
    assert x[0] == 0
    assert x[-1] == len(values) - 1
    assert x == sorted(set(x))
    assert min(values) <= min(y)
    assert max(y) <= max(values)
