"""Certified bounds contain every sample and agree with closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_strategies import colliders, random_rotation

from hitbox import evaluate
from hitbox._judges.evaluate import OFFSET
from hitbox._model.mesh import Mesh
from hitbox._model.shapes import Box, Shape, Sphere
from hitbox._native import _core

LENGTHS = ("all_surfaces", "mean_all", "outer_surface", "sticks_out")
MESHES = {
    "box": specimens.box(),
    "grid": specimens.grid(6, 6, height=0.3),  # open
    "torus": specimens.torus(segments=16, sides=8),
    "icosphere": specimens.icosphere(2),
    "soup": specimens.soup(40),
    "triangle": specimens.triangle(),
    "boxes": specimens.many_components(9),
}


def certify(mesh: Mesh, shapes: list[Shape], **options):
    union = _core.shape_union([shape._crossing for shape in shapes], (0.0, 0.0, 0.0), 1.0)
    return union.certify(mesh.vertices, mesh.indices, mesh.offsets, OFFSET, **options)


def on_surfaces(shapes: list[Shape], count: int):
    """Yield each shape with points on a fine mesh around it and the normals of their facets."""
    for shape in shapes:
        vertices, triangles = shape.to_mesh(96)
        points, owner = _core.sample_surface(np.asarray(vertices), np.asarray(triangles), count, 3)
        a, b, c = (np.asarray(vertices)[np.asarray(triangles)[owner][:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        yield shape, np.asarray(points), normals


def distances(mesh: Mesh, points):
    return (
        np.asarray(_core.closest_points(points, mesh.vertices, mesh.indices, mesh.offsets)[0]) / mesh.diagonal
    )


@settings(max_examples=40)
@given(colliders, st.sampled_from(sorted(MESHES)), st.floats(0.05, 3), st.integers(0, 99))
def test_no_sample_leaves_the_bounds(collider, name, scale, seed):
    mesh, shapes = MESHES[name], [s.transformed(scale=scale) for s in collider]
    found = certify(mesh, shapes, resolution=5e-3, budget=20_000)
    for key in LENGTHS:
        low, high = found[key]
        assert 0 <= low <= high
    is_solid = _core.is_closed_solid(mesh.vertices, mesh.indices, mesh.offsets)
    largest = outer = perhaps_outer = total = area = slack = 0.0
    for shape, points, normals in on_surfaces(shapes, 1500):
        # The fine mesh lies outside the round shape by this much, so distances differ by at most as much.
        gap = float(np.max(shape.signed_distance(points))) / mesh.diagonal
        between = 6 * float(np.sqrt(shape.area / 1500)) / mesh.diagonal
        slack = max(slack, gap + between)
        d = distances(mesh, points)
        largest = max(largest, float(d.max()) - gap)
        total, area = total + float(d.mean()) * shape.area, area + shape.area
        surely, perhaps = np.ones((2, len(points)), bool)
        for other in shapes:
            if other is not shape:
                out = other.signed_distance(points + OFFSET * mesh.diagonal * normals) / mesh.diagonal
                surely &= out > gap
                perhaps &= out > -gap - between
        if is_solid:
            inside = np.asarray(_core.points_inside(points, mesh.vertices, mesh.indices, mesh.offsets))
            surely &= ~inside & (d > gap)
            perhaps &= ~inside | (d < gap + between)
        outer = max(outer, float(d.max(where=surely, initial=0)) - gap)
        perhaps_outer = max(perhaps_outer, float(d.max(where=perhaps, initial=0)))
    assert largest <= found["all_surfaces"][1]
    assert found["all_surfaces"][0] <= largest + slack
    assert outer <= found["outer_surface"][1]
    assert found["outer_surface"][0] <= perhaps_outer + slack
    assert found["outer_surface"][1] <= found["all_surfaces"][1]
    noise = slack / 6 + 0.01 * found["all_surfaces"][1]
    assert found["mean_all"][0] - noise <= total / area <= found["mean_all"][1] + noise

    surface, _ = _core.sample_surface(mesh.vertices, mesh.triangles, 1500, seed)
    surface = np.concatenate([np.asarray(surface), mesh.vertices[mesh.indices]])
    out = np.min([s.signed_distance(surface) for s in shapes], axis=0).clip(0) / mesh.diagonal
    assert out.max() <= found["sticks_out"][1]
    if found["complete"]:
        assert found["all_surfaces"][1] - found["all_surfaces"][0] <= 5e-3
        assert found["outer_surface"][1] - found["outer_surface"][0] <= 5e-3
        assert found["sticks_out"][1] - found["sticks_out"][0] <= 5e-3
        assert out.max() >= found["sticks_out"][0] - 0.15


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3), st.floats(0.01, 1))
def test_a_sphere_around_a_cube_in_any_pose_and_size(seed, scale, gap):
    rng = np.random.default_rng(seed)
    turn, move = random_rotation(rng), rng.normal(size=3) * scale * 5
    side = Box((0, 0, 0), (0, 0, 0, 1), (0.5, 0.5, 0.5)).transformed(turn, move, scale)
    mesh = Mesh(*side.to_mesh())
    radius = (np.sqrt(0.75) + gap) * scale
    found = certify(mesh, [Sphere(move, radius)], resolution=2e-3)
    truth = (radius - 0.5 * scale) / mesh.diagonal
    for key in ("all_surfaces", "outer_surface"):
        low, high = found[key]
        assert low <= truth * (1 + 1e-9)
        assert truth * (1 - 1e-9) <= high
        assert high - low <= 2e-3
    assert found["sticks_out"][1] <= 1e-6
    # the sphere touches every face from inside
    small = certify(mesh, [Sphere(move, 0.5 * scale)], resolution=2e-3)
    low, high = small["sticks_out"]
    want = (np.sqrt(0.75) - 0.5) * scale / mesh.diagonal
    assert low <= want * (1 + 1e-9)
    assert want * (1 - 1e-9) <= high
    assert high - low <= 2e-3
    assert small["outer_surface"][1] <= 2.1e-3  # all surfaces are inside the solid


def test_the_mean_of_an_offset_box_and_a_finer_resolution_is_narrower():
    mesh = specimens.box()
    shapes = [Box((0.3, 0, 0), (0, 0, 0, 1), (0.5, 0.5, 0.5))]
    points = np.concatenate([p for _, p, _ in on_surfaces(shapes, 200_000)])
    mean = distances(mesh, points).mean()
    widths = []
    for resolution in (4e-3, 1e-3):
        found = certify(mesh, shapes, resolution=resolution)
        low, high = found["mean_all"]
        assert low - 1e-4 <= mean <= high + 1e-4
        assert found["complete"]
        assert found["all_surfaces"][0] <= 0.3 / np.sqrt(3) <= found["all_surfaces"][1]
        assert found["sticks_out"][0] <= 0.3 / np.sqrt(3) <= found["sticks_out"][1]
        widths.append(high - low)
    assert widths[1] < widths[0] / 2


def test_the_same_numbers_for_any_thread_count():
    mesh, shapes = MESHES["torus"], [Sphere((2, 0, 0), 0.7), Box((-2, 0, 0), (0, 0, 0, 1), (1, 0.5, 0.6))]
    assert certify(mesh, shapes, threads=1) == certify(mesh, shapes, threads=3)


def test_a_run_can_be_stopped():
    with pytest.raises(InterruptedError):
        certify(MESHES["torus"], [Sphere((2, 0, 0), 0.7)], report=lambda stage, fraction: False)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([], "at least one"),
        ([("sphere", np.array([0.0, 0, 0, np.inf]), np.zeros((0, 3), np.uint32))], "finite"),
    ],
)
def test_bad_shapes_are_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        _core.shape_union(shapes, (0.0, 0.0, 0.0), 1.0)


@pytest.mark.parametrize("away", [0, 1e3, 1e7, -1e12])
def test_far_from_the_origin_the_bounds_are_as_narrow(away):
    center = np.array([away, 3.0, -away])
    mesh = Mesh(*Box(center, (0, 0, 0, 1), (0.5, 0.5, 0.5)).to_mesh())
    bounds = evaluate(mesh, [Sphere(center, 1.0)], samples=100, certify=True).bounds
    assert bounds.complete
    truth = 0.5 / 3**0.5  # above the centre of a side
    rounding = 1e-15 * abs(away)  # rounding of the coordinates
    for low, high in (bounds.all_surfaces, bounds.outer_surface):
        assert low <= truth + rounding
        assert truth - rounding <= high <= low + 1e-3
    assert bounds.sticks_out[1] <= 1e-6 + rounding


def test_a_vertex_that_no_face_uses_may_lie_anywhere():
    cube = MESHES["box"]
    stray = Mesh(np.vstack([cube.vertices * 1e-3, [[1e60, 0, 0]]]), specimens.polygons_of(cube))
    bounds = evaluate(stray, [Sphere((0, 0, 0), 1e-3)], samples=100, certify=True).bounds
    alone = Mesh(cube.vertices * 1e-3, specimens.polygons_of(cube))
    assert bounds == evaluate(alone, [Sphere((0, 0, 0), 1e-3)], samples=100, certify=True).bounds


def test_complete_is_said_of_the_bounds_as_they_are_given():
    """If rounding alone is wider than the requested precision, no result is complete."""
    center = (1e7, 0.0, 0.0)
    mesh = Mesh(*Box(center, (0, 0, 0, 1), (0.5, 0.5, 0.5)).to_mesh())
    found = certify(mesh, [Sphere(center, 1.0)])
    assert found["all_surfaces"][1] - found["all_surfaces"][0] > 1e-3
    assert not found["complete"]


@pytest.mark.parametrize("name", ["box", "torus", "icosphere", "boxes"])
def test_inside_agrees_with_the_winding_number(name):
    mesh = MESHES[name]
    assert _core.is_closed_solid(mesh.vertices, mesh.indices, mesh.offsets)
    rng = np.random.default_rng(1)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    points = rng.uniform(low - 0.1, high + 0.1, (800, 3))
    points[::4] = points[::4].round(1)  # rays through edges and vertices
    inside = _core.points_inside(points, mesh.vertices, mesh.indices, mesh.offsets)
    away = distances(mesh, points) > 1e-6
    corners = mesh.vertices[mesh.triangles][None] - points[:, None, None]
    size = np.linalg.norm(corners, axis=3)
    a, b, c = corners[:, :, 0], corners[:, :, 1], corners[:, :, 2]
    over = np.einsum("ptk,ptk->pt", a, np.cross(b, c))
    dots = [np.einsum("ptk,ptk->pt", u, v) for u, v in ((a, b), (b, c), (c, a))]
    under = size.prod(axis=2) + dots[0] * size[..., 2] + dots[1] * size[..., 0] + dots[2] * size[..., 1]
    winding = np.arctan2(over, under).sum(axis=1) / (2 * np.pi)
    assert away.sum() > 500
    assert inside[away].any()
    assert not inside[away].all()
    assert np.array_equal(inside[away], winding[away] > 0.5)


@pytest.mark.parametrize("name", ["grid", "soup", "triangle"])
def test_an_open_mesh_is_no_solid(name):
    mesh = MESHES[name]
    assert not _core.is_closed_solid(mesh.vertices, mesh.indices, mesh.offsets)


def test_a_solid_turned_inside_out_is_none_and_split_vertices_do_not_matter():
    mesh = specimens.box()
    inward = Mesh(mesh.vertices, [face[::-1] for face in specimens.polygons_of(mesh)])
    assert not _core.is_closed_solid(inward.vertices, inward.indices, inward.offsets)
    split = specimens.with_split_vertices(mesh)
    assert _core.is_closed_solid(split.vertices, split.indices, split.offsets)
