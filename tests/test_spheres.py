"""Spheres that follow the volume: their cover, their distances, and their status."""

from __future__ import annotations

import mesh_files
import numpy as np
import pytest
import specimens
from hypothesis import given, settings
from hypothesis import strategies as st

import hitbox
from hitbox._base.errors import InputError
from hitbox._cli.app import run
from hitbox._judges.evaluate import evaluate
from hitbox._methods.fit_options import KNOWN_TO_SPHERES
from hitbox._model.mesh import Mesh


def points_on(mesh, count=20_000, seed=0):
    """Return vertices and points all over the faces, including points on edges."""
    rng = np.random.default_rng(seed)
    corners = mesh.vertices[mesh.triangles]
    on = rng.integers(0, len(corners), count)
    weights = rng.dirichlet((0.7, 0.7, 0.7), count)
    weights[: count // 4, 0] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    inside = np.einsum("ij,ijk->ik", weights, corners[on])
    return np.concatenate([mesh.vertices[np.unique(mesh.indices)], inside])


def outside(mesh, spheres):
    """Return how far each point of the mesh is outside the union, as a fraction of the diagonal."""
    points = points_on(mesh)
    best = np.full(len(points), np.inf)
    for sphere in spheres:
        best = np.minimum(best, np.linalg.norm(points - sphere.center, axis=1) - sphere.radius)
    return best / mesh.diagonal


def joined(*meshes):
    faces, vertices, base = [], [], 0
    for mesh in meshes:
        faces += [[v + base for v in face] for face in specimens.polygons_of(mesh)]
        vertices.append(mesh.vertices)
        base += len(mesh.vertices)
    return Mesh(np.concatenate(vertices), faces)


def capsule_chain():
    one = specimens.capsule(0.4, 1.6)
    turned = one.vertices[:, [2, 1, 0]] * [1, -1, 1] + np.array([1.2, 0, 1.2])
    return joined(one, Mesh(turned, specimens.polygons_of(one)))


def bracket():
    """Return an L of 12 corners, with six large sides and two Ls."""
    outline = np.array([[0, 0], [4, 0], [4, 1], [1, 1], [1, 3], [0, 3]], float)
    vertices = np.concatenate([np.insert(outline, 2, z, axis=1) for z in (0.0, 1.0)])
    sides = [[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k] for k in range(6)]
    caps = [[0, 3, 2, 1], [0, 5, 4, 3], [6, 7, 8, 9], [6, 9, 10, 11]]
    return Mesh(vertices, sides + caps, name="bracket")


SOLIDS = {
    "torus": specimens.torus,
    "capsules": capsule_chain,
    "bracket": bracket,
    "box": lambda: specimens.box((3, 2, 1)),
    "cone": specimens.cone,
    "boxes": lambda: specimens.many_components(8),
}
ODD = {
    "triangle": specimens.triangle,
    "grid": specimens.grid,
    "rough grid": lambda: specimens.grid(height=0.3),
    "soup": specimens.soup,
    "book": specimens.non_manifold,
    "fan": specimens.fan,
    "needles": lambda: Mesh(
        [[0, 0, 0], [1, 0, 0], [1, 1e-9, 0], [0, 0, 0.5], [1e-7, 0, 0.5], [0, 1, 0.5], [0, 2, 0.5]],
        [[0, 1, 2], [3, 4, 5], [3, 5, 6]],
    ),
    # A fan from its first corner would be another surface, whose spheres left out 2 % of the diagonal.
    "dart": lambda: Mesh([[4, -2, 0], [1, 0, 0.2], [4, 2, 0], [0, 0, 0]], [[0, 1, 2, 3]]),
}


@pytest.mark.parametrize("name", [*SOLIDS, *ODD])
@pytest.mark.parametrize("count", [1, 3, 9, 40])
def test_every_face_lies_in_the_spheres_together(name, count):
    mesh = (SOLIDS | ODD)[name]()
    spheres = hitbox.fit_spheres(mesh, count)
    assert 1 <= len(spheres) <= count
    assert spheres.counts == {"sphere": len(spheres)}
    assert outside(mesh, spheres).max() <= 1e-9


@settings(max_examples=40, deadline=None)
@given(specimens.ugly_meshes(), st.integers(1, 30), st.sampled_from(["conservative", "balanced"]))
def test_any_mesh_gets_finite_spheres_that_hold_it(mesh, count, mode):
    spheres = hitbox.fit_spheres(mesh, count, mode=mode)
    assert 1 <= len(spheres) <= count
    assert all(np.isfinite([*s.center, s.radius]).all() and s.radius > 0 for s in spheres)
    out = outside(mesh, spheres)
    assert out.max() <= (1e-9 if mode == "conservative" else 0.02 + 1e-9)


@settings(max_examples=10, deadline=None)
@given(specimens.ugly_meshes(), st.integers(1, 20), st.sampled_from(["conservative", "balanced"]))
def test_the_number_of_threads_changes_nothing(mesh, count, mode):
    one, three = (hitbox.fit_spheres(mesh, count, mode=mode, threads=n) for n in (1, 3))
    assert one == three


@pytest.mark.parametrize("name", ["torus", "capsules", "bracket"])
@pytest.mark.parametrize("count", [8, 24])
def test_they_are_closer_than_merged_ones(name, count):
    mesh = SOLIDS[name]()
    ours = evaluate(mesh, hitbox.fit_spheres(mesh, count), samples=20_000)
    merged = evaluate(mesh, hitbox.fit_tree(mesh, count, kinds="sphere").at(count), samples=20_000)
    assert ours.outer_surface.mean < 0.95 * merged.outer_surface.mean
    assert ours.union_volume.value < merged.union_volume.value


def test_balanced_ones_stick_out_less_and_cover_most():
    means = {"conservative": [], "balanced": []}
    for make in SOLIDS.values():
        mesh = make()
        for mode, found in means.items():
            spheres = hitbox.fit_spheres(mesh, 24, mode=mode)
            measured = evaluate(mesh, spheres, samples=20_000)
            found.append(measured.outer_surface.mean)
            assert measured.coverage.outside <= (0 if mode == "conservative" else 0.05)
            assert measured.coverage.largest <= (0 if mode == "conservative" else 0.02)
    assert np.mean(means["balanced"]) < 0.9 * np.mean(means["conservative"])


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("mode", ["conservative", "balanced"])
def test_a_ball_is_one_sphere(levels, mode):
    spheres = hitbox.fit_spheres(specimens.icosphere(levels, 2.5), 30, mode=mode)
    assert len(spheres) == 1
    assert spheres[0].radius == pytest.approx(2.5, rel=1e-6)


def test_a_hole_does_not_turn_a_solid_into_a_sheet():
    whole = specimens.torus(segments=48, sides=24)
    holed = Mesh(whole.vertices, specimens.polygons_of(whole)[:-3])
    means = [evaluate(whole, hitbox.fit_spheres(m, 24), samples=20_000).outer_surface.mean
             for m in (whole, holed)]  # fmt: skip
    assert means[1] < 1.2 * means[0]


def test_more_spheres_are_closer():
    mesh = bracket()
    means = [evaluate(mesh, hitbox.fit_spheres(mesh, n), samples=20_000).outer_surface.mean
             for n in (2, 8, 32, 128)]  # fmt: skip
    assert means == sorted(means, reverse=True)
    assert means[3] < 0.3 * means[0]


def test_what_is_said_is_what_evaluate_finds():
    mesh = specimens.torus()
    spheres = hitbox.fit_spheres(mesh, 12, mode="balanced")
    covered, protrusion, left_out_on_purpose = spheres.status.notes
    measured = evaluate(mesh, spheres)
    said = [float(word.rstrip("%")) / 100 for word in f"{covered} {protrusion}".split() if word.endswith("%")]
    coverage, left_out, mean, largest = said
    assert coverage == pytest.approx(1 - measured.coverage.outside, abs=0.01)
    assert left_out == pytest.approx(measured.coverage.largest, abs=2e-3)
    assert mean == pytest.approx(measured.outer_surface.mean, rel=0.05)
    assert largest == pytest.approx(measured.outer_surface.hausdorff, rel=0.05)
    assert not spheres.status.complete
    assert "not covered, because the mode is balanced" in left_out_on_purpose


def test_without_a_count_the_fewest_that_are_close():
    torus = hitbox.fit_spheres(specimens.torus())
    assert "picked a count of" in torus.status.notes[0]
    assert 8 <= len(torus) <= 32
    assert evaluate(specimens.torus(), torus, samples=20_000).outer_surface.mean <= 0.016
    assert len(hitbox.fit_spheres(specimens.grid())) == 64
    assert len(hitbox.fit_spheres(specimens.icosphere(2))) == 1


def test_a_sphere_is_labelled_with_the_faces_it_holds():
    mesh = specimens.torus(segments=40, sides=20)
    spheres = hitbox.fit_spheres(mesh, 10)
    listed = [face for label in spheres.labels for face in label.faces.tolist()]
    assert set(listed) == set(range(mesh.face_count))
    for sphere, label in zip(spheres, spheres.labels, strict=True):
        assert len(label.faces) > 0
        corners = mesh.vertices[mesh.indices.reshape(-1, 4)[label.faces]]
        near = np.linalg.norm(corners - sphere.center, axis=2).min(axis=1)
        assert (near <= sphere.radius * 1.2).all()


@pytest.mark.parametrize("mode", ["conservative", "balanced"])
def test_fit_with_spheres_alone_goes_on_working_and_names_the_verb(mode):
    mesh = specimens.torus()
    old = hitbox.fit(mesh, 7, kinds="sphere", spheres=mode)
    new = hitbox.fit_spheres(mesh, 7, mode=mode)
    assert old.shapes == new.shapes
    (added,) = set(old.status.notes) - set(new.status.notes)
    assert "fit_spheres" in added
    assert (old.method.name, new.method.name) == ("fit", "fit_spheres")
    plain = {} if mode == "conservative" else {"mode": mode}
    assert new.method.options == {"count": 7, **plain}


def test_the_verb_keeps_results_and_names_itself_in_messages(tmp_path):
    mesh = specimens.torus()
    first, second = (hitbox.fit_spheres(mesh, 5, cache=tmp_path) for _ in range(2))
    assert (first.shapes, first.status) == (second.shapes, second.status)
    assert second.method.name == "fit_spheres"
    for wrong, said in [
        ({"count": 2000}, "fit_spheres: count: .*1,024"),
        ({"pad": "-60%"}, "fit_spheres: pad: .*half the mesh"),
        ({"cache": 3}, "fit_spheres: cache: "),
        ({"tolerance": "1%"}, "fit_spheres: unknown option 'tolerance'"),
        ({"mode": "balance"}, "fit_spheres: mode: .*balanced"),
    ]:
        with pytest.raises(InputError, match=said):
            hitbox.fit_spheres(mesh, **wrong)


def test_the_shell_has_the_verb(tmp_path, capsys):
    model, out = tmp_path / "torus.obj", tmp_path / "torus.json"
    torus = specimens.torus()
    model.write_bytes(mesh_files.obj(torus.vertices, specimens.polygons_of(torus)))
    assert run(["spheres", str(model), "-n", "6", "--mode", "balanced", "-o", str(out)]) == 0
    assert hitbox.Collider.load(out).shapes == hitbox.fit_spheres(model, 6, mode="balanced").shapes
    assert run(["fit", str(model), "-n", "6", "--kinds", "sphere"]) == 0
    assert "hitbox spheres" in " ".join(capsys.readouterr().out.split())


def test_what_does_not_go_together_is_said():
    box = specimens.box()
    with pytest.raises(InputError, match=r"spheres: .*balance"):
        hitbox.fit(box, 4, kinds="sphere", spheres="balance")
    with pytest.raises(InputError, match="needs kinds='sphere'"):
        hitbox.fit(box, 4, spheres="balanced")
    with pytest.raises(InputError, match=r"fit_tree: spheres: .* call fit_spheres\(mesh, mode='balanced'"):
        hitbox.fit_tree(box, 4, kinds="sphere", spheres="balanced")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tolerance", "2%"),
        ("max_excess", 0.1),
        ("objective", "surface"),
        ("preset", "fast"),
        ("time_budget", 1.0),
        ("cost", "grown"),
        ("importance", "+z"),
        ("tangent", "off"),
        ("drop_thin", 0.1),
    ],
)
def test_what_their_solver_does_not_know_is_refused(name, value):
    with pytest.raises(InputError, match=f"fit: {name}: no effect on spheres alone") as refused:
        hitbox.fit(specimens.torus(), kinds="sphere", **{name: value})
    assert "fit_tree(mesh, kinds='sphere')" in str(refused.value)
    if name not in ("tolerance", "time_budget"):  # the advice of the message works
        assert len(hitbox.fit_tree(specimens.torus(), 6, kinds="sphere", **{name: value}).at(6)) > 0


