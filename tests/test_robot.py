"""robot: the file that comes out, judged by the engines that open it, and by numpy."""

from __future__ import annotations

import contextlib
import json
import math
import xml.etree.ElementTree as ET
from itertools import pairwise

import mesh_files
import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_strategies import shapes

import hitbox
from hitbox.cli.app import run
from hitbox.errors import InputError
from hitbox.robot.mjcf import Mjcf
from hitbox.robot.model import quaternion_of, turn_about
from hitbox.robot.overlaps import Convexes, overlap, surfaces_touch, triangles_of
from hitbox.robot.self_collisions import samples
from hitbox.robot.share import Sharing
from hitbox.robot.urdf import Urdf
from hitbox.robot.xml_text import XmlText
from hitbox.shapes import Box, Sphere

# An L, a body of no single primitive.
ELL = hitbox.Mesh(
    np.concatenate(
        [specimens.box((0.4, 0.1, 0.1)).vertices, specimens.box((0.1, 0.1, 0.3), (0.15, 0, 0.2)).vertices]
    ),
    np.concatenate([specimens.box().indices.reshape(-1, 4) + first for first in (0, 8)]),
    name="ell",
)
TUBE = specimens.cylinder(0.05, 0.3)


def obj(mesh: hitbox.Mesh) -> bytes:
    return mesh_files.obj(mesh.vertices, [list(map(int, face)) for face in mesh.triangles])


def link(name: str, inside: str) -> str:
    return (
        f'  <link name="{name}">\n    <inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>\n'
        f"{inside}  </link>\n"
    )


def joint(name: str, parent: str, child: str, said: str = "", kind: str = "revolute") -> str:
    return (
        f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{said}'
        '<limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>\n'
    )


def mesh(file: str, said: str = "", origin: str = "", tag: str = "visual") -> str:
    return f'    <{tag}>{origin}<geometry><mesh filename="{file}" {said}/></geometry></{tag}>\n'


def urdf(inside: str, said: str = "") -> str:
    return f'<?xml version="1.0"?>\n<!-- kept -->\n<robot name="arm"{said}>\n{inside}</robot>\n'


ORIGIN = '<origin xyz="0.1 -0.2 0.3" rpy="0.3 -0.7 1.1"/>'
ARM = urdf(
    link("base", mesh("meshes/ell.obj") + mesh("meshes/ell.obj", tag="collision"))
    + link("upper", mesh("meshes/tube.obj", 'scale="1 -2 0.5"', ORIGIN))
    + link("fore", mesh("meshes/ell.obj", 'scale="0.5 0.5 0.5"') + mesh("meshes/tube.obj"))
    + link("tool", "")
    + joint("shoulder", "base", "upper", '<origin xyz="0.5 0 0.5" rpy="0.2 0.4 -0.3"/><axis xyz="0 1 1"/>')
    + joint("elbow", "upper", "fore", '<origin xyz="0 0 0.8"/><axis xyz="1 0 0"/>')
    + joint("wrist", "fore", "tool", '<origin xyz="0 0 0.5"/>', "fixed")
)


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "ell.obj").write_bytes(obj(ELL))
    (tmp_path / "meshes" / "tube.obj").write_bytes(obj(TUBE))
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def rpy(roll, pitch, yaw):
    x, y, z = np.eye(3)
    return turn_about(z, yaw) @ turn_about(y, pitch) @ turn_about(x, roll)


def expected_points() -> dict[str, np.ndarray]:
    """Each link's corners, worked out here."""
    turn, move = rpy(0.3, -0.7, 1.1), np.array([0.1, -0.2, 0.3])
    return {
        "base": ELL.vertices,
        "upper": (TUBE.vertices * [1, -2, 0.5]) @ turn.T + move,
        "fore": np.concatenate([ELL.vertices * 0.5, TUBE.vertices]),
    }


def inside_geoms(model, body: int, points: np.ndarray, slack: float = 1e-9) -> np.ndarray:
    """Which points, in the body's frame, lie in one of its colliding geoms as MuJoCo has them."""
    import mujoco

    found = np.zeros(len(points), bool)
    for g in np.flatnonzero((model.geom_bodyid == body) & (model.geom_contype > 0)):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.geom_quat[g])
        local, size = (points - model.geom_pos[g]) @ turn.reshape(3, 3), model.geom_size[g]
        kind = mujoco.mjtGeom(model.geom_type[g])
        if kind == mujoco.mjtGeom.mjGEOM_BOX:
            found |= (np.abs(local) <= size + slack).all(axis=1)
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            found |= np.linalg.norm(local, axis=1) <= size[0] + slack
        elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
            found |= (np.hypot(*local[:, :2].T) <= size[0] + slack) & (np.abs(local[:, 2]) <= size[1] + slack)
        elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            nearest = np.clip(local[:, 2], -size[1], size[1])
            away = np.stack([*local[:, :2].T, local[:, 2] - nearest], axis=1)
            found |= np.linalg.norm(away, axis=1) <= size[0] + slack
    return found


