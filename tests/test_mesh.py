from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
import specimens
from hypothesis import given
from hypothesis import strategies as st

from hitbox._base.errors import InputError
from hitbox._model.mesh import Mesh
from hitbox._native import _core

SOLIDS = [
    specimens.box(),
    specimens.cylinder(),
    specimens.cone(),
    specimens.capsule(),
    specimens.torus(),
    specimens.icosphere(),
]


def test_faces_come_as_arrays_or_lists_of_any_sizes() -> None:
    vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]
    quads = Mesh(vertices, np.array([[0, 1, 2, 3]], np.int64))
    assert quads.indices.tolist() == [0, 1, 2, 3]
    mixed = Mesh(vertices, [[0, 1, 2, 3], (0, 4, 1), np.array([1, 4, 2])])
    assert mixed.offsets.tolist() == [0, 4, 7, 10]
    assert specimens.polygons_of(mixed) == [[0, 1, 2, 3], [0, 4, 1], [1, 4, 2]]
    assert mixed.vertices.dtype == np.float64
    assert mixed.indices.dtype == mixed.offsets.dtype == np.uint32


@given(specimens.ugly_meshes())
def test_triangles_have_the_borders_of_their_faces(mesh: Mesh) -> None:
    """A face of n corners has n - 2 triangles, and all edges between two of them cancel out."""
    faces = specimens.polygons_of(mesh)
    assert mesh.triangle_faces.tolist() == [f for f, face in enumerate(faces) for _ in face[2:]]
    for f, face in enumerate(faces):
        edges: Counter[tuple[int, int]] = Counter()
        for sign, polygons in ((1, [face]), (-1, mesh.triangles[mesh.triangle_faces == f].tolist())):
            for polygon in polygons:
                for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
                    edges[min(a, b), max(a, b)] += sign if a < b else -sign if a > b else 0
        assert not any(edges.values())
    assert mesh.triangles is mesh.triangles


def test_triangles_of_convex_faces_are_fans_and_of_others_lie_in_them() -> None:
    slab = specimens.extruded([[0, 0], [2, 0], [3, 1], [0, 1]])
    assert slab.triangles[2:4].tolist() == [[4, 5, 6], [4, 6, 7]]
    arrow = Mesh([[0, 2, 0], [-1, 0, 0], [0, 0.5, 0], [1, 0, 0]], [[3, 0, 1, 2]])
    assert arrow.info().area == pytest.approx(1.5)
    for start in range(4):
        turned = Mesh(arrow.vertices, [np.roll([3, 0, 1, 2], start).tolist()])
        halves = {frozenset(t) for t in turned.triangles.tolist()}
        assert halves == {frozenset((0, 1, 2)), frozenset((0, 2, 3))}


@given(specimens.ugly_meshes())
def test_bounds_are_those_of_used_vertices(mesh: Mesh) -> None:
    used = mesh.vertices[np.unique(mesh.indices)]
    assert np.array_equal(mesh.bounds, [used.min(axis=0), used.max(axis=0)])
    assert math.isclose(mesh.diagonal, math.hypot(*(mesh.bounds[1] - mesh.bounds[0])), rel_tol=1e-14)


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        ([[0, 0, 0], [1, 0, math.nan], [0, 1, 0]], [[0, 1, 2]], r"vertex 1 is \(1, 0, nan\)"),
        ([[0, 0, 0], [1, 0, 0], [0, math.inf, 0]], [[0, 1, 2]], "vertex 2"),
        ([[0, 0, 0], [1, 0, 0], [0, 1e80, 0]], [[0, 1, 2]], "vertex 2.*1e60"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1, 3]], "face 1 uses vertex 3, but there are 3"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1, -1]], "face 1 uses vertex -1"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1, 2**40]], "face 1 uses vertex 1099511627776"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 1]], "face 1 has 2 corners"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1]], "face 0 has 2 corners"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [], "no faces"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.empty((0, 3), int), "no faces"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [0, 1, 2], "face 0 is 0"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0.0, 1.0, 2.0]], "whole numbers"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.zeros((1, 3, 3), int), r"shape \(1, 3, 3\)"),
        ([[5, 5, 5]] * 3, [[0, 1, 2]], "one point"),
        ([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]], r"shape \(3, 2\)"),
        ([["a", "b", "c"]], [[0, 1, 2]], "must be numbers"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], None, "faces are None"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], []], "face 1 has 0 corners"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, [2]]], "lists of vertex indices"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2**70]], "whole numbers"),
    ],
)
def test_wrong_input_is_refused_with_its_place(vertices: object, faces: object, message: str) -> None:
    with pytest.raises(InputError, match="thing: .*" + message):
        Mesh(vertices, faces, name="thing")  # type: ignore[arg-type]


