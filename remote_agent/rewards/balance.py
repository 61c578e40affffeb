"""The centre of mass over the place where the reference has it."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step


def balance(step: Step, sigma: float) -> np.ndarray:
    """exp(-squared distance on the floor / sigma^2), sigma in metres."""
    difference = (step.sensors[:, step.where.com] - step.rows.sensors[:, step.where.com])[:, :2]
    return np.exp(-(difference**2).sum(1) / sigma**2)
