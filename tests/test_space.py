"""navigable_space, checked with a finer grid and brute-force distances."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
import shape_strategies
import specimens
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, cKDTree

import hitbox
from hitbox import HalfSpace, InputError, Mesh, NavigableSpace, navigable_space
from hitbox._model.shapes import KINDS

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
    kept = 0.99 * tolerance  # the rest is the slack of the proof
    assert (room >= radius + kept - 1e-9 * longest).all()
    assert np.allclose(space.spheres[:, 3], room - kept, atol=1e-9 * longest)
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
    assert space.spheres[0] == pytest.approx([*center, 0.8 - 0.99 * 0.05])


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
        alone = NavigableSpace(space.spheres, space.radius, space.tolerance, space.step).overlap(collider)
        assert alone.deepest == pytest.approx(max(depth.max(), 0), abs=1e-9)
        assert alone.entered == np.count_nonzero(depth > 1e-9)
        assert found.deepest >= alone.deepest
        assert found.entered >= alone.entered
    assert space.overlap(hitbox.fit(mesh, 1)).deepest == 1


# ---- between the spheres

RADII = [(0.005, 0.05), (0.01, 0.05), (0.025, 0.05), (0.05, 0.01)]


def trough() -> Mesh:
    """A long trough, so gently curved that no sphere lies in a corner. Its bottom is at height 0."""
    across = np.linspace(-0.5, 0.5, 101)
    outline = [(-0.5, -0.2), (0.5, -0.2), *zip(across[::-1], across[::-1] ** 2 / 2, strict=True)]
    upright = specimens.extruded(outline, 1.0)
    return Mesh(upright.vertices[:, [0, 2, 1]] * (1, -1, 1), specimens.polygons_of(upright), name="trough")


@dataclass(frozen=True)
class Valley:
    """A bar across a trough. It enters the space over the bottom, between two rows of the space's spheres."""

    space: NavigableSpace
    alone: NavigableSpace  # the same spheres, without the proof
    bar: hitbox.Box
    ends: list[hitbox.Box]  # of the bar, inside the trough
    centers: np.ndarray  # centres of balls that rest on the bottom below the bar

    @staticmethod
    def of(radius: float, tolerance: float) -> Valley:
        space = navigable_space(trough(), radius, tolerance)
        dent = radius - np.sqrt(max(radius**2 - (space.step / 2) ** 2, 0.0))
        top = 0.99 * tolerance + 0.6 * dent
        thin = 1e-3 * dent
        near = space.spheres[np.abs(space.spheres[:, 1] + 0.5) < 0.2]
        candidates = np.linspace(-0.6, -0.4, 2001)
        away = np.hypot(candidates[:, None] - near[:, 1], top - near[:, 2]) - near[:, 3]
        y = float(candidates[np.argmax(away.min(axis=1))])
        reach = np.sqrt(2 * top)  # where the trough is as high as the bar

        def box(center: float, half: float) -> hitbox.Box:
            return hitbox.Box((center, y, top - thin), (0, 0, 0, 1), (half, thin, thin))

        ends = [box(x, 0.01) for x in (-reach - 0.02, reach + 0.02)]
        along = np.linspace(-0.02, 0.02, 41)
        height = np.full(len(along), radius + tolerance)
        centers = np.stack([along, np.full(len(along), y), height], axis=1)
        alone = NavigableSpace(space.spheres, radius, tolerance, space.step)
        return Valley(space, alone, box(0.0, reach + 0.03), ends, centers)

    def depth(self, shapes: Iterable[hitbox.Shape]) -> float:
        """Return the largest depth to which shapes enter balls at `centers`, as a fraction of the radius."""
        nearest = np.min([shape.signed_distance(self.centers) for shape in shapes], axis=0)
        return float(1 - nearest.min() / self.space.radius)


@pytest.fixture(scope="module", params=RADII, ids=lambda lengths: f"r {lengths[0]} t {lengths[1]}")
def valley(request: pytest.FixtureRequest) -> Valley:
    made = Valley.of(*request.param)
    assert made.alone.overlap([made.bar]).entered == 0
    assert made.depth([made.bar]) > 0
    return made


def mesh_of(shapes: Iterable[hitbox.Shape]) -> Mesh:
    return specimens.together([Mesh(*shape.to_mesh()) for shape in shapes])


def test_overlap_finds_the_bar_between_the_spheres(valley):
    found = valley.space.overlap([valley.bar])
    assert found.is_proved
    assert found.entered > 0
    slack = 0.011 * valley.space.tolerance / valley.space.radius
    assert found.deepest >= valley.depth([valley.bar]) - slack
    assert valley.space.overlap(valley.ends) == hitbox.Overlap(0, 0.0, is_proved=True)


