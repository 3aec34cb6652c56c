"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# A test on a busy machine is slow, not wrong.
settings.register_profile("hitbox", deadline=None)
settings.load_profile("hitbox")
