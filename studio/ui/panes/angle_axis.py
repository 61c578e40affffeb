"""Angles on a column of pixels: the part that is in view, and where its lines stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1, 2, 5, 10, 15, 30, 45, 60, 90)
_LINE_PX = 30
LEAST_RAD = math.radians(8.0)
"""A pane never shows less than this."""


@dataclass(frozen=True)
class AngleAxis:
    """``low`` and ``high``: what is in view, rad; ``top`` and ``height`` px. More is further up."""

    low: float
    high: float
    top: float = 0.0
    height: float = 1.0

    def y(self, angle: float) -> float:
        """Pixel of an angle; those out of view lie outside."""
        return self.top + (self.high - angle) / (self.high - self.low) * self.height

    def angle(self, y: float) -> float:
        """Angle (rad) at a pixel, also outside the view."""
        return self.high - (y - self.top) / self.height * (self.high - self.low)

    def ticks(self) -> tuple[int, ...]:
        """Whole degrees at which lines stand."""
        low, high = math.degrees(self.low), math.degrees(self.high)
        wanted = (high - low) / max(self.height / _LINE_PX, 1)
        step = next((s for s in _STEPS if s >= wanted), _STEPS[-1])
        return tuple(range(math.ceil(low / step) * step, math.floor(high / step) * step + 1, step))


def fitting(low: float, high: float, limits: tuple[float, float], top: float, height: float) -> AngleAxis:
    """An axis with room around what lies between ``low`` and ``high`` (rad), and with a joint limit that is near."""
    span = max(high - low, LEAST_RAD)
    middle = (low + high) / 2
    bottom, upper = middle - 0.75 * span, middle + 0.75 * span
    near = 0.25 * span
    if bottom - near < limits[0]:
        bottom = limits[0] - 0.12 * span
    if upper + near > limits[1]:
        upper = limits[1] + 0.12 * span
    return AngleAxis(bottom, upper, top, max(height, 1.0))
