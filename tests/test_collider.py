from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shape_strategies import colliders, one_of_each

from hitbox._base.errors import InputError
from hitbox._model.collider import Collider, Label, Method, Source, Status
from hitbox._model.shapes import KINDS, Sphere

BALL = Sphere((0, 0, 0), 1)


@given(colliders)
def test_a_collider_is_the_sum_of_its_shapes(collider):
    assert sum(collider.counts.values()) == len(collider) == len(list(collider))
    assert collider.nbytes == sum(shape.nbytes for shape in collider)
    assert collider.volume == pytest.approx(sum(shape.volume for shape in collider))
    assert collider.area == pytest.approx(sum(shape.area for shape in collider))
    points = np.random.default_rng(0).uniform(*collider.bounds, (50, 3))
    each = np.array([shape.contains(points) for shape in collider])
    assert (collider.contains(points) == each.any(axis=0)).all()
    reached = np.array([shape.bounds for shape in collider])
    np.testing.assert_array_equal(collider.bounds, [reached[:, 0].min(0), reached[:, 1].max(0)])


@given(colliders)
def test_transforming_and_undoing_it_comes_back(collider):
    half = np.sqrt(0.5)
    moved = collider.transformed((0, half, 0, half), (1, 2, 3), 2.0)
    back = moved.transformed(translation=(-1, -2, -3)).transformed((0, -half, 0, half), scale=0.5)
    np.testing.assert_allclose(back.bounds, collider.bounds, atol=1e-12)
    assert moved.volume == pytest.approx(8 * collider.volume)


@given(colliders)
def test_pickling_keeps_everything(collider):
    assert pickle.loads(pickle.dumps(collider)) == collider


def test_kinds_are_counted_in_their_order():
    collider = Collider(reversed(one_of_each()))
    assert collider.counts == dict.fromkeys(KINDS, 1)
    assert tuple(collider.counts) == KINDS


def test_it_cannot_be_changed():
    collider = Collider([BALL], labels=[Label(faces=np.array([1, 2]))])
    with pytest.raises(AttributeError, match="cannot be changed"):
        collider.name = "x"
    with pytest.raises(ValueError, match="read-only"):
        collider.labels[0].faces[0] = 3


def test_seconds_do_not_make_a_difference():
    one = Collider([BALL], method=Method("fit", {"count": 3}, seconds=1.0))
    assert one == Collider([BALL], method=Method("fit", {"count": 3}, seconds=2.0))
    assert one != Collider([BALL], method=Method("fit", {"count": 4}))
    assert one != Collider([BALL])
    assert Collider([BALL], labels=[Label(faces=[1])]) != Collider([BALL], labels=[Label(faces=[2])])


@given(colliders, st.sampled_from([0.1, "0.1", "1%", "2mm", "-1%", "-2mm", -0.01, 0]))
def test_padding_moves_every_shape_and_keeps_all_else(collider, length):
    padded = collider.padded(length)
    assert [shape.kind for shape in padded] == [shape.kind for shape in collider]
    assert padded.labels == collider.labels
    out = not str(length).startswith("-")
    larger, smaller = (padded, collider) if out else (collider, padded)
    points = np.vstack([shape.support(np.random.default_rng(1).normal(size=(20, 3))) for shape in smaller])
    assert larger.contains(points, margin=1e-9).all()


def test_padding_knows_units_and_the_diagonal_of_the_mesh():
    ball = Sphere((0, 0, 0), 1)
    assert Collider([ball], unit="cm").padded("5mm")[0].radius == 1.5
    assert Collider([ball]).padded("5mm")[0].radius == 1.005
    assert Collider([ball], source=Source(diagonal=50.0)).padded("1%")[0].radius == 1.5
    assert Collider([ball]).padded("10%")[0].radius == pytest.approx(1 + 0.2 * np.sqrt(3))
    assert Collider([ball], source=Source(diagonal=50.0)).padded(-3)[0].radius == pytest.approx(50e-5)
    for wrong in ("much", float("nan"), None):
        with pytest.raises(InputError, match="padded: length"):
            Collider([ball]).padded(wrong)


def test_to_trimesh_has_every_shape():
    collider = Collider(one_of_each())
    mesh = collider.to_trimesh()
    assert mesh.is_watertight
    assert len(mesh.split(only_watertight=True)) == len(collider)
    assert mesh.volume >= collider.volume


def test_text_names_kinds_and_hides_no_markup():
    collider = Collider([BALL], name="<b>x", status=Status(False, ("a < b",)))
    assert "1 sphere" in repr(collider)
    assert "&lt;b&gt;x" in collider._repr_html_()
    assert "a &lt; b" in collider._repr_html_()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Collider([]), "at least one shape"),
        (lambda: Collider([1]), "shape 0 is a int"),
        (lambda: Collider([BALL], labels=[]), "0 labels for 1 shapes"),
        (lambda: Collider([BALL], up="w"), "up must be"),
        (lambda: Label(faces=[-1]), "whole numbers"),
        (lambda: Label(faces=[0.5]), "whole numbers"),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_source_and_status_are_values():
    assert Source("a", "b", 1, 2.0) == Source("a", "b", 1, 2.0)
    assert Status() == Status(True, ())
