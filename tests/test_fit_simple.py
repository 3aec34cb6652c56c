"""Simple meshes give simple results: one shape of their kind, or the boxes they consist of."""

from __future__ import annotations

import math

import numpy as np
import pytest
import specimens
from enclosure import faces_stick_out, is_in_boxes, sticks_out
from hypothesis import given, settings
from hypothesis import strategies as st

import hitbox
from hitbox import Mesh, fit, fit_tree
from hitbox._model.option_kinds import PRIMITIVES

QUIET = settings(max_examples=60, deadline=None)
COUNTS = (1, 2, 5, 64)


# ---- one shape


@st.composite
def solids(draw: st.DrawFn) -> tuple[Mesh, str, float]:
    """Return a mesh, its kind, and its true volume."""
    kind = draw(
        st.sampled_from(["box", "sphere", "capsule", "cylinder", "cone", "frustum", "gable", "trapezoid"])
    )
    length = st.floats(0.2, 5)
    a, b = draw(length), draw(length)
    sides = draw(st.integers(12, 70))
    if kind == "box":
        return specimens.box((1, a, b)), "box", a * b
    if kind == "sphere":
        mesh = draw(st.sampled_from([specimens.icosphere(1), specimens.icosphere(2), specimens.icosphere(3)]))
        return mesh, "sphere", 4 / 3 * math.pi
    if kind == "capsule":
        mesh = specimens.capsule(1, a, sides, draw(st.integers(4, 10)))
        return mesh, "capsule", math.pi * (a + 4 / 3)
    if kind == "cylinder":
        return specimens.cylinder(1, a, sides), "cylinder", math.pi * a
    if kind == "cone":
        return specimens.cone(1, a, sides), "frustum", math.pi * a / 3
    if kind == "frustum":
        top = draw(st.floats(0.1, 0.9))
        return specimens.frustum(1, top, a, sides), "frustum", math.pi * a / 3 * (1 + top + top**2)
    if kind == "gable":
        return specimens.gable(1, a, b), "prism", a * b / 2
    top = draw(st.floats(0.1, 0.9))
    outline = [[0, 0], [1, 0], [0.5 + top / 2, a], [0.5 - top / 2, a]]
    return specimens.extruded(outline, b), "prism", a * b * (1 + top) / 2


@st.composite
def tessellations(draw: st.DrawFn, mesh: Mesh) -> tuple[Mesh, float]:
    """Return the same surface with other faces, placed anywhere, and its scale."""
    for cut in draw(st.lists(st.sampled_from([specimens.triangulated, specimens.divided]), max_size=2)):
        mesh = cut(mesh)
    seed = draw(st.integers(0, 2**32 - 1))
    if draw(st.booleans()):
        mesh = specimens.shuffled(mesh, seed)
    scale = draw(st.sampled_from([1.0, 1e-6, 30.0, 1e6]))
    mesh = specimens.placed(mesh, seed, scale, draw(st.sampled_from([0.0, 10.0])))
    return specimens.with_split_vertices(mesh) if draw(st.booleans()) else mesh, scale


@QUIET
@given(st.data(), st.sampled_from(COUNTS))
def test_a_simple_shape_is_one_shape_of_its_kind(data, count):
    solid, kind, volume = data.draw(solids())
    mesh, scale = data.draw(tessellations(solid))
    # Options of merging do not change the recognised shape.
    options = data.draw(
        st.sampled_from([{}, {"weights": {kind: 1e6}}, {"max_excess": 0}, {"weights": "uniform"}])
    )
    collider = fit(mesh, count, **options)
    assert collider.counts == {kind: 1}
    assert collider.volume / scale**3 == pytest.approx(volume, rel=5e-3)
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    assert collider.labels[0].faces.tolist() == list(range(mesh.face_count))
    assert collider.status.complete


@pytest.mark.parametrize(
    ("mesh", "kind"),
    [(specimens.box(), "box"), (specimens.icosphere(2), "sphere"), (specimens.gable(), "prism")],
)
def test_without_a_count_it_is_one_too(mesh, kind):
    assert fit(specimens.placed(mesh, 4)).counts == {kind: 1}


