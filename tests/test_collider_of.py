"""Collider.of makes one collider of the parts that other tools and files contain."""

from __future__ import annotations

import gzip
from types import SimpleNamespace

import mesh_files
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitbox import Box, Capsule, Collider, Hull, InputError, Mesh, Sphere, load

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
BOX = Box((0, 0, 0), UPRIGHT, (1, 2, 3)).to_mesh()
TETRAHEDRON = (
    np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
)
FLAT = (np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float), np.array([[0, 1, 2], [0, 2, 3]]))


def moved(piece, by):
    return piece[0] + np.asarray(by, float), piece[1]


def bytes_of(*pieces):
    return sum(12 * len(v) + 6 * np.size(t) // 3 for v, t in pieces)


def random_hull(seed, count=40):
    """Return scipy's hull of points on a sphere, with facets wound either way."""
    from scipy.spatial import ConvexHull

    points = np.random.default_rng(seed).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", normals, corners[:, 0]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return points, triangles


def test_a_collider_is_itself_and_shapes_are_kept():
    collider = Collider([Sphere((0, 0, 0), 1)], name="ball")
    assert Collider.of(collider) is collider
    shapes = [Sphere((0, 0, 0), 1), Hull(*BOX)]
    assert Collider.of(shapes).shapes == tuple(shapes)
    assert Collider.of(iter(shapes)).shapes == tuple(shapes)


@pytest.mark.parametrize("pair", [tuple, list])
@pytest.mark.parametrize("flat", [False, True])
def test_pairs_as_coacd_and_vhacd_return_them(pair, flat):
    pieces = [BOX, moved(TETRAHEDRON, (9, 0, 0))]
    given_ = [pair([v, t.ravel() if flat else t]) for v, t in pieces]
    made = Collider.of(given_)
    assert [shape.kind for shape in made] == ["hull", "hull"]
    assert made.nbytes == bytes_of(*pieces)
    assert made.status.complete
    assert made.status.notes == ()
    np.testing.assert_array_equal(made[1].vertices, pieces[1][0])


def test_two_pieces_with_as_many_vertices_as_triangles_are_two():
    assert len(Collider.of([TETRAHEDRON, moved(TETRAHEDRON, (5, 0, 0))])) == 2
    assert len(Collider.of([list(TETRAHEDRON)])) == 1


def test_one_pair_and_one_trimesh_are_split_by_what_hangs_together():
    a, b = BOX, moved(TETRAHEDRON, (9, 0, 0))
    vertices, triangles = np.vstack([a[0], b[0]]), np.vstack([a[1], b[1] + len(a[0])])
    for whole in [(vertices, triangles), SimpleNamespace(vertices=vertices, faces=triangles)]:
        made = Collider.of(whole)
        assert [len(shape.vertices) for shape in made] == [8, 4]
    assert len(Collider.of(Mesh(vertices, triangles))) == 2


def test_trimeshes_and_meshes_in_a_list():
    trimesh = pytest.importorskip("trimesh")
    made = Collider.of([trimesh.Trimesh(*BOX, process=False), Mesh(*TETRAHEDRON)])
    assert made.nbytes == bytes_of(BOX, TETRAHEDRON)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), st.sampled_from([1e-20, 1.0, 1e20]))
def test_pieces_as_they_come_are_kept_with_their_bytes(seed, inward, single, scale):
    """The parts are in 32 bits, wound inward, with repeated and unused vertices, in any order."""
    rng = np.random.default_rng(seed)
    vertices, triangles = random_hull(seed)
    vertices = (vertices + rng.uniform(-3, 3, 3)) * scale
    twice = rng.integers(0, len(vertices), 5)
    middle = vertices.mean(axis=0, keepdims=True)
    piece = np.vstack([vertices, vertices[twice], middle])
    use = np.arange(len(vertices))
    use[twice] = len(vertices) + np.arange(5)
    some = rng.random(triangles.shape) < 0.5
    triangles = np.where(some, use[triangles], triangles)
    if single:
        piece = piece.astype(np.float32)
    if inward:
        triangles = triangles[:, ::-1]
    made = Collider.of([(piece, triangles)])
    assert made.status.notes == ()
    assert made.nbytes == bytes_of((piece, triangles))
    assert made.volume == pytest.approx(Collider.of([Hull(*random_hull(seed))]).volume * scale**3, rel=1e-4)
    assert made.contains(middle.astype(piece.dtype)).all()


