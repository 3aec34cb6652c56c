"""Robots for tests, and functions that load them in MuJoCo and Rapier."""

from __future__ import annotations

import math
from pathlib import Path

import mesh_files
import numpy as np
import pytest
import specimens

import hitbox

# An L, which no single primitive matches.
ELL = hitbox.Mesh(
    np.concatenate(
        [specimens.box((0.4, 0.1, 0.1)).vertices, specimens.box((0.1, 0.1, 0.3), (0.15, 0, 0.2)).vertices]
    ),
    np.concatenate([specimens.box().indices.reshape(-1, 4) + first for first in (0, 8)]),
    name="ell",
)
TUBE = specimens.cylinder(0.05, 0.3)


def obj(mesh: hitbox.Mesh) -> bytes:
    return mesh_files.obj(mesh.vertices, [list(map(int, face)) for face in mesh.triangles])


def link(name: str, inside: str) -> str:
    return (
        f'  <link name="{name}">\n    <inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>\n'
        f"{inside}  </link>\n"
    )


def joint(name: str, parent: str, child: str, said: str = "", kind: str = "revolute") -> str:
    return (
        f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{said}'
        '<limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>\n'
    )


def mesh(file: str, said: str = "", origin: str = "", tag: str = "visual") -> str:
    return f'    <{tag}>{origin}<geometry><mesh filename="{file}" {said}/></geometry></{tag}>\n'


def urdf(inside: str, said: str = "") -> str:
    return f'<?xml version="1.0"?>\n<!-- kept -->\n<robot name="arm"{said}>\n{inside}</robot>\n'


ORIGIN = '<origin xyz="0.1 -0.2 0.3" rpy="0.3 -0.7 1.1"/>'
ARM = urdf(
    link("base", mesh("meshes/ell.obj") + mesh("meshes/ell.obj", tag="collision"))
    + link("upper", mesh("meshes/tube.obj", 'scale="1 -2 0.5"', ORIGIN))
    + link("fore", mesh("meshes/ell.obj", 'scale="0.5 0.5 0.5"') + mesh("meshes/tube.obj"))
    + link("tool", "")
    + joint("shoulder", "base", "upper", '<origin xyz="0.5 0 0.5" rpy="0.2 0.4 -0.3"/><axis xyz="0 1 1"/>')
    + joint("elbow", "upper", "fore", '<origin xyz="0 0 0.8"/><axis xyz="1 0 0"/>')
    + joint("wrist", "fore", "tool", '<origin xyz="0 0 0.5"/>', "fixed")
)


PART = """<mujocoinclude>
  <body name="arm" pos="0 0.3 0.2" euler="20 -40 70" childclass="robot">
    <joint name="j1" axis="0 1 0" pos="0 0 0.1" range="-90 90" ref="10"/>
    <geom class="visual" mesh="tube" pos="0.1 0 0" quat="1 2 3 4"/>
    <geom class="collision" type="box" size="0.1 0.1 0.1"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <frame pos="0 0 0.5" axisangle="1 1 0 30">
      <body name="hand" pos="0.1 0 0"><joint name="j2" type="slide" axis="1 0 0" range="-0.1 0.3"/>
        <geom name="palm" mesh="ell" euler="0 0 30"/>
        <geom mesh="tip" type="mesh" xyaxes="0 1 0 -1 0 0"/>
      </body>
    </frame>
  </body>
</mujocoinclude>
"""
MODEL = """<mujoco model="arm">
  <compiler meshdir="meshes" eulerseq="zXy"/> <!-- kept -->
  <default>
    <mesh scale="1 1 -1"/>
    <default class="robot">
      <geom type="mesh" friction="0.7 0.01 0.001"/>
      <default class="visual"><geom contype="0" conaffinity="0" group="2"/></default>
      <default class="collision"><geom group="4" condim="4"/></default>
    </default>
  </default>
  <asset>
    <mesh file="ell.obj" scale="1 2 -1" refpos="0.1 0.2 0.3" refquat="1 1 0 0"/>
    <mesh name="tube" file="tube.obj"/>
    <mesh name="tip" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom type="mesh" mesh="ell"/>
      <include file="part.xml"/>
    </body>
  </worldbody>
  <sensor><framepos objtype="geom" objname="palm"/></sensor>
</mujoco>
"""


