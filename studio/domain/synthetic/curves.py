"""Curves through written moments: how a channel of a pose changes over a performance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.ndimage import gaussian_filter1d

Curve = tuple[tuple[float, float], ...]
"""(time s, value) in order of time; held before the first and after the last."""

SOFT_S = 0.035
"""Standard deviation of the smoothing (s) that takes the corners out of a curve: a limb has mass."""


@dataclass(frozen=True)
class Choreography:
    """What a body does: ``joints`` degrees by hinge, ``pelvis`` degrees (yaw, pitch, roll) and its height as "z" (m).

    Times are seconds from where he begins; he moves for ``moves_s``. His weight may shift ``lead_s`` before; around
    that he stands still for ``before_s`` and ``after_s``. ``lifted``: foot ("l" or "r") to the times between which it
    is off the floor. ``sway``: "x", "y" and "z" by which the centre of mass leaves the middle between both feet (m),
    where no foot is lifted.
    """

    moves_s: float
    joints: Mapping[str, Curve]
    pelvis: Mapping[str, Curve]
    lifted: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    sway: Mapping[str, Curve] = field(default_factory=dict)
    lead_s: float = 0.0
    before_s: float = 0.0
    after_s: float = 0.0

    @property
    def duration_s(self) -> float:
        """Everything, standing still included."""
        return self.before_s + self.lead_s + self.moves_s + self.after_s


def sample_curve(curve: Curve, times: np.ndarray) -> np.ndarray:
    """(T,) values at evenly spaced ``times``: monotone between the moments, corners softened."""
    at, value = np.array(curve, dtype=float).T
    if len(at) == 1:
        return np.full(len(times), value[0])
    sharp = PchipInterpolator(at, value)(np.clip(times, at[0], at[-1]))
    return gaussian_filter1d(sharp, SOFT_S / (times[1] - times[0]), mode="nearest")
