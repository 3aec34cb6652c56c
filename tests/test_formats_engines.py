"""Formats of game engines and USD, read by their consumers: usd-core's physics parser, the Khronos validator
and trimesh. An oracle of the tests covers the rest, and hitbox reads the files again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess

import gltf_judge
import node_tools
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shape_strategies import colliders, one_of_each, random_hull, random_shape

from hitbox import Box, Capsule, Collider, Frustum, Hull, InputError, Mesh, Sphere
from hitbox._formats import write_collider
from hitbox._formats.export import ExportOptions
from hitbox._formats.read_mesh import load
from hitbox._model.collider import Label

HERE = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
# Ends, radii and pose all differ, so swapped axes, signs or ends are detected.
FRUSTUM = Frustum((0.3, -0.7, 1.1), (1.5, 0.4, 0.2), 0.35, 0.12)
NASTY = 'a"b\\c/../d\n\tü😀\x01<&>{}[]%$#'


def saved(collider, path, **options):
    report = collider.save(path, **options)
    return Collider.of(path), report


def same(one, other, tolerance=1e-6):
    """Return whether both have the same extents in all directions, to float32."""
    directions = np.random.default_rng(0).normal(size=(64, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    size = np.linalg.norm(np.ptp(one.bounds, axis=0)) + np.abs(one.bounds).max()
    reach = [np.einsum("ij,ij->i", shape.support(directions), directions) for shape in (one, other)]
    np.testing.assert_allclose(reach[0], reach[1], atol=tolerance * size)


def fields_of(shape):
    unlike = ("rotation", "vertices", "triangles")  # one shape has several of these
    return {key: value for key, value in vars(shape).items() if key not in unlike}


def assert_round_trip(path, collider, native, **options):
    """Check that shapes of `native` kinds are read back unchanged, others as hulls around them, with their
    names.
    """
    made, report = saved(collider, path, **options)
    assert len(made) == len(collider)
    replaced = {replacement.shape for replacement in report.replaced}
    for k, (before, after) in enumerate(zip(collider, made, strict=True)):
        assert (k in replaced) == (before.kind not in native and before.kind != "hull"), (before, report)
        if k in replaced:
            assert isinstance(after, Hull)
            assert after.contains(before.support(np.random.default_rng(1).normal(size=(64, 3))), 1e-5).all()
        else:
            assert after.kind == before.kind
            same(before, after)
            for key, value in fields_of(before).items():
                np.testing.assert_allclose(getattr(after, key), value, rtol=1e-6, atol=1e-6)
    assert [(x.name, x.part, x.material) for x in made.labels] == [
        (x.name, x.part, x.material) for x in collider.labels
    ]
    return made, report


def everything(**known):
    shapes = [*one_of_each(), FRUSTUM, random_hull(np.random.default_rng(3))]
    labels = [Label(NASTY, f"part {k}", "o'ak") for k in range(len(shapes) - 1)] + [Label()]
    return Collider(shapes, labels=labels, **{"name": "a chair", "unit": "m", "up": "y", **known})


def cube_mesh():
    vertices, triangles = Box((0, 0, 0), (0, 0, 0, 1), (1, 2, 3)).to_mesh()
    half = np.arange(len(triangles)) % 2
    return Mesh(
        vertices, triangles, part=half, part_names=["le\"ft", "right"], material=half,
        material_names=["oak", "iron"], name="cube.obj", unit="m", up="y",
    )  # fmt: skip


# ---------------------------------------------------------------- glTF

GLTF = ("box", "sphere", "capsule", "cylinder", "frustum")


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("shown", [None, cube_mesh()], ids=["shapes", "mesh"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_gltf_comes_back_and_stands_before_the_judge(tmp_path, suffix, shown, dynamic):
    path = tmp_path / f"x{suffix}"
    made, report = assert_round_trip(path, everything(), GLTF, mesh=shown, dynamic=dynamic)
    assert (made.name, made.unit, made.up) == ("a chair", "m", "y")
    assert report.format == "gltf"
    assert gltf_judge.faults(path.read_bytes()) == []
    assert made == Collider.load(path)


@HERE
@given(colliders)
def test_any_collider_as_gltf(tmp_path, collider):
    assert_round_trip(tmp_path / "x.glb", collider, GLTF)
    assert gltf_judge.faults((tmp_path / "x.glb").read_bytes()) == []


def test_the_judge_sees_what_is_wrong(tmp_path):
    everything().save(tmp_path / "x.gltf", dynamic=True)
    good = (tmp_path / "x.gltf").read_text()
    body, shape = '"node": ', '"shape": '
    wrong = [
        (good.replace(body, '"node": 9', 1), "no hull of a node"),
        (good.replace(shape, '"shape": 9', 1), "its shape is not there"),
        (good.replace('"mass": ', '"mass": -', 1), "mass"),
        (good.replace('"radius": ', '"radius": -', 1), "sphere of"),
        (good.replace('"type": "sphere"', '"type": "ball"', 1), "a shape of two kinds"),
        (good.replace('"mesh": ', '"mesh": 9', 1), "mesh"),
    ]
    for text, says in wrong:
        assert text != good
        assert any(says in fault for fault in gltf_judge.faults(text.encode())), says


def test_gltf_turns_and_scales_to_metres_with_y_up(tmp_path):
    made, _ = saved(Collider([FRUSTUM], unit="mm", up="z"), tmp_path / "x.glb")
    x, y, z = FRUSTUM.start
    np.testing.assert_allclose(made[0].start, np.array([x, z, -y]) / 1000, atol=1e-12)
    assert (made[0].radius_start, made[0].radius_end) == pytest.approx((0.00035, 0.00012))


def test_the_frustums_top_is_its_end_in_the_file(tmp_path):
    Collider([FRUSTUM]).save(tmp_path / "x.gltf")
    document = json.loads((tmp_path / "x.gltf").read_text())
    (shape,) = document["extensions"]["KHR_implicit_shapes"]["shapes"]
    assert shape["cylinder"]["radiusTop"] == 0.12
    node = next(node for node in document["nodes"] if "rotation" in node)
    x, y, z, w = node["rotation"]
    up = np.array([2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)])
    half = shape["cylinder"]["height"] / 2
    np.testing.assert_allclose(np.array(node["translation"]) + half * up, FRUSTUM.end, atol=1e-12)


def test_viewers_see_the_shapes_or_the_mesh(tmp_path):
    import trimesh

    collider = everything()
    collider.save(tmp_path / "shapes.glb")
    scene = trimesh.load_scene(tmp_path / "shapes.glb")
    assert len(scene.geometry) == len(collider)
    assert (scene.bounds[0] <= collider.bounds[0] + 1e-6).all()
    assert (scene.bounds[1] >= collider.bounds[1] - 1e-6).all()
    collider.save(tmp_path / "mesh.glb", mesh=cube_mesh())
    scene = trimesh.load_scene(tmp_path / "mesh.glb")
    np.testing.assert_allclose(scene.bounds, [[-1, -2, -3], [1, 2, 3]])
    shown = load(tmp_path / "mesh.glb")
    assert shown.face_count == 12
    assert set(shown.part_names) >= {'le"ft', "right"}
    assert set(shown.material_names) >= {"oak", "iron"}


def test_a_moving_body_has_the_mass_of_its_mesh(tmp_path):
    Collider([Sphere((9, 9, 9), 9)], unit="m", up="y").save(
        tmp_path / "x.gltf", mesh=cube_mesh(), dynamic=True, density=500
    )
    body = json.loads((tmp_path / "x.gltf").read_text())["nodes"][0]["extensions"]
    motion = body["KHR_physics_rigid_bodies"]["motion"]
    assert motion["mass"] == pytest.approx(500 * 48)
    np.testing.assert_allclose(motion["centerOfMass"], 0, atol=1e-12)
    expected = 500 * 48 / 12 * np.array([4 + 16, 4 + 36, 16 + 36])
    np.testing.assert_allclose(sorted(motion["inertiaDiagonal"]), expected)
    assert body["OMI_physics_body"]["motion"] == {"type": "dynamic", **motion}


def test_physics_of_others_is_read(tmp_path):
    """The files have OMI alone, defaults, a tapered capsule, a matrix, a scaled parent, and a draft's
    geometry.mesh.
    """
    everything().save(tmp_path / "own.gltf")
    document = json.loads((tmp_path / "own.gltf").read_text())
    hull = document["nodes"][-1]["mesh"]
    khr, omi = "KHR_physics_rigid_bodies", "OMI_physics_body"
    document["extensions"] = {
        "KHR_implicit_shapes": {"shapes": [{"type": "capsule", "capsule": {"radiusTop": 0.2}}]},
        "OMI_physics_shape": {"shapes": [{"type": "box"}]},
    }
    document["nodes"] = [
        {"scale": [2, 2, 2], "children": [1, 2, 3]},
        {"name": "c", "extensions": {khr: {"collider": {"geometry": {"shape": 0}}}}},
        {"extensions": {omi: {"collider": {"shape": 0}}}, "scale": [1, 2, -3]},
        {
            "extensions": {khr: {"collider": {"geometry": {"mesh": hull, "convexHull": True}}}},
            "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1],
        },
    ]
    (tmp_path / "x.gltf").write_text(json.dumps(document))
    made = Collider.of(tmp_path / "x.gltf")
    capsule, box, mesh = made
    assert capsule == Capsule((0, -1, 0), (0, 1, 0), 1.0)
    np.testing.assert_allclose(box.half_extents, (1, 2, 3))
    assert mesh.bounds.mean(axis=0)[0] == pytest.approx(10, abs=1e-6)
    assert "tapered" in made.status.notes[0]
    document["nodes"][1]["scale"] = [1, 2, 1]
    (tmp_path / "x.gltf").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"x\.gltf: c: a round shape must have the same scale"):
        Collider.of(tmp_path / "x.gltf")


def test_broken_physics_is_one_sentence(tmp_path):
    everything().save(tmp_path / "x.gltf")
    document = json.loads((tmp_path / "x.gltf").read_text())
    khr = "KHR_physics_rigid_bodies"

    def broken(change):
        copy = json.loads(json.dumps(document))
        change(copy)
        (tmp_path / "y.gltf").write_text(json.dumps(copy))
        with pytest.raises(InputError, match=r"y\.gltf: ") as caught:
            Collider.of(tmp_path / "y.gltf")
        assert "\n" not in str(caught.value)

    broken(lambda d: d["extensions"].pop("KHR_implicit_shapes"))
    broken(lambda d: d["nodes"][0]["children"].append(0))
    broken(lambda d: d["nodes"][-1]["extensions"][khr]["collider"]["geometry"].update(node=99))
    broken(lambda d: d["buffers"][0].update(uri="../../etc/passwd"))
    broken(lambda d: d["buffers"][0].update(uri="data:,%%%"))
    broken(lambda d: d["accessors"][-2].update(count=10**9))
    broken(lambda d: d["nodes"][1]["extensions"][khr]["collider"]["geometry"].update(shape=-1))
    broken(lambda d: d["nodes"][1].update(scale=[0, 0, 0]))
    broken(lambda d: d.update(nodes=[7]))
    for data in (b"glTF" + b"\0" * 9, b"", b"[" * 100_000, b"[]", b"{}", b"glTF" + b"\xff" * 99):
        (tmp_path / "y.glb").write_bytes(data)
        with pytest.raises(InputError, match=r"y\.glb"):
            Collider.of(tmp_path / "y.glb")


def refused(path) -> str:
    """Return the line that refuses a file, or an empty text if it is read."""
    try:
        assert len(Collider.of(path)) >= 1
    except InputError as error:
        return str(error)
    return ""


def test_every_prefix_of_a_file_is_refused_or_read(tmp_path):
    for name, options in (("x.glb", {}), ("x.tscn", {}), ("x.obj", {"format": "unity"})):
        Collider(one_of_each()).save(tmp_path / name, **options)
        path = tmp_path / ("x.unity.json" if name == "x.obj" else name)
        data = path.read_bytes()
        for end in range(0, len(data), max(1, len(data) // 60)):
            path.write_bytes(data[:end])
            assert "\n" not in refused(path)


def leaves(value, at=()):
    """Yield the places of the numbers, texts and lists of a document."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from leaves(below, (*at, key))


