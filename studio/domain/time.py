"""Seconds and frames: the one place that holds the rounding rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from studio.schema.take import Sync


@dataclass(frozen=True)
class TakeClock:
    """Evenly spaced frames on a take's common clock: frame k stands at ``start_s + k / fps`` (s).

    Raises ``ValueError`` when the rate is not positive and finite, the start is not finite or there is no frame.
    """

    fps: float
    start_s: float
    frames: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"fps must be positive and finite, not {self.fps}")
        if not math.isfinite(self.start_s):
            raise ValueError(f"start_s must be finite, not {self.start_s}")
        if self.frames < 1:
            raise ValueError(f"a clock needs at least one frame, not {self.frames}")

    @property
    def end_s(self) -> float:
        """Time (s) of the last frame."""
        return self.time(self.frames - 1)

    def time(self, frame: int) -> float:
        """Time (s) of a frame; numbers outside the take go on with the same spacing."""
        return self.start_s + frame / self.fps

    def frame(self, time_s: float) -> int:
        """The nearest frame, a half counting up, kept within the take. ``frame(time(k)) == k`` for every frame."""
        if math.isnan(time_s):
            raise ValueError("a time must be a number")
        position = min(max((time_s - self.start_s) * self.fps, 0.0), self.frames - 1.0)
        # A time made by division and multiplication may miss its half by one part in 1e12; it still counts up.
        return min(math.floor(position + 0.5 + 1e-9), self.frames - 1)

    def snap(self, time_s: float) -> float:
        """Time (s) of the nearest frame."""
        return self.time(self.frame(time_s))


def own_time(sync: Sync, phone: str, time_s: float) -> float:
    """A moment of the common clock (s) on a phone's own clock (s since its first frame)."""
    return time_s * sync.rate(phone) + sync.offset(phone)


def common_time(sync: Sync, phone: str, own_s: np.ndarray) -> np.ndarray:
    """Inverse of :func:`own_time`: moments of a phone's own clock (...,) s on the common clock."""
    return (own_s - sync.offset(phone)) / sync.rate(phone)


def nearest_frame(pts: np.ndarray, time_s: float) -> int:
    """Number of the frame whose time is nearest; a tie counts up. ``pts`` (T,) s, increasing, at least one."""
    after = int(np.searchsorted(pts, time_s, side="right"))
    if after == 0 or after == len(pts):
        return min(after, len(pts) - 1)
    early, late = time_s - pts[after - 1], pts[after] - time_s
    return after if late <= early + 1e-9 else after - 1