def test_parts_and_materials_are_checked() -> None:
    box = specimens.box()
    faces = specimens.polygons_of(box)
    mesh = Mesh(box.vertices, faces, part=[0, 0, 1, 1, 1, 0], part_names=["a", "b"])
    assert mesh.part is not None
    assert mesh.part.dtype == np.uint32
    assert mesh.info().parts == 2
    with pytest.raises(InputError, match="part of face 2 is 2, but there are 2 names"):
        Mesh(box.vertices, faces, part=[0, 0, 2, 1, 1, 0], part_names=["a", "b"])
    with pytest.raises(InputError, match="one whole number per face, 6 in all"):
        Mesh(box.vertices, faces, material=[0, 0], material_names=["a"])
    with pytest.raises(InputError, match="unit 'ell'"):
        Mesh(box.vertices, faces, unit="ell")
    with pytest.raises(InputError, match="up axis 'w'"):
        Mesh(box.vertices, faces, up="w")


def test_a_mesh_never_changes() -> None:
    vertices = specimens.box().vertices.copy()
    mesh = Mesh(vertices, specimens.polygons_of(specimens.box()))
    vertices[:] = 7
    assert mesh == Mesh(specimens.box().vertices, specimens.polygons_of(specimens.box()))
    with pytest.raises(AttributeError, match="immutable"):
        mesh.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del mesh.name
    for array in (
        mesh.vertices,
        mesh.indices,
        mesh.offsets,
        mesh.triangles,
        mesh.bounds,
        mesh.triangle_faces,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_equality_hash_and_pickle_follow_the_content() -> None:
    box = specimens.box()
    parts = {"part": [0] * 6, "part_names": ["p"], "unit": "mm", "up": "z", "name": "box"}
    mesh = Mesh(box.vertices, specimens.polygons_of(box), **parts)  # type: ignore[arg-type]
    again = pickle.loads(pickle.dumps(mesh))
    assert again == mesh
    assert hash(again) == hash(mesh)
    assert (again.unit, again.up, again.part_names) == ("mm", "z", ("p",))
    assert mesh != box
    assert mesh.sha256 == box.sha256
    moved = Mesh(box.vertices + 1, specimens.polygons_of(box), name="box")
    assert moved != box
    assert moved.sha256 != box.sha256
    assert box != "box"
    assert repr(mesh) == "<Mesh 'box': 6 faces, 8 vertices, diagonal 1.732 mm>"


def test_everything_that_is_a_mesh_is_taken() -> None:
    trimesh = pytest.importorskip("trimesh")
    box = specimens.box()
    assert Mesh.of(box) is box
    pair = Mesh.of((box.vertices, specimens.polygons_of(box)))
    assert pair.sha256 == box.sha256
    other = trimesh.Trimesh(box.vertices, box.triangles, process=False)
    assert np.array_equal(Mesh.of(other).triangles, box.triangles)
    for wrong in (3, None, (1, 2, 3), {"vertices": []}):
        with pytest.raises(InputError, match="is not a mesh"):
            Mesh.of(wrong)


def brute_weld(mesh: Mesh) -> tuple[list[tuple[float, ...]], list[int]]:
    used = sorted(set(mesh.indices.tolist()))
    kept: dict[tuple[float, ...], int] = {}
    for v in used:
        kept.setdefault(tuple(mesh.vertices[v].tolist()), len(kept))
    return list(kept), [kept[tuple(mesh.vertices[v].tolist())] for v in mesh.indices.tolist()]


@given(specimens.ugly_meshes())
def test_cleaning_welds_equal_vertices_and_counts_the_rest(mesh: Mesh) -> None:
    vertices, indices = brute_weld(mesh)
    cleaned, report = mesh.clean()
    assert cleaned.vertices.tolist() == [list(v) for v in vertices]
    assert cleaned.indices.tolist() == indices
    assert np.array_equal(cleaned.offsets, mesh.offsets)
    faces = specimens.polygons_of(cleaned)
    assert report.repeated_index == sum(len(set(face)) < len(face) for face in faces)
    assert report.duplicates == len(faces) - len({frozenset(face) for face in faces})
    assert (
        report.vertices_before - report.unreferenced - report.welded == report.vertices_after == len(vertices)
    )
    again, nothing = cleaned.clean()
    assert again is cleaned
    assert not nothing.changed


@given(specimens.ugly_meshes(), st.floats(1e-9, 0.2))
def test_welding_by_distance_moves_nothing_further(mesh: Mesh, share: float) -> None:
    distance = share * mesh.diagonal
    cleaned, _ = mesh.clean(weld=distance)
    moved = np.linalg.norm(cleaned.vertices[cleaned.indices] - mesh.vertices[mesh.indices], axis=1)
    assert moved.max() <= distance * (1 + 1e-12)
    apart = np.linalg.norm(cleaned.vertices[:, None] - cleaned.vertices[None], axis=2) / distance
    assert (apart[~np.eye(len(apart), dtype=bool)] >= 1 - 1e-12).all()


def test_weld_takes_lengths_and_off() -> None:
    split = specimens.with_split_vertices(specimens.box())
    assert len(split.clean()[0].vertices) == 8
    assert len(split.clean(weld="1%")[0].vertices) == 8
    assert split.clean(weld="off")[0] is split
    with pytest.raises(InputError, match="weld: 'exactly' is not a length"):
        split.clean(weld="exactly")
    with pytest.raises(InputError, match="single point"):
        split.clean(weld=100.0)
    with pytest.raises(InputError, match="at least"):
        split.clean(weld=0.0)


def test_minus_zero_is_zero() -> None:
    mesh = Mesh([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0]], [[0, 1, 2], [3, 2, 1]])
    assert len(mesh.clean()[0].vertices) == 3


