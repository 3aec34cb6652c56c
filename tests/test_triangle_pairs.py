"""Compare the relation of two triangles with a slow, exact oracle in fractions that shares no code.

The oracle considers all ways to write a common point as weights of the corners of both: the weights are at
least 0 and add up to 1 on each side. They form a polytope, whose corners are found by solving every choice of
columns. The triangles meet if it has a corner. Their insides meet if no weight is 0 at all corners. The
common points are the hull of the points that the corners represent.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hitbox
from hitbox._native import _core

APART, SHARE_CORNER, SHARE_EDGE, TOUCH, CROSS, OVERLAP = range(6)
Point = tuple[Fraction, ...]


def solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """Return the unique solution of a linear system with its right side last, or None."""
    rows = [list(row) for row in rows]
    unknowns = len(rows[0]) - 1
    for column in range(unknowns):
        pivot = next((k for k in range(column, len(rows)) if rows[k][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for k in range(len(rows)):
            if k != column and rows[k][column] != 0:
                factor = rows[k][column] / rows[column][column]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[column], strict=True)]
    if any(row[-1] != 0 for row in rows[unknowns:]):
        return None
    return [rows[k][-1] / rows[k][k] for k in range(unknowns)]


def rank(vectors: list[Point]) -> int:
    rows, found = [list(v) for v in vectors], 0
    for column in range(3):
        pivot = next((k for k in range(found, len(rows)) if rows[k][column] != 0), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for k in range(found + 1, len(rows)):
            factor = rows[k][column] / rows[found][column]
            rows[k] = [x - factor * y for x, y in zip(rows[k], rows[found], strict=True)]
        found += 1
    return found


def spanned(points: list[Point]) -> int:
    return rank([tuple(x - y for x, y in zip(p, points[0], strict=True)) for p in points])


def judged(first: np.ndarray, second: np.ndarray) -> int:
    a = [tuple(Fraction(float(x)) for x in p) for p in first]
    b = [tuple(Fraction(float(x)) for x in p) for p in second]
    one, none = Fraction(1), Fraction(0)
    columns = [[*p, one, none] for p in a] + [[*(-x for x in p), none, one] for p in b]
    right = [none, none, none, one, one]
    weights = []
    for size in range(2, 6):
        for chosen in combinations(range(6), size):
            found = solved([[columns[c][k] for c in chosen] + [right[k]] for k in range(5)])
            if found is not None and min(found) >= 0:
                full = [none] * 6
                for c, w in zip(chosen, found, strict=True):
                    full[c] = w
                weights.append(full)
    if not weights:
        return APART
    if all(any(w[k] > 0 for w in weights) for k in range(6)):
        return OVERLAP if spanned(a + b) < 3 else CROSS
    if spanned(a) < 2 or spanned(b) < 2:
        return TOUCH
    common = sorted(set(a) & set(b))
    points = {tuple(sum((w[k] * a[k][axis] for k in range(3)), none) for axis in range(3)) for w in weights}
    if len(common) == 1 and points == set(common):
        return SHARE_CORNER
    if len(common) == 2 and points >= set(common):
        low, high = common
        if all(spanned([low, high, p]) == 1 and low <= p <= high for p in points):
            return SHARE_EDGE
    return TOUCH


small = st.integers(0, 3).map(float)
coarse = st.tuples(small, small, small)
odd = st.tuples(*[st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 0.7, 1.1, 1e-30, -0.2])] * 3)
wide = st.tuples(*[st.floats(-8, 8, width=32)] * 3)


@st.composite
def pairs(draw):
    corner = draw(st.sampled_from([coarse, coarse, odd, wide]))
    a, b = ([draw(corner) for _ in range(3)] for _ in range(2))
    for k in range(draw(st.integers(0, 2))):
        b[k] = a[draw(st.integers(0, 2))]  # share corners
    if draw(st.booleans()):  # put a corner onto the other one, as well as doubles can
        u, v = draw(st.sampled_from([(0.5, 0.0), (0.25, 0.25), (0.5, 0.5), (0.1, 0.7), (1.5, 0.0)]))
        p = np.array(a)
        b[2] = tuple((p[0] + u * (p[1] - p[0]) + v * (p[2] - p[0])).tolist())
    a, b = np.array(a), np.array(b)
    if draw(st.booleans()):
        k, axis = draw(st.integers(0, 2)), draw(st.integers(0, 2))
        away = draw(st.sampled_from([-np.inf, np.inf]))
        # The smallest double of all is outside the range of the predicates.
        b[k, axis] = np.nextafter(b[k, axis], away) if b[k, axis] else np.copysign(2.0**-200, away)
    return a, b


def relation(a, b):
    return int(_core.triangle_relations(np.ascontiguousarray(a), np.ascontiguousarray(b))[0])


@settings(max_examples=300, deadline=None)
@given(pairs())
def test_relations_are_those_of_fractions(pair):
    a, b = pair
    expected = judged(a, b)
    assert relation(a, b) == expected
    assert relation(b, a[[2, 0, 1]]) == expected
    assert _core.surfaces_meet(a, b) == (expected != APART)


# A check of the judge itself, and of each answer by name.
@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ([(0, 0, 1), (4, 0, 1), (0, 4, 1)], APART),
        ([(0, 0, 0), (0, 0, 4), (-4, 0, 4)], SHARE_CORNER),
        ([(4, 0, 0), (0, 0, 0), (0, -4, 0)], SHARE_EDGE),
        ([(0, 0, 0), (2, 2, 0), (0, 0, 3)], TOUCH),
        ([(1, 1, -1), (1, 1, 1), (2, 2, 1)], CROSS),
        ([(1, 1, 0), (2, 1, 0), (1, 2, 0)], OVERLAP),
        ([(1, 1, 1), (1, 1, -1), (1, 1, 0)], CROSS),
    ],
)
def test_named_relations(other, expected):
    floor, other = np.array([(0, 0, 0), (4, 0, 0), (0, 4, 0)], float), np.array(other, float)
    assert judged(floor, other) == relation(floor, other) == expected


def corners_of(mesh):
    return np.ascontiguousarray(mesh.vertices[mesh.triangles].reshape(-1, 3))


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.floats(-1.2, 1.2)] * 3), st.integers(4, 9))
def test_surfaces_meet_as_their_triangles_do(move, segments):
    ball = hitbox.Sphere((0, 0, 0), 0.5).to_mesh(segments)
    box = hitbox.Box((0, 0, 0), (0, 0, 0, 1), (0.3, 0.4, 0.5)).to_mesh()
    first = corners_of(hitbox.Mesh(*ball))
    second = corners_of(hitbox.Mesh(*box)) + move
    count, others = len(first) // 3, len(second) // 3
    rows = np.repeat(first.reshape(-1, 3, 3), others, axis=0).reshape(-1, 3)
    columns = np.tile(second, (count, 1))
    assert _core.surfaces_meet(first, second) == bool(_core.triangle_relations(rows, columns).any())


def test_self_crossings_are_named_once():
    box = hitbox.Mesh(*hitbox.Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1)).to_mesh())
    run = _core.Run(1, None)
    triangles = np.ascontiguousarray(box.triangles, np.uint32)
    assert _core.self_crossings(box.vertices, triangles, True, 0, run).shape == (0, 3)
    both = np.concatenate([box.vertices, box.vertices + np.array([1.5, 0.25, 0.125])])
    twice = np.concatenate([triangles, triangles + np.uint32(len(box.vertices))])
    found = _core.self_crossings(both, twice, False, 0, run)
    rows = both[twice]
    expected = [
        (i, j, relation(rows[i], rows[j]))
        for i, j in combinations(range(len(twice)), 2)
        if relation(rows[i], rows[j]) >= CROSS
    ]
    assert [tuple(row) for row in found.tolist()] == expected
    assert len(expected) > 0
    with pytest.raises(ValueError, match="not a vertex"):
        _core.self_crossings(box.vertices, twice, False, 0, run)
