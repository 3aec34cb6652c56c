"""Compare mass, centre and inertia with formulas and with each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from mass_judge import are_nested, judged
from scipy.spatial.transform import Rotation as Turn
from shape_strategies import colliders, random_direction, random_hull, random_rotation, shapes

import hitbox
from hitbox import Box, Capsule, Collider, Cylinder, Frustum, Hull, InputError, Mesh, Prism, Sphere
from hitbox._model.mass import MassProperties, is_solid, mass_properties, volume_fault

SEEDS = st.integers(0, 2**32 - 1)
THIN = st.floats(-4, 0).map(lambda power: 10**power)
NO_TURN = (0.0, 0.0, 0.0, 1.0)


def assert_same(found, expected, rel):
    """Compare mass, centre and every principal moment. The smallest moment of a rod is 1e-8 of the others."""
    size = math.sqrt(max(expected.principal[0]) / expected.mass)
    assert found.mass == pytest.approx(expected.mass, rel=rel)
    assert found.center == pytest.approx(expected.center, abs=rel * size)
    assert found.principal[0] == pytest.approx(expected.principal[0], rel=rel)
    np.testing.assert_allclose(found.tensor, expected.tensor, atol=rel * max(expected.principal[0]))


def assert_moments(shape, volume, center, moments, rel=1e-6):
    """Compare `moments`, divided by the volume, about the centre."""
    found = mass_properties(Collider([shape]), density=2.0)
    assert found.mass == pytest.approx(2 * volume, rel=rel)
    size = float(np.linalg.norm(np.subtract(*shape.bounds)))
    assert found.center == pytest.approx(tuple(center), abs=1e-9 * size)
    assert found.principal[0] == pytest.approx([2 * volume * m for m in sorted(moments)], rel=rel)


def test_a_box_has_the_inertia_of_a_box():
    found = mass_properties(specimens.box(), density=3.0)
    low, high = specimens.box().vertices.min(axis=0), specimens.box().vertices.max(axis=0)
    x, y, z = high - low
    mass = 3.0 * x * y * z
    assert found.mass == pytest.approx(mass)
    assert found.center == pytest.approx((low + high) / 2, abs=1e-12)
    expected = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y, 0, 0, 0])
    assert found.inertia == pytest.approx(expected, abs=1e-12 * mass)


@settings(max_examples=30, deadline=None)
@given(shape=shapes)
def test_one_shape_and_its_fine_mesh_agree(shape):
    ours, theirs = mass_properties(Collider([shape])), mass_properties(Mesh(*shape.to_mesh(256)))
    assert_same(ours, theirs, rel=1e-3)


# ---- one shape of any thickness and rotation: closed formulas


@pytest.mark.slow
@settings(max_examples=40)
@given(SEEDS, THIN, THIN)
def test_a_turned_box_has_its_moments(seed, y, z):
    rng = np.random.default_rng(seed)
    center = rng.uniform(-1, 1, 3)
    moments = [(y * y + z * z) / 3, (1 + z * z) / 3, (1 + y * y) / 3]
    box = Box(center, random_rotation(rng), (1, y, z))
    assert_moments(box, 8 * y * z, center, moments)
    corners = Turn.from_quat(box.rotation).apply(specimens.box().vertices * (2, 2 * y, 2 * z)) + center
    assert_moments(Hull(corners, specimens.box().triangles), 8 * y * z, center, moments)


@pytest.mark.slow
@settings(max_examples=40)
@given(SEEDS, THIN, st.floats(1e-4, 2))
def test_a_leaning_rod_has_its_moments(seed, radius, length):
    rng = np.random.default_rng(seed)
    center = rng.uniform(-1, 1, 3)
    away = random_direction(rng) * length / 2
    around, across = radius**2 / 2, radius**2 / 4 + length**2 / 12
    rod = Cylinder(center - away, center + away, radius)
    assert_moments(rod, math.pi * radius**2 * length, center, [around, across, across])

    tube, ball = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
    whole = tube + ball
    around = (tube * radius**2 / 2 + ball * radius**2 * 2 / 5) / whole
    of_caps = radius**2 * 2 / 5 + length**2 / 4 + length * radius * 3 / 8
    across = (tube * (radius**2 / 4 + length**2 / 12) + ball * of_caps) / whole
    assert_moments(Capsule(center - away, center + away, radius), whole, center, [around, across, across])


def test_a_ball_has_its_moments():
    for ball in (Sphere((1, -2, 3), 0.7), Capsule((1, -2, 3), (1, -2, 3), 0.7)):
        assert_moments(ball, 4 / 3 * math.pi * 0.7**3, (1, -2, 3), [0.7**2 * 2 / 5] * 3)


@settings(max_examples=40)
@given(SEEDS, THIN, st.floats(0, 0.9), st.booleans())
def test_a_leaning_cone_has_its_moments(seed, radius, narrow, is_upward):
    """The frustum is a cone minus its tip, about the tip. A cone has 3/10 m r^2 about its axis."""
    rng = np.random.default_rng(seed)
    tip, along = rng.uniform(-1, 1, 3), random_direction(rng)
    ends = [tip + narrow * along, tip + along]
    radii = [narrow * radius, radius]
    volume = math.pi / 3 * radius**2 * (1 - narrow**3)
    share = (1 - narrow**5) / (1 - narrow**3)
    far = 3 / 4 * (1 - narrow**4) / (1 - narrow**3)
    around, across = 3 / 10 * radius**2 * share, (3 / 5 + 3 / 20 * radius**2) * share - far**2
    frustum = Frustum(*ends, *radii) if is_upward else Frustum(*ends[::-1], *radii[::-1])
    assert_moments(frustum, volume, tip + far * along, [around, across, across])


@settings(max_examples=40)
@given(SEEDS, THIN, THIN, THIN, st.just(0) | st.floats(0.01, 1), st.booleans())
def test_a_turned_prism_has_the_moments_of_its_mesh(seed, x, y, z, narrow, is_upright):
    rng = np.random.default_rng(seed)
    ends = (narrow * z, z) if is_upright else (z, narrow * z)
    prism = Prism(rng.uniform(-1, 1, 3), random_rotation(rng), x, y, *ends)
    assert_same(mass_properties(Collider([prism])), mass_properties(Mesh(*prism.to_mesh())), rel=1e-6)


@settings(max_examples=40)
@given(SEEDS, THIN)
def test_a_thin_hull_has_the_moments_of_its_mesh(seed, thin):
    rng = np.random.default_rng(seed)
    hull = random_hull(rng, 40)
    turn = Turn.from_quat(random_rotation(rng))
    hull = Hull(turn.apply(hull.vertices * (1, 1, thin)), hull.triangles)
    mesh = Mesh(hull.vertices, hull.triangles)
    assert_same(mass_properties(Collider([hull])), mass_properties(mesh), rel=1e-6)


# ---- several shapes


def test_what_overlaps_counts_once():
    cube = Box((1, 2, 3), (0, 0, 0, 1), (0.5, 0.5, 0.5))
    once, twice = mass_properties(Collider([cube])), mass_properties(Collider([cube, cube]))
    assert once.mass == pytest.approx(1000)
    assert twice.mass == pytest.approx(1000)
    assert twice.center == pytest.approx((1, 2, 3), abs=1e-9)
    assert twice.inertia[:3] == pytest.approx([1000 / 6] * 3, rel=1e-9)


@pytest.mark.slow
@settings(max_examples=30)
@given(st.lists(shapes, min_size=1, max_size=6))
def test_shapes_apart_from_each_other_are_exact(bodies):
    apart = [body.transformed(translation=(20.0 * k, 0, 0)) for k, body in enumerate(bodies)]
    alone = [mass_properties(Collider([body])) for body in apart]
    assert_same(mass_properties(Collider(apart)), joined(alone), rel=1e-6)


def joined(bodies, signs=None):
    """Add bodies by the parallel axis theorem, about the common centre."""
    signs = np.ones(len(bodies)) if signs is None else np.asarray(signs)
    masses = signs * [body.mass for body in bodies]
    centers = np.array([body.center for body in bodies])
    center = masses @ centers / masses.sum()
    tensor = sum(s * body.tensor for s, body in zip(signs, bodies, strict=True))
    for mass, away in zip(masses, centers - center, strict=True):
        tensor = tensor + mass * (away @ away * np.eye(3) - np.outer(away, away))
    entries = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return MassProperties(masses.sum(), tuple(center), tuple(entries))


@pytest.mark.slow
@settings(max_examples=40)
@given(SEEDS, THIN)
def test_two_overlapping_boxes_are_both_less_what_they_share(seed, thin):
    rng = np.random.default_rng(seed)
    halves, turn = np.array([0.5, 0.5, 0.5 * thin]), random_rotation(rng)
    shift = rng.uniform(-1, 1, 3) * 2 * halves

    def turned(center, halves):
        return Collider([Box(center, NO_TURN, halves).transformed(turn)])

    one, other = turned((0, 0, 0), halves), turned(shift, halves)
    shared = turned(shift / 2, halves - np.abs(shift) / 2)
    expected = joined([mass_properties(each) for each in (one, other, shared)], [1, 1, -1])
    assert_same(mass_properties(Collider([*one, *other])), expected, rel=3e-3)


def test_a_thin_rod_through_a_cube_keeps_its_weight():
    cube, rod = Box((0, 0, 0), NO_TURN, (0.05, 0.05, 0.05)), Cylinder((0, 0, -0.5), (0, 0, 0.5), 1e-3)
    ends = [Cylinder((0, 0, 0.05 * side), (0, 0, 0.5 * side), 1e-3) for side in (-1, 1)]
    turn = random_rotation(np.random.default_rng(5))
    together, apart = (Collider(each).transformed(turn) for each in ([cube, rod], [cube, *ends]))
    expected = joined([mass_properties(Collider([shape])) for shape in apart])
    assert_same(mass_properties(together), expected, rel=2e-3)


@settings(max_examples=15)
@given(colliders)
def test_random_points_find_the_same_union(collider):
    low, high = collider.bounds
    points = np.random.default_rng(1).uniform(low, high, (200_000, 3))
    inside = points[collider.contains(points)]
    volume = np.prod(high - low) * len(inside) / len(points)
    found = mass_properties(collider, density=1.0)
    # Five standard deviations of the random points, and the tolerance of hitbox.
    noise = 5 / math.sqrt(len(inside)) + 0.005
    assert found.mass == pytest.approx(volume, rel=noise)
    assert np.abs(found.center - inside.mean(axis=0)).max() <= noise * np.linalg.norm(high - low)
    covariance = np.cov(inside.T)
    tensor = found.mass * (np.trace(covariance) * np.eye(3) - covariance)
    assert np.linalg.norm(found.tensor - tensor) <= 2 * noise * np.linalg.norm(tensor)


def test_flat_hulls_weigh_nothing():
    flat = Hull([[-1, -1, 0.1], [1, -1, 0.1], [0, 1, 0.1]], [[0, 1, 2], [2, 1, 0]])
    cube = Box((0, 0, 0), NO_TURN, (0.5, 0.5, 0.5))
    assert_same(mass_properties(Collider([cube, flat])), mass_properties(Collider([cube])), rel=1e-9)
    with pytest.raises(InputError, match="too small or too large for a float"):
        mass_properties(Collider([flat]))


def test_the_same_collider_weighs_the_same_each_time():
    collider = hitbox.fit(specimens.torus(), 12)
    assert mass_properties(collider) == mass_properties(collider)


# ---- far away


@pytest.mark.parametrize("far", [0.0, 1e3, 5e6, -1e9])
def test_a_cube_far_away_has_the_inertia_it_has_here(far):
    center = (far, -far, far / 2)
    cube = Box(center, NO_TURN, (0.5, 0.5, 0.5))
    for solid in (Collider([cube]), Collider([cube, cube]), specimens.box(center=center)):
        found = mass_properties(solid)
        assert found.mass == pytest.approx(1000)
        assert found.center == pytest.approx(center)
        assert found.inertia == pytest.approx([1000 / 6] * 3 + [0] * 3, abs=1e-3)


def test_small_cubes_far_from_each_other_keep_their_own_inertia():
    mesh = specimens.together([specimens.box(center=(x, 0, 0)) for x in (-1e6, 1e6)])
    found = mass_properties(mesh)
    assert found.mass == pytest.approx(2000)
    assert found.inertia == pytest.approx([2000 / 6, 2e15, 2e15, 0, 0, 0], rel=1e-9, abs=1e-6)


# ---- meshes of several shells


def turned_inside_out(mesh):
    return Mesh(mesh.vertices, [face[::-1] for face in specimens.polygons_of(mesh)])


def test_shells_that_overlap_have_no_one_volume():
    cube = specimens.box()
    for other in (
        specimens.box((0.999, 0.999, 0.999)),  # inside the first
        specimens.box(center=(0.5, 0.5, 0.5)),
        specimens.box((3, 0.2, 0.2)),  # through the first, without a corner in it
        specimens.box((2, 2, 2), center=(0.1, 0, 0)),
    ):
        for order in ([cube, other], [other, cube]):
            mesh = specimens.together(order)
            assert is_solid(mesh)
            assert volume_fault(mesh) == "parts of the mesh may overlap"
            with pytest.raises(InputError, match=r"may overlap\. Give its collider"):
                mass_properties(mesh)


@settings(max_examples=20)
@given(SEEDS)
def test_a_hollow_solid_is_exact(seed):
    """The shells are material, cavity, and material in the cavity."""
    shells = [specimens.box((s, s, s)) for s in (2.0, 1.6, 1.0)]
    cubes = [mass_properties(specimens.placed(shell, seed)) for shell in shells]
    nested = [shells[0], turned_inside_out(shells[1]), shells[2]]
    for count in (2, 3):
        for order in (nested[:count], nested[count - 1 :: -1]):
            mesh = specimens.shuffled(specimens.placed(specimens.together(order), seed), seed)
            assert volume_fault(mesh) is None
            assert_same(mass_properties(mesh), joined(cubes[:count], [1, -1, 1][:count]), rel=1e-9)


def test_a_cavity_must_be_in_its_solid():
    ball, cavity = specimens.icosphere(3), turned_inside_out(specimens.box((0.3, 0.3, 0.3)))

    def fault(center):
        moved = Mesh(cavity.vertices + center, specimens.polygons_of(cavity))
        return volume_fault(specimens.together([ball, moved]))

    assert fault((0.2, 0, 0)) is None
    for center in ((0.9, 0, 0), (0.8, 0.8, 0.8), (3, 0, 0)):  # through its side, beside it, and far away
        assert fault(center)


def test_shells_apart_are_exact_and_need_not_be_welded():
    mesh = specimens.many_components(30)
    for each in (mesh, specimens.with_split_vertices(mesh), specimens.shuffled(mesh, 3)):
        assert mass_properties(each).mass == pytest.approx(1000 * specimens.volume(mesh))
    touching = specimens.together([specimens.box(), specimens.box((0.5, 0.5, 0.5), (0, 0, 0.75))])
    assert mass_properties(touching).mass == pytest.approx(1125)


def test_a_sheet_of_two_sides_weighs_nothing_and_is_no_fault():
    sheet = Mesh([[-1, -1, 0.1], [1, -1, 0.1], [0, 1, 0.1]], [[0, 1, 2], [2, 1, 0]])
    mesh = specimens.together([specimens.box(), sheet])
    assert mass_properties(mesh).mass == pytest.approx(1000)


# ---- a slow judge in NumPy


@settings(max_examples=40, deadline=None)
@given(st.lists(shapes, min_size=1, max_size=8), st.sampled_from([0.0, 3.0, 30.0]))
def test_the_judge_finds_the_same_union(bodies, step):
    """Apart from each other to the last digits; where they overlap, the points that decide are the same."""
    collider = Collider([body.transformed(translation=(step * k, 0, 0)) for k, body in enumerate(bodies)])
    assert_same(mass_properties(collider, 3.0), judged(collider, 3.0), rel=1e-6 if step == 30 else 1e-3)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 4), st.floats(0.01, 3))
def test_the_judge_finds_the_same_mesh(seed, count, spread):
    """Cubes of both orientations, apart, nested or overlapping."""
    rng = np.random.default_rng(seed)
    cubes = []
    for _ in range(count):
        cube = specimens.box(tuple(rng.uniform(0.2, 2, 3)), center=tuple(spread * rng.uniform(-1, 1, 3)))
        cubes.append(turned_inside_out(cube) if rng.random() < 0.2 else cube)
    mesh = specimens.placed(specimens.together(cubes), seed)
    if volume_fault(mesh) is None:
        assert are_nested(mesh)
        assert_same(mass_properties(mesh, 7.0), judged(mesh, 7.0), rel=1e-9)
    elif is_solid(mesh):
        assert not are_nested(mesh)


# ---- the rest


def test_principal_axes_turn_back_to_the_tensor():
    lean = specimens.placed(specimens.box(), 3)
    found = mass_properties(Mesh(lean.vertices * [3, 2, 1], specimens.polygons_of(lean)))
    moments, (x, y, z, w) = found.principal
    from hitbox._formats.export import matrix_of

    turn = matrix_of((x, y, z, w))
    assert np.linalg.det(turn) == pytest.approx(1)
    np.testing.assert_allclose(turn @ np.diag(moments) @ turn.T, found.tensor, atol=1e-9 * max(moments))


def test_an_open_mesh_and_a_wrong_density_are_refused():
    with pytest.raises(InputError, match="not closed"):
        mass_properties(specimens.grid())
    for wrong in (0, -1, float("nan"), "much"):
        with pytest.raises(InputError, match="density: must be a finite number above 0"):
            mass_properties(Collider([Sphere((0, 0, 0), 1)]), density=wrong)  # type: ignore[arg-type]


def test_a_fit_of_a_solid_weighs_a_little_more_than_the_solid():
    mesh = specimens.torus()
    collider = hitbox.fit(mesh, 24)
    solid, union = mass_properties(mesh), mass_properties(collider)
    assert solid.mass < union.mass < 1.4 * solid.mass
    assert union.center == pytest.approx(solid.center, abs=0.05 * mesh.diagonal)
