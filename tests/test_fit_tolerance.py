"""tolerance=: few shapes, and a bound of their distance that no sample ever exceeds."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st

from hitbox import InputError, Mesh, _core, fit, fit_tree
from hitbox.evaluate import _Job as Measuring
from hitbox.fit import DEFAULT_TOLERANCE


def window_wall() -> Mesh:
    """Boxes around an opening, each of its own."""
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
    """What the status certifies, of the diagonal."""
    found = re.findall(r"within ([\d.]+) % of the diagonal \(certified\)", " ".join(collider.status.notes))
    said = [float(number) / 100 for number in found]
    assert len(said) == 1, collider.status
    return said[0]


def sampled_strays(mesh, collider, objective="outer") -> float:
    """The farthest of many points on the shapes; of a solid, those inside it do not count."""
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
        assert sum(len(label.faces) for label in collider.labels) == mesh.face_count


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
    assert "that takes more than 3 shapes" in few.status.notes[0]
    assert bound_of(few) > 0.02


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


# ---- of a tree


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
        if finer is not None:  # each finer cluster is in one of these
            assert len(np.unique(np.stack([finer, clusters]), axis=1)[0]) == finer.max() + 1
        finer = clusters
    assert len(tree.within("100%")) == 1
    assert not fit_tree(MESHES["torus"], 4).within("0.1%").status.complete


def test_a_tree_takes_no_tolerance_of_its_own():
    with pytest.raises(InputError, match="within"):
        fit_tree(MESHES["box"], tolerance="1%")
    with pytest.raises(InputError, match="either"):
        fit_tree(MESHES["box"]).clusters()
