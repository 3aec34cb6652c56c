"""MuJoCo: has boxes, spheres, capsules and cylinders; frustums, prisms and hulls become mesh geoms.

MuJoCo's mesh geom is the convex hull of its vertices, so a triangle mesh becomes a rigid flex: its triangles,
attached to the world, each with a small radius. MuJoCo has no restitution or continuous detection. A frame
has four steps, or fast balls would pass through thin sheets. Thousands of bodies cost more here
than in Rapier: all of them form one system of equations, split into islands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitbox._base.errors import InputError
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
from hitbox._model.shapes import Box, Capsule, Cylinder, FloatArray, IndexArray, Shape, Sphere

STEPS = 4  # per frame
SENSIBLE = 1000  # bodies: with more, a run takes minutes
_SKIN = 0.002  # m: radius of the mesh's triangles; for balls below 0.1 m, 2 % of the ball's radius
_LEAST = 1e-12
_FLAT = 1e-5  # m: MuJoCo refuses thinner hulls, as they have no volume


class MujocoEngine:
    def __init__(self, setup: Setup) -> None:
        self._m = m = engine_module("mujoco")
        self.notes: list[str] = []
        self._unit = setup.unit
        self._meshes = 0
        spec = m.MjSpec()
        _set_options(m, spec, setup)
        for solid in setup.still:
            self._place(spec, spec.worldbody, solid, FRICTION)
        names: list[str] = []
        for bodies in setup.moving:
            self._add(spec, bodies, names)
        try:
            self._model = spec.compile()
        except ValueError as error:
            reason = " ".join(str(error).split())
            raise InputError(f"simulate: MuJoCo refuses this scene: {reason}") from None
        self._data = m.MjData(self._model)
        self._ids = np.array([self._model.body(name).id for name in names], np.int64)
        self._velocity = self._model.jnt_dofadr[self._model.body_jntadr[self._ids]]
        self._dofs = self._model.body_dofnum[self._ids]
        self._push(setup.moving)
        self._frozen: dict[int, FloatArray] = {}
        self._warned = False
        m.mj_forward(self._model, self._data)
        if len(names) > SENSIBLE:
            self.notes.append(f"MuJoCo is slow with {len(names):,} bodies: use at most {SENSIBLE:,}.")

    def _push(self, moving: tuple[Bodies, ...]) -> None:
        """Set initial velocities, and constant pushes as forces."""
        first = 0
        for bodies in moving:
            some = self._ids[first : first + len(bodies.positions)]
            if bodies.velocities is not None:
                at = self._velocity[first : first + len(some)]
                self._data.qvel[at[:, None] + np.arange(3)] = bodies.velocities
            if bodies.pushes is not None:
                self._data.xfrc_applied[some, :3] = bodies.pushes * self._model.body_mass[some, None]
            first += len(some)

    def _add(self, spec: Any, bodies: Bodies, names: list[str]) -> None:
        parts = self._geoms(spec, bodies.solid)
        for k, position in enumerate(bodies.positions):
            name = f"b{len(names)}"
            names.append(name)
            body = spec.worldbody.add_body(name=name, pos=position)
            if bodies.rotations is not None:
                body.quat = _wxyz(bodies.rotations[k])
            # Not quite 0: only then MuJoCo computes the term that lets `freeze` disable the weight.
            body.gravcomp = _LEAST if bodies.pushes is None else 1.0
            if bodies.turns:
                body.add_freejoint()
            else:
                for axis in np.eye(3):
                    body.add_joint(type=self._m.mjtJoint.mjJNT_SLIDE, axis=axis)
            for part in parts:
                body.add_geom(friction=_friction(bodies.friction), contype=2 if bodies.alone else 1, **part)

    def _place(self, spec: Any, body: Any, solid: Solid, friction: float) -> None:
        if solid.vertices is None or solid.triangles is None:
            for part in self._geoms(spec, solid):
                body.add_geom(friction=_friction(friction), **part)
            return
        triangles = _with_area(solid.vertices, solid.triangles)
        if len(triangles) < len(solid.triangles):
            lost = len(solid.triangles) - len(triangles)
            self.notes.append(f"{lost:,} triangles without area were left out, because MuJoCo refuses them")
        if not len(triangles):
            return
        flex = spec.add_flex()
        flex.name, flex.dim, flex.radius = "mesh", 2, _SKIN * self._unit
        flex.vertbody = ["world"]
        flex.vert, flex.elem = solid.vertices.ravel(), triangles.astype(np.int32).ravel()
        flex.contype = flex.conaffinity = 1
        flex.selfcollide = self._m.mjtFlexSelf.mjFLEXSELF_NONE
        flex.friction = _friction(friction)

    def _geoms(self, spec: Any, solid: Solid) -> list[dict[str, Any]]:
        geoms = []
        for k, shape in enumerate(solid.shapes):
            geom = geom_of(self._m, shape)
            if geom is None:
                points = shape.to_mesh(SEGMENTS)[0]
                if _thickness(points) < _FLAT * self._unit:
                    what = f"shape {k}, a {shape.kind}, was left out"
                    self.notes.append(f"{what}, because MuJoCo refuses flat hulls")
                    continue
                name = f"m{self._meshes}"
                self._meshes += 1
                spec.add_mesh(name=name, uservert=points.ravel(), maxhullvert=-1)
                geom = {"type": self._m.mjtGeom.mjGEOM_MESH, "meshname": name}
            geoms.append(geom)
        return geoms

    def step(self) -> None:
        self._m.mj_step(self._model, self._data, STEPS)

    def positions(self) -> FloatArray:
        values = np.array(self._data.xpos[self._ids])
        for k, position in self._frozen.items():
            values[k] = position
        return values

    def velocities(self) -> FloatArray:
        values = np.array(self._data.qvel[self._velocity[:, None] + np.arange(3)])
        values[list(self._frozen)] = 0
        return values

    def freeze(self, which: Sequence[int]) -> None:
        at = self.positions()
        for k in which:
            self._frozen[k] = at[k]
            first = self._model.body_geomadr[self._ids[k]]
            geoms = slice(first, first + self._model.body_geomnum[self._ids[k]])
            self._model.geom_contype[geoms] = self._model.geom_conaffinity[geoms] = 0
            self._model.body_gravcomp[self._ids[k]] = 1.0
            self._data.xfrc_applied[self._ids[k]] = 0
            self._data.qvel[self._velocity[k] : self._velocity[k] + self._dofs[k]] = 0

    def contacts(self) -> int:
        if not self._warned and any(warning.number for warning in self._data.warning):
            self._warned = True
            self.notes.append("MuJoCo issued warnings (memory full, or unstable): do not trust this run")
        return int(self._data.ncon)

    def deepest(self) -> float:
        return max(0.0, -float(self._data.contact.dist.min())) if self._data.ncon else 0.0


def _set_options(m: Any, spec: Any, setup: Setup) -> None:
    option = spec.option
    option.timestep = FRAME / STEPS
    option.gravity = setup.gravity
    option.solver = m.mjtSolver.mjSOL_CG  # Newton factors a pile of balls as one matrix: 20 times slower
    option.jacobian = m.mjtJacobian.mjJAC_SPARSE
    option.cone = m.mjtCone.mjCONE_PYRAMIDAL
    option.integrator = m.mjtIntegrator.mjINT_IMPLICITFAST
    option.iterations, option.ls_iterations = 20, 10
    option.enableflags |= int(m.mjtEnableBit.mjENBL_SLEEP)  # as in Rapier
    # MuJoCo's own estimate is gigabytes; 5000 balls used 100 MB.
    count = sum(len(bodies.positions) for bodies in setup.moving)
    spec.memory = min(100_000_000 + 40 * count**2, 2_000_000_000)


def geom_of(m: Any, shape: Shape) -> dict[str, Any] | None:
    """Return the geom of `shape`, or None if MuJoCo needs its hull instead."""
    if isinstance(shape, Box):
        return {
            "type": m.mjtGeom.mjGEOM_BOX,
            "size": list(shape.half_extents),
            "pos": shape.center,
            "quat": _wxyz(shape.rotation),
        }
    if isinstance(shape, Sphere):
        return {"type": m.mjtGeom.mjGEOM_SPHERE, "size": [shape.radius, 0, 0], "pos": shape.center}
    if isinstance(shape, (Capsule, Cylinder)):
        start, end = np.array(shape.start), np.array(shape.end)
        length = float(np.linalg.norm(end - start))
        if length == 0:
            return {"type": m.mjtGeom.mjGEOM_SPHERE, "size": [shape.radius, 0, 0], "pos": shape.start}
        kind = m.mjtGeom.mjGEOM_CAPSULE if isinstance(shape, Capsule) else m.mjtGeom.mjGEOM_CYLINDER
        return {
            "type": kind,
            "size": [shape.radius, length / 2, 0],
            "pos": (start + end) / 2,
            "quat": _wxyz(turned((0, 0, 1), (end - start) / length)),
        }
    return None


def _thickness(points: FloatArray) -> float:
    """Return approximately the smallest extent of the points in any direction."""
    local = points - points.mean(axis=0)
    axes = np.linalg.svd(local, full_matrices=False)[2]
    return float(np.ptp(local @ axes.T, axis=0).min())


def _with_area(vertices: FloatArray, triangles: IndexArray) -> IndexArray:
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.asarray(triangles[doubled > _FLAT**2])


def _friction(sliding: float) -> list[float]:
    return [sliding, 0.005, 0.0001]  # MuJoCo's defaults for twisting and rolling


def _wxyz(rotation: Any) -> list[float]:
    x, y, z, w = (float(v) for v in rotation)
    return [w, x, y, z]
