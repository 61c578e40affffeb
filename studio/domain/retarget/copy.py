"""The coach's angles on the fighter: the same hinges, the root scaled by the legs."""

from __future__ import annotations

import numpy as np

from studio.domain.body.proportions import leg_length
from studio.schema.body import Body


def root_scale(coach: Body, fighter: Body) -> float:
    """Fighter's leg / coach's leg."""
    return leg_length(fighter) / leg_length(coach)


def copy_motion(qpos: np.ndarray, scale: float, floor: float = 0.0) -> np.ndarray:
    """(T, nq) with the root's path scaled about its first place, and its height above ``floor`` (m) scaled too.

    Both bodies have the same joints, so every part keeps its orientation exactly.
    """
    copied = qpos.copy()
    copied[:, :2] = qpos[:1, :2] + (qpos[:, :2] - qpos[:1, :2]) * scale
    copied[:, 2] = (qpos[:, 2] - floor) * scale
    return copied
