"""Mass, centre and inertia, against formulas and against each other."""

from __future__ import annotations

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from shape_strategies import shapes

import hitbox
from hitbox import Box, Collider, InputError, Mesh, Sphere
from hitbox.mass import mass_properties


def test_a_box_has_the_inertia_of_a_box():
    found = mass_properties(specimens.box(), density=3.0)
    low, high = specimens.box().vertices.min(axis=0), specimens.box().vertices.max(axis=0)
    x, y, z = high - low
    mass = 3.0 * x * y * z
    assert found.mass == pytest.approx(mass)
    assert found.center == pytest.approx((low + high) / 2, abs=1e-12)
    expected = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y, 0, 0, 0])
    assert found.inertia == pytest.approx(expected, abs=1e-12 * mass)


@settings(max_examples=30, deadline=None)
@given(shape=shapes)
def test_one_shape_and_its_fine_mesh_agree(shape):
    vertices, triangles = shape.to_mesh(96)
    size = float(np.linalg.norm(np.subtract(*shape.bounds)))
    if not 1e-3 < size < 1e3 or shape.volume < 1e-5 * size**3 or np.abs(shape.bounds).max() > 10 * size:
        return
    ours, theirs = mass_properties(Collider([shape])), mass_properties(Mesh(vertices, triangles))
    assert ours.mass == pytest.approx(theirs.mass, rel=0.02)
    assert ours.center == pytest.approx(theirs.center, abs=0.02 * size)
    assert np.linalg.norm(ours.tensor - theirs.tensor) <= 0.05 * np.linalg.norm(theirs.tensor)


def test_what_overlaps_counts_once():
    cube = Box((1, 2, 3), (0, 0, 0, 1), (0.5, 0.5, 0.5))
    once, twice = mass_properties(Collider([cube])), mass_properties(Collider([cube, cube]))
    assert once.mass == pytest.approx(1000)
    assert twice.mass == pytest.approx(1000)
    assert twice.center == pytest.approx((1, 2, 3), abs=2e-3)
    assert twice.inertia[:3] == pytest.approx([1000 / 6] * 3, rel=5e-3)


def test_principal_axes_turn_back_to_the_tensor():
    lean = specimens.placed(specimens.box(), 3)
    found = mass_properties(Mesh(lean.vertices * [3, 2, 1], specimens.polygons_of(lean)))
    moments, (x, y, z, w) = found.principal
    from hitbox.formats.export import matrix_of

    turn = matrix_of((x, y, z, w))
    assert np.linalg.det(turn) == pytest.approx(1)
    np.testing.assert_allclose(turn @ np.diag(moments) @ turn.T, found.tensor, atol=1e-9 * max(moments))


def test_an_open_mesh_and_a_wrong_density_are_refused():
    with pytest.raises(InputError, match="not closed"):
        mass_properties(specimens.grid())
    for wrong in (0, -1, float("nan"), "much"):
        with pytest.raises(InputError, match="density: must be a finite number above 0"):
            mass_properties(Collider([Sphere((0, 0, 0), 1)]), density=wrong)  # type: ignore[arg-type]


def test_a_fit_of_a_solid_weighs_a_little_more_than_the_solid():
    mesh = specimens.torus()
    collider = hitbox.fit(mesh, 24)
    solid, union = mass_properties(mesh), mass_properties(collider)
    assert solid.mass < union.mass < 1.4 * solid.mass
    assert union.center == pytest.approx(solid.center, abs=0.05 * mesh.diagonal)
