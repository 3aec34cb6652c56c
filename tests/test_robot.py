"""robot: the engines that open the output check it, and so does numpy."""

from __future__ import annotations

import contextlib
import json
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_files import (
    ARM,
    ELL,
    MODEL,
    PART,
    TUBE,
    inside_geoms,
    joint,
    link,
    mesh,
    mujoco_model,
    obj,
    put_meshes,
    rapier_urdf,
    rpy,
    same_places,
    turned,
    urdf,
)
from shape_strategies import shapes

import hitbox
from hitbox._base.errors import InputError
from hitbox._cli.app import run
from hitbox._formats.export import matrix_of
from hitbox._formats.poses import about, rpy_of, turn_of_rpy
from hitbox._methods.robot.allocate import Sharing
from hitbox._methods.robot.mjcf import Mjcf
from hitbox._methods.robot.overlaps import Convexes, overlap, surfaces_touch, triangles_of
from hitbox._methods.robot.self_collisions import samples
from hitbox._methods.robot.urdf import Urdf
from hitbox._methods.robot.xml_text import XmlText
from hitbox._model.mass import quaternion_of
from hitbox._model.shapes import Box, Capsule, Sphere


@pytest.fixture
def arm(tmp_path):
    put_meshes(tmp_path)
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def expected_points() -> dict[str, np.ndarray]:
    """Return each link's corners, computed independently."""
    turn, move = rpy(0.3, -0.7, 1.1), np.array([0.1, -0.2, 0.3])
    return {
        "base": ELL.vertices,
        "upper": (TUBE.vertices * [1, -2, 0.5]) @ turn.T + move,
        "fore": np.concatenate([ELL.vertices * 0.5, TUBE.vertices]),
    }


# ---------------------------------------------------------------- URDF


def test_mujoco_opens_the_urdf_and_every_corner_is_inside(arm):
    out = arm.with_name("out.urdf")
    report = hitbox.robot(arm, out, 12, poses=20)
    assert sum(len(each.shapes) for each in report.links) <= 12
    assert [each.name for each in report.links] == ["base", "upper", "fore"]
    before, after = mujoco_model(arm), mujoco_model(out)
    same_places(before, after)
    assert np.array_equal(before.body_mass, after.body_mass)
    names = [after.body(k).name for k in range(after.nbody)]
    for name, points in expected_points().items():
        assert inside_geoms(after, names.index(name), points).all(), name
    assert (after.geom_type[after.geom_contype > 0] != 7).all()  # only primitives


def test_pybullet_and_rapier_open_the_urdf(arm):
    out = arm.with_name("out.urdf")
    report = hitbox.robot(arm, out, 10, poses=0)
    elements = len(ET.parse(out).getroot().findall("link/collision"))
    assert elements >= sum(len(each.shapes) for each in report.links)
    assert len(rapier_urdf(out).colliders) == elements
    bullet = pytest.importorskip("pybullet")
    client = bullet.connect(bullet.DIRECT)
    try:
        bullet.setPhysicsEngineParameter(enableFileCaching=0, physicsClientId=client)
        places = []
        for path in (arm, out):
            body = bullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
            for k, angle in ((0, 0.7), (1, -0.4)):
                bullet.resetJointState(body, k, angle, physicsClientId=client)
            states = [bullet.getLinkState(body, k, 0, 1, physicsClientId=client) for k in range(3)]
            places.append([(state[4], state[5]) for state in states])
        assert places[0] == places[1]
        count = sum(len(bullet.getCollisionShapeData(body, k, physicsClientId=client)) for k in range(-1, 3))
        assert count == elements
    finally:
        bullet.disconnect(client)


def test_all_but_the_collisions_stays_to_the_byte(arm):
    odd = ARM.replace("<visual>", "<visual  name = 'a>b filename=\"c\"' >", 1).replace("\n", "\r\n")
    arm.write_bytes(odd.encode())
    out = arm.with_name("out.urdf")
    hitbox.robot(arm, out, 6, poses=0)
    written = out.read_bytes()
    kept = [line for line in odd.encode().split(b"\r\n") if b"<collision>" not in line]
    left = [line.rstrip(b"\r") for line in written.split(b"\n") if b"<collision>" not in line]
    assert left == kept
    again = hitbox.robot(arm, out, 6, poses=0)
    assert out.read_bytes() == written  # a second run writes the same
    assert set(again.counts) <= {"box", "sphere", "capsule", "cylinder"}


