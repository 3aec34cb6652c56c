"""Format numbers for the page and its plots."""

from __future__ import annotations


def whole(value: float) -> str:
    return f"{round(value):,}"


def three_digits(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def tick(value: float, *, in_percent: bool) -> str:
    """Format an axis label briefly: its values are round."""
    if in_percent:
        return f"{100 * value:.3g} %"
    if abs(value) >= 10_000:
        return f"{value / 1000:g}k" if abs(value) < 1e6 else f"{value / 1e6:g}M"
    return f"{value:g}"
