"""Descriptions of bodies are read back as they were written, and hostile ones are refused with one
sentence.
"""

from __future__ import annotations

import math
import os
import struct
import sys
import time

import numpy as np
import pytest
import specimens
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Turn
from shape_strategies import colliders, one_of_each, random_shape, shapes

from hitbox import Box, Capsule, Collider, Cylinder, Frustum, Hull, InputError, Mesh, Sphere
from hitbox._formats import numbers, poses, xml_input, xml_output
from hitbox._formats.local_frames import local_and_pose
from hitbox._model.collider import Label

SOLID = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
TETRAHEDRON = "0 0 0 1 0 0 0 1 0 0 0 1"
FORMATS = ["x.urdf", "x-1.1.urdf", "x.xml", "x.sdf"]


def save(collider, path):
    return collider.save(path, format="urdf-1.1" if "1.1" in os.path.basename(path) else None)


def directions(count=40):
    found = np.random.default_rng(1).normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def reach(found, toward):
    return np.max([np.einsum("ij,ij->i", one.support(toward), toward) for one in found], axis=0)


# --- round trips


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(colliders)
def test_what_is_written_is_read_back(tmp_path, collider):
    for file in FORMATS:
        report = save(collider, tmp_path / file)
        again = Collider.load(tmp_path / file)
        assert (again.unit, again.up) == ("m", "z")
        replaced = {one.shape: one for one in report.replaced}
        found = iter(again)
        for k, shape in enumerate(collider):
            size = float(np.linalg.norm(np.ptp(shape.bounds, axis=0)) + np.abs(shape.bounds).max())
            if k not in replaced:
                one = next(found)
                assert type(one) is type(shape)
                if not isinstance(one, Frustum):  # a cone is read back with its tip at the end
                    np.testing.assert_allclose(reach([one], directions()), reach([shape], directions()),
                                               atol=1e-7 * size)  # fmt: skip
                else:
                    np.testing.assert_allclose(sorted([one.start, one.end]), sorted([shape.start, shape.end]))
                    assert max(one.radius_start, one.radius_end) == pytest.approx(
                        max(shape.radius_start, shape.radius_end)
                    )
                continue
            pieces = [next(found) for _ in range(3 if shape.kind == "capsule" else 1)]
            true, seen = reach([shape], directions()), reach(pieces, directions())
            assert (seen >= true - 1e-7 * size).all()
            assert (seen <= true + (0.05 * size if replaced[k].kind != "capsule" else 1e-7 * size)).all()
        assert next(found, None) is None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=9))
def test_spheres_are_read_back_exactly(tmp_path, seeds):
    collider = Collider([random_shape("sphere", seed) for seed in seeds], name="arm", unit="m", up="z")
    for file in ("x.srdf", "x.yml", "x.yaml"):
        if file != "x.srdf":
            pytest.importorskip("yaml")
        collider.save(tmp_path / file)
        assert Collider.of(tmp_path / file).shapes == collider.shapes


@given(shapes)
@settings(max_examples=40)
def test_a_frame_along_z_puts_a_shape_where_it_was(shape):
    local, rotation, translation = local_and_pose(shape, "z")
    size = float(np.abs(shape.bounds).max())
    again = local.transformed(rotation, translation)
    np.testing.assert_allclose(again.bounds, shape.bounds, atol=1e-12 * size)
    if isinstance(local, Capsule | Cylinder | Frustum):
        assert local.start[:2] == local.end[:2] == (0, 0)
        assert local.end[2] > 0


@given(
    st.floats(-7, 7), st.sampled_from([0.0, 1e-9, -1e-7, 1e-4, 0.3, -2.0]), st.floats(-7, 7), st.booleans()
)
def test_roll_pitch_and_yaw_are_the_same_turn_also_straight_up(roll, off, yaw, up):
    pitch = (math.pi / 2 if up else 0.0) + off
    rotation = poses.turn_of_rpy((roll, pitch, yaw))
    theirs = Turn.from_euler("xyz", [roll, pitch, yaw]).as_matrix()
    np.testing.assert_allclose(Turn.from_quat(rotation).as_matrix(), theirs, atol=1e-14)
    again = Turn.from_euler("xyz", poses.rpy_of(rotation)).as_matrix()
    np.testing.assert_allclose(again, theirs, atol=2e-15 * 8)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_the_shortest_text_that_reads_back(value):
    text = numbers.number(value)
    assert float(text) == value
    assert len(text) <= len(repr(value))
    for wrong in (math.inf, math.nan):
        with pytest.raises(InputError, match="is not a finite number"):
            numbers.number(wrong)


