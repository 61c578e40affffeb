"""What the bag was given, paid once."""

from __future__ import annotations

import numpy as np

from remote_agent.rewards.step import Step

PAID_AFTER = 8
"""Control steps after the impact: the impulse window is over."""


def impulse(step: Step, full: float) -> np.ndarray:
    """Share of ``full`` (N s), at most 1, where the bag hangs near."""
    due = (step.number == step.reference.impact_step + PAID_AFTER) & step.saw_strike & step.with_bag
    return due * np.clip(step.impulse / full, 0, 1)
