"""URDF, MJCF and the builders of Rapier, in the programs that read them: MuJoCo, Rapier, PyBullet.

The tests compare support distances in many directions. Those of a consumer's shape come from formulas over
the numbers that the consumer reports, those of the original shape from the core.
"""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np
import pytest
import specimens
from hypothesis import HealthCheck, given, settings
from scipy.spatial.transform import Rotation as Turn
from shape_strategies import colliders, one_of_each

from hitbox import Box, Capsule, Collider, Cylinder, Frustum, Hull, InputError, Mesh, Prism, Sphere
from hitbox._model.collider import Label
from hitbox._model.mass import mass_properties

# The ends of the frustum differ, and its axis is not aligned with the world's, so swapped axes, ends, signs
# or orders of rotations are detected.
ODD = Collider(
    [
        Frustum((0.3, -0.2, 0.5), (0.9, 0.4, 0.1), 0.35, 0.1),
        Box((-1, 0.5, 0.2), tuple(Turn.from_euler("xyz", [0.3, -0.7, 1.1]).as_quat()), (0.1, 0.2, 0.4)),
        Capsule((0, 0, 1), (0.2, -0.3, 1.7), 0.1),
        Cylinder((1, 1, 1), (1.5, 0.7, 0.8), 0.2),
        Sphere((-0.5, -0.5, -0.5), 0.3),
    ],
    name="odd",
    unit="m",
    up="z",
)
FORMATS = [("urdf", "x.urdf"), ("urdf-1.1", "x.urdf"), ("mjcf", "x.xml")]
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def new_path(folder, file):
    """Return a path in a new folder, because MuJoCo caches meshes by path and by times in seconds."""
    made = folder / str(len(list(folder.iterdir())))
    made.mkdir()
    return made / file


def directions(count=60):
    found = np.random.default_rng(3).normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


# --- support distances from a consumer's numbers


def reach_of(kind, numbers, turn, at, toward):
    """Return support distances. `turn` is a matrix, `numbers` are half lengths along z, or the points of a
    mesh.
    """
    local = toward @ turn
    along, across = np.abs(local[:, 2]), np.linalg.norm(local[:, :2], axis=1)
    match kind:
        case "sphere":
            own = np.full(len(toward), numbers[0])
        case "box":
            own = np.abs(local) @ numbers
        case "capsule":
            own = numbers[0] + numbers[1] * along
        case "cylinder":
            own = numbers[0] * across + numbers[1] * along
        case "mesh":
            own = (local @ np.asarray(numbers).T).max(axis=1)
    return own + toward @ np.asarray(at)


def pieces_of(shape, name):
    """Return the number of elements of a shape in this format."""
    return 3 if isinstance(shape, Capsule) and name == "urdf" else 1


def assert_reaches_as(collider, reaches, name, toward, tolerance=2e-6):
    """Compare support distances. `reaches` has one array per element, in the order of the shapes."""
    counts = [pieces_of(shape, name) for shape in collider]
    assert len(reaches) == sum(counts)
    ends = np.cumsum([0, *counts])
    for shape, (first, last) in zip(collider, pairwise(ends), strict=True):
        found = np.max(reaches[first:last], axis=0)
        true = np.einsum("ij,ij->i", shape.support(toward), toward)
        size = float(np.linalg.norm(np.ptp(shape.bounds, axis=0))) + float(np.abs(shape.bounds).max())
        assert (found >= true - tolerance * size).all(), shape
        # the frustum's discs become polygons around them
        looser = 0.01 * size if isinstance(shape, Frustum) else tolerance * size
        assert (found <= true + looser).all(), shape


# --- MuJoCo


def mujoco_model(path):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return mujoco, model, data