@pytest.mark.parametrize("file", ["x.xml", "x.sdf"])
def test_labels_come_back(tmp_path, file):
    labels = [Label("a/b", part="leg", material="oak"), Label(part="<seat>"), Label("Ünï\ncode")]
    Collider(one_of_each()[:3], labels=labels).save(tmp_path / file)
    again = Collider.load(tmp_path / file)
    assert again.labels == tuple(labels)


def test_cones_of_sdformat_have_their_tip_at_the_top(tmp_path):
    tips = [Frustum((0, 0, 0), (0, 0, 2), 1, 0), Frustum((0, 0, 0), (0, 0, 2), 0, 1)]
    report = Collider(tips, unit="m", up="z").save(tmp_path / "x.sdf")
    assert report.replaced == ()
    text = (tmp_path / "x.sdf").read_text()
    assert text.count("<cone>") == 2
    assert "<pose>0 0 1 0 0 0</pose>" in text
    for shape, again in zip(tips, Collider.load(tmp_path / "x.sdf"), strict=True):
        toward = directions()
        np.testing.assert_allclose(reach([again], toward), reach([shape], toward), atol=1e-12)
        assert again.radius_end == 0


def test_yaml_is_what_other_readers_read(tmp_path):
    yaml = pytest.importorskip("yaml")
    Collider([Sphere((1e-7, -2, 1e20), 1e-5)], name="no: [yes]", unit="m", up="z").save(tmp_path / "x.yml")
    document = yaml.safe_load((tmp_path / "x.yml").read_text())
    kinematics = document["robot_cfg"]["kinematics"]
    assert kinematics["collision_spheres"] == {"no_yes": [{"center": [1e-7, -2, 1e20], "radius": 1e-5}]}
    assert kinematics["collision_sphere_buffer"] == 0


@pytest.mark.parametrize("suffix", [".stl", ".ply"])
def test_plain_meshes_in_another_reader(tmp_path, suffix):
    import trimesh

    apart = [shape.transformed(translation=(9 * k, 0, 0)) for k, shape in enumerate(one_of_each())]
    collider = Collider(apart)
    assert collider.save(tmp_path / f"x{suffix}").replaced == ()
    mesh = trimesh.load_mesh(tmp_path / f"x{suffix}")
    assert mesh.is_watertight
    hulls = Collider.of(tmp_path / f"x{suffix}")
    toward = directions()
    for shape, hull in zip(collider, hulls, strict=True):
        assert (reach([hull], toward) >= reach([shape], toward) - 1e-5).all()
    assert (mesh.vertices @ toward.T).max(axis=0) == pytest.approx(reach(hulls, toward), abs=1e-5)
    if suffix == ".stl":
        data = (tmp_path / "x.stl").read_bytes()
        assert len(data) == 84 + 50 * struct.unpack("<I", data[80:84])[0]
        with pytest.raises(InputError, match="too large for 32-bit floats"):
            Collider([Sphere((0, 0, 0), 1e39)]).save(tmp_path / "large.stl")


def test_a_list_of_hulls_is_as_coacd_returns_it():
    found = Collider(one_of_each()).to_hulls()
    for shape, (vertices, triangles) in zip(one_of_each(), found, strict=True):
        assert (vertices.dtype, triangles.dtype) == (np.float64, np.int32)
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 >= shape.volume * (1 - 1e-12)
    assert len(Collider.of(found)) == len(found)


# --- files of other programs


def read(tmp_path, text, file="x.xml", **beside):
    for name, data in beside.items():
        (tmp_path / name).write_text(data)
    (tmp_path / file).write_text(text)
    return Collider.load(tmp_path / file)