def test_capsules_are_cylinders_and_balls_in_urdf_1_0(tmp_path):
    (tmp_path / "pill.obj").write_bytes(obj(specimens.capsule(0.1, 0.4)))
    counts = {}
    for said in ("", ' version="1.1"'):
        path = tmp_path / "pill.urdf"
        path.write_text(urdf(link("only", mesh("pill.obj")), said))
        report = hitbox.robot(path, tmp_path / "out.urdf", 1, kinds="capsule")
        assert report.counts == {"capsule": 1}
        geometry = [e[0].tag for e in ET.parse(tmp_path / "out.urdf").getroot().iter("geometry")]
        counts[said] = [tag for tag in geometry if tag != "mesh"]
    assert counts == {"": ["cylinder", "sphere", "sphere"], ' version="1.1"': ["capsule"]}
    model = mujoco_model(tmp_path / "out.urdf")
    assert inside_geoms(model, 1, specimens.capsule(0.1, 0.4).vertices).all()
    capsule = next(ET.parse(tmp_path / "out.urdf").getroot().iter("capsule"))
    assert capsule.get("height") == capsule.get("length")  # Newton reads one, all other programs the other
    (collider,) = (found for _, found in rapier_urdf(tmp_path / "out.urdf").colliders)
    assert collider.shape.as_capsule() is not None


@pytest.mark.parametrize("said", ['length="0.4"', 'height="0.4"', 'length="0.4" height="9"'])
def test_a_capsule_says_its_length_as_length_or_height(tmp_path, said):
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    path = tmp_path / "pill.urdf"
    pill = f'    <collision><geometry><capsule radius="0.1" {said}/></geometry></collision>\n'
    path.write_text(urdf(link("only", pill + mesh("ell.obj", tag="collision")), ' version="1.1"'))
    report = hitbox.robot(path, tmp_path / "out.urdf", 2)
    assert report.links[0].shapes[-1] == Capsule((0, 0, -0.2), (0, 0, 0.2), 0.1)


def test_hulls_come_as_files_where_they_are_asked_for(tmp_path):
    (tmp_path / "cone.obj").write_bytes(obj(specimens.cone(0.2, 0.5)))
    path = tmp_path / "cone.urdf"
    path.write_text(urdf(link("../it", mesh("cone.obj"))))
    report = hitbox.robot(path, tmp_path / "out.urdf", 1, kinds=("frustum",))
    assert report.counts == {"frustum": 1}
    hull = tmp_path / "out_collision" / "it_0.obj"
    assert str(hull) in report.files
    frustum = report.links[0].shapes[0]
    assert frustum.contains(specimens.cone(0.2, 0.5).vertices, 1e-9).all()
    assert hitbox.Collider.of(hull).contains(specimens.cone(0.2, 0.5).vertices, 1e-9).all()
    opened = mujoco_model(tmp_path / "out.urdf")
    assert (opened.ngeom, opened.nmesh) == (1, 1)  # MuJoCo omits a URDF's visuals


def test_packages_are_found_above_by_their_xml_or_where_they_are_said_to_be(tmp_path):
    package = tmp_path / "ws" / "checkout"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    (package / "package.xml").write_text("<package><name>my_arm</name></package>")
    (package / "meshes" / "ell.obj").write_bytes(obj(ELL))
    path = package / "urdf" / "arm.urdf"
    path.write_text(urdf(link("only", mesh("package://my_arm/meshes/ell.obj"))))
    found = hitbox.robot(path, package / "urdf" / "out.urdf", 2)
    (package / "package.xml").unlink()
    with pytest.raises(InputError, match=r"line 6.*package://my_arm.*--package my_arm=DIR"):
        hitbox.robot(path, package / "urdf" / "out.urdf", 2)
    said = hitbox.robot(path, package / "urdf" / "out.urdf", 2, packages={"my_arm": package})
    assert said.links[0].shapes == found.links[0].shapes
    package.rename(tmp_path / "ws" / "my_arm")
    moved = tmp_path / "ws" / "my_arm" / "urdf" / "arm.urdf"
    assert hitbox.robot(moved, moved.with_name("out.urdf"), 2).links[0].shapes == found.links[0].shapes


