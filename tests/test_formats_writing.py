from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from importlib import resources

import jsonschema
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shape_strategies import colliders, one_of_each

from hitbox._base import files
from hitbox._base.errors import InputError
from hitbox._formats import collider_glb, collider_json, collider_obj, gltf_file, write_collider
from hitbox._formats.read_mesh import load
from hitbox._model.collider import Collider, Label, Method, Source
from hitbox._model.shapes import Box, Capsule, Cylinder, Frustum, Prism, Sphere
from hitbox._native import _core

NO_TURN = (0, 0, 0, 1)
SCHEMA = json.loads((resources.files("hitbox._formats") / "collider.schema.json").read_text())

GOLDEN = """{
 "format": "hitbox-collider",
 "version": 1,
 "generator": "hitbox 0.1.0",
 "name": "chair",
 "unit": "m",
 "up": "y",
 "source": {"name": "chair.glb", "sha256": "00ff", "faces": 5321, "diagonal": 1.731},
 "method": {"name": "fit", "options": {"count": 32}},
 "status": {"complete": true, "notes": []},
 "shapes": [
  {"kind": "box", "center": [0, 0.1, 0], "rotation": [0, 0, 0, 1], "half_extents": [1, 1, 1e-05], "part": "leg"},
  {"kind": "sphere", "center": [0, 0, 0], "radius": 1, "name": "ball"},
  {"kind": "capsule", "start": [0, 0, 0], "end": [0, 1, 0], "radius": 1, "faces": [3, 4]},
  {"kind": "cylinder", "start": [0, 0, 0], "end": [0, 1, 0], "radius": 1},
  {"kind": "frustum", "start": [0, 0, 0], "end": [0, 1, 0], "radius_start": 1, "radius_end": 0.5},
  {"kind": "prism", "center": [0, 0, 0], "rotation": [0, 0, 0, 1], "half_x": 1, "half_y": 1, "half_top": 0.5, "half_bottom": 1}
 ]
}
"""  # noqa: E501


def ball_with(fields: str) -> str:
    """Return the golden text with other fields in its sphere."""
    return GOLDEN.replace('"radius": 1, "name"', fields)


def golden_collider(seconds: float = 0.25) -> Collider:
    return Collider(
        [
            Box((0, 0.1, 0), NO_TURN, (1, 1, 1e-5)),
            Sphere((0, 0, 0), 1),
            Capsule((0, 0, 0), (0, 1, 0), 1),
            Cylinder((0, 0, 0), (0, 1, 0), 1),
            Frustum((0, 0, 0), (0, 1, 0), 1, 0.5),
            Prism((0, 0, 0), NO_TURN, 1, 1, 0.5, 1),
        ],
        labels=[Label(part="leg"), Label("ball"), Label(faces=[3, 4]), Label(), Label(), Label()],
        source=Source("chair.glb", "00ff", 5321, 1.731),
        method=Method("fit", {"count": 32}, seconds=seconds),
        name="chair",
        unit="m",
        up="y",
        generator="hitbox 0.1.0",
    )


def test_the_json_is_this_text():
    assert collider_json.write(golden_collider(), faces=True).decode() == GOLDEN
    assert b'faces": [3' not in collider_json.write(golden_collider())


@given(colliders)
def test_json_comes_back_the_same_and_obeys_the_schema(collider):
    data = collider_json.write(collider)
    again = collider_json.read(data, "x.json")
    assert again == collider
    assert collider_json.write(again) == data
    jsonschema.validate(json.loads(data), SCHEMA)


def test_the_schema_is_a_schema_and_refuses_what_the_reader_refuses():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for change in ({"version": 2}, {"format": "x"}, {"shapes": []}, {"shapes": [{"kind": "blob"}]},
                   {"shapes": [{"kind": "sphere", "center": [0, 0, 0]}]}, {"up": "w"},
                   {"shapes": [{"kind": "sphere", "center": [0, 0], "radius": 1}]},
                   {"shapes": [{"kind": "sphere", "center": [0, 0, 0], "radius": 0}]}):  # fmt: skip
        document = json.loads(GOLDEN) | change
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, SCHEMA)
        with pytest.raises(InputError):
            collider_json.read(json.dumps(document).encode(), "x.json")