def mujoco_reaches(path, toward):
    mujoco, model, data = mujoco_model(path)
    kinds = {int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}")): kind for kind in
             ("sphere", "box", "capsule", "cylinder", "mesh")}  # fmt: skip
    found = []
    for k in range(model.ngeom):
        if not model.geom_contype[k]:
            continue
        kind, numbers = kinds[int(model.geom_type[k])], model.geom_size[k]
        if kind == "mesh":
            mesh = model.geom_dataid[k]
            first = model.mesh_vertadr[mesh]
            numbers = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        found.append(reach_of(kind, numbers, data.geom_xmat[k].reshape(3, 3), data.geom_xpos[k], toward))
    return found


@pytest.mark.parametrize(("name", "file"), FORMATS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_mujoco_has_our_sizes_and_poses(tmp_path, name, file, dynamic):
    for collider in (ODD, Collider(one_of_each(), unit="m", up="z")):
        path, toward = new_path(tmp_path, file), directions()
        collider.save(path, format=name, dynamic=dynamic)
        assert_reaches_as(collider, mujoco_reaches(path, toward), name, toward)


@SLOW
@given(colliders)
def test_mujoco_has_any_collider(tmp_path, collider):
    for name, file in FORMATS:
        path, toward = new_path(tmp_path, file), directions(20)
        collider.save(path, format=name)
        assert_reaches_as(collider, mujoco_reaches(path, toward), name, toward)


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_mujoco_weighs_the_union_or_the_solid(tmp_path, name, file):
    mesh = specimens.torus()
    collider = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1))] * 2, unit="m", up="z")
    for solid, shown in ((collider, None), (mesh, mesh)):
        collider.save(tmp_path / file, format=name, dynamic=True, density=700, mesh=shown)
        _, model, _ = mujoco_model(tmp_path / file)
        ours = mass_properties(solid, 700)
        assert model.body_mass.tolist() == pytest.approx([0, ours.mass], rel=1e-9)
        assert model.body_ipos[1].tolist() == pytest.approx(ours.center, abs=1e-9)
        w, x, y, z = model.body_iquat[1]
        turn = Turn.from_quat([x, y, z, w]).as_matrix()
        tensor = turn @ np.diag(model.body_inertia[1]) @ turn.T
        np.testing.assert_allclose(tensor, ours.tensor, rtol=1e-6, atol=1e-6 * ours.tensor.max())


def test_a_moving_body_of_mjcf_is_free_and_a_still_one_is_not(tmp_path):
    ODD.save(tmp_path / "free.xml", dynamic=True)
    ODD.save(tmp_path / "still.xml")
    assert mujoco_model(tmp_path / "free.xml")[1].nv == 6
    assert mujoco_model(tmp_path / "still.xml")[1].nv == 0


def test_the_smallest_bodies_still_compile_and_a_note_says_why(tmp_path):
    tiny = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1e-4, 1e-4, 1e-4))], unit="m", up="z")
    report = tiny.save(tmp_path / "tiny.xml", dynamic=True)
    assert any("MuJoCo refuses a dynamic body with less" in note for note in report.notes)
    _, model, _ = mujoco_model(tmp_path / "tiny.xml")
    assert model.body_inertia[1].min() >= 1e-15