def test_units_of_mesh_files_are_applied(tmp_path):
    pytest.importorskip("collada")
    import trimesh

    block = trimesh.creation.box((100, 200, 300))
    text = trimesh.exchange.dae.export_collada(block).replace(b'meter="1"', b'meter="0.001"')
    if b'meter="0.001"' not in text:
        text = text.replace(b"<asset>", b'<asset><unit name="mm" meter="0.001"/>')
    (tmp_path / "block.dae").write_bytes(text)
    path = tmp_path / "block.urdf"
    path.write_text(urdf(link("only", mesh("block.dae"))))
    report = hitbox.robot(path, tmp_path / "out.urdf", 1)
    assert sorted(report.links[0].shapes[0].half_extents) == pytest.approx([0.05, 0.1, 0.15])


def test_the_original_is_kept_and_other_folders_are_reached(arm):
    before = arm.read_bytes()
    report = hitbox.robot(arm, arm, 6, poses=0)
    kept = arm.with_name("arm.original.urdf")
    assert kept.read_bytes() == before
    assert str(kept) in report.files
    written = arm.read_bytes()
    assert written != before
    hitbox.robot(arm, arm, 5, poses=0)
    assert kept.read_bytes() == before  # the first copy stays
    far = arm.parent / "far" / "away" / "out.urdf"
    hitbox.robot(kept, far, 6, poses=0)
    assert b'filename="../../meshes/ell.obj"' in far.read_bytes()
    same_places(mujoco_model(kept), mujoco_model(far))


def test_padding_moves_all_sides_out(arm):
    plain = hitbox.robot(arm, arm.with_name("a.urdf"), tolerance="20%", poses=0)
    wide = hitbox.robot(arm, arm.with_name("b.urdf"), tolerance="20%", pad="5mm", poses=0)
    for one, other in zip(plain.links, wide.links, strict=True):
        around = np.concatenate([shape.to_mesh()[0] for shape in one.shapes])
        assert hitbox.Collider(other.shapes).contains(around, 1e-9).all()
    assert sum(s.volume for each in wide.links for s in each.shapes) > sum(
        s.volume for each in plain.links for s in each.shapes
    )


def test_visual_or_collision(tmp_path):
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    (tmp_path / "tube.obj").write_bytes(obj(TUBE))
    path = tmp_path / "both.urdf"
    path.write_text(
        urdf(
            link("both", mesh("ell.obj") + mesh("tube.obj", tag="collision"))
            + link("simple", '    <collision><geometry><box size="1 1 1"/></geometry></collision>\n')
            + joint("j", "both", "simple", '<origin xyz="9 0 0"/>')
        )
    )
    out = tmp_path / "out.urdf"
    seen = hitbox.robot(path, out, 2)
    assert [(each.name, each.faces) for each in seen.links] == [("both", len(ELL.triangles))]
    assert '<box size="1 1 1"/>' in out.read_text()
    felt = hitbox.robot(path, out, 2, source="collision")
    assert felt.counts == {"cylinder": 1}


# ---------------------------------------------------------------- Self-collisions


def two_elbows(tmp_path) -> tuple[hitbox.RobotReport, str]:
    """Return two L-shaped links that pass each other's corner without touching, but collide as boxes."""
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    path = tmp_path / "elbows.urdf"
    back = '<origin xyz="0.1 0 0.5" rpy="0 3.141592653589793 0"/>'
    path.write_text(
        urdf(
            link("a", mesh("ell.obj"))
            + link("b&lt;", mesh("ell.obj"))
            + joint("slide", "a", "b&lt;", back + '<axis xyz="0 1 0"/>', "prismatic")
        )
    )
    out = tmp_path / "out.urdf"
    return hitbox.robot(path, out, 2, kinds="box", poses=30), str(out)


