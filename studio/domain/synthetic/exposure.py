"""A motion at the instants at which a phone exposed its frames."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline

from studio.domain import rotations
from studio.domain.synthetic import phones
from studio.schema.motion import Motion


def exposed(phone: str, duration_s: float) -> tuple[np.ndarray, np.ndarray]:
    """(T,) s of a phone's frames on its own clock, and the same instants on the common clock."""
    own = np.arange(round(duration_s * phones.FPS)) / phones.FPS
    return own, own - phones.LATE_S[phone]


def at_times(motion: Motion, times: np.ndarray) -> np.ndarray:
    """(T, nq) poses at ``times`` (s, common clock), by splines; held before the first and after the last frame."""
    known = motion.times
    qpos = CubicSpline(known, motion.qpos)(np.clip(times, known[0], known[-1]))
    qpos[:, 3:7] = rotations.normalise(qpos[:, 3:7])
    return qpos


def resampled(motion: Motion, fps: float) -> Motion:
    """The same motion at another rate, from the same start."""
    count = int(np.floor((motion.times[-1] - motion.start_s) * fps + 1e-9)) + 1
    times = motion.start_s + np.arange(count) / fps
    return Motion(motion.body, motion.body_hash, fps, motion.start_s, motion.joints, at_times(motion, times))
