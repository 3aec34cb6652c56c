"""Plots as inline SVG: lines and points on two axes, in the colours of the page.

Colours are CSS classes (`series-0`, `series-1`, ...), so plots follow the page's dark mode.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitbox._compare.figures import tick

WIDTH, HEIGHT = 480, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 14, 12, 44
SERIES = 6  # number of colours; further series reuse them, dashed
GREY = -1  # colour of the reference
_DIAMOND, _DOT = 6, 3.2  # half sizes
_MOST_MARKED = 12  # a line of up to this many points also shows dots
_TINY = 1e-300  # smaller values count as zero
_MOST_POINTS = 240  # per line: more are not visible


@dataclass(frozen=True)
class Series:
    """The points of one method, drawn as a line or as single points."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    color: int
    line: bool = True


@dataclass(frozen=True)
class Axis:
    """An axis: its label, and whether it is logarithmic."""

    label: str
    log: bool = False


def smoothed(values: npt.NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Smooth a noisy line: return the centres of windows, and the median of each."""
    window = max(1, math.ceil(len(values) / 60))
    half = window // 2
    at = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MOST_POINTS)).astype(int))
    return (
        [float(k) for k in at],
        [float(np.median(values[max(0, k - half) : k + half + 1])) for k in at],
    )


def plot(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> str:
    """Return the SVG of all series with points, or an empty text if there are none."""
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
    """Map values to pixels, with round ticks. A logarithmic scale shows five decades and clamps smaller
    values.
    """

    def __init__(
        self, axis: Axis, values: Sequence[float], start: float, end: float, *, from_zero: bool = False
    ) -> None:
        self.axis = axis
        self._start, self._end = start, end
        if axis.log:
            most = max(max(values), _TINY)
            self._floor = max(min(v for v in (*values, most) if v > 0), most * 1e-5)
            low, high = math.log10(self._floor), math.log10(most)
            margin = max(0.25 - (high - low) / 2, 0.04 * (high - low))
            self._low, self._high = low - margin, high + margin
            self.ticks = _log_ticks(self._low, self._high)
        else:
            low, high = 0.0 if from_zero else min(values), max(values)
            step = _step(high - low if high - low > _TINY else 1.0)
            self._low, self._high = low, max(high, low + step)
            if from_zero:
                self._high = max(math.ceil(high / step - 1e-9), 1) * step
            self.ticks = _linear_ticks(self._low, self._high, step)

    def at(self, value: float) -> float:
        v = math.log10(max(value, self._floor)) if self.axis.log else value
        return self._start + (v - self._low) / (self._high - self._low) * (self._end - self._start)


def _step(extent: float) -> float:
    """Return a step that divides `extent` into about five: 1, 2 or 5 times a power of ten."""
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
    base, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    parts = []
    for value in y.ticks:
        at = y.at(value)
        parts.append(
            _line("grid", _LEFT, at, right, at) + _text("tick", _LEFT - 8, at + 4, "end", _number(value, y))
        )
    for value in x.ticks:
        at = x.at(value)
        parts.append(
            _line("axis", at, base, at, base + 4) + _text("tick", at, base + 18, "middle", _number(value, x))
        )
    label = _text("label", (_LEFT + right) / 2, HEIGHT - 6, "middle", x.axis.label)
    return "".join(parts) + _line("axis", _LEFT, base, right, base) + label


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(kind: str, x: float, y: float, anchor: str, text: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _number(value: float, scale: _Scale) -> str:
    return tick(value, in_percent="%" in scale.axis.label)


def _color(series: Series) -> str:
    if series.color == GREY:
        return "series-grey"
    return f"series-{series.color % SERIES}" + (" again" if series.color >= SERIES else "")


def _draw(series: Series, across: Callable[[float], float], up: Callable[[float], float]) -> str:
    points = [(across(x), up(y)) for x, y in zip(series.x, series.y, strict=True)]
    # All levels of a mesh that is one box are equal. Draw a dot then, not a line.
    if series.line and all(math.dist(point, points[0]) < 2 * _DOT for point in points):
        points = points[:1]
    name = f"<title>{html.escape(series.label)}</title>"
    marked = not series.line or len(points) <= _MOST_MARKED
    marks = "".join(_mark(px, py, series.line) for px, py in points) if marked else ""
    if not series.line:
        return f'<g class="points {_color(series)}">{name}{marks}</g>'
    path = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in points)
    line = f'<path d="{path}"/>' if len(points) > 1 else ""
    return f'<g class="line {_color(series)}">{name}{line}{marks}</g>'


def _mark(x: float, y: float, small: bool) -> str:
    """Draw a dot on a line, or a diamond for a single point."""
    if small:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}"/>'
    corners = ((x, y - _DIAMOND), (x + _DIAMOND, y), (x, y + _DIAMOND), (x - _DIAMOND, y))
    return f'<path class="mark" d="M{"L".join(f"{cx:.1f} {cy:.1f}" for cx, cy in corners)}Z"/>'