@pytest.mark.parametrize("scale", [1e-200, 1e80])
def test_a_mass_beyond_numbers_is_refused(tmp_path, scale):
    for file in ("x.urdf", "x.xml", "x.sdf", "x.py"):
        with pytest.raises(InputError, match="mass is too small or too large for a float"):
            Collider([Sphere((0, 0, 0), scale)]).save(tmp_path / file, dynamic=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mesh", [specimens.torus(), specimens.grid()], ids=["closed", "flat"])
def test_the_render_mesh_is_seen_and_never_touched(tmp_path, mesh):
    for name, file in FORMATS:
        report = ODD.save(tmp_path / file, format=name, mesh=mesh)
        toward = directions()
        assert_reaches_as(ODD, mujoco_reaches(tmp_path / file, toward), name, toward)
        shown = [path for path in report.files if path.endswith("visual.obj")]
        assert len(shown) == 1
        np.testing.assert_allclose(Mesh.of(shown[0]).bounds, mesh.bounds)
    _, model, _ = mujoco_model(tmp_path / "x.xml")
    assert model.ngeom == len(ODD) + 1
    assert model.geom("visual").contype == model.geom("visual").conaffinity == 0


def mesh_of_parts():
    torus = specimens.torus()
    half = np.arange(len(torus.triangles)) * 2 // len(torus.triangles)
    return Mesh(torus.vertices, torus.triangles, part=half, material=1 - half,
                part_names=["in side", "out\nside"], material_names=["a/b", "a b"])  # fmt: skip


def test_a_render_mesh_of_parts_and_materials_travels_beside_a_shape_called_visual(tmp_path):
    mesh, collider = mesh_of_parts(), ODD._with(labels=[Label("visual"), Label("Visual"), *ODD.labels[2:]])
    for name, file in FORMATS:
        report = collider.save(tmp_path / file, format=name, mesh=mesh)
        toward = directions()
        assert_reaches_as(ODD, mujoco_reaches(tmp_path / file, toward), name, toward)
        reaches = [rapier_reach(found, toward) for found in rapier_loaded(tmp_path / file)[1]]
        assert_reaches_as(ODD, reaches, name, toward)
        shown = Mesh.of(next(path for path in report.files if path.endswith("visual_2.obj")))
        assert (shown.part_names, shown.material_names) == (("in_side", "out_side"), ("a_b_1", "a_b"))
        assert len(shown.triangles) == len(mesh.triangles)


def test_what_a_shape_was_called_is_in_the_model(tmp_path):
    labels = [Label("a/b"), Label("a b", part="leg", material='oak "old"')]
    Collider(ODD[2:4], labels=labels, unit="m", up="z").save(tmp_path / "x.xml")
    _, model, _ = mujoco_model(tmp_path / "x.xml")
    assert [model.geom(k).name for k in range(2)] == ["a_b", "a_b_1"]
    data = b"".join(model.text_data[model.text_adr[k] :][: model.text_size[k] - 1] for k in range(2))
    assert data.decode() == '{"name": "a/b"}{"name": "a b", "part": "leg", "material": "oak \\"old\\""}'
    assert Collider.load(tmp_path / "x.xml").labels == tuple(labels)


# --- Rapier


def rapier_loaded(path):
    """Return bodies and colliders of a world, with meshes as hulls, which is not the loader's default."""
    r = pytest.importorskip("rapier3d")
    from rapier3d.loaders import mjcf, urdf

    is_urdf = str(path).endswith(".urdf")
    chosen = urdf.UrdfLoaderOptions() if is_urdf else mjcf.MjcfLoaderOptions()
    chosen.mesh_converter = r.MeshConverter.CONVEX_HULL
    robot, _ = (urdf.UrdfRobot if is_urdf else mjcf.MjcfRobot).from_file(str(path), chosen)
    world = r.PhysicsWorld(gravity=(0, 0, 0))
    robot.insert_using_impulse_joints(world.rigid_bodies, world.colliders, world.impulse_joints)
    world.step()
    return [body for _, body in world.rigid_bodies], [found for _, found in world.colliders]


def rapier_reach(collider, toward):
    shape, pose = collider.shape, collider.position
    turn = Turn.from_quat([getattr(pose.rotation, key) for key in "ijkw"]).as_matrix()
    at = pose.translation.to_tuple()
    if (box := shape.as_cuboid()) is not None:
        return reach_of("box", box.half_extents.to_tuple(), turn, at, toward)
    if (ball := shape.as_ball()) is not None:
        return reach_of("sphere", [ball.radius], turn, at, toward)
    if (capsule := shape.as_capsule()) is not None:
        ends = [point.to_tuple() for point in (capsule.a, capsule.b)]
        return reach_of("mesh", ends, turn, at, toward) + capsule.radius
    if (cylinder := shape.as_cylinder()) is not None:
        from_z = turn @ Turn.from_euler("x", -90, degrees=True).as_matrix()  # Rapier's axis is y
        return reach_of("cylinder", [cylinder.radius, cylinder.half_height], from_z, at, toward)
    if (cone := shape.as_cone()) is not None:
        half, radius = cone.half_height, cone.radius
        base = reach_of("cylinder", [radius, 0], turn @ Turn.from_euler("x", -90, degrees=True).as_matrix(),
                        np.asarray(at) - turn @ [0, half, 0], toward)  # fmt: skip
        return np.maximum(base, toward @ (np.asarray(at) + turn @ [0, half, 0]))
    hull = shape.as_convex_polyhedron()
    assert hull is not None
    return reach_of("mesh", np.array(hull.points, float), turn, at, toward)


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_rapiers_loaders_have_our_sizes_and_poses(tmp_path, name, file):
    for collider in (ODD, Collider(one_of_each(), unit="m", up="z")):
        collider.save(tmp_path / file, format=name)
        toward = directions()
        reaches = [rapier_reach(found, toward) for found in rapier_loaded(tmp_path / file)[1]]
        assert_reaches_as(collider, reaches, name, toward)


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_rapiers_loaders_have_our_mass(tmp_path, name, file):
    ODD.save(tmp_path / file, format=name, dynamic=True)
    [body], _ = rapier_loaded(tmp_path / file)
    assert_weighs(body, mass_properties(ODD))


def assert_weighs(body, ours):
    assert body.mass == pytest.approx(ours.mass, rel=1e-5)
    assert body.local_center_of_mass.to_tuple() == pytest.approx(ours.center, abs=1e-5)
    own = body.mass_properties
    turn = Turn.from_quat([getattr(own.principal_inertia_local_frame, key) for key in "ijkw"]).as_matrix()
    tensor = turn @ np.diag(own.principal_inertia.to_tuple()) @ turn.T
    np.testing.assert_allclose(tensor, ours.tensor, atol=1e-4 * ours.tensor.max())


def builders(path):
    written: dict[str, object] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), written)
    return written


