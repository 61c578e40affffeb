"""Pelvis and chest turned and tilted like the reference's."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step


def trunk_axes(step: Step, sigma: float) -> np.ndarray:
    """exp(-mean squared distance of three unit axes / sigma^2)."""
    difference = step.sensors[:, step.where.axes] - step.rows.sensors[:, step.where.axes]
    return np.exp(-(difference**2).sum(1) / 3 / sigma**2)
