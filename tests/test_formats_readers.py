"""Readers in Python: COLLADA, USD and FBX, compared with other tools' files and with numpy."""

from __future__ import annotations

import contextlib
import gzip
import math
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

import mesh_files
import numpy as np
import pytest
import specimens
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

import hitbox
from hitbox._base.errors import InputError
from hitbox._formats import mesh_builder, xml_input

V = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.25, 0.125]])
POLYGONS = [[0, 3, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]


def refused(path: Path, *says: str) -> None:
    with pytest.raises(InputError) as caught:
        hitbox.load(path)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    assert path.name in text
    for part in says:
        assert part in text


def moved(x: float, y: float, z: float) -> np.ndarray:
    return V + np.array([x, y, z])


def dae(
    nodes: str = '<node name="only"><instance_geometry url="#g"/></node>',
    *,
    faces: str | None = None,
    vertices: np.ndarray = V,
    asset: str = '<unit name="meter" meter="1"/><up_axis>Z_UP</up_axis>',
    more: str = "",
) -> str:
    """Return a pyramid of one quad and four triangles. Its corners have normals, which are ignored."""
    if faces is None:
        counts = " ".join(str(len(face)) for face in POLYGONS)
        numbers = " ".join(f"{corner} 0" for face in POLYGONS for corner in face)
        faces = (
            f'<polylist count="{len(POLYGONS)}" material="skin">'
            '<input semantic="VERTEX" source="#v" offset="0"/>'
            '<input semantic="NORMAL" source="#n" offset="1"/>'
            f"<vcount>{counts}</vcount><p>{numbers}</p></polylist>"
        )
    numbers = " ".join(repr(float(x)) for x in vertices.ravel())
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f"<asset>{asset}</asset>"
        '<library_materials><material id="m1" name="oak"/><material id="m2"/></library_materials>'
        '<library_geometries><geometry id="g" name="pyramid"><mesh>'
        f'<source id="p"><float_array id="a" count="{vertices.size}">{numbers}</float_array>'
        f'<technique_common><accessor source="#a" count="{len(vertices)}" stride="3">'
        '<param name="X" type="float"/><param name="Y" type="float"/>'
        '<param name="Z" type="float"/></accessor></technique_common></source>'
        f'<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}</mesh></geometry>'
        f"</library_geometries>{more}"
        f'<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>\n'
    )


@pytest.fixture
def read(tmp_path):
    def read(text: str | bytes, suffix: str = ".dae") -> hitbox.Mesh:
        path = tmp_path / f"mesh{suffix}"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return hitbox.load(path)

    return read


# ---------------------------------------------------------------- COLLADA


def test_a_description_reads_a_mesh_that_says_its_unit_in_metres(tmp_path):
    """`hitbox robot` does the same."""
    (tmp_path / "mesh.dae").write_text(dae(asset='<unit name="centimeter" meter="0.01"/>'))
    (tmp_path / "x.urdf").write_text(
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="mesh.dae"/></geometry>'
        "</collision></link></robot>"
    )
    found = hitbox.Collider.load(tmp_path / "x.urdf")
    np.testing.assert_allclose(found.bounds, [V.min(axis=0) / 100, V.max(axis=0) / 100])


def test_polygons_names_unit_and_up_come_back(read):
    mesh = read(dae())
    assert mesh.vertices.tolist() == V.tolist()
    assert specimens.polygons_of(mesh) == POLYGONS
    assert (mesh.unit, mesh.up, mesh.part_names, mesh.material_names) == ("m", "z", ("only",), ("skin",))
    zipped = read(gzip.compress(dae().encode()), ".dae.gz")
    assert zipped.sha256 == mesh.sha256


@pytest.mark.parametrize(
    ("faces", "expected"),
    [
        ("<triangles{}<p>0 1 4 1 2 4</p></triangles>", [[0, 1, 4], [1, 2, 4]]),
        ("<polygons{}<p>0 3 2 1</p><p>0 1 4</p></polygons>", [[0, 3, 2, 1], [0, 1, 4]]),
        ("<tristrips{}<p>0 1 2 3</p><p>0 1 4</p></tristrips>", [[0, 1, 2], [2, 1, 3], [0, 1, 4]]),
        ("<trifans{}<p>4 0 1 2</p></trifans>", [[4, 0, 1], [4, 1, 2]]),
        ("<lines{}<p>0 1</p></lines><triangles{}<p>0 1 4</p></triangles>", [[0, 1, 4]]),
        ("<polylist{}<vcount>2 3</vcount><p>0 1 0 1 4</p></polylist>", [[0, 1, 4]]),  # with a line among them
    ],
)
def test_every_kind_of_faces(read, faces, expected):
    said = ' count="1"><input semantic="VERTEX" source="#v" offset="0"/>'
    mesh = read(dae(faces=faces.replace("{}", said)))
    turned = [[*face[i:], *face[:i]] for face in expected for i in range(len(face))]
    found = specimens.polygons_of(mesh)
    assert len(found) == len(expected)
    assert all(face in turned for face in found)
    if "strips" not in faces:
        assert found == expected


