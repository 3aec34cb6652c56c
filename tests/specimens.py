"""Meshes for tests, made by code. The same arguments give the same mesh; no files are needed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from hitbox._model.mesh import Mesh

Floats = npt.NDArray[np.float64]


def box(
    size: tuple[float, float, float] = (1.0, 1.0, 1.0), center: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Mesh:
    """Six quads that face outward."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return Mesh(corners * size + np.array(center), faces, name="box")


def triangle() -> Mesh:
    return Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], name="triangle")


def grid(columns: int = 10, rows: int = 10, *, height: float = 0.0, seed: int = 0) -> Mesh:
    """Quads over the unit square; `height` is the roughness."""
    x, y = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(0, 1, rows + 1))
    z = np.random.default_rng(seed).uniform(0, height, x.size) if height else np.zeros(x.size)
    i = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    quads = np.stack([i, i + 1, i + columns + 2, i + columns + 1], axis=1)
    return Mesh(np.stack([x.ravel(), y.ravel(), z], axis=1), quads, name="grid")


def revolved(profile: Floats, segments: int, name: str, *, closed: bool = False) -> Mesh:
    """A `profile` of (radius, z) points revolved about the z axis: quads, and fans at radius 0."""
    angles = np.arange(segments) * (2 * math.pi / segments)
    vertices: list[Floats] = []
    rings: list[npt.NDArray[np.int64]] = []
    for radius, z in profile:
        start = sum(len(v) for v in vertices)
        if radius == 0:
            vertices.append(np.array([[0.0, 0.0, z]]))
            rings.append(np.full(segments, start))
        else:
            ring = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(segments, z)], axis=1)
            vertices.append(ring)
            rings.append(start + np.arange(segments))
    faces: list[list[int]] = []
    for k in range(len(rings) - (0 if closed else 1)):
        low, high = rings[k], rings[(k + 1) % len(rings)]
        for j in range(segments):
            face = [low[j], low[(j + 1) % segments], high[(j + 1) % segments], high[j]]
            faces.append(list(dict.fromkeys(int(v) for v in face)))
    return Mesh(np.concatenate(vertices), faces, name=name)


def cylinder(radius: float = 1.0, height: float = 2.0, segments: int = 24) -> Mesh:
    half = height / 2
    return revolved(np.array([[0, -half], [radius, -half], [radius, half], [0, half]]), segments, "cylinder")


def cone(radius: float = 1.0, height: float = 2.0, segments: int = 24) -> Mesh:
    return revolved(np.array([[0, 0], [radius, 0], [0, height]]), segments, "cone")


def capsule(radius: float = 1.0, height: float = 2.0, segments: int = 24, rings: int = 6) -> Mesh:
    angles = np.linspace(0, math.pi / 2, rings + 1)
    cap = np.stack([radius * np.sin(angles), radius * np.cos(angles)], axis=1)
    cap[0, 0] = 0
    bottom, top = cap * [1, -1] - [0, height / 2], cap[::-1] + np.array([0, height / 2])
    return revolved(np.concatenate([bottom, top]), segments, "capsule")


def torus(radius: float = 2.0, tube: float = 0.5, segments: int = 24, sides: int = 12) -> Mesh:
    angles = np.arange(sides) * (2 * math.pi / sides)
    profile = np.stack([radius + tube * np.cos(angles), tube * np.sin(angles)], axis=1)
    return revolved(profile, segments, "torus", closed=True)