def test_coplanar_facets_in_32_bits_stay_a_hull():
    """Each side of a rotated box far from the origin is a fan of thin triangles."""
    angles = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 0.01
    tilt, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    tilt *= np.sign(np.linalg.det(tilt))
    discs = [np.column_stack([ring, np.full(64, z)]) for z in (-0.003, 0.003)]
    vertices = (np.vstack(discs) @ tilt.T + [1, 0.5, -0.7]).astype(np.float32)
    k = np.arange(64)
    side = np.concatenate(
        [np.stack([k, (k + 1) % 64, k + 64], 1), np.stack([(k + 1) % 64, (k + 1) % 64 + 64, k + 64], 1)]
    )
    fan = np.stack([np.zeros(62, int), np.arange(1, 63), np.arange(2, 64)], axis=1)
    triangles = np.vstack([side, fan[:, ::-1], fan + 64])
    made = Collider.of([(vertices, triangles)])
    assert made.status.notes == ()
    assert made.nbytes == bytes_of((vertices, triangles))


@pytest.mark.parametrize(
    ("spoil", "word"), [("open", "not closed"), ("dent", "not convex"), ("bare", "not closed")]
)
def test_other_surfaces_become_the_hull_of_their_vertices(spoil, word):
    vertices, triangles = random_hull(3)
    if spoil == "open":
        piece = vertices, triangles[1:]
    elif spoil == "bare":
        piece = vertices, np.empty((0, 3), int)
    else:
        piece = np.where((np.arange(len(vertices)) == 7)[:, None], vertices * 0.5, vertices), triangles
    made = Collider.of([BOX, piece])
    assert made.status.complete
    assert len(made.status.notes) == 1
    assert made.status.notes[0].startswith("piece 1 is " + word)
    assert made[1].contains(piece[0], 1e-9).all()
    assert set(map(tuple, made[1].vertices)) <= set(map(tuple, piece[0]))


def test_flat_pieces_are_left_out_and_it_is_said():
    line = (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], float), np.array([[0, 1, 2]]))
    nothing = (np.empty((0, 3)), np.empty((0, 3), int))
    made = Collider.of([BOX, FLAT, line, nothing])
    assert len(made) == 1
    assert not made.status.complete
    assert made.status.notes[0] == "piece 1 is flat and has no inside: it is left out."
    assert len(made.status.notes) == 3


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ([], "there are no shapes"),
        ([FLAT, FLAT], "all 2 pieces are flat"),
        ([BOX, (BOX[0] * np.nan, BOX[1])], "piece 1: vertex 0 is not finite"),
        ([(BOX[0] * 1e70, BOX[1])], "piece 0: vertex 0 is beyond 1e+60"),
        ([BOX, (BOX[0], BOX[1] + 1)], "piece 1: triangles use vertex 8, but there are 8"),
        ([BOX, (BOX[0], BOX[1].astype(np.int64) - 1)], "piece 1: triangles use vertex -1"),
        ([(BOX[0], BOX[1] * 0.5)], "piece 0: triangles must be whole numbers"),
        ([(BOX[0][:, :2], BOX[1])], "piece 0: vertices must be numbers of shape (n, 3)"),
        ([("ab", "cd")], "piece 0: vertices must be numbers"),
        ([([[0, 0, 0], [1]], [[0, 1, 2]])], "piece 0: vertices must be numbers"),
        ([BOX, 7], "piece 1 is a int"),
        ([BOX, "piece.obj"], "piece 1 is a str"),
        (7, "a int is not a collider"),
        (None, "a NoneType is not a collider"),
        ({"a": 1}, "a dict is not a collider"),
        (b"abc", "a bytes is not a collider"),
    ],
)  # fmt: skip
def test_what_is_no_collider_is_refused_in_one_sentence(thing, said):
    with pytest.raises(InputError) as caught:
        Collider.of(thing)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def boxes():
    return Collider([Box((x, 0, 0), UPRIGHT, (1, 1, 1)) for x in (0, 1, 5)], name="three")


@pytest.mark.parametrize("suffix", [".json", ".obj", ".glb"])
def test_what_hitbox_writes_it_reads(tmp_path, suffix):
    boxes().save(tmp_path / f"three{suffix}")
    made = Collider.of(tmp_path / f"three{suffix}")
    assert len(made) == 3  # two of them overlap; the file's objects keep them apart
    assert made.name == "three"
    assert made.volume == pytest.approx(24)
    np.testing.assert_allclose(made.bounds, boxes().bounds, atol=1e-6)
    if suffix == ".obj":
        assert [label.name for label in made.labels] == ["box_000", "box_001", "box_002"]


