from __future__ import annotations

import gzip
import io
import json
import random
import resource
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mesh_files
import numpy as np
import numpy.typing as npt
import pytest
import specimens
from hypothesis import HealthCheck, given, settings

from hitbox._base.errors import InputError
from hitbox._formats.read_mesh import load
from hitbox._model.mesh import Mesh

V = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.25, 0.125]])
POLYGONS = [[0, 3, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
PYRAMID = Mesh(V, POLYGONS)
T = PYRAMID.triangles.astype(np.int64)

Read = Callable[..., Mesh]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read(content: bytes | str, suffix: str) -> Mesh:
        path = tmp_path / f"mesh{suffix}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return load(path)

    return read


def corners(mesh: Mesh) -> list[list[list[float]]]:
    return [mesh.vertices[face].tolist() for face in specimens.polygons_of(mesh)]


def refuse(read: Read, content: bytes | str, suffix: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(content, suffix)
    assert f"mesh{suffix}: " in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- the same mesh from every format and variant

PLAIN: list[tuple[str, bytes]] = [
    (".obj", mesh_files.obj(V, POLYGONS)),
    (".obj", mesh_files.obj(V, POLYGONS, corner="{0}/1/1", newline="\r\n")),
    (".obj", mesh_files.obj(V, POLYGONS, corner="{0}//7")),
    (".obj", mesh_files.obj(V, POLYGONS, corner="{0}/2")),
    (".off", mesh_files.off(V, POLYGONS)),
    (".off", mesh_files.off(V, POLYGONS, first="OFF ")),
    (".off", mesh_files.off(V, POLYGONS, first="# c\nCOFF\n# d\n\n", tail=" 255 0 0 1 # red")),
    (".off", mesh_files.off(V, POLYGONS, first="NOFF\r\n")),
    (".off", mesh_files.off(V, POLYGONS, first="")),
    (".ply", mesh_files.ply(V, POLYGONS, order="")),
    (".ply", mesh_files.ply(V, POLYGONS, order="", newline="\r\n")),
    (".ply", mesh_files.ply(V, POLYGONS, order="<", newline="\r")),
    *(
        (
            ".ply",
            mesh_files.ply(
                V,
                POLYGONS,
                order=order,
                point=point,
                count=count,
                index=index,
                list_name=name,
                newline=newline,
            ),
        )
        for order in "<>"
        for point, count, index, name, newline in [
            ("f8", "u1", "i4", "vertex_indices", "\n"),
            ("f4", "u4", "u2", "vertex_index", "\r\n"),
            ("f4", "i2", "u1", "vertex_index", "\n"),
            ("f8", "i1", "i1", "vertex_indices", "\n"),
        ]
    ),
]

TRIANGLES: list[tuple[str, bytes]] = [
    (".stl", mesh_files.stl(V, T)),
    (".stl", mesh_files.stl(V, T, header=b"solid in name only")),
    (".stl", mesh_files.stl_text(V, T)),
    (".stl", mesh_files.stl_text(V, T, newline="\r\n").upper()),
    (".glb", mesh_files.gltf_of(V, T).glb()),
    (".gltf", mesh_files.gltf_of(V, T).gltf()),
]


@pytest.mark.parametrize(("suffix", "content"), PLAIN)
def test_polygons_come_back(read: Read, suffix: str, content: bytes) -> None:
    mesh = read(content, suffix)
    assert mesh.vertices.tolist() == V.tolist()
    assert specimens.polygons_of(mesh) == POLYGONS
    assert mesh.name == f"mesh{suffix}"
    assert (mesh.unit, mesh.up) == (None, None)


@pytest.mark.parametrize(("suffix", "content"), TRIANGLES)
def test_triangles_come_back(read: Read, suffix: str, content: bytes) -> None:
    mesh = read(content, suffix)
    assert corners(mesh) == V[T].tolist()
    if suffix == ".stl":
        assert len(mesh.vertices) == 3 * len(T)
    else:
        assert (mesh.unit, mesh.up, mesh.part_names) == ("m", "y", ("only",))


@pytest.mark.parametrize(("suffix", "content"), PLAIN[::4] + TRIANGLES)
def test_gzip_is_known_by_its_first_bytes(read: Read, suffix: str, content: bytes) -> None:
    plain = read(content, suffix)
    for packed in (
        gzip.compress(content, 1),
        gzip.compress(content, 9),
        gzip.compress(content[:50]) + gzip.compress(content[50:]),
    ):
        for name in (suffix + ".gz", suffix, suffix.upper() + ".GZ"):
            assert read(packed, name).sha256 == plain.sha256
    assert read(content, suffix + ".gz").sha256 == plain.sha256


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(specimens.ugly_meshes())
def test_any_mesh_survives_text_and_binary(read: Read, mesh: Mesh) -> None:
    faces = specimens.polygons_of(mesh)
    for suffix, content in (
        (".obj", mesh_files.obj(mesh.vertices, faces)),
        (".off", mesh_files.off(mesh.vertices, faces)),
        (".ply", mesh_files.ply(mesh.vertices, faces, order="")),
        (".ply", mesh_files.ply(mesh.vertices, faces, order=">")),
    ):
        assert read(content, suffix).sha256 == mesh.sha256


# ---- other readers and writers as oracles


def test_trimesh_agrees(read: Read, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    for k, mesh in enumerate([specimens.icosphere(2), specimens.torus(), specimens.soup(50)]):
        judge = trimesh.Trimesh(mesh.vertices.astype(np.float32), mesh.triangles, process=False)
        for suffix in (".obj", ".ply", ".stl", ".off", ".glb"):
            path = tmp_path / f"judge{k}{suffix}"
            judge.export(path)
            own = load(path)
            theirs = trimesh.load(path, process=False, force="mesh")
            mine, other = own.vertices[own.triangles], theirs.vertices[theirs.faces]
            assert mine.shape == other.shape
            assert np.allclose(mine, other, atol=1e-8), suffix


def test_trimesh_agrees_on_scenes(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    for k in range(4):
        transform = trimesh.transformations.random_rotation_matrix(np.random.default_rng(k).random(3))
        transform[:3, 3] = [k, 2 * k, -k]
        scene.add_geometry(trimesh.creation.box((1, 2, 3 + k % 2)), node_name=f"n{k}", transform=transform)
    path = tmp_path / "scene.glb"
    scene.export(path)
    own = load(path)
    theirs = trimesh.load(path).to_geometry()
    assert sorted(own.part_names) == [f"n{k}" for k in range(4)]
    assert own.info().volume == pytest.approx(theirs.volume)
    assert np.allclose(own.bounds, theirs.bounds)
    mine = np.sort(np.round(own.vertices[own.triangles].reshape(-1, 9), 5), axis=0)
    assert np.allclose(mine, np.sort(np.round(theirs.triangles.reshape(-1, 9), 5), axis=0), atol=2e-5)


def test_pygltflib_agrees(tmp_path: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib")
    path = tmp_path / "mesh.glb"
    path.write_bytes(mesh_files.gltf_of(V, T).glb())
    document = pygltflib.GLTF2().load(path)
    accessor = document.accessors[document.meshes[0].primitives[0].attributes.POSITION]
    view = document.bufferViews[accessor.bufferView]
    points = np.frombuffer(document.binary_blob(), "<f4", 3 * accessor.count, view.byteOffset).reshape(-1, 3)
    assert sorted(points.tolist()) == sorted(load(path).vertices.tolist())
    with pytest.warns(UserWarning, match="binary blob"):
        document.save(str(tmp_path / "again.gltf"))
    assert load(tmp_path / "again.gltf").sha256 == load(path).sha256


# ---- OBJ


def test_obj_oddities(read: Read) -> None:
    text = (
        "# c\nmtllib none.mtl\r\no first\n  v 0 0 0 1.0 0.5 0.5 0.5\n"
        "v\t+1 -0.0 1e-400 # c\nv 1. .5e0 0\\\n\nvn 0 0 1\nvt 0 0\n"
        "f 1/1/1 -2//1 3 # c\nl 1 2\np 1\nv 0 0 7\nf 1 \\\r\n 2 \\\n 4\nusemtl oak wood\n"
        "g a b\nf 5 2 3\no second\n"
        "s off\ncurv 0 1\nv 2 2 2\nf 1 2 3"
    )
    mesh = read(text, ".obj")
    assert specimens.polygons_of(mesh) == [[0, 1, 2], [0, 1, 3], [4, 1, 2], [0, 1, 2]]
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0.5, 0], [0, 0, 7], [2, 2, 2]]
    assert mesh.part_names == ("first", "second")
    assert mesh.material_names == ("", "oak wood")
    assert mesh.part is not None
    assert mesh.material is not None
    assert mesh.part.tolist() == [0, 0, 0, 1]
    assert mesh.material.tolist() == [0, 0, 1, 1]


def test_obj_parts_are_objects_or_else_groups(read: Read) -> None:
    head = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    assert read(head + "f 1 2 3\n", ".obj").part is None
    assert read(head + "g\ng a\ng b\nf 1 2 3\n", ".obj").part_names == ("b",)
    assert read(head + "o all\ng a\nf 1 2 3\ng b\nf 1 2 3\ng a\nf 3 2 1\n", ".obj").part_names == ("a", "b")
    assert read(head + "o all\nf 1 2 3\n", ".obj").part_names == ("all",)
    assert read(head + "f 1 2 3\ng late\nf 1 2 3\n", ".obj").part_names == ("", "late")
    strange = read(head.encode() + b"o caf\xe9\tx\nf 1 2 3\n", ".obj")
    assert strange.part_names == ("caf\ufffd x",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("v 1 2", r"line 4: a vertex with 2 coordinates"),
        ("v 1 2 x", r"line 4: expected a number, found 'x'"),
        ("v 1 2 1,5", r"line 4: expected a number, found '1,5'"),
        ("v 1 nan 2", r"line 4: vertex 4 is \(1, nan, 2\)"),
        ("v 1 1e999 2", r"line 4: vertex 4 is \(1, inf, 2\)"),
        ("f 1 2", r"line 4: face 1 has 2 corners"),
        ("f", r"line 4: face 1 has 0 corners"),
        ("f 1 2 0", r"line 4: the face uses vertex 0"),
        ("f 1 2 -4", r"line 4: the face uses vertex -4"),
        ("f 1 2 4", r"line 4: the face uses vertex 4, but the file has 3"),
        ("f 1 2 99999999999999999999", r"line 4: expected a vertex number"),
        ("f 1 2 9999999999999", r"line 4: the face uses vertex 9999999999999"),
        ("f 1 2 3x", r"line 4: expected a vertex number, found '3x'"),
        ("f 1 2 3/a", r"line 4: expected a vertex number, found '3/a'"),
    ],
)
def test_obj_errors_name_the_line(read: Read, line: str, message: str) -> None:
    refuse(read, f"v 0 0 0\nv 1 0 0\nv 0 1 0\n{line}\nf 1 2 3\n", ".obj", message)


# ---- PLY


def test_ply_takes_properties_in_any_order_and_passes_over_the_rest(read: Read) -> None:
    head = (
        "ply\nformat {} 1.0\nelement camera 1\nproperty list uchar float view\nproperty uchar on\n"
        "element vertex 3\n"
        "property uchar red\nproperty double z\nproperty list int short bones\n"
        "property float x\nproperty short y\n"
        "element empty 5\nelement face 1\nproperty int group\nproperty list ushort uint vertex_index\n"
        "property list uchar float texcoord\nend_header\n"
    )
    text = "2 0.5 0.5 1\n9 3 1 4 1 2\n9 6 0 4 5\n9 0 2 7 8 0 1\n77 3 0 1 2 1 0.5\n"
    mesh = read(head.format("ascii") + text, ".ply")
    assert mesh.vertices.tolist() == [[1, 2, 3], [4, 5, 6], [0, 1, 0]]
    for order, name in (("<", "little"), (">", "big")):
        pack = struct.pack
        body = pack(order + "B2fB", 2, 0.5, 0.5, 1)
        body += pack(order + "Bdihfh", 9, 3, 1, 4, 1, 2) + pack(order + "Bdifh", 9, 6, 0, 4, 5)
        body += pack(order + "Bdi2hfh", 9, 0, 2, 7, 8, 0, 1) + pack(order + "iH3IBf", 77, 3, 0, 1, 2, 1, 0.5)
        assert read(head.format(f"binary_{name}_endian").encode() + body, ".ply").sha256 == mesh.sha256


def test_ply_strips_are_turned_and_cut(read: Read) -> None:
    points = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n"
    head = (
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    )
    mesh = read(head + points + "9 0 1 2 3 4 -1 0 1 4\n", ".ply")
    assert mesh.triangles.tolist() == [[0, 1, 2], [2, 1, 3], [2, 3, 4], [0, 1, 4]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"ply\n", b"plx\n", "header line 1: expected 'ply'"),
        (b"ascii", b"utf-8", "header line 2: unknown format 'utf-8'"),
        (b"property double x", b"property quad x", "header line 6: unknown type 'quad'"),
        (b"double x", b"double u", "no property 'x'"),
        (b"vertex_indices", b"something", "there are no faces"),
        (b"element vertex 5", b"element vertex", "header line 5: expected 'element NAME COUNT'"),
        (b"element vertex 5", b"element vertex 4000000000", "line 12: 4000000000 x 'vertex' do not fit"),
        (b"uchar int vertex", b"float int vertex", "header line 10: unknown type of a list's length"),
        (b"uchar int vertex", b"uchar float vertex", "must be whole numbers"),
        (b"3 0 1 4\n", b"3 0 1 5\n", "line 18: face 1 uses vertex 5, but the file has 5"),
        (b"3 0 1 4\n", b"3 0 1 -1\n", "face 1 uses vertex -1"),
        (b"3 0 1 4\n", b"2 0 1\n", "face 1 has 2 corners"),
        (b"1.0 0.0 0.0\n", b"1.0 nan 0.0\n", r"vertex 1 is \(1, nan, 0\)"),
        (b"1.0 0.0 0.0\n", b"1.0 zero 0.0\n", "line 13: vertex 1 of 5"),
        (b"end_header\n", b"end_head\n", "unknown keyword 'end_head'"),
    ],
)
def test_ply_errors_name_the_place(read: Read, old: bytes, new: bytes, message: str) -> None:
    content = mesh_files.ply(V, POLYGONS, order="")
    assert content.count(old) == 1
    refuse(read, content.replace(old, new), ".ply", message)


# ---- STL, OFF


def test_stl_solids_are_parts(read: Read) -> None:
    two = mesh_files.stl_text(V, T[:2], name="one") + mesh_files.stl_text(V, T[2:], name="two words")
    mesh = read(two, ".stl")
    assert mesh.part_names == ("one", "two words")
    assert mesh.part is not None
    assert mesh.part.tolist() == [0, 0, 1, 1, 1, 1]
    assert read(mesh_files.stl_text(V, T, name=""), ".stl").part is None


def test_stl_errors_name_the_place(read: Read) -> None:
    binary = mesh_files.stl(V, T)
    refuse(read, binary[:-1], ".stl", "byte 80: 6 triangles need 384 bytes, but the file has 383")
    refuse(read, binary[:80] + b"\xff\xff\xff\xff" + binary[84:], ".stl", "4294967295 triangles")
    refuse(read, binary[:80] + bytes(4), ".stl", "no faces")
    refuse(read, b"hello", ".stl", "neither text STL")
    bad = bytearray(binary)
    bad[84 + 50 + 12 : 84 + 50 + 16] = struct.pack("<f", np.inf)
    refuse(read, bytes(bad), ".stl", r"vertex 3 is \(inf")
    text = mesh_files.stl_text(V, T).decode()
    refuse(
        read,
        text.replace("vertex 1.0", "vertex one", 1),
        ".stl",
        r"line \d+: expected a coordinate, found 'one'",
    )
    refuse(read, text.replace("      vertex 0.0 0.0 0.0\n", "", 1), ".stl", "triangle 0 has 2 vertices")
    refuse(read, text[: text.index("endloop")], ".stl", "ends inside a facet")
    refuse(read, text.replace("outer", "inner", 1), ".stl", "line 3: .*'inner'")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("OFF BINARY\n", "line 1: binary OFF"),
        ("4OFF\n1 1 0\n", "line 1: the kind '4OFF'"),
        ("FOO\n", "line 1: expected 'OFF', found 'FOO'"),
        ("OFF\nmany\n", "line 2: expected the number of vertices"),
        ("OFF\n4000000000 1 0\n0 0 0\n", "do not fit"),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 y 0\n3 0 1 2\n", "line 5: vertex 2: expected a coordinate, found 'y'"),
        (
            "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
            "line 6: face 0: expected a vertex number below 3, found '3'",
        ),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "line 6: face 0 has 2 corners|do not fit"),
        ("OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n# too short\n", "line 8: the file ends at face 1 of 2"),
        ("OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n", "no faces"),
    ],
)
def test_off_errors_name_the_line(read: Read, content: str, message: str) -> None:
    refuse(read, content, ".off", message)