JUNK = st.sampled_from([-1, 0, 1e308, 10**30, None, True, "x", [], {}, [1], float("nan")])


@pytest.mark.slow
@HERE
@given(st.integers(0, 2**32), JUNK)
def test_wrong_values_are_refused_or_read(tmp_path, number, junk):
    for name, options in (("x.gltf", {}), ("x.obj", {"format": "unity"})):
        Collider(one_of_each()).save(tmp_path / name, **options)
        path = tmp_path / ("x.unity.json" if name == "x.obj" else name)
        document = json.loads(path.read_text())
        places = list(leaves(document))[1:]
        for k in range(6):
            *above, last = places[(number + k * 7919) % len(places)]
            broken = json.loads(path.read_text())
            inner = broken
            for key in above:
                inner = inner[key]
            inner[last] = junk
            changed = tmp_path / f"changed{''.join(path.suffixes)}"
            changed.write_text(json.dumps(broken))
            assert "\n" not in refused(changed)


def test_gltf_without_physics_is_hulls_as_before(tmp_path):
    everything().save(tmp_path / "x.glb", format="glb-meshes")
    assert Collider.of(tmp_path / "x.glb").counts == {"hull": 9}


@pytest.fixture(scope="session")
def khronos_validator(tmp_path_factory):
    """Return a function that runs the Khronos glTF validator, installed by npm, with `node`."""
    folder = node_tools.folder_with("gltf-validator@2.0.0-dev.3.10", tmp_path_factory.mktemp("validator"))
    (folder / "run.js").write_text(
        "const v = require('gltf-validator'), fs = require('fs');\n"
        "const report = f => v.validateBytes(new Uint8Array(fs.readFileSync(f)), {uri: f});\n"
        "Promise.all(process.argv.slice(2).map(report)).then(r => console.log(JSON.stringify(r)));\n"
    )

    def validate(*paths):
        command = ["node", "run.js", *map(str, paths)]
        return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)

    return validate