def test_unknown_keys_are_kept():
    document = json.loads(GOLDEN)
    document["mood"] = {"deep": [1, 2.5, None]}
    for part in (document["source"], document["method"], document["status"], document["shapes"][1]):
        part["extra"] = "é"
    collider = collider_json.read(json.dumps(document).encode(), "x.json")
    written = json.loads(collider_json.write(collider, faces=True))
    assert written == document


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1, column 1"),
        ("[]", "JSON object"),
        ("{}", '"format" must be'),
        ("[" * 100_000, "nested too deeply"),
        (GOLDEN.replace('"version": 1', '"version": 2'), "version 2 is not supported"),
        (GOLDEN.replace('"version": 1', '"version": true'), "version True is not supported"),
        (GOLDEN.replace('"capsule"', '"capsul"'), r"\[2\]: unknown kind 'capsul'. Did you mean 'capsule'"),
        (ball_with('"radius": -1, "name"'), r"shapes\[1\]: sphere: radius must be"),
        (ball_with('"radius": 1e999, "name"'), r"shapes\[1\]: sphere: radius must be finite"),
        (ball_with('"radius": NaN, "name"'), "NaN is not a JSON number"),
        (ball_with('"radius": "1", "name"'), r"radius must be 1 numbers"),
        (ball_with('"name"'), r"shapes\[1\]: a sphere needs 'radius'"),
        (GOLDEN.replace('"ball"', "7"), "name must be a text"),
        (GOLDEN.replace("[3, 4]", "[3, -4]"), "faces must be whole numbers"),
        (GOLDEN.replace("[3, 4]", "[[3], 4]"), "faces must be whole numbers"),
        (GOLDEN.replace("[3, 4]", '"34"'), "faces must be a list"),
        (GOLDEN.replace('"up": "y"', '"up": ["y"]'), "up must be"),
        (GOLDEN.replace("5321", "true"), "faces must be a whole number"),
        (GOLDEN.replace("5321", "9" * 5000), "not a collider JSON"),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_by_name(tmp_path, text, says):
    path = tmp_path / "wrong.json"
    path.write_text(text)
    with pytest.raises(InputError, match=says) as caught:
        Collider.load(path)
    assert str(path) in str(caught.value)


def test_every_prefix_of_a_file_is_refused():
    data = GOLDEN.strip().encode()
    for end in range(0, len(data), 7):
        with pytest.raises(InputError):
            collider_json.read(data[:end], "x.json")


