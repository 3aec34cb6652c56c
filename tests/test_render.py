from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from shape_strategies import one_of_each

from hitbox._base.errors import InputError
from hitbox._judges.render import corners, picture, render
from hitbox._model.collider import Collider
from hitbox._model.shapes import Box, Sphere
from hitbox._model.space import NavigableSpace

CUBE = Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1))


def mesh_of(shape):
    vertices, triangles = shape.to_mesh()
    return SimpleNamespace(vertices=vertices, triangles=triangles, up="y")


def pixels(path):
    from PIL import Image

    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def drawn(image):
    """Return the pixels that are not the pale background."""
    return image.min(axis=2) < 215


def test_mesh_and_collider_stand_side_by_side(tmp_path):
    pytest.importorskip("pyvista", exc_type=ImportError)
    path = tmp_path / "x.png"
    render(mesh_of(CUBE), Collider([Sphere((0, 0, 0), 1.8)]), path, size=(400, 200))
    image = pixels(path)
    assert image.shape == (200, 400, 3)
    left, right = image[:, :200], image[:, 200:]
    assert drawn(left)[:170].mean() > 0.04
    assert drawn(right)[:170].mean() > 0.15
    blue = right[drawn(right)][:, 2] - right[drawn(right)][:, 0]
    assert np.median(blue) > 40  # spheres are light blue
    assert not drawn(image)[0].any()  # the whole object is in the picture


def test_a_space_is_drawn_so_that_the_collider_shows_through(tmp_path):
    pytest.importorskip("pyvista", exc_type=ImportError)
    space = NavigableSpace([[0, 0, 3, 1.0], [0, 0, 3.01, 1.0], [3, 0, 0, 0.5]], 0.5, 0.1, 0.1)
    render(mesh_of(CUBE), Collider([CUBE]), tmp_path / "x.png", space=space, size=(400, 200))
    with_space = pixels(tmp_path / "x.png")
    assert not drawn(with_space)[0].any()
    red = with_space[..., 0] - with_space[..., 2] > 15
    assert red[:170, 200:].mean() > 0.02  # the space is drawn beside the collider
    assert not red[:, :200].any()  # but not beside the mesh
    assert np.median(with_space[red][:, 2]) > 130  # the objects behind the orange space show through
    render(mesh_of(CUBE), None, tmp_path / "alone.png", space=space, size=(200, 200))
    alone = pixels(tmp_path / "alone.png")
    assert (alone[..., 0] - alone[..., 2] > 15).mean() > 0.02


def test_one_pane_is_as_bright_as_two(tmp_path):
    pytest.importorskip("pyvista", exc_type=ImportError)
    render(mesh_of(CUBE), None, tmp_path / "1.png", size=(200, 200))
    render(mesh_of(CUBE), Collider([CUBE]), tmp_path / "2.png", size=(400, 200))
    one, two = pixels(tmp_path / "1.png"), pixels(tmp_path / "2.png")[:, :200]
    assert np.abs(one[:170] - two[:170]).mean() < 1


def rgba(png):
    from io import BytesIO

    from PIL import Image

    image = Image.open(BytesIO(png))
    assert image.mode == "RGBA"
    return np.asarray(image).astype(int)


def test_pictures_around_the_same_points_have_the_same_camera():
    pytest.importorskip("pyvista", exc_type=ImportError)
    collider = Collider([Box((0, 0, 0), (0, 0, 0, 1), (1, 1, 1)), Sphere((3, 0, 0), 0.5)])
    around = np.vstack([corners(mesh_of(CUBE)), corners(collider)])
    mesh = rgba(picture(mesh_of(CUBE), around=around, size=(200, 150)))
    both = rgba(picture(collider, around=around, size=(200, 150)))
    assert mesh.shape == (150, 200, 4)
    assert (mesh[0, :, 3] == 0).all()  # the background is transparent
    seen_mesh, seen_both = mesh[..., 3] > 128, both[..., 3] > 128
    assert seen_mesh.sum() > 500
    assert (seen_both | ~seen_mesh).all()  # the cube is at the same place in both pictures
    assert seen_both.sum() > seen_mesh.sum() + 50
    assert not seen_both[[0, -1]].any()
    assert not seen_both[:, [0, -1]].any()


def test_balls_are_drawn_where_they_are():
    pytest.importorskip("pyvista", exc_type=ImportError)
    tall = Box((0, 0, 0), (0, 0, 0, 1), (0.2, 2, 0.2))
    plain = rgba(picture(Collider([tall]), size=(200, 200)))
    with_ball = rgba(picture(Collider([tall]), balls=([[0, 1.5, 0.5]], 0.3), size=(200, 200)))
    rows, _ = np.nonzero(np.abs(with_ball - plain).sum(axis=2) > 60)
    assert 40 < len(rows) < 2000
    assert rows.mean() < 80  # high in the picture
    r, g, b, _ = with_ball[int(np.median(rows)), :, :].T
    assert (r - np.maximum(g, b)).max() > 80  # the object is red
    without = rgba(picture(Collider([tall]), balls=(np.empty((0, 3)), 0.3), size=(200, 200)))
    assert (without == plain).all()


@pytest.mark.parametrize("up", ["x", "y", "z"])
def test_the_up_axis_points_up(tmp_path, up):
    pytest.importorskip("pyvista", exc_type=ImportError)
    half = np.full(3, 0.15)
    half["xyz".index(up)] = 2.0
    render(mesh_of(Box((0, 0, 0), (0, 0, 0, 1), half)), None, tmp_path / "x.png", size=(160, 160), up=up)
    rows, columns = np.nonzero(drawn(pixels(tmp_path / "x.png"))[:140])
    assert np.ptp(rows) > 2 * np.ptp(columns)


def test_tiny_and_huge_models_look_alike(tmp_path):
    pytest.importorskip("pyvista", exc_type=ImportError)
    images = []
    for k, scale in enumerate((1e-20, 1e20)):
        shapes = Collider(one_of_each()[:6]).transformed(scale=scale)
        render(mesh_of(shapes[0]), shapes, tmp_path / f"{k}.png", size=(200, 100))
        images.append(pixels(tmp_path / f"{k}.png"))
    assert np.abs(images[0] - images[1]).mean() < 1


def test_wrong_values_are_refused_before_drawing(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"pictures are PNG"):
        render(mesh_of(CUBE), None, tmp_path / "x.jpg")
    with pytest.raises(InputError, match="size must be"):
        render(mesh_of(CUBE), None, tmp_path / "x.png", size=(0, 100))
    monkeypatch.setitem(sys.modules, "pyvista", None)
    with pytest.raises(InputError, match=r'pip install "hitbox\[render\]"'):
        render(mesh_of(CUBE), None, tmp_path / "x.png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("import vtkmodules.not_there", r'pip install "hitbox\[render\]"'),
        ("import not_there", "No module named 'not_there'"),
        ("raise ImportError('libGL.so.1: no file')", r"libGL\.so\.1: no file.*apt-get install libgl1"),
    ],
)
def test_what_cannot_be_loaded_is_said(tmp_path, monkeypatch, line, says):
    (tmp_path / "pyvista.py").write_text(line + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pyvista", raising=False)
    with pytest.raises(InputError, match=says) as caught:
        render(mesh_of(CUBE), None, tmp_path / "x.png")
    assert "\n" not in str(caught.value)
    assert ("hitbox[render]" in str(caught.value)) == ("render" in says)
