"""The fighter in training has fewer joints than the one that is shown."""

from __future__ import annotations

import numpy as np

from studio.domain import rotations
from studio.domain.body.hinges import is_welded
from studio.domain.filters import low_pass
from studio.domain.fit.kinematics import ROOT_DOFS, Kinematics

CUTOFF_HZ = 12.0
"""What is faster than this is the pose model's noise, not the coach: a kick of 10 m/s loses 1 % of its peak speed, at
6 Hz 10 % (60 Hz keypoints of two phones, 3 px noise)."""


def steadied(qpos: np.ndarray, fps: float) -> np.ndarray:
    """(T, nq) without the tremor that a fit keeps and that a body of flesh would have to pay for in torque."""
    out = qpos.copy()
    out[:, 3:7] = rotations.continuous(out[:, 3:7])
    out = low_pass(out, fps, CUTOFF_HZ)
    out[:, 3:7] = rotations.normalise(out[:, 3:7])
    return out


def welded(kinematics: Kinematics) -> np.ndarray:
    """(nv,) bool: degrees of freedom that the training variant of the body does not have."""
    return kinematics.hinges(is_welded)


def trainable(kinematics: Kinematics, qpos: np.ndarray) -> np.ndarray:
    """(T, nq) with the joints that training welds at zero, so that both variants stand and balance alike."""
    out = qpos.copy()
    out[:, 7:][:, welded(kinematics)[ROOT_DOFS:]] = 0.0
    return out
