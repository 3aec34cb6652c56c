"""Thirty different meshes for same_bytes.py, made by code: the same ones in every run, without files."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import harness
import numpy as np
import numpy.typing as npt

import hitbox

Floats = npt.NDArray[np.float64]
Faces = Sequence[Sequence[int]] | npt.NDArray[np.int64]
Body = tuple[Floats, list[list[int]]]


def box(size: Sequence[float] = (1, 1, 1), center: Sequence[float] = (0, 0, 0)) -> Body:
    """Six quads that face outward."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return corners * size + np.array(center, float), faces


def extruded(outline: Sequence[Sequence[float]], height: float = 1.0) -> Body:
    """A floor and a roof of one polygon each, and walls around a counter-clockwise outline."""
    points, n = np.array(outline, float), len(outline)
    vertices = np.vstack([np.column_stack([points, np.full(n, z)]) for z in (0.0, height)])
    walls = [[k, (k + 1) % n, (k + 1) % n + n, k + n] for k in range(n)]
    return vertices, [list(range(n - 1, -1, -1)), list(range(n, 2 * n)), *walls]


def revolved(profile: Sequence[Sequence[float]], segments: int = 24) -> Body:
    """A profile of (radius, z) points revolved about the z axis: quads, and triangles at radius 0."""
    angles = np.arange(segments) * (2 * math.pi / segments)
    vertices: list[Floats] = []
    rings: list[list[int]] = []
    for radius, z in profile:
        start, count = sum(map(len, vertices)), segments if radius else 1
        ring = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(segments, z)])
        vertices.append(ring[:count])
        rings.append([start + k % count for k in range(segments)])
    faces = []
    for low, high in pairwise(rings):
        for k in range(segments):
            after = (k + 1) % segments
            faces.append(list(dict.fromkeys([low[k], low[after], high[after], high[k]])))
    return np.concatenate(vertices), faces


def together(*bodies: Body) -> Body:
    """All bodies in one mesh, none of them changed."""
    vertices: list[Floats] = []
    faces: list[list[int]] = []
    for corners, polygons in bodies:
        first = sum(map(len, vertices))
        faces += [[first + v for v in polygon] for polygon in polygons]
        vertices.append(corners)
    return np.concatenate(vertices), faces


def turned(body: Body, seed: int, scale: float = 1.0, shift: float = 0.0) -> Body:
    """Rotate a mesh at random, scale it, and move it by up to `shift`."""
    random = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    turn[:, 0] *= np.linalg.det(turn)
    return (body[0] @ turn.T + random.uniform(-1, 1, 3) * shift) * scale, body[1]


def triangles(body: Body) -> Body:
    """Triangulate each polygon as a fan from its first corner."""
    return body[0], [[f[0], f[k], f[k + 1]] for f in body[1] for k in range(1, len(f) - 1)]


def from_arrays(arrays: harness.Arrays) -> Body:
    return arrays[0], arrays[1].tolist()


def ball(rows: int = 10) -> Body:
    angles = np.linspace(0, math.pi, rows + 1)
    profile = [(math.sin(a) if 0 < k < rows else 0.0, -math.cos(a)) for k, a in enumerate(angles)]
    return revolved(profile, 2 * rows)


def capsule() -> Body:
    angles = np.linspace(0, math.pi / 2, 6)[1:]
    end = [(math.sin(a), math.cos(a)) for a in angles]
    return revolved([(0, -2), *((r, -1 - z) for r, z in end), *((r, 1 + z) for r, z in end[::-1]), (0, 2)])


def grid(side: int, height: Callable[[Floats, Floats], Floats]) -> Body:
    """Quads over the unit square."""
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, side + 1), np.linspace(0, 1, side + 1)))
    k = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    quads = np.stack([k, k + 1, k + side + 2, k + side + 1], axis=1)
    return np.column_stack([x, y, height(x, y)]), quads.tolist()


def table() -> list[Body]:
    legs = [box((0.1, 0.1, 1), (x, y, 0.5)) for x in (0.15, 1.85) for y in (0.15, 0.85)]
    return [box((2, 1, 0.1), (1, 0.5, 1.05)), *legs]


def chair() -> list[Body]:
    legs = [revolved([(0, 0), (0.04, 0), (0.05, 0.9), (0, 0.9)], 12) for _ in range(4)]
    places = [(x, y, 0) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    moved = [(vertices + place, faces) for (vertices, faces), place in zip(legs, places, strict=True)]
    return [*moved, box((1, 1, 0.08), (0, 0, 0.94)), turned(box((1, 0.06, 1), (0, 0.5, 1.5)), 1, 1.0)]


def room() -> Body:
    """Four walls with a doorway in one, a floor and no roof."""
    walls = [
        box((4, 0.2, 2.5), (0, 2, 1.25)), box((0.2, 4, 2.5), (-2, 0, 1.25)), box((0.2, 4, 2.5), (2, 0, 1.25)),
        box((1.5, 0.2, 2.5), (-1.25, -2, 1.25)), box((1.5, 0.2, 2.5), (1.25, -2, 1.25)),
        box((1, 0.2, 0.4), (0, -2, 2.3)), box((4.2, 4.2, 0.1), (0, 0, -0.05)),
    ]  # fmt: skip
    return together(*walls)


def hollow() -> Body:
    """A box with a sealed box inside it that faces inward."""
    inner, faces = box((0.8, 0.8, 0.8))
    return together(box(), (inner, [face[::-1] for face in faces]))


def book(pages: int = 7) -> Body:
    """Triangles around one common edge."""
    angles = np.arange(pages) * (math.pi / pages)
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.full(pages, 0.5)])
    return np.vstack([[[0, 0, 0], [0, 0, 1]], rim]), [[0, 1, k + 2] for k in range(pages)]