# ---- glTF


def gltf_read(read: Read, gltf: mesh_files.Gltf) -> Mesh:
    mesh = read(gltf.glb(), ".glb")
    assert read(gltf.gltf(), ".gltf").sha256 == mesh.sha256
    return mesh


def test_gltf_index_types_strides_and_no_indices(read: Read) -> None:
    for kind in ("<u1", "<u2", "<u4"):
        gltf = mesh_files.Gltf()
        positions = gltf.accessor(V.astype("<f4"), stride=20)
        indices = gltf.accessor(T.astype(kind).ravel())
        gltf.add("meshes", {"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]})
        gltf.add("nodes", {"mesh": 0})
        mesh = gltf_read(read, gltf)
        assert corners(mesh) == V[T].tolist()
        assert mesh.part_names == ("node 0",)
    loose = mesh_files.Gltf()
    loose.add("nodes", {"mesh": loose.mesh(V[T].reshape(-1, 3).astype("<f4"), None), "name": "x"})
    assert corners(gltf_read(read, loose)) == V[T].tolist()


def test_gltf_strips_fans_and_other_modes(read: Read) -> None:
    order = np.array([0, 1, 2, 3, 4], "<u2")
    for mode, expected in (
        (5, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]),
        (6, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]),
    ):
        gltf = mesh_files.Gltf()
        mesh = gltf.mesh(V.astype("<f4"), order, mode=mode)
        for other in (0, 1, 2, 3):
            gltf.json["meshes"][mesh]["primitives"].append({"attributes": {"POSITION": 0}, "mode": other})
        gltf.add("nodes", {"mesh": mesh})
        assert corners(gltf_read(read, gltf)) == V[np.array(expected)].tolist()
    only_lines = mesh_files.Gltf()
    only_lines.add("nodes", {"mesh": only_lines.mesh(V.astype("<f4"), order, mode=1)})
    refuse(read, only_lines.glb(), ".glb", "shows no triangles")