def test_a_kind_that_is_not_allowed_is_not_used():
    ball = specimens.icosphere(2)
    for kind in PRIMITIVES:
        collider = fit(ball, 12, kinds=kind)
        assert set(collider.counts) == {kind}
        assert faces_stick_out(ball, collider).max() <= 1e-9 * ball.diagonal


def house(*, roof: float = 1.0) -> Mesh:
    return specimens.extruded([[0, 0], [2, 0], [2, 1], [1, 1 + roof], [0, 1]], 3)


def pyramid(base: list[list[float]], top: tuple[float, float, float]) -> Mesh:
    count = len(base)
    sides = [[k, (k + 1) % count, count] for k in range(count)]
    return Mesh(np.array([[*p, 0.0] for p in base] + [list(top)]), [list(range(count))[::-1], *sides])


@st.composite
def convex_solids(draw: st.DrawFn) -> Mesh:
    """Return convex solids of few corners that are not primitives."""
    size = draw(st.floats(0.3, 3))
    kind = draw(st.sampled_from(["house", "slab", "tetrahedron", "pyramid", "icosahedron"]))
    if kind == "house":
        return house(roof=size)
    if kind == "slab":
        return specimens.extruded([[0, 0], [2, 0], [2.5, size], [1, 1 + size], [-0.5, 1]], 1)
    if kind == "tetrahedron":
        return pyramid([[0, 0], [1, 0], [0, size]], (0.2, 0.3, 1))
    if kind == "pyramid":
        return pyramid([[0, 0], [2, 0], [2.5, 1], [1, 2], [0, 1]], (1, 1, size))
    return specimens.icosphere(0)


@QUIET
@given(st.data(), st.sampled_from(COUNTS))
def test_with_hulls_a_convex_part_is_one_hull(data, count):
    solid = data.draw(convex_solids())
    mesh, scale = data.draw(tessellations(solid))
    collider = fit(mesh, count, profile="unreal")
    assert collider.counts == {"hull": 1}
    assert collider.volume == pytest.approx(specimens.volume(solid) * scale**3, rel=1e-6)
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    assert fit_tree(mesh, 4, profile="unreal").at(count).counts == {"hull": 1}


def test_what_lies_beside_a_convex_part_in_its_box_stays_outside_its_hull():
    """The mesh is a house with a ball under its eaves."""
    tall = house(roof=2)
    ball = specimens.icosphere(2, 0.2)
    up = Mesh(ball.vertices + np.array([1.75, 2.5, 1.5]), specimens.polygons_of(ball))
    both = specimens.together([tall, up])
    collider = fit(both, 8, profile="unreal")
    assert collider.counts == {"sphere": 1, "hull": 1}
    assert collider.volume == pytest.approx(specimens.volume(tall) + 4 / 3 * math.pi * 0.2**3, rel=5e-3)


@pytest.mark.parametrize(("depth", "is_convex"), [(0.002, True), (0.02, False), (0.3, False)])
def test_a_dent_is_not_convex(depth, is_convex):
    """The dents have 0.2 % of the diagonal, 3.7 %, or more."""
    dented = specimens.extruded([[0, 0], [2, 0], [2.2, 1], [1, 1 - depth], [0, 1]], 3)
    assert (fit(dented, 8, profile="unreal").counts == {"hull": 1}) == is_convex


@pytest.mark.parametrize("thickness", [0.02, 1.0])
def test_a_groove_from_side_to_side_is_not_convex(thickness):
    """All corners of the groove lie on the caps."""
    outline = [[0, 0], [0.7, 0], [1, 0.07], [1.3, 0], [2, 0], [2.5, 1], [2, 2], [0, 2.2], [-0.3, 1]]
    plate = specimens.triangulated(specimens.extruded(outline, thickness))
    assert len(fit(plate, 256, profile="unreal")) > 1


