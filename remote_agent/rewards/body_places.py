"""Key bodies where the reference has them."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step
from studio.domain.gates.strike import body_errors


def body_places(step: Step, sigma: float) -> np.ndarray:
    """exp(-mean squared distance / sigma^2), sigma in metres."""
    errors = body_errors(step.where, step.sensors, step.rows.sensors)
    return np.exp(-(errors**2).mean(1) / sigma**2)
