"""Settings for all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# There is no deadline, because a test on a busy machine is slow and not wrong. Every run has the same
# examples: some tests compare random points with expected values, and with new examples one of them would
# fail by chance some day. Set HYPOTHESIS_PROFILE=random to look for new examples.
settings.register_profile("hitbox", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "hitbox"))

# A process that a shell starts in the background ignores Ctrl-C, and so do its children. Some tests send
# Ctrl-C to children.
signal.signal(signal.SIGINT, signal.default_int_handler)