def test_a_refused_tolerance_is_one_of_a_tree():
    with pytest.raises(InputError, match=r"cost and tolerance|tolerance and cost") as refused:
        hitbox.fit(specimens.torus(), kinds="sphere", tolerance="5%", cost="grown")
    assert "fit_tree(mesh, kinds='sphere').within('5%')" in str(refused.value)
    assert len(hitbox.fit_tree(specimens.torus(), kinds="sphere").within("5%")) > 1


def test_every_other_option_is_honoured():
    known = {"count", "spheres", "pad", "keep_clear", "parts", "materials"}  # each of these has a test here
    decides_nothing = {"profile", "kinds", "weights", "weld"}
    assert set(KNOWN_TO_SPHERES) == known | decides_nothing
    mesh = specimens.torus()
    plain = hitbox.fit_spheres(mesh, 6).shapes
    assert hitbox.fit(mesh, 6, kinds="sphere", weights={"sphere": 2.0}, weld="0.1%").shapes == plain


# ---- options that spheres alone share with all other kinds


@pytest.mark.parametrize("mode", ["conservative", "balanced"])
@pytest.mark.parametrize("pad", [0.25, -0.05, "2%", "-1%"])
def test_pad_is_an_offset(pad, mode):
    mesh = bracket()
    plain = hitbox.fit_spheres(mesh, 12, mode=mode)
    padded = hitbox.fit_spheres(mesh, 12, mode=mode, pad=pad)
    by = float(pad[:-1]) / 100 * mesh.diagonal if isinstance(pad, str) else pad
    for before, after in zip(plain, padded, strict=True):
        assert after.center == before.center
        assert after.radius == pytest.approx(before.radius + by, rel=1e-12)
    assert "Before padding" in padded.status.notes[0]
    assert padded.status.complete == (by > 0 and mode == "conservative")


