"""The striking part on its way to the target."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step
from studio.domain.policy.reference import CONTROL_HZ


def striker_path(step: Step, sigma: float, before_s: float) -> np.ndarray:
    """exp(-squared distance to the reference's striker / sigma^2) from ``before_s`` before the impact until it."""
    if step.where.striker is None:
        return np.zeros(len(step.number))
    difference = step.sensors[:, step.where.striker] - step.rows.sensors[:, step.where.striker]
    ahead = step.reference.impact_step - step.number
    counts = (ahead < round(before_s * CONTROL_HZ)) & (ahead >= -1)
    return np.exp(-(difference**2).sum(1) / sigma**2) * counts
