"""Compare the convex hull with exact arithmetic and SciPy's Qhull."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from hitbox._native import _core


def exact(points):
    return [[Fraction(float(x)) for x in p] for p in points]


def side(a, b, c, d):
    """Return the exact determinant of (b - a, c - a, d - a)."""
    u, v, w = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
    return (
        (u[1] * v[2] - u[2] * v[1]) * w[0]
        + (u[2] * v[0] - u[0] * v[2]) * w[1]
        + (u[0] * v[1] - u[1] * v[0]) * w[2]
    )


def sign(x):
    return (x > 0) - (x < 0)


def rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q


def cloud(kind, n, rng):
    """Return points of one kind, before they are placed."""
    if kind == "cube":
        return rng.random((n, 3))
    if kind == "grid":
        return rng.integers(0, 4, (n, 3)).astype(float)
    if kind == "sphere":
        p = rng.normal(size=(n, 3))
        return p / np.linalg.norm(p, axis=1)[:, None]
    if kind == "flat":
        return np.c_[rng.random((n, 2)), 10.0 ** rng.uniform(-12, -3) * rng.random(n)]
    if kind == "plane":
        return np.c_[rng.integers(0, 9, (n, 2)), np.zeros(n)].astype(float)
    if kind == "line":
        return np.outer(rng.integers(0, 50, n), [1.0, 2.0, 3.0])
    if kind == "duplicates":
        return rng.random((5, 3))[rng.integers(0, 5, n)]
    if kind == "scan":
        xy = rng.random((n, 2))
        return np.c_[xy, 0.1 * np.sin(3 * xy[:, 0]) + 1e-3 * rng.normal(size=n)]
    if kind == "faces":  # points on the faces and edges of a cube
        p = rng.random((n, 3))
        for k in range(n):
            axes = rng.choice(3, rng.integers(1, 4), replace=False)
            p[k, axes] = rng.integers(0, 2, len(axes))
        return p
    return rng.random((n, 3)).astype(np.float32).astype(float)  # "float32"


KINDS = ["cube", "grid", "sphere", "flat", "plane", "line", "duplicates", "scan", "faces", "float32"]


@st.composite
def clouds(draw, most=24, posed=True):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = cloud(draw(st.sampled_from(KINDS)), draw(st.integers(1, most)), rng)
    if posed and draw(st.booleans()):
        p = p @ rotation(rng).T + rng.normal(size=3)
    return np.ascontiguousarray(p * 10.0 ** draw(st.integers(-12, 12)))


def assert_closed(triangles):
    edges = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    assert len(edges) == 3 * len(triangles)
    assert all((b, a) in edges for a, b in edges)


def exact_dimension(q):
    different = [p for p in q if p != q[0]]
    if not different:
        return 0
    u = [different[0][k] - q[0][k] for k in range(3)]

    def turns(p):
        v = [p[k] - q[0][k] for k in range(3)]
        return any(u[k] * v[(k + 1) % 3] != u[(k + 1) % 3] * v[k] for k in range(3))

    off = [p for p in q if turns(p)]
    if not off:
        return 1
    return 3 if any(side(q[0], different[0], off[0], p) for p in q) else 2


@settings(max_examples=150, deadline=None)
@given(clouds())
def test_hull_is_the_exact_one(points):
    vertices, triangles, indices, dimension = _core.convex_hull(points)
    q = exact(points)
    assert np.array_equal(points[indices], vertices)
    assert dimension == exact_dimension(q)
    assert len({tuple(v) for v in vertices}) == len(vertices)
    if dimension < 2:
        assert len(vertices) == dimension + 1
        assert len(triangles) == 0
        return
    assert_closed(triangles)
    assert len(triangles) == 2 * len(vertices) - 4
    corner = exact(vertices)
    planes_at = {k: set() for k in range(len(vertices))}
    for t in triangles:
        a, b, c = (corner[k] for k in t)
        sides = [sign(side(a, b, c, p)) for p in q]
        assert max(sides) == 0
        assert dimension == 2 or min(sides) < 0
        on_plane = frozenset(k for k, p in enumerate(corner) if side(a, b, c, p) == 0)
        for k in t:
            planes_at[int(k)].add(on_plane)
    if dimension == 3:  # every vertex is extreme: it lies on three facets that share no other point
        for k, planes in planes_at.items():
            assert len(planes) >= 3
            assert frozenset.intersection(*planes) == {k}


@settings(max_examples=60, deadline=None)
@given(clouds(), st.randoms(use_true_random=False))
def test_order_of_the_input_changes_nothing(points, random):
    order = list(range(len(points)))
    random.shuffle(order)
    first, second = _core.convex_hull(points), _core.convex_hull(np.ascontiguousarray(points[order]))
    assert {tuple(v) for v in first[0]} == {tuple(v) for v in second[0]}
    assert first[3] == second[3]
    if first[3] == 3:

        def geometric(hull):
            return {frozenset(tuple(hull[0][k]) for k in t) for t in hull[1]}

        assert geometric(first) == geometric(second)


@pytest.mark.parametrize("kind", ["cube", "sphere", "scan", "grid", "faces"])
def test_large_clouds_agree_with_qhull(kind):
    rng = np.random.default_rng(3)
    points = cloud(kind, 3000, rng)
    vertices, triangles, indices, dimension = _core.convex_hull(points)
    other = ConvexHull(points)
    assert dimension == 3
    if kind in ("cube", "sphere"):
        assert set(indices.tolist()) == set(other.vertices.tolist())
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(other.volume, rel=1e-12)
    assert_closed(triangles)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_scale_changes_nothing(scale):
    points = np.random.default_rng(4).random((200, 3))
    power = 2.0 ** round(np.log2(scale))
    first, second = _core.convex_hull(points), _core.convex_hull(points * power)
    assert np.array_equal(first[1], second[1])
    assert np.array_equal(first[2], second[2])


@settings(max_examples=200, deadline=None)
@given(clouds(most=8))
def test_predicates_are_exact(points):
    points = np.vstack([points, points[0] + (points[-1] - points[0]) * 0.5])  # almost on a line
    chosen = np.array(list(combinations(range(len(points)), 4))[:60]).reshape(-1, 4)
    if len(chosen) == 0:
        return
    a, b, c, d = (np.ascontiguousarray(points[chosen[:, k]]) for k in range(4))
    q = exact(points)
    assert _core.orient3d(a, b, c, d).tolist() == [sign(side(*(q[k] for k in row))) for row in chosen]
    flat = [np.ascontiguousarray(x[:, :2]) for x in (a, b, c)]
    want = [
        sign((q[j][0] - q[i][0]) * (q[k][1] - q[i][1]) - (q[j][1] - q[i][1]) * (q[k][0] - q[i][0]))
        for i, j, k, _ in chosen
    ]
    assert _core.orient2d(*flat).tolist() == want


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.array([[0, 0, np.nan]]), np.array([[0, np.inf, 0]])])
def test_no_points_and_points_that_are_not_finite_are_refused(points):
    with pytest.raises(ValueError, match="convex hull"):
        _core.convex_hull(points)


def smallest_by_brute_force(points):
    """Return the radius of the smallest ball through some subset that contains all points."""
    best = np.inf
    for size in range(1, 5):
        for chosen in combinations(range(len(points)), size):
            p = points[list(chosen)]
            edges = p[1:] - p[0]
            weights = np.linalg.lstsq(edges @ edges.T, (edges**2).sum(1) / 2, rcond=None)[0]
            centre = p[0] + weights @ edges if size > 1 else p[0]
            best = min(best, np.linalg.norm(points - centre, axis=1).max())
    return best


@settings(max_examples=100, deadline=None)
@given(clouds(most=9))
def test_min_ball_encloses_and_is_smallest(points):
    centre, radius = _core.min_ball(points)
    assert (np.linalg.norm(points - centre, axis=1) <= radius * (1 + 1e-15)).all()
    size = np.abs(points).max() * 1e-15
    assert radius <= smallest_by_brute_force(points) * (1 + 1e-12) + 8 * size
    flat = np.ascontiguousarray(points[:, :2])
    centre, radius = _core.min_circle(flat)
    assert (np.linalg.norm(flat - centre, axis=1) <= radius * (1 + 1e-15)).all()
    assert radius <= smallest_by_brute_force(flat) * (1 + 1e-12) + 8 * size
