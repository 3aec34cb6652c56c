"""navigable_space, checked with a finer grid and brute-force distances."""

from __future__ import annotations

import numpy as np
import pytest
import specimens
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

import hitbox
from hitbox import HalfSpace, InputError, Mesh, NavigableSpace, navigable_space

FEW = settings(max_examples=6, deadline=None, phases=[Phase.explicit, Phase.generate])


# ---- the oracle


def distances(points, mesh):
    """Return the distance from each point to the mesh's triangles, by brute force."""
    corners = mesh.vertices[mesh.triangles]
    nearest = np.full(len(points), np.inf)
    for a, b, c in corners:
        nearest = np.minimum(nearest, _to_triangle(points, a, b, c))
    return nearest


def _to_triangle(p, a, b, c):
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal)
    to_edges = np.min([_to_segment(p, u, v) for u, v in ((a, b), (b, c), (c, a))], axis=0)
    if length == 0:
        return to_edges
    normal = normal / length
    inside = np.ones(len(p), bool)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= (p - u) @ np.cross(normal, v - u) >= 0
    return np.where(inside, np.abs((p - a) @ normal), to_edges)


def _to_segment(p, a, b):
    along = b - a
    s = np.clip((p - a) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(p - a - s[:, None] * along, axis=1)


def reachable_centers(mesh, radius, tolerance, step, seed):
    """Return the grid points that a ball's centre can reach from the corner, with their distances."""
    margin = radius + tolerance + 3 * step
    low = mesh.vertices.min(axis=0) - margin - np.random.default_rng(seed).random(3) * step
    size = np.ceil((mesh.vertices.max(axis=0) + margin - low) / step).astype(int) + 1
    grid = np.stack(np.meshgrid(*(np.arange(n) for n in size), indexing="ij"), axis=-1).reshape(-1, 3)
    points = low + grid * step
    room = distances(points, mesh)
    free = (room >= radius + tolerance).reshape(size)
    reached = np.zeros_like(free)
    reached[0, 0, 0] = True
    while True:
        grown = reached.copy()
        for axis in range(3):
            here, there = [slice(None)] * 3, [slice(None)] * 3
            here[axis], there[axis] = slice(1, None), slice(None, -1)
            grown[tuple(here)] |= reached[tuple(there)]
            grown[tuple(there)] |= reached[tuple(here)]
        grown &= free
        if (grown == reached).all():
            return points[reached.ravel()], room[reached.ravel()]
        reached = grown


def meshes():
    return st.sampled_from([
        specimens.extruded([[0, 0], [2, 0], [2, 0.4], [0.4, 0.4], [0.4, 2], [0, 2]], 1.0),  # an L
        specimens.torus(1, 0.25, 12, 6),
        specimens.grid(3, 3, height=0.3, seed=2),
        specimens.soup(12, seed=3, size=0.6),
        specimens.gable(),
    ])  # fmt: skip


@FEW
@given(meshes(), st.sampled_from([(0.1, 0.08), (0.06, 0.12), (0.25, 0.06)]), st.integers(0, 2**31))
def test_spheres_keep_their_distance_and_lie_all_along_the_boundary(mesh, lengths, seed):
    mesh = specimens.placed(mesh, seed)
    longest = float(np.ptp(mesh.vertices, axis=0).max())
    radius, tolerance = (longest * x for x in lengths)
    space = navigable_space(mesh, radius, tolerance)
    assert len(space.spheres) > 0
    room = distances(space.spheres[:, :3], mesh)
    assert (room >= radius + tolerance - 1e-9 * longest).all()
    assert np.allclose(space.spheres[:, 3], room - tolerance, atol=1e-9 * longest)
    # Wherever a ball's centre reaches the boundary inside the mesh's convex hull, a sphere is near.
    centers, free = reachable_centers(mesh, radius, tolerance, 0.7 * space.step, seed)
    near = free < radius + tolerance + 0.1 * space.step
    planes = ConvexHull(mesh.vertices).equations
    near &= (centers @ planes[:, :3].T + planes[:, 3]).max(axis=1) < 0
    for center in centers[near][:300]:
        assert np.linalg.norm(space.spheres[:, :3] - center, axis=1).min() <= 2 * space.step


def hollow(outer: Mesh, inner: Mesh) -> Mesh:
    """Return a solid with a cavity."""
    turned = Mesh(inner.vertices, [face[::-1] for face in specimens.polygons_of(inner)])
    return specimens.together([outer, turned])


def cube(size: float) -> Mesh:
    return Mesh(specimens.box().vertices * (size / np.ptp(specimens.box().vertices, axis=0)[0]),
                specimens.polygons_of(specimens.box()))  # fmt: skip


def test_a_sealed_cavity_is_no_space_unless_it_is_asked_for():
    shell = hollow(cube(2.0), cube(1.6))
    half = 0.8
    center = shell.vertices.mean(axis=0)
    low, high = center - half, center + half

    def inside(space):
        return ((space.spheres[:, :3] > low) & (space.spheres[:, :3] < high)).all(axis=1).any()

    assert not inside(navigable_space(shell, 0.1, 0.05))
    assert inside(navigable_space(shell, 0.1, 0.05, sealed=True))
    # The inside of a solid is not a cavity.
    assert not inside(navigable_space(cube(2.0), 0.1, 0.05, sealed=True))


def bottle(neck: float) -> Mesh:
    """Return a pot with walls of no thickness, closed except for a round hole of this radius in its lid."""
    return specimens.revolved(np.array([[0, 0], [1, 0], [1, 2], [neck, 2]]), 24, "bottle")


@pytest.mark.parametrize(("neck", "is_open"), [(0.5, True), (0.15, False)])
def test_a_neck_decides(neck, is_open):
    space = navigable_space(bottle(neck), 0.2, 0.05)
    low, high = bottle(neck).vertices.min(axis=0), bottle(neck).vertices.max(axis=0)
    centers = space.spheres[:, :3]
    assert ((centers > low + 0.2) & (centers < high - 0.2)).all(axis=1).any() == is_open


def test_a_floor_closes_a_dome():
    ball = specimens.icosphere(2)
    faces = [f for f in specimens.polygons_of(ball) if ball.vertices[f][:, 2].min() > -1e-9]
    dome = Mesh(ball.vertices, faces)

    def under(space):
        centers = space.spheres[:, :3]
        return bool(((np.linalg.norm(centers, axis=1) < 0.9) & (centers[:, 2] > 0.3)).any())

    assert under(navigable_space(dome, 0.1, 0.04))
    floors = [
        HalfSpace.floor(0.0),
        hitbox.Box((0, 0, -5), (0, 0, 0, 1), (10, 10, 5)),
        lambda points: points[:, 2],
    ]
    for floor in floors:
        assert not under(navigable_space(dome, 0.1, 0.04, blockers=[floor]))


def test_a_ball_stays_a_radius_away_from_a_blocker():
    space = navigable_space(cube(1.0), 0.1, 0.05, blockers=[HalfSpace((0, 0, 2), 0.0)])
    assert (space.spheres[:, 2] >= space.spheres[:, 3] - 1e-9).all()


def test_room_around_a_point_is_kept():
    shell = hollow(cube(2.0), cube(1.6))
    center = shell.vertices.mean(axis=0)
    space = navigable_space(shell, 0.1, 0.05, clear_points=[center])
    assert space.spheres[0] == pytest.approx([*center, 0.75])


def test_threads_change_nothing():
    mesh = specimens.torus()
    one, three = (navigable_space(mesh, "5%", "2%", threads=threads) for threads in (1, 3))
    assert one.spheres.tobytes() == three.spheres.tobytes()


def test_overlap_as_by_brute_force():
    mesh = specimens.torus()
    space = navigable_space(mesh, "5%", "2%")
    for count in (1, 4, 40):
        collider = hitbox.fit(mesh, count)
        nearest = np.min([shape.signed_distance(space.spheres[:, :3].copy()) for shape in collider], axis=0)
        depth = 1 - np.clip(nearest, 0, None) / space.spheres[:, 3]
        found = space.overlap(collider)
        assert found.deepest == pytest.approx(max(depth.max(), 0), abs=1e-9)
        assert found.entered == np.count_nonzero(depth > 1e-9)
    assert space.overlap(hitbox.fit(mesh, 1)).deepest == 1


def test_fit_keeps_out_of_the_space():
    """The hole of a ring stays open for any small count."""
    mesh = specimens.torus(2, 0.5, 24, 12)
    space = navigable_space(mesh, "10%", "4%")
    assert space.overlap(hitbox.fit(mesh, 1)).deepest == 1
    kept = hitbox.fit(mesh, 1, keep_clear=space)
    assert kept.status.notes
    assert space.overlap(kept).deepest <= 1e-6


def test_it_can_be_saved(tmp_path):
    space = navigable_space(cube(1.0), "10%", "5%")
    space.save(tmp_path / "cube.space.json")
    again = NavigableSpace.load(tmp_path / "cube.space.json")
    assert again.spheres.tobytes() == space.spheres.tobytes()
    assert (again.radius, again.tolerance, again.step) == (space.radius, space.tolerance, space.step)
    (tmp_path / "other.json").write_text('{"format": "x"}')
    with pytest.raises(InputError, match="not a navigable space"):
        NavigableSpace.load(tmp_path / "other.json")


@pytest.mark.parametrize("wrong", [{"radius": "NaN"}, {"step": "-1"}, {"spheres": "[[0, 0, 0, NaN]]"}])
def test_a_saved_space_of_wrong_numbers_is_refused(tmp_path, wrong):
    known = {"radius": "1", "tolerance": "1", "step": "1", "spheres": "[[0, 0, 0, 1]]"} | wrong
    numbers = ", ".join(f'"{name}": {text}' for name, text in known.items())
    path = tmp_path / "wrong.json"
    path.write_text(f'{{"format": "hitbox-space", "version": 1, {numbers}}}')
    with pytest.raises(InputError, match=r"wrong\.json: the space in it is incomplete"):
        NavigableSpace.load(path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"radius": 0}, "radius: must be above 0"),
        ({"radius": "x"}, "is not a length"),
        ({"tolerance": -1}, "tolerance: -1 must be a finite length"),
        ({"tolerance": 1e-9, "radius": 1e-9}, "Give a larger tolerance"),
        ({"clear_points": [(1, 2)]}, "clear_points: must be points"),
        ({"blockers": ["floor"]}, "blocker 1 is a str"),
        ({"blockers": [lambda points: 0.0]}, "one number per point"),
        ({"threads": -1}, "threads"),
    ],
)
def test_what_is_wrong_is_said(arguments, said):
    with pytest.raises(InputError, match=said):
        navigable_space(cube(1.0), **{"radius": 0.1, "tolerance": 0.05, **arguments})


def test_half_spaces_are_checked():
    with pytest.raises(InputError, match="HalfSpace"):
        HalfSpace((0, 0, 0), 1)
    assert HalfSpace((0, 0, 2), 4).offset == 2


def test_a_function_that_raises_stops_it():
    def broken(points):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        navigable_space(cube(1.0), 0.1, 0.05, blockers=[broken])
