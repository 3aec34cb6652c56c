"""Compare evaluate with closed forms, brute force, and the reference implementation if it lies beside the
repository.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_strategies import one_of_each, random_hull, random_shape

import hitbox
from hitbox import Box, Collider, Cylinder, Frustum, Hull, InputError, Mesh, Sphere, evaluate
from hitbox._cli.app import run
from hitbox._judges.evaluate import CAPS, distances
from hitbox._model.collider import Source
from hitbox._model.shapes import KINDS
from hitbox._native import _core

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
BOX = (CORNERS, _core.convex_hull(CORNERS)[1])


def segment_distance(p, a, b):
    along = b - a
    length = along @ along
    t = np.clip(((p - a) @ along) / length, 0, 1) if length > 0 else np.zeros(len(p))
    return np.linalg.norm(p - (a + t[:, None] * along), axis=1)


def triangle_distance(p, a, b, c):
    """Return the distance of points from one triangle: from its edges, and from its plane for points above
    it.
    """
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
    triangles = rng.integers(0, len(vertices), (count, 3)).astype(np.uint32)  # also degenerate triangles
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


UPRIGHT = (0.0, 0.0, 0.0, 1.0)
ROOT = Path(__file__).parent.parent


def box(center, half):
    return Box(center, UPRIGHT, half)


def box_mesh(center=(0, 0, 0), half=(1, 1, 1)):
    return Mesh(*box(center, half).to_mesh())


def shapes_of(collider):
    return _core.shape_union([shape._crossing for shape in collider], (0.0, 0.0, 0.0), 1.0)


def box_distance(points, half):
    """Return the distance from an axis-aligned box around the origin, for points outside or inside."""
    beyond = np.abs(points) - np.asarray(half)
    return np.abs(np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0))


# Points on surfaces


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_points_lie_on_the_true_surface_and_normals_look_out(kind, seed):
    shape = random_shape(kind, seed)
    points, normals, owners, _ = shapes_of([shape]).sample(4000, seed, 0.0)
    assert np.abs(shape.signed_distance(points)).max() < 1e-9
    assert np.allclose(np.linalg.norm(normals, axis=1), 1)
    assert np.allclose(shape.signed_distance(points + 1e-5 * normals), 1e-5, rtol=0, atol=1e-9)
    assert not owners.any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_points_are_uniform_by_area(kind, seed):
    """Compare first and second moments with those of a fine mesh, whose facets count by their area."""
    shape = random_shape(kind, seed)
    points = np.asarray(shapes_of([shape]).sample(100_000, seed, 0.0)[0])
    vertices, triangles = shape.to_mesh(400)
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    middle = np.average((a + b + c) / 3, axis=0, weights=area)
    # The mean of the squares at the midpoints of the sides is exact over a triangle.
    squares = np.mean(
        [(x + y)[:, :, None] * (x + y)[:, None] / 4 for x, y in ((a, b), (b, c), (c, a))], axis=0
    )
    second = np.average(squares, axis=0, weights=area)
    size = np.ptp(vertices, axis=0).max() + np.abs(middle).max()
    assert np.abs(points.mean(axis=0) - middle).max() < 4e-3 * size
    assert np.abs(np.einsum("ni,nj->ij", points, points) / len(points) - second).max() < 8e-3 * size**2


def test_every_shape_gets_its_share_of_the_points():
    shapes = one_of_each()
    owners = np.asarray(shapes_of(shapes).sample(50_000, 3, 0.0)[2])
    areas = np.array([shape.area for shape in shapes])
    want = 50_000 * areas / areas.sum()
    assert np.abs(np.bincount(owners, minlength=len(shapes)) - want).max() <= 2


# Closed forms


def test_a_sphere_around_a_cube():
    cube, sphere = box_mesh(), Sphere((0, 0, 0), 2)
    found = evaluate(cube, [sphere])
    k = np.arange(200_000) + 0.5  # a Fibonacci lattice: equal areas
    height, turn = 1 - 2 * k / len(k), np.pi * (1 + 5**0.5) * k
    off = np.sqrt(1 - height**2)
    lattice = 2 * np.column_stack([off * np.cos(turn), off * np.sin(turn), height])
    diagonal = 2 * 3**0.5
    mean = box_distance(lattice, (1, 1, 1)).mean() / diagonal
    for distance in (found.all_surfaces, found.union_boundary, found.outer_surface):
        assert distance.samples == 200_000
        assert distance.mean == pytest.approx(mean, rel=2e-3)
        assert distance.hausdorff == pytest.approx(1 / diagonal, rel=1e-3)  # above the centre of a face
    assert found.coverage == hitbox.evaluate(cube, [sphere], samples=100).coverage
    assert (found.coverage.outside, found.coverage.largest, found.coverage.mean) == (0, 0, 0)
    assert found.union_volume.value == pytest.approx(32 / 3 * np.pi)
    assert found.union_volume.error < 1e-9
    assert (found.shapes, found.counts, found.nbytes) == (1, {"sphere": 1}, 16)
    assert found.diagonal == pytest.approx(diagonal)


@pytest.mark.parametrize("scale", [1e-55, 1.0, 1e55])
def test_a_box_around_a_box(scale):
    """The gap is 0.25 above the sides, and larger above the edges and corners."""
    from scipy.integrate import dblquad

    half, gap = np.array([1.0, 2.0, 3.0]), 0.25
    mesh = Mesh(box_mesh((0, 0, 0), half).vertices * scale, box_mesh().triangles)
    found = evaluate(mesh, [box((0, 0, 0), (half + gap) * scale)], samples=100_000)
    edge = gap**2 / 2 * (2**0.5 + np.arcsinh(1))  # of sqrt(gap^2 + t^2) over t from 0 to gap
    corner = dblquad(lambda s, t: (gap**2 + s * s + t * t) ** 0.5, 0, gap, 0, gap)[0]
    sides = 8 * (half[0] * half[1] + half[1] * half[2] + half[2] * half[0])
    total = gap * sides + 16 * edge * half.sum() + 24 * corner
    outer = half + gap
    area = 8 * (outer[0] * outer[1] + outer[1] * outer[2] + outer[2] * outer[0])
    diagonal = 2 * np.linalg.norm(half)
    assert found.all_surfaces.mean == pytest.approx(total / area / diagonal, rel=3e-3)
    assert found.all_surfaces.hausdorff == pytest.approx(3**0.5 * gap / diagonal, rel=0.05)
    assert found.outer_surface == found.all_surfaces
    assert found.volume == pytest.approx(8 * outer.prod() * scale**3)
    assert found.notes == ()


def test_two_overlapping_boxes():
    a, b = box((1, 0.5, 0.5), (1, 0.5, 0.5)), box((2, 0.5, 0.5), (1, 0.5, 0.5))
    mesh = box_mesh((1.5, 0.5, 0.5), (1.5, 0.5, 0.5))
    found = evaluate(mesh, [a, b])
    assert found.volume == pytest.approx(4)
    assert found.union_volume.value == pytest.approx(3, abs=3 * found.union_volume.error)
    assert 0 < found.union_volume.error < 0.01
    assert found.overlap == pytest.approx(0.25, abs=0.005)
    # Each box has one side inside the other: two of the 20 units of area, 0 to 0.5 away from the surface.
    assert found.union_boundary.samples / found.all_surfaces.samples == pytest.approx(0.9, abs=5e-3)
    assert found.union_boundary.hausdorff < 2e-3
    assert found.outer_surface.mean < 1e-5
    diagonal = 11**0.5
    assert found.all_surfaces.hausdorff == pytest.approx(0.5 / diagonal, rel=0.02)
    assert found.all_surfaces.mean == pytest.approx(
        2 / 20 / 6 / diagonal, rel=0.02
    )  # a pyramid's mean height
    apart = evaluate(mesh, [a, b.transformed(translation=(5, 0, 0))])
    assert (apart.overlap, apart.union_volume.error) == (0, 0)
    assert apart.union_boundary == apart.all_surfaces


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 1.2))
def test_the_volume_of_two_balls_is_within_its_error(seed, apart):
    balls = [Sphere((0, 0, 0), 1), Sphere((apart, 0, 0), 1)]
    lens = np.pi * (4 + apart) * (2 - apart) ** 2 / 12
    found = evaluate(box_mesh(), balls, samples=4000, seed=seed)
    assert found.union_volume.value == pytest.approx(8 / 3 * np.pi - lens, abs=3 * found.union_volume.error)
    assert found.union_volume.value <= found.volume
    wide = evaluate(box_mesh(), balls, samples=1000, seed=seed).union_volume.error
    assert found.union_volume.error == pytest.approx(wide / 2, rel=0.3)


def test_what_lies_inside_a_solid_is_not_outer_surface():
    inner = [box((0, 0, 0), (0.5, 0.5, 0.5))]
    solid = evaluate(box_mesh(), inner)
    assert (solid.outer_surface.mean, solid.outer_surface.hausdorff, solid.outer_surface.samples) == (0, 0, 0)
    assert solid.union_boundary.mean == pytest.approx(0.5 / 12**0.5)
    assert solid.coverage.outside == 1
    assert solid.coverage.largest == pytest.approx(0.75**0.5 / 12**0.5, rel=0.02)
    opened = Mesh(box_mesh().vertices, box_mesh().triangles[1:])
    assert evaluate(opened, inner).outer_surface.samples == 200_000
    inward = Mesh(box_mesh().vertices, box_mesh().triangles[:, ::-1])
    assert evaluate(inward, inner).outer_surface.samples == 200_000  # a mesh without volume is not a solid


def test_what_lies_in_the_surface_of_a_solid_is_outer_surface():
    """The box is half of the solid, without rounding: five sides lie in the solid's surface, one cuts through
    it.
    """
    found = evaluate(box_mesh(), [box((-0.5, 0, 0), (0.5, 1, 1))])
    assert found.union_boundary.samples == 200_000
    assert found.outer_surface.samples / 200_000 == pytest.approx(0.75, abs=1e-4)
    assert found.outer_surface.hausdorff < 1e-15


def test_coverage_of_a_half():
    """One of two boxes is covered. The other sticks out by its distance from the first."""
    near, far = box_mesh().triangles, box_mesh().triangles + 8
    vertices = np.vstack([box_mesh().vertices, box_mesh((10, 0, 0)).vertices])
    found = evaluate(Mesh(vertices, np.vstack([near, far])), [box((0, 0, 0), (1.1, 1.1, 1.1))])
    diagonal = np.linalg.norm([12, 2, 2])
    assert found.coverage.outside == pytest.approx(0.5, abs=1e-4)
    assert found.coverage.largest == pytest.approx(9.9 / diagonal, rel=1e-3)
    assert found.coverage.mean == pytest.approx(0.5 * 8.9 / diagonal, rel=1e-3)


# Against brute force


def hull_distance(hull, points):
    """Compute the exact distance in another way: negative below all planes, otherwise to the nearest
    triangle.
    """
    v, t = np.asarray(hull.vertices), np.asarray(hull.triangles)
    n = np.cross(v[t[:, 1]] - v[t[:, 0]], v[t[:, 2]] - v[t[:, 0]])
    n /= np.linalg.norm(n, axis=1, keepdims=True)
    above = (points @ n.T - np.einsum("ij,ij->i", n, v[t[:, 0]])).max(axis=1)
    return np.where(above < 0, above, mesh_distance(points, v, t))


def brute_distance(shape, points):
    return hull_distance(shape, points) if isinstance(shape, Hull) else shape.signed_distance(points)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 10_000)), min_size=1, max_size=12))
def test_inside_and_outside_agree_with_brute_force(chosen):
    shapes = [random_shape(kind, seed) for kind, seed in chosen]
    core = shapes_of(shapes)
    rng = np.random.default_rng(0)
    points = rng.uniform(-4, 4, (200, 3))
    each = np.array([brute_distance(shape, points) for shape in shapes])
    assert np.allclose(core.distances_outside(points), np.maximum(each.min(axis=0), 0), rtol=0, atol=1e-9)
    drawn, normals, owners, hidden = (np.asarray(x) for x in core.sample(300, 1, 0.01))
    out = drawn + 0.01 * normals
    each = np.array([brute_distance(shape, out) for shape in shapes])
    each[owners, np.arange(len(owners))] = np.inf
    sure = np.abs(each.min(axis=0)) > 1e-9
    assert np.array_equal(hidden[sure] == 1, (each.min(axis=0) < 0)[sure])


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 10_000)), min_size=2, max_size=8))
def test_the_union_is_what_random_points_in_its_box_say(chosen):
    shapes = [random_shape(kind, seed) for kind, seed in chosen]
    total, union, error = shapes_of(shapes).union_volume(20_000, 5)
    assert total == pytest.approx(sum(shape.volume for shape in shapes))
    assert union <= total * (1 + 1e-9)
    low, high = Collider(shapes).bounds
    points = np.random.default_rng(1).uniform(low, high, (40_000, 3))
    hits = Collider(shapes).contains(points).mean()
    room = np.prod(high - low)
    assert union == pytest.approx(
        hits * room, abs=2.5 * error + 5 * room * (hits * (1 - hits) / 40_000) ** 0.5
    )


# Properties


@pytest.fixture(scope="module")
def pair():
    mesh = specimens.torus()
    return mesh, hitbox.fit(mesh, 12)


def numbers(found):
    lengths = [found.coverage.outside, found.coverage.largest, found.coverage.mean, found.overlap]
    for distance in (found.all_surfaces, found.union_boundary, found.outer_surface):
        lengths += [distance.mean, distance.hausdorff, distance.samples / 20_000]
    return np.array(lengths)


@settings(max_examples=15, deadline=None)
@given(st.floats(-40, 40), st.tuples(*[st.floats(-3, 3)] * 3), st.integers(0, 100))
def test_place_and_scale_change_nothing(pair, exponent, move, seed):
    mesh, collider = pair
    scale = 10.0**exponent
    base = evaluate(mesh, collider, samples=20_000, seed=seed)
    moved = Mesh((mesh.vertices + move) * scale, specimens.polygons_of(mesh))
    found = evaluate(
        moved, collider.transformed(translation=move).transformed(scale=scale), samples=20_000, seed=seed
    )
    assert numbers(found) == pytest.approx(numbers(base), rel=1e-3, abs=3e-4)
    assert found.volume == pytest.approx(base.volume * scale**3)
    assert len(found.thin) == len(base.thin)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_turning_and_more_samples_change_no_more_than_noise(pair, seed):
    mesh, collider = pair
    base = evaluate(mesh, collider, samples=50_000)
    turn = np.random.default_rng(seed).normal(size=4)
    turn /= np.linalg.norm(turn)
    corners = np.array(Box((0, 0, 0), turn, (1, 1, 1)).to_mesh()[0])
    axes = np.stack([corners[1] - corners[0], corners[2] - corners[0], corners[4] - corners[0]]) / 2
    turned = Mesh(mesh.vertices @ axes, specimens.polygons_of(mesh))
    found = evaluate(turned, collider.transformed(rotation=turn), samples=20_000, seed=seed)
    ratio = turned.diagonal / mesh.diagonal
    assert found.all_surfaces.mean * ratio == pytest.approx(base.all_surfaces.mean, rel=0.03)
    assert found.outer_surface.mean * ratio == pytest.approx(base.outer_surface.mean, rel=0.04)
    assert found.all_surfaces.hausdorff * ratio == pytest.approx(base.all_surfaces.hausdorff, rel=0.08)
    assert found.overlap == pytest.approx(base.overlap, abs=0.02)


@settings(max_examples=10, deadline=None)
@given(specimens.ugly_meshes(), st.integers(1, 6))
def test_a_fitted_collider_covers_the_whole_surface(mesh, count):
    found = evaluate(mesh, hitbox.fit(mesh, count), samples=2000)
    assert (found.coverage.outside, found.coverage.largest, found.coverage.mean) == (0, 0, 0)
    assert found.notes == ()
    assert np.isfinite(numbers(found)).all()


def test_threads_change_nothing_and_a_seed_does(pair):
    once, again = (evaluate(*pair, samples=30_000, threads=n) for n in (1, 3))
    assert once == again
    assert evaluate(*pair, samples=30_000, seed=1) != once
    assert distances(*pair, samples=30_000).outer_surface == once.outer_surface


def test_a_union_loses_only_what_is_hidden(pair):
    found = evaluate(*pair)
    assert found.outer_surface.samples <= found.union_boundary.samples <= found.all_surfaces.samples
    assert found.outer_surface.hausdorff <= found.union_boundary.hausdorff <= found.all_surfaces.hausdorff
    assert 0 < found.overlap < 1


def test_pieces_of_other_tools_are_measured_like_their_hulls(pair):
    mesh, collider = pair
    pieces = [shape.to_mesh(16) for shape in collider]
    inward = [(v.astype(np.float32), t[:, ::-1].ravel()) for v, t in pieces]
    found, base = evaluate(mesh, inward, samples=20_000), evaluate(mesh, pieces, samples=20_000)
    assert found.nbytes == base.nbytes == sum(12 * len(v) + 6 * len(t) for v, t in pieces)
    assert numbers(found) == pytest.approx(numbers(base), rel=0.05, abs=2e-3)


def test_certified_bounds_hold_what_was_sampled(pair):
    found = evaluate(*pair, samples=20_000, certify=True)
    bounds = found.bounds
    assert bounds.complete
    assert found.all_surfaces.hausdorff <= bounds.all_surfaces[1]
    assert found.outer_surface.hausdorff <= bounds.outer_surface[1]
    assert bounds.mean_all[0] * 0.98 <= found.all_surfaces.mean <= bounds.mean_all[1] * 1.02
    assert found.coverage.largest <= bounds.sticks_out[1] < 2e-3
    assert evaluate(*pair, samples=1000).bounds is None


# Shapes to look at


def test_thin_and_degenerate_shapes_are_listed():
    flat = Cylinder((0, 0, 0), (0, 0, 3e-3), 1)  # less than 1e-3 of the diagonal of 3.46
    card = box((0, 0, 0), (1, 1, 1e-5))
    cone = Frustum((0, 0, -1), (0, 0, 1), 1, 0)
    v, t = box((0, 0, 0), (1, 1e-4, 1)).to_mesh()
    found = evaluate(box_mesh(), [box((0, 0, 0), (1, 1, 1)), flat, card, cone, Hull(v, t)], samples=1000)
    assert found.thin == (1, 2, 4)
    assert found.degenerate == (2,)


def prism_hull(sides):
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.vstack([np.column_stack([ring, np.full(sides, z)]) for z in (-1.0, 1.0)])
    return Hull(*_core.convex_hull(points)[:2])


def test_hulls_beyond_the_caps_of_engines_are_listed():
    small, round_hull = Hull(*box((0, 0, 0), (1, 1, 1)).to_mesh()), random_hull(np.random.default_rng(1), 14)
    assert round_hull.vertices.shape[0] <= 14
    points = np.random.default_rng(2).normal(size=(200, 3))
    ball = Hull(*_core.convex_hull(points / np.linalg.norm(points, axis=1, keepdims=True))[:2])
    shapes = [small, round_hull, prism_hull(40), prism_hull(120), prism_hull(130), ball, Sphere((0, 0, 0), 1)]
    found = evaluate(box_mesh(), shapes, samples=1000)
    gpu = (2, 3, 4, 5)  # 80, 240, 260 and 200 corners
    physx = (3, 4, 5)  # more than 128 corners
    assert found.beyond_caps == {
        "PhysX": physx, "PhysX on a GPU": gpu, "Omniverse": gpu, "Unity": physx, "Jolt": (4,),
        "Godot with Jolt": (4,),
    }  # fmt: skip
    assert set(found.beyond_caps) == set(CAPS)
    assert evaluate(box_mesh(), [small], samples=1000).beyond_caps == {}


# Notes


def test_a_collider_of_another_mesh_is_measured_with_a_warning():
    cube = box_mesh()
    apart = evaluate(cube, [box((10, 0, 0), (1, 1, 1))], samples=1000)
    assert apart.notes == ("The collider lies apart from the mesh: it probably belongs to another one.",)
    assert apart.all_surfaces.mean > 1
    large = evaluate(cube, [box((0, 0, 0), (1000, 1000, 1000))], samples=1000)
    assert large.notes[0].startswith("The collider is 1e+03 times as large as the mesh")
    small = evaluate(cube, [box((0, 0, 0), (0.01, 0.01, 0.01))], samples=1000)
    assert small.notes[0].startswith("The collider is 100 times smaller than the mesh")
    made = hitbox.fit(specimens.torus(), 4)
    assert evaluate(specimens.torus(), made, samples=1000).notes == ()
    other = Collider(made.shapes, source=Source("ring.obj", "0" * 64))
    assert "another mesh (ring.obj)" in evaluate(specimens.torus(), other, samples=1000).notes[0]


def test_pieces_that_were_left_out_are_said():
    flat = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float), [[0, 1, 2]])
    found = evaluate(box_mesh(), [box_mesh(), flat], samples=1000)
    assert found.notes == ("piece 1 is flat and has no inside: it is left out.",)


GOOD = {"mesh": box_mesh(), "collider": [Sphere((0, 0, 0), 1)]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": 0}, "evaluate: samples"),
        ({"samples": 1.5}, "evaluate: samples"),
        ({"samples": 10**12}, "evaluate: samples"),
        ({"seed": -1}, "evaluate: seed"),
        ({"threads": -1}, "evaluate: threads"),
        ({"progress": 3}, "evaluate: progress"),
        ({"cancel": 3}, "evaluate: cancel"),
        ({"mesh": 7}, "is not a mesh"),
        ({"mesh": (CORNERS * np.nan, BOX[1])}, "must be finite"),
        ({"collider": 7}, "is not a collider"),
        ({"collider": []}, "there are no shapes"),
        ({"collider": [(CORNERS * np.nan, BOX[1])]}, "piece 0: vertex 0 is not finite"),
        ({"collider": [(CORNERS * [1, 1, 0], BOX[1])]}, "flat"),
        ({"collider": [Sphere((1e200, 0, 0), 1)]}, "shape 0 reaches"),
        ({"collider": [Sphere((0, 0, 0), 1e308)]}, "shape 0 reaches"),
    ],
)
def test_bad_input_is_one_sentence(change, message):
    with pytest.raises(InputError) as caught:
        evaluate(**{**GOOD, **change})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_progress_goes_up_and_stops_the_run():
    seen = []
    evaluate(**GOOD, progress=lambda stage, fraction: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[-1] == 1
    with pytest.raises(InterruptedError):
        evaluate(**GOOD, progress=lambda stage, fraction: False)
    stop = threading.Event()
    stop.set()
    with pytest.raises(InterruptedError):
        evaluate(**GOOD, cancel=stop)


# The shell


@pytest.fixture
def folder(tmp_path, monkeypatch, pair):
    monkeypatch.chdir(tmp_path)
    _, collider = pair
    collider.save("ring.glb")
    collider.save("ring.json")
    Collider([box((0, 0, 0), (4, 4, 2))]).save("box.obj")
    return tmp_path


def test_the_shell_says_what_python_says(folder, capsys):
    assert run(["evaluate", "ring.glb", "ring.json", "--samples", "5000", "--seed", "7", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    found = evaluate(hitbox.load("ring.glb"), "ring.json", samples=5000, seed=7)
    assert shown == {"collider": "ring.json", **json.loads(json.dumps(found.to_dict()))}
    assert shown["outer_surface"]["mean"] == found.outer_surface.mean
    assert run(["evaluate", "ring.glb", "ring.json", "box.obj", "--samples", "5000", "--json"]) == 0
    several = json.loads(capsys.readouterr().out)
    named = [(one["collider"], one["shapes"]) for one in several]
    assert named == [("ring.json", found.shapes), ("box.obj", 1)]
    assert run(["evaluate", "ring.glb", "box.obj", "--samples", "5000", "--certify", "--json"]) == 0
    low, high = json.loads(capsys.readouterr().out)["bounds"]["all_surfaces"]
    assert low <= high < low + 0.01


def test_people_read_one_collider_or_a_table(folder, capsys):
    assert run(["evaluate", "ring.glb", "ring.json", "--samples", "5000"]) == 0
    one = capsys.readouterr().out
    assert all(
        word in one for word in ("outer surface", "union boundary", "all surfaces", "coverage", "overlap")
    )
    assert "made from another mesh" in one  # the GLB has other vertices than the fitted mesh
    assert run(["evaluate", "ring.glb", "ring.json", "box.obj", "--samples", "5000"]) == 0
    table = capsys.readouterr().out
    assert "proved" not in table
    assert run(["evaluate", "ring.glb", "box.obj", "--samples", "5000", "--certify"]) == 0
    proved = " ".join(capsys.readouterr().out.split())
    assert "the mesh sticks out by 0 %" in proved
    assert "mean distance" in proved
    assert "ring.json" in table
    assert "box.obj" in table
    assert len({len(line) for line in table.splitlines()[1:14]}) == 1  # the columns are aligned


def test_equal_names_are_told_apart(folder, capsys):
    for name in ("a", "b"):
        Path(name).mkdir()
        Collider([box((0, 0, 0), (4, 4, 2))]).save(f"{name}/hulls.obj")
    assert run(["evaluate", "ring.glb", "a/hulls.obj", "b/hulls.obj", "--samples", "100", "--certify"]) == 0
    table = capsys.readouterr().out
    assert "a/hulls.obj" in table
    assert "b/hulls.obj" in table
    assert "proved: all surfaces, mean at most" in table


def test_a_collider_inside_the_solid_is_not_shown_as_a_perfect_one(folder, capsys):
    Collider([box((0, 0, 0), (1, 1, 1))]).save("cube.obj")
    Collider([box((0, 0, 0), (0.5, 0.5, 0.5))]).save("inner.json")
    assert run(["evaluate", "cube.obj", "inner.json", "--samples", "100", "--certify"]) == 0
    shown = capsys.readouterr().out
    assert "outer surface   nothing can be touched" in shown
    assert "proved          nothing can be touched" in shown
    assert run(["evaluate", "cube.obj", "inner.json", "cube.obj", "--samples", "100", "--certify"]) == 0
    table = [re.split(r"\s{2,}", line.strip()) for line in capsys.readouterr().out.splitlines()]
    proved = "proved: outer surface, largest at most"
    for row in ("outer surface, mean", "outer surface, largest", proved):
        assert [row, "nothing can be touched", "0 %"] in table


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ring.glb"], "COLLIDER"),
        (["ring.glb", "missing.json"], "missing.json"),
        (["missing.glb", "ring.json"], "missing.glb"),
        (["ring.glb", "ring.txt"], "no collider can be read"),
        (["ring.glb", "ring.json", "--samples", "0"], "samples"),
        (["ring.glb", "ring.json", "--seed", "-4"], "seed"),
        (["ring.glb", "broken.json"], "broken.json"),
    ],
)
def test_wrong_calls_are_one_line_and_exit_2(folder, capsys, arguments, says):
    Path("broken.json").write_text("{")
    assert run(["evaluate", *arguments]) == 2
    shown = capsys.readouterr()
    assert says in shown.err
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""


# The reference


def reference():
    """Import the reference implementation from HITBOX_REFERENCE, or from beside the repository."""
    path = Path(os.environ.get("HITBOX_REFERENCE", ROOT / "../shared/anchors/measure.py"))
    if not path.exists():
        pytest.skip("there is no reference implementation to compare with: HITBOX_REFERENCE names its file")
    for needed in ("open3d", "scipy", "trimesh"):
        pytest.importorskip(needed, reason=f"the reference needs {needed}")
    spec = importlib.util.spec_from_file_location("reference_measure", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def meshes_and_colliders():
    ring = specimens.torus(segments=48, sides=24)
    yield "hulls", ring, [s.to_mesh(12) for s in hitbox.fit(ring, 16, kinds="capsule")]
    yield "boxes", ring, [s.to_mesh() for s in hitbox.fit(ring, 24, kinds="box")]
    yield "round", ring, [s.to_mesh(48) for s in hitbox.fit(ring, 10, kinds=("cylinder", "frustum"))]
    ball = specimens.icosphere(3)
    yield "ball", ball, [box((0.1, 0, 0), (0.8, 0.7, 0.9)).to_mesh(), Sphere((0.3, 0.4, 0), 0.9).to_mesh(24)]


@pytest.mark.filterwarnings("ignore")
def test_agreement_with_the_reference():
    measure = reference().measure
    trimesh = pytest.importorskip("trimesh")
    for name, mesh, pieces in meshes_and_colliders():
        found = evaluate(mesh, pieces, samples=100_000)
        want = measure(trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False), pieces, 100_000)
        for surface, key in (
            (found.all_surfaces, "all"),
            (found.union_boundary, "union"),
            (found.outer_surface, "outer"),
        ):
            assert surface.mean == pytest.approx(want[f"mean_{key}"], rel=0.02), (name, key)
            assert surface.hausdorff == pytest.approx(want[f"hausdorff_{key}"], rel=0.05), (name, key)
        assert found.coverage.outside == pytest.approx(want["uncovered_fraction"], abs=0.01), name
        assert found.coverage.largest == pytest.approx(want["uncovered_max"], rel=0.05, abs=1e-4), name
        assert found.coverage.mean == pytest.approx(want["uncovered_mean"], rel=0.05, abs=1e-5), name


def test_round_shapes_are_measured_as_they_are_not_as_meshes():
    """The mesh around a sphere is further out than the sphere itself, by its sagitta."""
    ball = specimens.icosphere(5)
    sphere = Sphere((0, 0, 0), 1.0)
    true, meshed = evaluate(ball, [sphere]), evaluate(ball, [sphere.to_mesh(24)])
    gap = 1 - np.linalg.norm(ball.vertices[ball.triangles].mean(axis=1), axis=1).mean()
    assert true.all_surfaces.mean * ball.diagonal < gap
    assert meshed.all_surfaces.mean > 3 * true.all_surfaces.mean