def test_sides_that_are_moved_in_too_far_leave_small_spheres():
    spheres = hitbox.fit_spheres(specimens.torus(), 8, pad=-2.0)
    assert all(0 < sphere.radius < 1e-3 for sphere in spheres)
    assert "moved in" in spheres.status.notes[-1]


def entered(spheres, clear):
    """Return how deep a sphere enters a clear one; negative if none does."""
    return max(s.radius + r - np.linalg.norm(np.subtract(s.center, at)) for s in spheres for *at, r in clear)


@pytest.mark.parametrize("mode", ["conservative", "balanced"])
@pytest.mark.parametrize("pad", [None, 0.05])
def test_the_hole_of_a_torus_is_kept_clear(mode, pad):
    mesh = specimens.torus()  # with radii 2 and 0.5
    hole = [(0.0, 0.0, 0.0, 1.3)]
    free = hitbox.fit_spheres(mesh, 4, mode=mode, pad=pad)
    assert entered(free, hole) > 0
    spheres = hitbox.fit_spheres(mesh, 4, mode=mode, pad=pad, keep_clear=hole)
    assert entered(spheres, hole) <= 1e-9 * mesh.diagonal
    assert outside(mesh, spheres).max() <= (1e-9 if mode == "conservative" else 0.02 + 1e-9)
    assert 4 < len(spheres) <= 40
    assert any("instead of 4: larger spheres would enter" in note for note in spheres.status.notes)
    assert not spheres.status.complete


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([*SOLIDS, "grid", "soup"]),
    st.lists(st.tuples(*[st.floats(-1.5, 1.5)] * 3, st.floats(0.05, 1)), min_size=1, max_size=3),
    st.integers(1, 12),
)
def test_clear_space_is_only_entered_where_there_is_no_way_out(name, clear, count):
    mesh = (SOLIDS | ODD)[name]()
    middle, size = mesh.vertices.mean(axis=0), mesh.diagonal / 2
    clear = [(*(middle + size * np.array(at)), 0.4 * size * r) for *at, r in clear]
    spheres = hitbox.fit_spheres(mesh, count, keep_clear=clear)
    assert outside(mesh, spheres).max() <= 1e-9
    points = points_on(mesh)
    for k, (*at, radius) in enumerate(clear):
        room = np.linalg.norm(points - at, axis=1).min() - radius
        if room > 0.02 * mesh.diagonal:  # spheres of 1 % of the diagonal fit in the gap
            assert entered(spheres, clear[k : k + 1]) <= 1e-9 * mesh.diagonal
    deepest = entered(spheres, clear) > 1e-9 * mesh.diagonal
    assert deepest == any("Shapes enter" in note for note in spheres.status.notes)


