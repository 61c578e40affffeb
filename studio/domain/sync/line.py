"""The straight line through the events that two phones heard: how far apart and how fast their clocks run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_DRIFT = 150e-6
"""Clocks of phones differ by less; measured pairs stay within 60 parts in a million."""
LEAST_EVENTS = 3
LEAST_SPAN_S = 8.0
"""Fewer events, or events closer together, tell the drift less well than assuming none."""
FAR_S = 3.0
"""Pairs of events at least so far apart give a slope."""


@dataclass(frozen=True, eq=False)
class Line:
    """``lag = offset_s + drift * time``; ``used`` (N,) bool, the events that lie on it; ``residual_s`` their root mean
    square distance from it."""

    offset_s: float
    drift: float
    used: np.ndarray
    residual_s: float

    def at(self, times: np.ndarray | float) -> np.ndarray:
        return np.asarray(self.offset_s + self.drift * np.asarray(times, float))


def fit_line(times: np.ndarray, lags: np.ndarray, within_s: float) -> Line:
    """The line that most events agree with, to ``within_s``: median slope and offset (Theil and Sen), then least
    squares over those that agree. ``times`` and ``lags`` (N,) s, at least one event.

    The drift is 0 unless at least ``LEAST_EVENTS`` events cover ``LEAST_SPAN_S``, and never beyond ``MOST_DRIFT``.
    """
    close = np.abs(lags[:, None] - lags) <= within_s + MOST_DRIFT * np.ptp(times)
    near = close[int(np.argmax(close.sum(axis=0)))]
    drift = _median_slope(times[near], lags[near]) if _tells_drift(times[near]) else 0.0
    offset = float(np.median(lags[near] - drift * times[near]))
    used = np.abs(lags - offset - drift * times) <= within_s
    if not used.any():
        return Line(offset, drift, used, float("inf"))
    if _tells_drift(times[used]):
        middle = float(times[used].mean())
        around = times[used] - middle
        slope = float(around @ (lags[used] - lags[used].mean()) / (around @ around))
        drift = float(np.clip(slope, -MOST_DRIFT, MOST_DRIFT))
    else:
        drift = 0.0
    offset = float(np.mean(lags[used] - drift * times[used]))
    residual = lags[used] - offset - drift * times[used]
    return Line(offset, drift, used, float(np.sqrt(np.mean(residual**2))))


def _tells_drift(times: np.ndarray) -> bool:
    return len(times) >= LEAST_EVENTS and float(np.ptp(times)) >= LEAST_SPAN_S


def _median_slope(times: np.ndarray, lags: np.ndarray) -> float:
    first, second = np.triu_indices(len(times), 1)
    step = times[second] - times[first]
    far = np.abs(step) >= FAR_S
    slope = float(np.median((lags[second] - lags[first])[far] / step[far]))
    return float(np.clip(slope, -MOST_DRIFT, MOST_DRIFT))