def test_gltf_sparse_accessors(read: Read) -> None:
    gltf = mesh_files.Gltf()
    at, values = gltf.view(np.array([1, 2, 3, 4], "<u2").tobytes()), gltf.view(V[1:].astype("<f4").tobytes())
    sparse = {
        "count": 4,
        "indices": {"bufferView": at, "componentType": 5123},
        "values": {"bufferView": values},
    }
    zeros = gltf.add("accessors", {"componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse})
    over = gltf.accessor(np.full((5, 3), 9, "<f4"), sparse=sparse)
    indices = gltf.accessor(T.astype("<u2").ravel())
    for positions in (zeros, over):
        gltf.add("meshes", {"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]})
        gltf.add("nodes", {"mesh": positions - zeros})
    expected = V.copy()
    mesh = gltf_read(read, gltf)
    assert corners(mesh)[:6] == expected[T].tolist()
    expected[0] = 9
    assert corners(mesh)[6:] == expected[T].tolist()


@pytest.mark.parametrize("kind", ["<u1", "<u2", "<u4"])
def test_gltf_numbers_are_the_same_however_they_are_stored(read: Read, kind: str) -> None:
    gltf = mesh_files.Gltf()
    order = T.astype(kind).ravel()
    wrong_first = order.copy()
    wrong_first[0] = 255  # out of range, but overridden
    at, values = gltf.view(b"\0"), gltf.view(order[:1].tobytes())
    sparse = {
        "count": 1,
        "indices": {"bufferView": at, "componentType": 5121},
        "values": {"bufferView": values},
    }
    tight, apart = gltf.accessor(V.astype("<f4")), gltf.accessor(V.astype("<f4"), stride=28)
    plain, overridden = gltf.accessor(order), gltf.accessor(wrong_first, sparse=sparse)
    for positions in (tight, apart):
        for indices in (plain, overridden):
            primitive = {"attributes": {"POSITION": positions}, "indices": indices}
            gltf.add("nodes", {"mesh": gltf.add("meshes", {"primitives": [primitive]})})
    assert corners(gltf_read(read, gltf)) == 4 * V.astype("<f4")[T].tolist()


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("kind", "top"), [("<i1", 127), ("<u1", 255), ("<i2", 32767), ("<u2", 65535)])
def test_gltf_quantized_positions(read: Read, kind: str, top: int, normalized: bool) -> None:
    whole = np.round(V * 100).astype(kind)
    whole[0] = np.iinfo(kind).min
    gltf = mesh_files.Gltf()
    gltf.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    positions = gltf.accessor(whole, stride=4 if whole.itemsize == 1 else 8, normalized=normalized)
    indices = gltf.accessor(T.astype("<u2").ravel())
    gltf.add("meshes", {"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]})
    gltf.add("nodes", {"mesh": 0})
    expected = np.maximum(whole / top, -1) if normalized else whole.astype(float)
    assert np.array_equal(corners(gltf_read(read, gltf)), expected[T])


def quaternion_matrix(q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the matrix of a quaternion by its effect on the axes: v + 2 u x (u x v + w v)."""
    u, w = q[:3], q[3]
    return np.array([v + 2 * np.cross(u, np.cross(u, v) + w * v) for v in np.eye(3)]).T


def test_gltf_transforms_instances_and_mirrors(read: Read) -> None:
    rng = np.random.default_rng(5)
    box = specimens.box()
    gltf = mesh_files.Gltf()
    shared = gltf.mesh(box.vertices.astype("<f4"), box.triangles.astype("<u2").ravel())
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    scale, shift = np.array([2.0, -0.5, 1.5]), np.array([3.0, 4.0, 5.0])
    matrix = np.eye(4)
    matrix[:3] = rng.normal(size=(3, 4))
    gltf.add("nodes", {"name": "child", "mesh": shared, "matrix": matrix.T.ravel().tolist()})
    gltf.add(
        "nodes",
        {
            "name": "parent",
            "mesh": shared,
            "children": [0],
            "rotation": q.tolist(),
            "scale": scale.tolist(),
            "translation": shift.tolist(),
        },
    )
    gltf.add("nodes", {"name": "not shown", "mesh": shared})
    gltf.json.update(scene=1, scenes=[{"nodes": [2]}, {"nodes": [1]}])
    mesh = gltf_read(read, gltf)
    linear = quaternion_matrix(q) * scale
    parent = box.vertices @ linear.T + shift
    child = (box.vertices @ matrix[:3, :3].T + matrix[:3, 3]) @ linear.T + shift
    assert mesh.part_names == ("parent", "child")
    assert mesh.part is not None
    assert mesh.part.tolist() == [0] * 12 + [1] * 12
    used = {0: parent, 1: child}
    for part, expected in used.items():
        mine = mesh.vertices[np.unique(mesh.triangles[mesh.part == part])]
        assert np.allclose(np.sort(mine, axis=0), np.sort(expected, axis=0), atol=1e-12)
    info = mesh.info()
    assert info.closed
    determinant = abs(np.linalg.det(linear))
    assert info.volume == pytest.approx(determinant + determinant * abs(np.linalg.det(matrix[:3, :3])))


def test_gltf_gpu_instances(read: Read) -> None:
    box = specimens.box()
    gltf = mesh_files.Gltf()
    shared = gltf.mesh(box.vertices.astype("<f4"), box.triangles.astype("<u2").ravel())
    shifts = np.array([[0, 0, 0], [5, 0, 0], [0, 7, 0]], "<f4")
    turns = np.array([[0, 0, 0, 32767]] * 3, "<i2")
    attributes = {
        "TRANSLATION": gltf.accessor(shifts),
        "ROTATION": gltf.accessor(turns, normalized=True),
        "SCALE": gltf.accessor(np.full((3, 3), 2, "<f4")),
    }
    gltf.add(
        "nodes",
        {
            "mesh": shared,
            "name": "many",
            "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}},
        },
    )
    gltf.json["extensionsRequired"] = ["EXT_mesh_gpu_instancing"]
    mesh = gltf_read(read, gltf)
    assert mesh.part_names == ("many",)
    info = mesh.info()
    assert (info.components, info.volume) == (3, pytest.approx(24.0))
    assert mesh.bounds.tolist() == [[-1, -1, -1], [6, 8, 1]]


def test_gltf_materials_and_shared_vertices(read: Read) -> None:
    gltf = mesh_files.Gltf()
    positions = gltf.accessor(V.astype("<f4"))
    parts = [gltf.accessor(T[k : k + 2].astype("<u2").ravel()) for k in (0, 2, 4)]
    gltf.add("materials", {"name": "oak"})
    gltf.add("materials", {})
    primitives: list[dict[str, Any]] = [{"attributes": {"POSITION": positions}, "indices": k} for k in parts]
    primitives[0]["material"], primitives[2]["material"] = 1, 0
    gltf.add("meshes", {"primitives": primitives, "name": "shared"})
    gltf.add("nodes", {"mesh": 0})
    mesh = gltf_read(read, gltf)
    assert mesh.material_names == ("material 1", "", "oak")
    assert mesh.material is not None
    assert mesh.material.tolist() == [0, 0, 1, 1, 2, 2]
    assert mesh.part_names == ("shared",)
    assert len(mesh.vertices) == 5


def test_gltf_files_beside_it(tmp_path: Path, read: Read) -> None:
    gltf = mesh_files.gltf_of(V, T)
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "b+c.bin").write_bytes(gltf.binary)
    assert corners(read(gltf.gltf("a%20folder/b+c.bin"), ".gltf")) == V[T].tolist()
    refuse(read, gltf.gltf("missing.bin"), ".gltf", "its buffer 'missing.bin': no such file")
    secret = tmp_path.parent / "secret.bin"
    secret.write_bytes(gltf.binary)
    for outside in (
        "../secret.bin",
        "a%20folder/../../secret.bin",
        str(secret),
        "file:///etc/passwd",
        "https://a/b.bin",
        "%2e%2e/secret.bin",
    ):
        refuse(read, gltf.gltf(outside), ".gltf", "outside of the file's folder")
    refuse(read, gltf.gltf("a%20folder"), ".gltf", "not a regular file")
    (tmp_path / "short.bin").write_bytes(gltf.binary[:-1])
    refuse(read, gltf.gltf("short.bin"), ".gltf", "buffer 0 should have")


@pytest.mark.parametrize(
    "extension", ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "ACME_secret"]
)
def test_gltf_needs_are_refused_by_name(read: Read, extension: str) -> None:
    gltf = mesh_files.gltf_of(V, T)
    gltf.json["extensionsRequired"] = ["KHR_materials_unlit", extension]
    refuse(read, gltf.glb(), ".glb", f"the extension {extension}, which cannot be read. Export without")


def test_gltf_draco_with_a_fallback_is_read_and_without_refused(read: Read) -> None:
    gltf = mesh_files.gltf_of(V, T)
    primitive = gltf.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}}
    assert corners(read(gltf.glb(), ".glb")) == V[T].tolist()
    del gltf.json["accessors"][0]["bufferView"]
    refuse(read, gltf.glb(), ".glb", "KHR_draco_mesh_compression")


def change(gltf: mesh_files.Gltf, where: list[Any], value: Any) -> bytes:
    place: Any = gltf.json
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = value
    return gltf.glb()


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (["asset", "version"], "1.0", "version '1.0'"),
        (["asset"], {}, "asset.version is missing"),
        (["nodes", 0, "children"], [0], "nodes form a cycle"),
        (["scenes"], [{"nodes": [0, 0]}], "node 0 is reached twice"),
        (["nodes", 0, "children"], [7], "a node that does not exist"),
        (["nodes", 0, "children"], ["x"], "a node that does not exist"),
        (["nodes", 0, "mesh"], 4, "shows mesh 4, but there are 1"),
        (["nodes", 0, "matrix"], [1, 2], "matrix must be 16 numbers"),
        (["nodes", 0, "scale"], [1, None, 2], "scale must be 3 numbers"),
        (["scene"], 3, "scene 3 does not exist"),
        (["accessors", 0, "count"], 6, "accessor 0 of 6 elements does not fit"),
        (["accessors", 0, "count"], 4000000000, "does not fit"),
        (["accessors", 0, "count"], -1, "no count"),
        (["accessors", 0, "type"], "VEC2", "should be of type VEC3"),
        (["accessors", 0, "componentType"], 5124, "unknown componentType"),
        (["accessors", 0, "bufferView"], 9, "names no bufferView"),
        (["accessors", 0, "byteOffset"], 1 << 52, "does not fit"),
        (["accessors", 1, "componentType"], 5126, "indices must be unsigned"),
        (["accessors", 1, "count"], 17, "not a multiple of 3"),
        (["accessors", 1, "byteOffset"], 72, "does not fit"),
        (["bufferViews", 0, "byteLength"], 1 << 40, "reaches behind its buffer"),
        (["bufferViews", 0, "byteStride"], 4, "byteStride"),
        (["bufferViews", 0, "buffer"], 2, "no buffer"),
        (["meshes", 0, "primitives", 0, "attributes", "POSITION"], 7, "accessor 7 does not exist"),
        (["meshes", 0, "primitives", 0, "indices"], 7, "accessor 7 does not exist"),
        (["meshes", 0, "primitives", 0, "mode"], 9, "unknown mode 9"),
        (["nodes"], [], "shows no triangles"),
    ],
)
def test_gltf_errors_name_the_place(read: Read, where: list[Any], value: Any, message: str) -> None:
    gltf = mesh_files.gltf_of(V, T)
    refuse(read, change(gltf, where, value), ".glb", message)


def test_gltf_other_errors(read: Read) -> None:
    gltf = mesh_files.gltf_of(V, np.array([[0, 1, 5]]))
    refuse(read, gltf.glb(), ".glb", "a face uses vertex 5, but its accessor has 5")
    holed = V.copy()
    holed[3, 1] = np.nan
    refuse(read, mesh_files.gltf_of(holed, T).glb(), ".glb", r"vertex 3 is \(0, nan, 0\)")
    deep = mesh_files.gltf_of(V, T)
    deep.json["nodes"] = [{"children": [k + 1]} for k in range(1000)] + [{"mesh": 0}]
    refuse(read, deep.glb(), ".glb", "nested more than 256 deep")
    refuse(read, "{", ".gltf", "its JSON is wrong: .* at byte 1")
    refuse(read, "[" * 100000, ".gltf", "nested more than 128 deep")
    refuse(read, b"\x80\x81", ".gltf", "its JSON is wrong")
    refuse(read, json.dumps({**gltf.json, "buffers": [{"byteLength": 8}]}), ".gltf", "buffer 0 has no data")
    glb = mesh_files.gltf_of(V, T).glb()
    refuse(read, glb[:4] + b"\1\0\0\0" + glb[8:], ".glb", "GLB version 1")
    refuse(read, glb[:-1], ".glb", "the header says")


# ---- truncated, damaged, hostile

SMALL: list[tuple[str, bytes]] = [
    *PLAIN,
    *TRIANGLES,
    *((suffix + ".gz", gzip.compress(content)) for suffix, content in (PLAIN[0], PLAIN[-1], TRIANGLES[0])),
]
IS_TEXT = [s in (".obj", ".off") or c[:11].lower() == b"solid solid" or b"ascii" in c[:40] for s, c in SMALL]


@pytest.mark.parametrize("which", range(len(SMALL)))
def test_every_prefix_is_refused_or_right(read: Read, which: int) -> None:
    suffix, content = SMALL[which]
    whole = read(content, suffix)
    for size in range(0, len(content)):
        try:
            mesh = read(content[:size], suffix)
        except InputError:
            continue
        # A truncated text may be valid, but its mesh must be the beginning of the whole mesh.
        assert IS_TEXT[which] or mesh.sha256 == whole.sha256
        kept = mesh.face_count - 1
        assert corners(mesh)[:kept] == corners(whole)[:kept]


@pytest.mark.parametrize("which", range(len(SMALL)))
def test_damaged_files_are_refused_or_sound(read: Read, which: int) -> None:
    suffix, content = SMALL[which]
    dice = random.Random(which)
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(dice.randint(1, 4)):
            damaged[dice.randrange(len(damaged))] = dice.choice(
                [dice.randrange(256), ord(dice.choice("0123456789 -.\n"))]
            )
        try:
            mesh = read(bytes(damaged), suffix)
        except InputError:
            continue
        assert np.isfinite(mesh.vertices).all()
        assert mesh.indices.max() < len(mesh.vertices)
        assert (np.diff(mesh.offsets.astype(np.int64)) >= 3).all()


def test_bombs_are_refused(read: Read) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        for _ in range(256):
            file.write(bytes(1 << 20))
    refuse(read, packed.getvalue(), ".obj.gz", "more than 200 times its size")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024  # kilobytes


def test_damaged_gzip_is_told_from_wrong_content(read: Read) -> None:
    content = mesh_files.obj(V, POLYGONS)
    packed = gzip.compress(content)
    refuse(read, packed[:-9], ".obj.gz", "gzip data ends too early")
    refuse(read, packed[:-5] + bytes([packed[-5] ^ 1]) + packed[-4:], ".obj.gz", "wrong checksum")
    refuse(read, packed + b"garbage", ".obj.gz", "gzip data")
    assert zlib.crc32(content) == int.from_bytes(packed[-8:-4], "little")


def test_large_gzip_of_every_level(read: Read) -> None:
    mesh = specimens.icosphere(5)
    content = mesh_files.obj(mesh.vertices, specimens.polygons_of(mesh))
    for level in (0, 1, 6, 9):
        assert read(gzip.compress(content, level), ".obj.gz").sha256 == mesh.sha256


# ---- hitbox.load


def test_unknown_suffixes_list_the_known_ones(read: Read, tmp_path: Path) -> None:
    refuse(
        read,
        b"",
        ".objj",
        r"no reader for '.objj' files. Did you mean '.obj'\? Known: .dae, .fbx, .glb, .gltf, .obj, .off",
    )
    refuse(read, b"", ".gz", "no suffix")
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.obj")
    (tmp_path / "folder.obj").mkdir()
    with pytest.raises(InputError, match="not a regular file"):
        load(tmp_path / "folder.obj")
    for suffix in (".obj", ".glb", ".ply", ".stl", ".off"):
        refuse(read, b"", suffix, "the file is empty")
        with pytest.raises(InputError):
            read(b"\n", suffix)


def test_paths_of_any_kind(tmp_path: Path) -> None:
    path = tmp_path / "Grüße \u4e16.OBJ"
    path.write_bytes(mesh_files.obj(V, POLYGONS))
    mesh = load(str(path))
    assert mesh == load(path) == Mesh.of(path) == Mesh.of(str(path))
    assert mesh.name == path.name


@pytest.mark.parametrize("suffix", [".obj", ".off", ".stl", ".ply"])
def test_a_byte_order_mark_is_no_part_of_the_text(read: Read, suffix: str) -> None:
    texts = {
        ".obj": "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 3 4\n",
        ".off": "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        ".stl": "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        "endloop\nendfacet\nendsolid x\n",
        ".ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    }
    plain = texts[suffix].encode()
    assert corners(read(b"\xef\xbb\xbf" + plain, suffix)) == corners(read(plain, suffix))