def encloses(mesh, collider, tolerance):
    """Return whether the mesh reaches at least as far as every shape in every direction."""
    directions = np.random.default_rng(0).normal(size=(100, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for direction in directions:
        reach = max(float(shape.support([direction])[0] @ direction) for shape in collider)
        assert (mesh.vertices @ direction).max() >= reach - tolerance


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(colliders)
def test_glb_and_obj_enclose_in_another_reader(tmp_path, collider):
    import trimesh

    tolerance = 1e-6 * np.linalg.norm(np.ptp(collider.bounds, axis=0))
    for suffix, limit in ((".glb", tolerance), (".obj", 1e-9)):
        path = tmp_path / f"x{suffix}"
        collider.save(path)
        by_object = {"split_object": True, "group_material": False} if suffix == ".obj" else {}
        scene = trimesh.load_scene(path, **by_object)
        assert len(scene.geometry) == len(collider)
        mesh = scene.to_mesh()
        encloses(mesh, collider, limit)
        low, high = collider.bounds
        assert (mesh.vertices.min(axis=0) <= low + limit).all()
        assert (mesh.vertices.max(axis=0) >= high - limit).all()


@given(colliders)
def test_each_glb_node_holds_its_own_shape(collider):
    import pygltflib

    document = pygltflib.GLTF2.load_from_bytes(collider_glb.write(collider))
    blob = document.binary_blob()
    assert document.buffers[0].byteLength == len(blob)
    for shape, node in zip(collider, document.nodes, strict=True):
        primitive = document.meshes[node.mesh].primitives[0]
        assert document.materials[primitive.material].name == node.extras["kind"] == shape.kind
        accessor = document.accessors[primitive.attributes.POSITION]
        view = document.bufferViews[accessor.bufferView]
        local = np.frombuffer(blob, "<f4", 3 * accessor.count, view.byteOffset).reshape(-1, 3)
        np.testing.assert_array_equal(accessor.min, local.min(axis=0))
        np.testing.assert_array_equal(accessor.max, local.max(axis=0))
        assert np.linalg.norm(node.rotation) == pytest.approx(1, abs=1e-12)
        world = rotate(node.rotation, local.astype(float)) + node.translation
        distances = shape.signed_distance(world)
        size = np.linalg.norm(np.ptp(shape.bounds, axis=0))
        assert distances.min() >= -1e-6 * size
        assert distances.max() <= 0.6 * size


@pytest.mark.parametrize("suffix", [".glb", ".obj"])
@pytest.mark.parametrize("scale", [1e-50, 1e-30, 1e-29, 1, 1e29, 1e30, 1e50])
def test_any_size_encloses_when_read_back(tmp_path, suffix, scale):
    for shape in one_of_each():
        collider = Collider([shape.transformed(scale=scale)])
        path = tmp_path / f"x{suffix}"
        collider.save(path)
        mesh = load(path)
        size = np.linalg.norm(np.ptp(collider.bounds, axis=0))
        encloses(mesh, collider, 1e-6 * size)
        assert collider.signed_distance(mesh.vertices).min() >= -1e-6 * size


def test_a_glb_node_is_scaled_only_where_float32_needs_it():
    for radius, scaled in ((1e-35, True), (1e-20, False), (1, False), (1e20, False), (1e35, True)):
        data = collider_glb.write(Collider([Sphere((0, 0, 0), radius)]))
        node = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])["nodes"][0]
        assert ("scale" in node) == scaled
        assert node.get("scale", [radius] * 3) == pytest.approx([radius] * 3, rel=0.6)


@pytest.mark.parametrize("suffix", [".glb", ".obj"])
def test_a_shape_whose_mesh_overflows_is_refused(tmp_path, suffix):
    with pytest.raises(InputError, match=r"capsule\w* is too large"):
        Collider([Capsule((0, 0, 0), (0, 1, 0), 1.797e308)]).save(tmp_path / f"x{suffix}")
    assert os.listdir(tmp_path) == []


def rotate(rotation, points):
    x, y, z, w = rotation
    axis = np.array([x, y, z])
    return points + 2 * np.cross(axis, np.cross(axis, points) + w * points)


def test_glb_turns_z_up_to_y_up_and_millimetres_to_metres():
    import trimesh

    tall = Box((0, 0, 500), NO_TURN, (100, 200, 500))
    data = collider_glb.write(Collider([tall], unit="mm", up="z", name="tower"))
    scene = trimesh.load_scene(trimesh.util.wrap_as_stream(data), file_type="glb")
    np.testing.assert_allclose(scene.bounds, [[-0.1, 0, -0.2], [0.1, 1, 0.2]], atol=1e-6)


def test_glb_normals_are_unit_and_outward():
    for shape in one_of_each():
        vertices, normals, triangles = gltf_file.with_normals(*shape.to_mesh())
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1)
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        flat = np.cross(b - a, c - a)
        assert (np.einsum("ij,ij->i", flat, normals[triangles[:, 0]]) > 0).all()


