"""What can go wrong because of the input: one exception, one sentence."""

from __future__ import annotations


class InputError(ValueError):
    """The input or an option is wrong. The message says what, where, and what would be right."""
