"""Rapier: has boxes, balls, capsules and cylinders; frustums, prisms and hulls become convex hulls.

A mesh is a trimesh. The engine runs on one thread, so that a run always gives the same bytes and times are
comparable. Each static shape is a collider of its own. The engine stores positions in float32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hitbox._judges.simulate.world import (
    FRAME,
    FRICTION,
    SEGMENTS,
    Bodies,
    Setup,
    Solid,
    engine_module,
    turned,
)
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, Shape, Sphere


class RapierEngine:
    def __init__(self, setup: Setup) -> None:
        self._r = engine_module("rapier3d")
        self.notes: list[str] = []
        self._world = self._r.PhysicsWorld(gravity=tuple(setup.gravity))
        self._world.set_num_threads(1)
        self._world.integration_parameters.dt = FRAME
        self._world.integration_parameters.length_unit = setup.unit
        self._bodies: list[Any] = []
        with _panics_are_errors():
            for solid in setup.still:
                for builder in self._colliders(solid, FRICTION, 0.0):
                    self._world.add_collider(builder)
            for bodies in setup.moving:
                self._add(bodies)

    def _add(self, bodies: Bodies) -> None:
        r, builders = self._r, self._colliders(bodies.solid, bodies.friction, bodies.restitution)
        if bodies.alone:
            groups = r.InteractionGroups(r.Group.GROUP_2, r.Group.GROUP_1)
            builders = [builder.collision_groups(groups) for builder in builders]
        for k, position in enumerate(bodies.positions):
            body = r.RigidBody.dynamic()
            rotation = (0.0, 0.0, 0.0, 1.0) if bodies.rotations is None else bodies.rotations[k]
            body = body.position(_pose(r, position, rotation))
            if bodies.velocities is not None:
                body = body.linvel(tuple(bodies.velocities[k]))
            if bodies.pushes is not None:
                body = body.gravity_scale(0.0).can_sleep(False)
            if not bodies.turns:
                body = body.enabled_rotations((False, False, False))
            view = self._world.rigid_bodies[self._world.add_body(body, builders)]
            if bodies.pushes is not None:
                view.add_force(tuple(bodies.pushes[k] * view.mass))
            self._bodies.append(view)

    def _colliders(self, solid: Solid, friction: float, restitution: float) -> list[Any]:
        r = self._r
        if solid.vertices is not None and solid.triangles is not None:
            builders = [r.Collider.trimesh(solid.vertices, solid.triangles)]
        else:
            builders = []
            for k, shape in enumerate(solid.shapes):
                try:
                    builders.append(collider_of(r, shape))
                except r.RapierError as error:
                    what = f"shape {k}, a {shape.kind}, was left out"
                    self.notes.append(f"{what}, because of Rapier's error: {error}")
        larger = r.CoefficientCombineRule.MAX
        builders = [builder.friction(friction).restitution(restitution) for builder in builders]
        return [builder.restitution_combine_rule(larger) for builder in builders]

    def step(self) -> None:
        with _panics_are_errors():
            self._world.step()

    def positions(self) -> FloatArray:
        return np.array([body.translation.to_tuple() for body in self._bodies], np.float64).reshape(-1, 3)

    def velocities(self) -> FloatArray:
        return np.array([body.linvel.to_tuple() for body in self._bodies], np.float64).reshape(-1, 3)

    def freeze(self, which: Sequence[int]) -> None:
        for k in which:
            self._bodies[k].linvel = (0.0, 0.0, 0.0)
            self._bodies[k].is_enabled = False

    def contacts(self) -> int:
        return int(self._world.physics_pipeline.counters.cd.ncontact_pairs)

    def deepest(self) -> float:
        contacts = [pair.find_deepest_contact() for pair in self._world.narrow_phase.contact_pairs()]
        return max([0.0] + [-float(deepest.dist) for deepest in contacts if deepest is not None])


def collider_of(r: Any, shape: Shape) -> Any:
    """Return the builder of `shape`, at its pose."""
    if isinstance(shape, Box):
        return r.Collider.cuboid(*shape.half_extents).position(_pose(r, shape.center, shape.rotation))
    if isinstance(shape, Sphere):
        return r.Collider.ball(shape.radius).translation(shape.center)
    if isinstance(shape, Capsule):
        return r.Collider.capsule_from_endpoints(shape.start, shape.end, shape.radius)
    if isinstance(shape, Cylinder):
        start, end = np.array(shape.start), np.array(shape.end)
        length = float(np.linalg.norm(end - start))
        rotation = turned((0, 1, 0), (end - start) / length)
        builder = r.Collider.cylinder(length / 2, shape.radius)
        return builder.position(_pose(r, (start + end) / 2, rotation))
    return r.Collider.convex_hull(shape.to_mesh(SEGMENTS)[0])


@contextmanager
def _panics_are_errors() -> Iterator[None]:
    """Convert Rapier's panics to RuntimeError: they derive from BaseException, like Ctrl-C."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise RuntimeError(f"simulate: Rapier failed: {error}") from error
        raise


def _pose(r: Any, translation: Any, rotation: Any) -> Any:
    x, y, z, w = (float(v) for v in rotation)
    return r.Isometry3(tuple(float(v) for v in translation), r.Rotation3(w, x, y, z))
