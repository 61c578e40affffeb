"""Corrections that jump from step to step (a cost)."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step


def action_change(step: Step) -> np.ndarray:
    """Mean squared change of the action."""
    return ((step.action - step.last_action) ** 2).mean(1)
