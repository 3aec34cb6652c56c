"""The exception for wrong input."""

from __future__ import annotations


class InputError(ValueError):
    """The input or an option is wrong. The message says what is wrong, where, and what would be right."""
