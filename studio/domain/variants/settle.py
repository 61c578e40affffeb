"""A clip that is cut out of a longer motion, brought to rest at both ends."""

from __future__ import annotations

import numpy as np

from studio.domain.fit.kinematics import Kinematics
from studio.domain.retarget.contacts import close_gaps

BEFORE_S, AFTER_S = 0.6, 0.8
"""Standing before the first and after the last recorded frame: time to bring the weight over the foot that stays."""

COAST_S = 0.35
"""The speed at the cut fades over this time, so the pose runs on by a third of it."""

SPEED_FRAMES = 3


def settle(
    kinematics: Kinematics, qpos: np.ndarray, contacts: np.ndarray, fps: float
) -> tuple[np.ndarray, np.ndarray, int]:
    """``qpos`` (T, nq) and ``contacts`` (T, S) with a stand added at both ends, and how many frames came in front.

    A foot that touches at the cut stands flat through the added time; one in the air stays there.
    """
    before, after = round(BEFORE_S * fps), round(AFTER_S * fps)
    front = _coast(kinematics, qpos[::-1], before, fps)[::-1]
    back = _coast(kinematics, qpos, after, fps)
    on = np.concatenate([_flat(contacts[:1], before), contacts, _flat(contacts[-1:], after)])
    return np.concatenate([front, qpos, back]), close_gaps(on, fps), before


def _coast(kinematics: Kinematics, qpos: np.ndarray, count: int, fps: float) -> np.ndarray:
    """(count, nq) poses after the last one, the speed fading quadratically to zero."""
    reach = min(SPEED_FRAMES, len(qpos) - 1)
    speed = kinematics.difference(qpos[-1 - reach : -reach], qpos[-1:]) * fps / max(reach, 1)
    left = 1.0 - np.clip(np.arange(1, count + 1) / (COAST_S * fps), 0.0, 1.0)
    travelled = (1.0 - left**3) * COAST_S / 3
    return kinematics.integrate(np.repeat(qpos[-1:], count, axis=0), travelled[:, None] * speed)


def _flat(contacts: np.ndarray, count: int) -> np.ndarray:
    """(count, S) with every point of a foot on that has one on in ``contacts`` (1, S)."""
    feet = np.split(contacts, 2, axis=1)
    standing = np.concatenate([np.broadcast_to(f.any(axis=1, keepdims=True), f.shape) for f in feet], axis=1)
    return np.repeat(standing, count, axis=0)
