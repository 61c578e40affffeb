"""How long work will still take, from how fast it went lately."""

from __future__ import annotations

from collections import deque

WINDOW_S = 20.0
SETTLE_S = 1.0


class TimeLeft:
    """Fed with fractions; the rate of the last seconds counts, so a slow start is forgotten."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float]] = deque()

    def update(self, now: float, fraction: float) -> float | None:
        """Seconds left at ``fraction`` (0..1), ``now`` on any steady clock; None until a rate can be told."""
        while self._seen and (
            fraction < self._seen[-1][1] or (now - self._seen[0][0] > WINDOW_S and len(self._seen) > 2)
        ):
            self._seen.popleft() if fraction >= self._seen[-1][1] else self._seen.clear()
        self._seen.append((now, fraction))
        start, done = self._seen[0]
        if now - start < SETTLE_S or fraction <= done:
            return None
        return (1.0 - fraction) * (now - start) / (fraction - done)