def icosphere(levels: int = 2, radius: float = 1.0) -> Mesh:
    """20 * 4^levels triangles."""
    golden = (1 + math.sqrt(5)) / 2
    points = [(0.0, s, t * golden) for s in (-1, 1) for t in (-1, 1)]
    vertices = np.array([np.roll(p, k) for k in range(3) for p in points])
    vertices /= np.linalg.norm(vertices[0])
    edge = np.min(np.linalg.norm(vertices[0] - vertices[1:], axis=1)) * 1.01
    near = np.linalg.norm(vertices[:, None] - vertices[None], axis=2) < edge
    triples = [
        (a, b, c) for a in range(12) for b in range(12) for c in range(12) if a < b and a < c and b != c
    ]
    faces = np.array(
        [
            t
            for t in triples
            if near[t[0], t[1]]
            and near[t[1], t[2]]
            and near[t[2], t[0]]
            and np.linalg.det(vertices[list(t)]) > 0
        ]
    )
    for _ in range(levels):
        corners = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        edges, at = np.unique(np.sort(corners, axis=1), axis=0, return_inverse=True)
        middle = vertices[edges].mean(axis=1)
        ab, bc, ca = at.reshape(3, -1) + len(vertices)
        vertices = np.concatenate([vertices, middle / np.linalg.norm(middle, axis=1, keepdims=True)])
        a, b, c = faces.T
        faces = np.concatenate(
            [np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        )
    return Mesh(vertices * radius, faces, name="icosphere")


def fan(blades: int = 100) -> Mesh:
    """Triangles that all share one vertex."""
    angles = np.linspace(0, 2 * math.pi, blades, endpoint=False)
    rim = np.stack([np.cos(angles), np.sin(angles), np.zeros(blades)], axis=1)
    k = np.arange(blades)
    faces = np.stack([np.zeros(blades, int), k + 1, (k + 1) % blades + 1], axis=1)
    return Mesh(np.concatenate([[[0, 0, 0.2]], rim]), faces, name="fan")


def soup(count: int = 100, *, seed: int = 0, size: float = 0.1) -> Mesh:
    """Separate triangles at random places in the unit cube."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 1, (count, 1, 3)) + rng.uniform(-size, size, (count, 3, 3))
    return Mesh(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3), name="soup")


def many_components(count: int = 50, *, seed: int = 0) -> Mesh:
    """Separate boxes."""
    rng = np.random.default_rng(seed)
    side = math.ceil(count ** (1 / 3))
    places = np.array([[i % side, i // side % side, i // side**2] for i in range(count)]) * 2.0
    one = box()
    quads = one.indices.reshape(-1, 4).astype(np.int64)
    sizes = rng.uniform(0.2, 1, (count, 1, 3))
    vertices = (one.vertices[None] * sizes + places[:, None]).reshape(-1, 3)
    return Mesh(vertices, (quads[None] + 8 * np.arange(count)[:, None, None]).reshape(-1, 4), name="boxes")


def non_manifold(blades: int = 5) -> Mesh:
    """Triangles round one common edge, like the pages of a book."""
    angles = np.arange(blades) * (math.pi / blades)
    rim = np.stack([np.cos(angles), np.sin(angles), np.full(blades, 0.5)], axis=1)
    faces = [[0, 1, k + 2] for k in range(blades)]
    return Mesh(np.concatenate([[[0, 0, 0], [0, 0, 1]], rim]), faces, name="book")


def with_split_vertices(mesh: Mesh) -> Mesh:
    """The same mesh with separate vertices per face, as in an STL file."""
    faces = [
        list(range(a, b)) for a, b in zip(mesh.offsets[:-1].tolist(), mesh.offsets[1:].tolist(), strict=True)
    ]
    return Mesh(mesh.vertices[mesh.indices], faces, name=mesh.name)


def polygons_of(mesh: Mesh) -> list[list[int]]:
    """Return the faces as lists."""
    return [mesh.indices[a:b].tolist() for a, b in zip(mesh.offsets[:-1], mesh.offsets[1:], strict=True)]


@st.composite
def ugly_meshes(draw: st.DrawFn, max_vertices: int = 24, max_faces: int = 40) -> Mesh:
    """Draw any mesh that `Mesh` accepts: flat, thin, folded, repeated and non-manifold faces, stray and equal
    vertices, polygons of mixed sizes that need not be flat, tiny and huge coordinates.
    """
    count = draw(st.integers(3, max_vertices))
    style = draw(st.sampled_from(["grid", "random", "flat", "line", "equal"]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    vertices = rng.uniform(-1, 1, (count, 3))
    if style == "grid":
        vertices = np.round(vertices * 2)
    elif style == "flat":
        vertices[:, draw(st.integers(0, 2))] = 0.25
    elif style == "line":
        vertices[:] = vertices[:, :1] * [1.0, 2.0, -1.0]
    elif style == "equal":
        vertices[1:] = vertices[rng.integers(0, 2, count - 1)]
    vertices[0] = [-1, 0.5, 0.25]
    vertices[1] = [1, -0.5, 0.25]  # a face that uses both vertices is not a point
    corner = st.integers(0, count - 1)
    face: Any = st.one_of(st.lists(corner, min_size=3, max_size=3), st.lists(corner, min_size=3, max_size=6))
    faces = [[0, 1, draw(corner)], *draw(st.lists(face, max_size=max_faces))]
    scale = draw(st.sampled_from([1.0, 1.0, 1e-6, 1e6, 1e-30, 1e30]))
    shift = draw(st.sampled_from([0.0, 0.0, 1.0, 100.0]))
    return Mesh((vertices + shift) * scale, faces, name="ugly")


# ---- simple solids, and ways to divide their faces


def frustum(radius: float = 1.0, top: float = 0.5, height: float = 2.0, segments: int = 64) -> Mesh:
    half = height / 2
    return revolved(np.array([[0, -half], [radius, -half], [top, half], [0, half]]), segments, "frustum")


def extruded(outline: Any, height: float = 1.0, name: str = "extruded") -> Mesh:
    """A floor and a roof of one polygon each, and walls around a counter-clockwise outline."""
    points = np.asarray(outline, float)
    n = len(points)
    vertices = np.vstack([np.column_stack([points, np.full(n, z)]) for z in (0.0, height)])
    walls = [[k, (k + 1) % n, (k + 1) % n + n, k + n] for k in range(n)]
    return Mesh(vertices, [list(range(n - 1, -1, -1)), list(range(n, 2 * n)), *walls], name=name)


def gable(width: float = 2.0, height: float = 1.0, length: float = 3.0) -> Mesh:
    """A roof of two equal slopes: an extruded triangle."""
    return extruded([[0, 0], [width, 0], [width / 2, height]], length, "gable")


def blocks(filled: Any, planes: Any, *, seed: int | None = None, name: str = "blocks") -> Mesh:
    """The surface of the filled cells of a grid. Each side of a cell is a quad. With a seed, random
    rectangles of quads become one polygon each, which has the corners of its neighbours on its sides.
    """
    solid = np.pad(np.asarray(filled, bool), 1)
    lines = [np.asarray(p, float) for p in planes]
    rng = None if seed is None else np.random.default_rng(seed)
    rectangles = []  # axis, side, plane, and the ranges along the other two axes
    for axis in range(3):
        moved = np.moveaxis(solid, axis, 0)
        for plane in range(moved.shape[0] - 1):
            for side in (1, -1):
                inner, outer = (moved[plane], moved[plane + 1])[::side]
                open_ = (inner & ~outer)[1:-1, 1:-1].copy()
                while open_.any():
                    u0, v0 = np.argwhere(open_)[0]
                    u1, v1 = u0 + 1, v0 + 1
                    while rng is not None and u1 < open_.shape[0] and open_[u1, v0] and rng.random() < 0.7:
                        u1 += 1
                    while (
                        rng is not None
                        and v1 < open_.shape[1]
                        and open_[u0:u1, v1].all()
                        and rng.random() < 0.7
                    ):
                        v1 += 1
                    open_[u0:u1, v0:v1] = False
                    rectangles.append((axis, side, plane, (u0, u1), (v0, v1)))
    corners: dict[tuple[int, ...], int] = {}

    def corner(axis: int, plane: int, u: int, v: int) -> tuple[int, ...]:
        at = [int(u), int(v)]
        at.insert(axis, plane)
        return tuple(at)

    for axis, _, plane, us, vs in rectangles:
        for u in us:
            for v in vs:
                corners.setdefault(corner(axis, plane, u, v), len(corners))
    faces = []
    for axis, side, plane, (u0, u1), (v0, v1) in rectangles:
        around = [(u, v0) for u in range(u0, u1)] + [(u1, v) for v in range(v0, v1)]
        around += [(u, v1) for u in range(u1, u0, -1)] + [(u0, v) for v in range(v1, v0, -1)]
        face = [corners[at] for u, v in around if (at := corner(axis, plane, u, v)) in corners]
        faces.append(face if side * (-1 if axis == 1 else 1) > 0 else face[::-1])
    vertices = np.array([[lines[a][at[a]] for a in range(3)] for at in corners])
    return Mesh(vertices, faces, name=name)


def cells(shape: tuple[int, int, int], *ranges: tuple[slice | int, ...]) -> np.ndarray:
    filled = np.zeros(shape, bool)
    for r in ranges:
        filled[r] = True
    return filled


ALL = slice(None)
# The fewest boxes that fill each solid, and the arguments of `blocks`.
BLOCKS = {
    "L": (2, cells((2, 2, 1), (ALL, 0), (0, ALL)), ([0, 1, 3], [0, 1, 3], [0, 1])),
    "U": (3, cells((3, 2, 1), (ALL, 0), (0, ALL), (2, ALL)), ([0, 1, 3, 4], [0, 1, 3], [0, 1])),
    "wall with a window": (4, ~cells((3, 1, 3), (1, ALL, 1)), ([0, 2, 3, 6], [0, 0.2], [0, 1, 2, 4])),
    "table": (
        5,
        cells((5, 5, 2), (ALL, ALL, 1), (1, 1), (3, 1), (1, 3), (3, 3)),
        ([0, 0.1, 0.2, 1.8, 1.9, 2], [0, 0.1, 0.2, 0.9, 1, 1.1], [0, 1, 1.1]),
    ),
    "stairs": (
        8,
        np.array([[[j <= i] for j in range(8)] for i in range(8)]),
        (np.arange(9), np.arange(9), [0, 3]),
    ),
}


def divided(mesh: Mesh, times: int = 1) -> Mesh:
    """Divide every polygon into quads around its centre. New vertices lie on the old faces."""
    for _ in range(times):
        faces = polygons_of(mesh)
        edges = {tuple(sorted((f[k - 1], f[k]))) for f in faces for k in range(len(f))}
        at = {e: len(mesh.vertices) + k for k, e in enumerate(sorted(edges))}
        middles = np.array([mesh.vertices[list(e)].mean(axis=0) for e in sorted(edges)])
        centers = np.array([mesh.vertices[f].mean(axis=0) for f in faces])
        first = len(mesh.vertices) + len(middles)

        def middle(a: int, b: int, at: dict[tuple[int, ...], int] = at) -> int:
            return at[tuple(sorted((a, b)))]

        quads = [
            [f[k], middle(f[k], f[(k + 1) % len(f)]), first + i, middle(f[k - 1], f[k])]
            for i, f in enumerate(faces)
            for k in range(len(f))
        ]
        mesh = Mesh(np.concatenate([mesh.vertices, middles, centers]), quads, name=mesh.name)
    return mesh


def triangulated(mesh: Mesh) -> Mesh:
    """Divide every polygon of four or more corners into triangles around its centre."""
    faces, centers = [], []
    for f in polygons_of(mesh):
        if len(f) == 3:
            faces.append(f)
            continue
        centers.append(mesh.vertices[f].mean(axis=0))
        middle = len(mesh.vertices) + len(centers) - 1
        faces += [[f[k - 1], f[k], middle] for k in range(len(f))]
    return Mesh(np.concatenate([mesh.vertices, np.reshape(centers, (-1, 3))]), faces, name=mesh.name)


def shuffled(mesh: Mesh, seed: int) -> Mesh:
    """Shuffle faces and vertices."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(mesh.vertices))
    new = np.argsort(order)
    faces = [[int(new[v]) for v in np.roll(f, rng.integers(len(f)))] for f in polygons_of(mesh)]
    return Mesh(mesh.vertices[order], [faces[k] for k in rng.permutation(len(faces))], name=mesh.name)


def placed(mesh: Mesh, seed: int, scale: float = 1.0, shift: float = 0.0) -> Mesh:
    """Rotate the mesh at random, scale it, and move it by `shift` times its size."""
    rng = np.random.default_rng(seed)
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q[:, 0] *= np.linalg.det(q)
    vertices = (mesh.vertices @ q.T + rng.uniform(-1, 1, 3) * shift) * scale
    return Mesh(vertices, polygons_of(mesh), name=mesh.name)


def together(meshes: list[Mesh]) -> Mesh:
    """Combine meshes in one mesh without changing them."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [
        [v + start for v in f] for mesh, start in zip(meshes, first, strict=False) for f in polygons_of(mesh)
    ]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), faces)


def volume(mesh: Mesh) -> float:
    """Return the volume that closed faces of any number of corners enclose."""
    whole = triangulated(mesh)
    corners = whole.vertices[np.array(polygons_of(whole))]
    return float(np.linalg.det(corners).sum() / 6)
