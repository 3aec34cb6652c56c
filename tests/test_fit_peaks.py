"""The largest distances, which people see first: the one place where a collider is far off."""

from __future__ import annotations

import numpy as np
import specimens
from enclosure import faces_stick_out

import hitbox
from hitbox._judges.evaluate import Distance
from hitbox._model.mesh import Mesh


def outer(mesh: Mesh, collider: hitbox.Collider) -> Distance:
    return hitbox.evaluate(mesh, collider, samples=50_000).outer_surface


def dome(segments: int = 64, rings: int = 40) -> Mesh:
    """Half a bumpy ball of small faces on a flat, round floor of long faces, like a scan that was cut off."""
    height = np.linspace(0, np.pi / 2, rings + 1)
    radius = 1 + 0.05 * np.sin(9 * height)
    profile = np.stack([np.append(radius[:-1] * np.cos(height[:-1]), 0), radius * np.sin(height)], axis=1)
    wall = specimens.revolved(profile, segments, "dome")
    n = segments
    floor = [[k, n - k, n - k - 1, k + 1] for k in range(1, n // 2 - 1)]
    floor += [[0, n - 1, 1], [n // 2 - 1, n // 2 + 1, n // 2]]
    return Mesh(wall.vertices, [*specimens.polygons_of(wall), *floor], name="dome")


def test_a_flat_round_floor_is_not_one_leaf() -> None:
    # Moments do not represent an outline: premerging made one seed of the floor, whose box reached 0.1 far.
    mesh = specimens.triangulated(dome())
    assert mesh.face_count > 5000
    collider = hitbox.fit(mesh, 200)
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    assert outer(mesh, collider).hausdorff < 0.02


def test_opened_leaves_keep_the_tree_a_tree() -> None:
    mesh = specimens.triangulated(dome())
    tree = hitbox.fit_tree(mesh, finest=200)
    coarser = None
    for count in (1, 7, 50, 200):
        collider = tree.at(count)
        assert len(collider) <= count
        owned = np.concatenate([label.faces for label in collider.labels])
        assert sorted(owned) == list(range(mesh.face_count))
        clusters = tree.clusters(count)  # including clusters whose shapes lie inside others
        if coarser is not None:  # faces in one cluster here were in one cluster there
            assert len(np.unique(np.stack([clusters, coarser]), axis=1).T) == len(np.unique(clusters))
        coarser = clusters


def test_opened_leaves_and_refining_keep_parts_separate() -> None:
    mesh = specimens.triangulated(dome())
    middle = mesh.vertices[mesh.triangles].mean(axis=1)
    side = (middle[:, 0] > 0).astype(np.uint32)
    parted = Mesh(mesh.vertices, specimens.polygons_of(mesh), part_names=["left", "right"], part=side)
    collider = hitbox.fit(parted, 60, parts="separate")
    for label in collider.labels:
        assert len(np.unique(side[label.faces])) == 1


def test_large_clusters_keep_clear_too() -> None:
    # The extreme vertices of a large cluster choose kind and frame. The shape around all vertices may be
    # larger.
    mesh = specimens.grid(100, 100, height=0.004, seed=1)
    x, y, z = mesh.vertices.T
    bent = np.stack([x, y, z + 0.5 * ((x - 0.5) ** 2 + (y - 0.5) ** 2)], axis=1)
    bowl = Mesh(bent, specimens.polygons_of(mesh))
    points = bowl.vertices[::25]
    normals = np.stack([points[:, 0] - 0.5, points[:, 1] - 0.5, -np.ones(len(points))], axis=1)
    centers = points + normals / np.linalg.norm(normals, axis=1)[:, None] * 0.06
    spheres = np.insert(centers, 3, 0.05, axis=1)
    collider = hitbox.fit(bowl, 8, preset="fast", keep_clear=spheres)
    for shape in collider:
        assert (shape.signed_distance(centers) >= 0.05 - 1e-9).all()


def test_a_hexagon_of_four_triangles_is_merged_anew() -> None:
    # Two halves are never better than the whole, but each triangle is a prism.
    angles = np.arange(6) * (np.pi / 3)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    floor = [[0, 2, 1], [2, 4, 3], [4, 0, 5], [0, 4, 2]]
    roof = [[a + 6, c + 6, b + 6] for a, b, c in floor]
    walls = [[k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6] for k in range(6)]
    vertices = np.concatenate([np.insert(ring, 2, z, axis=1) for z in (0.0, 0.3)])
    mesh = Mesh(vertices, [*floor, *roof, *walls], name="hexagon")
    assert outer(mesh, hitbox.fit(mesh, 14)).hausdorff < 0.005


def test_capsules_around_a_ring_are_close_to_it() -> None:
    mesh = specimens.triangulated(specimens.torus(1.0, 0.2, 48, 24))
    collider = hitbox.fit(mesh, 24, kinds=["capsule", "cylinder"], preset="fine")
    found = outer(mesh, collider)
    assert found.mean < 0.003
    assert found.hausdorff < 0.008
