"""hitbox turns a 3D mesh into a collider: the fewest convex shapes that enclose it.

Everything public is here, as `hitbox.<name>`; modules whose names start with an underscore are private.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hitbox._base.errors import InputError
from hitbox._formats.read_mesh import load
from hitbox._methods.carve import CarveOptions, carve
from hitbox._methods.convert import convert
from hitbox._methods.fit import FitTree, fit, fit_tree
from hitbox._methods.fit_options import FitOptions
from hitbox._methods.fit_spheres import SpheresOptions, fit_spheres
from hitbox._methods.merge import MergeOptions, merge
from hitbox._methods.robot import RobotOptions, RobotReport, robot
from hitbox._methods.space import navigable_space
from hitbox._model.collider import Collider, Label, Status
from hitbox._model.mesh import CleanReport, Mesh, MeshInfo
from hitbox._model.shapes import Box, Capsule, Cylinder, Frustum, Hull, Prism, Shape, Sphere
from hitbox._model.space import HalfSpace, NavigableSpace, Overlap

if TYPE_CHECKING:
    from hitbox._base.version import version
    from hitbox._batch import Summary as BatchSummary
    from hitbox._batch import run as batch
    from hitbox._compare import Comparison, compare
    from hitbox._formats.export import ExportReport
    from hitbox._judges.check import CheckReport, check
    from hitbox._judges.evaluate import Evaluation, evaluate
    from hitbox._judges.render import render
    from hitbox._judges.simulate import (
        Similarity,
        SimulateOptions,
        Simulation,
        simulate,
        simulate_together,
    )

    __version__ = version()

__all__ = [
    "BatchSummary", "Box", "Capsule", "CarveOptions", "CheckReport", "CleanReport", "Collider", "Comparison",
    "Cylinder", "Evaluation", "ExportReport", "FitOptions", "FitTree", "Frustum", "HalfSpace", "Hull",
    "InputError", "Label", "MergeOptions", "Mesh", "MeshInfo", "NavigableSpace", "Overlap", "Prism",
    "RobotOptions", "RobotReport", "Shape", "Similarity", "SimulateOptions", "Simulation", "Sphere",
    "SpheresOptions", "Status", "batch", "carve", "check", "compare", "convert", "evaluate", "fit",
    "fit_spheres", "fit_tree", "load", "merge", "navigable_space", "render", "robot", "simulate",
    "simulate_together",
]  # fmt: skip

# Names that are looked up when asked for: their modules cost more than all the rest of the import.
_LAZY = {
    "BatchSummary": ("hitbox._batch", "Summary"),
    "CheckReport": ("hitbox._judges.check", "CheckReport"),
    "Comparison": ("hitbox._compare", "Comparison"),
    "Evaluation": ("hitbox._judges.evaluate", "Evaluation"),
    "ExportReport": ("hitbox._formats.export", "ExportReport"),
    "Similarity": ("hitbox._judges.simulate", "Similarity"),
    "SimulateOptions": ("hitbox._judges.simulate", "SimulateOptions"),
    "Simulation": ("hitbox._judges.simulate", "Simulation"),
    "batch": ("hitbox._batch", "run"),
    "check": ("hitbox._judges.check", "check"),
    "compare": ("hitbox._compare", "compare"),
    "evaluate": ("hitbox._judges.evaluate", "evaluate"),
    "render": ("hitbox._judges.render", "render"),
    "simulate": ("hitbox._judges.simulate", "simulate"),
    "simulate_together": ("hitbox._judges.simulate", "simulate_together"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from hitbox._base.version import version

        return version()
    if name not in _LAZY:
        raise AttributeError(f"module 'hitbox' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    found = globals()[name] = getattr(import_module(module), attribute)
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
