"""Tests of the oracle for carve: closed forms, brute force, and colliders that are deliberately wrong."""

from __future__ import annotations

import itertools

import carve_judge as judge
import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from hitbox import Mesh

SEEDS = st.integers(0, 10_000)
FEW = settings(max_examples=20)


def arrays(mesh: Mesh):
    return mesh.vertices, mesh.triangles.astype(np.int64)


def box(low, high):
    """Return the corners of a box."""
    return np.array(list(itertools.product(*zip(low, high, strict=True))), float)


def channel():
    """A U along y with walls of 0.1 and an inner width of 0.8, and its three boxes."""
    outline = [[0, 0], [1, 0], [1, 1], [0.9, 1], [0.9, 0.1], [0.1, 0.1], [0.1, 1], [0, 1]]
    floor, left, right = ([0, 0, 0], [1, 0.1, 1]), ([0, 0, 0], [0.1, 1, 1]), ([0.9, 0, 0], [1, 1, 1])
    return *arrays(specimens.extruded(outline, 1.0)), [box(*ends) for ends in (floor, left, right)]


def shell(opening=0.0):
    """A hollow cube of side 1 with walls of 0.1. `opening` is the side of a square hole in its lid."""
    half = opening / 2
    planes = [[0, 0.1, 0.5 - half, 0.5 + half, 0.9, 1]] * 2 + [[0, 0.1, 0.9, 1]]
    if not opening:
        planes = [[0, 0.1, 0.9, 1]] * 3
    filled = np.ones([len(p) - 1 for p in planes], bool)
    filled[1:-1, 1:-1, 1] = False
    if opening:
        filled[2, 2, 2] = False
    return arrays(specimens.blocks(filled, planes))


def walls():
    """Return the six walls of `shell()`."""
    cube = box([0, 0, 0], [1, 1, 1])
    return [
        np.where((np.arange(3) == axis) & (cube != side), 0.1 + 0.8 * (1 - cube), cube)
        for axis in range(3)
        for side in (0, 1)
    ]


# ---- distances


def by_nnls(point, corners):
    """Return the distance from a point to a hull by the best convex combination. A heavy row keeps the sum at
    1.
    """
    heavy = 1e4
    weights = nnls(np.vstack([corners.T, np.full(len(corners), heavy)]), np.append(point, heavy))[0]
    return float(np.linalg.norm(corners.T @ weights / weights.sum() - point))


@FEW
@given(SEEDS)
def test_distance_to_a_hull(seed):
    random = np.random.default_rng(seed)
    corners = random.normal(size=(int(random.integers(4, 40)), 3)) * random.uniform(0.05, 1, 3)
    points = random.normal(size=(20, 3))
    found = judge.Solid(corners).distances(points)
    np.testing.assert_allclose(found, [by_nnls(p, corners) for p in points], atol=1e-6)
    heights = judge.Solid(corners).heights(points)
    assert (heights <= found + 1e-12).all()
    assert ((heights <= 0) == (found == 0)).all()


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_distance_to_a_hull_without_volume(rank):
    random = np.random.default_rng(rank)
    corners = random.normal(size=(12, rank)) @ random.normal(size=(rank, 3)) + 1
    points = random.normal(size=(20, 3))
    solid = judge.Solid(corners)
    assert solid.flat
    np.testing.assert_allclose(solid.distances(points), [by_nnls(p, corners) for p in points], atol=1e-6)


