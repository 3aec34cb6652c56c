"""hitbox.compat.coacd beside CoACD itself: the same names, parameters and types."""

from __future__ import annotations

import inspect
import subprocess
import sys

import carve_judge as judge
import numpy as np
import pytest
import specimens

import hitbox
from hitbox import InputError
from hitbox.compat import coacd as ours

TORUS = specimens.torus(1, 0.3, 8, 5)
SIDE = float(np.ptp(TORUS.vertices, axis=0).max())  # CoACD measures in halves of the longest side


def mesh(module, source=TORUS):
    return module.Mesh(source.vertices, source.triangles.astype(np.int32))


@pytest.fixture
def theirs():
    module = pytest.importorskip("coacd", exc_type=ImportError)
    module.set_log_level("error")
    return module


def test_the_signature_is_theirs_with_two_keywords_more(theirs):
    known, more = (list(inspect.signature(m.run_coacd).parameters.values()) for m in (theirs, ours))
    for their, our in zip(known, more, strict=False):
        assert (our.name, our.default, our.kind) == (their.name, their.default, their.kind)
    added = [(p.name, p.default, p.kind) for p in more[len(known) :]]
    alone = inspect.Parameter.KEYWORD_ONLY
    assert added == [("radius", None, alone), ("tolerance", None, alone)]
    assert list(inspect.signature(theirs.Mesh).parameters) == list(inspect.signature(ours.Mesh).parameters)
    functions = {name for name, _ in inspect.getmembers(theirs, inspect.isfunction)}
    assert functions <= set(dir(ours))


def test_the_same_call_gives_the_same_types(theirs):
    arguments = {"threshold": 0.3, "max_convex_hull": 6, "mcts_iterations": 20, "preprocess_mode": "off"}
    found = [module.run_coacd(mesh(module), **arguments, seed=1) for module in (theirs, ours)]
    for parts in found:
        assert type(parts) is list
        assert 1 <= len(parts) <= 6
        for part in parts:
            assert type(part) is list
            vertices, triangles = part
            assert (vertices.dtype, triangles.dtype) == (np.float64, np.int32)
            assert vertices.shape[1] == triangles.shape[1] == 3
            assert vertices.flags.c_contiguous
            assert vertices.flags.writeable
            assert triangles.flags.writeable
            assert judge.is_convex(vertices, triangles, 1e-5)
    assert vars(mesh(theirs)).keys() == vars(mesh(ours)).keys()
    for name, array in vars(mesh(theirs)).items():
        assert getattr(mesh(ours), name).dtype == array.dtype


def test_a_mesh_of_theirs_will_do(theirs):
    same = ours.run_coacd(mesh(theirs), 0.2), ours.run_coacd(mesh(ours), 0.2)
    assert all((a[0] == b[0]).all() for a, b in zip(*same, strict=True))


def parts_of(collider):
    return [(hull.vertices.tobytes(), hull.triangles.tolist()) for hull in collider]


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ({}, {"radius": 0.025 * SIDE, "tolerance": 0.025 * SIDE}),
        ({"threshold": 0.2}, {"radius": 0.1 * SIDE, "tolerance": 0.1 * SIDE}),
        ({"threshold": 0.2, "real_metric": True}, {"radius": 0.2, "tolerance": 0.2}),
        ({"threshold": 0.2, "radius": "5%"}, {"radius": "5%", "tolerance": 0.1 * SIDE}),
        ({"radius": "5%", "tolerance": "4%"}, {"radius": "5%", "tolerance": "4%"}),
        (
            {"threshold": 0.2, "max_convex_hull": 2},
            {"radius": 0.1 * SIDE, "tolerance": 0.1 * SIDE, "count": 2},
        ),
        (
            {"threshold": 0.1, "decimate": True, "max_ch_vertex": 30},
            {"radius": 0.05 * SIDE, "tolerance": 0.05 * SIDE, "max_vertices": 30},
        ),
        ({"threshold": 0.2, "max_ch_vertex": 30}, {"radius": 0.1 * SIDE, "tolerance": 0.1 * SIDE}),
        (
            {"threshold": 0.2, "mcts_iterations": 225, "seed": 3},
            {"radius": 0.1 * SIDE, "tolerance": 0.1 * SIDE, "effort": 0.5, "seed": 3},
        ),
        ({"threshold": 0.2, "pca": True, "merge": False}, {"radius": 0.1 * SIDE, "tolerance": 0.1 * SIDE}),
        (
            {"threshold": 0.2, "preprocess_mode": "on", "resolution": 9, "mcts_nodes": 2},
            {"radius": 0.1 * SIDE, "tolerance": 0.1 * SIDE},
        ),
    ],
)
def test_each_parameter_becomes_what_the_table_says(arguments, keywords):
    found = ours.run_coacd(mesh(ours), **arguments)
    expected = parts_of(hitbox.carve((TORUS.vertices, TORUS.triangles), **keywords))
    assert [(v.tobytes(), t.tolist()) for v, t in found] == expected


def test_a_simple_shape_is_a_hull():
    ball = specimens.icosphere(3)
    ((vertices, triangles),) = ours.run_coacd(mesh(ours, ball))
    assert judge.is_convex(vertices, triangles)
    assert judge.Solid(vertices).heights(ball.vertices).max() <= 1e-9


@pytest.mark.parametrize("cap", [16, 64])
def test_capped_hulls_of_a_ball_stay_near_it(cap):
    """The hulls are carve's own, so none sticks out by more than 30 % of the tolerance."""
    ball = specimens.icosphere(2)
    parts = ours.run_coacd(mesh(ours, ball), threshold=0.1, decimate=True, max_ch_vertex=cap)
    tolerance = 0.1 / 2 * 2  # for a ball of radius 1
    assert max(np.linalg.norm(vertices, axis=1).max() for vertices, _ in parts) <= 1 + 0.3 * tolerance + 1e-6
    assert max(len(vertices) for vertices, _ in parts) <= cap


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"threshold": 0}, "run_coacd: threshold: must be a finite number above 0"),
        ({"max_convex_hull": -2}, "run_coacd: max_convex_hull"),
        ({"decimate": True, "max_ch_vertex": 4}, "run_coacd: max_ch_vertex"),
        ({"extrude": True}, "run_coacd: extrude: .*Leave it out"),
        ({"apx_mode": "box"}, "run_coacd: apx_mode: 'box': only 'ch'. For boxes use fit"),
        ({"mcts_iterations": -1}, "run_coacd: mcts_iterations"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, said):
    with pytest.raises(InputError, match=said):
        ours.run_coacd(mesh(ours), **arguments)


def test_meshes_and_levels_are_checked():
    with pytest.raises(InputError, match="Mesh: indices: must be rows of three"):
        ours.Mesh(np.zeros((3, 3)), np.zeros((1, 4), int))
    with pytest.raises(InputError, match="set_log_level"):
        ours.set_log_level("loud")
    ours.set_log_level("error")


def test_nothing_of_theirs_is_imported():
    code = "import sys, hitbox.compat.coacd; print('coacd' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
