"""Replaces the collision meshes of a URDF or an MJCF by primitives, for all links in one run."""

from __future__ import annotations

from hitbox._methods.robot.options import RobotOptions
from hitbox._methods.robot.run import LinkReport, RobotReport, robot
from hitbox._methods.robot.self_collisions import SelfCollision

__all__ = ["LinkReport", "RobotOptions", "RobotReport", "SelfCollision", "robot"]