@FEW
@given(SEEDS)
def test_distance_to_a_mesh(seed):
    """The reference is the hull of each triangle, also for needles, points, and sizes from 1 to a
    thousandth.
    """
    random = np.random.default_rng(seed)
    sizes = 10.0 ** random.uniform(-3, 0, (60, 1, 1))
    corners = random.normal(size=(60, 1, 3)) + random.normal(size=(60, 3, 3)) * sizes
    corners[0, 1] = corners[0, 2]
    corners[1, 1] = (corners[1, 0] + corners[1, 2]) / 2
    corners[2] = corners[2, 0]
    corners[3, 1] += 1e-9
    points = random.normal(size=(200, 3)) * 2
    found = judge.Surface(corners.reshape(-1, 3), np.arange(180).reshape(-1, 3)).distances(points)
    one_by_one = [judge.Solid(each).distances(points) for each in corners]
    np.testing.assert_allclose(found, np.min(one_by_one, axis=0), atol=1e-12)
    few = [min(by_nnls(p, each) for each in corners) for p in points[:2]]
    np.testing.assert_allclose(found[:2], few, atol=1e-6)


# ---- open space


def test_a_perfect_decomposition_passes():
    vertices, triangles, hulls = channel()
    found = judge.open_space_violations(vertices, triangles, hulls, 0.2, 0.05, 0.02)
    assert found[:2] == (0, 0.0)
    assert found.reached > 10_000
    assert judge.uncovered(vertices, triangles, hulls, 1e-6) == []
    assert judge.sticks_out(vertices, triangles, hulls) <= 1e-12


def test_the_hull_over_a_channel_is_found():
    vertices, triangles, _ = channel()
    found = judge.open_space_violations(vertices, triangles, [vertices], 0.2, 0.05, 0.02)
    assert found.entered > 1000
    assert found.deepest == 1
    assert found.hull == 0
    assert judge.uncovered(vertices, triangles, [vertices], 1e-6) == []


@pytest.mark.parametrize("high", [0.1, 0.1499, 0.1501, 0.17, 0.25])
def test_a_floor_may_be_thicker_by_the_tolerance_and_no_more(high):
    """The oracle sees it even if it is a hundredth of the grid's step."""
    vertices, triangles, hulls = channel()
    hulls[0] = box([0, 0, 0], [1, high, 1])
    step = 0.02
    found = judge.open_space_violations(vertices, triangles, hulls, 0.2, 0.05, step)
    assert (found.entered > 0) == (high > 0.15)
    deepest = max(0.0, high - 0.15) / 0.2
    assert deepest - step / 0.2 <= found.deepest <= deepest + 1e-9


def test_every_center_is_judged_as_by_brute_force(monkeypatch):
    """Blocks are only a short cut: the count is that of a test of every grid point."""
    vertices, triangles = arrays(specimens.placed(specimens.torus(1, 0.3, 9, 5), seed=1))
    hulls = [vertices[np.unique(triangles[k::3])] for k in range(3)]
    radius, tolerance, step = 0.3, 0.1, 0.14
    monkeypatch.setattr(judge, "WALKERS", 0)
    found = judge.open_space_violations(vertices, triangles, hulls, radius, tolerance, step, seed=5)
    grid = judge.Grid(vertices, radius + tolerance + 2 * step, step, 5)
    cells = judge.all_cells(grid.shape)
    points = grid.points(cells)
    room = np.min([judge.Solid(corners).distances(points) for corners in vertices[triangles]], axis=0)
    free = (room >= radius + tolerance).reshape(grid.shape)
    reached = np.zeros_like(free)
    reached[0, 0, 0] = True
    for _ in range(sum(grid.shape)):
        near = np.pad(reached, 1)
        sides = (near[:-2, 1:-1, 1:-1], near[2:, 1:-1, 1:-1], near[1:-1, :-2, 1:-1], near[1:-1, 2:, 1:-1],
                 near[1:-1, 1:-1, :-2], near[1:-1, 1:-1, 2:])  # fmt: skip
        reached = free & (reached | np.any(sides, axis=0))
    points = points[reached.ravel()]
    away = np.min([judge.Solid(hull).distances(points) for hull in hulls], axis=0)
    assert found.entered == np.count_nonzero(away < radius) > 10
    assert found.deepest == pytest.approx(1 - away.min() / radius)


