"""MuJoCo's specifics: its geoms, the mesh as triangles, and unsupported shapes."""

from __future__ import annotations

import numpy as np
import pytest
from shape_strategies import one_of_each

import hitbox
from hitbox import Box, Capsule, Collider, Hull, Mesh
from hitbox._judges.simulate import engine_mujoco
from hitbox._judges.simulate.world import Setup, Solid

mujoco = pytest.importorskip("mujoco")

ODD = (0.1825742, 0.3651484, 0.5477226, 0.7302967)


def world_of(*shapes):
    setup = Setup(np.array([0, 0, -9.81]), 1.0, (Solid(tuple(shapes)),), ())
    return engine_mujoco.MujocoEngine(setup)


def test_shapes_are_native_in_mujoco():
    expected = {
        "box": "BOX", "sphere": "SPHERE", "capsule": "CAPSULE", "cylinder": "CYLINDER",
        "frustum": "MESH", "prism": "MESH", "hull": "MESH",
    }  # fmt: skip
    for shape in one_of_each():
        model = world_of(shape)._model
        assert model.ngeom == 1
        assert model.geom_type[0] == getattr(mujoco.mjtGeom, f"mjGEOM_{expected[shape.kind]}")


def test_sizes_are_half_extents_radius_and_half_length():
    model = world_of(Box((1, 2, 3), ODD, (0.1, 0.2, 0.3)), Capsule((0, 0, 0), (0, 3, 4), 0.5))._model
    np.testing.assert_allclose(model.geom_size[0], [0.1, 0.2, 0.3])
    np.testing.assert_allclose(model.geom_pos[0], [1, 2, 3])
    np.testing.assert_allclose(model.geom_quat[0], [ODD[3], *ODD[:3]], atol=1e-6)
    np.testing.assert_allclose(model.geom_size[1][:2], [0.5, 2.5])
    np.testing.assert_allclose(model.geom_pos[1], [0, 1.5, 2])


@pytest.mark.parametrize("kind", range(7))
def test_rays_meet_mujocos_geoms_where_our_shapes_are(kind):
    shape = one_of_each()[kind].transformed(ODD, (0.5, -1.0, 2.0), 1.7)
    world = world_of(shape)
    low, high = shape.bounds
    size = float(np.linalg.norm(high - low))
    random = np.random.default_rng(kind)
    hits = []
    for _ in range(200):
        away = random.normal(size=3)
        start = (low + high) / 2 + size * away / np.linalg.norm(away)
        way = random.uniform(low, high) - start
        way /= np.linalg.norm(way)
        found = mujoco.mj_ray(world._model, world._data, start, way, None, 1, -1, np.zeros(1, np.int32))
        if found >= 0:
            hits.append(start + way * found)
    assert len(hits) > 40
    distance = shape.signed_distance(np.array(hits))
    assert distance.min() > -1e-4 * size
    assert distance.max() < (0.03 if shape.kind == "frustum" else 1e-4) * size


def test_flat_hulls_are_left_out_by_name():
    flat = Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]])
    collider = Collider([Box((0, 0, -1), (0, 0, 0, 1), (1, 1, 0.1)), flat], up="z")
    run = hitbox.simulate(collider, engine="mujoco", balls=5, frames=5)
    assert run.notes == ("shape 1, a hull, was left out, because MuJoCo refuses flat hulls",)


def test_a_concave_mesh_is_not_its_hull():
    """A ball comes to rest in a valley, while the hull would hold it at the height of the rims."""
    corners = [[-2, 0, 1], [-2, 2, 1], [0, 0, 0], [0, 2, 0], [2, 0, 1], [2, 2, 1]]
    valley = Mesh(corners, [[0, 2, 3, 1], [2, 4, 5, 3]], up="z")
    run = hitbox.simulate(valley, engine="mujoco", balls=3, frames=300, radius="3%")
    kept = run.positions[:, 2] > 0
    assert kept.any()
    assert run.positions[kept, 2].max() < 0.6


def test_a_crowd_is_warned_about():
    collider = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 0.1))], up="z")
    run = hitbox.simulate(collider, engine="mujoco", balls=engine_mujoco.SENSIBLE + 1, frames=1)
    assert any("MuJoCo is slow with 1,001 bodies" in note for note in run.notes)