def in_parts(mesh, part):
    return Mesh(mesh.vertices, specimens.polygons_of(mesh), part=part, part_names=("red", "green", "blue"))


@pytest.mark.parametrize("mode", ["conservative", "balanced"])
@pytest.mark.parametrize("count", [3, 20, None])
def test_parts_are_kept_separate(mode, count):
    whole = specimens.torus()
    part = np.arange(whole.face_count, dtype=np.uint32) * 3 // whole.face_count
    mesh = in_parts(whole, part)
    spheres = hitbox.fit_spheres(mesh, count, mode=mode, parts="separate")
    assert count is None or len(spheres) <= count
    assert {label.part for label in spheres.labels} == {"red", "green", "blue"}
    for k, name in enumerate(mesh.part_names):
        chosen = [face for face, own in zip(specimens.polygons_of(whole), part, strict=True) if own == k]
        own = [s for s, label in zip(spheres, spheres.labels, strict=True) if label.part == name]
        third = Mesh(whole.vertices, chosen)
        out = outside(third, own) * third.diagonal / whole.diagonal
        assert out.max() <= (1e-9 if mode == "conservative" else 0.02 + 1e-9)


def test_materials_of_one_solid_share_its_depth():
    """Half of a solid's surface is an open sheet, but the space below it is still the inside."""
    whole = bracket()
    material = [0, 0, 0, 1, 1, 1, 0, 1, 0, 1]
    polygons = specimens.polygons_of(whole)
    halves = Mesh(whole.vertices, polygons, material=material, material_names=("a", "b"))
    separate = hitbox.fit_spheres(halves, 24, materials="separate")
    together = hitbox.fit_spheres(halves, 24)
    assert {label.material for label in separate.labels} == {"a", "b"}
    means = [evaluate(whole, c, samples=20_000).outer_surface.mean for c in (separate, together)]
    assert means[0] < 1.5 * means[1]