def test_the_builders_for_rapier_are_the_shapes(tmp_path):
    r = pytest.importorskip("rapier3d")
    tips = [Frustum((0, 0, 0), (0.3, 0.5, -0.2), 0.4, 0), Frustum((0, 0, 0), (0.3, 0.5, -0.2), 0, 0.4)]
    collider = Collider([*ODD, *one_of_each(), *tips])
    report = collider.save(tmp_path / "x.py")
    assert not any(replaced.shape >= len(collider) - 2 for replaced in report.replaced)  # cones are native
    made = builders(tmp_path / "x.py")["colliders"]()
    toward = directions()
    world = r.PhysicsWorld(gravity=(0, 0, 0))
    added = [world.colliders[world.add_collider(builder)] for builder in made.values()]
    reaches = [rapier_reach(one, toward) for one in added]
    assert_reaches_as(collider, reaches, "rapier", toward)


def test_the_body_for_rapier_weighs_what_it_should(tmp_path):
    r = pytest.importorskip("rapier3d")
    ODD.save(tmp_path / "x.py", dynamic=True)
    written = builders(tmp_path / "x.py")
    world = r.PhysicsWorld(gravity=(0, 0, 0))
    body = world.rigid_bodies[world.add_body(written["body"](), list(written["colliders"]().values()))]
    world.step()
    assert_weighs(body, mass_properties(ODD))


# --- PyBullet


@pytest.fixture
def bullet():
    pybullet = pytest.importorskip("pybullet", reason="pybullet has no wheel for this machine")
    client = pybullet.connect(pybullet.DIRECT)
    pybullet.setPhysicsEngineParameter(enableFileCaching=0)
    yield pybullet
    pybullet.disconnect(client)


def bullet_body(bullet, path):
    flags = bullet.URDF_USE_IMPLICIT_CYLINDER | bullet.URDF_USE_INERTIA_FROM_FILE
    return bullet.loadURDF(str(path), flags=flags, useFixedBase=False)


