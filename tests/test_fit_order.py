"""The result does not depend on the order of faces, vertices and corners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st

import hitbox
from hitbox import Collider, Mesh, fit, fit_tree

QUIET = settings(max_examples=40, deadline=None)


@dataclass(frozen=True)
class Rewritten:
    """The same mesh in another order. Its face k was `face[k]`."""

    mesh: Mesh
    face: np.ndarray


def is_plain(corners: np.ndarray) -> bool:
    """Return whether a polygon is flat and convex. Others are another surface if they are triangulated from
    another corner.
    """
    side = np.roll(corners, -1, axis=0) - corners
    turn = np.cross(side, np.roll(side, -1, axis=0))
    is_flat = np.linalg.svd(corners - corners[0])[1][-1] < 1e-12
    return len(corners) == 3 or bool(is_flat and (turn @ turn.sum(axis=0) > 0).all())


def rewritten(mesh: Mesh, seed: int) -> Rewritten:
    random = np.random.default_rng(seed)
    face, vertex = random.permutation(mesh.face_count), random.permutation(len(mesh.vertices))
    number = np.argsort(vertex)
    polygons = specimens.polygons_of(mesh)
    scaled = mesh.vertices / mesh.diagonal
    start = [random.integers(len(polygons[f])) if is_plain(scaled[polygons[f]]) else 0 for f in face]
    corners = [np.roll(number[polygons[f]], k).tolist() for f, k in zip(face, start, strict=True)]
    ids = {name: None if (of := getattr(mesh, name)) is None else of[face] for name in ("part", "material")}
    known = {name: getattr(mesh, name) for name in ("part_names", "material_names", "name", "unit", "up")}
    return Rewritten(Mesh(mesh.vertices[vertex], corners, **ids, **known), face)


def answer(collider: Collider, face: np.ndarray) -> list[tuple[Any, list[int]]]:
    """Return each shape with its faces, in the numbers of the first mesh."""
    return [
        (shape, sorted(face[np.asarray(label.faces)].tolist()))
        for shape, label in zip(collider, collider.labels, strict=True)
    ]


def assert_same_answer(mesh: Mesh, seed: int, ask: Callable[[Mesh], Collider]) -> None:
    other = rewritten(mesh, seed)
    assert answer(ask(other.mesh), other.face) == answer(ask(mesh), np.arange(mesh.face_count))


def courtyard() -> Mesh:
    """Return a wall with a window, whose boxes cut its faces, a torus and more, in parts."""
    _, filled, planes = specimens.BLOCKS["wall with a window"]
    wall = specimens.blocks(filled, planes, seed=4)
    pieces = [wall, specimens.torus(), specimens.many_components(6, seed=2)]
    mesh = specimens.together(pieces)
    part = np.repeat(np.arange(3), [piece.face_count for piece in pieces])
    return Mesh(mesh.vertices, specimens.polygons_of(mesh), part=part, part_names=["wall", "ring", "rest"])


MESHES = {
    "stairs": specimens.blocks(np.tri(4, dtype=bool)[:, None, :], [range(5), range(2), range(5)]),
    "torus": specimens.torus(),
    "terrain": specimens.grid(12, 12, height=0.3),
    "soup": specimens.soup(80),
    "ball": specimens.icosphere(2),
    "crystal": specimens.icosphere(0),
    "parts": courtyard(),
}
ASKED: dict[str, Callable[[Mesh], Collider]] = {
    "count": lambda mesh: fit(mesh, 5),
    "fast": lambda mesh: fit(mesh, 5, preset="fast"),
    "volume": lambda mesh: fit(mesh, 5, cost="volume"),
    "hulls": lambda mesh: fit(mesh, 5, kinds=["box", "hull"]),
    "tolerance": lambda mesh: fit(mesh, tolerance="5%"),
    "tree": lambda mesh: fit_tree(mesh, 8).at(5),
    "tree within": lambda mesh: fit_tree(mesh, 8).within("10%"),
    "spheres": lambda mesh: fit(mesh, 5, kinds="sphere"),
    "balanced spheres": lambda mesh: fit(mesh, 5, kinds="sphere", spheres="balanced"),
    "unwelded": lambda mesh: fit(mesh, 5, weld="off"),
    "welded by a length": lambda mesh: fit(mesh, 5, weld="3%"),
    "importance": lambda mesh: fit(mesh, 5, importance="+z"),
    "kept clear": lambda mesh: fit(mesh, 5, keep_clear=[(*mesh.vertices.mean(axis=0), 0.1 * mesh.diagonal)]),
}


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("asked", ASKED)
def test_the_order_of_a_mesh_changes_nothing(name, asked):
    assert_same_answer(MESHES[name], 3, ASKED[asked])


@pytest.mark.parametrize("options", [{"parts": "separate"}, {"parts": "separate", "kinds": "sphere"}])
def test_parts_may_be_numbered_in_any_order(options):
    mesh = MESHES["parts"]
    other = rewritten(mesh, 5)
    swapped = Mesh(
        other.mesh.vertices, specimens.polygons_of(other.mesh), part=2 - np.asarray(other.mesh.part),
        part_names=mesh.part_names[::-1],
    )  # fmt: skip
    one, two = fit(mesh, 9, **options), fit(swapped, 9, **options)
    assert answer(two, other.face) == answer(one, np.arange(mesh.face_count))
    assert [label.part for label in two.labels] == [label.part for label in one.labels]


def test_importance_goes_with_its_face():
    mesh = specimens.grid(10, 10, height=0.4)
    other = rewritten(mesh, 1)
    weight = np.where(np.arange(mesh.face_count) < 30, 8.0, 0.5)
    one, two = fit(mesh, 4, importance=weight), fit(other.mesh, 4, importance=weight[other.face])
    assert answer(two, other.face) == answer(one, np.arange(mesh.face_count))
    assert one.shapes != fit(mesh, 4, importance=weight[::-1]).shapes


def test_clusters_of_a_tree_are_those_of_the_faces_as_given():
    mesh = MESHES["parts"]
    other = rewritten(mesh, 7)
    tree, again = fit_tree(mesh, 8), fit_tree(other.mesh, 8)
    for count in (1, 3, 8):
        assert (again.clusters(count) == tree.clusters(count)[other.face]).all()


@given(specimens.ugly_meshes(), st.integers(1, 6), st.integers(0, 99))
@QUIET
def test_ugly_meshes_have_no_order_either(mesh, count, seed):
    """Duplicate faces are an exception: they are alike, and either may be in a shape."""
    other = rewritten(mesh, seed)
    assert fit(other.mesh, count).shapes == fit(mesh, count).shapes


def test_the_lighthouse_may_be_shuffled():
    lighthouse = hitbox.load("examples/lighthouse.obj")
    assert_same_answer(lighthouse, 0, lambda mesh: fit(mesh, 24, preset="fast"))


@pytest.mark.parametrize("first", range(4))
def test_a_polygon_that_crosses_itself_is_held_as_it_is_cut(first):
    """A bow tie has other triangles if it is cut from another corner."""
    vertices = [[0.5, 1, 0], [2, 0, 0], [0, 0, 0], [1.5, 1, 0], [0, 0, 1], [2, 1, 1]]
    mesh = Mesh(vertices, [np.roll([0, 1, 2, 3], first).tolist(), [4, 5, 2]])
    spheres = fit(mesh, 6, kinds="sphere")
    weights = np.random.default_rng(0).dirichlet([1, 1, 1], 2000)
    points = np.concatenate([weights @ mesh.vertices[triangle] for triangle in mesh.triangles])
    assert np.min([sphere.signed_distance(points) for sphere in spheres], axis=0).max() <= 1e-9
