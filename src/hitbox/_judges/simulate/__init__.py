"""Colliders and meshes in a real physics engine: what a frame costs, and whether things behave the same.

`simulate` runs one, `simulate_together` several side by side. Engines are imported when a run starts.
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