def test_links_of_a_urdf_are_where_their_joints_put_them(tmp_path):
    found = read(tmp_path, """<robot name="arm">
      <link name="base"><collision><geometry><sphere radius="1"/></geometry></collision></link>
      <link name="fore"><collision name="tip"><origin xyz="0 0 1"/>
        <geometry><capsule radius="0.1" height="2"/></geometry></collision></link>
      <link name="up"/>
      <joint name="b" type="revolute"><parent link="up"/><child link="fore"/>
        <origin xyz="1 0 0" rpy="0 1.5707963267948966 0"/></joint>
      <joint name="a" type="fixed"><parent link="base"/><child link="up"/><origin xyz="0 0 5"/></joint>
    </robot>""", "arm.urdf")  # fmt: skip
    assert [label.part for label in found.labels] == ["base", "fore"]
    assert [label.name for label in found.labels] == [None, "tip"]
    np.testing.assert_allclose([found[1].start, found[1].end], [[1, 0, 5], [3, 0, 5]], atol=1e-12)
    assert found.name == "arm"


def test_a_long_chain_of_links_takes_a_moment(tmp_path):
    count = 3_000
    links = "".join(f'<link name="l{k}"/>' for k in range(count))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<origin xyz="1 0 0"/></joint>'
        for k in range(count)
    )
    ball = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    text = f'<robot name="r">{joints}{links}<link name="l{count}">{ball}</link></robot>'
    started = time.process_time()
    assert read(tmp_path, text)[0].center == pytest.approx((count, 0, 0))
    assert time.process_time() - started < 5


TURNS = {
    "quat": "0.5 0.5 -0.5 0.5", "euler": "10 20 30", "axisangle": "1 2 3 40", "zaxis": "1 0.5 -2",
    "xyaxes": "1 1 0 -1 1 0.4",
}  # fmt: skip