def test_centers_walk_only_where_they_may():
    vertices, triangles = arrays(specimens.torus(1, 0.3, 16, 8))
    space = judge.OpenSpace(vertices, triangles, 0.2, 0.1, 0.1)
    solid = judge.Solid(vertices)
    field = judge.Surface(vertices, triangles).distances
    points = np.random.default_rng(0).normal(size=(400, 3))
    points = points[field(points) >= 0.3]
    walked = space.walked(solid, points)
    ways = points + np.linspace(0, 1, 20)[:, None, None] * (walked - points)
    outside = solid.distances(points) > 0
    assert (field(ways[:, outside].reshape(-1, 3)) >= 0.3 - 1e-9).all()
    assert (solid.distances(walked) <= solid.distances(points) + 1e-12).all()
    ended = (field(walked) - 0.3 < 0.01) | (solid.distances(walked) == 0)
    assert ended[outside].all()


def test_a_sealed_room_may_be_filled_and_an_open_one_not():
    cube = box([0, 0, 0], [1, 1, 1])
    closed, narrow, wide = shell(), shell(0.2), shell(0.5)
    for mesh, bad in ((closed, False), (narrow, False), (wide, True)):
        found = judge.open_space_violations(*mesh, [cube], 0.15, 0.05, 0.03)
        assert (found.entered > 0) == bad
    assert judge.open_space_violations(*closed, [cube], 0.15, 0.05, 0.03, sealed=True).deepest == 1
    assert judge.open_space_violations(*closed, walls(), 0.15, 0.05, 0.03, sealed=True).entered == 0


def test_a_clear_point_keeps_a_sealed_room_open():
    clear = [[0.5, 0.5, 0.5]]
    found = judge.open_space_violations(*shell(), [box([0, 0, 0], [1, 1, 1])], 0.15, 0.05, 0.05, clear=clear)
    assert found[:4] == (1, 1.0, (0.5, 0.5, 0.5), 0)
    assert judge.open_space_violations(*shell(), walls(), 0.15, 0.05, 0.05, clear=clear).entered == 0
    thick = [*walls(), box([0, 0, 0], [1, 1, 0.17])]  # the clear sphere ends at 0.15
    found = judge.open_space_violations(*shell(), thick, 0.15, 0.05, 0.05, clear=clear)
    assert found.deepest == pytest.approx(0.02 / 0.35)


def test_a_blocker_closes_a_room():
    """The channel lies upside down on solid ground, and half-spaces close its ends."""
    vertices, triangles, _ = channel()

    def ground(points):
        return np.min([1 - points[:, 1], points[:, 2] - 0.1, 0.9 - points[:, 2]], axis=0)

    found = judge.open_space_violations(vertices, triangles, [vertices], 0.2, 0.05, 0.04, blockers=ground)
    assert found.entered == 0
    assert judge.open_space_violations(vertices, triangles, [vertices], 0.2, 0.05, 0.04).entered > 0


def test_faster_distances_can_be_given():
    vertices, triangles, hulls = channel()
    asked = []

    def counted(points):
        asked.append(len(points))
        return judge.Surface(vertices, triangles).distances(points)

    found = judge.open_space_violations(vertices, triangles, hulls, 0.2, 0.05, 0.03, distances=counted)
    assert found == judge.open_space_violations(vertices, triangles, hulls, 0.2, 0.05, 0.03)
    assert 0 < sum(asked) < found.reached


# ---- cover


def test_a_missing_face_is_found():
    vertices, triangles, hulls = channel()
    found = judge.uncovered(vertices, triangles, hulls[:2], 1e-6)
    x, y, _ = vertices[triangles].max(axis=1).T
    right_wall = np.flatnonzero((x > 0.9 - 1e-9) & (y > 0.1 + 1e-9))
    assert [k for k, _ in found] == right_wall.tolist()