def test_the_khronos_validator_finds_no_error_and_no_warning(tmp_path, khronos_validator):
    paths = []
    for k, (suffix, options) in enumerate(
        [(".glb", {}), (".gltf", {"dynamic": True}), (".glb", {"mesh": cube_mesh()}),
         (".glb", {"format": "glb-meshes"}), (".glb", {"format": "unreal", "mesh": cube_mesh()})]
    ):  # fmt: skip
        paths.append(tmp_path / f"{k}{suffix}")
        everything().save(paths[-1], **options)
    for report in khronos_validator(*paths):
        assert report["issues"]["numErrors"] == report["issues"]["numWarnings"] == 0, report["issues"]
        codes = {message["code"] for message in report["issues"]["messages"]}
        assert codes <= {"UNSUPPORTED_EXTENSION", "UNUSED_OBJECT"}


# ---------------------------------------------------------------- USD

USD = ("box", "sphere", "capsule", "cylinder")
CONE = Frustum((0.3, -0.7, 1.1), (1.5, 0.4, 0.2), 0.0, 0.3)  # its tip is at the start: -axis


def parsed(path):
    """Return the result of usd-core's physics parser, a list of (type, descriptor)."""
    from pxr import Usd, UsdPhysics

    stage = Usd.Stage.Open(str(path))
    found = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, ["/"])
    return stage, [(str(kind), desc) for kind, (_, descs) in found.items() for desc in descs]