def test_new_self_collisions_of_neighbours_are_written_down(tmp_path):
    report, out = two_elbows(tmp_path)
    assert [(c.link1, c.link2, c.joints, c.disabled) for c in report.collisions] == [("a", "b<", 1, True)]
    assert report.collisions[0].new == 1.0
    assert 0 < report.collisions[0].poses < 30
    srdf = out.replace(".urdf", ".srdf")
    assert srdf in report.files
    pairs = [(e.get("link1"), e.get("link2")) for e in ET.parse(srdf).getroot().iter("disable_collisions")]
    assert pairs == [("a", "b<")]
    again, _ = two_elbows(tmp_path)  # the existing SRDF has the pair and is extended
    assert again.collisions == report.collisions
    assert len(list(ET.parse(srdf).getroot())) == 1


def test_the_srdf_of_the_robot_is_heeded_and_goes_along(tmp_path):
    report, out = two_elbows(tmp_path)
    assert report.collisions
    written = Path(out).with_suffix(".srdf").rename(tmp_path / "elbows.srdf").read_bytes()
    again, out = two_elbows(tmp_path)
    assert again.collisions == ()
    assert Path(out).with_suffix(".srdf").read_bytes() == written


def test_pairs_that_also_collided_before_stay_checked(tmp_path):
    """Balls on two sliders already touched. The boxes around them touch slightly earlier."""
    (tmp_path / "ball.obj").write_bytes(obj(specimens.icosphere(2, 0.25)))
    ball = '    <collision><geometry><sphere radius="0.25"/></geometry></collision>\n'
    links = "".join(link(name, mesh("ball.obj") + ball) for name in ("left", "right"))
    joints = "".join(
        joint(f"to_{name}", "base", name, f'<origin xyz="{x} 0 0"/><axis xyz="1 0 0"/>', "prismatic")
        for name, x in (("left", -0.6), ("right", 0.6))
    ).replace('lower="-1.5" upper="1.5"', 'lower="-0.6" upper="0.6"')
    path = tmp_path / "sliders.urdf"
    path.write_text(urdf(link("base", "") + links + joints))
    report = hitbox.robot(path, tmp_path / "out.urdf", 2, kinds=("box",), poses=200)
    (found,) = report.collisions
    assert 0 < found.new < 1
    assert not found.disabled
    assert not (tmp_path / "out.srdf").exists()
    assert "of which they also collided before, and the output keeps checking this pair." in str(report)


def test_a_link_that_becomes_nearly_exact_is_not_starved():
    """A box with a cylinder on it needs two shapes, which a power law of the count would hide."""
    pin = specimens.cylinder(0.1, 0.4, 64)
    pin = hitbox.Mesh(pin.vertices + np.array([0, 0, 0.25]), specimens.polygons_of(pin))
    base = specimens.together([specimens.box((1, 1, 0.2)), pin])
    options = hitbox.FitOptions(kinds=("box", "sphere", "capsule", "cylinder"))
    counts = Sharing([base, specimens.torus(0.4, 0.1)], 16, options, 0, lambda fraction: None).counts()
    assert counts[0] >= 2
    assert sum(counts) == 16


def test_an_srdf_that_is_there_is_kept(tmp_path):
    (tmp_path / "out.srdf").write_text("<robot name='arm'><group name='g'/></robot>")
    _, out = two_elbows(tmp_path)
    root = ET.parse(out.replace(".urdf", ".srdf")).getroot()
    assert [child.tag for child in root] == ["group", "disable_collisions"]