@pytest.mark.parametrize("gap", [0.5e-6, 1e-4])
def test_a_gap_between_two_hulls_is_found_where_it_is_wide(gap):
    vertices, triangles = arrays(specimens.box((1, 1, 1), (0.5, 0.5, 0.5)))
    hulls = [box([0, 0, 0], [0.5, 1, 1]), box([0.5 + gap, 0, 0], [1, 1, 1])]
    found = judge.uncovered(vertices, triangles, hulls, 1e-6)
    if gap < 1e-6:
        assert found == []
    else:
        assert len(found) == 8  # two triangles of each of the four sides
        np.testing.assert_allclose([wide for _, wide in found], gap - 2e-6, rtol=1e-6)


def test_hulls_cover_a_face_together():
    """A big triangle lies in the middle of 27 overlapping boxes. Without the central box a hole remains."""
    vertices, triangles = np.array([[0.2, 0.3, 1.5], [2.9, 0.4, 1.4], [1.4, 2.8, 1.6]]), np.array([[0, 1, 2]])
    cells = judge.all_cells((3, 3, 3))
    hulls = [box(cell - 0.01, cell + 1.01) for cell in cells]
    assert judge.uncovered(vertices, triangles, hulls, 1e-6) == []
    ((face, wide),) = judge.uncovered(vertices, triangles, hulls[:13] + hulls[14:], 1e-6)
    assert face == 0
    assert 0.5 < wide < 1.5


@FEW
@given(SEEDS)
def test_what_is_left_of_a_triangle_is_where_no_hull_is(seed):
    """Compare the area of the rest with random points of the triangle."""
    random = np.random.default_rng(seed)
    triangle = random.normal(size=(3, 3))
    solids = [judge.Solid(random.normal(size=(12, 3)) * 0.5 + random.normal(size=3) * 0.4) for _ in range(3)]
    pieces = [triangle]
    for solid in solids:
        pieces = [rest for piece in pieces for rest in judge.without(piece, *solid.planes)]
    points = random.dirichlet((1, 1, 1), 4000) @ triangle
    share = np.mean(np.min([solid.heights(points) for solid in solids], axis=0) > 0)
    assert sum(map(judge.area, pieces)) / judge.area(triangle) == pytest.approx(share, abs=0.04)


def test_the_length_of_a_needle_counts():
    needle = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]])
    faces = np.array([[0, 1, 2]])
    assert judge.uncovered(needle, faces, [box([-1, -1, -1], [3, 1, 1])], 1e-6) == []
    ((_, long),) = judge.uncovered(needle, faces, [box([-1, -1, -1], [1.5, 1, 1])], 1e-6)
    assert long == pytest.approx(0.5, abs=1e-5)


def test_no_hulls_and_flat_hulls_cover_nothing():
    vertices, triangles = arrays(specimens.box())
    for hulls in ([], [box([-1, -1, 0], [1, 1, 0])]):
        assert len(judge.uncovered(vertices, triangles, hulls, 1e-6)) == len(triangles)


# ---- the hulls themselves


def test_what_sticks_out_of_the_convex_hull():
    vertices, triangles = arrays(specimens.box((2, 2, 2)))
    unused = np.vstack([vertices, [[9, 9, 9]]])
    assert judge.sticks_out(unused, triangles, [box([-1, -1, -1], [1, 1, 1])]) <= 1e-12
    assert judge.sticks_out(unused, triangles, [box([0, 0, 0], [1.3, 1.4, 1])]) == pytest.approx(0.5)


def test_convex_is_closed_outward_and_not_dented():
    vertices, triangles = arrays(specimens.icosphere(1))
    assert judge.is_convex(vertices, triangles)
    assert not judge.is_convex(vertices, triangles[:-1])
    assert not judge.is_convex(vertices, triangles[:, ::-1])
    dented = vertices.copy()
    dented[0] *= 0.5
    assert not judge.is_convex(dented, triangles)
    assert not judge.is_convex(np.where(np.arange(3) == 0, np.nan, vertices), triangles)
    flat = vertices * [1, 1, 0]
    assert not judge.is_convex(flat, triangles)