def mujoco_model(path):
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    return spec.compile()


def same_places(before, after) -> None:
    """Bodies stand where they stood, whatever the joints' positions."""
    import mujoco

    assert before.nbody == after.nbody
    random = np.random.default_rng(0)
    for _ in range(5):
        angles = random.uniform(-1, 1, before.nq)
        poses = []
        for model in (before, after):
            data = mujoco.MjData(model)
            data.qpos[:] = angles
            mujoco.mj_forward(model, data)
            poses.append((data.xpos, data.xmat))
        assert np.array_equal(poses[0][0], poses[1][0])
        assert np.array_equal(poses[0][1], poses[1][1])


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
    assert (after.geom_type[after.geom_contype > 0] != 7).all()  # primitives alone


def test_pybullet_and_rapier_open_the_urdf(arm):
    out = arm.with_name("out.urdf")
    report = hitbox.robot(arm, out, 10, poses=0)
    elements = len(ET.parse(out).getroot().findall("link/collision"))
    assert elements >= sum(len(each.shapes) for each in report.links)
    rapier = pytest.importorskip("rapier3d")
    from rapier3d.loaders import urdf as loaders

    robot, *_ = loaders.UrdfRobot.from_file(str(out), loaders.UrdfLoaderOptions())
    world = rapier.PhysicsWorld()
    robot.insert_using_impulse_joints(world.rigid_bodies, world.colliders, world.impulse_joints)
    assert len(world.colliders) == elements  # Rapier drops in silence what it cannot read
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
    assert out.read_bytes() == written  # and again the same
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
    assert (opened.ngeom, opened.nmesh) == (1, 1)  # what is only seen MuJoCo leaves out of a URDF


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
    assert kept.read_bytes() == before  # the first one stays
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
    """Two L-shaped links that pass through each other's corner without touching, and collide as boxes."""
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
    again, _ = two_elbows(tmp_path)  # an SRDF that is there is added to, and has the pair
    assert again.collisions == report.collisions
    assert len(list(ET.parse(srdf).getroot())) == 1


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


# ---------------------------------------------------------------- MJCF

PART = """<mujocoinclude>
  <body name="arm" pos="0 0.3 0.2" euler="20 -40 70" childclass="robot">
    <joint name="j1" axis="0 1 0" pos="0 0 0.1" range="-90 90" ref="10"/>
    <geom class="visual" mesh="tube" pos="0.1 0 0" quat="1 2 3 4"/>
    <geom class="collision" type="box" size="0.1 0.1 0.1"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <frame pos="0 0 0.5" axisangle="1 1 0 30">
      <body name="hand" pos="0.1 0 0"><joint name="j2" type="slide" axis="1 0 0" range="-0.1 0.3"/>
        <geom name="palm" mesh="ell" euler="0 0 30"/>
        <geom mesh="tip" type="mesh" xyaxes="0 1 0 -1 0 0"/>
      </body>
    </frame>
  </body>
</mujocoinclude>
"""
MODEL = """<mujoco model="arm">
  <compiler meshdir="meshes" eulerseq="zXy"/> <!-- kept -->
  <default>
    <mesh scale="1 1 -1"/>
    <default class="robot">
      <geom type="mesh" friction="0.7 0.01 0.001"/>
      <default class="visual"><geom contype="0" conaffinity="0" group="2"/></default>
      <default class="collision"><geom group="4" condim="4"/></default>
    </default>
  </default>
  <asset>
    <mesh file="ell.obj" scale="1 2 -1" refpos="0.1 0.2 0.3" refquat="1 1 0 0"/>
    <mesh name="tube" file="tube.obj"/>
    <mesh name="tip" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom type="mesh" mesh="ell"/>
      <include file="part.xml"/>
    </body>
  </worldbody>
  <sensor><framepos objtype="geom" objname="palm"/></sensor>
</mujoco>
"""


@pytest.fixture
def model(arm):
    arm.with_name("part.xml").write_text(PART)
    path = arm.with_name("arm.xml")
    path.write_text(MODEL)
    return path


def corners_in_mujoco(model, body: int) -> np.ndarray:
    """Of all mesh geoms of a body, in its frame, as MuJoCo has them."""
    import mujoco

    found = []
    for g in np.flatnonzero((model.geom_bodyid == body) & (model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)):
        k = model.geom_dataid[g]
        points = model.mesh_vert[model.mesh_vertadr[k] : model.mesh_vertadr[k] + model.mesh_vertnum[k]]
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.geom_quat[g])
        found.append(points @ turn.reshape(3, 3).T + model.geom_pos[g])
    return np.concatenate(found)


