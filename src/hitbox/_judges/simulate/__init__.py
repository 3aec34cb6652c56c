"""Runs colliders and meshes in a physics engine, and compares their frame times and behaviour.

`simulate` runs one, `simulate_together` several side by side. Each run imports its engine when it starts.
"""

from __future__ import annotations

from hitbox._judges.simulate.options import ENGINES, SimulateOptions
from hitbox._judges.simulate.run import Simulation, model_of, simulate, simulate_together
from hitbox._judges.simulate.scenes import SCENES
from hitbox._judges.simulate.similarity import Similarity

__all__ = [
    "ENGINES",
    "SCENES",
    "Similarity",
    "SimulateOptions",
    "Simulation",
    "model_of",
    "simulate",
    "simulate_together",
]
