"""Where an episode starts: on the reference, a little off, by seed."""

from __future__ import annotations

import numpy as np

from studio.domain.policy.reference import Rows
from studio.domain.rotations import exp, multiply, normalise

JOINT, JOINT_VELOCITY, PLACE, TURN, ROOT_VELOCITY = 0.01, 0.1, 0.005, 0.01, 0.05
"""Standard deviations of the start, rad, rad/s, m, rad, (m or rad)/s: hand-sized errors of a man taking his stance."""


def noisy_start(rows: Rows, generator: np.random.Generator, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """qpos (N, 7 + n) and qvel (N, 6 + n) near ``rows``; ``noise`` scales the standard deviations."""
    q, qd = rows.q.copy(), rows.qd.copy()
    count, joints = len(q), q.shape[1] - 7
    draw = generator.standard_normal((count, 11 + 2 * joints)) * noise
    place, turn, root, angle, rate = np.split(draw, [2, 5, 11, 11 + joints], axis=1)
    q[:, :2] += PLACE * place
    q[:, 3:7] = normalise(multiply(q[:, 3:7], exp(TURN * turn)))
    q[:, 7:] += JOINT * angle
    qd[:, :6] += ROOT_VELOCITY * root
    qd[:, 6:] += JOINT_VELOCITY * rate
    return q, qd
