"""The strike itself, paid once: how near the target, and how fast."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step

PAID_AFTER = 4
"""Control steps after the impact: the near window is over."""
FAST = 0.5
SHARE_OF_SPEED = 0.85


def hit(step: Step, sigma: float) -> np.ndarray:
    """exp(-(nearest / sigma)^2), times the share of the reference's speed if that is a strike's (over 0.5 m/s)."""
    due = (step.number == step.reference.impact_step + PAID_AFTER) & step.saw_strike
    wanted = SHARE_OF_SPEED * step.reference.impact_speed
    speed = np.clip(step.nearest_speed / wanted, 0, 1) if step.reference.impact_speed > FAST else 1.0
    return due * np.exp(-((step.nearest / sigma) ** 2)) * speed
