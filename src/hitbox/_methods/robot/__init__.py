"""Robots: primitives in place of a URDF's or an MJCF's collision meshes, in one job."""

from __future__ import annotations

from hitbox._methods.robot.options import RobotOptions
from hitbox._methods.robot.run import LinkReport, RobotReport, robot
from hitbox._methods.robot.self_collisions import SelfCollision

__all__ = ["LinkReport", "RobotOptions", "RobotReport", "SelfCollision", "robot"]
