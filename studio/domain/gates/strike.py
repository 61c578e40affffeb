"""How a strike is measured: when it counts, how near it came, what it gave the bag, and whether he fell."""

from __future__ import annotations

import numpy as np

from studio.domain.gates.sensors import SensorMap
from studio.domain.policy.motion import PHYSICS_HZ
from studio.domain.policy.reference import Reference

NEAR_WINDOW_S = 0.06
"""The nearest approach counts this long before and after the reference's impact."""
IMPULSE_WINDOW_S = (-0.2, 0.15)
"""Wide before the impact: the skin is nearer than the target, and a slow limb meets it early."""
FALLEN_HEIGHT = 0.65
"""He has fallen when his pelvis is below this share of its height in his stance ..."""
FALLEN_UPRIGHT = 0.4
"""... or the cosine of his chest's tilt is below this (or well below the reference's, if that bends deeper)."""
UPRIGHT_MARGIN = 0.35


def in_near_window(reference: Reference, substep: np.ndarray) -> np.ndarray:
    """Whether the approach counts at a substep."""
    return np.abs(substep - reference.impact) <= round(NEAR_WINDOW_S * PHYSICS_HZ)


def in_impulse_window(reference: Reference, substep: np.ndarray) -> np.ndarray:
    """Whether contact with the bag counts at a substep."""
    low, high = (round(s * PHYSICS_HZ) for s in IMPULSE_WINDOW_S)
    return (substep > reference.impact + low) & (substep < reference.impact + high)


def has_fallen(
    reference: Reference, where: SensorMap, height: np.ndarray, sensors: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """(N,) bool from pelvis heights (N,) m, sensor rows (N, S) and the reference's rows (N, F)."""
    up, up_wanted = (rows[:, where.upright["chest"]][:, 2] for rows in (sensors, wanted))
    least = np.minimum(FALLEN_UPRIGHT, up_wanted - UPRIGHT_MARGIN)
    return (height < FALLEN_HEIGHT * reference.standing_height) | (up < least)


def body_errors(where: SensorMap, sensors: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(N, B) m: how far each key body is from the reference."""
    difference = sensors[..., where.bodies] - wanted[..., where.bodies]
    return np.linalg.norm(difference.reshape(*difference.shape[:-1], -1, 3), axis=-1)
