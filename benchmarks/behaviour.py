"""Compute a short hash of the behaviour of each verb. A table of results is valid while the hashes of its
verbs stay the same.

The hash covers the verb's results on five small meshes, rounded so that another compiler gives the same hash.
Moving or rewording code does not change it; a different result does. It does not cover speed: a table of
times names the commit and the machine they were measured at.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import proof_meshes

import hitbox

MESHES = ("star", "capsule", "soup", "room", "table")
DIGITS = 5
UNKNOWN = "unknown"


def rounded(values: Any, unit: float) -> list[float]:
    found = np.round(np.asarray(values, np.float64).ravel() / unit, DIGITS) + 0.0  # no -0.0
    return [float(value) for value in found]


def shapes(collider: hitbox.Collider, mesh: hitbox.Mesh) -> list[Any]:
    """Return place and size of each shape, which do not depend on how a kind stores its parameters."""
    unit = mesh.diagonal
    return [[s.kind, rounded(s.bounds, unit), rounded(s.volume, unit**3)] for s in collider]


def fit(mesh: hitbox.Mesh) -> list[Any]:
    options: list[dict[str, Any]] = [
        {"count": 12}, {"count": 12, "preset": "fine"}, {"tolerance": "4%", "preset": "fast"},
        {"count": 6, "kinds": ("box", "hull")}, {"count": 8, "cost": "volume"},
    ]  # fmt: skip
    return [shapes(hitbox.fit(mesh, **each), mesh) for each in options]


def spheres(mesh: hitbox.Mesh) -> list[Any]:
    modes = ("conservative", "balanced")
    return [shapes(hitbox.fit_spheres(mesh, 12, mode=mode), mesh) for mode in modes]


def lengths(mesh: hitbox.Mesh) -> tuple[float, float]:
    """Return a radius and a tolerance for carve, in mesh units."""
    corners = mesh.vertices[mesh.indices]
    side = float((corners.max(axis=0) - corners.min(axis=0)).max())
    return 0.08 * side, 0.04 * side


def carve(mesh: hitbox.Mesh) -> list[Any]:
    given = lengths(mesh)
    options: list[dict[str, Any]] = [{}, {"effort": 0.5}, {"max_vertices": 16}]
    return [shapes(hitbox.carve(mesh, *given, **each), mesh) for each in options]


def space(mesh: hitbox.Mesh) -> list[Any]:
    found = hitbox.navigable_space(mesh, *lengths(mesh))
    blocked = found.overlap(hitbox.fit(mesh, 4, preset="fast"))
    places = rounded(found.spheres.sum(axis=0), mesh.diagonal)
    return [len(found.spheres), places, rounded(blocked.deepest, 1)]


def evaluate(mesh: hitbox.Mesh) -> list[Any]:
    found = hitbox.evaluate(mesh, around(mesh), samples=5000)
    distances = (found.all_surfaces, found.union_boundary, found.outer_surface)
    each = [[rounded(d.mean, 1), rounded(d.hausdorff, 1), d.samples] for d in distances]
    return [each, rounded(found.coverage.outside, 1), rounded(found.union_volume.value, mesh.diagonal**3)]


def around(mesh: hitbox.Mesh) -> list[hitbox.Shape]:
    """Return a box and a ball around the mesh, so that the hash of `evaluate` does not depend on `fit`."""
    low, high = mesh.bounds
    middle, half = (low + high) / 2, (high - low) / 2
    box = hitbox.Box(tuple(middle), (0.0, 0.0, 0.0, 1.0), tuple(half))
    return [box, hitbox.Sphere(tuple(middle), 0.4 * mesh.diagonal)]


def simulate(mesh: hitbox.Mesh) -> list[Any]:
    run = hitbox.simulate(hitbox.Collider(around(mesh)), balls=10, frames=30)
    return rounded(run.positions, mesh.diagonal)


def load(mesh: hitbox.Mesh) -> list[Any]:
    """Return the meshes read from files that a collider is written to."""
    found: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("obj", "ply", "stl", "glb"):
            path = Path(folder) / f"mesh.{suffix}"
            hitbox.Collider(around(mesh)).save(path)
            read = hitbox.load(path)
            found.append([suffix, read.face_count, rounded(read.vertices.sum(axis=0), mesh.diagonal)])
    return found


VERBS: dict[str, Callable[[hitbox.Mesh], list[Any]]] = {
    "fit": fit, "spheres": spheres, "carve": carve, "space": space, "evaluate": evaluate,
    "simulate": simulate, "load": load,
}  # fmt: skip


def behaviour(verbs: Iterable[str]) -> dict[str, str]:
    """Return a hash per verb, or `unknown` if a package that the verb needs is missing."""
    made = proof_meshes.meshes()
    meshes = [_same_everywhere(made[name]) for name in MESHES]
    return {verb: _hash(verb, meshes) for verb in verbs}


def _same_everywhere(mesh: hitbox.Mesh) -> hitbox.Mesh:
    """Return the mesh without the last digits of its vertices: numpy's sine depends on the processor."""
    polygons = np.split(mesh.indices, mesh.offsets[1:-1])
    return hitbox.Mesh(np.round(mesh.vertices, 9), polygons)


def _hash(verb: str, meshes: list[hitbox.Mesh]) -> str:
    try:
        found = [VERBS[verb](mesh) for mesh in meshes]
    except hitbox.InputError:
        return UNKNOWN
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:10]
