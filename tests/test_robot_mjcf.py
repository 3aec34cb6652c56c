"""robot with an MJCF: MuJoCo and Rapier open the output and check it."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
import specimens
from robot_files import (
    ELL,
    MODEL,
    PART,
    corners_in_mujoco,
    geom_corners,
    inside_geoms,
    mujoco_model,
    obj,
    put_meshes,
    rapier_mjcf,
    same_places,
)

import hitbox
from hitbox._methods.robot.mjcf import Mjcf
from hitbox._methods.robot.xml_text import XmlText


@pytest.fixture
def model(tmp_path):
    put_meshes(tmp_path)
    (tmp_path / "part.xml").write_text(PART)
    path = tmp_path / "arm.xml"
    path.write_text(MODEL)
    return path


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
    assert set(after.geom_condim[arm_geoms]) == {4}  # as in the geom that was replaced
    assert set(after.geom_group[arm_geoms]) == {4}
    assert np.allclose(after.geom_friction[arm_geoms], [0.7, 0.01, 0.001])
    assert after.geom("palm").contype == 0  # a sensor refers to it
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


def test_rapier_opens_the_mjcf(model):
    out = model.with_name("out.xml")
    report = hitbox.robot(model, out, 8, poses=0)
    world = rapier_mjcf(out)
    solid = [found for _, found in world.colliders if found.shape.as_trimesh() is None]
    assert len(solid) >= sum(len(each.shapes) for each in report.links)
    assert len(world.rigid_bodies) >= 3


def test_an_mjcf_in_another_folder_finds_its_meshes(model):
    out = model.parent / "far" / "away" / "out.xml"
    hitbox.robot(model, out, 6, poses=0)
    same_places(mujoco_model(model), mujoco_model(out))


# ---------------------------------------------------------------- Hulls


HULLS = """<mujoco><compiler {compiler}/>{default}
  <asset><mesh name="ell" file="{file}"/></asset>
  <worldbody><body name="a"><freejoint/><geom type="mesh" mesh="ell"/>
    <body name="b" pos="0 1 0"><joint/><geom type="mesh" mesh="ell" contype="2"/></body></body></worldbody>