def test_a_part_without_area_gets_a_sphere_too():
    mesh = Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0.5]],
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [4, 4, 4]],
        part=[0, 0, 0, 0, 1],
        part_names=("solid", "point"),
    )
    spheres = hitbox.fit_spheres(mesh, 5, parts="separate")
    assert any(label.faces.tolist() == [4] for label in spheres.labels)
    assert outside(mesh, spheres).max() <= 1e-9


def test_too_few_spheres_for_all_parts_are_refused():
    mesh = in_parts(specimens.box(), [0, 0, 1, 1, 2, 2])
    with pytest.raises(InputError, match="2 shapes cannot keep 3 parts separate"):
        hitbox.fit_spheres(mesh, 2, parts="separate")
    many = specimens.soup(1100)
    names = [f"part {k}" for k in range(1100)]
    crowd = Mesh(many.vertices, specimens.polygons_of(many), part=np.arange(1100), part_names=names)
    with pytest.raises(InputError, match="1,024 spheres, the largest number, cannot keep 1,100"):
        hitbox.fit_spheres(crowd, parts="separate")


def test_threads_change_nothing_with_options():
    part = np.arange(specimens.torus().face_count, dtype=np.uint32) % 3
    mesh = in_parts(specimens.torus(), part)
    asked = {"kinds": "sphere", "parts": "separate", "keep_clear": [(0, 0, 0, 1.3)], "pad": 0.01}
    one, three = (hitbox.fit(mesh, 9, threads=n, **asked) for n in (1, 3))
    assert one == three


def test_a_run_can_be_stopped_and_says_where_it_is():
    seen = []
    mesh = specimens.torus(segments=200, sides=100)
    hitbox.fit_spheres(mesh, 40, progress=lambda stage, done: seen.append((stage, done)))
    assert seen[-1] == ("done", 1.0)
    assert [done for _, done in seen] == sorted(done for _, done in seen)
    with pytest.raises(InterruptedError):
        hitbox.fit_spheres(mesh, 40, progress=lambda stage, done: False)