@pytest.mark.parametrize(
    ("asset", "unit", "up", "scale"),
    [
        ('<unit meter="0.0254" name="inch"/><up_axis>X_UP</up_axis>', "in", "x", 1.0),
        ('<unit meter="0.001"/><up_axis>Z_UP</up_axis>', "mm", "z", 1.0),
        ('<unit meter="0.1"/>', "m", "y", 0.1),
        ("", "m", "y", 1.0),
    ],
)
def test_unit_and_up_axis(read, asset, unit, up, scale):
    mesh = read(dae(asset=asset))
    assert (mesh.unit, mesh.up) == (unit, up)
    assert np.allclose(mesh.vertices, V * scale, rtol=1e-15)


def test_materials_are_those_that_are_bound(read):
    said = '<input semantic="VERTEX" source="#v" offset="0"/>'
    faces = (
        f'<triangles material="a" count="1">{said}<p>0 1 4</p></triangles>'
        f'<triangles material="b" count="1">{said}<p>1 2 4</p></triangles>'
        f'<triangles count="1">{said}<p>2 3 4</p></triangles>'
    )
    bind = (
        "<bind_material><technique_common>"
        '<instance_material symbol="a" target="#m1"/><instance_material symbol="b" target="#m2"/>'
        "</technique_common></bind_material>"
    )
    nodes = f'<node><instance_geometry url="#g">{bind}</instance_geometry></node>'
    mesh = read(dae(nodes, faces=faces))
    assert [mesh.material_names[k] for k in mesh.material] == ["oak", "m2", ""]
    assert mesh.part_names == ("pyramid",)


def test_instances_of_nodes_and_skins(read):
    more = (
        '<library_nodes><node id="leg"><translate>0 0 5</translate><instance_geometry url="#g"/></node>'
        "</library_nodes>"
        '<library_controllers><controller id="c"><skin source="#g">'
        "<bind_shape_matrix>2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1</bind_shape_matrix></skin></controller>"
        "</library_controllers>"
    )
    nodes = (
        '<node name="left"><translate>1 0 0</translate><instance_node url="#leg"/></node>'
        '<node name="skin"><translate>0 9 0</translate><instance_controller url="#c"/></node>'
    )
    mesh = read(dae(nodes, more=more))
    assert mesh.part_names == ("leg", "skin")
    assert mesh.vertices[:5].tolist() == moved(1, 0, 5).tolist()
    assert mesh.vertices[5:].tolist() == (2 * V + np.array([0, 9, 0])).tolist()


numbers = st.floats(-3, 3).map(lambda x: round(x, 3))
sizes = st.floats(0.2, 3).map(lambda x: round(x, 3))


def vectors(each, count):
    return st.lists(each, min_size=count, max_size=count)


@st.composite
def transforms(draw):
    """Return transforms in COLLADA's notation, and their effect on points, written in another way."""
    kind = draw(st.sampled_from(["translate", "scale", "rotate", "matrix", "lookat"]))
    if kind == "translate":
        v = draw(vectors(numbers, 3))
        return kind, v, lambda p: p + v
    if kind == "scale":
        v = [s * draw(st.sampled_from([-1, 1])) for s in draw(vectors(sizes, 3))]
        return kind, v, lambda p: p * v
    if kind == "rotate":
        axis = draw(st.sampled_from([0, 1, 2]))
        angle = draw(st.floats(-180, 180))
        a, b = (axis + 1) % 3, (axis + 2) % 3

        def turn(p):
            q = p.copy()
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            q[:, a], q[:, b] = c * p[:, a] - s * p[:, b], s * p[:, a] + c * p[:, b]
            return q

        return kind, [*np.eye(3)[axis], angle], turn
    if kind == "matrix":
        m = np.eye(4)
        m[:3] = np.reshape(draw(vectors(numbers, 12)), (3, 4))
        m[:3, :3] += 9 * np.eye(3)  # well conditioned
        return kind, m.ravel().tolist(), lambda p: (np.c_[p, np.ones(len(p))] @ m.T)[:, :3]
    eye = np.array(draw(vectors(numbers, 3)))

    def look(p):  # down the x axis, with z up: -z becomes x, y becomes z, and x becomes -y
        return np.stack([-p[:, 2], -p[:, 0], p[:, 1]], axis=1) + eye

    return kind, [*eye, *np.add(eye, [2, 0, 0]), 0, 0, 1], look