</mujoco>
"""


def hulls_in(folder, compiler: str = "", file: str = "ell.obj", default: str = "", at: str = "robot.xml"):
    (folder / "meshes").mkdir(exist_ok=True)
    for place in ("meshes", "."):
        (folder / place / "ell.obj").write_bytes(obj(ELL))
    path = folder / at
    path.write_text(HULLS.format(compiler=compiler, file=file, default=default))
    return path


def check_hulls(path, count: int) -> None:
    """Check that both engines have this many colliding hulls, and that every corner of the L is in one of
    them.
    """
    mujoco = pytest.importorskip("mujoco")
    opened = mujoco_model(path)
    new = np.flatnonzero((opened.geom_contype > 0) & (opened.geom_type == mujoco.mjtGeom.mjGEOM_MESH))
    assert len(new) == count
    for body in (1, 2):
        own = [g for g in new if opened.geom_bodyid[g] == body]
        assert len(own) == count // 2
        inside = np.zeros(len(ELL.vertices), bool)
        for g in own:
            corners = geom_corners(opened, g)
            around = hitbox.Collider.of([(corners, np.empty((0, 3), int))])
            inside |= around.contains(ELL.vertices, 1e-6)
        assert inside.all()
    shapes = [found.shape for _, found in rapier_mjcf(path).colliders]
    assert sum(shape.as_convex_polyhedron() is not None for shape in shapes) == count


@pytest.mark.parametrize(
    ("compiler", "file"),
    [
        ("", "meshes/ell.obj"),
        ('meshdir="meshes"', "ell.obj"),
        ('assetdir="meshes/"', "ell.obj"),
        ('assetdir="nowhere" meshdir="./meshes/."', "ell.obj"),
        ('meshdir="meshes" strippath="true"', "some/where\\ell.obj"),
        ('strippath="true"', "C:/some/where/ell.obj"),
    ],
)
def test_hulls_are_files_that_mujoco_and_rapier_find(tmp_path, compiler, file):
    path = hulls_in(tmp_path, compiler, file)
    for out in (tmp_path / "out.xml", tmp_path / "far" / "away" / "out.xml"):
        report = hitbox.robot(path, out, 4, kinds=("prism",), poses=0)
        assert report.counts == {"prism": 4}
        assert str(out.parent / "out_collision" / "a_hull_0.obj") in report.files
        check_hulls(out, 4)


@pytest.mark.parametrize("meshdir", ["linked", "nowhere"])
def test_hulls_are_found_behind_links_and_folders_that_are_not_there(tmp_path, meshdir):
    """MuJoCo resolves .. in the text, Rapier on the disk."""
    path = hulls_in(tmp_path, f'meshdir="{meshdir}"', f"{tmp_path}/meshes/ell.obj")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    os.symlink(tmp_path / "deep" / "er", tmp_path / "linked")
    hitbox.robot(path, tmp_path / "out.xml", 4, kinds=("prism",), poses=0)
    check_hulls(tmp_path / "out.xml", 4)


def test_defaults_for_meshes_leave_hulls_alone(tmp_path):
    default = '<default><mesh scale="2 2 2" maxhullvert="5"/><geom pos="1 1 1" euler="0 9 0"/></default>'
    path = hulls_in(tmp_path, default=default)
    report = hitbox.robot(path, tmp_path / "out.xml", 2, kinds=("prism",), poses=0)
    before, after = mujoco_model(path), mujoco_model(tmp_path / "out.xml")
    for body in (1, 2):
        points = corners_in_mujoco(before, body)
        assert hitbox.Collider(report.links[body - 1].shapes).contains(points, 1e-5).all()
        new = [g for g in np.flatnonzero(after.geom_bodyid == body) if after.geom_contype[g]]
        found = np.concatenate([geom_corners(after, g) for g in new])
        wanted = np.concatenate([shape.to_mesh()[0] for shape in report.links[body - 1].shapes])
        assert np.allclose(found.min(axis=0), wanted.min(axis=0), atol=1e-5)
        assert np.allclose(found.max(axis=0), wanted.max(axis=0), atol=1e-5)


@pytest.mark.parametrize("in_place", [False, True])
def test_a_second_run_on_its_own_hulls(tmp_path, in_place):
    path = hulls_in(tmp_path)
    first = tmp_path / "first.xml"
    hitbox.robot(path, first, 4, kinds=("prism",), poses=0)
    second = first if in_place else tmp_path / "second.xml"
    before = {at: at.read_bytes() for at in (tmp_path / "first_collision").iterdir()}
    report = hitbox.robot(first, second, 4, kinds=("prism",), poses=0)
    assert report.counts == {"prism": 4}
    check_hulls(second, 4)
    assert all(at.read_bytes() == data for at, data in before.items())  # the files of all assets still exist
    opened, once = mujoco_model(second), mujoco_model(path)
    assert np.array_equal(opened.body_mass, once.body_mass)
    assert opened.ngeom == once.ngeom + 4  # the first run's geoms have no mass and were removed


# ---------------------------------------------------------------- Geoms that stay


STAYING = """<mujoco><asset><mesh name="ell" file="ell.obj"/></asset><worldbody>
  <body name="root"><freejoint/><geom size="0.01" mass="1"/>
    <body name="a"><joint type="slide" axis="0 0 1" range="-.001 .001"/>
      {visual}
      <geom type="mesh" mesh="ell"/>
      <geom name="pad" type="ellipsoid" size=".1 .2 .3" pos="1 0 0" friction="2" contype="1"/>
      <geom name="fitted" type="box" mesh="ell" pos="-1 0 0"/>
      <geom type="box" size=".1" fromto="0 2 0 0 2 1"/>
    </body>
    <body name="b" pos="1 0 .32"><joint type="slide" axis="0 0 1" range="-.001 .001"/>
      <geom type="box" size=".05 .05 .05"/><geom type="mesh" mesh="ell" pos="0 0 9"/></body>
  </body></worldbody></mujoco>"""


@pytest.mark.parametrize("visual", ["", '<geom type="mesh" mesh="ell" contype="0" conaffinity="0"/>'])
def test_geoms_that_have_no_shape_here_stay_and_collide(tmp_path, visual):
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    path, out = tmp_path / "robot.xml", tmp_path / "out.xml"
    path.write_text(STAYING.format(visual=visual))
    report = hitbox.robot(path, out, 8, kinds="box", poses=5)
    before, after = mujoco_model(path), mujoco_model(out)
    for name in ("pad", "fitted"):
        for field in ("type", "contype", "conaffinity", "size", "pos", "quat", "friction"):
            assert np.array_equal(getattr(before.geom(name), field), getattr(after.geom(name), field))
        assert sum(f"<geom> '{name}'" in note and "is unchanged" in note for note in report.notes) == 1
    assert len(report.notes) == 2
    # The pad and the box above it collided before and still do, so the pair is neither new nor excluded.
    assert contacts(before) == contacts(after) == {("a", "b")}
    assert report.collisions == ()
    if not visual:  # the beam, given by two points, is one of the new shapes
        assert np.allclose(sorted(report.links[0].shapes[-1].half_extents), [0.1, 0.1, 0.5])
        assert inside_geoms(after, 2, np.array([[0.1, 2.1, 1.0], [-0.1, 1.9, 0.0]])).all()


def contacts(model) -> set[tuple[str, str]]:
    """Return the pairs of bodies that touch in the file's own pose."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bodies = (sorted(model.geom_bodyid[[c.geom1, c.geom2]]) for c in data.contact)
    return {(model.body(a).name, model.body(b).name) for a, b in bodies}