def test_what_touched_before_is_not_new(tmp_path):
    (tmp_path / "block.obj").write_bytes(obj(specimens.box((0.2, 0.2, 0.2))))
    path = tmp_path / "stack.urdf"
    path.write_text(
        urdf(
            link("a", mesh("block.obj")) + link("b", mesh("block.obj"))
            + joint("j", "a", "b", '<origin xyz="0 0 0.15"/><axis xyz="0 0 1"/>')
        )
    )  # fmt: skip
    assert hitbox.robot(path, tmp_path / "out.urdf", 2, poses=20).collisions == ()


def test_what_lay_inside_before_is_not_new(tmp_path):
    (tmp_path / "shell.obj").write_bytes(obj(specimens.box((1.0, 1.0, 1.0))))
    (tmp_path / "core.obj").write_bytes(obj(specimens.box((0.1, 0.1, 0.1))))
    for first, second in (("shell", "core"), ("core", "shell")):
        path = tmp_path / "nested.urdf"
        path.write_text(
            urdf(
                link("a", mesh(f"{first}.obj")) + link("b", mesh(f"{second}.obj"))
                + joint("j", "a", "b", '<origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>')
            )
        )  # fmt: skip
        assert hitbox.robot(path, tmp_path / "out.urdf", 2, poses=5).collisions == ()


def test_samples_stay_within_limits_and_fill_them(arm):
    robot = Urdf(XmlText(arm.read_bytes(), "arm.urdf"), str(arm.parent), "visual", {}).robot
    found = samples(robot, 100)
    assert found == samples(robot, 100)
    assert found[0] == {"shoulder": 0.0, "elbow": 0.0}
    values = np.array([[each["shoulder"], each["elbow"]] for each in found])
    assert np.abs(values).max() <= 1.5
    assert (np.histogram2d(*values.T, bins=4, range=[[-1.5, 1.5]] * 2)[0] > 0).all()
    between = robot.joints_between()
    assert [between[pair] for pair in ((0, 1), (0, 2), (0, 3), (2, 3))] == [1, 2, 2, 0]


def test_urdf_frames_are_mujocos(arm):
    mujoco = pytest.importorskip("mujoco")
    robot = Urdf(XmlText(arm.read_bytes(), "arm.urdf"), str(arm.parent), "visual", {}).robot
    compiled = mujoco_model(arm)
    data = mujoco.MjData(compiled)
    data.qpos[:] = [0.7, -0.4]
    mujoco.mj_forward(compiled, data)
    places = robot.poses({"shoulder": 0.7, "elbow": -0.4})
    poses = {each.name: pose for each, pose in zip(robot.links, places, strict=True)}
    for k in range(1, compiled.nbody):
        assert np.allclose(poses[compiled.body(k).name][:3, 3], data.xpos[k], atol=1e-12)
        assert np.allclose(poses[compiled.body(k).name][:3, :3].ravel(), data.xmat[k], atol=1e-12)


# ---------------------------------------------------------------- Allocation, overlap, frames


def test_shapes_go_where_they_are_needed():
    options = hitbox.FitOptions(kinds=("box", "sphere", "capsule", "cylinder"))
    rough = specimens.torus(1.0, 0.2)
    meshes = [specimens.box(), rough, specimens.torus(1.0, 0.2), specimens.torus(0.1, 0.02)]
    counts = Sharing(meshes, 30, options, 0, lambda fraction: None).counts()
    assert counts[0] == 1  # a box needs one shape
    assert abs(counts[1] - counts[2]) <= 1  # equal links get equal shares
    assert counts[3] < counts[1]  # and a small link gets less
    assert sum(counts) == 30
    fewer = Sharing(meshes, 30, options, 0, lambda fraction: None).counts({1: 5})
    assert fewer[1] == 5
    assert fewer[2] > counts[2]
    assert sum(fewer) == 30