@pytest.mark.parametrize("above", TURNS)
@pytest.mark.parametrize("own", TURNS)
def test_a_turn_replaces_that_of_the_default_in_any_spelling(tmp_path, above, own):
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco><default><geom {above}="{TURNS[above]}" type="box" size="0.1 0.2 0.3"/>
        <default class="inner"><geom {own}="{TURNS[own]}"/></default></default>
      <worldbody><geom {own}="{TURNS[own]}"/><geom class="inner"/><geom class="inner" size="0.5"/>
        <geom {own}="{TURNS[own]}" fromto="0 0 0 0 1 1"/>
        <geom fromto="1 0 0 1 2 1" size="0.2"/></worldbody></mujoco>"""
    found = read(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    assert len(found) == model.ngeom == 5
    for box, center, turn, size in zip(found, model.geom_pos, model.geom_quat, model.geom_size, strict=True):
        np.testing.assert_allclose(box.center, center, atol=1e-9)
        np.testing.assert_allclose(box.half_extents, size, atol=1e-9)
        x, y, z, w = box.rotation
        assert abs(np.dot([w, x, y, z], turn)) == pytest.approx(1)


def test_what_mujoco_fits_to_a_mesh_is_left_out_and_said(tmp_path):
    text = f"""<mujoco><asset><mesh name="tet" vertex="{TETRAHEDRON}"/></asset><worldbody>
        <geom size="1"/><geom type="capsule" mesh="tet"/></worldbody></mujoco>"""
    found = read(tmp_path, text)
    assert [shape.kind for shape in found] == ["sphere"]
    assert "hitbox does not read a capsule that MuJoCo fits to a mesh: left out" in found.status.notes[0]


def test_mjcf_is_read_as_mujoco_reads_it(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    text = f"""<mujoco model="m"><compiler eulerseq="zYx" meshdir="." strippath="true"/>
      <default><geom contype="1"/><default class="big"><geom size="0.3 0.4 0.5"/>
        <default class="box"><geom type="box"/></default></default></default>
      <asset><mesh name="tet" vertex="{TETRAHEDRON}" scale="1 -2 0.5"/>
             <mesh file="far/away/wedge.obj" scale="0.5 2 3" refpos="0.1 0.2 0.3"
                   refquat="0.9 0.1 0.3 0.2"/></asset>
      <worldbody>
        <geom type="plane" size="1 1 1"/>
        <body name="one" pos="1 2 3" euler="10 20 30" childclass="big"><freejoint/>
          <geom class="box" axisangle="1 1 0 40"/>
          <geom type="capsule" fromto="0 0 0 1 2 0.5" size="0.2"/>
          <geom type="cylinder" zaxis="1 0.5 -2" pos="0.5 0 0"/>
          <geom type="ellipsoid" xyaxes="1 1 0 -1 1 0.4"/>
          <geom type="box" contype="0" conaffinity="0"/>
          <body name="two" quat="0.5 0.5 -0.5 0.5" pos="0 0 1">
            <geom type="mesh" mesh="tet" euler="5 6 7"/><geom type="mesh" mesh="wedge" pos="1 0 0"/>
            <geom/>
          </body></body></worldbody></mujoco>"""
    wedge = "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 0.5\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    found = read(tmp_path, text, **{"wedge.obj": wedge})
    assert read(tmp_path, text, "x.mjcf").shapes == found.shapes
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    touched = [k for k in range(model.ngeom) if model.geom_contype[k] and model.geom_type[k] != 0]
    assert len(found) == len(touched) == 7
    assert found.status.notes[0].endswith("a plane is not a convex shape: left out.")
    for shape, k in zip(found, touched, strict=True):
        center, turn = data.geom_xpos[k], data.geom_xmat[k].reshape(3, 3)
        if model.geom_type[k] == mujoco.mjtGeom.mjGEOM_MESH:
            first = model.mesh_vertadr[model.geom_dataid[k]]
            local = model.mesh_vert[first : first + model.mesh_vertnum[model.geom_dataid[k]]]
            points = local @ turn.T + center
            assert np.abs(shape.signed_distance(points)).max() < 1e-6
        else:
            np.testing.assert_allclose(shape.bounds.mean(axis=0), center, atol=1e-9)
            low = mujoco_reach(model.geom_type[k], model.geom_size[k], directions() @ turn)
            seen = reach([shape], directions()) - directions() @ center
            assert (seen >= low - 1e-9).all()
            around = 1.03 if model.geom_type[k] == mujoco.mjtGeom.mjGEOM_ELLIPSOID else 1
            assert (seen <= low * around + 1e-9).all()
    assert {label.part for label in found.labels} == {"one", "two"}


def mujoco_reach(kind, size, local):
    across, along = np.linalg.norm(local[:, :2], axis=1), np.abs(local[:, 2])
    formulas = {
        2: lambda: np.full(len(local), size[0]),
        3: lambda: size[0] + size[1] * along,
        4: lambda: np.linalg.norm(local * size, axis=1),
        5: lambda: size[0] * across + size[1] * along,
        6: lambda: np.abs(local) @ size,
    }
    return formulas[int(kind)]()


def test_models_of_sdformat_may_hold_models_and_turn_by_degrees(tmp_path):
    found = read(tmp_path, """<sdf version="1.11"><world name="w"><model name="a"><pose>1 0 0 0 0 0</pose>
      <link name="l"><collision name="c"><pose degrees="true">0 1 0 0 90 0</pose>
        <geometry><cylinder><radius>0.1</radius><length>2</length></cylinder></geometry></collision>
        <collision name="g"><geometry><plane/></geometry></collision></link>
      <model name="b"><link name="k"><collision name="d">
        <pose rotation_format="quat_xyzw">0 0 3 0 0 0 1</pose>
        <geometry><box><size>1 2 3</size></box></geometry></collision></link></model></model></world>
      </sdf>""",
        "x.sdf")  # fmt: skip
    np.testing.assert_allclose([found[0].start, found[0].end], [[0, 1, 0], [2, 1, 0]], atol=1e-12)
    assert found[1] == Box((1, 0, 3), (0, 0, 0, 1), (0.5, 1, 1.5))
    assert not found.status.complete


def test_a_mirrored_mesh_of_a_urdf_is_a_hull_and_a_concave_one_its_hull(tmp_path):
    (tmp_path / "tet.obj").write_text(SOLID)
    torus = specimens.torus()
    lines = [f"v {x} {y} {z}" for x, y, z in torus.vertices]
    lines += [f"f {a} {b} {c}" for a, b, c in torus.triangles + 1]
    (tmp_path / "torus.obj").write_text("\n".join(lines))
    found = read(tmp_path, """<robot name="r"><link name="l">
      <collision><geometry><mesh filename="tet.obj" scale="-1 2 3"/></geometry></collision>
      <collision><geometry><mesh filename="torus.obj"/></geometry></collision>
      </link></robot>""", "x.urdf")  # fmt: skip
    assert isinstance(found[0], Hull)
    assert found[0].volume == pytest.approx(1)
    np.testing.assert_allclose(found[0].bounds, [[-1, 0, 0], [0, 2, 3]])
    assert any("the hull of its vertices is used" in note for note in found.status.notes)
    np.testing.assert_allclose(found[1].bounds, torus.bounds)


# --- refused files


def urdf(shape, origin=""):
    collision = f"<collision>{origin}<geometry>{shape}</geometry></collision>"
    return f'<robot name="r"><link name="l">{collision}</link></robot>'


def mjcf(geom):
    return f"<mujoco><worldbody>{geom}</worldbody></mujoco>"


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("x.urdf", "", "not XML: no element found"),
        ("x.urdf", "<robot>", "not XML: no element found at line 1"),
        ("x.urdf", "<robot/>", "has no collision shapes"),
        ("x.urdf", "<html/>", "<html> is an unknown description"),
        ("x.urdf", '<?xml version="1.0" encoding="nonsense"?><robot/>', "not XML"),
        ("x.urdf", '<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>', "document type or entities"),
        ("x.urdf", '<!DOCTYPE r SYSTEM "http://example.org/x.dtd"><robot/>', "document type or entities"),
        ("x.urdf", "<!DOCTYPE r [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]><robot/>", "document type"),
        ("x.urdf", '<robot name="&a;"/>', "not XML: undefined entity"),
        ("x.urdf", "<a>" * 300 + "</a>" * 300, "nested more than 256 deep"),
        ("x.urdf", urdf(""), "has no geometry"),
        ("x.urdf", urdf("<blob/>"), "<blob> is no shape of URDF"),
        ("x.urdf", urdf("<sphere/>"), "radius: must be a number, not None"),
        ("x.urdf", urdf('<sphere radius="-1"/>'), "sphere: radius must be positive"),
        ("x.urdf", urdf('<sphere radius="nan"/>'), "radius: must be a number, not 'nan'"),
        ("x.urdf", urdf('<box size="1 2"/>'), "size: must be 3 numbers, not '1 2'"),
        ("x.urdf", urdf('<box size="1 2 0"/>'), "half_extents must be positive"),
        ("x.urdf", urdf('<sphere radius="1"/>', '<origin rpy="0 0 1e999"/>'), "rpy: must be 3 numbers"),
        ("x.urdf", urdf("<mesh/>"), "the mesh has no file"),
        ("x.urdf", urdf('<mesh filename="no.obj"/>'), "no.obj: no such file"),
        ("x.urdf", urdf('<mesh filename="a.obj" scale="1 0 1"/>'), "scale: must not have a 0"),
        ("x.urdf", urdf('<mesh filename="../x.obj"/>'), "is not below the file's own folder"),
        ("x.urdf", urdf('<mesh filename="/etc/passwd"/>'), "is not below the file's own folder"),
        ("x.urdf", urdf('<mesh filename="file:///etc/passwd"/>'), "is not below the file's own folder"),
        ("x.urdf", urdf('<mesh filename="package://a/x.obj"/>'), "is not below the file's own folder"),
        ("x.urdf", urdf('<mesh filename="http://example.org/x.obj"/>'), "is not below the file's own folder"),
        ("x.urdf", '<robot><link name="a"/><joint><parent link="a"/><child link="a"/></joint></robot>',
         "link 'a' is its own ancestor"),
        ("x.xml", mjcf('<geom size="0"/>'), "sphere: radius must be positive"),
        ("x.xml", mjcf('<geom type="box" size="1 1"/>'), "size: must be 3 numbers"),
        ("x.xml", mjcf('<geom size="1" quat="0 0 0 0"/>'), "quat must not be 0"),
        ("x.xml", mjcf('<geom size="1" axisangle="0 0 0 1"/>'), "axisangle must not be 0"),
        ("x.xml", mjcf('<geom size="1" xyaxes="1 0 0 2 0 0"/>'), "xyaxes must be two directions"),
        ("x.xml", mjcf('<geom size="1" class="c"/>'), "class 'c', but no default has that class"),
        ("x.xml", mjcf('<geom type="mesh" mesh="m"/>'), "there is no mesh 'm'"),
        ("x.xml", mjcf('<include file="/etc/passwd"/>'), "<include> is not supported"),
        ("x.xml", mjcf('<geom size="1" euler="1 2 3"/>').replace("<w", '<compiler eulerseq="abc"/><w'),
         "eulerseq must be three of x, y, z"),
        ("x.sdf", "<sdf><model><link><collision/></link></model></sdf>", "has no geometry"),
        ("x.sdf", '<sdf><model><link><pose relative_to="b">0 0 0 0 0 0</pose></link></model></sdf>',
         "relative to 'b'"),
        ("x.srdf", '<robot><link_sphere_approximation link="l"><sphere center="0 0" radius="1"/>'
                   "</link_sphere_approximation></robot>", "center: must be 3 numbers"),
        ("x.srdf", '<robot><link_sphere_approximation link="l"><sphere center="0 0 0" radius="0"/>'
                   "</link_sphere_approximation></robot>", "1 shape left out"),
        ("x.yml", "a: [", "not YAML"),
        ("x.yml", "a: 1", "has no collision_spheres"),
        ("x.yml", "collision_spheres: {l: 3}", "must be a list of spheres"),
        ("x.yml", "collision_spheres: {l: [{center: [0, 0, 0]}]}", "must have center and radius"),
        ("x.yml", "collision_spheres: {l: [{center: [0, x, 0], radius: 1}]}", "center must be 3 numbers"),
        ("x.yml", "!!python/object/apply:os.system ['touch pwned']", "unsupported YAML"),
        ("x.yml", "[" * 400, "not YAML"),
    ],
)  # fmt: skip
def test_wrong_descriptions_are_one_sentence(tmp_path, monkeypatch, file, text, says):
    if file == "x.yml":
        pytest.importorskip("yaml")
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text(text)
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for load in (Collider.load, Collider.of):
        with pytest.raises(InputError) as caught:
            load(tmp_path / file)
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == sorted(["a.obj", file])


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    Collider([Sphere((0, 0, 0), 1)]).save(tmp_path / "x.yml")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match=r'pip install "hitbox\[yaml\]"'):
        Collider.load(tmp_path / "x.yml")


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.obj").write_text(SOLID)
    (inside / "mesh.obj").symlink_to(tmp_path / "secret.obj")
    (inside / "x.urdf").write_text(urdf('<mesh filename="mesh.obj"/>'))
    with pytest.raises(InputError, match="is not below the file's own folder"):
        Collider.load(inside / "x.urdf")


def test_every_prefix_of_a_description_is_refused(tmp_path):
    for file in FORMATS:
        save(Collider(one_of_each()), tmp_path / file)
        data = (tmp_path / file).read_bytes().rstrip()
        for end in range(0, len(data), 41):
            (tmp_path / f"cut{os.path.splitext(file)[1]}").write_bytes(data[:end])
            with pytest.raises(InputError):
                Collider.load(tmp_path / f"cut{os.path.splitext(file)[1]}")


@settings(max_examples=50)
@given(st.dictionaries(st.from_regex("[a-z][a-z_]{0,8}", fullmatch=True), st.text()), st.text())
def test_any_text_is_well_formed_and_reads_back(attributes, content):
    made = xml_output.element("a", xml_output.leaf("b", content), **attributes)
    root = xml_input.parse(xml_output.document(made), "x")
    assert root.attrib == {key.rstrip("_"): xml_output.text(value) for key, value in attributes.items()}
    expected = xml_output.text(content).replace("\r\n", "\n").replace("\r", "\n")
    assert (root[0].text or "") == expected


def test_large_xml_is_refused_before_it_is_a_tree(monkeypatch):
    monkeypatch.setattr(xml_input, "MOST_ELEMENTS", 100)
    with pytest.raises(InputError, match="more than 100 elements"):
        xml_input.parse(b"<a>" + b"<b/>" * 100 + b"</a>", "x")
    monkeypatch.setattr(xml_input, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="The limit is 10"):
        xml_input.parse(b"<a></a>      ", "x")


def test_a_mesh_that_is_not_written_can_still_give_the_mass(tmp_path):
    mesh = specimens.torus()
    report = Collider(one_of_each()).save(tmp_path / "x.py", mesh=mesh, dynamic=True)
    assert report.notes == ("The render mesh has no place in this format and was left out.",)
    assert isinstance(mesh, Mesh)
