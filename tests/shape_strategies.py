"""Random shapes and colliders for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from hitbox._model.collider import Collider
from hitbox._model.shapes import KINDS, Box, Capsule, Cylinder, Frustum, Hull, Prism, Shape, Sphere


def random_direction(rng: np.random.Generator) -> np.ndarray:
    d = rng.normal(size=3)
    return d / np.linalg.norm(d)


def random_rotation(rng: np.random.Generator) -> tuple[float, ...]:
    q = rng.normal(size=4)
    return tuple(q / np.linalg.norm(q))


def random_hull(rng: np.random.Generator, count: int = 14) -> Hull:
    """Return points on a stretched sphere, with SciPy's hull turned outward."""
    points = rng.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points = points * rng.uniform(0.2, 1, 3) + rng.normal(size=3)
    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return Hull(points, triangles)


def random_shape(kind: str, seed: int) -> Shape:
    rng = np.random.default_rng(seed)
    center = rng.uniform(-2, 2, 3)
    end = center + random_direction(rng) * rng.uniform(0.1, 2)
    a, b, c, d = rng.uniform(0.05, 1, 4)
    narrow = 0.0 if rng.random() < 0.2 else d
    turn = random_rotation(rng)
    match kind:
        case "box":
            return Box(center, turn, (a, b, c))
        case "sphere":
            return Sphere(center, a)
        case "capsule":
            return Capsule(center, end, a)
        case "cylinder":
            return Cylinder(center, end, a)
        case "frustum":
            return Frustum(center, end, *((a, narrow) if rng.random() < 0.5 else (narrow, a)))
        case "prism":
            return Prism(center, turn, a, b, *((c, narrow) if rng.random() < 0.5 else (narrow, c)))
    return random_hull(rng)


shapes = st.builds(random_shape, st.sampled_from(KINDS), st.integers(0, 2**32 - 1))
colliders = st.lists(shapes, min_size=1, max_size=8).map(Collider)


def one_of_each() -> list[Shape]:
    return [random_shape(kind, 5) for kind in KINDS]