def test_files_without_names_are_split_by_what_hangs_together(tmp_path):
    a, b = BOX, moved(TETRAHEDRON, (9, 0, 0))
    vertices, triangles = np.vstack([a[0], b[0]]), np.vstack([a[1], b[1] + len(a[0])])
    (tmp_path / "two.stl").write_bytes(mesh_files.stl(vertices, triangles))
    (tmp_path / "two.off.gz").write_bytes(gzip.compress(mesh_files.off(vertices, triangles.tolist())))
    for name in ("two.stl", "two.off.gz"):
        made = Collider.of(str(tmp_path / name))
        assert made.nbytes == bytes_of(a, b), name  # equal corners of an STL are merged
        assert made.status.notes == ()


@pytest.mark.parametrize("by", [(2, 0, 0), (2, 4, 0), (2, 4, 6)])  # the boxes share a side, an edge, a corner
def test_pieces_of_a_file_that_touch_stay_apart(tmp_path, by):
    a, b = BOX, moved(BOX, by)
    vertices, triangles = np.vstack([a[0], b[0]]), np.vstack([a[1], b[1] + len(a[0])])
    (tmp_path / "two.stl").write_bytes(mesh_files.stl(vertices, triangles))
    made = Collider.of(str(tmp_path / "two.stl"))
    assert len(made) == 2
    assert made.nbytes == bytes_of(a, b)
    assert made.status.notes == ()


def test_polygons_of_a_file_are_hulls_too(tmp_path):
    corners = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    (tmp_path / "cube.obj").write_bytes(mesh_files.obj(np.array(corners, float), quads))
    assert Collider.of(tmp_path / "cube.obj").volume == pytest.approx(1)


def test_a_folder_of_hulls(tmp_path):
    for k, by in enumerate([0, 5, 10]):
        v, t = moved(BOX, (by, 0, 0))
        (tmp_path / f"hull_{k}.obj").write_bytes(mesh_files.obj(v, t.tolist()))
    (tmp_path / "notes.txt").write_text("not a mesh")
    made = Collider.of(tmp_path)
    assert [label.name for label in made.labels] == ["hull_0", "hull_1", "hull_2"]
    assert [shape.bounds[0, 0] for shape in made] == [-1, 4, 9]


def test_wrong_paths_are_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "flat.obj").write_bytes(mesh_files.obj(FLAT[0], FLAT[1].tolist()))
    for path, said in [
        (tmp_path / "empty", "no colliders"),
        (tmp_path / "chair.docx", "no collider can be read"),
        (tmp_path / "flat.obj", "flat.obj: collider: all 1 pieces are flat"),
    ]:
        with pytest.raises(InputError) as caught:
            Collider.of(path)
        assert said in str(caught.value)
    with pytest.raises(FileNotFoundError):
        Collider.of(tmp_path / "missing.json")


@pytest.mark.parametrize("suffix", [".obj", ".glb", ".stl", ".ply"])
def test_load_reads_the_mesh_files_that_save_writes(tmp_path, suffix):
    shapes = [
        Sphere((0, 0, 0), 1),
        Box((5, 0, 0), UPRIGHT, (1, 2, 3)),
        Capsule((10, 0, -1), (10, 0, 1), 0.5),
    ]
    saved = Collider(shapes)
    saved.save(tmp_path / f"three{suffix}")
    loaded = Collider.load(tmp_path / f"three{suffix}")
    assert len(loaded) == 3
    points = np.random.default_rng(0).uniform([-2, -3, -4], [12, 3, 4], (4000, 3))
    inside = saved.signed_distance(points) < -1e-6  # PLY and STL round to float32
    assert inside.any()
    assert (loaded.signed_distance(points)[inside] <= 0).all()
    assert (loaded.signed_distance(points)[saved.signed_distance(points) > 0.1] > 0).all()


def test_load_takes_a_folder_and_json_under_any_suffix(tmp_path):
    box = Collider([Box((0, 0, 0), UPRIGHT, (1, 1, 1))])
    box.save(tmp_path / "one.json")
    (tmp_path / "one.collider").write_bytes((tmp_path / "one.json").read_bytes())
    assert Collider.load(tmp_path / "one.collider").shapes == box.shapes
    assert Collider.load(tmp_path).shapes == box.shapes


def test_a_load_given_the_others_file_names_the_other(tmp_path):
    for name in ("chair.json", "chair.json.gz", "robot.urdf", "robot.xml", "level.tscn", "."):
        with pytest.raises(InputError, match=r"hitbox\.Collider\.load"):
            load(tmp_path / name)
