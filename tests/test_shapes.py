from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_strategies import one_of_each, random_rotation, random_shape, shapes

from hitbox._base.errors import InputError
from hitbox._model import shapes as shapes_module
from hitbox._model.shapes import (
    COLORS,
    KINDS,
    Box,
    Capsule,
    Cylinder,
    Frustum,
    Hull,
    Prism,
    Sphere,
    shape_from_params,
)

NO_TURN = (0.0, 0.0, 0.0, 1.0)
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
TETRAHEDRON_SIDES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
seeds = st.integers(0, 2**32 - 1)
random_hulls = seeds.map(lambda seed: random_shape("hull", seed))


def points_around(shape, count, seed):
    low, high = shape.bounds
    size = high - low
    return np.random.default_rng(seed).uniform(low - 0.3 * size, high + 0.3 * size, (count, 3))


def planes_of(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals, np.einsum("ij,ij->i", normals, a)


@given(shapes, seeds)
def test_distance_is_never_below_any_supporting_plane_and_changes_no_faster_than_the_point(shape, seed):
    rng = np.random.default_rng(seed)
    points = points_around(shape, 40, seed)
    distances = shape.signed_distance(points)
    directions = rng.normal(size=(60, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = np.einsum("ij,ij->i", shape.support(directions), directions)
    assert (distances[:, None] >= points @ directions.T - reach - 1e-9).all()
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert (np.abs(distances[:, None] - distances[None]) <= gaps + 1e-9).all()


@given(shapes)
def test_bounds_are_what_support_reaches(shape):
    axes = np.vstack([-np.eye(3), np.eye(3)])
    reached = shape.support(axes)
    np.testing.assert_allclose(shape.bounds[0], np.diag(reached[:3]), atol=1e-12)
    np.testing.assert_allclose(shape.bounds[1], np.diag(reached[3:]), atol=1e-12)


@given(shapes, st.integers(3, 40))
def test_the_mesh_is_closed_convex_and_encloses(shape, segments):
    vertices, triangles = shape.to_mesh(segments)
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward = {tuple(side) for side in sides.tolist()}
    assert len(forward) == len(sides)
    assert all((b, a) in forward for a, b in forward)
    normals, offsets = planes_of(vertices, triangles)
    reach = np.einsum("ij,ij->i", shape.support(normals), normals)
    assert (reach <= offsets + 1e-9).all()


@given(shapes, seeds)
def test_contains_agrees_with_the_mesh(shape, seed):
    points = points_around(shape, 200, seed)
    normals, offsets = planes_of(*shape.to_mesh(64))
    in_mesh = (points @ normals.T - offsets <= 1e-9).all(axis=1)
    assert in_mesh[shape.contains(points)].all()
    slack = 0.05 * np.linalg.norm(np.ptp(shape.bounds, axis=0))  # the mesh is slightly larger
    assert shape.contains(points, margin=slack)[in_mesh].all()


@settings(max_examples=30)
@given(shapes)
def test_volume_is_that_of_the_points_inside(shape):
    low, high = shape.bounds
    points = np.random.default_rng(1).uniform(low, high, (20000, 3))
    share = shape.contains(points).mean()
    box = float(np.prod(high - low))
    sigma = math.sqrt(max(share * (1 - share), 1e-3) / len(points))
    assert abs(shape.volume - share * box) <= 5 * sigma * box


@given(shapes, seeds, st.floats(0.01, 100))
def test_transforming_commutes_with_measuring(shape, seed, scale):
    rng = np.random.default_rng(seed)
    rotation, translation = random_rotation(rng), rng.uniform(-3, 3, 3)
    moved = shape.transformed(rotation, translation, scale)
    points = points_around(shape, 30, seed)
    x, y, z, w = rotation
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    after = moved.signed_distance(points @ turn.T * scale + translation)
    np.testing.assert_allclose(after, shape.signed_distance(points) * scale, atol=1e-9 * scale + 1e-12)
    assert moved.volume == pytest.approx(shape.volume * scale**3)
    assert moved.area == pytest.approx(shape.area * scale**2)


@given(shapes, st.floats(0, 2))
def test_growing_leaves_room_on_all_sides(shape, by):
    points = shape.support(np.random.default_rng(2).normal(size=(50, 3)))
    larger = shape.grown(by)
    assert larger.kind == shape.kind
    assert (larger.signed_distance(points) <= -by + 1e-9).all()


@given(shapes, st.floats(0, 2), seeds)
def test_everything_within_the_padding_of_a_shape_is_inside_it(shape, by, seed):
    rng = np.random.default_rng(seed)
    vertices, triangles = shape.to_mesh(24)
    weights = rng.dirichlet((1, 1, 1), 200)
    on_mesh = np.einsum("ij,ijk->ik", weights, vertices[triangles[rng.integers(len(triangles), size=200)]])
    beside = rng.normal(size=(200, 3))
    beside *= by / np.linalg.norm(beside, axis=1)[:, None]
    outside = np.maximum(shape.signed_distance(on_mesh), 0)  # meshes of round shapes enclose them
    assert (shape.padded(by).signed_distance(on_mesh + beside) <= outside + 1e-9).all()


@given(shapes, st.floats(0.001, 3), st.floats(0.001, 0.5))
def test_a_negative_padding_keeps_the_shape_inside_and_solid(shape, by, least):
    inner = shape.padded(-by, least)
    assert inner.kind == shape.kind
    assert 0 < inner.volume <= shape.volume * (1 + 1e-9)
    points = inner.support(np.random.default_rng(2).normal(size=(50, 3)))
    assert (shape.signed_distance(points) <= 1e-9).all()
    size, was = np.ptp(inner.bounds, axis=0), np.ptp(shape.bounds, axis=0)
    assert (size >= np.minimum(was, least) * 0.2).all()


@given(shapes)
def test_shape_and_margin_stay_inside_and_reach_the_sides(shape):
    by = 0.02  # no half extent is below 0.05
    inner = shape.padded(-by, 1e-4)
    points = inner.support(np.random.default_rng(2).normal(size=(50, 3)))
    if shape.kind != "hull":  # a hull may be thinner than 0.02
        assert (shape.signed_distance(points) <= -by + 1e-9).all()
    if shape.kind == "box":
        corners, _ = shape.to_mesh()
        np.testing.assert_allclose(inner.signed_distance(corners), np.sqrt(3) * by)


@given(shapes)
def test_params_make_the_same_shape(shape):
    triangles = shape.triangles if isinstance(shape, Hull) else None
    again = shape_from_params(shape.kind, shape.params, triangles)
    assert again == shape
    assert hash(again) == hash(shape)
    assert pickle.loads(pickle.dumps(shape)) == shape


@given(random_hulls, seeds, st.floats(1e-3, 1e3))
def test_what_becomes_of_a_hull_passes_the_check_of_the_constructor(hull, seed, scale):
    """Hulls made from a hull are trusted. The public constructor is the oracle."""
    rng = np.random.default_rng(seed)
    moved = hull.transformed(random_rotation(rng), rng.uniform(-100, 100, 3), scale)
    for made in (moved, hull.grown(0.1 * scale), hull.padded(-1e-3), Hull._around(moved.vertices)):
        assert Hull(made.vertices, made.triangles) == made
        assert not made.vertices.flags.writeable
        assert not made.triangles.flags.writeable


def test_a_trusted_hull_is_not_checked_again(monkeypatch):
    hull = Hull(TETRAHEDRON, TETRAHEDRON_SIDES)
    checked = []
    monkeypatch.setattr(shapes_module, "hull_fault", lambda *_: checked.append(1))
    hull.transformed((0.0, 0.6, 0.0, 0.8), (1, 2, 3), 2.0).grown(0.5)
    assert not checked
    hull.transformed(translation=(1e6, 0, 0))  # rounding may have dented it
    assert checked


def test_a_move_so_far_that_rounding_dents_a_hull_is_refused():
    hull = random_shape("hull", 1)
    with pytest.raises(InputError, match="convex"):
        hull.transformed(translation=(1e15, 2e15, 3e15))
    with pytest.raises(InputError, match="finite"):
        hull.transformed(scale=1e300).transformed(scale=1e10)


def test_bytes_are_those_of_the_paper():
    box = Box((0, 0, 0), NO_TURN, (1, 1, 1))
    expected = {"box": 40, "sphere": 16, "capsule": 28, "cylinder": 28, "frustum": 32, "prism": 44}
    assert {s.kind: s.nbytes for s in one_of_each() if s.kind != "hull"} == expected
    assert Hull(*box.to_mesh()).nbytes == 8 * 12 + 12 * 6


def test_every_kind_has_a_colour():
    assert tuple(COLORS) == KINDS


def test_values_are_plain_and_frozen():
    box = Box(np.zeros(3), np.array([0, 0, 0, 2.0]) / 2, [1, 2, 3])
    assert box.center == (0.0, 0.0, 0.0)
    assert type(box.half_extents) is tuple
    with pytest.raises(AttributeError):
        box.center = (1, 1, 1)
    hull = random_shape("hull", 1)
    with pytest.raises(ValueError, match="read-only"):
        hull.vertices[0, 0] = 1


TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
OUTWARD = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Box((0, 0, 0), NO_TURN, (1, 0, 1)), "half_extents must be positive"),
        (lambda: Box((0, 0, math.nan), NO_TURN, (1, 1, 1)), "center must be finite"),
        (lambda: Box((0, 0, 0), (0, 0, 0, 2), (1, 1, 1)), "rotation must be a unit quaternion"),
        (lambda: Box((0, 0), NO_TURN, (1, 1, 1)), "center must be 3 numbers"),
        (lambda: Box("abc", NO_TURN, (1, 1, 1)), "center must be 3 numbers"),
        (lambda: Box(("1", "2", "3"), NO_TURN, (1, 1, 1)), "center must be 3 numbers"),
        (lambda: Sphere((0, 0, 0), -1), "radius must be positive"),
        (lambda: Sphere((0, 0, 0), math.inf), "radius must be finite"),
        (lambda: Sphere((0, 0, 0), None), "radius must be 1 numbers"),
        (lambda: Capsule((0, 0, 0), (0, 0, 1), 0), "radius must be positive"),
        (lambda: Cylinder((0, 0, 0), (0, 0, 0), 1), "start and end must be two points"),
        (lambda: Frustum((0, 0, 0), (0, 0, 1), 0, 0), "must not both be 0"),
        (lambda: Prism((0, 0, 0), NO_TURN, 1, 1, 0, 0), "must not both be 0"),
        (lambda: Hull(TETRAHEDRON, OUTWARD[:3]), "must close the surface"),
        (lambda: Hull(TETRAHEDRON, [t[::-1] for t in OUTWARD]), "must be convex"),
        (lambda: Hull(TETRAHEDRON, [[0, 1, 9]]), "use vertex 9"),
        (lambda: Hull(TETRAHEDRON, [[0, 1, -1]]), "use vertex -1"),
        (lambda: Hull(TETRAHEDRON, []), "shape"),
        (lambda: Hull([[0, 0, math.inf]], OUTWARD), "must be finite"),
        (lambda: shape_from_params("blob", [1]), "unknown kind 'blob'"),
        (lambda: Sphere((0, 0, 0), 1).to_mesh(2), "segments must be from 3"),
        (lambda: Sphere((0, 0, 0), 1).to_mesh(10**9), "segments must be from 3"),
        (lambda: Sphere((0, 0, 0), 1).transformed(scale=0), "scale must be positive"),
        (lambda: Sphere((0, 0, 0), 1).contains([1, 2, 3]), r"shape \(n, 3\)"),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(make, says):
    with pytest.raises(InputError, match=says):
        make()
