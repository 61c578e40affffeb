"""What a reward may look at: one control step of N fighters, after it happened."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.gates.sensors import SensorMap
from studio.domain.policy.reference import Reference, Rows


@dataclass(frozen=True, eq=False)
class Step:
    """Arrays over N fighters.

    ``number`` (N,) the control step; ``began`` (N,) the step at which the episode started; ``sensors`` (N, S) the last
    sensor row of the step and ``rows`` the reference beside it; ``q``, ``qd`` the state afterwards and ``next_rows``
    the reference there; ``action`` and ``last_action`` (N, n); ``nearest`` (N,) m to the target so far in the near
    window and ``nearest_speed`` (N,) m/s then; ``impulse`` (N,) N s on the bag so far; ``with_bag`` (N,) bool.
    """

    number: np.ndarray
    began: np.ndarray
    sensors: np.ndarray
    rows: Rows
    q: np.ndarray
    qd: np.ndarray
    next_rows: Rows
    action: np.ndarray
    last_action: np.ndarray
    nearest: np.ndarray
    nearest_speed: np.ndarray
    impulse: np.ndarray
    with_bag: np.ndarray
    reference: Reference
    where: SensorMap

    @property
    def saw_strike(self) -> np.ndarray:
        """(N,) bool: the episode began before the strike, so its figures are whole."""
        return self.began < self.reference.impact_step - 2
