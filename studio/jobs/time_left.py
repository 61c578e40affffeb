"""How long work will still take, from how fast it went lately."""

from __future__ import annotations

from collections import deque

WINDOW_S = 20.0
SETTLE_S = 1.0
SETTLE_FRACTION = 0.02
"""Loading comes before the first step of the work: nothing is told until so much of it went by."""


class TimeLeft:
    """Fed with fractions; the rate of the last seconds counts, so a slow start is forgotten."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque()

    def update(self, now: float, fraction: float) -> float | None:
        """Seconds left at ``fraction`` (0..1), ``now`` on any steady clock; None until a rate can be told.

        A fraction that falls begins anew.
        """
        if self._seen and fraction < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, fraction))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_S:
            self._seen.popleft()
        start, done = self._seen[0]
        if now - start < SETTLE_S or fraction - done < SETTLE_FRACTION:
            return None
        return (1.0 - fraction) * (now - start) / (fraction - done)
