"""Settings for all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# A test on a busy machine is slow, not wrong: no deadline. The same examples in every run: some tests compare
# random points with what is expected of them, and a run that draws new examples every time would one day fail
# for no reason anyone can see. Who looks for new ones sets HYPOTHESIS_PROFILE=random.
settings.register_profile("hitbox", deadline=None, derandomize=True)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "hitbox"))

# What a shell starts in the background ignores Ctrl-C, and hands that down: some tests send one to children.
signal.signal(signal.SIGINT, signal.default_int_handler)