@pytest.mark.parametrize("hulls_only", [False, True])
def test_merge_does_not_fill_the_valley(valley, hulls_only):
    options = {"distance": 2.0, "hulls_only": hulls_only, "tolerance": 1e-5}
    merged = hitbox.merge(valley.ends, space=valley.space, **options)
    assert len(merged) == 2
    assert merged.status.complete
    # The spheres alone do not see it, and the status says that there is no proof.
    filled = hitbox.merge(valley.ends, space=valley.alone, **options)
    assert len(filled) == 1
    assert valley.depth(filled) > 0
    assert "no proof" in " ".join(filled.status.notes)


@pytest.mark.parametrize(
    "options", [{"count": 1}, {"tolerance": "90%"}, {"count": 1, "kinds": ["box", "hull"]}]
)
def test_fit_does_not_fill_the_valley(valley, options):
    mesh = mesh_of(valley.ends)
    made = hitbox.fit(mesh, **options, keep_clear=valley.space)
    assert len(made) == 2
    assert valley.space.overlap(made).entered == 0
    assert not any("Shapes enter" in note for note in made.status.notes)
    filled = hitbox.fit(mesh, **options, keep_clear=valley.alone)
    assert len(filled) == 1
    assert valley.space.overlap(filled).entered > 0
    assert "no proof" in " ".join(filled.status.notes)


def test_no_level_of_a_tree_fills_the_valley(valley):
    tree = hitbox.fit_tree(mesh_of(valley.ends), 4, keep_clear=valley.space)
    for made in (tree.at(1), tree.at(2), tree.within("90%")):
        assert len(made) >= 2
        assert valley.space.overlap(made).entered == 0


def test_a_sphere_does_not_rise_into_the_valley(valley):
    """A flat disc in the valley: the ball around it rises between the spheres of the space."""
    top = valley.bar.center[2]
    half = top - 0.99 * valley.space.tolerance
    x, y = np.array([(1, 0), (0.5, 0.8), (-0.5, 0.8), (-1, 0), (-0.5, -0.8), (0.5, -0.8)]).T * 0.9 * half
    low = 0.99 * valley.space.tolerance - 0.02 * half
    disc = Mesh(np.stack([x, valley.bar.center[1] + y, np.full(6, low)], axis=1), [[0, 1, 2, 3, 4, 5]])
    filled = hitbox.fit_spheres(disc, 1, keep_clear=valley.alone)
    assert len(filled) == 1
    made = hitbox.fit_spheres(disc, 1, keep_clear=valley.space)
    assert len(made) > 1
    assert valley.space.overlap(made).deepest < valley.space.overlap(filled).deepest


def test_spheres_alone_miss_a_thin_bar():
    """A space without a proof admits a bar from wall to wall of a channel, and says that it has no proof."""
    walls = [specimens.box((0.1, 1, 1), (x, 0.5, 0.5)) for x in (0.05, 0.95)]
    channel = specimens.together([specimens.box((1, 1, 0.1), (0.5, 0.5, 0.05)), *walls])
    space = navigable_space(channel, *RADII[0])
    rows = np.unique(np.round(space.spheres[:, 1:3], 6), axis=0)
    spots = np.random.default_rng(0).uniform((0.3, 0.4), (0.7, 0.6), (4000, 2))
    y, z = spots[np.linalg.norm(spots[:, None] - rows, axis=2).min(axis=1).argmax()]
    ends = [hitbox.Box((x, y, z), (0, 0, 0, 1), (0.05, 1e-5, 1e-5)) for x in (0.05, 0.95)]
    alone = NavigableSpace(space.spheres, space.radius, space.tolerance, space.step)
    assert not alone.has_proof
    merged = hitbox.merge(ends, space=alone, distance=2.0)
    assert len(merged) == 1
    assert "no proof" in " ".join(merged.status.notes)
    assert not alone.overlap(merged).is_proved
    assert alone.overlap(merged).entered == 0
    assert space.overlap(merged).deepest > 0.9
    assert len(hitbox.merge(ends, space=space, distance=2.0)) == 2


