"""A table of bad input. Each row gives a correct answer if there is one, otherwise one line that names the
culprit.

Every row runs from Python, where it raises InputError, and from the shell, where it ends with exit code 2,
one line on stderr, no traceback and no file. The shell's rows run in one process, except a few that prove
that the process itself survives.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import struct
import subprocess
import sys
import time

import mesh_files
import numpy as np
import pytest
import specimens
from enclosure import faces_stick_out
from hypothesis import given, settings
from hypothesis import strategies as st

import hitbox
from hitbox import InputError, Mesh, fit, fit_tree
from hitbox._cli.app import run

CUBE = specimens.box()
V = CUBE.vertices
FACES = specimens.polygons_of(CUBE)
T = CUBE.triangles.astype(np.int64)


def one_line(error: BaseException, *says: str) -> str:
    """Return the message, which must be one line of one to three sentences and name the culprit."""
    text = str(error)
    for part in says:
        assert part in text, text
    assert "\n" not in text
    assert 10 < len(text) < 400
    assert text.rstrip().endswith((".", ")", "?", "'")), text
    return text


def refused(call, *says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    one_line(caught.value, *says)


# ---- arrays

ARRAYS = {
    "no faces": ((V, []), "no faces"),
    "no faces, as an array": ((V, np.zeros((0, 3), int)), "no faces"),
    "no vertices": ((np.zeros((0, 3)), [[0, 1, 2]]), "face 0"),
    "nothing": (([], []), "mesh"),
    "a NaN": ((np.where(np.arange(8)[:, None] == 5, np.nan, V), FACES), "vertex 5"),
    "an infinity": ((np.where(np.arange(8)[:, None] == 5, -np.inf, V), FACES), "vertex 5"),
    "an index too large": ((V, [*FACES, [0, 1, 8]]), "face 6"),
    "an index far too large": ((V, [[0, 1, 2**40]]), "face 0"),
    "a negative index": ((V, [*FACES, [0, 1, -1]]), "face 6"),
    "all vertices equal": ((np.ones((8, 3)), FACES), "point"),
    "only equal vertices used": ((np.vstack([V, V[:1], V[:1]]), [[0, 8, 9]]), "point"),
    "a face of two": ((V, [[0, 1]]), "face 0"),
    "ragged with a face of two": ((V, [[0, 1, 2], [0, 1]]), "face 1"),
    "ragged with an empty face": ((V, [[0, 1, 2], []]), "face 1"),
    "flat vertices": ((V[:, :2], FACES), "(8, 2)"),
    "ragged vertices": (([[0, 0, 0], [1, 0], [0, 1, 0]], [[0, 1, 2]]), "three"),
    "complex vertices": ((V + 1j, FACES), "numbers"),
    "words as vertices": (([["a", "b", "c"]] * 3, [[0, 1, 2]]), "numbers"),
    "numbers with a point as indices": ((V, np.array([[0.0, 1.0, 2.0]])), "whole numbers"),
    "words as indices": ((V, [["a", "b", "c"]]), "whole numbers"),
    "numbers instead of faces": ((V, [0, 1, 2]), "face 0"),
    "faces of faces": ((V, np.zeros((2, 3, 3), int)), "(2, 3, 3)"),
    "None as faces": ((V, None), "faces"),
    "a number as faces": ((V, 5), "faces"),
    "not a mesh": (42, "int"),
    "None": (None, "NoneType"),
    "a list of three": ([V, FACES, 1], "list"),
}


@pytest.mark.parametrize("row", ARRAYS)
def test_arrays(row):
    mesh, says = ARRAYS[row]
    refused(lambda: fit(mesh, 2), says)


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e-50, 1e50])
def test_extreme_coordinates_have_a_right_answer(scale):
    mesh = Mesh(V * scale, FACES)
    collider = fit(mesh, 3)
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    assert collider.bounds == pytest.approx(mesh.bounds, rel=1e-6, abs=1e-6 * scale)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e-100, 1e100, 1e200, 1e308])
def test_coordinates_beyond_use_are_refused_or_right(scale):
    try:
        mesh = Mesh(V * scale, FACES, name="far.obj")
        collider = fit(mesh, 3)
    except InputError as error:
        one_line(error, "far.obj")
        return
    assert np.isfinite([shape.params.tolist() for shape in collider]).all()
    assert collider.contains(mesh.vertices, 1e-9 * mesh.diagonal).all()


def test_right_answers_for_what_looks_wrong():
    triangle = fit(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), 64)
    assert len(triangle) == 1
    assert 0 < triangle.volume < 1e-3
    sheet = specimens.grid(30, 30)
    flat = fit(sheet, 64)
    assert faces_stick_out(sheet, flat).max() <= 1e-9 * sheet.diagonal
    assert len(flat) == 1
    assert len(fit(sheet)) == 1
    twice = Mesh(V, FACES + FACES)
    assert fit(twice, 1).counts == {"box": 1}
    assert fit(twice, 1).volume == pytest.approx(1)
    assert fit((V, [*FACES, [3, 3, 3]]), 1).volume == pytest.approx(1)
    integers = fit((np.round(V + 0.5).astype(np.int8), np.array(FACES, np.uint8)), 1)
    assert integers.volume == pytest.approx(1)


# ---- options

OPTIONS = {
    "count zero": ({"count": 0}, "count", "0"),
    "count negative": ({"count": -1}, "count", "-1"),
    "count not whole": ({"count": 1.5}, "count", "1.5"),
    "count a whole float": ({"count": 4.0}, "count", "4.0"),
    "count true": ({"count": True}, "count", "True"),
    "count a word": ({"count": "x"}, "count", "'x'"),
    "count beyond all": ({"count": 10**30}, "count"),
    "count a list": ({"count": [3]}, "count"),
    "count nan": ({"count": math.nan}, "count"),
    "weight zero": ({"weights": {"box": 0}}, "weights: box", "from 1e-06 to 1e+06"),
    "weight negative": ({"weights": {"box": -1}}, "weights: box", "-1"),
    "weight nan": ({"weights": {"prism": math.nan}}, "weights: prism"),
    "weight infinite": ({"weights": {"prism": math.inf}}, "weights: prism"),
    "weight a word": ({"weights": {"prism": "x"}}, "weights: prism", "'x'"),
    "weight none": ({"weights": {"prism": None}}, "weights: prism"),
    "weight true": ({"weights": {"prism": True}}, "weights: prism"),
    "weight too large for a float": ({"weights": {"prism": 10**400}}, "weights: prism"),
    "weight of an unknown kind": ({"weights": {"capsul": 1}}, "weights", "Did you mean 'capsule'?"),
    "weights a list": ({"weights": [1, 2]}, "weights"),
    "weights an unknown preset": ({"weights": "organik"}, "weights", "Did you mean 'organic'?"),
    "kinds unknown": ({"kinds": ["boxx"]}, "kinds", "Did you mean 'box'?"),
    "kinds unknown, alone": ({"kinds": "cone"}, "kinds", "'cone'", "frustum"),
    "kinds a hull": ({"kinds": ["hull"]}, "kinds", "'hull'"),
    "kinds empty": ({"kinds": []}, "kinds", "at least one"),
    "kinds no words": ({"kinds": [3]}, "kinds", "3"),
    "kinds unhashable": ({"kinds": [["box"]]}, "kinds"),
    "kinds a number": ({"kinds": 3}, "kinds", "3"),
    "kinds all forbidden by the preset": ({"kinds": "prism", "weights": "organic"}, "organic", "prism"),
    "cost unknown": ({"cost": "foo"}, "cost", "'foo'", "grown, volume"),
    "cost misspelt": ({"cost": "volumes"}, "Did you mean 'volume'?"),
    "cost none": ({"cost": None}, "cost"),
    "cost a list": ({"cost": []}, "cost"),
    "objective unknown": ({"objective": "inner"}, "objective", "outer, surface"),
    "preset misspelt": ({"preset": "fin"}, "preset", "Did you mean 'fine'?"),
    "preset none": ({"preset": None}, "preset"),
    "time_budget zero": ({"time_budget": 0}, "time_budget", "above 0"),
    "time_budget negative": ({"time_budget": -1}, "time_budget", "-1"),
    "time_budget nan": ({"time_budget": math.nan}, "time_budget", "nan"),
    "time_budget infinite": ({"time_budget": math.inf}, "time_budget", "inf"),
    "time_budget a word": ({"time_budget": "1s"}, "time_budget", "'1s'"),
    "profile misspelt": ({"profile": "unitty"}, "profile", "Did you mean 'unity'?"),
    "profile empty": ({"profile": ""}, "profile", "unity"),
    "profile a number": ({"profile": 3}, "profile", "3"),
    "profile a file that is not there": ({"profile": "nowhere/my.json"}, "nowhere/my.json", "cannot be read"),
    "profile a folder": ({"profile": "/.json/../"}, "profile"),
    "parts unknown": ({"parts": "apart"}, "parts", "'apart'", "together, separate"),
    "materials a truth value": ({"materials": True}, "materials", "together, separate"),
    "max_vertices without hulls": ({"max_vertices": 16}, "max_vertices", "'hull' to kinds"),
    "max_vertices few": ({"max_vertices": 3, "kinds": ["box", "hull"]}, "max_vertices", "from 4 to 256"),
    "max_vertices many": ({"max_vertices": 257, "kinds": ["box", "hull"]}, "max_vertices", "257"),
    "max_vertices not whole": ({"max_vertices": 8.0, "kinds": ["box", "hull"]}, "max_vertices", "8.0"),
    "hull and prisms that are left out": ({"kinds": ["hull", "prism"], "weights": "organic"}, "organic"),
    "weight of a hull": ({"weights": {"hull": 2}}, "weights", "'hull'"),
    "importance an unknown direction": ({"importance": "upp"}, "importance", "Did you mean 'up'?"),
    "importance up of a mesh that has none": ({"importance": "up"}, "importance", "no up axis"),
    "importance a direction of nothing": ({"importance": ((0, 0, 0), 4)}, "importance", "direction"),
    "importance a direction of two": ({"importance": ((0, 1), 4)}, "importance", "three numbers"),
    "importance a direction of words": ({"importance": (("x", "y", "z"), 4)}, "importance", "direction"),
    "importance a weight of zero": ({"importance": ("+z", 0)}, "importance", "weight", "0"),
    "importance too few": ({"importance": [1.0] * 5}, "importance", "5 numbers for 6 faces"),
    "importance a zero": ({"importance": [1, 1, 0, 1, 1, 1]}, "importance", "face 2", "0.0"),
    "importance a nan": ({"importance": [1, 1, 1, 1, 1, math.nan]}, "importance", "face 5", "nan"),
    "importance a table": ({"importance": np.ones((6, 2))}, "importance"),
    "importance a number": ({"importance": 3}, "importance", "3"),
    "importance nothing": ({"importance": []}, "importance"),
    "importance an empty dict": ({"importance": {}}, "importance", "empty"),
    "importance names without parts": ({"importance": {"seat": 4}}, "importance", "no names"),
    "importance a negative name": ({"importance": {"seat": -4}}, "importance: seat", "-4"),
    "keep_clear one sphere": ({"keep_clear": (0, 0, 0, 1)}, "keep_clear", "four numbers"),
    "keep_clear points": ({"keep_clear": [(0, 0, 0)]}, "keep_clear", "four numbers"),
    "keep_clear ragged": ({"keep_clear": [(0, 0, 0, 1), (1,)]}, "keep_clear"),
    "keep_clear words": ({"keep_clear": "all"}, "keep_clear"),
    "keep_clear a number": ({"keep_clear": 3}, "keep_clear"),
    "keep_clear without a radius": ({"keep_clear": [(0, 0, 0, 1), (9, 9, 9, 0)]}, "keep_clear", "sphere 2"),
    "keep_clear nan": ({"keep_clear": [(0, math.nan, 0, 1)]}, "keep_clear", "sphere 1", "nan"),
    "keep_clear infinite": ({"keep_clear": [(0, 0, 0, math.inf)]}, "keep_clear", "sphere 1"),
    "pad a word": ({"pad": "thick"}, "pad", "'thick'"),
    "pad infinite": ({"pad": -math.inf}, "pad", "finite"),
    "pad that leaves nothing": ({"pad": "-100%"}, "pad", "half the mesh"),
    "pad beyond all measure": ({"pad": 1e150}, "pad", "1e+150", "diagonal"),
    "pad beyond the diagonal": ({"pad": "101%"}, "pad", "'101%'", "diagonal"),
    "pad an unknown unit": ({"pad": "-1parsec"}, "pad", "parsec"),
    "cache a number": ({"cache": 3}, "cache", "3"),
    "cache a file": ({"cache": __file__}, "test_bad_input.py", "folder"),
    "tangent unknown": ({"tangent": "maybe"}, "tangent", "'maybe'", "auto, on, off"),
    "tangent a truth value": ({"tangent": True}, "tangent", "True"),
    "max_excess negative": ({"max_excess": -1}, "max_excess", "-1"),
    "max_excess nan": ({"max_excess": math.nan}, "max_excess", "nan"),
    "max_excess a word": ({"max_excess": "x"}, "max_excess", "'x'"),
    "max_excess true": ({"max_excess": True}, "max_excess", "True"),
    "max_excess too large for a float": ({"max_excess": 10**400}, "max_excess"),
    "drop_thin a word": ({"drop_thin": "foo"}, "drop_thin", "'foo'"),
    "drop_thin negative": ({"drop_thin": -1}, "drop_thin"),
    "drop_thin nan": ({"drop_thin": math.nan}, "drop_thin"),
    "drop_thin an unknown unit": ({"drop_thin": "5parsec"}, "drop_thin", "parsec"),
    "drop_thin drops all": ({"drop_thin": 10.0}, "drop_thin"),
    "weld a word": ({"weld": "foo"}, "weld", "'foo'"),
    "weld negative": ({"weld": -0.1}, "weld"),
    "weld infinite": ({"weld": math.inf}, "weld"),
    "weld none": ({"weld": None}, "weld"),
    "weld joins all": ({"weld": 100.0}, "weld"),
    "an unknown option": ({"max_exces": 1}, "max_exces", "Did you mean 'max_excess'?"),
    "another unknown option": ({"foo": 1}, "'foo'"),
    "threads negative": ({"threads": -1}, "threads", "-1"),
    "threads beyond all": ({"threads": 10**9}, "threads"),
    "threads a word": ({"threads": "x"}, "threads", "'x'"),
    "threads true": ({"threads": True}, "threads"),
    "threads not whole": ({"threads": 1.5}, "threads"),
    "progress no function": ({"progress": 3}, "progress"),
    "cancel no event": ({"cancel": 3}, "cancel"),
    "options no options": ({"options": 3}, "options"),
}


@pytest.mark.parametrize("row", OPTIONS)
def test_options(row):
    keywords, *says = OPTIONS[row]
    refused(lambda: fit(CUBE, **keywords), *says)
    if "count" not in keywords:
        refused(lambda: fit_tree(CUBE, **keywords).at(1), *says[:1])


def test_options_of_the_tree():
    refused(lambda: fit_tree(CUBE, 0), "finest")
    refused(lambda: fit_tree(CUBE, True), "finest")
    refused(lambda: fit_tree(CUBE, count=3), "finest")
    refused(lambda: fit_tree(CUBE, options=hitbox.FitOptions(count=3)), "finest")
    tree = fit_tree(CUBE)
    for count in (0, -1, 1.5, True, "x", None):
        refused(lambda count=count: tree.at(count), "count")
        refused(lambda count=count: tree.clusters(count), "count")


# ---- the shell


@pytest.fixture
def shell(tmp_path, monkeypatch, capfd):
    """Run `hitbox fit FILE options -o out.json`, which must fail cleanly, and return the line it prints."""
    monkeypatch.chdir(tmp_path)

    def call(content: bytes, suffix: str, *arguments: str) -> str:
        path = tmp_path / f"in{suffix}"
        path.write_bytes(content)
        before = sorted(os.listdir(tmp_path))
        code = run(["fit", path.name, *arguments, "-o", "out.json", "-o", "out.glb"])
        out, err = capfd.readouterr()
        assert code == 2, err
        assert out == ""
        assert err.startswith("hitbox: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        assert sorted(os.listdir(tmp_path)) == before
        return err

    return call


OBJ = mesh_files.obj(V, FACES)

SHELL = [
    (["-n", "0"], "count"),
    (["-n", "-3"], "count"),
    (["-n", "1.5"], "1.5"),
    (["-n", "x"], "'x'"),
    (["-n", "9" * 40], "count"),
    (["--weights", "box=-1"], "weights: box"),
    (["--weights", "box=0"], "weights: box"),
    (["--weights", "box=nan"], "weights: box"),
    (["--weights", "box=inf"], "weights: box"),
    (["--weights", "boxs=1"], "Did you mean 'box'?"),
    (["--weights", "box"], "unknown preset 'box'"),
    (["--weights", "box=1,prism"], "kind=number"),
    (["--kinds", "capsul"], "Did you mean 'capsule'?"),
    (["--kinds", ""], "--kinds"),
    (["--cost", "foo"], "'foo'"),
    (["--tangent", "foo"], "'foo'"),
    (["--max-excess", "-1"], "max_excess"),
    (["--max-excess", "nan"], "max_excess"),
    (["--max-excess", "x"], "'x'"),
    (["--drop-thin", "foo"], "drop_thin"),
    (["--drop-thin", "-1"], "drop_thin"),
    (["--drop-thin", "10"], "drop_thin"),
    (["--weld", "foo"], "weld"),
    (["--weld", "100"], "weld"),
    (["--threads", "-1"], "threads"),
    (["--lods", "0,4"], "count"),
    (["--lods", "4,x"], "--lods"),
    (["--lods", "4", "-n", "4"], "--lods"),
    (["--preset", "best"], "'best'"),
    (["--profile", "unitty"], "Did you mean 'unity'?"),
    (["--time-budget", "0"], "time_budget"),
    (["--time-budget", "x"], "'x'"),
    (["--max-vertices", "8"], "max_vertices"),
    (["--importance", "upp"], "Did you mean 'up'?"),
    (["--importance", "up"], "no up axis"),
    (["--importance", "up=x"], "--importance"),
    (["--importance", "up", "--importance", "seat=2"], "--importance"),
    (["--importance", "up=3", "--importance", "seat=2"], "--importance"),
    (["--importance", "=2"], "--importance"),
    (["--keep-clear", "1,2,3"], "--keep-clear"),
    (["--keep-clear", "1,2,3,x"], "--keep-clear"),
    (["--keep-clear", "1,2,3,-1"], "keep_clear: sphere 1"),
    (["--pad", "foo"], "pad"),
    (["--pad", "1e308"], "pad: 1e+308 is more than the mesh's diagonal"),
    (["--cache", "in.obj"], "in.obj"),
    (["--foo"], "--foo"),
]


@pytest.mark.parametrize(
    ("arguments", "says"), SHELL, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_options_in_the_shell(shell, arguments, says):
    assert says in shell(OBJ, ".obj", *arguments)


def glb() -> mesh_files.Gltf:
    return mesh_files.gltf_of(V, T)


def broken_gltf(**changes) -> bytes:
    document = json.loads(glb().gltf())
    for key, value in changes.items():
        document[key] = value
    return json.dumps(document).encode()


def ply_header(vertices: object, faces: object) -> bytes:
    return (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\n"
        f"property float y\nproperty float z\nelement face {faces}\n"
        "property list uchar int vertex_indices\nend_header\n"
    ).encode()


def gltf_that_is_its_own_buffer(times: int) -> bytes:
    """The file names itself as `times` buffers, each by another path, and reads from all of them, then from
    one too many.
    """
    primitives = [{"attributes": {"POSITION": k}} for k in range(times + 1)]
    views = [{"buffer": k, "byteLength": 36} for k in range(times)]
    accessor = {"componentType": 5126, "count": 3, "type": "VEC3"}
    return broken_gltf(
        buffers=[{"byteLength": 36, "uri": "./" * (k % 9) + "in.gltf"} for k in range(times)],
        bufferViews=views,
        accessors=[{**accessor, "bufferView": k} for k in range(times + 1)],
        meshes=[{"primitives": primitives}],
    )


FILES = {
    "empty obj": (b"", ".obj"),
    "empty ply": (b"", ".ply"),
    "empty stl": (b"", ".stl"),
    "empty off": (b"", ".off"),
    "empty gltf": (b"", ".gltf"),
    "empty glb": (b"", ".glb"),
    "empty gzip": (gzip.compress(b""), ".obj.gz"),
    "obj without faces": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", ".obj"),
    "obj out of range": (OBJ + b"f 1 2 99\n", ".obj"),
    "obj relative out of range": (OBJ + b"f -1 -2 -99\n", ".obj"),
    "obj index zero": (OBJ + b"f 0 1 2\n", ".obj"),
    "obj index beyond 64 bits": (OBJ + b"f 1 2 99999999999999999999999\n", ".obj"),
    "obj nan": (OBJ + b"v nan 0 0\nf 1 2 9\n", ".obj"),
    "obj infinite": (OBJ + b"v 1e999 0 0\nf 1 2 9\n", ".obj"),
    "obj word": (b"v a b c\n", ".obj"),
    "obj all equal": (b"v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", ".obj"),
    "obj of noise": (bytes(range(256)) * 40, ".obj"),
    "obj of zeros": (b"\0" * 5000, ".obj"),
    "a picture named obj": (b"\x89PNG\r\n\x1a\n" + bytes(100), ".obj"),
    "a picture named stl": (b"\x89PNG\r\n\x1a\n" + bytes(100), ".stl"),
    "off claims too much": (b"OFF\n4000000000 4000000000 0\n0 0 0\n", ".off"),
    "off negative": (b"OFF\n-3 1 0\n", ".off"),
    "off out of range": (mesh_files.off(V, [*FACES, [0, 1, 8]]), ".off"),
    "off negative index": (mesh_files.off(V, [*FACES, [0, 1, -8]]), ".off"),
    "ply claims too much": (ply_header(4_000_000_000, 4_000_000_000), ".ply"),
    "ply negative": (ply_header(-1, 2), ".ply"),
    "ply without end": (b"ply\nformat ascii 1.0\n", ".ply"),
    "ply unknown format": (b"ply\nformat middle_endian 1.0\nend_header\n", ".ply"),
    "ply out of range": (mesh_files.ply(V, [*FACES, [0, 1, 8]]), ".ply"),
    "ply negative index": (mesh_files.ply(V, [*FACES, [0, 1, -8]]), ".ply"),
    "ply nan": (mesh_files.ply(np.where(V > 0, np.nan, V), FACES), ".ply"),
    "stl claims too much": (bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50), ".stl"),
    "stl of no triangles": (bytes(80) + struct.pack("<I", 0), ".stl"),
    "stl infinite": (mesh_files.stl(np.where(V > 0, np.inf, V), T), ".stl"),
    "stl text without faces": (b"solid x\nendsolid x\n", ".stl"),
    "gltf no json": (b"{", ".gltf"),
    "gltf a list": (b"[]", ".gltf"),
    "gltf empty": (b"{}", ".gltf"),
    "gltf deep": (b'{"asset":' + b"[" * 100_000, ".gltf"),
    "gltf a cycle of nodes": (broken_gltf(nodes=[{"children": [1]}, {"children": [0], "mesh": 0}]), ".gltf"),
    "gltf a node that is its child": (broken_gltf(nodes=[{"children": [0], "mesh": 0}]), ".gltf"),
    "gltf no such mesh": (broken_gltf(nodes=[{"mesh": 7}]), ".gltf"),
    "gltf no such buffer": (broken_gltf(buffers=[{"byteLength": 10, "uri": "missing.bin"}]), ".gltf"),
    "gltf buffer of hostile path": (
        broken_gltf(buffers=[{"byteLength": 10, "uri": "../../../../etc/passwd"}]),
        ".gltf",
    ),
    "gltf that is its own buffer, often": (gltf_that_is_its_own_buffer(2000), ".gltf"),
    "gltf accessor beyond its view": (glb().glb().replace(b'"count": 8', b'"count": 9'), ".glb"),
    "gltf huge accessor": (
        broken_gltf(accessors=[{"count": 2**60, "componentType": 5126, "type": "VEC3"}] * 2),
        ".gltf",
    ),
    "gltf compressed": (broken_gltf(extensionsRequired=["KHR_draco_mesh_compression"]), ".gltf"),
    "glb wrong version": (glb().glb()[:4] + struct.pack("<I", 9) + glb().glb()[8:], ".glb"),
    "gzip cut short": (gzip.compress(OBJ)[:-12], ".obj.gz"),
    "gzip bomb": (gzip.compress(b"v 0 0 0\n" * 10 + b"\0" * 50_000_000, 9), ".obj.gz"),
}


@pytest.mark.parametrize("row", FILES)
def test_files(shell, row, tmp_path):
    content, suffix = FILES[row]
    started = time.process_time()
    assert f"in{suffix}" in shell(content, suffix)
    assert time.process_time() - started < 5
    with pytest.raises(InputError) as caught:
        hitbox.load(tmp_path / f"in{suffix}")
    one_line(caught.value, f"in{suffix}")


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="only Linux tells a process its peak")
@pytest.mark.parametrize(
    "row", ["gltf that is its own buffer, often", "gltf huge accessor", "ply claims too much"]
)
def test_small_files_take_little_memory(tmp_path, row):
    content, suffix = FILES[row]
    (tmp_path / f"in{suffix}").write_bytes(content)
    script = (
        "import re, sys, hitbox\n"
        "def peak(): return int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])\n"
        "try: hitbox.load('missing.obj')\n"
        "except hitbox.InputError: before = peak()\n"
        "try: hitbox.load(sys.argv[1])\n"
        "except hitbox.InputError: print(peak() - before)\n"
    )
    command = [sys.executable, "-c", script, f"in{suffix}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=30)
    assert int(done.stdout) < 32 * 1024  # kB


def test_a_buffer_that_nothing_uses_may_be_missing(tmp_path):
    document = json.loads(glb().gltf())
    document["buffers"].append({"byteLength": 10, "uri": "missing.bin"})
    (tmp_path / "in.gltf").write_text(json.dumps(document))
    assert hitbox.load(tmp_path / "in.gltf").face_count == 12


WHOLE = {
    ".obj": (OBJ, "text"),
    ".off": (mesh_files.off(V, FACES), "text"),
    ".ply": (mesh_files.ply(V, FACES), "binary"),
    ".stl": (mesh_files.stl(V, T), "binary"),
    ".gltf": (glb().gltf(), "binary"),
    ".glb": (glb().glb(), "binary"),
    ".obj.gz": (gzip.compress(OBJ), "binary"),
}


@pytest.mark.parametrize("suffix", WHOLE)
def test_every_prefix_is_refused_or_a_mesh(suffix, tmp_path):
    """A binary file truncated anywhere is refused. Text that ends after a face is a mesh."""
    content, kind = WHOLE[suffix]
    path = tmp_path / f"cut{suffix}"
    for end in range(0, len(content), max(1, len(content) // 150)):
        path.write_bytes(content[:end])
        try:
            mesh = hitbox.load(path)
        except InputError as error:
            one_line(error, f"cut{suffix}")
        else:
            assert kind == "text"
            assert faces_stick_out(mesh, fit(mesh, 2)).max() <= 1e-9 * mesh.diagonal
    path.write_bytes(content)
    assert fit(path, 1).volume == pytest.approx(1, rel=1e-6)


@settings(max_examples=80, deadline=None)
@given(suffix=st.sampled_from(sorted(WHOLE)), seed=st.integers(0, 2**32 - 1))
def test_damaged_files_are_refused_or_enclosed(tmp_path_factory, suffix, seed):
    content = bytearray(WHOLE[suffix][0])
    rng = np.random.default_rng(seed)
    for _ in range(rng.integers(1, 6)):
        content[rng.integers(len(content))] = rng.integers(256)
    path = tmp_path_factory.mktemp("damaged") / f"bad{suffix}"
    path.write_bytes(content)
    try:
        mesh = hitbox.load(path)
        collider = fit(mesh, 3, threads=1)
    except InputError as error:
        one_line(error)
        return
    assert len(collider) <= 3
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal


def test_files_that_are_not_there(shell, tmp_path, capfd):
    for name, says in (
        ("missing.obj", "missing.obj"),
        ("in.xyz", "'.xyz'"),
        (".", "is a folder"),
        ("x.obj\n", "x.obj"),
    ):
        assert run(["fit", name, "-o", "out.json"]) == 2
        err = capfd.readouterr().err
        assert err.startswith("hitbox: ")
        assert says in err
        assert err.count("\n") == 1
    (tmp_path / "folder.obj").mkdir()
    assert run(["fit", "folder.obj", "-o", "out.json"]) == 2
    assert "folder.obj" in capfd.readouterr().err
    assert not (tmp_path / "out.json").exists()


def test_outputs_that_cannot_be_written(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cube.obj").write_bytes(OBJ)
    for outputs in (["nowhere/out.json"], ["out.json", "out.json"], ["out.xyz"]):
        assert run(["fit", "cube.obj", "-n", "1", *(word for path in outputs for word in ("-o", path))]) == 2
        err = capfd.readouterr().err
        assert err.startswith("hitbox: ")
        assert err.count("\n") == 1
        assert os.listdir(tmp_path) == ["cube.obj"], outputs


def test_all_outputs_are_written_or_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cube.obj").write_bytes(OBJ)
    assert run(["fit", "cube.obj", "-n", "1", "-o", "out.json", "-o", "nowhere/out.glb"]) == 2
    assert os.listdir(tmp_path) == ["cube.obj"]


@pytest.mark.parametrize("row", ["empty glb", "gltf deep", "ply claims too much", "obj all equal"])
def test_the_process_survives(tmp_path, row):
    content, suffix = FILES[row]
    (tmp_path / f"in{suffix}").write_bytes(content)
    command = [
        sys.executable,
        "-c",
        "from hitbox._cli import main; main()",
        "fit",
        f"in{suffix}",
        "-o",
        "out.json",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("hitbox: ")
    assert done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == [f"in{suffix}"]


def test_right_answers_in_the_shell(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cube.obj").write_bytes(OBJ)
    assert (
        run(["fit", "cube.obj", "-n", "1", "--json", "-o", "out.json", "-o", "out.glb", "-o", "out.obj"]) == 0
    )
    report = json.loads(capfd.readouterr().out)
    assert report["kinds"] == {"box": 1}
    assert report["files"] == ["out.json", "out.glb", "out.obj"]
    assert hitbox.Collider.load("out.json").volume == pytest.approx(1)
    assert run(["fit", "cube.obj", "--lods", "1,2", "-o", "{count}.json"]) == 0
    assert (tmp_path / "1.json").exists()
    assert (tmp_path / "2.json").exists()
    assert run(["info", "cube.obj"]) == 0