def test_what_a_link_cannot_use_goes_to_others(tmp_path):
    """Four triangles need at most four shapes, and 24 segments of a ring need 24."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0.2, 1.5, 0], [0.3, 0.4, 0.7]])
    four = hitbox.Mesh(10 * corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    rings = specimens.torus(1.0, 0.2), specimens.torus(0.2, 0.09)
    for name, made in zip(("four", "ring", "small"), (four, *rings), strict=True):
        (tmp_path / f"{name}.obj").write_bytes(obj(made))
    path = tmp_path / "robot.urdf"
    links = [link(name, mesh(f"{name}.obj")) for name in ("four", "ring", "small")]
    path.write_text(urdf("".join(links) + joint("j", "four", "ring") + joint("k", "four", "small")))
    report = hitbox.robot(path, tmp_path / "out.urdf", 44, poses=0)
    used = [len(each.shapes) for each in report.links]
    assert used[0] <= 4
    assert 40 <= sum(used) <= 44, used


@settings(max_examples=150)
@given(shapes, st.tuples(*[st.floats(-4, 4)] * 3), st.floats(0.05, 2))
def test_overlap_with_a_ball_is_the_signed_distance(shape, center, radius):
    distance = float(shape.signed_distance([center])[0])
    slack = 0.006 * float(np.ptp(shape.bounds, axis=0).max())  # round sides become polygons around them
    ball = Convexes.of([Sphere(center, radius)])
    found = overlap(Convexes.of([shape]), ball)
    if distance <= radius - 1e-9:
        assert found
    if distance > radius + slack:
        assert not found
    assert overlap(ball, Convexes.of([shape])) == found


@settings(max_examples=100)
@given(shapes, shapes, st.tuples(*[st.floats(-3, 3)] * 3), st.integers(0, 2**32 - 1))
def test_overlap_of_any_two_shapes(first, second, move, seed):
    moved = second.transformed(translation=move)
    found = overlap(Convexes.of([first]), Convexes.of([moved]))
    random = np.random.default_rng(seed)
    low, high = first.bounds
    points = random.uniform(low, high, (4000, 3))
    if (first.contains(points, -1e-9) & moved.contains(points, -1e-9)).any():
        assert found
    directions = random.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    gap = np.einsum("nk,nk->n", directions, moved.support(-directions) - first.support(directions)).max()
    slack = 0.02 * max(np.ptp(first.bounds, axis=0).max(), np.ptp(moved.bounds, axis=0).max())
    if gap > slack:
        assert not found


@settings(max_examples=60)
@given(st.tuples(*[st.floats(-1.5, 1.5)] * 3), st.tuples(*[st.floats(-3, 3)] * 3))
def test_surfaces_of_boxes_touch_as_their_solids_do(move, angles):
    turn = quaternion_of(rpy(*angles))
    one, other = Box((0, 0, 0), (0, 0, 0, 1), (0.5, 0.5, 0.5)), Box(move, turn, (0.4, 0.5, 0.6))
    solid = overlap(Convexes.of([one]), Convexes.of([other]))
    sides = [Box(move, turn, np.add((0.4, 0.5, 0.6), by)) for by in (-1e-6, 1e-6)]
    if len({overlap(Convexes.of([one]), Convexes.of([each])) for each in sides}) == 2:
        return  # the bodies just touch, so rounding decides
    nested = one.contains(other.to_mesh()[0]).all() or other.contains(one.to_mesh()[0]).all()
    assert surfaces_touch(triangles_of(one), triangles_of(other)) == (solid and not nested)


RIGHT = [0.0, np.pi / 2, -np.pi / 2, np.pi, -np.pi]  # at these angles roll and yaw coincide, and signs change


@given(st.tuples(*[st.floats(-3.2, 3.2) | st.sampled_from(RIGHT)] * 3))
def test_turns_are_those_of_matrices(angles):
    turn = rpy(*angles)
    assert np.allclose(matrix_of(quaternion_of(turn)), turn, atol=1e-12)
    assert np.allclose(matrix_of(turn_of_rpy(angles)), turn, atol=1e-12)
    assert np.allclose(rpy(*rpy_of(quaternion_of(turn))), turn, atol=1e-12)
    axis = (1.0, 2.0, -3.0)
    assert np.allclose(matrix_of(about(axis, angles[0])), turned(axis, angles[0]), atol=1e-12)


# ---------------------------------------------------------------- Wrong input, and the shell

WRONG = {
    "another root": ("<sdf/>", "root is <sdf>"),
    "a bomb": ("<!DOCTYPE x []><robot/>", "DOCTYPE"),
    "no meshes": (urdf(link("a", "")), "nothing to replace"),
    "a mesh that is not there": (urdf(link("a", mesh("none.obj"))), "no such file"),
    "an unknown suffix": (urdf(link("a", mesh("a.xyz"))), "no reader"),
    "a cycle": (
        urdf(link("a", "") + link("b", "") + joint("j", "a", "b") + joint("k", "b", "a")), "cycle"),
    "no such link": (urdf(link("a", "") + joint("j", "a", "b")), "no link 'b'"),
    "two of a name": (urdf(link("a", "") * 2), "distinct names"),
    "an unknown joint": (urdf(link("a", "") + link("b", "") + joint("j", "a", "b", kind="magic")), "'magic'"),
    "a scale of nothing": (urdf(link("a", mesh("ell.obj", 'scale="0 1 1"'))), "scale must not be 0"),
    "a capsule of no length": (
        urdf(link("a", '<collision><geometry><capsule radius="1"/></geometry></collision>')),
        "robot.urdf: line 6: <capsule>: must be a number, not ''."),
    "a sphere of no size": (
        urdf(link("a", '<collision><geometry><sphere radius="0"/></geometry></collision>')),
        "robot.urdf: line 6: <sphere>: sphere: radius"),
    "a box of two sides": (
        '<mujoco><worldbody><body>\n<geom type="box" size="1 1"/></body></worldbody></mujoco>',
        "robot.urdf: line 2: <geom>: a box needs 3 sizes, not 2."),
    "a ball of no size": (
        '<mujoco><worldbody><body>\n<geom size="0"/></body></worldbody></mujoco>',
        "robot.urdf: line 2: <geom>: sphere: radius"),
    "a scale of words": (urdf(link("a", mesh("ell.obj", 'scale="big"'))), "3 numbers"),
    "a mesh of no asset": (
        '<mujoco><worldbody><body><geom type="mesh" mesh="x"/></body></worldbody></mujoco>', "no mesh 'x'"),
    "an include of itself": ('<mujoco><include file="robot.urdf"/></mujoco>', "second time"),
    "an include that is not there": ('<mujoco><include file="no.xml"/></mujoco>', "no such file"),
    "Latin letters": ('<?xml version="1.0" encoding="latin-1"?><robot name="\xe9"/>', "UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_robots_say_what_is_wrong(tmp_path, capsys, case):
    text, says = WRONG[case]
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode("latin-1"))
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as caught:
        hitbox.robot(path, tmp_path / "out.urdf")
    assert says in str(caught.value)
    assert str(caught.value).count("robot.urdf: line") <= 1
    assert "\n" not in str(caught.value)
    assert run(["robot", str(path), "-o", str(tmp_path / "out.urdf")]) == 2
    assert says in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"count": 2, "tolerance": "1%"}, "either a count or a tolerance"),
        ({"count": 2}, "need 3 shapes"),
        ({"source": "collisions"}, "unknown value 'collisions'"),
        ({"packages": {"a": "nowhere"}}, "nowhere is not a folder"),
        ({"kinds": "blob"}, "unknown kind 'blob'"),
        ({"poses": -1}, "poses"),
        ({"colour": 1}, "unknown option 'colour'"),
    ],
)
def test_wrong_options_say_what_is_wrong(arm, options, says):
    with pytest.raises(InputError, match=says):
        hitbox.robot(arm, arm.with_name("out.urdf"), **options)
    assert not arm.with_name("out.urdf").exists()


def test_a_robot_stays_what_it_is(arm):
    for name in ("out.xml", "out.sdf", "out"):
        with pytest.raises(InputError, match=rf"^{name}: this robot is URDF\. .* ending in \.urdf\.$"):
            hitbox.robot(arm, arm.with_name(name))
        assert not arm.with_name(name).exists()


def test_packages_that_are_lost_on_the_way_are_said(tmp_path):
    package = tmp_path / "my_arm"
    package.mkdir()
    (package / "ell.obj").write_bytes(obj(ELL))
    path = package / "arm.urdf"
    path.write_text(urdf(link("only", mesh("package://my_arm/ell.obj"))))
    assert hitbox.robot(path, tmp_path / "near" / "out.urdf", 2).notes == ()  # the package lies beside it
    far = tmp_path.parent / f"{tmp_path.name}_far" / "out.urdf"
    notes = hitbox.robot(path, far, 2).notes
    assert notes == ("'package://my_arm/ell.obj': unchanged, but not found from the new folder.",)


def test_the_shell_writes_and_reports(arm, capsys):
    out = arm.with_name("out.urdf")
    arguments = ["robot", str(arm), "-o", str(out), "-n", "6", "--kinds", "box,capsule", "--pad", "1mm",
                 "--poses", "10", "--from", "visual", "--package", f"arm={arm.parent}"]  # fmt: skip
    assert run(arguments) == 0
    shown = capsys.readouterr().out
    assert "for 3 links" in shown
    assert str(out) in "".join(shown.split("\n"))
    assert run([*arguments, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["format"] == "urdf"
    assert sum(each["shapes"] for each in report["links"]) == report["shapes"] <= 6
    assert set(report["kinds"]) <= {"box", "capsule"}
    assert run(["robot", str(arm), "-o", str(out), "--package", "arm"]) == 2
    assert "--package: must be a name and a folder" in capsys.readouterr().err


def damaged(data, text: str) -> bytes:
    """Return the text with a few changes: other letters, numbers or names."""
    whole = bytearray(text.encode())
    words = [b"0", b"-1", b"1e999", b"nan", b"", b'"', b"x", b"<", b"/>", b"fore", b"visual", b"0 0 0"]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        instead = data.draw(st.sampled_from(words) | st.binary(max_size=3))
        whole[at : at + data.draw(st.integers(0, 8))] = instead
    return bytes(whole)


@settings(max_examples=200)
@given(st.data(), st.sampled_from([ARM, PART.replace("mujocoinclude", "worldbody"), MODEL]))
def test_damaged_robots_are_refused_or_read(tmp_path_factory, data, text):
    folder = tmp_path_factory.getbasetemp() / "damaged"
    if not folder.exists():
        put_meshes(folder)
        (folder / "part.xml").write_text(PART)
    if text.startswith("<worldbody"):
        text = MODEL.split("<worldbody>")[0] + text + "</mujoco>"
    written = damaged(data, text)
    with contextlib.suppress(InputError):  # and nothing else
        xml = XmlText(written, "robot")
        is_urdf = xml.root.tag == "robot"
        read = Urdf(xml, str(folder), "visual", {}) if is_urdf else Mjcf(xml, str(folder), "visual")
        balls = [Sphere((0, 0, 0), 1)]
        fitted = {k: balls for k, each in enumerate(read.robot.links) if each.mesh is not None}
        files = read.files(fitted, str(folder / "out.xml"), [])
        again = ET.fromstring(files[str(folder / "out.xml")])
        assert again.tag == xml.root.tag


def test_places_are_asked_for_messages_alone(monkeypatch):
    """Counting lines for each of 16,000 geoms once took seconds."""
    geoms = '<geom size="1" pos="1 2 3" euler="1 2 3"/>\n' * 3
    text = XmlText(f'<mujoco><worldbody><body name="a">{geoms}</body></worldbody></mujoco>'.encode(), "x.xml")
    assert [text.line(geom) for geom in text.root.iter("geom")] == [1, 2, 3]
    monkeypatch.delattr(XmlText, "place")
    assert len(Mjcf(text, "", "visual").robot.links[0].before) == 3


def test_it_can_be_stopped(arm):
    stages = []

    def stop(stage, fraction):
        stages.append(fraction)
        return len(stages) < 4

    with pytest.raises((InterruptedError, KeyboardInterrupt)):
        hitbox.robot(arm, arm.with_name("out.urdf"), 8, progress=stop)
    assert all(a <= b for a, b in pairwise(stages))
    assert not arm.with_name("out.urdf").exists()