@pytest.mark.parametrize("name", ["urdf", "urdf-1.1"])
def test_pybullet_has_our_sizes_and_poses(tmp_path, bullet, name):
    report = ODD.save(tmp_path / "x.urdf", format=name, dynamic=True)
    body = bullet_body(bullet, tmp_path / "x.urdf")
    kinds = {bullet.GEOM_BOX: "box", bullet.GEOM_SPHERE: "sphere", bullet.GEOM_CAPSULE: "capsule",
             bullet.GEOM_CYLINDER: "cylinder", bullet.GEOM_MESH: "mesh"}  # fmt: skip
    turn, at = frame_of_inertia(bullet, body)
    toward, reaches = directions(), []
    meshes = iter(report.files[1:])
    for _, _, kind, sizes, _, place, quaternion in bullet.getCollisionShapeData(body, -1):
        length, radius, _ = sizes
        numbers = {
            "box": np.array(sizes) / 2, "sphere": [length], "capsule": [radius, length / 2],
            "cylinder": [radius, length / 2],
        }.get(kinds[kind])  # fmt: skip
        if kinds[kind] == "mesh":
            numbers = Mesh.of(next(meshes)).vertices
        matrix = turn @ Turn.from_quat(quaternion).as_matrix()
        reaches.append(reach_of(kinds[kind], numbers, matrix, turn @ np.array(place) + at, toward))
    assert_reaches_as(ODD, reaches, name, toward)


def test_pybullet_shows_the_render_mesh(tmp_path, bullet):
    ODD.save(tmp_path / "x.urdf", mesh=mesh_of_parts())
    body = bullet_body(bullet, tmp_path / "x.urdf")
    assert len(bullet.getCollisionShapeData(body, -1)) == len(ODD) + 2
    shown = bullet.getVisualShapeData(body)
    assert shown
    assert all(seen[4].endswith(b"x.urdf_meshes/visual.obj") for seen in shown)


def test_pybullet_has_our_mass(tmp_path, bullet):
    ODD.save(tmp_path / "x.urdf", dynamic=True)
    body, ours = bullet_body(bullet, tmp_path / "x.urdf"), mass_properties(ODD)
    mass, _, moments, center, *_ = bullet.getDynamicsInfo(body, -1)
    assert mass == pytest.approx(ours.mass)
    assert center == pytest.approx(ours.center)
    turn, at = frame_of_inertia(bullet, body)
    np.testing.assert_allclose(turn @ np.diag(moments) @ turn.T, ours.tensor, atol=1e-6 * max(moments))
    assert at == pytest.approx(ours.center)


def frame_of_inertia(bullet, body):
    """Return the frame of the shapes of a body at the origin: its centre of mass and principal axes."""
    at, turn = bullet.getBasePositionAndOrientation(body)
    return Turn.from_quat(turn).as_matrix(), np.array(at)


def test_rays_in_pybullet_hit_the_odd_frustum(tmp_path, bullet):
    frustum = Collider(ODD[:1], unit="m", up="z")
    frustum.save(tmp_path / "frustum.urdf")
    bullet_body(bullet, tmp_path / "frustum.urdf")
    middle = frustum.bounds.mean(axis=0)
    starts = middle + 3 * directions(200)
    hits = [hit for hit in bullet.rayTestBatch(starts.tolist(), [middle.tolist()] * 200) if hit[0] >= 0]
    assert len(hits) == 200
    distances = frustum.signed_distance([hit[3] for hit in hits])
    assert distances.min() >= -1e-4  # never inside
    assert distances.max() <= 5e-3  # due to the polygons around discs, and Bullet's margin


# --- reports, names, paths


def test_what_is_replaced_is_said(tmp_path):
    report = Collider(one_of_each(), unit="m", up="z").save(tmp_path / "x.urdf")
    assert [(one.kind, one.by.split(" of ")[0]) for one in report.replaced] == [
        ("capsule", "1 cylinder and 2 spheres"), ("frustum", "a hull"), ("prism", "a hull"),
    ]  # fmt: skip
    assert report.notes == ()
    assert all(os.path.exists(path) for path in report.files)
    exact = Collider([shape for shape in one_of_each() if shape.kind not in ("frustum", "prism")])
    assert exact._with(unit="m", up="z").save(tmp_path / "y.xml").replaced == ()


