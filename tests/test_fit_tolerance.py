"""tolerance= gives few shapes, and a bound of their distance that no sample exceeds."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st

from hitbox import Collider, InputError, Mesh, fit, fit_tree
from hitbox._judges.evaluate import _Job as Measuring
from hitbox._methods.fit_options import DEFAULT_TOLERANCE
from hitbox._native import _core


def window_wall() -> Mesh:
    """Return separate boxes around an opening."""
    walls = [
        ((4, 1, 0.2), (0, -1.5, 0)),
        ((4, 1, 0.2), (0, 1.5, 0)),
        ((1, 2, 0.2), (-1.5, 0, 0)),
        ((1, 2, 0.2), (1.5, 0, 0)),
    ]
    vertices, faces = [], []
    for size, place in walls:
        box = specimens.box(size)
        faces += [[v + 8 * len(vertices) for v in face] for face in specimens.polygons_of(box)]
        vertices.append(box.vertices - box.vertices.mean(axis=0) + place)
    return Mesh(np.concatenate(vertices), faces, name="wall")


def side_by_side(a: Mesh, b: Mesh) -> Mesh:
    faces = specimens.polygons_of(a)
    faces += [[v + len(a.vertices) for v in face] for face in specimens.polygons_of(b)]
    return Mesh(np.concatenate([a.vertices, np.add(b.vertices, (9.0, 0, 0))]), faces)


MESHES = {
    "box": specimens.box((1, 2, 3)),
    "ball": specimens.icosphere(3),
    "cylinder": specimens.cylinder(),
    "torus": specimens.torus(),
    "capsule": specimens.capsule(),
    "grid": specimens.grid(12, 12, height=0.3),
    "triangle": specimens.triangle(),
    "soup": specimens.soup(60),
    "fan": specimens.fan(20),
    "wall": window_wall(),
}


def bound_of(collider) -> float:
    """Return the certified bound of the status, as a fraction of the diagonal."""
    found = re.findall(r"within ([\d.]+) % of the diagonal \(certified\)", " ".join(collider.status.notes))
    said = [float(number) / 100 for number in found]
    assert len(said) == 1, collider.status
    return said[0]


def sampled_strays(mesh, collider, objective="outer") -> float:
    """Return the largest distance of many points on the shapes. Points inside a solid do not count."""
    job = Measuring(mesh, collider, 40_000, 0, 0, None)
    points, _, _, _ = job.shapes.sample(40_000, 0, 0.0, 1, None)
    points = np.asarray(points)
    found, _, _ = _core.closest_points(points, job.vertices, job.mesh.indices, job.mesh.offsets, 1, None)
    distances = np.asarray(found) / job.diagonal
    if objective == "outer":
        distances = distances[~job._inside(points, np.ones(len(points), bool), None)]
    return float(distances.max(initial=0.0))


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("objective", ["outer", "surface"])
def test_no_sample_is_beyond_the_certified_bound(name, objective):
    mesh = MESHES[name]
    for tolerance in (0.1, 0.03, 0.01):
        collider = fit(mesh, tolerance=f"{100 * tolerance}%", objective=objective)
        bound = bound_of(collider)
        assert sampled_strays(mesh, collider, objective) <= bound
        if collider.status.complete:
            assert bound <= tolerance + 1e-9
        else:
            assert bound > tolerance
        assert set().union(*(label.faces for label in collider.labels)) == set(range(mesh.face_count))


@settings(max_examples=15, deadline=None)
@given(specimens.ugly_meshes(), st.sampled_from(["0.5%", "3%", "20%"]))
def test_ugly_meshes_get_their_bound_too(mesh, tolerance):
    collider = fit(mesh, tolerance=tolerance)
    assert sampled_strays(mesh, collider) <= bound_of(collider)


@pytest.mark.parametrize(
    ("name", "most"), [("box", 1), ("ball", 1), ("cylinder", 1), ("wall", 4), ("triangle", 1)]
)
def test_simple_things_take_few_shapes(name, most):
    collider = fit(MESHES[name], tolerance="1%")
    assert len(collider) <= most
    assert collider.status.complete


@pytest.mark.slow
@pytest.mark.parametrize("name", ["L", "U", "wall with a window", "table"])
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0, 1e4]))
def test_what_is_made_of_boxes_takes_those_in_any_pose(name, seed, scale):
    boxes, filled, planes = specimens.BLOCKS[name]
    mesh = specimens.placed(specimens.blocks(filled, planes, seed=seed), seed, scale, shift=3.0)
    collider = fit(mesh, tolerance="1%")
    assert set(collider.counts) == {"box"}
    assert len(collider) <= boxes
    assert collider.status.complete
    assert bound_of(collider) <= 0.01


@pytest.mark.parametrize("name", ["torus", "grid", "soup", "wall"])
def test_a_larger_tolerance_takes_fewer_shapes(name):
    counts = [len(fit(MESHES[name], tolerance=t)) for t in ("1%", "2%", "5%", "10%", "100%")]
    assert all(more <= 1.1 * fewer + 1 for fewer, more in itertools.pairwise(counts)), counts
    assert counts[-1] == 1 < counts[0]


def test_a_count_beside_the_tolerance_is_a_cap():
    mesh = MESHES["torus"]
    free = fit(mesh, tolerance="2%")
    assert free.status.complete
    assert len(fit(mesh, len(free), tolerance="2%")) == len(free)
    few = fit(mesh, 3, tolerance="2%")
    assert len(few) <= 3
    assert not few.status.complete
    assert few.shapes == fit(mesh, 3).shapes
    all_of_them = f"but {len(few)} of {len(few)} shapes not surely within 2.00 %"
    assert f"{all_of_them}: that takes more than 3 shapes" in few.status.notes[0]
    assert bound_of(few) > 0.02


def strays_of(mesh, shape) -> float:
    return sampled_strays(mesh, Collider([shape]))


def test_those_that_stray_are_counted():
    mesh = side_by_side(specimens.icosphere(2), specimens.torus(3.0, 0.2))
    two = fit(mesh, 2, tolerance="1%")
    beyond = sum(strays_of(mesh, shape) > 0.01 for shape in two)
    assert beyond == 1
    assert "but 1 of 2 shapes not surely within 1.00 %" in two.status.notes[0]


@pytest.mark.parametrize("pad", ["5%", "-0.5%"])
def test_the_bound_is_that_of_the_shapes_before_they_are_padded(pad):
    mesh, least = MESHES["torus"], _core.least_half_extent(MESHES["torus"].diagonal)
    by = float(pad[:-1]) / 100 * mesh.diagonal
    tree, padded_tree = fit_tree(mesh, 16), fit_tree(mesh, 16, pad=pad)
    for plain, padded in (
        (fit(mesh, tolerance="2%"), fit(mesh, tolerance="2%", pad=pad)),
        (fit(mesh, 3, tolerance="2%"), fit(mesh, 3, tolerance="2%", pad=pad)),
        (tree.within("4%"), padded_tree.within("4%")),
        (tree.at(9), padded_tree.at(9)),
        (tree.at(40), padded_tree.at(40)),
    ):
        assert padded.shapes == tuple(shape.padded(by, least) for shape in plain)
        if plain.method.options.get("tolerance"):
            assert bound_of(padded) == bound_of(plain)
            assert "(certified), before padding" in padded.status.notes[0]
            assert "before padding" not in plain.status.notes[0]


def test_lengths_are_those_of_the_mesh():
    mesh = MESHES["torus"]
    shapes = fit(mesh, tolerance="3%").shapes
    assert fit(mesh, tolerance=0.03 * mesh.diagonal).shapes == shapes


def test_threads_change_nothing():
    one = fit(MESHES["torus"], tolerance="2%", threads=1)
    assert all(fit(MESHES["torus"], tolerance="2%", threads=n) == one for n in (2, 5))


def test_without_a_count_the_tolerance_is_the_default_one():
    for name, mesh in MESHES.items():
        collider = fit(mesh)
        assert len(collider) <= 256, name
        assert collider.method.options == {"tolerance": DEFAULT_TOLERANCE}
        bound_of(collider)
    capped = fit(specimens.soup(3000, size=0.002))
    assert len(capped) <= 256
    assert "more than 256 shapes" in capped.status.notes[0]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "above 0"),
        ("0%", "above 0"),
        (-1, "finite length"),
        ("much", "is not a length"),
        ([], "is not a length"),
    ],
)
def test_a_bad_tolerance_is_refused(value, said):
    with pytest.raises(InputError, match=said):
        fit(MESHES["box"], tolerance=value)


# ---- trees


@pytest.mark.parametrize("name", ["torus", "soup", "wall"])
def test_levels_within_are_nested_and_certified(name):
    mesh = MESHES[name]
    tree = fit_tree(mesh, 64)
    finer = None
    for tolerance in (0.005, 0.02, 0.05, 0.1, 0.5):
        text = f"{100 * tolerance}%"
        collider = tree.within(text)
        assert sampled_strays(mesh, collider) <= bound_of(collider)
        assert collider.status.complete == (bound_of(collider) <= tolerance)
        clusters = tree.clusters(within=text)
        if finer is not None:  # each finer cluster is in one of these clusters
            assert len(np.unique(np.stack([finer, clusters]), axis=1)[0]) == finer.max() + 1
        finer = clusters
    assert len(tree.within("100%")) == 1


def test_a_tree_says_where_its_finest_shapes_are_too_few():
    plate = specimens.grid(12, 12, height=0.3)
    large = Mesh(plate.vertices * [4, 4, 1], specimens.polygons_of(plate))
    mesh = side_by_side(large, specimens.torus())
    tree = fit_tree(mesh, 24)
    mixed = tree.within("3%")
    beyond = sum(strays_of(mesh, shape) > 0.03 for shape in mixed)
    assert 0 < beyond < len(mixed) < len(tree.at(24))  # the finest shapes there, and larger ones elsewhere
    assert not mixed.status.complete
    said = f"but {beyond} of {len(mixed)} shapes not surely within 3.00 %: 24 shapes, the tree's finest"
    assert said in mixed.status.notes[0]
    assert "There it has the finest, elsewhere larger ones." in mixed.status.notes[0]
    assert bound_of(mixed) > 0.03


def test_a_tree_takes_no_tolerance_of_its_own():
    with pytest.raises(InputError, match="within"):
        fit_tree(MESHES["box"], tolerance="1%")
    with pytest.raises(InputError, match="either"):
        fit_tree(MESHES["box"]).clusters()