def test_thin_hulls_can_be_dropped():
    crystal = specimens.icosphere(0)
    pressed = crystal.vertices * np.array([1, 1, 0.005]) + np.array([3.0, 0, 0])
    flat = Mesh(pressed, specimens.polygons_of(crystal))
    collider = fit(specimens.together([crystal, flat]), 8, profile="unreal", drop_thin="1%")
    assert collider.counts == {"hull": 1}
    assert not collider.status.complete


def test_a_convex_part_of_too_many_corners_gets_the_hull_of_few_around_it():
    """A ridge is cut off by a hair's breadth. Eight of twelve corners are left."""
    ridge = specimens.extruded([[0, 0], [2, 0], [2, 1], [1.004, 2.992], [0.996, 2.992], [0, 1]], 3)
    options = {"kinds": ["box", "hull"], "max_vertices": 10}
    collider = fit(ridge, 8, **options)
    assert collider.counts == {"hull": 1}
    assert len(collider[0].vertices) <= 10
    assert faces_stick_out(ridge, collider).max() <= 1e-9 * ridge.diagonal
    # The sphere is above the ridge, where the hull sticks out.
    kept = fit(ridge, 8, **options, keep_clear=[(1, 2.9965, 1.5, 0.002)])
    assert kept.status.complete
    assert min(shape.signed_distance(np.array([[1, 2.9965, 1.5]]))[0] for shape in kept) >= 0.002 - 1e-9


@pytest.mark.parametrize("thickness", [1e-3, 1e-5, 1e-6, 1e-9])
@pytest.mark.parametrize("pad", [None, "-0.1%"])
def test_hulls_of_thin_parts_are_as_thick_as_any_shape(thickness, pad):
    plate = specimens.extruded([[0, 0], [1, 0], [1.3, 0.6], [0.5, 1], [-0.2, 0.7]], thickness)
    collider = fit(plate, 4, profile="unreal", pad=pad)
    assert collider.counts == {"hull": 1}
    assert np.ptp(collider[0].vertices[:, 2]) >= 2e-5 * plate.diagonal * (1 - 1e-6)


def test_hulls_of_tiny_parts_are_as_thick_as_any_shape():
    crystal = specimens.icosphere(0)
    tiny = Mesh(1e-6 * crystal.vertices + 5, specimens.polygons_of(crystal))
    mesh = specimens.together([crystal, tiny])
    for shape in fit(mesh, 8, kinds=["box", "hull"]):
        points = shape.vertices if shape.kind == "hull" else shape.to_mesh()[0]
        assert np.ptp(points, axis=0).min() >= 2e-5 * mesh.diagonal * (1 - 1e-6)


