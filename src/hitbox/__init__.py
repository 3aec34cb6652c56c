"""hitbox turns a 3D mesh into a collider: the fewest convex shapes that enclose it."""

from __future__ import annotations

from hitbox.carve import CarveOptions, carve
from hitbox.check import CheckReport, check
from hitbox.collider import Collider
from hitbox.errors import InputError
from hitbox.evaluate import Evaluation, evaluate
from hitbox.fit import FitOptions, FitTree, fit, fit_tree
from hitbox.formats import load
from hitbox.merge import MergeOptions, merge
from hitbox.mesh import CleanReport, Mesh, MeshInfo
from hitbox.robot import RobotOptions, RobotReport, robot
from hitbox.shapes import Box, Capsule, Cylinder, Frustum, Hull, Prism, Shape, Sphere
from hitbox.simulate import Similarity, SimulateOptions, Simulation, simulate
from hitbox.space import HalfSpace, NavigableSpace, navigable_space

__all__ = [
    "Box", "Capsule", "CarveOptions", "CheckReport", "CleanReport", "Collider", "Cylinder", "Evaluation",
    "FitOptions", "FitTree", "Frustum", "HalfSpace", "Hull", "InputError", "MergeOptions", "Mesh",
    "MeshInfo", "NavigableSpace", "Prism", "RobotOptions", "RobotReport", "Shape", "Similarity",
    "SimulateOptions", "Simulation", "Sphere", "carve", "check", "evaluate", "fit", "fit_tree", "load",
    "merge", "navigable_space", "robot", "simulate",
]  # fmt: skip


def __getattr__(name: str) -> str:
    if name == "__version__":  # looked up when asked for: reading the metadata costs more than the import
        from hitbox._version import version

        return version()
    raise AttributeError(f"module 'hitbox' has no attribute {name!r}")