def test_what_stays_counts_among_new_collisions(tmp_path):
    """A pad stays, and the new shape of another link reaches it while the old ones did not."""
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    path, out = tmp_path / "robot.xml", tmp_path / "out.xml"
    path.write_text(PAIR.format(
        first='<geom type="mesh" mesh="ell" pos="0 0 -9"/>'
              '<geom type="ellipsoid" size=".02 .02 .02" pos="-.1 0 .2"/>',
        second=ELBOW, place="", name_a='name="a"', name_b='name="b"',
    ))  # fmt: skip
    assert contacts(mujoco_model(path)) == set()
    report = hitbox.robot(path, out, 2, kinds="box", poses=3)
    assert [(c.link1, c.link2, c.disabled) for c in report.collisions] == [("a", "b", True)]


# ---------------------------------------------------------------- Self-collisions


# Two boxes of an L collide. One box around both reaches into the corner between them.
ELBOW = (
    '<geom type="mesh" mesh="ell" contype="0" conaffinity="0"/>'
    '<geom type="box" size=".2 .05 .05"/><geom type="box" size=".05 .05 .15" pos=".15 0 .2"/>'
)
PAIR = """<mujoco><compiler angle="radian"/><asset><mesh name="ell" file="ell.obj"/></asset><worldbody>
  <body name="root"><freejoint/><geom size="0.01" mass="1" pos="0 9 0"/>
    <body {name_a}><joint name="x" type="slide" axis="1 0 0" range="0 .001"/>{first}</body>
    <body {name_b} {place}><joint type="slide" axis="0 1 0" range="-.3 .3"/>{second}</body>
  </body></worldbody></mujoco>"""
TURNED = 'pos="0.1 0 0.5" euler="0 3.14159265 0"'


@pytest.mark.parametrize("named", [True, False])
def test_new_collisions_are_excluded_where_bodies_have_names(tmp_path, named):
    (tmp_path / "ell.obj").write_bytes(obj(ELL))
    path, out = tmp_path / "elbows.xml", tmp_path / "out.xml"
    names = {"name_a": 'name="a"', "name_b": 'name="b"' if named else ""}
    path.write_text(PAIR.format(first=ELBOW, second=ELBOW, place=TURNED, **names))
    assert contacts(mujoco_model(path)) == set()
    report = hitbox.robot(path, out, 2, kinds="box", poses=30)
    second = "b" if named else "body at line 4"
    assert [(c.link1, c.link2, c.joints, c.disabled) for c in report.collisions] == [("a", second, 2, named)]
    after = mujoco_model(out)
    assert after.nexclude == named
    assert contacts(after) == (set() if named else {("a", "")})
    assert ("the output excludes this pair" in str(report)) == named
    assert ("the output keeps checking this pair" in str(report)) != named


def test_a_mesh_collided_as_its_hull_before(tmp_path):
    """A peg is in the gap of a C. It does not touch the triangles, but in MuJoCo it touched the hull."""
    ring = [((1.0, 0.2, 0.2), (0, y, 0)) for y in (-0.4, 0.4)] + [((0.2, 1.0, 0.2), (-0.4, 0, 0))]
    pieces = [specimens.box(size, at) for size, at in ring]
    corners = np.concatenate([piece.vertices for piece in pieces])
    faces = np.concatenate([piece.triangles + 8 * k for k, piece in enumerate(pieces)])
    (tmp_path / "ell.obj").write_bytes(obj(hitbox.Mesh(corners, faces)))
    (tmp_path / "peg.obj").write_bytes(obj(specimens.box((0.1, 0.1, 0.6))))
    path, out = tmp_path / "ring.xml", tmp_path / "out.xml"
    text = PAIR.format(
        first='<geom type="mesh" mesh="ell"/>', second='<geom type="mesh" mesh="peg"/>', place="",
        name_a='name="ring"', name_b='name="peg"',
    )  # fmt: skip
    path.write_text(text.replace("</asset>", '<mesh name="peg" file="peg.obj"/></asset>'))
    assert contacts(mujoco_model(path)) == {("ring", "peg")}
    report = hitbox.robot(path, out, 2, kinds="box", poses=10)
    assert report.collisions == ()
    assert contacts(mujoco_model(out)) == {("ring", "peg")}
    assert mujoco_model(out).nexclude == 0
