"""compare: run hitbox and its peers on the same meshes, measure and simulate the results, and write one
page.
"""

from __future__ import annotations

from hitbox._compare.rows import INPUT, Comparison, Level, Row, Spread, Subject, Totals
from hitbox._compare.run import compare, has_answer

__all__ = ["INPUT", "Comparison", "Level", "Row", "Spread", "Subject", "Totals", "compare", "has_answer"]
