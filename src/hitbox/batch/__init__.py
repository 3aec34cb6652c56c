"""batch: a verb on thousands of meshes, with limits, a manifest, and a page to look through."""

from __future__ import annotations

from hitbox.batch.driver import Summary, run
from hitbox.batch.local import Event

__all__ = ["Event", "Summary", "run"]