def put_meshes(folder: Path) -> None:
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "ell.obj").write_bytes(obj(ELL))
    (folder / "meshes" / "tube.obj").write_bytes(obj(TUBE))


def inside_geoms(model, body: int, points: np.ndarray, slack: float = 1e-9) -> np.ndarray:
    """Return which points, in the body's frame, lie in one of the colliding geoms that MuJoCo has."""
    import mujoco

    found = np.zeros(len(points), bool)
    for g in np.flatnonzero((model.geom_bodyid == body) & (model.geom_contype > 0)):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.geom_quat[g])
        local, size = (points - model.geom_pos[g]) @ turn.reshape(3, 3), model.geom_size[g]
        kind = mujoco.mjtGeom(model.geom_type[g])
        if kind == mujoco.mjtGeom.mjGEOM_BOX:
            found |= (np.abs(local) <= size + slack).all(axis=1)
        elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            found |= np.linalg.norm(local, axis=1) <= size[0] + slack
        elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
            found |= (np.hypot(*local[:, :2].T) <= size[0] + slack) & (np.abs(local[:, 2]) <= size[1] + slack)
        elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            nearest = np.clip(local[:, 2], -size[1], size[1])
            away = np.stack([*local[:, :2].T, local[:, 2] - nearest], axis=1)
            found |= np.linalg.norm(away, axis=1) <= size[0] + slack
    return found


def mujoco_model(path):
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_file(str(path))
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    return spec.compile()


def same_places(before, after) -> None:
    """Return whether all bodies have the same places in both models, in several positions of the joints."""
    import mujoco

    assert before.nbody == after.nbody
    random = np.random.default_rng(0)
    for _ in range(5):
        angles = random.uniform(-1, 1, before.nq)
        poses = []
        for model in (before, after):
            data = mujoco.MjData(model)
            data.qpos[:] = angles
            mujoco.mj_forward(model, data)
            poses.append((data.xpos, data.xmat))
        assert np.array_equal(poses[0][0], poses[1][0])
        assert np.array_equal(poses[0][1], poses[1][1])


def turned(axis, angle: float) -> np.ndarray:
    """Rotate by Rodrigues' formula, as an oracle: the package uses quaternions."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    x, y, z = np.eye(3)
    return turned(z, yaw) @ turned(y, pitch) @ turned(x, roll)


def corners_in_mujoco(model, body: int) -> np.ndarray:
    """Return the corners of all mesh geoms of a body that MuJoCo has, in the body's frame."""
    import mujoco

    own = (model.geom_bodyid == body) & (model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    return np.concatenate([geom_corners(model, g) for g in np.flatnonzero(own)])


def geom_corners(model, geom: int) -> np.ndarray:
    """Return the corners of a mesh geom in its body's frame. MuJoCo stores them in 32 bits."""
    import mujoco

    k = model.geom_dataid[geom]
    points = model.mesh_vert[model.mesh_vertadr[k] : model.mesh_vertadr[k] + model.mesh_vertnum[k]]
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    return points @ turn.reshape(3, 3).T + model.geom_pos[geom]


def rapier_urdf(path: Path):
    """Return the world that Rapier makes of a URDF. Rapier silently drops unreadable parts, so count
    colliders.
    """
    rapier = pytest.importorskip("rapier3d")
    from rapier3d.loaders import urdf as loaders

    return _inserted(rapier, loaders.UrdfRobot.from_file(str(path), loaders.UrdfLoaderOptions())[0])


def rapier_mjcf(path: Path):
    rapier = pytest.importorskip("rapier3d")
    from rapier3d.loaders import mjcf as loaders

    return _inserted(rapier, loaders.MjcfRobot.from_file(str(path), loaders.MjcfLoaderOptions())[0])


def _inserted(rapier, robot):
    world = rapier.PhysicsWorld()
    robot.insert_using_impulse_joints(world.rigid_bodies, world.colliders, world.impulse_joints)
    return world
