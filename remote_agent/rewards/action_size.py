"""Large corrections (a cost)."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step


def action_size(step: Step) -> np.ndarray:
    """Sum of the squared action."""
    return (step.action**2).sum(1)
