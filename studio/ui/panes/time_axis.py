"""Seconds on a line of pixels: the part that is in view, and where its ticks stand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
_TICK_PX = 64
_SHORTEST_S = 0.15


@dataclass(frozen=True)
class TimeAxis:
    """``start_s`` and ``end_s``: the take; ``first_s`` and ``last_s``: what is in view; ``left`` and ``width`` px."""

    start_s: float
    end_s: float
    first_s: float
    last_s: float
    left: float
    width: float

    @staticmethod
    def whole(start_s: float, end_s: float, left: float = 0.0, width: float = 1.0) -> TimeAxis:
        """All of a take in view. A take without length gets one frame's worth."""
        end_s = max(end_s, start_s + 1e-3)
        return TimeAxis(start_s, end_s, start_s, end_s, left, max(width, 1.0))

    def laid(self, left: float, width: float) -> TimeAxis:
        """The same view on other pixels."""
        return replace(self, left=left, width=max(width, 1.0))

    def x(self, time_s: float) -> float:
        """Pixel of a moment; moments out of view lie outside."""
        return self.left + (time_s - self.first_s) / (self.last_s - self.first_s) * self.width

    def clipped(self, time_s: float) -> float:
        """Pixel of a moment, kept within the view."""
        return min(max(self.x(time_s), self.left), self.left + self.width)

    def time(self, x: float) -> float:
        """Moment (s) at a pixel, kept within the take."""
        moment = self.first_s + (x - self.left) / self.width * (self.last_s - self.first_s)
        return min(max(moment, self.start_s), self.end_s)

    @property
    def is_whole(self) -> bool:
        return self.first_s <= self.start_s and self.last_s >= self.end_s

    def zoomed(self, factor: float, around_s: float) -> TimeAxis:
        """``factor`` below 1 shows less, the moment ``around_s`` stays where it is."""
        span = self.last_s - self.first_s
        whole = self.end_s - self.start_s
        new = min(max(span * factor, min(_SHORTEST_S, whole)), whole)
        first = around_s - (around_s - self.first_s) / span * new
        return self._from(first, new)

    def moved(self, seconds: float) -> TimeAxis:
        """The view shifted, kept within the take."""
        return self._from(self.first_s + seconds, self.last_s - self.first_s)

    def following(self, time_s: float) -> TimeAxis:
        """The view with this moment in it: moved by whole views where it had left."""
        if self.first_s <= time_s <= self.last_s:
            return self
        return self._from(time_s - (self.last_s - self.first_s) * 0.1, self.last_s - self.first_s)

    def ticks(self) -> tuple[tuple[float, ...], int]:
        """Moments of the ruler's ticks in view, and the decimals their numbers need."""
        span = self.last_s - self.first_s
        wanted = span / max(self.width / _TICK_PX, 1)
        step = next((s for s in _STEPS if s >= wanted), _STEPS[-1])
        first = math.ceil(self.first_s / step - 1e-9)
        last = math.floor(self.last_s / step + 1e-9)
        return tuple(k * step for k in range(first, last + 1)), 0 if step >= 1 else 1 if step >= 0.1 else 2

    def _from(self, first: float, span: float) -> TimeAxis:
        first = min(max(first, self.start_s), self.end_s - span)
        return replace(self, first_s=first, last_s=first + span)
