"""hitbox.check: shapes that fit an engine pass, and shapes that do not are named."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import node_tools
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_strategies import one_of_each, random_hull

import hitbox
from hitbox import Box, Capsule, Collider, Cylinder, Frustum, Hull, InputError, Sphere, check
from hitbox._cli.app import run
from hitbox._model.collider import Label
from hitbox._model.hull_limits import HullFacts
from hitbox._native import _core

UPRIGHT = (0, 0, 0, 1)


def hull_of(points) -> Hull:
    return Hull(*_core.convex_hull(np.ascontiguousarray(points, float))[:2])


def on_a_sphere(count: int, radius: float = 1.0, seed: int = 0) -> Hull:
    """Return well spread points: a spiral from pole to pole, rotated."""
    k = np.arange(count) + 0.5
    z, angle = 1 - 2 * k / count, k * np.pi * (1 + 5**0.5) + seed
    ring = np.sqrt(1 - z * z)
    return hull_of(radius * np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1))


def prism_of(sides: int, radius: float = 1.0) -> Hull:
    angles = np.arange(sides) * 2 * np.pi / sides + 0.1
    ring = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return hull_of([(x, y, z) for x, y in ring for z in (-radius, radius)])


def whys(shape, profile, **known) -> list[str]:
    return [fault.why for fault in check(Collider([shape], **known), profile).faults]


def test_facts_of_hulls_that_are_known():
    box = HullFacts(hull_of([(x, y, z) for x in (0, 2) for y in (0, 4) for z in (0, 6)]))
    assert box.corners == [4] * 6
    assert len(box.triangles) == 12
    assert box.aspect == pytest.approx(6)
    # Without one corner, the hull of the other seven ends at the plane through its three neighbours.
    assert box.clearance == pytest.approx(1 / np.sqrt(1 / 4 + 1 / 16 + 1 / 36))
    assert sorted(HullFacts(prism_of(30)).corners) == [4] * 30 + [30] * 2
    tetrahedron = HullFacts(hull_of(np.eye(4)[:, :3]))
    assert tetrahedron.corners == [3] * 4
    assert tetrahedron.clearance == pytest.approx(1 / np.sqrt(3))


@given(st.integers(0, 2**32 - 1))
def test_polygons_are_those_of_the_core(seed):
    """The core has its own code that merges coplanar triangles, for evaluate."""
    hull = random_hull(np.random.default_rng(seed))
    of_core = _core.shape_union([hull._crossing], (0.0, 0.0, 0.0), 1.0).facts()[0][3]
    assert len(HullFacts(hull).corners) == of_core


def test_kinds_that_an_engine_has_not_are_named():
    shapes = one_of_each()
    labels = [Label(name=f"the {shape.kind}") for shape in shapes]
    report = check(Collider(shapes, labels=labels), "mjx")
    assert [fault.name for fault in report.faults] == ["the cylinder", "the frustum", "the prism"]
    assert not report.fits
    assert "3 of 7 shapes do not fit mjx" in str(report)
    assert check(Collider(shapes, labels=labels), "urdf").faults[-1].name == "the hull"
    for engine, has_cones in (("usd", True), ("sdf", True), ("rapier", True), ("mujoco", False)):
        cones = [Frustum((0, 0, 0), (0, 0, 1), 1, 0), Frustum((0, 0, 0), (0, 0, 1), 0, 1)]
        assert check(cones, engine).fits == has_cones
        assert not check([Frustum((0, 0, 0), (0, 0, 1), 1, 0.1)], engine).fits
    assert check([Sphere((0, 0, 0), 1), Capsule((0, 0, 0), (0, 0, 0), 1)], "physx").fits


@pytest.mark.parametrize(
    ("hull", "profile", "says"),
    [
        (on_a_sphere(128), "physx", None),
        (on_a_sphere(129), "physx", "129 vertices, but the engine takes at most 128"),
        (on_a_sphere(34), "physx-gpu", None),
        (on_a_sphere(35), "physx-gpu", "66 polygons, but the engine takes at most 64"),
        (prism_of(30), "physx-gpu", None),  # 116 triangles, but 32 polygons
        (prism_of(32), "physx-gpu", "32 corners in one polygon, but the engine takes at most 31"),
        (hull_of([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 0.01)]), "usd", "200 times"),
        (prism_of(64), "physx", None),
        (prism_of(64, 0.05), "physx", "the engine drops it"),
        (on_a_sphere(42, 0.01), "physx", None),
        (on_a_sphere(42, 0.005), "physx", "the engine drops it"),
        (on_a_sphere(300), "rapier", "300 vertices"),
        (on_a_sphere(200), "jolt", None),
    ],
)  # fmt: skip
def test_a_hull_at_an_engines_limit(hull, profile, says):
    found = whys(hull, profile)
    assert (found == []) if says is None else (len(found) >= 1 and says in found[0])


def test_absolute_tolerances_follow_the_unit():
    ball = on_a_sphere(42, 10.0)
    assert whys(ball, "physx") == []
    assert whys(ball, "physx", unit="mm") == []
    small = on_a_sphere(42, 5.0)
    assert whys(small, "physx", unit="m") == []
    assert whys(small, "physx", unit="mm") != []


def test_a_vertex_that_rounding_made_is_no_fault():
    turned = Box((3, 2, 1), tuple(np.array([1, 2, 3, 4]) / np.sqrt(30)), (1, 1, 1))
    corners = turned.to_mesh()[0]
    middles = [(corners[a] + corners[b]) / 2 for a in range(8) for b in range(a)]
    assert check([hull_of([*corners, *middles])], "physx").fits


def test_a_profile_of_ones_own(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"kinds": ["box"], "hull": {"vertices": 8, "corners": 3}}))
    assert [f.why[:9] for f in check([prism_of(3), prism_of(5)], path).faults] == [
        "4 corners", "10 vertic", "5 corners",
    ]  # fmt: skip
    wrong = [
        ({"vertices": 3}, "hull: vertices"),
        ({"corners": 2}, "hull: corners"),
        ({"aspect": 0}, "hull: aspect"),
        ({"vertexes": 8}, "Did you mean 'vertices'"),
        ({"plane_tolerance": 1}, "metres and of_half_extents"),
        ({"plane_tolerance": {"metres": -1, "of_half_extents": 0}}, "plane_tolerance: metres"),
    ]
    for hull, says in wrong:
        path.write_text(json.dumps({"kinds": ["box"], "hull": hull}))
        with pytest.raises(InputError, match=says):
            check([Sphere((0, 0, 0), 1)], path)


def test_in_the_shell(tmp_path, capsys):
    fits, not_so = str(tmp_path / "fits.json"), str(tmp_path / "not.json")
    Collider([Sphere((0, 0, 0), 1)]).save(fits)
    labels = [Label(), Label(name="leg")]
    Collider([Sphere((0, 0, 0), 1), Cylinder((0, 0, 0), (0, 1, 0), 1)], labels=labels).save(not_so)
    assert run(["check", fits, "--profile", "physx"]) == 0
    assert "1 shape: fits physx." in capsys.readouterr().out
    assert run(["check", not_so, "--profile", "godot", "--profile", "physx"]) == 1
    shown = capsys.readouterr().out
    assert "fits godot" in shown
    assert "leg (cylinder, shape 1)" in shown
    assert run(["check", not_so, "--profile", "physx", "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["fits"] is False
    assert report["faults"][0]["shape"] == 1
    assert run(["check", fits, "--profile", "phyxs"]) == 2
    assert "Did you mean 'physx'" in capsys.readouterr().err
    assert run(["check", fits]) == 2
    assert run(["check", str(tmp_path / "none.json"), "--profile", "physx"]) == 2


def sapien_vertices(tmp_path, hull: Hull) -> np.ndarray:
    """Return the vertices that PhysX makes of a hull on the CPU."""
    sapien = pytest.importorskip("sapien", reason="sapien, which cooks with PhysX, is not installed")
    path = tmp_path / f"hull_{len(list(tmp_path.iterdir()))}.obj"  # PhysX caches files by name
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in hull.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (hull.triangles.astype(int) + 1).tolist()]
    path.write_text("\n".join(lines))
    material = sapien.physx.PhysxMaterial(0.5, 0.5, 0.1)
    shape = sapien.physx.PhysxCollisionShapeConvexMesh(str(path), [1, 1, 1], material)
    return np.asarray(shape.vertices, float)


def shrunk(hull: Hull, cooked: np.ndarray) -> float:
    """Return the largest loss of reach of the cooked hull in any direction, as a fraction of the diagonal."""
    around = np.random.default_rng(1).normal(size=(2000, 3))
    around = np.vstack([around, hull.vertices - hull.vertices.mean(axis=0)])
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    lost = (around @ hull.vertices.T).max(axis=1) - (around @ cooked.T).max(axis=1)
    return float(lost.max() / np.linalg.norm(np.ptp(hull.vertices, axis=0)))


def some_hulls(seed: int, count: int, most: int) -> list[Hull]:
    """Return hulls of 2 cm to 10 m, round and flat."""
    rng = np.random.default_rng(seed)
    hulls = []
    for _ in range(count):
        points = rng.normal(size=(rng.integers(5, most), 3))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        placed = points * rng.uniform(0.2, 1, 3) * 10 ** rng.uniform(-2, 1) + rng.normal(size=3)
        # 32 bits as in PhysX, so that rounding does not count as shrinking
        hulls.append(hull_of(placed.astype(np.float32)))
    return hulls


@pytest.mark.filterwarnings("ignore")  # PhysX looks for a graphics driver
def test_physx_cooks_what_passes_without_shrinking_it(tmp_path):
    pytest.importorskip("sapien", reason="sapien, which cooks with PhysX, is not installed")
    passed = 0
    for hull in some_hulls(3, 60, 140):
        if check([hull], "physx").fits:
            passed += 1
            assert shrunk(hull, sapien_vertices(tmp_path, hull)) <= 1e-6
    assert passed >= 15
    for hull in (on_a_sphere(128), prism_of(64), on_a_sphere(42, 0.01)):
        assert shrunk(hull, sapien_vertices(tmp_path, hull)) <= 1e-6
    for hull in (on_a_sphere(200), on_a_sphere(42, 0.004)):
        assert not check([hull], "physx").fits
        assert shrunk(hull, sapien_vertices(tmp_path, hull)) > 1e-3


def test_physx_for_a_gpu_cooks_what_passes_without_shrinking_it(tmp_path):
    node_tools.folder_with("physx-js-webidl@2.7.3", tmp_path)
    shutil.copy(Path(__file__).with_name("cook_gpu.mjs"), tmp_path)
    hulls = [on_a_sphere(34), prism_of(30), on_a_sphere(36), *some_hulls(5, 150, 45)]
    (tmp_path / "in.json").write_text(json.dumps([hull.vertices.tolist() for hull in hulls]))
    subprocess.run(["node", "cook_gpu.mjs", "in.json", "out.json"], cwd=tmp_path, check=True, timeout=60)
    cooked = [np.array(points) for points in json.loads((tmp_path / "out.json").read_text())]
    lost = [shrunk(*pair) for pair in zip(hulls, cooked, strict=True)]
    fits = [check([hull], "physx-gpu").fits for hull in hulls]
    assert fits[:3] == [True, True, False]
    assert max(far for far, fit in zip(lost, fits, strict=True) if fit) <= 1e-6
    assert lost[2] > 1e-3
    assert sum(fits) >= 40
    # The caps are not stricter than necessary: PhysX shrinks nearly all hulls that do not pass.
    assert np.mean([far > 1e-6 for far, fit in zip(lost, fits, strict=True) if not fit]) > 0.8


@settings(max_examples=30)
@given(st.integers(5, 300), st.integers(0, 1000), st.sampled_from(["usd", "unreal", "unity"]))
def test_what_is_exported_by_a_profile_is_within_its_caps_and_encloses(count, seed, profile):
    from hitbox._formats.export import Target, native_shape

    hull = on_a_sphere(count, seed=seed)
    made, why = native_shape(hull, Target(("hull",)).with_caps_of(profile), "ball")
    assert made.signed_distance(hull.vertices).max() <= 1e-9
    assert not [w for w in whys(made, profile) if "at most" in w]
    assert (why == "") == (not [w for w in whys(hull, profile) if "at most" in w])


def test_an_export_says_what_the_engine_will_change_all_the_same(tmp_path):
    plate = hull_of([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 0.001)])
    report = Collider([plate, prism_of(8)], labels=[Label("plate"), Label()]).save(tmp_path / "x.usda")
    assert report.replaced == ()
    assert [note for note in report.notes if note.startswith("plate: usd will change this hull: ")]
    assert not any(note.startswith("hull") for note in report.notes)
    coarse = Collider([on_a_sphere(300)]).save(tmp_path / "x.usda")
    assert len(coarse.replaced) == 1
    assert not any("will change" in note for note in coarse.notes)


def test_it_is_public():
    assert hitbox.check is check
    assert isinstance(check([Sphere((0, 0, 0), 1)], "unity"), hitbox.CheckReport)