def tent(depth: float) -> tuple[Mesh, float]:
    """Return a pyramid whose floor sags by `depth`, too little for a corner, and its volume."""
    vertices = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0.3, 0.2, 1.5], [0, 0, -depth]]
    floor = [[1, 0, 5], [2, 1, 5], [3, 2, 5], [0, 3, 5]]
    mesh = Mesh(vertices, [*floor, [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    return mesh, specimens.volume(mesh)


@pytest.mark.parametrize("depth", [1e-9, 1e-5, 1e-3, 0.004, 0.01])
def test_vertices_outside_the_hull_of_the_corners_belong_to_it(depth):
    mesh, volume = tent(depth)
    collider = fit(mesh, 8, profile="unreal")
    assert collider.counts == {"hull": 1}
    assert collider.volume == pytest.approx(volume, rel=1e-3)
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal


def test_space_beside_a_sagging_floor_is_kept_clear():
    mesh, _ = tent(0.004)
    a, b, tip = mesh.vertices[[1, 2, 4]]
    normal = np.cross(b - a, tip - a)
    center = (a + b + tip) / 3 + 0.052 * normal / np.linalg.norm(normal)
    collider = fit(mesh, 8, profile="unreal", keep_clear=[(*center, 0.05)])
    assert collider.counts == {"hull": 1}
    assert collider[0].signed_distance(center[None])[0] >= 0.05


@pytest.mark.parametrize("steps", [12, 13, 40])
def test_a_convex_part_may_have_many_corners(steps):
    """The mesh is a slab with rounded edges, and the hull has 32 vertices."""
    angle = np.arange(5)[:, None] * 2 * math.pi / 5 + np.linspace(-math.pi / 5, math.pi / 5, steps)
    pentagon = np.stack([np.cos(np.arange(5) * 2 * math.pi / 5), np.sin(np.arange(5) * 2 * math.pi / 5)], 1)
    outline = pentagon[:, None] + 0.01 * np.stack([np.cos(angle), np.sin(angle)], 2)
    slab = specimens.extruded(outline.reshape(-1, 2) * [1.5, 1], 0.7)
    collider = fit(slab, 8, profile="unreal")
    assert collider.counts == {"hull": 1}
    assert collider.volume == pytest.approx(specimens.volume(slab), rel=5e-3)


def test_something_round_is_no_hull_of_few_vertices():
    ball = specimens.icosphere(3)
    egg = Mesh(ball.vertices * [1, 1, 1.6], specimens.polygons_of(ball))
    assert len(fit(egg, 64, profile="unreal")) > 1


def test_space_beside_the_roof_may_be_kept_clear():
    """The space is in the house's box, but not in its hull."""
    collider = fit(house(roof=2), 16, profile="unreal", keep_clear=[(1.9, 2.8, 1.5, 0.1)])
    assert collider.counts == {"hull": 1}
    assert collider.status.complete


def test_hulls_merge_by_their_own_volumes():
    """Two overlapping hulls fill less than the box around each."""
    crystal = specimens.icosphere(0)
    both = specimens.together([crystal, Mesh(crystal.vertices + 0.5, specimens.polygons_of(crystal))])
    assert fit(both, 1, profile="unreal", max_excess=0).counts == {"hull": 2}


def test_what_lies_in_a_convex_part_goes_with_it():
    inner = Mesh(house(roof=1).vertices * 0.3 + np.array([0.6, 0.3, 1]), specimens.polygons_of(house()))
    collider = fit(specimens.together([house(), inner]), 8, profile="unreal")
    assert collider.counts == {"hull": 1}
    assert len(collider.labels[0].faces) == 14


def test_convex_parts_of_two_materials_stay_two():
    far = Mesh(house().vertices + np.array([5.0, 0, 0]), specimens.polygons_of(house()))
    both = specimens.together([house(), far])
    both = Mesh(
        both.vertices, specimens.polygons_of(both), material=np.repeat([0, 1], 7), material_names=["a", "b"]
    )
    collider = fit(both, 8, profile="unreal", materials="separate")
    assert collider.counts == {"hull": 2}
    assert [label.material for label in collider.labels] == ["a", "b"]


def two_sided(mesh: Mesh, order: str) -> Mesh:
    fronts = specimens.polygons_of(mesh)
    backs = [face[::-1] for face in fronts]
    if order == "fronts, then backs":
        return Mesh(mesh.vertices, [*fronts, *backs])
    if order == "any":
        return specimens.shuffled(Mesh(mesh.vertices, [*fronts, *backs]), 1)
    return Mesh(mesh.vertices, [face for pair in zip(fronts, backs, strict=True) for face in pair])


ORDERS = ("fronts, then backs", "face by face", "any")


@pytest.mark.parametrize("order", ORDERS)
def test_both_sides_of_a_convex_part_are_one_hull(order):
    assert fit(two_sided(house(), order), 8, profile="unreal").counts == {"hull": 1}


def test_a_tolerance_finds_one_hull():
    assert fit(house(), tolerance="1%", profile="unreal").counts == {"hull": 1}


def test_the_papers_own_costs_merge_faces():
    """The paper's tables need these costs."""
    for cost in ("volume", "joint"):
        assert len(fit(specimens.box(), 1, cost=cost, max_excess=0)) == 6
    assert len(fit(specimens.box(), 1, max_excess=0)) == 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("mesh", "kind"),
    [(specimens.box(), "box"), (specimens.icosphere(2), "sphere"), (specimens.cylinder(1, 2), "cylinder")],
)
def test_faces_for_both_sides_count_once(mesh, kind, order):
    assert fit(specimens.placed(two_sided(mesh, order), 3), 64).counts == {kind: 1}


@pytest.mark.parametrize("sides", [5, 6, 8])
def test_few_sides_are_not_round(sides):
    assert len(fit(specimens.placed(specimens.cylinder(1, 2, sides), 1), 64)) > 1


def test_many_simple_parts_keep_their_shapes():
    rng = np.random.default_rng(3)
    kinds = [specimens.box(), specimens.icosphere(2), specimens.cylinder(1, 3, 32), specimens.gable()]
    parts = [
        Mesh(specimens.placed(kinds[k % 4], k).vertices + rng.uniform(-1, 1, 3) + [8.0 * k, 0, 0],
             specimens.polygons_of(kinds[k % 4])) for k in range(20)
    ]  # fmt: skip
    first = np.cumsum([0] + [len(p.vertices) for p in parts])
    faces = [[v + int(first[k]) for v in f] for k, p in enumerate(parts) for f in specimens.polygons_of(p)]
    mesh = Mesh(np.concatenate([p.vertices for p in parts]), faces)
    for count in (20, 64):
        assert fit(mesh, count).counts == {"box": 5, "sphere": 5, "cylinder": 5, "prism": 5}
    assert len(fit(mesh, 7)) <= 7


def tower(sections: int, *, rotated: int = 0, crooked: bool = False) -> Mesh:
    """Return truncated cones on top of each other that share their rings, as parts, and a crooked rod on the
    last.
    """
    radii = 1.5 - 0.15 * np.arange(sections + 1)
    parts = [specimens.frustum(radii[k], radii[k + 1], 1.0, 24) for k in range(sections)]
    for k, part in enumerate(parts):
        lifted = np.round(part.vertices, 9) + np.array([0, 0, 1.0 * k])
        parts[k] = Mesh(lifted, specimens.polygons_of(part))
    if crooked:
        outline = np.round(specimens.frustum(radii[-1], 1, 1, 24).vertices[:24, :2], 9)
        rod = specimens.extruded(outline[[0, 3, 8, 4]], 1.0)
        top = float(parts[-1].vertices[:, 2].max())
        parts.append(Mesh(rod.vertices - [0, 0, rod.vertices[:, 2].min() - top], specimens.polygons_of(rod)))
    whole = specimens.together(parts)
    numbers = np.repeat(np.arange(len(parts)), [part.face_count for part in parts])
    names = [f"section {k}" for k in range(len(parts))]
    placed = specimens.placed(whole, rotated)
    return Mesh(placed.vertices, specimens.polygons_of(whole), part=numbers, part_names=names)


@pytest.mark.parametrize("options", [{}, {"parts": "separate"}])
@pytest.mark.parametrize("rotated", [1, 2, 3])
def test_solids_that_share_vertices_are_simple_on_their_own(rotated, options):
    """Exact welding joins them into one component, which is not simple."""
    mesh = tower(4, rotated=rotated)
    for count in (4, 32):
        collider = fit(mesh, count, **options)
        assert collider.counts == {"frustum": 4}
        assert {label.part for label in collider.labels} == set(mesh.part_names)
        assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal
    assert len(fit(mesh, 3)) <= 3


def test_beside_a_solid_that_is_not_simple_the_others_are():
    """The rod's foot lies in a lid, so the section of that lid may own faces of the rod."""
    mesh = tower(2, rotated=5, crooked=True)
    found = {round(s.volume, 3) for s in fit(mesh, 12) if s.kind == "frustum"}
    alone = {round(s.volume, 3) for s in fit(tower(2), 2)}
    assert len(alone) == 2
    assert alone <= found


# ---- almost


def dented() -> Mesh:
    fine = specimens.divided(specimens.box(), 4)
    vertices = fine.vertices.copy()
    vertices[np.argmin(np.linalg.norm(vertices - [0.5, 0, 0], axis=1)), 0] -= 0.05
    return Mesh(vertices, specimens.polygons_of(fine), name="dented")


def half_ball() -> Mesh:
    ball = specimens.icosphere(3)
    return Mesh(
        ball.vertices, ball.triangles[ball.vertices[ball.triangles].mean(axis=1)[:, 2] > 0], name="half"
    )


@pytest.mark.parametrize("top", [0.95, 0.97, 0.99])
def test_a_slight_taper_is_a_frustum(top):
    (shape,) = fit(specimens.frustum(1, top, 1, 64), 5)
    assert shape.kind == "frustum"
    assert shape.volume == pytest.approx(math.pi / 3 * (1 + top + top**2), rel=5e-3)


def tube(inner: float) -> Mesh:
    profile = np.array([[1, -1], [1, 1], [inner, 1], [inner, -1]])
    return specimens.revolved(profile, 64, "tube", closed=True)


def without_a_face(mesh: Mesh, face: int) -> Mesh:
    faces = specimens.polygons_of(mesh)
    return Mesh(mesh.vertices, faces[:face] + faces[face + 1 :], name="open")


def leaning() -> Mesh:
    box = specimens.box()
    return Mesh(box.vertices + box.vertices[:, 2:] * [0.05, 0, 0], specimens.polygons_of(box), name="leaning")


ALMOST = {
    "dented cube": dented,
    "half a ball": half_ball,
    "tube": lambda: tube(0.5),
    "narrow tube": lambda: tube(0.03),
    "open box": lambda: without_a_face(specimens.box(), 2),
    "open can": lambda: specimens.revolved(np.array([[0, -1], [1, -1], [1, 1]]), 64, "can"),
    "leaning box": leaning,
    "L with a bevel": lambda: specimens.extruded(
        [[0, 0], [3, 0], [3, 0.8], [2.8, 1], [1, 1], [1, 3], [0, 3]], 1
    ),
    "open L": lambda: without_a_face(
        specimens.extruded([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]], 1), 4
    ),
}


@pytest.mark.parametrize("name", ALMOST)
def test_what_is_almost_simple_is_not_simple(name):
    mesh = specimens.placed(ALMOST[name](), 2)
    clusters = fit_tree(mesh, 64, max_excess=0).clusters(1)
    assert len(np.unique(clusters)) > 2  # clusters exist although every merge is forbidden


# ---- boxes


@pytest.mark.parametrize("name", specimens.BLOCKS)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), more=st.sampled_from([0, 1, 60]))
def test_blocks_are_exactly_their_boxes(name, data, more):
    boxes, filled, planes = specimens.BLOCKS[name]
    # Random rectangles: most faces then lie in several boxes together.
    solid = specimens.blocks(filled, planes, seed=data.draw(st.integers(0, 99)))
    mesh, scale = data.draw(tessellations(solid))
    if (order := data.draw(st.sampled_from([None, *ORDERS]))) is not None:
        mesh = two_sided(mesh, order)
    collider = fit(mesh, boxes + more)
    assert collider.counts == {"box": boxes}
    x, y, z = (np.diff(np.asarray(p, float)) for p in planes)
    true_volume = float((filled * x[:, None, None] * y[None, :, None] * z).sum())
    judged = hitbox.evaluate(mesh, collider, samples=20_000)
    assert judged.union_volume.value / scale**3 == pytest.approx(true_volume, rel=1e-2)
    assert judged.union_boundary.hausdorff < 0.01
    assert judged.coverage.outside == 0
    margin = 1e-9 * mesh.diagonal
    assert np.min([sticks_out(box, mesh.vertices) for box in collider], axis=0).max() <= margin
    owners = [set(label.faces.tolist()) for label in collider.labels]
    assert set().union(*owners) == set(range(mesh.face_count))
    for face in range(0, mesh.face_count, max(1, mesh.face_count // 50)):
        own = [box for box, faces in zip(collider, owners, strict=True) if face in faces]
        assert is_in_boxes(mesh, face, own, margin)


@pytest.mark.parametrize("outline", [
    [[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]],
    [[0, 0], [4, 0], [4, 3], [3, 3], [3, 1], [1, 1], [1, 3], [0, 3]],
])  # fmt: skip
def test_polygons_that_are_not_convex_are_cut_too(outline):
    for seed in range(5):
        mesh = specimens.placed(specimens.extruded(outline), seed)
        collider = fit(mesh, 64)
        assert collider.counts == {"box": len(outline) // 2 - 1}
        assert collider.labels[0].faces.tolist()[:2] == collider.labels[1].faces.tolist()[:2] == [0, 1]
        judged = hitbox.evaluate(mesh, collider, samples=20_000)
        assert judged.coverage.outside == 0
        assert judged.union_boundary.hausdorff < 1e-9


def test_below_their_count_blocks_are_merged_and_levels_are_nested():
    mesh = specimens.blocks(*specimens.BLOCKS["table"][1:], seed=1)
    tree = fit_tree(mesh, 8)
    assert len(tree.clusters(8)) == mesh.face_count
    for count in range(1, 9):
        collider = tree.at(count)
        assert len(collider) <= min(count, 5)
        assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal


def test_welding_by_a_distance_cuts_nothing():
    """Welding moves faces, and fragments of moved faces are not the faces that must be enclosed."""
    split = specimens.with_split_vertices(specimens.blocks(*specimens.BLOCKS["U"][1:], seed=1))
    jitter = np.random.default_rng(0).uniform(-1e-5, 1e-5, split.vertices.shape)
    mesh = Mesh(split.vertices + jitter, specimens.polygons_of(split))
    collider = fit(mesh, 8, weld=1e-3)
    owners = np.concatenate([label.faces for label in collider.labels])
    assert len(owners) == len(set(owners.tolist())) == mesh.face_count
    assert faces_stick_out(mesh, collider).max() <= 1e-9 * mesh.diagonal


# ---- what lies inside


def with_cubes_inside(outer: Mesh) -> Mesh:
    inner = [
        specimens.placed(specimens.box((0.2, 0.2, 0.2), center), seed)
        for seed, center in enumerate([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1), (0.05, 0.05, 0)])
    ]
    meshes = [outer, *inner]
    first = np.cumsum([0] + [len(m.vertices) for m in meshes])
    faces = [[v + int(first[k]) for v in f] for k, m in enumerate(meshes) for f in specimens.polygons_of(m)]
    return Mesh(np.concatenate([m.vertices for m in meshes]), faces)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("outer", "kind", "volume"),
    [(specimens.box(), "box", 1), (specimens.icosphere(2), "sphere", 4 / 3 * math.pi)],
    ids=["box", "sphere"],
)
def test_what_lies_inside_a_simple_shape_goes_with_it(outer, kind, volume, count):
    mesh = with_cubes_inside(specimens.placed(outer, 7))
    collider = fit(mesh, count)
    assert collider.counts == {kind: 1}
    assert collider.volume == pytest.approx(volume, rel=1e-9)
    assert len(collider.labels[0].faces) == mesh.face_count


def test_groups_and_space_to_keep_clear_come_first():
    """A cube of two materials is not a single shape. Neither is a cube around space to keep clear."""
    cube = specimens.box()
    labelled = Mesh(
        cube.vertices, specimens.polygons_of(cube), part=[0, 0, 0, 1, 1, 1], part_names=["left", "right"]
    )
    assert len(fit(labelled, 8, parts="separate")) >= 2
    freed = fit(cube, 8, keep_clear=[[0, 0, 0, 0.3]])
    assert not freed.contains([[0.0, 0, 0]]).any()
    assert faces_stick_out(cube, freed).max() <= 1e-9 * cube.diagonal


def test_a_room_is_not_filled():
    """The walls of the room face inward, towards its contents."""
    box = specimens.placed(specimens.box(), 7)
    room = Mesh(box.vertices, [f[::-1] for f in specimens.polygons_of(box)])
    assert fit(room, 64).counts == {"box": 1}
    collider = fit(with_cubes_inside(room), 64, cost="grown")
    assert len(collider) == 11
    assert not collider.contains([[0.3, 0.1, 0.0]]).any()