def test_mujoco_opens_the_mjcf_and_every_corner_is_inside(model):
    out = model.with_name("out.xml")
    report = hitbox.robot(model, out, 12, poses=20)
    assert [each.name for each in report.links] == ["base", "arm", "hand"]
    before, after = mujoco_model(model), mujoco_model(out)
    same_places(before, after)
    for name in ("body_mass", "body_inertia", "body_ipos"):
        assert np.array_equal(getattr(before, name), getattr(after, name)), name
    for body in range(1, before.nbody):
        points = corners_in_mujoco(before, body).astype(np.float64)  # float32
        ours = report.links[body - 1]
        assert hitbox.Collider(ours.shapes).contains(points, 1e-6).all()
        assert inside_geoms(after, body, points, 1e-6).all(), ours.name
    new = (after.geom_contype > 0) & (after.geom_bodyid > 0)
    assert (after.geom_type[new] != 7).all()
    assert new.sum() == sum(len(each.shapes) for each in report.links)
    arm_geoms = new & (after.geom_bodyid == 2)
    assert set(after.geom_condim[arm_geoms]) == {4}  # as the one that was replaced
    assert set(after.geom_group[arm_geoms]) == {4}
    assert np.allclose(after.geom_friction[arm_geoms], [0.7, 0.01, 0.001])
    assert after.geom("palm").contype == 0  # a sensor looks at it
    assert after.nsensor == 1
    text = out.read_text()
    for kept in ('<compiler meshdir="meshes" eulerseq="zXy"/> <!-- kept -->', '<geom name="floor"'):
        assert kept in text
    assert "<include" not in text


def test_frames_and_joints_are_mujocos(model):
    mujoco = pytest.importorskip("mujoco")
    robot = Mjcf(XmlText(model.read_bytes(), "arm.xml"), str(model.parent), "visual").robot
    compiled = mujoco_model(model)
    data = mujoco.MjData(compiled)
    random = np.random.default_rng(1)
    for _ in range(5):
        j1, j2 = random.uniform(-1, 1, 2)
        data.qpos[:] = [0, 0, 1, 1, 0, 0, 0, j1, j2]
        mujoco.mj_forward(compiled, data)
        for k, pose in enumerate(robot.poses({"j1": j1, "j2": j2})):
            assert np.allclose(pose[:3, 3], data.xpos[k + 1], atol=1e-12)
            assert np.allclose(pose[:3, :3].ravel(), data.xmat[k + 1], atol=1e-12)
    limits = [(j.low, j.high, j.zero) for each in robot.links for j in each.joints]
    assert limits[0] == pytest.approx((-math.pi / 2, math.pi / 2, math.radians(10)))
    assert limits[1] == pytest.approx((-0.1, 0.3, 0))
    assert robot.apart == {(0, 1), (1, 2)}  # parents and children are never compared


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


def test_rapier_opens_the_mjcf(model):
    rapier = pytest.importorskip("rapier3d")
    from rapier3d.loaders import mjcf as loaders

    out = model.with_name("out.xml")
    report = hitbox.robot(model, out, 8, poses=0)
    robot, *_ = loaders.MjcfRobot.from_file(str(out), loaders.MjcfLoaderOptions())
    world = rapier.PhysicsWorld()
    robot.insert_using_impulse_joints(world.rigid_bodies, world.colliders, world.impulse_joints)
    solid = [found for _, found in world.colliders if found.shape.as_trimesh() is None]
    assert len(solid) >= sum(len(each.shapes) for each in report.links)
    assert len(world.rigid_bodies) >= 3


def test_an_mjcf_in_another_folder_finds_its_meshes(model):
    out = model.parent / "far" / "away" / "out.xml"
    hitbox.robot(model, out, 6, poses=0)
    same_places(mujoco_model(model), mujoco_model(out))