def test_a_shape_that_floats_in_the_space_enters_it():
    """It crosses no boundary of the space, and touches no sphere. The space ends somewhat beyond the mesh."""
    space = navigable_space(cube(1.0), 0.2, 0.05)
    for height, is_near in ((0.71, True), (0.76, True), (2.0, False), (9.0, False)):
        for center in ((0, 0, height), (0.3, 0.2, -height)):
            for shape in (hitbox.Sphere(center, 0.01), hitbox.Box(center, (0, 0, 0, 1), (0.01, 0.01, 0.01))):
                assert (space.overlap([shape]).deepest > 0.7) == is_near
    assert space.overlap([hitbox.Sphere((0, 0, 0), 0.4)]).entered == 0
    # A long box reaches into the grid from far away.
    assert space.overlap([hitbox.Box((0, 0, 5.75), (0, 0, 0, 1), (0.01, 0.01, 5))]).deepest > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    "blockers", [[], [HalfSpace.floor(-0.6)], [hitbox.Box((0.9, 0, 0), (0, 0, 0, 1), (0.2, 1, 1))]]
)
def test_no_shape_that_is_proved_clear_enters_a_sampled_ball(blockers):
    """Places and centres are random points near the mesh, centres with room by brute force."""
    mesh, radius, tolerance = cube(1.0), 0.12, 0.06
    space = navigable_space(mesh, radius, tolerance, blockers=blockers)
    random = np.random.default_rng(5)
    half = 0.5 + radius + tolerance
    centers, places = (random.uniform(-half, half, (count, 3)) for count in (20_000, 6_000))
    low, high = mesh.bounds
    room = np.linalg.norm(np.maximum(np.maximum(low - centers, centers - high), 0), axis=1)
    free = room >= radius + tolerance
    for blocker in blockers:
        away = centers[:, 2] + 0.6 if isinstance(blocker, HalfSpace) else blocker.signed_distance(centers)
        free &= away >= radius
    in_ball = cKDTree(centers[free]).query(places)[0] < radius
    assert np.count_nonzero(in_ball) > 500
    clear = entering = 0
    for seed in range(700):
        shape = shape_strategies.random_shape(KINDS[seed % len(KINDS)], seed).transformed(scale=0.2)
        shape = shape.transformed(translation=random.uniform(-half, half, 3))
        enters = bool((in_ball & (shape.signed_distance(places) < 0)).any())
        found = space.overlap([shape])
        assert found.deepest > 0 or not enters, shape
        clear += found.entered == 0
        entering += enters
    assert min(clear, entering) > 50


def test_a_space_without_spheres_is_kept_clear_too():
    """Outside a convex mesh no ball touches its hull."""
    mesh = cube(1.0)
    space = navigable_space(mesh, 0.1, 0.02)
    assert len(space.spheres) == 0
    for options in ({"kinds": "cylinder"}, {"kinds": ["sphere", "capsule"]}, {"pad": 0.3}):
        kept = hitbox.fit(mesh, 1, keep_clear=space, **options)
        assert kept.status.complete == (space.overlap(kept).entered == 0)
    assert not kept.status.complete  # the padding enters
    balls = hitbox.fit_spheres(mesh, 1, keep_clear=space)
    assert 1 < len(balls) <= 1500
    assert balls.status.complete == (space.overlap(balls).entered == 0)


def floor_below(points):
    return points[:, 2] + 0.6


def test_a_space_with_a_function_of_a_module_can_be_pickled():
    space = navigable_space(cube(1.0), "10%", "5%", blockers=[floor_below])
    same_proof(space, pickle.loads(pickle.dumps(space)))


def test_carve_returns_the_space_that_it_keeps():
    mesh = specimens.extruded([[0, 0], [2, 0], [2, 0.4], [0.4, 0.4], [0.4, 2], [0, 2]], 1.0)
    carved = hitbox.carve(mesh, 0.2, 0.1)
    alone = navigable_space(mesh, 0.2, 0.1)
    assert carved.space is not None
    assert carved.space.spheres.tobytes() == alone.spheres.tobytes()
    assert carved.space.overlap(carved) == hitbox.NavigableSpace.overlap(alone, carved)
    assert carved.space.overlap(carved).entered == 0
    assert carved.transformed(translation=(1, 0, 0)).space is None
    assert hitbox.fit(mesh, 2).space is None


def test_fit_keeps_out_of_the_space():
    """The hole of a ring stays open for any small count."""
    mesh = specimens.torus(2, 0.5, 24, 12)
    space = navigable_space(mesh, "10%", "4%")
    assert space.overlap(hitbox.fit(mesh, 1)).deepest == 1
    kept = hitbox.fit(mesh, 1, keep_clear=space)
    assert kept.status.notes
    assert space.overlap(kept).entered == 0