def test_names_are_kept_and_never_doubled():
    ball = Sphere((0, 0, 0), 1)
    labels = [Label("leg"), Label("leg"), Label(), Label("sphere_000"), Label("two words")]
    text = collider_obj.write(Collider([ball] * 5, labels=labels)).decode()
    names = [line[2:] for line in text.splitlines() if line.startswith("o ")]
    assert names[0] == "leg"
    assert names[3] == "sphere_000"
    assert names[4] == "two_words"
    assert len(set(names)) == 5


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    collider = golden_collider()
    path = tmp_path / "x.json"
    path.write_text("before")

    def fail(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        collider.save(path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["x.json"]


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path):
    usual, kept = tmp_path / "usual", tmp_path / "kept.json"
    usual.write_bytes(b"")
    kept.write_bytes(b"")
    kept.chmod(0o604)
    golden_collider().save(kept)
    golden_collider().save(tmp_path / "new.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o604
    assert (tmp_path / "new.json").stat().st_mode == usual.stat().st_mode


def test_a_file_is_written_where_its_path_leads(tmp_path):
    """A folder is looked up once for all of its files: the places are those of realpath all the same."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "old.json").write_bytes(b"old")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "link.json").symlink_to("folder/old.json")
    (tmp_path / "dangling.json").symlink_to("real/new.json")
    (tmp_path / "loop.json").symlink_to("loop.json")
    names = (
        "a.json", "folder/b.json", "folder/../c.json", "link.json", "dangling.json", "real", "real/",
        "real/..", ".", "no/such.json", "./d.json", "folder//e.json", "folder", "loop.json",
    )  # fmt: skip
    paths = [os.path.join(tmp_path, name) for name in names]
    assert files._targets(paths) == [os.path.realpath(path) for path in paths]
    files.replace_files([(tmp_path / "link.json", b"1"), (tmp_path / "dangling.json", b"2")])
    assert {path.name: path.read_bytes() for path in (tmp_path / "real").iterdir()} == {
        "old.json": b"1",
        "new.json": b"2",
    }
    assert (tmp_path / "link.json").is_symlink()


@given(arrays(np.float64, (4, 3), elements=st.floats(allow_nan=False)))
def test_obj_coordinates_are_those_of_repr(points):
    rows = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist())
    assert _core.obj_vertices(points) == rows.encode()


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("x" * 250 + ".json")
    golden_collider().save(path)
    assert os.listdir(tmp_path) == [path.name]


def test_threads_may_write_the_same_file(tmp_path):
    path = tmp_path / "x.bin"
    versions = [bytes([k]) * 100_000 for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda data: files.replace_file(path, data), versions * 20))
    assert path.read_bytes() in versions
    assert os.listdir(tmp_path) == ["x.bin"]


def test_unknown_suffixes_are_refused(tmp_path):
    for name in ("x.txt", "x"):
        with pytest.raises(InputError, match=r"Known: \.json, \.obj, \.glb"):
            golden_collider().save(tmp_path / name)
    assert os.listdir(tmp_path) == []
    assert {".json", ".obj", ".glb", ".gltf"} <= {known.suffix for known in write_collider.FORMATS}


def test_half_a_letter_in_a_name_is_refused(tmp_path):
    """JSON can represent half of a surrogate pair, but no file can contain it."""
    collider = Collider([Sphere((0, 0, 0), 1)], labels=[Label("\ud800")], name="\ud800", unit="m", up="y")
    for name in ("x.json", "x.glb", "x.usda", "x.tscn"):
        with pytest.raises(InputError, match="is no text"):
            collider.save(tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_every_format_can_be_asked_for_by_name():
    assert write_collider.suffixes()[:3] == [".json", ".obj", ".glb"]
    for known in write_collider.FORMATS:
        assert write_collider.format_for("x", known.name).module == known.module
    with pytest.raises(InputError, match=r"unknown format 'urfd'\. Did you mean 'urdf'"):
        golden_collider().save("x.urdf", format="urfd")


def test_same_collider_same_bytes():
    for write in (collider_json.write, collider_obj.write, collider_glb.write):
        assert write(golden_collider()) == write(golden_collider(seconds=9.0))