@settings(max_examples=60)
@given(st.lists(transforms(), min_size=1, max_size=4), st.lists(transforms(), max_size=2))
def test_transforms_are_numpys(tmp_path_factory, outer, inner):
    def written(chain):
        return "".join(f"<{kind}>{' '.join(repr(float(x)) for x in v)}</{kind}>" for kind, v, _ in chain)

    path = tmp_path_factory.mktemp("dae") / "mesh.dae"
    inside = f'<node name="n">{written(inner)}<instance_geometry url="#g"/></node>'
    nodes = f"<node>{written(outer)}{inside}</node>"
    path.write_text(dae(nodes))
    mesh = hitbox.load(path)
    expected = V
    for _, _, move in reversed(outer + inner):
        expected = move(expected)
    assert np.allclose(mesh.vertices, expected, atol=1e-9 * max(1, np.abs(expected).max()))
    # A mirror reverses the faces, so a closed mesh keeps the sign of its volume.
    before = trimesh.Trimesh(V, hitbox.Mesh(V, POLYGONS).triangles, process=False).volume
    after = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False).volume
    assert math.copysign(1, before) == math.copysign(1, after)


def test_files_of_pycollada_are_read_as_trimesh_reads_them(tmp_path):
    pytest.importorskip("collada")
    ball = trimesh.creation.icosphere(subdivisions=2)
    world = trimesh.Scene()
    for k, (angle, far) in enumerate([(0.3, 1.0), (1.2, 4.0)]):
        matrix = trimesh.transformations.rotation_matrix(angle, [1, 2, 3])
        matrix[:3, 3] = [far, k, -far]
        world.add_geometry(ball, node_name=f"ball{k}", transform=matrix)
    path = tmp_path / "balls.dae"
    path.write_bytes(trimesh.exchange.dae.export_collada(list(world.dump())))
    mesh = hitbox.load(path)
    theirs = trimesh.load(path, force="mesh")
    assert len(mesh.triangles) == len(theirs.faces) == 2 * len(ball.faces)
    assert np.allclose(mesh.bounds, theirs.bounds)
    ours = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    assert ours.volume == pytest.approx(theirs.volume)
    assert ours.volume > 0


def test_every_prefix_of_a_good_file_is_refused_or_read(tmp_path):
    whole = dae().encode()
    path = tmp_path / "mesh.dae"
    for length in range(0, len(whole) - 1, 3):
        path.write_bytes(whole[:length])
        refused(path)
    zipped = gzip.compress(whole, mtime=0)
    path = tmp_path / "mesh.dae.gz"
    for length in range(0, len(zipped) - 1, 5):
        path.write_bytes(zipped[:length])
        refused(path)


@settings(max_examples=150)
@given(st.data())
def test_damaged_files_are_refused_or_read(tmp_path_factory, data):
    text = bytearray(dae(), "utf-8")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        instead = data.draw(st.binary(max_size=4) | st.just(b"99999999999"))
        text[at : at + data.draw(st.integers(0, 6))] = instead
    path = tmp_path_factory.mktemp("dae") / "mesh.dae"
    path.write_bytes(bytes(text))
    with contextlib.suppress(InputError):  # no other exception
        assert hitbox.load(path).face_count