def same_proof(space: NavigableSpace, again: NavigableSpace) -> None:
    assert again.spheres.tobytes() == space.spheres.tobytes()
    assert (again.radius, again.tolerance, again.step) == (space.radius, space.tolerance, space.step)
    assert again.has_proof == space.has_proof
    for size in (0.5, 0.6, 0.7):
        box = hitbox.Box((0, 0, 0), (0, 0, 0, 1), (size, 0.5, 0.5))
        assert again.overlap([box]) == space.overlap([box])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"floor_tolerance": "2%", "sealed": True, "clear_points": [(0, 0, 0.9)]},
        {"blockers": [HalfSpace.floor(-0.6), hitbox.Box((0, 0, -5), (0, 0, 0, 1), (9, 9, 4))]},
    ],
)
def test_it_can_be_saved_with_its_proof(tmp_path, options):
    space = navigable_space(cube(1.0), "10%", "5%", **options)
    space.save(tmp_path / "cube.space.json")
    again = NavigableSpace.load(tmp_path / "cube.space.json")
    assert again.has_proof
    same_proof(space, again)
    same_proof(space, pickle.loads(pickle.dumps(space)))
    again.save(tmp_path / "again.space.json")
    assert (tmp_path / "again.space.json").read_bytes() == (tmp_path / "cube.space.json").read_bytes()


def test_a_function_of_a_space_is_called_by_the_calling_thread_alone():
    threads = set()

    def floor(points):
        threads.add(threading.get_ident())
        return points[:, 2] + 0.6

    mesh = cube(1.0)
    space = navigable_space(mesh, "10%", "5%", blockers=[floor], threads=4)
    fitted = hitbox.fit(mesh, 4, keep_clear=space, threads=4)
    hitbox.fit_spheres(mesh, 4, keep_clear=space, threads=4)
    hitbox.fit_tree(mesh, 4, keep_clear=space, threads=4).at(2)
    hitbox.merge(fitted, space=space, threads=4)
    space.overlap(fitted, threads=4)
    assert threads == {threading.get_ident()}


def test_a_space_with_a_function_leaves_no_leak():
    """The function knows the module, which knows the space: a cycle."""
    code = (
        "import hitbox\n"
        "mesh = hitbox.Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1)).to_mesh()\n"
        "floor = lambda points: points[:, 2] + 1.2\n"
        "space = hitbox.navigable_space(mesh, 0.2, 0.1, blockers=[floor])\n"
        "carved = hitbox.carve(mesh, 0.2, 0.1, blockers=[floor])\n"
        "print(carved.space.overlap(carved).entered)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_the_cache_tells_spaces_with_and_without_a_proof_apart(tmp_path, valley):
    mesh = mesh_of(valley.ends)
    alone = hitbox.fit(mesh, 1, keep_clear=valley.alone, cache=tmp_path)
    proved = hitbox.fit(mesh, 1, keep_clear=valley.space, cache=tmp_path)
    assert (len(alone), len(proved)) == (1, 2)
    assert hitbox.fit(mesh, 1, keep_clear=valley.space, cache=tmp_path).shapes == proved.shapes


def test_a_space_with_a_function_is_saved_without_its_proof(tmp_path):
    space = navigable_space(cube(1.0), "10%", "5%", blockers=[lambda points: points[:, 2] + 0.6])
    assert space.has_proof
    assert hitbox.merge([hitbox.Sphere((0, 0, 0), 0.1)], space=space, threads=2).status.complete
    space.save(tmp_path / "cube.space.json")
    again = NavigableSpace.load(tmp_path / "cube.space.json")
    assert again.spheres.tobytes() == space.spheres.tobytes()
    assert not again.has_proof


def test_a_space_of_version_1_is_read_without_a_proof(tmp_path):
    known = {"radius": 1, "tolerance": 1, "step": 1, "spheres": [[0, 0, 0, 1]]}
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"format": "hitbox-space", "version": 1, **known}))
    assert not NavigableSpace.load(path).has_proof


def test_what_is_no_space_is_refused(tmp_path):
    (tmp_path / "other.json").write_text('{"format": "x"}')
    with pytest.raises(InputError, match="not a navigable space"):
        NavigableSpace.load(tmp_path / "other.json")


MADE_FROM = navigable_space(specimens.box(), "10%", "5%").to_json()


@pytest.mark.parametrize("wrong", [
    {"indices": [0, 1, 99]}, {"offsets": [0]}, {"vertices": [[0, 0, "x"]]}, {"options": {}}, {"options": 3},
    {"radius": 0}, {"radius": -1}, {"radius": float("nan")}, {"radius": 1e9},
    {"tolerance": 0}, {"tolerance": 1e9}, {"floor_tolerance": 1.0}, {"up": [0, 0]}, {"up": [0, 0, 0]},
    {"half_spaces": [[0, 0, 0, 1]]}, {"half_spaces": [[0, 0, 1, float("inf")]]},
    {"clear_points": [[0, 0, float("nan")]]},
])  # fmt: skip
def test_a_saved_space_of_a_wrong_mesh_or_wrong_options_is_refused(tmp_path, wrong):
    data = json.loads(MADE_FROM)
    made_from = data["made_from"]
    (made_from if wrong.keys() <= made_from.keys() else made_from["options"]).update(wrong)
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError):
        NavigableSpace.load(path)


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
