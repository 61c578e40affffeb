"""Joint velocities of the reference."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step


def joint_speeds(step: Step, sigma: float) -> np.ndarray:
    """exp(-mean squared difference / sigma^2), sigma in rad/s."""
    return np.exp(-((step.qd[:, 6:] - step.next_rows.qd[:, 6:]) ** 2).mean(1) / sigma**2)
