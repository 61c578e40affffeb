"""The guard: where the feet of a man of given legs stand, and how he holds himself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.body.proportions import leg_length
from studio.schema.body import Body

FEET = {"l": (0.165, 0.125, -8.0), "r": (-0.165, -0.125, -34.0)}
"""Orthodox: middle of the ball of the foot forwards and to the left in lengths of the leg, and where the toes point
(degrees about the vertical, the right foot turned out). The feet are a third of a leg apart and a quarter wide."""

GUARD = {
    "lumbar_pitch": 3.0, "chest_pitch": 5.0, "chest_yaw": -4.0, "neck_pitch": 4.0, "neck_yaw": 26.0,
    "shoulder_pitch_l": -42.0, "shoulder_roll_l": 14.0, "shoulder_yaw_l": -16.0, "elbow_l": 116.0,
    "shoulder_pitch_r": -34.0, "shoulder_roll_r": 12.0, "shoulder_yaw_r": -22.0, "elbow_r": 130.0,
    "hip_pitch_l": -22.0, "knee_l": 24.0, "ankle_pitch_l": -8.0,
    "hip_pitch_r": -8.0, "knee_r": 24.0, "ankle_pitch_r": -14.0,
}  # fmt: skip
"""Degrees by hinge: both hands at the chin, chin down and turned to the front, knees soft."""

PELVIS = {"yaw": -26.0, "pitch": 4.0, "roll": 0.0, "z": 0.0}
"""Degrees, and metres above :func:`hip_height`."""

HEIGHT = 0.945
"""Height of the hips / length of the leg."""


@dataclass(frozen=True)
class Foot:
    """Where a foot stands flat: the middle of its ball (m) and where it points (rad about z)."""

    x: float
    y: float
    heading: float


def feet(body: Body) -> dict[str, Foot]:
    """The left and the right foot of his guard."""
    leg = leg_length(body)
    return {side: Foot(x * leg, y * leg, float(np.radians(turn))) for side, (x, y, turn) in FEET.items()}


def hip_height(body: Body) -> float:
    """Height of his hips in the guard (m)."""
    return HEIGHT * leg_length(body)