HOSTILE = [
    'quote" onload="x', "../../etc/passwd", "a\nb", "a\x00b\x1b", "<!-- -->", "]]>", "&amp;", "ünïcödé 椅子",
    "", " ", "..", "CON", "a" * 500, "\ud800", "'''", "{}", "%s", "\\", "C:\\x", "-", "name", "Name", "NAME",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "file"),
    [*FORMATS, ("sdf", "x.sdf"), ("rapier", "x.py"), ("srdf", "x.srdf"), ("curobo", "x.yml")],
)
def test_no_name_breaks_or_leaves_an_output(tmp_path, name, file):
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    labels = [Label(title, part=title, material=title) for title in HOSTILE]
    hull = next(shape for shape in one_of_each() if isinstance(shape, Hull))
    shape = Sphere((0, 0, 0), 1) if name in ("srdf", "curobo") else hull
    for title in HOSTILE:
        collider = Collider([shape] * len(labels), labels=labels, name=title, unit="m", up="z")
        report = collider.save(inside / file, format=name)
        assert all(os.path.realpath(path).startswith(str(inside)) for path in report.files)
    assert {path.name for path in inside.iterdir()} <= {file, f"{file}_meshes", "x.py.rapier.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    if name != "rapier":
        assert len(Collider.load(inside / file)) == len(labels)
    if name in ("urdf", "urdf-1.1", "mjcf"):
        assert mujoco_model(inside / file)[1].ngeom == len(labels)
        assert len(rapier_loaded(inside / file)[1]) == len(labels)
    if name == "rapier":
        assert len(builders(inside / file)["colliders"]()) == len(labels)


def test_files_of_any_name_have_a_folder_of_their_own(tmp_path):
    collider = Collider([random for random in one_of_each() if isinstance(random, Hull | Prism)])
    names = ["a b.urdf", "a_b.urdf", "a.b.urdf", "a_b.xml", "ä.urdf", "..urdf.urdf", "x'y.xml", "x.lod0.urdf",
             "x.lod1.urdf"]  # fmt: skip
    for name in names:
        collider.save(tmp_path / name)
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == len(names)
    for name in names:
        assert mujoco_model(tmp_path / name)[1].ngeom == 2
        assert len(Collider.load(tmp_path / name)) == 2


def test_a_unit_and_an_up_axis_become_metres_and_z(tmp_path):
    tall = Box((0, 500, 0), (0, 0, 0, 1), (100, 500, 200))
    mesh = Mesh(*tall.to_mesh(), unit="mm", up="y")
    report = Collider([tall], unit="mm", up="y").save(tmp_path / "x.urdf", mesh=mesh, dynamic=True)
    np.testing.assert_allclose(
        Collider.load(tmp_path / "x.urdf").bounds, [[-0.1, -0.2, 0], [0.1, 0.2, 1]], atol=1e-12
    )
    np.testing.assert_allclose(Mesh.of(report.files[-1]).bounds, [[-0.1, -0.2, 0], [0.1, 0.2, 1]], atol=1e-12)
    assert mujoco_model(tmp_path / "x.urdf")[1].body_mass[1] == pytest.approx(0.2 * 0.4 * 1000)
    turned = mesh.vertices[:, [0, 2, 1]] * [0.001, -0.001, 0.001]
    metres = Mesh(turned, mesh.triangles, unit="m", up="z")
    report = Collider([tall], unit="mm", up="y").save(tmp_path / "x.urdf", mesh=metres)
    np.testing.assert_allclose(Mesh.of(report.files[-1]).bounds, [[-0.1, -0.2, 0], [0.1, 0.2, 1]], atol=1e-12)
    with pytest.raises(InputError, match="unknown unit 'furlong'"):
        Collider([tall], unit="furlong").save(tmp_path / "y.urdf")
