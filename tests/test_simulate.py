"""Runs in Rapier: guarantees for any engine, and for the resulting numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_strategies import one_of_each

import hitbox
from hitbox import Box, Capsule, Collider, Cylinder, Hull, InputError, Mesh, Sphere
from hitbox._cli.app import run as command
from hitbox._judges.simulate import ENGINES, SCENES, SimulateOptions, simulate_together

rapier3d = pytest.importorskip("rapier3d")

LEVEL = (0, 0, 0, 1)


def boxes(*rows):
    """Return colliders of axis-aligned boxes, given by centre and half extents, with y up."""
    return Collider([Box(row[:3], LEVEL, row[3:]) for row in rows], up="y")


PLATE = boxes((0, 0, 0, 2, 0.1, 2))
RING = boxes(
    (-1.5, 0, 0, 0.5, 0.1, 2), (1.5, 0, 0, 0.5, 0.1, 2), (0, 0, -1.5, 1, 0.1, 0.5), (0, 0, 1.5, 1, 0.1, 0.5)
)


def mesh_of(collider, name="mesh"):
    """Return the surfaces of all shapes as one mesh."""
    vertices, triangles = [], []
    for shape in collider:
        corners, faces = shape.to_mesh()
        triangles.append(faces + sum(len(v) for v in vertices))
        vertices.append(corners)
    return Mesh(np.concatenate(vertices), np.concatenate(triangles), up=collider.up, name=name)


def bowl(cells=24):
    x, z = (a.ravel() for a in np.meshgrid(*[np.linspace(-1, 1, cells + 1)] * 2))
    i = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    quads = np.stack([i, i + 1, i + cells + 2, i + cells + 1], axis=1)
    return Mesh(np.stack([x, 0.5 * (x**2 + z**2), z], axis=1), quads, up="y", name="bowl")


def test_energy_never_grows():
    from hitbox._judges.simulate.engine_rapier import RapierEngine
    from hitbox._judges.simulate.run import _world_frame

    world = _world_frame({"plate": PLATE}, None, SimulateOptions(radius="3%", balls=80, seed=0))
    engine = RapierEngine(SCENES["drop"].setup(world, world.solids[0]))

    def energy():
        kinetic = 0.5 * (engine.velocities() ** 2).sum()
        return kinetic + 9.81 * (engine.positions()[:, 1] - world.bottom + 5).sum()

    most = first = energy()
    for _ in range(150):
        engine.step()
        now = energy()
        assert now <= most * 1.002  # the step is exact to first order in its length
        most = min(most, now)
    assert now < 0.96 * first  # the bounces lost energy


KEYWORDS = {"balls": 60, "frames": 80, "radius": "3%"}
RUN_AGAIN = """
import sys, hashlib
sys.path[:0] = {paths!r}
from test_simulate import KEYWORDS, RING, bowl
from hitbox._judges.simulate import simulate_together
runs = simulate_together({{"bowl": bowl(), "ring": RING}}, engine={engine!r}, **KEYWORDS)
print(hashlib.sha256(b"".join(run.paths.tobytes() for run in runs.values())).hexdigest())
"""


def digest(engine):
    code = RUN_AGAIN.format(paths=[p for p in sys.path if p], engine=engine)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_the_same_run_gives_the_same_bytes_here_and_in_another_process(engine):
    pytest.importorskip(engine.replace("rapier", "rapier3d"))
    keywords = {**KEYWORDS, "engine": engine}
    first = simulate_together({"bowl": bowl(), "ring": RING}, **keywords)
    again = simulate_together({"bowl": bowl(), "ring": RING}, **keywords)
    other = simulate_together({"bowl": bowl(), "ring": RING}, **keywords, seed=1)
    for name, run in first.items():
        assert run.paths.tobytes() == again[name].paths.tobytes()
        assert run.contacts.tolist() == again[name].contacts.tolist()
        assert run.paths.tobytes() != other[name].paths.tobytes()
    assert digest(engine) == digest(engine)


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_a_hole_stays_a_hole(engine):
    """The same balls fall on a plate with a hole, as boxes and as a mesh, and on one solid box."""
    pytest.importorskip(engine.replace("rapier", "rapier3d"))
    runs = simulate_together(
        {"mesh": mesh_of(RING), "ring": RING, "plate": PLATE},
        reference="mesh", scene="maze", engine=engine, balls=150, frames=150, radius="3%",
    )  # fmt: skip
    assert runs["mesh"].measures["passed"] > 5
    assert runs["ring"].measures["passed"] > 5
    assert runs["plate"].measures["passed"] == 0
    assert runs["mesh"].through == runs["ring"].through == runs["plate"].through == 0


def test_what_falls_through_a_missing_part_is_counted():
    """The reference has no hole, so balls that end up below it went through."""
    runs = simulate_together(
        {"plate": mesh_of(PLATE), "ring": RING}, reference="plate", balls=150, frames=150, radius="3%"
    )
    assert runs["plate"].through == 0
    assert runs["ring"].through > 5
    assert runs["ring"].similarity.height_field > 0


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_balls_rest_on_a_box_and_on_its_mesh_where_they_must(engine, up):
    pytest.importorskip(engine.replace("rapier", "rapier3d"))
    half = np.full(3, 2.0)
    half["xyz".index(up)] = 0.5
    box = Collider([Box((7, 8, 9), LEVEL, half)], up=up)
    runs = simulate_together(
        {"mesh": mesh_of(box), "box": box}, reference="mesh", balls=9, frames=240, radius="4%", engine=engine
    )
    for run in runs.values():
        heights = run.positions[:, "xyz".index(up)]
        on_top = heights > box.bounds[1]["xyz".index(up)]
        assert on_top.sum() >= 5
        expected = box.bounds[1]["xyz".index(up)] + run.radius
        np.testing.assert_allclose(heights[on_top], expected, atol=0.08 * run.radius)
        assert run.resting + run.moving == on_top.sum()


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])
def test_the_unit_of_the_mesh_does_not_matter(scale):
    mesh = bowl()
    other = Mesh(mesh.vertices * scale, mesh.indices.reshape(-1, 4), up="y")
    a = hitbox.simulate(mesh, balls=80, frames=80, radius="2%")
    b = hitbox.simulate(other, balls=80, frames=80, radius="2%")
    assert a.paths.tobytes() == b.paths.tobytes()
    np.testing.assert_allclose(b.positions, a.positions * scale, rtol=1e-9, atol=1e-6 * scale)
    assert b.radius == pytest.approx(a.radius * scale)


@pytest.mark.slow
def test_similarity_grows_as_the_collider_gets_worse():
    mesh = bowl()
    close, filled = hitbox.fit(mesh, 48), hitbox.fit(mesh, 1)
    keywords = {"balls": 400, "frames": 240, "radius": "2%"}
    runs = simulate_together({"mesh": mesh, "close": close, "filled": filled}, reference="mesh", **keywords)
    noise = runs["mesh"].similarity_to(hitbox.simulate(mesh, **keywords, seed=5))
    itself = runs["mesh"].similarity_to(hitbox.simulate(mesh, **keywords))
    assert itself == hitbox.Similarity(0.0, 0.0)
    assert runs["mesh"].similarity is None
    good, bad = runs["close"].similarity, runs["filled"].similarity
    for name in ("height_field", "trajectories"):
        assert 0 < getattr(noise, name) < getattr(bad, name) / 5
        assert getattr(good, name) < getattr(bad, name) / 4


def test_runs_that_cannot_be_compared_are_refused():
    a = hitbox.simulate(PLATE, balls=5, frames=5)
    with pytest.raises(InputError, match="same scene"):
        a.similarity_to(hitbox.simulate(PLATE, balls=6, frames=5))


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60), tilt=st.floats(-0.6, 0.6))
def test_every_ball_is_counted_once(seed, count, tilt):
    slope = Collider([Box((0, 0, 0), (0, 0, np.sin(tilt), np.cos(tilt)), (1, 0.1, 1))])
    run = hitbox.simulate(slope, balls=count, frames=60, radius="4%", seed=seed)
    assert run.resting + run.moving + run.through + run.escaped == run.balls == count
    assert run.frame_ms.shape == (60,)
    assert (run.frame_ms > 0).all()
    assert run.median_ms <= run.p95_ms <= run.p99_ms <= run.frame_ms.max()
    assert np.isfinite(run.positions).all()


def test_balls_start_apart_and_above():
    from hitbox._judges.simulate.run import _world_frame

    for subject, count in ((PLATE, 500), (boxes((0, 0, 0, 0.01, 3, 0.01)), 300), (RING, 1)):
        world = _world_frame({"it": subject}, None, SimulateOptions(radius="2%", balls=count, seed=3))
        balls = SCENES["drop"].setup(world, world.solids[0]).moving[0].positions
        assert len(balls) == count
        assert (balls[:, 1] > world.top + world.radius).all()
        assert np.ptp(balls[:, 1]) < 6  # no tower
        gaps = np.linalg.norm(balls[:, None] - balls[None], axis=2) + 99 * np.eye(count)
        assert gaps.min() > 2 * world.radius


def test_few_balls_fall_all_over_the_model():
    run = hitbox.simulate(PLATE, balls=100, frames=1)
    assert (np.ptp(run.positions[:, [0, 2]], axis=0) > 0.8 * 4).all()


def test_the_footprint_is_what_is_seen_from_above():
    """A point is in the shadow if a vertical line through it meets a shape."""
    from hitbox._judges.simulate.run import _world_frame

    world = _world_frame({"ring": RING}, None, SimulateOptions(radius="2%", balls=1, seed=0))
    plan, scale = world.footprint, world.scale
    points = np.random.default_rng(0).uniform(-2.4, 2.4, (2000, 2))
    across = np.abs(points).max(axis=1)
    clear = (np.abs(across - 1) > 2 * plan.cell / scale) & (np.abs(across - 2) > 2 * plan.cell / scale)
    assert clear.sum() > 1500
    seen = plan.covers(points[clear] * scale)
    np.testing.assert_array_equal(seen, (across[clear] > 1) & (across[clear] < 2))
    filled = plan.covers(points[clear] * scale, plan.outline)
    np.testing.assert_array_equal(filled, across[clear] < 2)
    heights = plan.surface(np.array([[1.5, 0.0], [0.0, 0.0]]) * scale, world.radius)
    assert heights[0] == pytest.approx(0.1 * scale)
    assert heights[1] == -np.inf


def test_shapes_are_native_in_rapier():
    from hitbox._judges.simulate.engine_rapier import collider_of

    expected = {
        "box": "CUBOID", "sphere": "BALL", "capsule": "CAPSULE", "cylinder": "CYLINDER",
        "frustum": "CONVEX_POLYHEDRON", "prism": "CONVEX_POLYHEDRON", "hull": "CONVEX_POLYHEDRON",
    }  # fmt: skip
    for shape in one_of_each():
        found = collider_of(rapier3d, shape).build().shape.shape_type
        assert found == getattr(rapier3d.ShapeType, expected[shape.kind])


ODD = (0.1825742, 0.3651484, 0.5477226, 0.7302967)


@pytest.mark.parametrize("kind", range(7))
def test_rays_meet_rapiers_shapes_where_ours_are(kind):
    """Every shape is rotated and moved. Where a ray hits the engine's shape, hitbox's distance is 0."""
    from hitbox._judges.simulate.engine_rapier import collider_of

    shape = one_of_each()[kind].transformed(ODD, (0.5, -1.0, 2.0), 1.7)
    world = rapier3d.PhysicsWorld()
    world.add_collider(collider_of(rapier3d, shape))
    world.step()
    world.update_query_pipeline()
    low, high = shape.bounds
    random = np.random.default_rng(kind)
    size = float(np.linalg.norm(high - low))
    hits = []
    for _ in range(200):
        start = (low + high) / 2 + size * unit(random)
        target = random.uniform(low, high)
        way = (target - start) / np.linalg.norm(target - start)
        ray = rapier3d.Ray(tuple(start), tuple(way))
        found = world.query_pipeline.cast_ray(ray, 10 * size, True)
        if found is not None:
            hits.append(start + way * found[1])
    assert len(hits) > 40
    slack = 0.03 if shape.kind == "frustum" else 1e-4  # a frustum's hull circumscribes it
    distance = shape.signed_distance(np.array(hits))
    assert distance.min() > -1e-4 * size
    assert distance.max() < slack * size


def unit(random):
    vector = random.normal(size=3)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
@pytest.mark.parametrize("scene", list(SCENES))
def test_every_scene_takes_every_kind_of_shape(scene, engine):
    pytest.importorskip(engine.replace("rapier", "rapier3d"))
    collider = Collider(one_of_each(), up="z")
    subjects = {"collider": collider}
    if scene != "pile":
        subjects["mesh"] = mesh_of(collider)
    reference = "mesh" if scene != "pile" else None
    runs = simulate_together(subjects, reference=reference, scene=scene, engine=engine, balls=6, frames=20)
    for run in runs.values():
        assert (run.scene, run.engine, run.balls, run.frames) == (scene, engine, 6, 20)
        assert np.isfinite(run.paths).all()
        told = json.loads(json.dumps(run.to_dict(), allow_nan=False))
        assert told["measures"].keys() == run.measures.keys()
        assert len(told["frame_ms"]) == 20
    assert bool(runs["collider"].measures) == (scene != "drop")


def test_balls_go_down_stairs():
    stairs = boxes(*[(k, -0.25 * k, 0, 0.5, 0.25, 3) for k in range(8)])
    wall = boxes(*[(k, -0.25 * k, 0, 0.5, 0.25, 3) for k in range(8)], (1.5, 0.75, 0, 0.1, 1.5, 3))
    runs = simulate_together(
        {"mesh": mesh_of(stairs), "stairs": stairs, "wall": wall},
        reference="mesh", scene="stairs", balls=20, frames=500,
    )  # fmt: skip
    assert runs["mesh"].measures["descended"] >= 15
    assert runs["stairs"].measures["descended"] >= 15
    assert runs["wall"].measures["descended"] <= 5
    assert runs["stairs"].measures["bounces"] > runs["wall"].measures["bounces"]
    assert 1 < runs["stairs"].measures["descent_seconds"] < 500 / 60


def test_seams_between_shapes_kick_and_steps_kick_more():
    row = [(k, 0, 0, 0.5, 0.2, 3) for k in range(-3, 4)]
    whole = boxes((0, 0, 0, 3.5, 0.2, 3))
    steps = boxes(*[(x, 0.06 * (k % 2), z, *half) for k, (x, _, z, *half) in enumerate(row)])
    subjects = {"whole": whole, "flush": boxes(*row), "steps": steps}
    runs = simulate_together(subjects, reference="whole", scene="roll", balls=60)
    kicks = {name: run.measures for name, run in runs.items()}
    assert kicks["whole"]["largest_kick"] < 0.05
    assert kicks["steps"]["largest_kick"] > 0.1
    assert kicks["steps"]["rms_kick"] > kicks["flush"]["rms_kick"] > 2 * kicks["whole"]["rms_kick"]


def test_walls_with_steps_kick_and_smooth_walls_do_not():
    """Compare a block with the same block of layers of which every second one is smaller, with ledges all
    around.
    """
    block = boxes((0, 0, 0, 2, 2, 2))
    sides = [2 - 0.14 * (k % 2) for k in range(8)]
    layers = boxes(*[(0, 1.75 - 0.5 * k, 0, side, 0.25, side) for k, side in enumerate(sides)])
    subjects = {"block": block, "layers": layers, "mesh": mesh_of(block)}
    runs = simulate_together(subjects, reference="mesh", scene="roll", balls=64)
    kicks = {name: run.measures for name, run in runs.items()}
    assert kicks["block"]["largest_wall_kick"] < 0.05
    assert kicks["layers"]["largest_wall_kick"] > 0.1
    assert kicks["layers"]["rms_wall_kick"] > 10 * kicks["block"]["rms_wall_kick"]
    assert runs["layers"].reference_measures == kicks["mesh"]
    assert runs["mesh"].reference_measures == {}
    assert json.loads(json.dumps(runs["layers"].to_dict()))["reference_measures"] == kicks["mesh"]


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_things_stay_on_the_wall_they_are_pressed_against(engine, up):
    pytest.importorskip(engine.replace("rapier", "rapier3d"))
    cube = Collider([Box((7, 8, 9), LEVEL, (2, 3, 4))], up=up)
    run = hitbox.simulate(cube, scene="roll", engine=engine, balls=40, frames=6)
    reach = np.abs(run.positions - run.center) - (2, 3, 4)
    clear = np.sort(reach, axis=1)[:, 1] < -run.radius  # not at an edge
    assert clear.sum() > 30
    np.testing.assert_allclose(reach[clear].max(axis=1), run.radius, rtol=0.05)
    on_top = np.arange(40) % 2 == 0
    axes = reach.argmax(axis=1)
    assert set(axes[clear & on_top]) == {"xyz".index(up)}
    assert set(axes[clear & ~on_top]) == {0, 1, 2} - {"xyz".index(up)}


def test_rods_get_through_a_gap_and_not_through_a_joint():
    def two(gap):
        return boxes((-1 - gap / 2, 0, 0, 1, 1, 1), (1 + gap / 2, 0, 0, 1, 1, 1))

    tight = hitbox.simulate(two(0.0), scene="leak", balls=40)
    assert tight.measures["rods"] == 40
    assert tight.measures["leaked"] == 0
    wide = two(0.04)  # three radii of a rod; a radius is 0.25 % of the diagonal
    runs = simulate_together({"mesh": mesh_of(wide), "joint": two(0.0), "gap": wide}, scene="leak", balls=40)
    assert runs["mesh"].measures["leaked"] == runs["mesh"].measures["rods"] == 40
    assert runs["gap"].measures["leaked"] == runs["gap"].measures["rods"] == 20
    assert runs["joint"].measures["leaked"] == 0
    assert runs["gap"].measures["deepest"] > 0.05


def test_joints_of_round_shapes_lie_in_the_groove_between_them():
    from hitbox._judges.simulate.joints import find_joints
    from hitbox._judges.simulate.run import _world_frame

    two = Collider([Sphere((-0.7, 0, 0), 1.0), Sphere((0.7, 0, 0), 1.0)])
    world = _world_frame({"two": two}, None, SimulateOptions(radius="0.25%", balls=60, seed=0))
    points, inward, owners = find_joints(world, world.radius, 60, 12 * world.radius)
    assert (owners == 0).all()
    for sphere in world.solids[0].shapes:
        assert np.abs(sphere.signed_distance(points)).max() < 4 * world.radius
    away = points * (0, 1, 1)
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    assert (away * inward).sum(axis=1).max() < -0.95


def test_a_pile_comes_to_rest_on_its_floor():
    run = hitbox.simulate(boxes((0, 0, 0, 1, 0.4, 1)), scene="pile", balls=6, frames=600)
    assert run.measures["at_rest"] >= 5
    assert run.measures["deepest_overlap"] < 0.02
    assert run.escaped == run.through == 0
    heights = (run.positions - run.center)[:, 1] / run.diagonal
    assert heights.min() > 0.1  # half of the thinnest side is 0.4 / 2.94


def test_a_mesh_cannot_be_piled():
    with pytest.raises(InputError, match=r"moves its subject.*Use a collider"):
        hitbox.simulate(bowl(), scene="pile")


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"scene": "dorp"}, "unknown scene 'dorp'. Did you mean 'drop'?"),
        ({"engine": "bullet"}, "unknown engine 'bullet'. Known: rapier, mujoco."),
        ({"balls": -1}, "balls: must be a whole number from 1"),
        ({"balls": 10**9}, "balls: must be a whole number from 1 to 100,000"),
        ({"frames": 0}, "frames: must be a whole number from 1"),
        ({"frames": 2.5}, "frames: must be a whole number"),
        ({"radius": 0}, "radius: must be from 0.01% to 100%"),
        ({"radius": "big"}, "'big' is not a length"),
        ({"seed": -1}, "seed: must be a whole number"),
        ({"up": "w"}, "unknown axis 'w'"),
        ({"ball": 5}, "unknown option 'ball'. Did you mean 'balls'?"),
        ({"options": {"balls": 5}}, "options: must be SimulateOptions, not a dict"),
        ({"progress": 3}, "progress: must be a function"),
    ],
)
def test_wrong_options_are_one_sentence(keywords, said):
    with pytest.raises(InputError) as error:
        hitbox.simulate(PLATE, **keywords)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_wrong_subjects_are_one_sentence():
    for subjects in ({}, [PLATE]):
        with pytest.raises(InputError, match="give at least one"):
            simulate_together(subjects)
    with pytest.raises(InputError, match="'mesh' is not one of the subjects: plate"):
        simulate_together({"plate": PLATE}, reference="mesh")
    with pytest.raises(InputError, match="not a collider"):
        hitbox.simulate(3)
    huge = PLATE.transformed(scale=1e9)
    with pytest.raises(InputError, match="huge: is too large for the reference"):
        simulate_together({"mesh": mesh_of(PLATE), "huge": huge}, reference="mesh", balls=1, frames=1)


def test_a_collider_of_another_place_runs_with_a_warning():
    moved = PLATE.transformed(translation=(20, 0, 0))
    runs = simulate_together({"mesh": mesh_of(PLATE), "moved": moved}, reference="mesh", balls=20, frames=60)
    assert any("probably belongs to another model" in note for note in runs["moved"].notes)
    assert not runs["mesh"].notes
    assert runs["moved"].resting == 0


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
def test_a_missing_engine_is_one_line(engine, monkeypatch):
    package = {"rapier": "rapier3d", "mujoco": "mujoco"}[engine]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError) as error:
        hitbox.simulate(PLATE, engine=engine, balls=1, frames=1)
    assert str(error.value) == f'simulate needs {package}: pip install "hitbox[sim]"'


def test_a_panic_in_rapier_is_an_error_and_ctrl_c_is_not():
    from hitbox._judges.simulate.engine_rapier import _panics_are_errors

    with pytest.raises(RuntimeError, match="Rapier failed: index out of bounds"), _panics_are_errors():
        rapier3d.Collider.trimesh(np.eye(3), np.array([[0, 1, 9]], np.uint32))
    with pytest.raises(KeyboardInterrupt), _panics_are_errors():
        raise KeyboardInterrupt


def test_importing_hitbox_loads_no_engine():
    code = "import sys, hitbox; from hitbox import simulate_together\n"
    code += "print(callable(hitbox.simulate), *sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = run.stdout.split()
    assert said[0] == "True"
    assert not {name.split(".")[0] for name in said} & {"rapier3d", "mujoco"}


def test_candidates_take_turns_frame_by_frame(monkeypatch):
    """The worlds only record when they were stepped."""
    steps = []

    class Silent:
        made = 0

        def __init__(self, setup):
            self.notes, self.name = [], Silent.made
            self.at = setup.moving[0].positions.copy()
            Silent.made += 1

        def step(self):
            steps.append(self.name)

        def positions(self):
            return self.at

        def velocities(self):
            return np.zeros_like(self.at)

        def contacts(self):
            return 7

        def freeze(self, which):
            raise AssertionError("nothing fell")

    monkeypatch.setitem(ENGINES, "rapier", Silent)
    runs = simulate_together({"a": PLATE, "b": RING, "c": PLATE}, balls=4, frames=5)
    frames = np.array(steps).reshape(5, 3)
    assert [sorted(row) for row in frames.tolist()] == [[0, 1, 2]] * 5
    assert frames[:, 0].tolist() == [0, 1, 2, 0, 1]
    assert runs["b"].mean_contacts == 7
    assert runs["a"].resting == 4


def test_progress_cancel_and_exceptions_stop_a_run(monkeypatch):
    from hitbox._judges.simulate.engine_rapier import RapierEngine

    told = []
    hitbox.simulate(PLATE, balls=2, frames=10, progress=lambda stage, done: told.append((stage, done)))
    assert [done for _, done in told] == sorted(done for _, done in told)
    assert told[-1] == ("simulate", 1.0)
    stop = threading.Event()
    stop.set()
    with pytest.raises(InterruptedError):
        hitbox.simulate(PLATE, balls=2, frames=10, cancel=stop)
    with pytest.raises(InterruptedError):
        hitbox.simulate(PLATE, balls=2, frames=10, progress=lambda stage, done: done < 0.5)

    made = []
    monkeypatch.setitem(ENGINES, "rapier", lambda setup: made.append(stop.set()) or RapierEngine(setup))
    stop.clear()
    with pytest.raises(InterruptedError):  # while the worlds are built
        simulate_together({"a": PLATE, "b": RING}, balls=2, frames=10, cancel=stop)
    assert len(made) == 1

    def interrupt(stage, done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hitbox.simulate(PLATE, balls=2, frames=10, progress=interrupt)


def test_subjects_may_be_anything_that_is_a_mesh_or_a_collider(tmp_path):
    import trimesh

    PLATE.save(tmp_path / "plate.collider.json")
    PLATE.save(tmp_path / "plate.obj")
    vertices, triangles = PLATE[0].to_mesh()
    keywords = {"balls": 3, "frames": 3}
    assert hitbox.simulate(tmp_path / "plate.collider.json", **keywords).shapes == 1
    assert hitbox.simulate([(vertices, triangles)], **keywords).shapes == 1
    assert hitbox.simulate([PLATE[0], PLATE[0]], **keywords).shapes == 2
    for mesh in (tmp_path / "plate.obj", (vertices, triangles), trimesh.Trimesh(vertices, triangles)):
        assert hitbox.simulate(mesh, **keywords).shapes == 0


@pytest.mark.parametrize("engine", ["rapier", "mujoco"])
@settings(max_examples=20)
@given(mesh=specimens.ugly_meshes(max_faces=12))
def test_ugly_meshes_run(engine, mesh):
    pytest.importorskip(engine.replace("rapier", "rapier3d"))
    run = hitbox.simulate(mesh, engine=engine, balls=4, frames=6)
    assert run.resting + run.moving + run.through + run.escaped == 4
    assert np.isfinite(run.paths).all()


def test_thin_and_tiny_shapes_run():
    flat = Hull([[0, 0, 0], [1, 0, 0], [0, 0, 1]], [[0, 1, 2], [0, 2, 1]])
    tiny = Sphere((0, 0, 0), 1e-9)
    needle = Capsule((0, 0, 0), (0, 0, 0), 1e-7)
    disc = Cylinder((0, 0, 0), (0, 1e-9, 0), 1.0)
    run = hitbox.simulate(Collider([flat, tiny, needle, disc, *PLATE]), balls=20, frames=60)
    assert np.isfinite(run.paths).all()
    assert run.shapes == 5


def test_the_shell_prints_a_table_and_json(tmp_path, capsys):
    mesh, collider = str(tmp_path / "ring.obj"), str(tmp_path / "ring.collider.json")
    RING.save(mesh)
    RING.save(collider)
    options = ["--balls", "20", "--frames", "10", "--radius", "3%", "--up", "y"]
    assert command(["simulate", mesh, collider, *options]) == 0
    said = capsys.readouterr().out
    assert "drop in rapier: 20 bodies, 10 frames" in said
    assert "mean ms" in said
    rows = {line.split()[0]: line for line in said.splitlines() if "ring." in line}
    assert rows["ring.collider.json"].count("%") == 2
    assert rows["ring.obj"].count("%") == 0
    assert " mesh " in said
    assert command(["simulate", mesh, collider, *options, "--json", "--scene", "maze"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"ring.obj", "ring.collider.json"}
    assert told["ring.collider.json"]["shapes"] == 4
    assert told["ring.collider.json"]["similarity"]["height_field"] >= 0
    assert "passed" in told["ring.obj"]["measures"]
    assert command(["simulate", mesh, *options]) == 0
    assert "ring.obj" in capsys.readouterr().out
    assert command(["simulate", mesh, collider, "--scene", "pile", "--balls", "2", "--frames", "5"]) == 0
    assert "at rest" in capsys.readouterr().out


def test_files_of_one_name_get_headings_of_their_own(tmp_path, capsys):
    paths = [str(tmp_path / folder / "ring.json") for folder in ("a", "b")]
    for path in paths:
        os.mkdir(os.path.dirname(path))
        RING.save(path)
    mesh = str(tmp_path / "ring.obj")
    RING.save(mesh)
    assert command(["simulate", mesh, *paths, "--balls", "2", "--frames", "2", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["ring.obj", "a/ring.json", "b/ring.json"]
    assert command(["simulate", mesh, paths[0], paths[0], "--balls", "2", "--frames", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scene", "dorp"], "unknown scene 'dorp'"),
        (["--engine", "bullet"], "unknown engine"),
        (["--balls", "-5"], "balls: must be a whole number"),
        (["--scene", "pile"], "give at least one"),
        (["--up", "q"], "unknown axis"),
        (["no-such.json"], "no-such.json"),
    ],
)
def test_the_shell_ends_with_2_and_one_line(tmp_path, capsys, arguments, said):
    RING.save(tmp_path / "ring.obj")
    assert command(["simulate", str(tmp_path / "ring.obj"), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