def edge_counts(mesh: Mesh) -> Counter[tuple[int, int]]:
    counts: Counter[tuple[int, int]] = Counter()
    for face in specimens.polygons_of(mesh):
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            if a != b:
                counts[a, b] += 1
    return counts


@given(specimens.ugly_meshes())
def test_info_counts_what_brute_force_counts(mesh: Mesh) -> None:
    info = mesh.info()
    directed = edge_counts(mesh.clean()[0])
    undirected = Counter[tuple[int, int]]()
    for (a, b), count in directed.items():
        undirected[min(a, b), max(a, b)] += count
    assert info.edges == len(undirected)
    assert info.boundary_edges == sum(n == 1 for n in undirected.values())
    assert info.nonmanifold_edges == sum(n > 2 for n in undirected.values())
    twice = [(a, b) for (a, b), n in undirected.items() if n == 2]
    assert info.inconsistent_edges == sum(directed[e] != 1 for e in twice)
    assert info.closed == all(directed[a, b] == directed[b, a] for a, b in undirected)
    assert (info.volume is not None) == info.closed
    sizes = np.diff(mesh.offsets)
    assert (info.triangles, info.quads, info.larger) == (
        (sizes == 3).sum(),
        (sizes == 4).sum(),
        (sizes > 4).sum(),
    )


@pytest.mark.parametrize("mesh", SOLIDS, ids=lambda mesh: mesh.name)
def test_solids_are_closed_and_have_the_volume_trimesh_finds(mesh: Mesh) -> None:
    trimesh = pytest.importorskip("trimesh")
    info = mesh.info()
    assert info.closed
    assert info.components == 1
    assert info.volume is not None
    judge = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    assert judge.is_watertight
    assert info.volume == pytest.approx(judge.volume)
    assert info.volume > 0
    assert info.area == pytest.approx(judge.area)


def test_info_tells_components_by_position_from_those_by_index() -> None:
    split = specimens.with_split_vertices(specimens.many_components(20))
    info = split.info()
    assert (info.components, info.components_by_index) == (20, 120)
    assert info.closed
    book = specimens.non_manifold(5).info()
    assert (book.nonmanifold_edges, book.boundary_edges, book.closed) == (1, 10, False)


def test_pieces_number_faces_in_order() -> None:
    mesh = specimens.many_components(3)
    found: npt.NDArray[np.uint32] = _core.pieces_of_faces(mesh.vertices, mesh.indices, mesh.offsets)
    assert found.tolist() == [0] * 6 + [1] * 6 + [2] * 6
