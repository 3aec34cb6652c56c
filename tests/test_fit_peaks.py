"""What people see first of a collider: the one place where it is far off."""

from __future__ import annotations

import numpy as np
import specimens
from enclosure import faces_stick_out

import hitbox
from hitbox.evaluate import Distance
from hitbox.mesh import Mesh


def outer(mesh: Mesh, collider: hitbox.Collider) -> Distance:
    return hitbox.evaluate(mesh, collider, samples=50_000).outer_surface


def dome(segments: int = 64, rings: int = 40) -> Mesh:
    """Half a bumpy ball of small faces on a flat, round floor of long ones, as scans are cut off."""
    height = np.linspace(0, np.pi / 2, rings + 1)
    radius = 1 + 0.05 * np.sin(9 * height)
    profile = np.stack([np.append(radius[:-1] * np.cos(height[:-1]), 0), radius * np.sin(height)], axis=1)
    wall = specimens.revolved(profile, segments, "dome")
    n = segments
    floor = [[k, n - k, n - k - 1, k + 1] for k in range(1, n // 2 - 1)]
    floor += [[0, n - 1, 1], [n // 2 - 1, n // 2 + 1, n // 2]]
    return Mesh(wall.vertices, [*specimens.polygons_of(wall), *floor], name="dome")


def test_a_flat_round_floor_is_not_one_leaf() -> None:
    # Moments see no outline: premerging made one leaf of it, and the box around that reached 0.1 far.
    mesh = specimens.triangulated(dome())
    assert mesh.face_count > 5000
    collider = hitbox.fit(mesh, 200)
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    assert outer(mesh, collider).hausdorff < 0.015


def test_opened_leaves_keep_the_tree_a_tree() -> None:
    mesh = specimens.triangulated(dome())
    tree = hitbox.fit_tree(mesh, finest=200)
    for count in (200, 50, 7, 1):
        collider = tree.at(count)
        assert len(collider) <= count
        owned = np.concatenate([label.faces for label in collider.labels])
        assert sorted(owned) == list(range(mesh.face_count))


def test_a_hexagon_of_four_triangles_is_scattered() -> None:
    # No two halves of it are better than the whole, but each triangle is a prism.
    angles = np.arange(6) * (np.pi / 3)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    floor = [[0, 2, 1], [2, 4, 3], [4, 0, 5], [0, 4, 2]]
    roof = [[a + 6, c + 6, b + 6] for a, b, c in floor]
    walls = [[k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6] for k in range(6)]
    vertices = np.concatenate([np.insert(ring, 2, z, axis=1) for z in (0.0, 0.3)])
    mesh = Mesh(vertices, [*floor, *roof, *walls], name="hexagon")
    assert outer(mesh, hitbox.fit(mesh, 14)).hausdorff < 0.005


def test_pieces_of_a_ring_are_about_equally_long() -> None:
    mesh = specimens.triangulated(specimens.torus(1.0, 0.2, 48, 24))
    collider = hitbox.fit(mesh, 24, kinds=["capsule", "cylinder"], preset="fine")
    found = outer(mesh, collider)
    assert found.mean < 0.003
    assert found.hausdorff < 0.008
