"""Distances to a mesh against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hitbox import _core
from hitbox.errors import InputError
from hitbox.evaluate import surface_distance

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
BOX = (CORNERS, _core.convex_hull(CORNERS)[1])


def segment_distance(p, a, b):
    along = b - a
    length = along @ along
    t = np.clip(((p - a) @ along) / length, 0, 1) if length > 0 else np.zeros(len(p))
    return np.linalg.norm(p - (a + t[:, None] * along), axis=1)


def triangle_distance(p, a, b, c):
    """Distance of points from one triangle: its edges, and its plane where they are above it."""
    best = np.minimum.reduce([segment_distance(p, *edge) for edge in ((a, b), (b, c), (c, a))])
    edges = np.stack([b - a, c - a], axis=1)
    if np.linalg.matrix_rank(edges, tol=1e-9 * np.abs(edges).max(initial=1e-300)) < 2:
        return best
    weights = np.linalg.lstsq(edges, (p - a).T, rcond=None)[0]
    inside = (weights >= 0).all(axis=0) & (weights.sum(axis=0) <= 1)
    plane = np.linalg.norm((p - a) - (edges @ weights).T, axis=1)
    return np.where(inside, np.minimum(best, plane), best)


def mesh_distance(p, vertices, triangles):
    return np.min([triangle_distance(p, *vertices[t]) for t in triangles], axis=0)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.sampled_from(["soup", "grid", "mixed"]))
def test_closest_points_agree_with_brute_force(seed, count, kind):
    rng = np.random.default_rng(seed)
    vertices = rng.random((12, 3)) if kind == "soup" else rng.integers(0, 3, (12, 3)).astype(float)
    if kind == "mixed":  # triangles of sizes 1e-6 to 1e6
        vertices = rng.normal(size=(3 * count, 3)) * 10.0 ** rng.integers(-6, 7, (3 * count, 1))
    triangles = rng.integers(0, len(vertices), (count, 3)).astype(np.uint32)  # degenerate ones too
    points = rng.normal(size=(40, 3)) * 2
    offsets = np.arange(0, triangles.size + 1, 3, dtype=np.uint32)
    found = _core.closest_points(points, vertices, triangles.ravel(), offsets, 1)
    size = np.abs(vertices).max() + 2
    want = mesh_distance(points, vertices, triangles)
    assert np.abs(found[0] - want).max() <= 1e-9 * size
    assert np.allclose(np.linalg.norm(points - found[1], axis=1), found[0], rtol=1e-12, atol=1e-14 * size)
    for p, t in zip(found[1], found[2], strict=True):
        assert triangle_distance(p[None], *vertices[triangles[t]])[0] <= 1e-9 * size
    again = _core.closest_points(points, vertices, triangles.ravel(), offsets, 3)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_polygons_count_as_fans():
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
    indices, offsets = np.arange(4, dtype=np.uint32), np.array([0, 4], np.uint32)
    distances, points, triangles = _core.closest_points(
        np.array([[0.75, 0.25, 2.0], [0.25, 0.75, -3.0], [2.0, 0.5, 0.0]]), square, indices, offsets
    )
    assert np.allclose(distances, [2, 3, 1])
    assert np.allclose(points, [[0.75, 0.25, 0], [0.25, 0.75, 0], [1, 0.5, 0]])
    assert triangles.tolist() == [0, 1, 0]


def test_samples_are_uniform_by_area_and_on_their_triangles():
    vertices, triangles = BOX
    points, owner = _core.sample_surface(vertices * [1, 2, 3], triangles, 22_000, 5)
    sides = np.array([1, 2, 3.0])
    for axis in range(3):
        area = np.prod(np.delete(sides, axis))
        for at in (0, sides[axis]):
            count = np.isclose(points[:, axis], at, rtol=0, atol=1e-12).sum()
            assert abs(count - 1000 * area) <= 4
    for t in range(len(triangles)):
        corners = (vertices * sides)[triangles[t]]
        assert triangle_distance(points[owner == t], *corners).max() < 1e-12
        centre = points[owner == t].mean(axis=0)
        assert np.abs(centre - corners.mean(axis=0)).max() < 0.1
    assert not np.array_equal(points, _core.sample_surface(vertices * sides, triangles, 22_000, 6)[0])


def test_faces_without_area_get_no_samples():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]], float)
    triangles = np.array([[3, 3, 3], [0, 1, 2], [0, 0, 1], [3, 3, 3]], np.uint32)
    assert set(_core.sample_surface(vertices, triangles, 1000, 0)[1]) == {1}


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1.0, 1e30, 1e150])
def test_surface_distance_of_a_grown_box(scale):
    vertices, triangles = BOX
    inner = (vertices - 0.5) * scale
    outer = [(inner * 1.5, triangles)]
    mean, largest = surface_distance(inner, triangles, outer, samples=20_000)
    points, _ = _core.sample_surface((vertices - 0.5) * 1.5, triangles, 20_000, 9)
    want = mesh_distance(points[:2000], vertices - 0.5, triangles) / np.sqrt(3)
    every = np.linalg.norm(np.maximum(np.abs(points) - 0.5, 0), axis=1) / np.sqrt(3)
    assert np.allclose(want, every[:2000])
    assert mean == pytest.approx(every.mean(), rel=0.01)
    assert largest == pytest.approx(0.25, rel=0.05)


def test_pieces_weigh_by_their_area_and_a_copy_has_distance_zero():
    vertices, triangles = BOX
    assert max(surface_distance(vertices, triangles, [BOX, BOX], samples=1000)) < 1e-12
    far = (vertices * 2 + [10, 0, 0], triangles)  # four times the area
    mean, _ = surface_distance(vertices, triangles, [BOX, far], samples=50_000)
    alone, _ = surface_distance(vertices, triangles, [far], samples=50_000)
    assert mean == pytest.approx(0.8 * alone, rel=0.01)
    one, two = (surface_distance(vertices, triangles, [far], samples=5000, threads=n) for n in (1, 3))
    assert one == two


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pieces": []}, "pieces"),
        ({"samples": 0}, "samples"),
        ({"seed": -1}, "seed"),
        ({"threads": -1}, "threads"),
        ({"mesh_vertices": CORNERS * np.nan}, "not finite"),
        ({"mesh_vertices": CORNERS[:3]}, "there are 3"),
        ({"mesh_vertices": CORNERS * 0}, "equal"),
        ({"mesh_triangles": np.zeros((0, 3), int)}, "no triangles"),
        ({"mesh_triangles": np.zeros((1, 4), int)}, "shape"),
    ],
)
def test_bad_input_is_one_sentence(change, message):
    good = {"mesh_vertices": BOX[0], "mesh_triangles": BOX[1], "pieces": [BOX]}
    with pytest.raises(InputError, match=message):
        surface_distance(**{**good, **change})
