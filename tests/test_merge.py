"""merge: fewer shapes that contain the input, checked by points on and in the input."""

from __future__ import annotations

import numpy as np
import pytest
import shape_strategies
import specimens
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import hitbox
from hitbox import Box, Capsule, Collider, Hull, InputError, Sphere, merge, navigable_space
from hitbox._formats import collider_json

FEW = settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def largest_outside(made: Collider, shape) -> float:
    """Return how far the shape sticks out of the best shape of `made`."""
    furthest = shape.support(np.random.default_rng(0).normal(size=(400, 3)))
    return min(float(each.signed_distance(furthest).max()) for each in made)


@FEW
@given(
    st.lists(shape_strategies.shapes, min_size=1, max_size=8),
    st.sampled_from([{}, {"count": 1}, {"count": 3}, {"tolerance": "5%"}, {"hulls_only": True, "count": 2}]),
)
def test_every_shape_lies_in_one_that_comes_out(shapes, options):
    given_ = Collider(shapes)
    made = merge(given_, **options)
    assert len(made) <= len(given_)
    if "count" in options:
        assert len(made) <= max(options["count"], 1)
    size = float(np.ptp(np.asarray(given_.bounds), axis=0).max())
    for shape in given_:
        assert largest_outside(made, shape) <= 1e-6 * size


def railing(parts: int = 7) -> Collider:
    return Collider([Box((k, 0, 0), UPRIGHT, (0.5, 0.05, 0.05)) for k in range(parts)])


def test_a_railing_of_boxes_becomes_one_box():
    """This is Fig. 8 of the paper."""
    made = merge(railing())
    assert made.counts == {"box": 1}
    assert made.volume == pytest.approx(railing().volume, rel=1e-6)
    assert merge(railing(), hulls_only=True).counts == {"hull": 1}


def test_what_is_not_merged_stays_as_it_was():
    far = [Sphere((0, 9, 0), 0.3), Capsule((0, 5, 0), (1, 5, 0), 0.2)]
    made = merge(Collider([*railing(), *far]))
    assert len(made) == 3
    assert all(any(shape is each for each in made) for shape in far)


def test_a_shape_inside_another_is_gone_and_the_other_stays_as_it_was():
    large = Sphere((0, 0, 0), 1)
    made = merge(Collider([Sphere((0.2, 0, 0), 0.5), large]))
    assert list(made) == [large]


def test_merged_shapes_stay_out_of_the_space():
    mesh = specimens.torus(2, 0.5, 24, 12)
    space = navigable_space(mesh, "10%", "4%")
    fitted = hitbox.fit(mesh, 60, keep_clear=space)
    made = merge(fitted, space=space)
    assert len(made) < len(fitted)
    assert space.overlap(made).entered == 0
    assert made.status.complete
    assert space.overlap(merge(fitted, count=1)).deepest == 1  # without the space the hole closes
    kept = merge(fitted, space=space, count=1)
    assert not kept.status.complete
    assert "enter the space" in " ".join(kept.status.notes)


def test_labels_of_merged_shapes_travel():
    mesh = specimens.torus()
    fitted = hitbox.fit(mesh, 20)
    made = merge(fitted, count=4)
    faces = np.concatenate([label.faces for label in made.labels])
    assert set(faces.tolist()) == set(range(mesh.face_count))


def test_threads_change_nothing():
    fitted = hitbox.fit(specimens.torus(), 40)
    one, three = (merge(fitted, count=5, threads=threads) for threads in (1, 3))
    assert collider_json.write(one) == collider_json.write(three)


def test_caps_hold():
    fitted = hitbox.fit(specimens.icosphere(3), 60, kinds=["box"])
    made = merge(fitted, count=2, max_vertices=16, hulls_only=True)
    assert all(len(shape.vertices) <= 16 for shape in made if isinstance(shape, Hull))


def test_a_hull_beyond_the_cap_that_was_not_merged_is_reported():
    round_mesh = specimens.icosphere(2)
    ball = Hull(round_mesh.vertices, round_mesh.triangles)
    made = merge([ball, ball.transformed(translation=(9, 0, 0))], max_vertices=16)
    assert len(made) == 2
    assert made.status.notes[-1] == "2 hulls of more than 16 vertices: they are those of the input."
    assert not made.status.complete


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"count": 0}, "count: must be a whole number"),
        ({"tolerance": 0}, "tolerance: must be above 0"),
        ({"tolerance": "x"}, "is not a length"),
        ({"max_vertices": 3}, "max_vertices"),
        ({"space": [(0, 0, 0, 1)]}, "space: must come from navigable_space"),
        ({"counts": 3}, "Did you mean 'count'"),
    ],
)
def test_what_is_wrong_is_said(options, said):
    with pytest.raises(InputError, match=said):
        merge(railing(), **options)