def test_mjcf_hulls_and_excludes(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    text = """<mujoco><compiler angle="radian"/><asset><mesh name="ell" file="ell.obj"/></asset><worldbody>
      <body name="root"><freejoint/><geom size="0.01" mass="1"/>
        <body name="a"><joint name="x" type="slide" axis="1 0 0" range="0 .001"/>
          <geom type="mesh" mesh="ell"/></body>
        <body name="b" pos="0.1 0 0.5" euler="0 3.14159265 0">
          <joint type="slide" axis="0 1 0" range="-.3 .3"/><geom type="mesh" mesh="ell"/></body>
      </body></worldbody></mujoco>"""
    path = tmp_path / "elbows.xml"
    path.write_text(text)
    out = tmp_path / "out.xml"
    report = hitbox.robot(path, out, 2, kinds="box", poses=30)
    assert [(c.link1, c.link2, c.joints, c.disabled) for c in report.collisions] == [("a", "b", 2, True)]
    after = mujoco_model(out)
    assert after.nexclude == 1
    data = mujoco.MjData(after)
    mujoco.mj_forward(after, data)
    assert data.ncon == 0
    hulls = hitbox.robot(path, out, 2, kinds=("prism",), poses=0)
    assert hulls.counts == {"prism": 2}
    assert mujoco_model(out).nmesh == 3


# ---------------------------------------------------------------- Sharing, overlap, frames


def test_shapes_go_where_they_are_needed():
    options = hitbox.FitOptions(kinds=("box", "sphere", "capsule", "cylinder"))
    rough = specimens.torus(1.0, 0.2)
    meshes = [specimens.box(), rough, specimens.torus(1.0, 0.2), specimens.torus(0.1, 0.02)]
    counts = Sharing(meshes, 30, options, 0, lambda fraction: None).counts()
    assert counts[0] == 1  # a box is a box
    assert abs(counts[1] - counts[2]) <= 1  # twins share alike
    assert counts[3] < counts[1]  # and a small one needs less
    assert sum(counts) == 30
    fewer = Sharing(meshes, 30, options, 0, lambda fraction: None).counts({1: 5})
    assert fewer[1] == 5
    assert fewer[2] > counts[2]
    assert sum(fewer) == 30


def test_what_a_link_cannot_use_goes_to_others(tmp_path):
    """Four triangles are four shapes at most, and 24 segments of a ring are 24."""
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
    slack = 0.006 * float(np.ptp(shape.bounds, axis=0).max())  # round sides are polygons around them
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
        return  # they just touch, and rounding decides
    nested = one.contains(other.to_mesh()[0]).all() or other.contains(one.to_mesh()[0]).all()
    assert surfaces_touch(triangles_of(one), triangles_of(other)) == (solid and not nested)


@given(st.tuples(*[st.floats(-3.2, 3.2)] * 3))
def test_quaternions_and_angles_come_back(angles):
    from hitbox.formats.export import matrix_of
    from hitbox.robot.urdf import _rpy

    turn = rpy(*angles)
    assert np.allclose(matrix_of(quaternion_of(turn)), turn, atol=1e-12)
    assert np.allclose(rpy(*_rpy(turn)), turn, atol=1e-7)


# ---------------------------------------------------------------- Wrong input, and the shell

WRONG = {
    "another root": ("<sdf/>", "root is <sdf>"),
    "a bomb": ("<!DOCTYPE x []><robot/>", "DOCTYPE"),
    "no meshes": (urdf(link("a", "")), "nothing to replace"),
    "a mesh that is not there": (urdf(link("a", mesh("none.obj"))), "no such file"),
    "an unknown suffix": (urdf(link("a", mesh("a.xyz"))), "no reader"),
    "a circle": (
        urdf(link("a", "") + link("b", "") + joint("j", "a", "b") + joint("k", "b", "a")), "circle"),
    "no such link": (urdf(link("a", "") + joint("j", "a", "b")), "no link 'b'"),
    "two of a name": (urdf(link("a", "") * 2), "different"),
    "an unknown joint": (urdf(link("a", "") + link("b", "") + joint("j", "a", "b", kind="magic")), "'magic'"),
    "a scale of nothing": (urdf(link("a", mesh("ell.obj", 'scale="0 1 1"'))), "a scale of 0"),
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
        with pytest.raises(InputError, match=rf"^{name}: this robot is URDF\. .* ends in \.urdf\.$"):
            hitbox.robot(arm, arm.with_name(name))
        assert not arm.with_name(name).exists()


def test_packages_that_are_lost_on_the_way_are_said(tmp_path):
    package = tmp_path / "my_arm"
    package.mkdir()
    (package / "ell.obj").write_bytes(obj(ELL))
    path = package / "arm.urdf"
    path.write_text(urdf(link("only", mesh("package://my_arm/ell.obj"))))
    assert hitbox.robot(path, tmp_path / "near" / "out.urdf", 2).notes == ()  # the package is beside it
    far = tmp_path.parent / f"{tmp_path.name}_far" / "out.urdf"
    notes = hitbox.robot(path, far, 2).notes
    assert notes == ("'package://my_arm/ell.obj': stays as it is, but is not found from the new folder.",)


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
    """A few places of it changed: letters, or numbers and names for others."""
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
        (folder / "meshes").mkdir(parents=True)
        (folder / "meshes" / "ell.obj").write_bytes(obj(ELL))
        (folder / "meshes" / "tube.obj").write_bytes(obj(TUBE))
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


def test_it_can_be_stopped(arm):
    stages = []

    def stop(stage, fraction):
        stages.append(fraction)
        return len(stages) < 4

    with pytest.raises((InterruptedError, KeyboardInterrupt)):
        hitbox.robot(arm, arm.with_name("out.urdf"), 8, progress=stop)
    assert all(a <= b for a, b in pairwise(stages))
    assert not arm.with_name("out.urdf").exists()
