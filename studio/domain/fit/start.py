"""A first guess for every frame, each from its neighbour."""

from __future__ import annotations

import numpy as np

from studio.domain import rotations
from studio.domain.filters import fill_gaps
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.markers import Observed
from studio.domain.fit.residuals import Deviation, Limits, Markers
from studio.domain.fit.solver import Options, solve
from studio.schema.errors import StudioError
from studio.schema.keypoints import INDEX, Points

FIRST_SCALE, SCALE = 0.30, 0.12
"""Reach of the robust loss (m) in the first frame, where nothing is known yet, and in those after it."""

BENT = {"knee_l": 0.3, "knee_r": 0.3, "elbow_l": 0.8, "elbow_r": 0.8}
"""A straight limb has no gradient towards bending: start bent (rad)."""

MIN_PRIOR = 1e-4
"""Least pull towards neutral (m^2 / rad^2): a single frame has no neighbours that hold it."""


def root_poses(points: Points) -> np.ndarray:
    """(T, 7) position (m) and quaternion of the pelvis from hips and shoulders, gaps bridged.

    Raises :class:`StudioError` when they were never seen together.
    """
    left_hip, right_hip, left_shoulder, right_shoulder = (
        points.xyz[:, INDEX[n]] for n in ("LHip", "RHip", "LShoulder", "RShoulder")
    )
    hip = (left_hip + right_hip) / 2
    up = (left_shoulder + right_shoulder) / 2 - hip
    left = left_hip - right_hip + left_shoulder - right_shoulder
    if not np.isfinite(left).all(axis=1).any():
        why = "hips and shoulders were never seen in the same frame"
        raise StudioError("The skeleton cannot be fitted", why, "Look at the keypoints, or choose another in and out")
    hip, up, left = fill_gaps(hip), fill_gaps(up), fill_gaps(left)
    z = up / np.linalg.norm(up, axis=1, keepdims=True)
    x = np.cross(left, z)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)
    matrix = np.stack([x, np.cross(z, x), z], axis=-1)
    return np.concatenate([hip, rotations.from_matrix(matrix)], axis=1)


def sequential_start(
    kinematics: Kinematics, observed: Observed, roots: np.ndarray, posture: Deviation, locked: np.ndarray
) -> np.ndarray:
    """(T, nq) frame by frame from the best seen one outwards, so that no frame falls into another branch."""
    neutral = posture.reference[0]
    frames = len(observed.points)
    order = int(np.argmax(_seen_around(observed)))
    qpos = np.tile(neutral, (frames, 1))
    first = neutral.copy()
    for joint, angle in BENT.items():
        first[7 + kinematics.joints.index(joint)] = angle
    first[:7] = roots[order]
    prior = Deviation(posture.reference[:1], np.maximum(posture.weights, MIN_PRIOR) * kinematics.hinges(lambda _: True))

    def frame(t: int, guess: np.ndarray, scale: float, iterations: int) -> np.ndarray:
        wishes = (
            Markers(observed.sites, observed.points[t : t + 1], observed.information[t : t + 1], scale),
            prior,
            Limits(0.05, 0.3),
        )
        return solve(kinematics, guess[None], wishes, Options(iterations, 3e-3), locked=locked).qpos[0]

    qpos[order] = frame(order, first, FIRST_SCALE, 60)
    for path in (range(order + 1, frames), range(order - 1, -1, -1)):
        guess = qpos[order]
        for t in path:
            guess = qpos[t] = frame(t, guess, SCALE, 8)
    return qpos


def _seen_around(observed: Observed) -> np.ndarray:
    """(T,) how much information a frame and its neighbours hold; a point that jumps does not count."""
    total = np.trace(observed.information, axis1=-2, axis2=-1)
    jump = np.zeros(observed.seen.shape)
    jump[1:] = np.linalg.norm(np.diff(observed.points, axis=0), axis=-1)
    jump[:-1] = np.maximum(jump[:-1], jump[1:])
    return np.sum(total * (jump < 0.3), axis=1)
