"""Joint angles of the reference."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step


def joint_angles(step: Step, sigma: float) -> np.ndarray:
    """exp(-mean squared difference / sigma^2), sigma in radians."""
    return np.exp(-((step.q[:, 7:] - step.next_rows.q[:, 7:]) ** 2).mean(1) / sigma**2)
