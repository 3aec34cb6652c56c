"""Options of fit: separate parts, profiles, hulls, importance, spaces to keep clear, padding, and the cache.
Effects that a result does not show are tested on the options that the core receives.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from importlib.resources import files
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest
import specimens
from enclosure import faces_stick_out
from hypothesis import given, settings
from hypothesis import strategies as st

from hitbox import Collider, FitOptions, InputError, Mesh, fit, fit_tree
from hitbox._methods.fit_options import PAPER_WEIGHTS, PRIMITIVES
from hitbox._model import profiles
from hitbox._model.shapes import KINDS
from hitbox._native import _core

TORUS = specimens.torus()


def labelled(mesh: Mesh, part=None, material=None, **known) -> Mesh:
    """Return `mesh` with numbered parts p0, p1, ... and materials m0, m1, ..."""
    named = {}
    for key, ids in (("part", part), ("material", material)):
        if ids is not None:
            named |= {key: ids, f"{key}_names": [f"{key[0]}{k}" for k in range(max(ids) + 1)]}
    return Mesh(mesh.vertices, specimens.polygons_of(mesh), name=mesh.name, **named, **known)


def handed_to_the_core(mesh: Mesh, **options) -> _core.FitOptions:
    return FitOptions(**options).for_core(mesh)


# ---- the defaults


def test_the_defaults_are_those_of_the_core():
    handed, plain = FitOptions().for_core(TORUS), _core.FitOptions()
    for name in dir(plain):
        if not name.startswith("_") and name != "cost":
            assert np.array_equal(getattr(handed, name), getattr(plain, name)), name


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        ({"objective": "surface"}, "objective", _core.Objective.surface),
        ({"objective": "outer"}, "objective", _core.Objective.outer),
        ({"preset": "fast"}, "preset", _core.Preset.fast),
        ({"preset": "balanced"}, "preset", _core.Preset.balanced),
        ({"preset": "fine"}, "preset", _core.Preset.fine),
        ({"time_budget": 2}, "time_budget", 2.0),
        ({"pad": 0.25}, "pad", 0.25),
        ({"pad": "-2mm"}, "pad", -0.002),
        ({"pad": "1%"}, "pad", TORUS.diagonal / 100),
        ({"keep_clear": [(1, 2, 3, 4)]}, "keep_clear", [[1.0, 2.0, 3.0, 4.0]]),
        ({"keep_clear": np.ones((2, 4), np.float32)}, "keep_clear", [[1.0] * 4] * 2),
        ({"keep_clear": SimpleNamespace(spheres=np.ones((3, 4)))}, "keep_clear", [[1.0] * 4] * 3),
        ({"keep_clear": []}, "keep_clear", []),
        ({"keep_clear": np.empty((0, 4))}, "keep_clear", []),
        ({"kinds": ["hull", "box"]}, "max_vertices", 32),
        ({"kinds": ["hull", "box"], "max_vertices": 12}, "max_vertices", 12),
        ({"kinds": ["hull", "box"], "profile": "usd"}, "max_vertices", 34),
        ({"kinds": ["hull", "box"], "profile": "usd", "max_vertices": 50}, "max_vertices", 50),
        ({"kinds": ["hull", "box"], "profile": "curobo"}, "max_vertices", 32),
        ({"profile": "usd"}, "max_vertices", 0),
    ],
)
def test_values_reach_the_core(options, name, value):
    assert getattr(handed_to_the_core(TORUS, **options), name) == value


def test_options_can_be_changed_kept_and_compared():
    options = FitOptions(profile="unity", keep_clear=[(0, 0, 0, 1)], importance=np.arange(1.0, 4.0))
    assert replace(options) == options
    assert replace(options, kinds="box").allowed_kinds == ("box",)
    assert replace(options, profile=None).allowed_kinds == PRIMITIVES
    assert options != replace(options, importance=None)


# ---- separate parts and materials


@st.composite
def grouped_meshes(draw: st.DrawFn) -> Mesh:
    small = [TORUS, specimens.box(), specimens.grid(9, 9, height=0.2), specimens.many_components(7)]
    mesh = draw(specimens.ugly_meshes() | st.sampled_from(small))
    known = {}
    for name in draw(st.sampled_from([("part",), ("material",), ("part", "material")])):
        ids = st.lists(st.integers(0, 4), min_size=mesh.face_count, max_size=mesh.face_count)
        known[name] = draw(ids)
    return labelled(mesh, **known)


def check_groups(mesh: Mesh, collider: Collider, what: tuple[str, ...]) -> None:
    for label in collider.labels:
        for name in what:
            ids = getattr(mesh, name)
            if ids is not None:
                own = np.unique(ids[label.faces])
                assert len(own) == 1
                assert getattr(label, name) == f"{name[0]}{own[0]}"


@settings(max_examples=60, deadline=None)
@given(
    grouped_meshes(),
    st.sampled_from([("part",), ("material",), ("part", "material")]),
    st.integers(0, 12),
    st.sampled_from([None, 1e-3]),
)
def test_no_shape_spans_two_groups(mesh, what, more, max_excess):
    apart = {f"{name}s": "separate" for name in what}
    keys = [ids for name in what if (ids := getattr(mesh, name)) is not None]
    least = len(set(zip(*keys, strict=True))) if keys else 1
    collider = fit(mesh, least + more, max_excess=max_excess, threads=1, **apart)
    check_groups(mesh, collider, what)
    assert collider.status.complete == (len(collider) <= least + more)
    assert collider.status.complete or max_excess is not None
    owned = np.concatenate([label.faces for label in collider.labels])
    assert np.array_equal(np.sort(owned), np.arange(mesh.face_count))
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    if least > 1:
        word = "pairs of part and material" if len(keys) == 2 else "(parts|materials)"
        with pytest.raises(InputError, match=f"{least - 1} shapes cannot keep {least} {word} separate"):
            fit(mesh, least - 1, **apart)


def test_levels_of_a_tree_keep_parts_apart():
    mesh = labelled(TORUS, part=[(f // 7) % 5 for f in range(TORUS.face_count)])
    tree = fit_tree(mesh, 40, parts="separate")
    for count in (5, 6, 40):
        check_groups(mesh, tree.at(count), ("part",))
        clusters = tree.clusters(count)
        assert len(set(zip(clusters, mesh.part, strict=True))) == len(set(clusters)) <= count
    for refused in (tree.at, tree.clusters):
        with pytest.raises(InputError, match="4 shapes cannot keep 5 parts separate"):
            refused(4)


def test_a_shape_inside_one_of_another_part_stays():
    inner, outer = specimens.box(), specimens.box((3, 3, 3))
    vertices = np.concatenate([inner.vertices, outer.vertices])
    faces = [[v + 8 * k for v in face] for k in (0, 1) for face in specimens.polygons_of(inner)]
    mesh = labelled(Mesh(vertices, faces), part=[0] * 6 + [1] * 6)
    assert len(fit(mesh, 2)) == 1
    apart = fit(mesh, 2, parts="separate")
    assert sorted((label.part, len(label.faces)) for label in apart.labels) == [("p0", 6), ("p1", 6)]
    assert apart.volume == pytest.approx(1 + 27)


def test_without_a_count_there_are_enough_for_all_parts():
    """This also holds for more parts than shapes on a flat sheet, where each part alone would merge with
    others.
    """
    sheet = specimens.grid(20, 20)
    mesh = labelled(sheet, part=list(range(sheet.face_count)))
    collider = fit(mesh, parts="separate")
    assert len(collider) == mesh.face_count == 400
    assert collider.status.complete
    assert "400 shapes for a tolerance of 3.00 %" in collider.status.notes[0]
    few = fit(labelled(sheet, part=[f % 3 for f in range(400)]), parts="separate")
    assert len(few) >= 3
    assert few.status.complete


def test_meshes_without_parts_are_one_group():
    for mesh in (TORUS, labelled(TORUS, part=[0] * TORUS.face_count)):
        assert fit(mesh, 3, parts="separate", materials="separate").shapes == fit(TORUS, 3).shapes


def test_threads_change_nothing_about_groups():
    mesh = specimens.grid(120, 90, height=0.1)
    mesh = labelled(mesh, part=np.random.default_rng(0).integers(0, 6, mesh.face_count).tolist())
    one = fit(mesh, 12, parts="separate", threads=1)
    assert all(fit(mesh, 12, parts="separate", threads=n).shapes == one.shapes for n in (2, 5))


# ---- profiles

SCHEMA = {
    "type": "object",
    "required": ["kinds", "weights", "hull", "source"],
    "additionalProperties": False,
    "properties": {
        "kinds": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"enum": list(KINDS)}},
        "weights": {
            "propertyNames": {"enum": list(PRIMITIVES)},
            "additionalProperties": {"type": "number", "minimum": 0.1, "maximum": 10},
        },
        "hull": {
            "type": ["object", "null"],
            "required": ["vertices", "polygons"],
            "additionalProperties": False,
            "properties": {
                "vertices": {"type": "integer", "minimum": 8, "maximum": 256},
                "polygons": {"type": ["integer", "null"], "minimum": 6},
                "triangles": {"type": "integer", "minimum": 12},
                "corners": {"type": "integer", "minimum": 4},
                "aspect": {"type": "number", "minimum": 10},
                "plane_tolerance": {
                    "type": "object",
                    "required": ["metres", "of_half_extents"],
                    "additionalProperties": {"type": "number", "minimum": 0, "maximum": 0.01},
                },
            },
        },
        "cones": {"const": True},
        "source": {"type": "string", "minLength": 20, "pattern": r"^[^\n]*\.$"},
    },
}
ENGINES = (
    "curobo", "gltf", "godot", "jolt", "mjx", "mujoco", "newton", "physx", "physx-gpu", "rapier", "sdf",
    "unity", "unreal", "urdf", "usd",
)  # fmt: skip


def test_the_profiles_are_there_and_sound():
    assert profiles.NAMES == ENGINES
    for name in ENGINES:
        document = json.loads(files("hitbox._model").joinpath(f"profiles/{name}.json").read_text())
        jsonschema.validate(document, SCHEMA)
        assert set(document["weights"]) <= set(document["kinds"])
        assert profiles.load(name).kinds == tuple(k for k in KINDS if k in document["kinds"])


@pytest.mark.parametrize("name", ENGINES)
def test_a_profile_yields_its_kinds_alone(name):
    shapes = [specimens.cone(), specimens.cylinder(), TORUS, specimens.icosphere(2)]
    for mesh in shapes:
        collider = fit(mesh, 6, profile=name)
        kinds = set(profiles.load(name).kinds)
        assert set(collider.counts) <= kinds
        if kinds != {"sphere"}:  # spheres cover faces together: test_spheres.py
            assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
        assert collider.method.options["profile"] == name


def test_unity_has_boxes_spheres_and_capsules():
    assert FitOptions(profile="unity").allowed_kinds == ("box", "sphere", "capsule")
    assert fit(specimens.cylinder(), 1).counts == {"cylinder": 1}
    assert "cylinder" not in fit(specimens.cylinder(), 1, profile="unity").counts


# ---- hulls


def gem(seed: int, points: int = 14) -> Mesh:
    """Return the hull of a few random points, which no primitive fits."""
    hull = _core.convex_hull(np.random.default_rng(seed).normal(size=(points, 3)))
    return Mesh(hull[0], hull[1], name="gem")


def corners(collider: Collider) -> list[int]:
    return [len(shape.vertices) for shape in collider.shapes if shape.kind == "hull"]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(4, 40), st.booleans())
def test_hulls_enclose_and_keep_their_cap(seed, count, most, by_volume):
    mesh = gem(seed, 30)
    cost = {"cost": "grown"} if by_volume else {}
    collider = fit(mesh, count, kinds=["box", "hull"], max_vertices=most, **cost)
    assert 1 <= len(collider) <= count
    assert set(collider.counts) <= {"box", "hull"}
    assert max(corners(collider), default=0) <= most
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal


def test_a_hull_is_taken_where_primitives_fit_badly():
    for seed in range(5):
        mesh = gem(seed)
        collider = fit(mesh, 1, kinds=[*PRIMITIVES, "hull"])
        assert collider.counts == {"hull": 1}
        assert collider.volume < 0.7 * fit(mesh, 1).volume
        assert fit(mesh, 1).counts.get("hull") is None
        assert fit_tree(mesh, 1, kinds=["box", "hull"]).at(1).counts == {"hull": 1}
        assert fit(mesh, kinds=["box", "hull"], tolerance="1%").counts == {"hull": 1}


def test_what_is_a_primitive_stays_one_beside_hulls():
    for mesh, kind in (
        (specimens.cylinder(), "cylinder"),
        (specimens.box(), "box"),
        (specimens.icosphere(2), "sphere"),
    ):
        assert fit(mesh, 4, kinds=[*PRIMITIVES, "hull"]).counts == {kind: 1}


def test_hulls_keep_clear_space_clear_and_are_padded():
    mesh = gem(3)
    corners_of_box = fit(mesh, 1, kinds="box").shapes[0].to_mesh()[0]
    apart = fit(mesh, 1, kinds=["box", "hull"]).signed_distance(corners_of_box)
    point, free = corners_of_box[[apart.argmax()]], 0.95 * float(apart.max())
    collider = fit(mesh, 1, kinds=["box", "hull"], keep_clear=[(*point[0], free)])
    assert collider.signed_distance(point)[0] >= free * (1 - 1e-9)
    wide = fit(mesh, 1, kinds=["box", "hull"], pad=0.1)
    assert wide.counts == {"hull": 1}
    assert wide.signed_distance(mesh.vertices).max() <= -0.1 * (1 - 1e-9)


def test_profiles_of_engines_that_like_hulls_have_them():
    assert fit(gem(0), 1, profile="unreal").counts == {"hull": 1}
    assert max(corners(fit(gem(0, 400), 1, profile="unreal"))) <= 32
    assert "hull" not in fit(gem(0), 1, profile="unity").counts


def test_what_is_said_beside_a_profile_wins():
    godot = FitOptions(profile="godot")
    assert godot.kind_weights == PAPER_WEIGHTS | {"cylinder": 1.3}
    assert FitOptions(profile="godot", weights={"box": 2}).kind_weights == godot.kind_weights | {"box": 2}
    assert FitOptions(profile="godot", weights="paper").kind_weights == PAPER_WEIGHTS
    assert FitOptions(profile="godot", kinds=PRIMITIVES).allowed_kinds == PRIMITIVES
    assert FitOptions(profile="godot", kinds=("prism", "box")).allowed_kinds == ("box", "prism")
    assert FitOptions(profile="godot", kinds=PRIMITIVES).to_dict()["kinds"] == list(PRIMITIVES)
    assert FitOptions(profile="godot", weights="paper").to_dict()["weights"] == "paper"
    assert FitOptions(kinds=PRIMITIVES, weights="paper").to_dict() == {}


def test_a_profile_of_ones_own(tmp_path):
    own = tmp_path / "mine.json"
    own.write_text(json.dumps({"kinds": ["capsule", "box"], "hull": {"polygons": 20}, "weights": {"box": 2}}))
    options = FitOptions(profile=own)
    assert options == FitOptions(profile=str(own))
    assert options.allowed_kinds == ("box", "capsule")
    assert options.kind_weights == PAPER_WEIGHTS | {"box": 2.0}
    assert replace(options, kinds=("box", "hull")).hull_vertices == 12
    assert options.to_dict()["profile"]["kinds"] == ["capsule", "box"]
    assert str(tmp_path) not in json.dumps(options.to_dict())
    own.unlink()
    assert replace(options, count=3).allowed_kinds == ("box", "capsule")  # read only once


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ("{}", "kinds"),
        ('{"kinds": []}', "kinds"),
        ('{"kinds": ["bx"]}', "Did you mean 'box'"),
        ('{"kinds": ["hull"]}', "'hull'"),
        ('{"kinds": ["box"], "weigths": {}}', "Did you mean 'weights'"),
        ('{"kinds": ["box"], "weights": {"box": 0}}', "weights: box"),
        ('{"kinds": ["box"], "weights": 3}', "weights"),
        ('{"kinds": ["box"], "hull": 3}', "hull"),
        ('{"kinds": ["box"], "hull": {"vertices": 2}}', "hull: vertices"),
        ('{"kinds": ["box"], "hull": {"corners": 2}}', "corners"),
    ],
)
def test_a_wrong_profile_is_one_sentence(tmp_path, text, says):
    own = tmp_path / "mine.json"
    own.write_text(text)
    with pytest.raises(InputError, match=r"mine\.json: ") as caught:
        FitOptions(profile=own)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- importance


def area_weighted_mean(mesh: Mesh, values) -> float:
    corners = mesh.vertices[mesh.triangles]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return float(np.average(np.asarray(values)[mesh.triangle_faces], weights=areas))


FORMS = {
    "a direction": "+z",
    "a direction with a weight": ("-x", 9),
    "a vector": ((1.0, 2.0, -3.0), 0.5),
    "names": {"p1": 5, "m0": 0.25},
    "numbers": np.linspace(0.5, 7, TORUS.face_count),
}


@pytest.mark.parametrize("form", FORMS)
def test_importance_is_one_on_average(form):
    faces = range(TORUS.face_count)
    mesh = labelled(TORUS, part=[f % 3 for f in faces], material=[f % 2 for f in faces])
    found = handed_to_the_core(mesh, importance=FORMS[form]).importance
    assert len(found) == mesh.face_count
    assert min(found) > 0
    assert max(found) > min(found)
    assert area_weighted_mean(mesh, found) == pytest.approx(1, rel=1e-9)
    assert FitOptions(importance=FORMS[form]) == FitOptions(importance=FORMS[form])
    fit(mesh, 3, importance=FORMS[form])


def test_faces_that_look_the_way_weigh_more():
    """A box has one face per direction: up counts w, sideways 1, down 1 / w, before the mean becomes 1."""
    box = specimens.box()
    lengths = {(0.0, 0.0, 1.0): 8.0, (0.0, 0.0, -1.0): 1 / 8}
    corners = [box.vertices[face] for face in specimens.polygons_of(box)]
    normals = [np.cross(c[1] - c[0], c[2] - c[1]).round(9) + 0.0 for c in corners]
    wanted = np.array([lengths.get(tuple(n.tolist()), 1.0) for n in normals])
    assert sorted(wanted) == [1 / 8, 1, 1, 1, 1, 8]
    up = Mesh(box.vertices, specimens.polygons_of(box), up="z")
    for form in (("+z", 8), ("up", 8), ((0, 0, 7e200), 8), ("-z", 1 / 8), ("down", 1 / 8)):
        found = handed_to_the_core(up, importance=form).importance
        assert found == pytest.approx(wanted / wanted.mean(), rel=1e-9), form
    four = handed_to_the_core(up, importance="up").importance
    assert max(four) / min(four) == pytest.approx(16)


def test_names_multiply_the_faces_they_are_of():
    mesh = labelled(specimens.box(), part=[0, 0, 0, 1, 1, 1], material=[0, 1, 2, 0, 1, 2])
    found = np.array(handed_to_the_core(mesh, importance={"p0": 2, "m1": 5}).importance)
    assert found / found[3] == pytest.approx([2, 10, 2, 1, 5, 1])
    with pytest.raises(InputError, match=r"unknown part or material 'p2'\. Known: p0, p1, m0, m1, m2\."):
        fit(mesh, 1, importance={"p2": 3})
    many = labelled(TORUS, part=list(range(TORUS.face_count)))
    with pytest.raises(InputError, match=r"'p12x'\. Did you mean 'p12'\? Known: p0, .*, p11, \.\.\.\.$"):
        fit(many, 1, importance={"p12x": 3})


def test_faces_without_area_have_an_importance():
    line = Mesh([[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[0, 1, 2]], up="y")
    assert handed_to_the_core(line, importance="up").importance.tolist() == [1.0]
    assert handed_to_the_core(line, importance=[5]).importance.tolist() == [1.0]


# ---- spaces to keep clear


def test_a_sphere_that_is_entered_is_named():
    box = specimens.box()
    # a face cuts the first sphere
    inside, outside, beside = (0.5, 0, 0, 0.25), (9, 0, 0, 1), (1.5, 0, 0, 0.99)
    collider = fit(box, 6, keep_clear=[outside, inside, beside])
    assert not collider.status.complete
    says = "Shapes enter 1 of the 3 spheres of keep_clear: number 2 at (0.5, 0, 0)."
    assert collider.status.notes == (says,)
    assert collider.method.options["keep_clear"] == [list(outside), list(inside), list(beside)]
    assert fit(box, 1, keep_clear=[outside, beside]).status.complete
    many = fit(box, 6, keep_clear=[inside] * 40)
    assert many.status.notes[0].endswith("number 5 at (0.5, 0, 0) and 35 more.")
    assert many.method.options["keep_clear"]["numbers"] == 160


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_entered_spheres_are_those_that_brute_force_finds(seed):
    rng = np.random.default_rng(seed)
    mesh = specimens.many_components(5, seed=seed % 1000)
    low, high = mesh.bounds
    radius = rng.uniform(0.001, 0.2, 8) * mesh.diagonal
    spheres = np.column_stack([rng.uniform(low, high, (8, 3)), radius])
    collider = fit(mesh, 5, keep_clear=spheres)
    turns = rng.normal(size=(2000, 3))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    for k, (*center, reach) in enumerate(spheres):
        points = np.vstack([[center], center + turns * reach * (1 - 1e-9)])
        hit = any((shape.signed_distance(points) < -1e-6 * mesh.diagonal).any() for shape in collider)
        said = any(f"number {k + 1} at" in note for note in collider.status.notes)
        more = any(" more." in note for note in collider.status.notes)
        if hit:
            assert said or more
        if said:  # only rounding separates the two
            nearest = min(shape.signed_distance([center])[0] for shape in collider)
            assert nearest < reach


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"max_excess": 0}, "would add more than max_excess=0 of the bounding box's volume."),
        (
            {"max_excess": 0, "keep_clear": [(99, 0, 0, 1)]},
            "would add more than max_excess=0 of the bounding box's volume or enter what keep_clear keeps "
            "clear.",
        ),
    ],
)
def test_too_many_shapes_have_a_reason(limits, says):
    collider = fit(TORUS, 1, **limits)
    assert not collider.status.complete
    assert collider.status.notes == (f"{len(collider)} shapes instead of 1: every further merge {says}",)


@pytest.mark.parametrize("count", [1, 4, 24])
def test_a_hole_stays_open(count):
    """A single shape around a ring would close it."""
    around = [(0, 0, 0, 0.3)]  # in the centre of the torus
    assert fit(TORUS, 1).contains([[0, 0, 0]]).any()
    collider = fit(TORUS, count, keep_clear=around)
    assert not collider.contains(np.random.default_rng(0).normal(size=(500, 3)) * 0.1).any()
    assert faces_stick_out(TORUS, collider).max() <= 1e-9 * TORUS.diagonal
    if len(collider) > count:
        reason = "every further merge would enter what keep_clear keeps clear."
        assert collider.status.notes == (f"{len(collider)} shapes instead of {count}: {reason}",)


@pytest.mark.parametrize("asked", [{"count": 8}, {"tolerance": "30%"}])
@pytest.mark.parametrize("reach", [1.05, 1.3, 1.6, 2.5])
def test_padded_corners_stay_out_of_space_to_keep_clear(asked, reach):
    """A corner moves out by more than the padding, and a sharp tip by much more."""
    vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 3]]
    tetrahedron = Mesh(vertices, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    pad, radius = 0.02, 0.01
    beyond = np.array([0.1, 0.1, 1]) / np.linalg.norm([0.1, 0.1, 1])
    center = np.array([0, 0, 3]) + beyond * (pad * reach + radius)
    collider = fit(tetrahedron, pad=pad, keep_clear=[(*center, radius)], profile="unreal", **asked)
    assert min(shape.signed_distance(center[None])[0] for shape in collider) >= radius - 1e-9


def test_space_is_kept_clear_of_faces_that_welding_moved():
    """The sides of the cube are separate, so a box around the welded cube has to grow for them."""
    cube = specimens.box()
    sides = [cube.vertices[face] for face in specimens.polygons_of(cube)]
    apart = [side * (1 + 0.004 * (np.abs(side.mean(axis=0)) > 0.1)) for side in sides]
    mesh = Mesh(np.concatenate(apart), np.arange(24).reshape(6, 4))
    assert fit(mesh, 8, weld="1%").counts == {"box": 1}
    kept = fit(mesh, 8, weld="1%", keep_clear=[(0.5525, 0, 0, 0.05)])
    assert kept.status.complete
    assert min(shape.signed_distance([[0.5525, 0, 0]])[0] for shape in kept) >= 0.05


# ---- padding


def test_a_negative_pad_is_said_to_uncover_faces():
    collider = fit(TORUS, 3, pad="-1mm")
    assert not collider.status.complete
    assert collider.status.notes == ("The sides were moved in, so faces may stick out (pad=-1mm).",)
    for pad in (0, 0.01, "1%"):
        assert fit(TORUS, 3, pad=pad).status.complete


@pytest.mark.parametrize("pad", [0.01, "2%", -0.02])
def test_padding_comes_last(pad):
    plain, padded = fit(TORUS, 5), fit(TORUS, 5, pad=pad)
    assert padded.shapes == plain.padded(pad).shapes
    assert [list(label.faces) for label in padded.labels] == [list(label.faces) for label in plain.labels]


def test_all_within_the_padding_of_the_mesh_is_inside():
    rng = np.random.default_rng(3)
    pad = 0.1 * TORUS.diagonal
    beside = rng.normal(size=(len(TORUS.vertices), 3))
    beside *= pad / np.linalg.norm(beside, axis=1)[:, None]
    assert fit(TORUS, 5, pad=pad).contains(TORUS.vertices + beside, margin=1e-9).all()


def test_padding_does_not_change_how_many_shapes_are_chosen():
    assert len(fit(TORUS, pad="5%")) == len(fit(TORUS))


# ---- the cache


@pytest.fixture
def no_core(monkeypatch):
    """Return a function that makes fitting fail."""

    def fails(*_):
        raise AssertionError("it was fitted again")

    def forbid():
        for name in ("fit", "fit_spheres", "fit_within", "levels"):
            monkeypatch.setattr(_core, name, fails)

    return forbid


MESH = labelled(TORUS, part=[f % 4 for f in range(TORUS.face_count)], unit="cm", up="z")
ASKED = [
    {"count": 4},
    {},
    {"count": 8, "parts": "separate", "importance": {"p1": 3}, "keep_clear": [(0, 0, 0, 0.1)] * 30},
    {"count": 3, "profile": "unity", "weights": {"box": 2}, "weld": np.float32(0.001), "pad": "-1%"},
    {"count": 2, "kinds": ["prism"], "importance": np.linspace(1, 2, TORUS.face_count)},
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_hit_is_the_same_collider(tmp_path, no_core, asked):
    plain = fit(MESH, **asked)
    made = fit(MESH, cache=tmp_path / "deep" / "kept", **asked)
    no_core()
    stages = []
    hit = fit(MESH, cache=tmp_path / "deep" / "kept", progress=lambda *at: stages.append(at), **asked)
    assert hit == made == plain
    assert hit.generator == made.generator
    assert hit.method.seconds > 0
    assert stages == [("done", 1.0)]
    for name, collider in (("plain", plain), ("made", made), ("hit", hit)):
        collider.save(tmp_path / f"{name}.json", faces=True)
        collider.save(tmp_path / f"{name}.glb")
    for suffix in ("json", "glb"):
        assert len({(tmp_path / f"{name}.{suffix}").read_bytes() for name in ("plain", "made", "hit")}) == 1


def test_levels_are_kept_too(tmp_path, no_core):
    plain = fit_tree(MESH, 16)
    for count in (3, 16):
        assert fit_tree(MESH, 16, cache=tmp_path).at(count) == plain.at(count)
    no_core()
    tree = fit_tree(MESH, 16, cache=tmp_path)
    assert [tree.at(count) for count in (3, 16)] == [plain.at(count) for count in (3, 16)]
    with pytest.raises(AssertionError):
        tree.at(4)
    with pytest.raises(AssertionError):
        fit_tree(MESH, 17, cache=tmp_path).at(16)


def variants():
    faces, bent = specimens.polygons_of(TORUS), TORUS.vertices.copy()
    bent[0, 0] = np.nextafter(bent[0, 0], 9)
    known = {"part": MESH.part, "part_names": MESH.part_names, "unit": "cm", "up": "z", "name": MESH.name}
    quads = [face for face in faces if len(face) == 4]
    assert quads
    split = [three for face in faces for three in ([face[0], face[1], face[2]], [face[0], face[2], face[3]])]
    twice = np.repeat(MESH.part, 2)
    return {
        "a vertex": Mesh(bent, faces, **known),
        "a part": Mesh(TORUS.vertices, faces, **known | {"part": [1, *MESH.part[1:]]}),
        "a name of a part": Mesh(TORUS.vertices, faces, **known | {"part_names": ["p0", "p1", "p2", "q"]}),
        "a material": Mesh(
            TORUS.vertices, faces, **known, material=[0] * len(faces), material_names=["wood"]
        ),
        "the unit": Mesh(TORUS.vertices, faces, **known | {"unit": "m"}),
        "the axis": Mesh(TORUS.vertices, faces, **known | {"up": "y"}),
        "the name": Mesh(TORUS.vertices, faces, **known | {"name": "another"}),
        "the polygons": Mesh(TORUS.vertices, split, **known | {"part": twice}),
    }


@pytest.mark.parametrize("change", variants())
def test_another_mesh_is_a_miss(tmp_path, no_core, change):
    fit(MESH, 4, cache=tmp_path)
    no_core()
    fit(MESH, 4, cache=tmp_path)
    with pytest.raises(AssertionError, match="again"):
        fit(variants()[change], 4, cache=tmp_path)


def test_other_options_are_a_miss(tmp_path, no_core, monkeypatch):
    for asked in ASKED:
        fit(MESH, cache=tmp_path, **asked)
    own = tmp_path / "own.json"
    own.write_text('{"kinds": ["box"]}')
    fit(MESH, 4, profile=own, cache=tmp_path)
    no_core()
    own.write_text('{"kinds": ["sphere"]}')
    changed = np.linspace(1, 2, TORUS.face_count)
    changed[-1] += 1e-9
    for asked in (
        {"count": 5},
        {"count": 4, "preset": "fine"},
        {"count": 4, "profile": own},
        {**ASKED[2], "keep_clear": [(0, 0, 0, 0.1)] * 29 + [(0, 0, 0, 0.2)]},
        {**ASKED[4], "importance": changed},
    ):
        with pytest.raises(AssertionError, match="again"):
            fit(MESH, cache=tmp_path, **asked)
    fit(MESH, **ASKED[0], cache=tmp_path, threads=2)  # the number of threads never changes a result
    monkeypatch.setattr(sys.modules["hitbox._methods.fit"], "build", lambda: "another build")
    with pytest.raises(AssertionError, match="again"):
        fit(MESH, **ASKED[0], cache=tmp_path)


def test_broken_and_foreign_files_are_a_miss(tmp_path):
    made = fit(MESH, 4, cache=tmp_path)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    document = json.loads(whole)
    empty = {"format": "hitbox-collider", "version": 1, "shapes": []}
    broken = [b"", b"{", whole[: len(whole) // 2], b"\xff" * 100, b"[]", whole.replace(b"torus", b"toruz")]
    broken += [json.dumps(document | {"value": value}).encode() for value in ("", "{}", json.dumps(empty), 3)]
    broken += [json.dumps(document | {"key": {}}).encode()]
    for bytes_ in broken:
        assert bytes_ != whole
        kept.write_bytes(bytes_)
        assert fit(MESH, 4, cache=tmp_path) == made
        assert kept.read_bytes() == whole
        assert os.listdir(tmp_path) == [kept.name]


def test_a_time_budget_is_said_to_be_used_up_only_where_it_ended_refining():
    ring = specimens.torus(1, 0.3, 48, 24)
    (note,) = fit(ring, 64, time_budget=1e-4).status.notes
    assert note == "The time budget of 0.0001 s was used up: refining ended early."
    assert not fit(ring, 64, time_budget=600).status.notes
    assert not fit(ring, 64, time_budget=1e-4, preset="fast").status.notes
    assert not fit(specimens.box(), 1, time_budget=1e-4).status.notes


def test_a_run_with_a_time_budget_is_not_kept(tmp_path):
    for _ in range(2):
        fit(MESH, 4, cache=tmp_path / "kept", time_budget=60)
    assert not (tmp_path / "kept").exists()
    fit_tree(MESH, 4, cache=tmp_path / "kept", time_budget=60).at(3)
    assert not (tmp_path / "kept").exists()


def test_what_fails_is_not_kept(tmp_path):
    for _ in range(2):
        with pytest.raises(InputError, match="cannot keep 4 parts"):
            fit(MESH, 3, parts="separate", cache=tmp_path)
    assert os.listdir(tmp_path) == []
