"""batch: run a verb on thousands of meshes, with limits, a manifest, and a page of pictures."""

from __future__ import annotations

from hitbox._batch.driver import Summary, run
from hitbox._batch.local import Event

__all__ = ["Event", "Summary", "run"]