WRONG = {
    "another root": ("<html/>", "not <COLLADA>"),
    "no polygons": (dae(faces=""), "no polygons"),
    "an index beyond": (dae(faces=(
        '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 5</p></triangles>'
    )), "vertex 5"),
    "words as numbers": (dae().replace("<p>0 0", "<p>0 x"), "numbers"),
    "too few counts": (dae().replace("<vcount>4 3", "<vcount>4"), "16 corners, but needs 13"),
    "a count that lies": (dae().replace('count="15"', 'count="16"'), "15 numbers, but its count is 16"),
    "an accessor that lies": (dae().replace('count="5" stride', 'count="6" stride'), "reaches beyond"),
    "a NaN": (dae().replace("0.125", "nan"), "not finite"),
    "a geometry that is not there": (dae().replace('url="#g"', 'url="#h"'), "no geometry '#h'"),
    "another file": (dae().replace('url="#g"', 'url="/etc/passwd#g"'), "not in this file"),
    "a node in itself": (
        dae('<node id="n"><instance_node url="#n"/></node>'), "endlessly"),
    "an unknown axis": (dae(asset="<up_axis>W_UP</up_axis>"), "unknown up_axis"),
    "no unit": (dae(asset='<unit meter="0"/>'), "above 0"),
    "holes": (dae(faces=(
        '<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/>'
        "<ph><p>0 1 2</p><h>3 4 0</h></ph></polygons>"
    )), "holes"),
    "a direction of length 0": (
        dae("<node><lookat>0 0 0 0 0 0 0 0 1</lookat></node>"), "length 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_say_what_is_wrong(tmp_path, case):
    text, says = WRONG[case]
    path = tmp_path / "mesh.dae"
    path.write_text(text)
    refused(path, says)


LAUGHS = "".join(f'<!ENTITY a{k + 1} "' + f"&a{k};" * 10 + '">' for k in range(9))
BOMBS = {
    "laughs": f'<!DOCTYPE x [<!ENTITY a0 "ha">{LAUGHS}]><COLLADA>&a9;</COLLADA>',
    "a file": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><COLLADA>&e;</COLLADA>',
    "a type elsewhere": '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd"><COLLADA/>',
    "parameters": '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><COLLADA/>',
    "an entity without a type": "<COLLADA>&unknown;</COLLADA>",
    "deep": "<a>" * 100_000,
    "many attributes": "<COLLADA " + " ".join(f"a{k}=''" for k in range(5000)) + "/>",
}


@pytest.mark.parametrize("case", BOMBS)
def test_bombs_are_refused(tmp_path, case):
    path = tmp_path / "mesh.dae"
    path.write_text(BOMBS[case])
    refused(path)


def test_xml_limits(monkeypatch):
    monkeypatch.setattr(xml_input, "MOST_ELEMENTS", 10)
    assert len(xml_input.parse(b"<a>" + b"<b/>" * 9 + b"</a>", "x")) == 9
    with pytest.raises(InputError, match="more than 10 elements"):
        xml_input.parse(b"<a>" + b"<b/>" * 10 + b"</a>", "x")
    monkeypatch.setattr(xml_input, "MOST_BYTES", 3)
    with pytest.raises(InputError, match="The limit is 3"):
        xml_input.parse(b"<a/>", "x")


def test_xml_keeps_names_texts_and_namespaces():
    text = b'<a xmlns="n" xmlns:o="m" o:k="1" j="2">x<o:b/>y<!-- no --></a>'
    root = xml_input.parse(text, "x", namespaces=True)
    assert root.tag == "{n}a"
    assert root.attrib == {"{m}k": "1", "j": "2"}
    assert (root.text, root[0].tag, root[0].tail) == ("x", "{m}b", "y")
    with pytest.raises(InputError, match="encoding"):
        xml_input.parse(b'<?xml version="1.0" encoding="nonsense"?><a/>', "x")


def test_instances_cannot_blow_up(tmp_path, monkeypatch):
    levels = 40
    more = "<library_nodes>" + "".join(
        f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 2 + "</node>" for k in range(levels)
    )
    more += f'<node id="n{levels}"><instance_geometry url="#g"/></node></library_nodes>'
    path = tmp_path / "mesh.dae"
    path.write_text(dae('<node><instance_node url="#n0"/></node>', more=more))
    monkeypatch.setattr(mesh_builder, "MOST_CORNERS", 100_000)
    refused(path, "make the mesh too large")
    zeros = tmp_path / "zeros.dae.gz"
    zeros.write_bytes(gzip.compress(b" " * (2**28 + 2), 1))
    refused(zeros, "unpacks to too much")


# ---------------------------------------------------------------- USD


def stage_of(path, **said):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.CreateNew(str(path))
    if "metres" in said:
        UsdGeom.SetStageMetersPerUnit(stage, said["metres"])
    if "up" in said:
        UsdGeom.SetStageUpAxis(stage, said["up"].upper())
    return stage


def pyramid(stage, at):
    from pxr import UsdGeom

    mesh = UsdGeom.Mesh.Define(stage, at)
    mesh.CreatePointsAttr(V.tolist())
    mesh.CreateFaceVertexCountsAttr([len(face) for face in POLYGONS])
    mesh.CreateFaceVertexIndicesAttr([corner for face in POLYGONS for corner in face])
    return mesh


def saved(stage, path):
    stage.GetRootLayer().Save()
    return hitbox.load(path)


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usd"])
@pytest.mark.parametrize(
    ("said", "unit", "up", "scale"),
    [
        ({}, "cm", "y", 1.0),
        ({"metres": 1.0, "up": "z"}, "m", "z", 1.0),
        ({"metres": 0.1}, "m", "y", 0.1),
    ],
)
def test_usd_polygons_unit_and_up(tmp_path, suffix, said, unit, up, scale):
    pytest.importorskip("pxr")
    path = tmp_path / f"mesh.{suffix}"
    stage = stage_of(path, **said)
    pyramid(stage, "/world/seat")
    mesh = saved(stage, path)
    assert np.allclose(mesh.vertices, V * scale)
    assert specimens.polygons_of(mesh) == POLYGONS
    assert (mesh.unit, mesh.up, mesh.part_names, mesh.name) == (unit, up, ("seat",), f"mesh.{suffix}")
    zipped = tmp_path / f"mesh.{suffix}.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert hitbox.load(zipped).sha256 == mesh.sha256


def test_usd_draws_what_is_drawn(tmp_path):
    pytest.importorskip("pxr")
    from pxr import UsdGeom

    path = tmp_path / "mesh.usda"
    stage = stage_of(path)
    pyramid(stage, "/a").AddTranslateOp().Set((1, 2, 3))
    pyramid(stage, "/mirrored").AddScaleOp().Set((-1, 1, 1))
    pyramid(stage, "/left").CreateOrientationAttr("leftHanded")
    for purpose in ("guide", "proxy", "render"):
        pyramid(stage, f"/{purpose}").CreatePurposeAttr(purpose)
    UsdGeom.Imageable(pyramid(stage, "/hidden/below")).GetPrim()
    UsdGeom.Xform.Define(stage, "/hidden").MakeInvisible()
    mesh = saved(stage, path)
    assert mesh.part_names == ("a", "mirrored", "left", "render")
    polygons = specimens.polygons_of(mesh)
    assert mesh.vertices[:5].tolist() == moved(1, 2, 3).tolist()
    turned = [[face[0], *face[:0:-1]] for face in POLYGONS]
    assert polygons[5:10] == [[v + 5 for v in face] for face in turned]
    assert polygons[10:15] == [[v + 10 for v in face] for face in turned]
    assert polygons[15:] == [[v + 15 for v in face] for face in POLYGONS]


def test_usd_instances_and_point_instancers(tmp_path):
    pytest.importorskip("pxr")
    from pxr import Gf, UsdGeom

    path = tmp_path / "mesh.usda"
    stage = stage_of(path)
    prototype = stage.CreateClassPrim("/_class")
    pyramid(stage, "/_class/part")
    for k in range(2):
        prim = UsdGeom.Xform.Define(stage, f"/copy{k}")
        prim.AddTranslateOp().Set((10 * k, 0, 0))
        prim.GetPrim().GetReferences().AddInternalReference(prototype.GetPath())
        prim.GetPrim().SetInstanceable(True)
    many = UsdGeom.PointInstancer.Define(stage, "/many")
    many.AddTranslateOp().Set((0, 0, 100))
    pyramid(stage, "/many/prototype").AddTranslateOp().Set((0, 7, 0))
    many.CreatePrototypesRel().AddTarget("/many/prototype")
    many.CreateProtoIndicesAttr([0, 0, 0])
    many.CreatePositionsAttr([(1, 0, 0), (2, 0, 0), (3, 0, 0)])
    many.CreateScalesAttr([(1, 1, 1), (2, 2, 2), (3, 3, 3)])
    many.CreateOrientationsAttr([Gf.Quath(1, 0, 0, 0)] * 3)
    many.CreateInvisibleIdsAttr([1])
    mesh = saved(stage, path)
    assert mesh.part_names == ("part", "part", "prototype", "prototype")
    expected = [V, moved(10, 0, 0), moved(1, 7, 100), 3 * moved(1, 7, 0) + np.array([0, 0, 100])]
    assert np.allclose(mesh.vertices, np.concatenate(expected))


def test_usd_materials_of_meshes_and_subsets(tmp_path):
    pytest.importorskip("pxr")
    from pxr import UsdGeom, UsdShade

    path = tmp_path / "mesh.usda"
    stage = stage_of(path)
    mesh = pyramid(stage, "/seat")
    oak = UsdShade.Material.Define(stage, "/looks/oak")
    steel = UsdShade.Material.Define(stage, "/looks/steel")
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(oak)
    binding = UsdShade.MaterialBindingAPI(mesh.GetPrim())
    subset = binding.CreateMaterialBindSubset("feet", [1, 3])
    UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(steel)
    assert UsdGeom.Subset(subset)
    found = saved(stage, path)
    assert [found.material_names[k] for k in found.material] == ["oak", "steel", "oak", "steel", "oak"]


def test_usd_simple_shapes_are_meshes_around_them(tmp_path):
    pytest.importorskip("pxr")
    from pxr import UsdGeom

    path = tmp_path / "mesh.usda"
    stage = stage_of(path)
    UsdGeom.Cube.Define(stage, "/cube").CreateSizeAttr(3.0)
    for kind, height in (("Sphere", None), ("Cylinder", 4.0), ("Cone", 4.0), ("Capsule", 4.0)):
        shape = getattr(UsdGeom, kind).Define(stage, f"/{kind}")
        shape.CreateRadiusAttr(0.5)
        if height:
            shape.CreateHeightAttr(height)
            shape.CreateAxisAttr("X")
    mesh = saved(stage, path)
    parts = {name: mesh.vertices[np.unique(mesh.indices[np.repeat(mesh.part == k, np.diff(mesh.offsets))])]
             for k, name in enumerate(mesh.part_names)}  # fmt: skip
    assert np.abs(parts["cube"]).max() == 1.5
    assert [np.ptp(parts[name][:, 0]) for name in ("Cylinder", "Cone")] == [4.0, 4.0]
    assert np.ptp(parts["Capsule"][:, 0]) == pytest.approx(5.0, rel=0.02)
    assert np.linalg.norm(parts["Sphere"], axis=1).min() >= 0.5
    assert parts["Cone"][np.argmax(parts["Cone"][:, 0])][1:] == pytest.approx([0, 0], abs=0.03)


def test_usd_packages_and_layers_beside_it(tmp_path):
    pytest.importorskip("pxr")
    from pxr import UsdUtils

    part = tmp_path / "part.usdc"
    stage = stage_of(part)
    pyramid(stage, "/part")
    stage.SetDefaultPrim(stage.GetPrimAtPath("/part"))
    stage.GetRootLayer().Save()
    whole = tmp_path / "whole.usda"
    stage = stage_of(whole)
    stage.DefinePrim("/a").GetReferences().AddReference("./part.usdc")
    stage.DefinePrim("/b").GetPayloads().AddPayload("./part.usdc")
    mesh = saved(stage, whole)
    assert mesh.part_names == ("a", "b")
    del stage
    package = tmp_path / "whole.usdz"
    assert UsdUtils.CreateNewUsdzPackage(str(whole), str(package))
    assert hitbox.load(package).sha256 == mesh.sha256


def test_usd_stays_in_its_folder(tmp_path, capfd):
    pytest.importorskip("pxr")
    outside = tmp_path / "part.usda"
    stage = stage_of(outside)
    pyramid(stage, "/part")
    stage.SetDefaultPrim(stage.GetPrimAtPath("/part"))
    stage.GetRootLayer().Save()
    folder = tmp_path / "asset"
    folder.mkdir()
    for reference, says in [
        ("../part.usda", "outside its folder"),
        (str(outside), "outside its folder"),
        ("./none.usda", "does not exist"),
    ]:
        path = folder / f"mesh_{len(reference)}.usda"  # USD caches layers by name
        path.write_text(f'#usda 1.0\ndef "a" (references = @{reference}@</part>) {{}}\n')
        refused(path, says)
        with pytest.raises(InputError, match=says):
            hitbox.Collider.load(path)
    link = folder / "link.usda"
    link.symlink_to(outside)
    path = folder / "linked.usda"
    path.write_text('#usda 1.0\ndef "a" (references = @./link.usda@</part>) {}\n')
    refused(path, "outside its folder")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("arc", ["references = {}", "instanceable = true\nreferences = {}", "inherits = {}"])
def test_usd_that_multiplies_itself_is_refused_before_it_is_composed(tmp_path, arc):
    pytest.importorskip("pxr")
    path = tmp_path / "bomb.usda"
    lines = ["#usda 1.0", 'def "level0"\n{\ndef Cube "cube" {}\n}']
    for level in range(1, 9):
        inner = "".join(f'def "{k}" ({arc.format(f"</level{level - 1}>")}) {{}}\n' for k in "abcdefghij")
        lines.append(f'def "level{level}"\n{{\n{inner}}}')
    path.write_text("\n".join(lines))
    started = time.process_time()
    refused(path, "more than 100,000 prims")
    with pytest.raises(InputError, match="more than 100,000 prims"):
        hitbox.Collider.load(path)
    assert time.process_time() - started < 5
    path = tmp_path / "few.usda"
    path.write_text("\n".join(lines[:4]))
    assert hitbox.load(path).face_count == 6 * (1 + 10 + 100)


def test_usd_counts_prims_of_all_layers(tmp_path):
    """There is a sublayer of a sublayer, and a reference to a prim that only a sublayer defines."""
    pytest.importorskip("pxr")
    lines = ['def "level0"\n{\ndef Cube "cube" {}\n}']
    for level in range(1, 7):
        inner = "".join(f'def "{k}" (references = </level{level - 1}>) {{}}\n' for k in "abcdefghij")
        lines.append(f'def "level{level}"\n{{\n{inner}}}')
    (tmp_path / "c.usda").write_text("\n".join(["#usda 1.0", *lines]))
    (tmp_path / "b.usda").write_text("#usda 1.0\n(subLayers = [@./c.usda@])\n")
    for name, text in [
        ("below", "(subLayers = [@./b.usda@])\n"),
        ("referred", 'def "a" (references = @./b.usda@</level6>) {}\n'),
    ]:
        (tmp_path / f"{name}.usda").write_text("#usda 1.0\n" + text)
        refused(tmp_path / f"{name}.usda", "more than 100,000 prims")


def test_a_folder_that_is_allowed_may_be_referred_to(tmp_path, monkeypatch):
    """A glTF's buffer, a USD's layer and a URDF's mesh lie beside the file's own folder."""
    pytest.importorskip("pxr")
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    made = mesh_files.gltf_of(V, np.array(POLYGONS[1:]))
    (shared / "pyramid.bin").write_bytes(made.binary)
    (own / "a.gltf").write_bytes(made.gltf("../shared/pyramid.bin"))
    (shared / "mesh.dae").write_text(dae())
    (own / "b.urdf").write_text(
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="../shared/mesh.dae"/></geometry>'
        "</collision></link></robot>"
    )
    (shared / "part.usda").write_text('#usda 1.0\ndef "p" {\ndef Cube "cube" {}\n}\n')
    (own / "c.usda").write_text('#usda 1.0\ndef "a" (references = @../shared/part.usda@</p>) {}\n')
    doors = [(hitbox.load, "a.gltf"), (hitbox.Collider.load, "b.urdf"), (hitbox.load, "c.usda")]
    for root, is_allowed in ((None, False), (own, False), (tmp_path, True), (shared, True)):
        monkeypatch.delenv("HITBOX_ASSET_ROOT", raising=False)
        if root is not None:
            monkeypatch.setenv("HITBOX_ASSET_ROOT", str(root))
        for load, name in doors:
            with contextlib.nullcontext() if is_allowed else pytest.raises(InputError, match="ASSET_ROOT"):
                load(own / name)


def test_usd_clips_are_refused(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "clips.usda"
    inner = 'asset[] assetPaths = [@../secret.usda@]\nstring primPath = "/m"\n'
    clips = f"clips = {{\ndictionary default = {{\n{inner}}}\n}}"
    path.write_text(f'#usda 1.0\ndef Mesh "m" (\n{clips}\n)\n{{\n}}\n')
    refused(path, "value clips")


def test_usd_that_is_wrong_is_refused(tmp_path):
    pytest.importorskip("pxr")
    path = tmp_path / "mesh.usda"
    stage = stage_of(path)
    pyramid(stage, "/seat")
    stage.GetRootLayer().Save()
    whole = path.read_bytes()
    del stage
    for length in range(0, len(whole), 40):
        damaged = tmp_path / f"mesh{length}.usda"
        damaged.write_bytes(whole[:length])
        refused(damaged)
    beyond = tmp_path / "beyond.usda"
    beyond.write_bytes(whole.replace(b"[0, 3, 2, 1,", b"[0, 9, 2, 1,"))
    refused(beyond, "vertex 9")
    for suffix, data in (("usdc", b"PXR-USDC" + b"\0" * 200), ("usdz", b"PK\3\4"), ("usd", b"")):
        wrong = tmp_path / f"wrong.{suffix}"
        wrong.write_bytes(data)
        refused(wrong)
    squeezed = tmp_path / "squeezed.usdz"
    with zipfile.ZipFile(squeezed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mesh.usda", whole)
    refused(squeezed)


# ---------------------------------------------------------------- FBX


def fbx(translation=(0, 0, 0), scaling=(1, 1, 1), up=1, unit=1.0, copies=1) -> str:
    """Return the pyramid in FBX text. Its second and fourth face have another material."""
    corners = [c if k < len(face) - 1 else -c - 1 for face in POLYGONS for k, c in enumerate(face)]
    front = {1: (2, 1), 2: (1, -1)}[up]
    axes = {"UpAxis": up, "UpAxisSign": 1, "FrontAxis": front[0], "FrontAxisSign": front[1],
            "CoordAxis": 0, "CoordAxisSign": 1}  # fmt: skip
    settings = "".join(f'P: "{key}", "int", "Integer", "",{value}\n' for key, value in axes.items())

    def three(values):
        return ",".join(str(x) for x in values)

    models = "".join(
        f'Model: {2000 + k}, "Model::seat{k}", "Mesh" {{\nProperties70: {{\n'
        f'P: "Lcl Translation", "Lcl Translation", "", "A",{three(translation)}\n'
        f'P: "Lcl Scaling", "Lcl Scaling", "", "A",{three(scaling)}\n}}\n}}\n'
        for k in range(copies)
    )
    links = "".join(
        f'C: "OO",{2000 + k},0\nC: "OO",1000,{2000 + k}\nC: "OO",3000,{2000 + k}\nC: "OO",3001,{2000 + k}\n'
        for k in range(copies)
    )
    return (
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\n"
        f"GlobalSettings: {{\nVersion: 1000\nProperties70: {{\n{settings}"
        f'P: "UnitScaleFactor", "double", "Number", "",{unit}\n}}\n}}\n'
        'Objects: {\nGeometry: 1000, "Geometry::pyramid", "Mesh" {\n'
        f"Vertices: *{V.size} {{\na: {three(V.ravel())}\n}}\n"
        f"PolygonVertexIndex: *{len(corners)} {{\na: {three(corners)}\n}}\n"
        'LayerElementMaterial: 0 {\nVersion: 101\nName: ""\nMappingInformationType: "ByPolygon"\n'
        'ReferenceInformationType: "IndexToDirect"\nMaterials: *5 {\na: 0,1,0,1,0\n}\n}\n'
        'Layer: 0 {\nVersion: 100\nLayerElement: {\nType: "LayerElementMaterial"\nTypedIndex: 0\n}\n}\n}\n'
        f'{models}Material: 3000, "Material::oak", "" {{\nShadingModel: "lambert"\n}}\n'
        'Material: 3001, "Material::steel", "" {\nShadingModel: "lambert"\n}\n}\n'
        f"Connections: {{\n{links}}}\n"
    )


def test_fbx_polygons_names_materials_unit_and_up(read):
    pytest.importorskip("ufbx")
    mesh = read(fbx(translation=(1, 2, 3), scaling=(-2, 1, 1), up=2, unit=2.54), ".fbx")
    assert np.allclose(mesh.vertices, V * [-2, 1, 1] + np.array([1, 2, 3]))
    assert specimens.polygons_of(mesh) == [[face[0], *face[:0:-1]] for face in POLYGONS]
    assert (mesh.unit, mesh.up, mesh.part_names) == ("in", "z", ("seat0",))
    assert [mesh.material_names[k] for k in mesh.material] == ["oak", "steel", "oak", "steel", "oak"]
    zipped = read(gzip.compress(fbx(copies=40).encode()), ".fbx.gz")
    assert (zipped.unit, zipped.up, len(zipped.part_names)) == ("cm", "y", 40)
    assert zipped.vertices.tolist() == np.tile(V, (40, 1)).tolist()


def test_fbx_that_is_wrong_is_refused(tmp_path):
    pytest.importorskip("ufbx")
    path = tmp_path / "mesh.fbx"
    whole = fbx().encode()
    for data in (b"", b"hello", b"Kaydara FBX Binary  \0\x1a\0", whole[: len(whole) // 2]):
        path.write_bytes(data)
        refused(path)


# ---------------------------------------------------------------- hitbox.load


@pytest.mark.parametrize(("package", "suffix", "extra"), [("pxr", "usda", "usd"), ("ufbx", "fbx", "fbx")])
def test_a_missing_extra_is_named(tmp_path, package, suffix, extra):
    path = tmp_path / f"mesh.{suffix}"
    path.write_text("#usda 1.0\n")
    code = (
        "import sys, importlib.util as u, hitbox\n"
        f"sys.modules[{package!r}] = None\n"
        "found = u.find_spec\n"
        f"u.find_spec = lambda name, *rest: None if name == {package!r} else found(name, *rest)\n"
        f"try: hitbox.load({str(path)!r})\n"
        "except hitbox.InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f'pip install "hitbox[{extra}]"' in done.stdout


def test_names_cannot_break_out_of_their_line(read):
    mesh = read(dae(f"<node name={quoteattr('a&b<c>')}><instance_geometry url='#g'/></node>"))
    assert mesh.part_names == ("a&b<c>",)
    mesh = read(dae("<node name='a&#10;b'><instance_geometry url='#g'/></node>"))
    assert mesh.part_names == ("a b",)


@pytest.mark.parametrize("suffix", ["dae", "usda", "fbx"])
def test_paths_that_are_no_files(tmp_path, suffix):
    with pytest.raises(InputError, match="no such file"):
        hitbox.load(tmp_path / f"none.{suffix}")
    (tmp_path / f"folder.{suffix}").mkdir()
    with pytest.raises(InputError, match="not a regular file"):
        hitbox.load(tmp_path / f"folder.{suffix}")
