"""Small files with huge content, files that others would overwrite, and files that are read back
differently.
"""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc

import mesh_files
import numpy as np
import pytest
import specimens
from shape_strategies import one_of_each, random_hull, random_shape

from hitbox import Box, Capsule, Collider, Hull, InputError, Sphere, load
from hitbox._formats import mesh_builder, unreal_meshes
from hitbox._formats.mesh_builder import Polygons, Scene, merged

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def refused(path, *says) -> None:
    with pytest.raises(InputError) as caught:
        Collider.of(path)
    assert str(caught.value).count(path.name) == 1
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    for said in says:
        assert said in str(caught.value)


def peak_of(call) -> int:
    """Return the peak of the bytes that Python and numpy allocate."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------- Hulls come back as they were


@pytest.mark.parametrize(("name", "options"), [
    ("x.glb", {}), ("x.gltf", {}), ("x.glb", {"mesh": specimens.torus()}),
])  # fmt: skip
@pytest.mark.parametrize("count", [4, 20, 64])
def test_a_hull_comes_back_with_its_own_vertices(tmp_path, name, options, count):
    hull = random_hull(np.random.default_rng(count), count)
    Collider([hull], unit="m", up="y").save(tmp_path / name, **options)
    (back,) = Collider.of(tmp_path / name)
    assert back.triangles.tolist() == hull.triangles.tolist()
    np.testing.assert_allclose(back.vertices, hull.vertices, rtol=0, atol=1e-6)


def test_a_hull_for_unreal_comes_back_with_as_many_vertices(tmp_path):
    hull = random_hull(np.random.default_rng(0), 20)
    Collider([hull], unit="m", up="y").save(tmp_path / "x.glb", format="unreal")
    (back,) = Collider.of(tmp_path / "x.glb")
    assert len(back.triangles) == len(hull.triangles)
    in_order = [shape.vertices[np.lexsort(shape.vertices.T)] for shape in (back, hull)]
    np.testing.assert_allclose(*in_order, rtol=0, atol=1e-6)


def test_merging_keeps_the_order_and_what_is_used():
    points = np.array([[9, 9, 9], [0, 0, 0], [1, 0, 0], [-0.0, 0, 0], [0, 1, 0], [1, 0, 0]], float)
    vertices, triangles = merged(points, np.array([[4, 3, 2], [1, 5, 4], [1, 3, 5]]))
    assert vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert triangles.tolist() == [[2, 0, 1], [0, 1, 2]]
    for rows in (np.empty((0, 3), np.int64), np.array([[1, 3, 1]])):
        vertices, triangles = merged(points, rows)
        assert vertices.tolist() == points.tolist()
        assert triangles.shape == (0, 3)


def test_a_triangle_beyond_its_own_vertices_is_refused(tmp_path):
    """The triangle is refused even if another primitive has enough vertices."""
    cube = Hull(*Box((0, 0, 0), UPRIGHT, (1, 1, 1)).to_mesh())
    Collider([cube], unit="m", up="y").save(tmp_path / "x.gltf")
    document = json.loads((tmp_path / "x.gltf").read_text())
    (mesh,) = document["meshes"]
    document["accessors"][mesh["primitives"][0]["attributes"]["POSITION"]]["count"] -= 1
    mesh["primitives"] *= 2
    (tmp_path / "x.gltf").write_text(json.dumps(document))
    refused(tmp_path / "x.gltf", "a face uses vertex 23, of 23")


# ---------------------------------------------------------------- Files beside the main one


def test_no_two_scenes_share_what_lies_beside_them(tmp_path):
    collider = Collider(one_of_each(), unit="m", up="y")
    for k, name in enumerate(names := ["my.one.tscn", "my.two.tscn", "my.tscn", "my", "my.one"]):
        report = collider.save(tmp_path / name, format="godot", mesh=specimens.icosphere(k))
        assert report.files[1:] == (str(tmp_path / f"{name}_visual.glb"),)
    for k, name in enumerate(names):
        assert load(tmp_path / f"{name}_visual.glb").face_count == 20 * 4**k
        assert f'path="{name}_visual.glb"' in (tmp_path / name).read_text()


def test_no_two_builders_share_their_json(tmp_path):
    names = ["my.one.py", "my.two.py", "my.py", "my.one", "my"]
    for name in names:
        Collider([Sphere((0, 0, 0), 1)], name=name).save(tmp_path / name, format="rapier")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*names, *(f"{name}.rapier.json" for name in names)]
    )


# ---------------------------------------------------------------- gzip


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".tscn", ".json", ".urdf", ".yml", ".usda", ".dae"])
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(mesh_builder, "_FREE_BYTES", 2**16)
    path = tmp_path / f"x{suffix}.gz"
    path.write_bytes(gzip.compress(b" " * 2**24))
    peak = peak_of(lambda: refused(path, "unpacks to too much"))
    assert peak < 2**23  # 200 times the file, once in pieces and once as a whole


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".tscn", ".json", ".urdf", ".sdf", ".usda", ".usdc"])
def test_what_is_gzipped_is_read_as_it_was(tmp_path, suffix):
    if suffix.startswith(".usd"):
        pytest.importorskip("pxr")
    plain, packed = tmp_path / f"x{suffix}", tmp_path / f"x{suffix}.gz"
    Collider([Box((1, 2, 3), UPRIGHT, (1, 2, 3)), Sphere((0, 0, 0), 2)], unit="m", up="z").save(plain)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert Collider.of(packed) == Collider.of(plain)
    assert Collider.load(packed) == Collider.load(plain)
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-9])
    refused(packed, "gzip data is cut short")


def test_a_description_that_is_gzipped_finds_its_meshes(tmp_path):
    Collider([random_hull(np.random.default_rng(1))], unit="m", up="z").save(tmp_path / "x.urdf")
    (tmp_path / "x.urdf.gz").write_bytes(gzip.compress((tmp_path / "x.urdf").read_bytes()))
    assert Collider.of(tmp_path / "x.urdf.gz").shapes == Collider.of(tmp_path / "x.urdf").shapes


def test_gzip_in_many_members_takes_time_in_proportion():
    packed = gzip.compress(b"") * 60_000 + gzip.compress(b"ab" * 10**6) + gzip.compress(b"c") + b"\0" * 999
    start = time.process_time()
    assert mesh_builder.unpacked(packed, "x.gz") == b"ab" * 10**6 + b"c"
    # it took twice as long before, and four times as long for twice as many
    assert time.process_time() - start < 1.5


@pytest.mark.parametrize("size", [0, 1, 505, 512, 3000, 2**21])
def test_gzip_of_every_size(size):
    content = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    packed = gzip.compress(content, 1)
    for data in (packed, packed + b"\0" * 600):
        assert mesh_builder.unpacked(data, "x.gz") == content
    twice = packed + gzip.compress(b"more") + packed
    assert mesh_builder.unpacked(twice, "x.gz") == content + b"more" + content
    assert mesh_builder.unpacked(content, "x") == content
    broken = [(packed[:-1], "cut short"), (packed + b"xyz", "damaged"), (packed + packed[:9], "cut short")]
    for data, says in broken:
        with pytest.raises(InputError, match=rf"^x\.gz: its gzip data is .*{says}"):
            mesh_builder.unpacked(data, "x.gz")


# ---------------------------------------------------------------- Instances


def doubling(levels: int, faces: int) -> str:
    """Return nodes that each refer to the next one twice, down to a fan of this many triangles."""
    ring = " ".join(f"{np.cos(k):.3f} {np.sin(k):.3f} 0" for k in range(faces + 2))
    rows = " ".join(f"0 {k + 1} {k + 2}" for k in range(faces))
    nodes = "".join(
        f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 2 + "</node>" for k in range(levels)
    )
    return (
        '<COLLADA><library_geometries><geometry id="g"><mesh>'
        f'<source id="p"><float_array>{ring}</float_array></source>'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<triangles><input semantic="VERTEX" source="#v" offset="0"/>'
        f"<p>{rows}</p></triangles></mesh></geometry></library_geometries><library_nodes>{nodes}"
        f'<node id="n{levels}"><instance_geometry url="#g"/></node></library_nodes>'
        '<library_visual_scenes><visual_scene><node><instance_node url="#n0"/></node></visual_scene>'
        "</library_visual_scenes></COLLADA>"
    )


@pytest.mark.parametrize("faces", [1, 400])
def test_instances_are_refused_long_before_memory_ends(tmp_path, monkeypatch, faces):
    monkeypatch.setattr(mesh_builder, "_FREE_CORNERS", 2**18)
    path = tmp_path / "x.dae"
    path.write_text(doubling(40, faces))
    assert path.stat().st_size < 16_000

    def read() -> None:
        with pytest.raises(InputError, match=r"^x\.dae: its instances make the mesh too large"):
            load(path)

    assert peak_of(read) < 2**24  # 64 bytes per allowed corner


def test_what_a_scene_holds_grows_with_its_file(monkeypatch):
    monkeypatch.setattr(mesh_builder, "_FREE_CORNERS", 1000)
    one = Polygons(
        np.eye(3), np.arange(3), np.array([3]), np.zeros(1, np.int64), ("",)
    )  # 3 corners, 3 vertices, and 64 for itself

    def held(file_size: int | None) -> int:
        made = Scene("x", file_size)
        for count in range(3000):
            try:
                made.add(one, np.eye(4), "")
            except InputError:
                return count
        return 3000

    assert held(1) == held(15) == 1000 // 70
    assert held(100) == 6400 // 70
    assert held(None) == 3000
    monkeypatch.setattr(mesh_builder, "MOST_CORNERS", 2000)
    assert held(100) == held(None) == 2000 // 70


# ---------------------------------------------------------------- YAML


def sphere(center: str = "[0, 0, 0]", radius: str = "1") -> str:
    return f"{{center: {center}, radius: {radius}}}"


def one_sphere(*fields: str, **named: str) -> str:
    return f"collision_spheres: {{l: [{sphere(*fields, **named)}]}}"


ALIASES = f"""
a: &a [{", ".join([sphere()] * 500)}]
collision_spheres: {{{", ".join(f"l{k}: *a" for k in range(500))}}}
"""
MERGES = "\n".join(
    ["a0: &a0 {x: 1}"]
    + [f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}" for k in range(1, 9)]
    + ["collision_spheres: *a8"]
)
YAMLS = {
    "aliases": (ALIASES, "it has aliases (*)"),
    "merge keys": (MERGES, "it has merge keys (<<)"),
    "a merge key without alias": ("collision_spheres: {<<: {l: []}}", "Replace them by their content"),
    "itself": ("collision_spheres: &a {l: *a}", "it has aliases (*)"),
    "a tag": (one_sphere(radius="!!int 1"), "it has tags (!)"),
    "a number to the base 60": (one_sphere(radius="1" + ":1" * 300_000), "radius must be"),
    "a date that is none": (one_sphere(radius="2001-99-99"), "radius must be"),
    "a large number": (one_sphere(radius="9" * 5000), "radius must be"),
    "a letter beyond Unicode": (r'a: "\UFFFFFFFF"', "not YAML"),
    "a long center": (one_sphere("[" + "1," * 9999 + "]"), "center must be 3"),
}


@pytest.mark.parametrize("case", YAMLS)
def test_yaml_that_stands_for_more_is_refused(tmp_path, case):
    pytest.importorskip("yaml")
    text, says = YAMLS[case]
    (tmp_path / "x.yml").write_text(text)
    start = time.process_time()
    refused(tmp_path / "x.yml", says)
    assert time.process_time() - start < 3


def test_yaml_of_people_is_read(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "x.yml").write_text(
        "collision_spheres: &unused\n"
        "  'a link': # with a comment\n"
        "  - center:\n    - 1e-3\n    - -.5\n    - +2\n    radius: 1.5E+1\n"
        '  12: [{"center": [0, 0, 1_0], "radius": "0.25", more: null}]\n'
    )
    made = Collider.of(tmp_path / "x.yml")
    assert made.shapes == (Sphere((0.001, -0.5, 2), 15), Sphere((0, 0, 10), 0.25))
    assert [label.part for label in made.labels] == ["a link", "12"]


# ---------------------------------------------------------------- Unreal's names


def named(name: str, vertices, triangles) -> bytes:
    faces = np.asarray(triangles).tolist()
    return f"o {name}\n".encode() + mesh_files.obj(np.asarray(vertices, float), faces)


def brute_force(points) -> float:
    return float(np.linalg.norm(points[:, None] - points, axis=2).max())


@pytest.mark.parametrize("seed", range(30))
def test_the_farthest_pair_is_that_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(rng.integers(2, 300), 3)) * rng.uniform(0.01, 1, 3)
    if seed % 3 == 1:  # on a ball all points are ends of pairs that are nearly as far apart
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    if seed % 3 == 2:
        points = unreal_meshes._mesh(random_shape("capsule", seed), "c")[0]
    start, end, length = unreal_meshes._farthest_pair(points)
    assert length == pytest.approx(np.linalg.norm(end - start))
    assert length == pytest.approx(brute_force(points), rel=2e-6)


def test_a_capsule_of_many_vertices_needs_no_table_of_pairs(tmp_path):
    ball = specimens.icosphere(5)
    vertices = ball.vertices + np.where(ball.vertices[:, 2:] > 0, [0, 0, 2], [0, 0, -2])
    mesh = load_named(tmp_path, "UCP_a_00", vertices, ball.triangles)
    found = []
    assert peak_of(lambda: found.extend(unreal_meshes.collider_of(mesh, "a"))) < 20e6
    (capsule,) = found
    assert isinstance(capsule, Capsule)
    np.testing.assert_allclose(capsule.radius, 1, rtol=1e-3)
    np.testing.assert_allclose(np.abs(capsule.start), (0, 0, 2), atol=0.05)


def load_named(folder, name, vertices, triangles):
    (folder / "x.obj").write_bytes(named(name, vertices, triangles))
    return load(folder / "x.obj")


@pytest.mark.parametrize(("name", "points", "says"), [
    ("UBX_a", [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "UBX_a: is not a box: its triangles have no area"),
    ("UBX_a", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "UBX_a: is not a box: its sides are not at right angles"),
    ("UBX_a", [[1, 1, 1]] * 3, "UBX_a: is a single point"),
    ("USP_a", [[1, 1, 1]] * 3, "USP_a: is a single point"),
    ("UCP_a", [[1, 1, 1]] * 3, "UCP_a: is a single point"),
    ("UCP_a", [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "radius must be positive"),
    ("UCX_a", [[1, 1, 1]] * 3, "UCX_a: is a single point"),
    ("UCX_a", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "UCX_a: is flat and has no inside"),
])  # fmt: skip
def test_meshes_that_are_not_what_their_name_says(tmp_path, name, points, says):
    """The file also has a valid mesh."""
    other = "o render\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"
    (tmp_path / "x.obj").write_bytes(named(name, points, [[0, 1, 2]]) + other.encode())
    refused(tmp_path / "x.obj", says)


# ---------------------------------------------------------------- USD packages


def test_the_colliders_of_a_package_are_read(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Sdf, UsdUtils

    ball = Sphere((3, 0, 0), 0.5)
    collider = Collider([Box((0, 0, 0), UPRIGHT, (1, 2, 3)), ball], name="crate", unit="m", up="z")
    collider.save(tmp_path / "x.usdc", mesh=specimens.torus())
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(tmp_path / "x.usdc")), str(tmp_path / "x.usdz"))
    (tmp_path / "x.usdz.gz").write_bytes(gzip.compress((tmp_path / "x.usdz").read_bytes()))
    for name in ("x.usdz", "x.usdz.gz"):
        made = Collider.of(tmp_path / name)
        assert made == Collider.of(tmp_path / "x.usdc")
        assert [shape.kind for shape in made] == ["box", "sphere"]
        assert made == Collider.load(tmp_path / name)


def test_a_package_without_colliders_is_hulls_as_before(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Sdf, Usd, UsdGeom, UsdUtils

    stage = Usd.Stage.CreateNew(str(tmp_path / "x.usdc"))
    UsdGeom.Cube.Define(stage, "/cube")
    stage.GetRootLayer().Save()
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(tmp_path / "x.usdc")), str(tmp_path / "x.usdz"))
    (hull,) = Collider.of(tmp_path / "x.usdz")
    assert isinstance(hull, Hull)
    np.testing.assert_allclose(hull.bounds, [[-1, -1, -1], [1, 1, 1]])