def degenerate() -> Body:
    """A bumpy sheet with repeated faces, faces without area, repeated corners and stray vertices."""
    vertices, faces = grid(6, lambda x, y: 0.2 * np.sin(7 * x) * y)
    stray = np.vstack([vertices, [[0.5, 0.5, 0.5]] * 3, vertices[:4]])
    flat = [[0, 1, 1], [3, 3, 3], [0, 1, 2], [0, 7, 14, 21]]
    last = len(vertices) + 3
    return stray, [*faces, *faces[:3], *(face[::-1] for face in faces[5:8]), *flat, [last, last + 1, 8]]


def ugly() -> Body:
    """Polygons of three to six random corners: thin, folded and crossing."""
    random = np.random.default_rng(5)
    vertices = np.round(random.uniform(-1, 1, (40, 3)) * 4) / 4
    return vertices, [random.integers(0, 40, size).tolist() for size in random.integers(3, 7, 60)]


def cluttered() -> Body:
    random = np.random.default_rng(3)
    places = random.uniform(0, 6, (40, 3))
    return together(*(box(random.uniform(0.2, 1, 3), place) for place in places))


def ring(count: int = 3) -> Body:
    return together(*(turned(from_arrays(harness.torus(1.0, 0.2)), k, shift=1.5) for k in range(count)))


STAR = [
    (math.cos(k * math.pi / 5) * (1 if k % 2 else 0.4), math.sin(k * math.pi / 5) * (1 if k % 2 else 0.4))
    for k in range(10)
]
ELL = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
CROSS = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1), (1, 1)]

BODIES: dict[str, Callable[[], Body]] = {
    "triangle": lambda: (np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), [[0, 1, 2]]),
    "box": box,
    "turned box": lambda: triangles(turned(box((3, 1, 0.4)), 2)),
    "ell": lambda: extruded(ELL),
    "star": lambda: turned(extruded(STAR, 0.3), 4),
    "cross, tiny": lambda: turned(extruded(CROSS), 6, scale=1e-5),
    "cross, huge and far": lambda: turned(extruded(CROSS), 7, scale=1e6, shift=100),
    "ball": ball,
    "capsule": lambda: turned(capsule(), 8),
    "cylinder": lambda: revolved([(0, -1), (1, -1), (1, 1), (0, 1)]),
    "vase": lambda: revolved([(0, 0), (0.6, 0), (0.9, 0.5), (0.4, 1.2), (0.6, 1.6)], 20),
    "cone": lambda: revolved([(0, 0), (1, 0), (0, 2)], 16),
    "torus": lambda: from_arrays(harness.torus()),
    "rings": ring,
    "bent pipe": lambda: from_arrays(harness.bent_pipe()),
    "helix": lambda: from_arrays(harness.helix(2)),
    "knot": lambda: from_arrays(harness.knot(2000)),
    "fan": lambda: from_arrays(harness.fan(60)),
    "soup": lambda: from_arrays(harness.soup(150)),
    "flat sheet": lambda: grid(8, lambda x, y: 0 * x),
    "terrain": lambda: grid(24, lambda x, y: 0.15 * np.sin(5 * x) * np.cos(4 * y) + 0.05 * np.sin(9 * y)),
    "room": room,
    "hollow box": hollow,
    "book": book,
    "degenerate": degenerate,
    "ugly": ugly,
    "cluttered": cluttered,
    "stairs": lambda: together(*(box((1, 0.3, 0.2), (0, 0.3 * k, 0.2 * k)) for k in range(8))),
}  # fmt: skip


def labelled(bodies: list[Body], name: str, **known: Any) -> hitbox.Mesh:
    """One part per body, and two materials in turn."""
    vertices, faces = together(*bodies)
    of_face = np.repeat(np.arange(len(bodies)), [len(polygons) for _, polygons in bodies])
    return hitbox.Mesh(
        vertices, faces, part=of_face, material=of_face % 2, name=name,
        part_names=[f"part {k}" for k in range(len(bodies))], material_names=["wood", "steel"], **known,
    )  # fmt: skip


def meshes() -> dict[str, hitbox.Mesh]:
    """Thirty meshes by name; the last two have parts, materials, a unit and an up axis."""
    made = {name: hitbox.Mesh(*body(), name=f"{name}.obj") for name, body in BODIES.items()}
    made["table"] = labelled(table(), "table.glb", unit="m", up="z")
    made["chair"] = labelled(chair(), "chair.glb", unit="cm", up="y")
    return made
