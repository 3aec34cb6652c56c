"""Hulls of few vertices contain all points, are convex, and are not larger than necessary."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from test_convex_hull import clouds

from hitbox._model.shapes import Hull, shape_from_params
from hitbox._native import _core

CAPS = [4, 5, 8, 13, 16, 32, 64, 255]


def capped(points: np.ndarray, most: int, thickness: float) -> Hull:
    hull = shape_from_params(*_core.capped_hull(points, most, thickness))
    assert isinstance(hull, Hull)  # convex and closed, as its constructor checks
    return hull


@settings(max_examples=200)
@given(clouds(most=120), st.sampled_from(CAPS))
def test_all_points_are_inside_and_the_cap_is_held(points, most):
    thickness = 1e-5 * float(np.abs(points).max() or 1)
    hull = capped(points, most, thickness)
    assert len(hull.vertices) <= most
    assert (hull.signed_distance(points) <= 0).all()
    box = np.ptp(points, axis=0) + 4 * thickness
    if most >= 8:
        assert hull.volume <= np.prod(box)


@settings(max_examples=60)
@given(clouds(most=120))
def test_more_vertices_never_make_it_larger(points):
    thickness = 1e-5 * float(np.abs(points).max() or 1)
    volumes = [capped(points, most, thickness).volume for most in (4, 8, 16, 32, 64, 128)]
    assert all(b <= a * (1 + 1e-6) for a, b in pairwise(volumes)), volumes


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(20, 400))
def test_it_is_close_to_the_hull_of_round_points(seed, count):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    points *= rng.uniform(0.2, 1, 3) / np.linalg.norm(points, axis=1)[:, None]
    for most, ratio in ((8, 2.1), (16, 1.45), (32, 1.2), (64, 1.1)):
        hull = capped(points, most, 1e-6)
        assert hull.volume <= ratio * ConvexHull(points).volume
        again = capped(points, most, 1e-6)
        assert again == hull


def test_what_has_no_hull_gives_none():
    assert _core.capped_hull(np.zeros((0, 3)), 8, 1.0) is None
    assert _core.capped_hull(np.eye(3), 8) is None
    with pytest.raises(ValueError, match="at least 4"):
        _core.capped_hull(np.eye(3), 3)