def turned(quaternion, vector):
    axis, w = np.array(quaternion.GetImaginary()), quaternion.GetReal()
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + w * vector)


def axis_of(desc):
    """Return the vector from the centre to the end at +axis."""
    along = np.eye(3)["XYZ".index(str(desc.axis)[-1])]
    return turned(desc.localRot, along) * desc.halfHeight


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
@pytest.mark.parametrize("shown", [None, cube_mesh()], ids=["shapes", "mesh"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_usd_comes_back(tmp_path, suffix, shown, dynamic):
    pytest.importorskip("pxr")
    collider = everything(up="z")
    made, report = assert_round_trip(tmp_path / f"x{suffix}", collider, USD, mesh=shown, dynamic=dynamic)
    assert (made.name, made.unit, made.up) == ("a chair", "m", "z")
    assert report.format == "usd"
    assert made == Collider.load(tmp_path / f"x{suffix}")


@HERE
@given(colliders)
def test_usd_cores_parser_returns_our_shapes(tmp_path, collider):
    pytest.importorskip("pxr")
    path = tmp_path / "x.usda"
    path.unlink(missing_ok=True)
    report = collider.save(path)
    stage, found = parsed(path)
    by_path = {str(desc.primPath): (kind, desc) for kind, desc in found}
    assert len(by_path) == len(collider)
    prims = list(stage.GetDefaultPrim().GetChildren())
    for shape, prim in zip(Collider.of(path), prims, strict=True):
        kind, desc = by_path[str(prim.GetPath())]
        expected = {"box": "Cube", "sphere": "Sphere", "capsule": "Capsule", "cylinder": "Cylinder",
                    "frustum": "Cone", "hull": "Mesh"}[shape.kind]  # fmt: skip
        assert kind == f"{expected}Shape"
        if shape.kind == "hull":
            assert str(desc.approximation) == "convexHull"
    for k, shape in enumerate(collider):
        if k in {replaced.shape for replaced in report.replaced}:
            continue
        _, desc = by_path[str(prims[k].GetPath())]
        at = np.array(desc.localPos)
        if isinstance(shape, Box):
            np.testing.assert_allclose(desc.halfExtents, shape.half_extents, rtol=1e-6)
            np.testing.assert_allclose(at, shape.center, atol=1e-6)
            for own in np.eye(3):
                np.testing.assert_allclose(turned(desc.localRot, own), turn(shape.rotation, own), atol=1e-6)
        elif isinstance(shape, Sphere):
            assert desc.radius == pytest.approx(shape.radius)
            np.testing.assert_allclose(at, shape.center, atol=1e-6)
        elif not isinstance(shape, Hull):
            start, end = np.array(shape.start), np.array(shape.end)
            if isinstance(shape, Frustum):
                assert desc.radius == pytest.approx(max(shape.radius_start, shape.radius_end))
                start, end = (end, start) if shape.radius_start == 0 else (start, end)
            else:
                assert desc.radius == pytest.approx(shape.radius)
            np.testing.assert_allclose(at + axis_of(desc), end, atol=1e-5)
            np.testing.assert_allclose(at - axis_of(desc), start, atol=1e-5)


def turn(rotation, vector):
    x, y, z, w = rotation
    axis = np.array([x, y, z])
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + w * vector)


def test_an_asymmetric_frustum_keeps_its_ends_in_usd(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    made, _ = saved(Collider([FRUSTUM], unit="m", up="z"), tmp_path / "x.usda")
    stage = Usd.Stage.Open(str(tmp_path / "x.usda"))
    mesh = stage.GetDefaultPrim().GetChildren()[0]
    place = np.array(UsdGeom.Xformable(mesh).ComputeLocalToWorldTransform(0)).T
    points = np.array(mesh.GetAttribute("points").Get(), float) @ place[:3, :3].T + place[:3, 3]
    axis = np.subtract(FRUSTUM.end, FRUSTUM.start) / np.linalg.norm(np.subtract(FRUSTUM.end, FRUSTUM.start))
    along = (points - FRUSTUM.start) @ axis
    away = np.linalg.norm(points - FRUSTUM.start - along[:, None] * axis, axis=1)
    assert away[along < 0.1] == pytest.approx(0.35 / np.cos(np.pi / 30), rel=1e-5)
    assert away[along > 0.1] == pytest.approx(0.12 / np.cos(np.pi / 30), rel=1e-5)
    assert made[0].signed_distance([FRUSTUM.start]) < 0
    cone, _ = saved(Collider([CONE], unit="m", up="z"), tmp_path / "y.usda")
    np.testing.assert_allclose((cone[0].start, cone[0].end), (CONE.end, CONE.start), atol=1e-12)
    assert (cone[0].radius_start, cone[0].radius_end) == (0.3, 0)


def test_usd_validators_find_nothing(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdValidation

    everything(up="z").save(tmp_path / "x.usda", dynamic=True, mesh=cube_mesh())
    stage = Usd.Stage.Open(str(tmp_path / "x.usda"))
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert any("usdPhysicsValidators" in v.GetMetadata().name for v in validators)
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert [error.GetErrorAsString() for error in errors] == []


def test_usd_masses_and_bodies(tmp_path):
    pytest.importorskip("pxr")
    from pxr import UsdPhysics

    collider = Collider([Sphere((0, 0, 0), 1)], unit="cm", up="y")
    collider.save(tmp_path / "x.usda", dynamic=True, mesh=cube_mesh(), density=500)
    stage, found = parsed(tmp_path / "x.usda")
    assert sorted(kind for kind, _ in found) == ["RigidBody", "SphereShape"]
    mass = UsdPhysics.MassAPI(stage.GetDefaultPrim())
    # The collider is in centimetres and the mesh in metres; each is converted by its own unit.
    assert mass.GetMassAttr().Get() == pytest.approx(500 * 48)
    moments = sorted(mass.GetDiagonalInertiaAttr().Get())
    np.testing.assert_allclose(moments, 500 * 48 / 12 * np.array([20, 40, 52]), rtol=1e-6)
    assert stage.GetMetadata("upAxis") == "Y"
    collider.save(tmp_path / "y.usda")
    assert [kind for kind, _ in parsed(tmp_path / "y.usda")[1]] == ["SphereShape"]


def test_usd_of_others_is_read(tmp_path):
    pytest.importorskip("pxr")
    (tmp_path / "x.usda").write_text("""#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
)
def Xform "top"
{
    double3 xformOp:scale = (2, 2, 2)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Capsule "c" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        double3 xformOp:translate = (1, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Cube "b" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
    }
    def Cone "n" (
        prepend apiSchemas = ["PhysicsCollisionAPI"]
    )
    {
        uniform token axis = "X"
    }
    def Sphere "seen"
    {
    }
}
""")
    made = Collider.of(tmp_path / "x.usda")
    assert (made.unit, made.up, len(made)) == ("cm", "z", 3)
    assert made[0] == Capsule((2, 0, -1), (2, 0, 1), 1)
    np.testing.assert_allclose(made[1].half_extents, 2)
    assert made[2] == Frustum((-2, 0, 0), (2, 0, 0), 2, 0)
    collides = 'prepend apiSchemas = ["PhysicsCollisionAPI"]'
    for prim in ("double radius = -1", "double radius = 1e308\n double3 xformOp:scale = (9, 9, 9)"):
        order = 'uniform token[] xformOpOrder = ["xformOp:scale"]' if "Op" in prim else ""
        (tmp_path / "z.usda").write_text(
            f'#usda 1.0\ndef Sphere "s" (\n{collides}\n)\n{{\n{prim}\n{order}\n}}\n'
        )
        with pytest.raises(InputError, match=r"z\.usda: "):
            Collider.of(tmp_path / "z.usda")
    (tmp_path / "y.usda").write_text("#usda 1.0\ndef Xform")
    with pytest.raises(InputError, match=r"y\.usda: USD cannot read it"):
        Collider.of(tmp_path / "y.usda")
    with pytest.raises(FileNotFoundError):
        Collider.of(tmp_path / "none.usda")


def test_binary_usd_without_usd_core_says_what_to_install(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pxr", None)
    everything().save(tmp_path / "x.usda")
    for call in (lambda: everything().save(tmp_path / "x.usdc"), lambda: Collider.of(tmp_path / "x.usda")):
        with pytest.raises(InputError, match=r'pip install "hitbox\[usd\]"'):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["x.usda"]


# ---------------------------------------------------------------- Godot, Unreal, Unity: read by hitbox


@pytest.mark.parametrize("shown", [None, cube_mesh()], ids=["shapes", "mesh"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_godot_comes_back(tmp_path, shown, dynamic):
    native = ("box", "sphere", "capsule", "cylinder")
    path = tmp_path / "x.tscn"
    made, report = assert_round_trip(path, everything(), native, mesh=shown, dynamic=dynamic)
    assert (made.name, made.unit, made.up) == ("a chair", "m", "y")
    text = path.read_text()
    assert text.startswith("[gd_scene load_steps=")
    assert ("RigidBody3D" if dynamic else "StaticBody3D") in text
    assert ("center_of_mass = Vector3(" in text) == dynamic
    if shown is not None:
        assert report.files[1:] == (str(tmp_path / "x.tscn_visual.glb"),)
        assert load(tmp_path / "x.tscn_visual.glb").face_count == 12
        assert 'path="x.tscn_visual.glb"' in text


@HERE
@given(colliders)
def test_any_collider_as_godot_scene(tmp_path, collider):
    assert_round_trip(tmp_path / "x.tscn", collider, ("box", "sphere", "capsule", "cylinder"))


def test_a_godot_scene_of_the_editor_is_read(tmp_path):
    (tmp_path / "x.tscn").write_text("""[gd_scene load_steps=3 format=3 uid="uid://b0x"]

[sub_resource type="CapsuleShape3D" id="CapsuleShape3D_1"]
radius = 0.25

[sub_resource type="BoxShape3D" id="BoxShape3D_k"]

[node name="Root" type="Node3D"]

[node name="Body" type="StaticBody3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0)

[node name="Shape" type="CollisionShape3D" parent="Body"]
transform = Transform3D(0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0)
shape = SubResource("CapsuleShape3D_1")

[node name="Box" type="CollisionShape3D" parent="Body"]
shape = SubResource("BoxShape3D_k")
""")
    capsule, box = Collider.of(tmp_path / "x.tscn")
    np.testing.assert_allclose((capsule.start, capsule.end), ((5.75, 1, 0), (4.25, 1, 0)), atol=1e-12)
    assert box == Box((5, 0, 0), (0, 0, 0, 1), (0.5, 0.5, 0.5))
    (tmp_path / "y.tscn").write_text('[node name="a" type="CollisionShape3D"]\nshape = SubResource("x")')
    with pytest.raises(InputError, match=r"y\.tscn: "):
        Collider.of(tmp_path / "y.tscn")
    (tmp_path / "z.tscn").write_text('[node name="a" type="Node3D"]')
    with pytest.raises(InputError, match=r"z\.tscn: no collider"):
        Collider.of(tmp_path / "z.tscn")


@pytest.mark.parametrize(("name", "format"), [("x.glb", "unreal"), ("x.obj", "unreal-obj")])
@pytest.mark.parametrize("shown", [None, cube_mesh()], ids=["shapes", "mesh"])
def test_unreal_names_come_back(tmp_path, name, format, shown):
    collider = everything()._with(labels=(Label(),) * 9, name="Crate_01")
    scale = 1 if format == "unreal" else 100
    made, report = saved(collider, tmp_path / name, format=format, mesh=shown)
    assert len(made) == 9
    assert (made.unit, made.up) == (("m" if scale == 1 else "cm"), "y")
    assert any("render mesh" in note for note in report.notes) == (shown is None)
    replaced = {each.shape for each in report.replaced}
    for k, (before, after) in enumerate(zip(collider, made, strict=True)):
        if k in replaced:
            assert before.kind in ("cylinder", "frustum", "prism")
            assert after.kind == "hull"
        else:
            assert after.kind == before.kind
            same(before, after.transformed(scale=1 / scale))
    parts = load(tmp_path / name).part_names
    assert "UBX_Crate_01_00" in parts
    assert ("Crate_01" in parts) == (shown is not None)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_unreals_importer_would_derive_our_parameters(seed):
    """The test applies the rules of Unreal's public source to the written vertices, in float32."""
    from hitbox._formats.unreal_meshes import _mesh

    sphere, capsule = random_shape("sphere", seed), random_shape("capsule", seed)
    vertices = _mesh(sphere, "s")[0].astype(np.float32).astype(float)
    sides = np.ptp(vertices, axis=0)
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    np.testing.assert_allclose(sides, 2 * sphere.radius, rtol=1e-4)
    np.testing.assert_allclose(middle, sphere.center, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vertices - middle, axis=1), sphere.radius, rtol=1e-3)

    vertices = _mesh(capsule, "c")[0].astype(np.float32).astype(float)
    apart = np.linalg.norm(vertices[:, None] - vertices, axis=2)
    a, b = np.unravel_index(np.argmax(apart), apart.shape)
    assert {int(a), int(b)} == {0, 1}
    axis = (vertices[b] - vertices[a]) / apart[a, b]
    away = vertices[:-1] - vertices[a]  # Unreal omits the last one
    radius = np.linalg.norm(away - np.outer(away @ axis, axis), axis=1).max()
    assert radius == pytest.approx(capsule.radius, rel=1e-4)
    length = np.linalg.norm(np.subtract(capsule.end, capsule.start))
    assert apart[a, b] == pytest.approx(length + 2 * capsule.radius, rel=1e-5)


@pytest.mark.parametrize("shown", [None, cube_mesh()], ids=["shapes", "mesh"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_unity_comes_back(tmp_path, shown, dynamic):
    collider = everything()
    report = collider.save(tmp_path / "x.obj", format="unity", mesh=shown, dynamic=dynamic)
    assert [os.path.relpath(path, tmp_path) for path in report.files] == [
        "x.obj", "x.unity.json", os.path.join("Editor", "HitboxColliders.cs"),
    ]  # fmt: skip
    made = Collider.of(tmp_path / "x.unity.json")
    assert made == Collider.load(tmp_path / "x.unity.json")
    assert made.name == "a chair"
    replaced = {each.shape for each in report.replaced}
    for k, (before, after) in enumerate(zip(collider, made, strict=True)):
        assert after.kind == ("hull" if k in replaced else before.kind)
        if k not in replaced:
            same(before, after)
    assert [label.name for label in made.labels] == [label.name for label in collider.labels]
    said = json.loads((tmp_path / "x.unity.json").read_text())
    assert said["dynamic"] is dynamic
    assert ("mass" in said) == dynamic
    script = (tmp_path / "Editor" / "HitboxColliders.cs").read_text()
    for key in {key for shape in said["shapes"] for key in shape} - {"name", "part", "material"}:
        assert re.search(rf"\b{key}\b", script), f"the script knows no {key}"
    parts = load(tmp_path / "x.obj").part_names
    assert "hitbox_frame" in parts
    assert len(set(parts)) == len(parts)
    with pytest.raises(InputError, match=r"Rename it"):
        collider.save(tmp_path / "x.glb", format="unity")
    (tmp_path / "x.obj").unlink()
    with pytest.raises(InputError, match=r"x\.unity\.json: .*no object of this name"):
        Collider.of(tmp_path / "x.unity.json")


def test_a_frustum_keeps_its_ends_in_every_format(tmp_path):
    """A frustum, or the hull around it, is wide at the start and narrow at the end."""
    collider = Collider([FRUSTUM], unit="m", up="y", name="one")
    cases = [("x.glb", "gltf", 1), ("x.tscn", "godot", 1), ("y.glb", "unreal", 1),
             ("x.obj", "unreal-obj", 100), ("y.obj", "unity", 1), ("x.usda", "usd", 1)]  # fmt: skip
    for name, format, scale in cases:
        if format == "usd":
            pytest.importorskip("pxr")
        collider.save(tmp_path / name, format=format)
        shape = Collider.of(tmp_path / ("y.unity.json" if format == "unity" else name))[0]
        shape = shape.transformed(scale=1 / scale)
        axis = np.subtract(FRUSTUM.end, FRUSTUM.start)
        side = np.cross(axis, (0, 0, 1))
        side *= 0.3 / np.linalg.norm(side)
        assert shape.contains([FRUSTUM.start + side], 1e-6).all(), format
        assert not shape.contains([FRUSTUM.end + side], 1e-6).any(), format
        same(FRUSTUM, shape, 0.01)


@pytest.mark.parametrize("format", ["gltf", "usd", "godot", "unreal", "unreal-obj", "unity"])
def test_names_cannot_leave_the_folder_and_the_same_gives_the_same_bytes(tmp_path, format):
    suffix = next(known.suffix for known in write_collider.FORMATS if known.name == format)
    labels = [Label("../../x"), Label("CON"), Label("con"), Label("7"), Label(""), Label("é"), Label(NASTY)]
    collider = Collider(one_of_each(), labels=labels, name="../..", unit="m", up="y")
    files, _ = write_collider.files_of(collider, "x" + suffix, format)
    assert all(not os.path.isabs(path) and ".." not in path.split(os.sep) for path, _ in files)
    assert files == write_collider.files_of(collider, "x" + suffix, format)[0]
    options = ExportOptions(mesh=cube_mesh(), dynamic=True)
    assert len(write_collider.files_of(collider, "x" + suffix, format, options)[1].files) >= len(files)
