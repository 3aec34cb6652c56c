"""Plots as inline SVG: lines and points on two axes, drawn with the page's own colours.

Colours are CSS classes (`series-0`, `series-1`, ...), so that a plot follows the page into the dark.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

WIDTH, HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 14, 12, 44
SERIES = 6  # different colours; further ones start again, dashed
_MOST_POINTS = 240  # of a line: more cannot be seen


@dataclass(frozen=True)
class Series:
    """One method: a line through its points, or single points."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    color: int
    line: bool = True


@dataclass(frozen=True)
class Axis:
    """A label and its scale."""

    label: str
    log: bool = False


def smoothed(values: npt.NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """A line that can be read: medians over windows of neighbours, and where their middles are."""
    window = max(1, math.ceil(len(values) / 60))
    half = window // 2
    at = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MOST_POINTS)).astype(int))
    return (
        [float(k) for k in at],
        [float(np.median(values[max(0, k - half) : k + half + 1])) for k in at],
    )


def plot(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    """The SVG of all series that have a point; empty if none has."""
    shown = [s for s in series if len(s.x)]
    if not shown:
        return ""
    across = _Scale(x, [v for s in shown for v in s.x], _LEFT, WIDTH - _RIGHT)
    up = _Scale(y, [v for s in shown for v in s.y], HEIGHT - _BOTTOM, _TOP, from_zero=not y.log)
    drawn = "".join(_draw(s, across.at, up.at) for s in shown)
    name = html.escape(title)
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">'
        f"<title>{name}</title>{_grid(across, up)}{drawn}</svg>"
    )


def legend(series: Sequence[Series]) -> str:
    items = "".join(
        f'<li><span class="key {_color(s)}{"" if s.line else " dot"}"></span>{html.escape(s.label)}</li>'
        for s in series
        if len(s.x)
    )
    return f'<ul class="legend">{items}</ul>'


class _Scale:
    """From values to pixels, with round ticks."""

    def __init__(
        self, axis: Axis, values: Sequence[float], start: float, end: float, *, from_zero: bool = False
    ) -> None:
        self.axis = axis
        self._start, self._end = start, end
        if axis.log:
            positive = [v for v in values if v > 0] or [1.0]
            self._floor = min(positive)
            low, high = math.log10(self._floor), math.log10(max(positive))
            if high - low < 0.5:
                low, high = low - 0.25, high + 0.25
            margin = 0.04 * (high - low)
            self._low, self._high = low - margin, high + margin
            self.ticks = _log_ticks(self._low, self._high)
        else:
            low, high = (0.0 if from_zero else min(values)), max(values)
            step = _step(high - low or abs(high) or 1.0)
            self._low = low if not from_zero else 0.0
            self._high = max(math.ceil(high / step - 1e-9) * step, self._low + step) if from_zero else max(high, low + 1e-12)
            self.ticks = _linear_ticks(self._low, self._high, step)

    def at(self, value: float) -> float:
        v = math.log10(max(value, self._floor)) if self.axis.log else value
        return self._start + (v - self._low) / (self._high - self._low) * (self._end - self._start)


def _step(extent: float) -> float:
    """About five round steps: 1, 2 or 5 times a power of ten."""
    rough = extent / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))


def _linear_ticks(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 4, 5, 6, 8)):
        powers = range(math.floor(low), math.ceil(high) + 1)
        ticks = [f * 10.0**p for p in powers for f in factors if low <= math.log10(f * 10.0**p) <= high]
        if len(ticks) >= 3:
            break
    return ticks


def _grid(x: _Scale, y: _Scale) -> str:
    parts = []
    for value in y.ticks:
        at = y.at(value)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text class="tick" x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{_number(value, y.axis.label)}</text>'
        )
    for value in x.ticks:
        at = x.at(value)
        parts.append(
            f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{HEIGHT - _BOTTOM}" y2="{HEIGHT - _BOTTOM + 4}"/>'
            f'<text class="tick" x="{at:.1f}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{_number(value, "")}</text>'
        )
    base = HEIGHT - _BOTTOM
    parts.append(f'<line class="axis" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{base}" y2="{base}"/>')
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(
        f'<text class="label" x="{middle:.0f}" y="{HEIGHT - 6}" text-anchor="middle">{html.escape(x.axis.label)}</text>'
    )
    return "".join(parts)


def _number(value: float, label: str) -> str:
    if "%" in label:
        return f"{100 * value:.3g} %"
    if abs(value) >= 10_000:
        return f"{value / 1000:g}k" if abs(value) < 1e6 else f"{value / 1e6:g}M"
    return f"{value:g}"


def _color(series: Series) -> str:
    return f"series-{series.color % SERIES}" + (" again" if series.color >= SERIES else "")


def _draw(series: Series, across: Callable[[float], float], up: Callable[[float], float]) -> str:
    points = [(across(x), up(y)) for x, y in zip(series.x, series.y, strict=True)]
    name = f"<title>{html.escape(series.label)}</title>"
    marks = "".join(_mark(px, py, series.line) for px, py in points) if _marked(series) else ""
    if not series.line:
        return f'<g class="points {_color(series)}">{name}{marks}</g>'
    path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
    return f'<g class="line {_color(series)}">{name}<path d="{path}"/>{marks}</g>'


def _marked(series: Series) -> bool:
    return not series.line or len(series.x) <= 12


def _mark(x: float, y: float, small: bool) -> str:
    """A dot on a line, a diamond for a point of its own."""
    if small:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2"/>'
    r = 7
    return f'<path class="mark" d="M{x:.1f} {y - r:.1f}L{x + r:.1f} {y:.1f}L{x:.1f} {y + r:.1f}L{x - r:.1f} {y:.1f}Z"/>'
