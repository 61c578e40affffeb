"""A path of the centre of mass whose zero-moment point stays on the feet."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from studio.domain.filters import runs, smooth_step
from studio.domain.retarget.dynamics import GRAVITY

JERK = 1e-7
"""Weight of jerk^2 (m/s^3)^2 against ZMP error^2 (m^2): smooth to the eye, a few millimetres off the plan."""

LOWER, HEIGHT_SIGMA_S = 0.05, 0.20
"""The centre of mass rides this share lower than in the copy, its height smoothed by this deviation (s). Legs that
are nearly straight cannot carry it over the foot, and every bob changes the load: on a filmed leg raise the zero-moment
point was 36 mm off the soles on average without, 0.5 mm with both."""

DOUBLE = 0.3
"""Weight of the plan while both feet stand: between them the point may be anywhere."""

EARLY = 0.2
"""Share of a double support in which the weight already rests on the foot that stays, or still on the one that stood:
a foot that has to push when it leaves the floor kicks itself off."""

AT_REST = 1e4


def foot_centres(places: np.ndarray, standing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2, 2) middles of the left and the right sole, and (T, 2) whether that foot stands.

    ``places`` (T, S, 2) of the sole points (per foot: heel, two of the ball, toe); ``standing`` (T, S) bool. The middle
    lies half-way between the heel and the front of the foot.
    """
    feet = np.split(places, 2, axis=1)
    centres = np.stack([(f[:, 0] + f[:, 1:].mean(axis=1)) / 2 for f in feet], axis=1)
    return centres, np.stack([s.any(axis=1) for s in np.split(standing, 2, axis=1)], axis=1)


def zmp_plan(centres: np.ndarray, stands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2) where the zero-moment point should be and (T,) how much that matters.

    On the standing foot; while both stand it wanders from the foot of before to the foot of after, or rests between
    them at the clip's ends. In flight it does not matter.
    """
    both, count = stands.all(axis=1), len(stands)
    share = np.where(stands[:, 1] & ~stands[:, 0], 1.0, 0.0)
    for start, stop in runs(both):
        before = share[start - 1] if start > 0 else 0.5
        after = share[stop] if stop < count else 0.5
        way = np.linspace(0, 1, stop - start + 2)[1:-1]
        arrive = 1.0 - EARLY if stop < count else 1.0
        leave = EARLY if start > 0 else 0.0
        share[start:stop] = before + (after - before) * smooth_step((way - leave) / (arrive - leave))
    plan = centres[:, 0] * (1 - share[:, None]) + centres[:, 1] * share[:, None]
    weight = np.where(both, DOUBLE, np.where(stands.any(axis=1), 1.0, 1e-3))
    return plan, weight


def centre_path(
    plan: np.ndarray, weight: np.ndarray, height: float, fps: float, *, rest: bool, near: np.ndarray
) -> np.ndarray:
    """(T, 2) m: the centre of mass of a linear inverted pendulum of ``height`` (m) whose zero-moment point follows
    ``plan`` (T, 2) with ``weight`` (T,) and little jerk: preview control over the whole clip (Kajita et al. 2003) as
    least squares. ``rest``: it stands still over the plan at both ends; otherwise its ends stay near ``near`` (T, 2).
    """
    count = len(plan)
    second = _second_difference(count, rest) * fps**2
    third = (second[1:] - second[:-1]) * fps
    pendulum = np.eye(count) - second * (height / GRAVITY)
    ends = np.zeros(count)
    ends[[0, -1]] = AT_REST if rest else 1.0
    system = pendulum.T @ (weight[:, None] * pendulum) + JERK * third.T @ third + np.diag(ends)
    right = pendulum.T @ (weight[:, None] * plan) + ends[:, None] * (plan if rest else near)
    return np.linalg.solve(system, right)


def _second_difference(count: int, rest: bool) -> np.ndarray:
    """(T, T): the ends stand still, or go on as their neighbours do."""
    matrix = np.diag(np.full(count, -2.0)) + np.diag(np.ones(count - 1), 1) + np.diag(np.ones(count - 1), -1)
    if rest:
        matrix[0, 0] = matrix[-1, -1] = -1.0
    else:
        matrix[0, :3] = matrix[-1, -3:] = [1.0, -2.0, 1.0]
    return matrix


def height_path(height: np.ndarray, fps: float, lower: float) -> np.ndarray:
    """(T,) m: a smooth way for the centre of mass's ``height`` (T,), ``lower`` by this share."""
    return gaussian_filter1d(height, HEIGHT_SIGMA_S * fps, mode="nearest") * (1.0 - lower)


def pendulum_zmp(path: np.ndarray, height: float, fps: float) -> np.ndarray:
    """(T, 2) zero-moment point of the pendulum along ``path`` (T, 2)."""
    acceleration = np.gradient(np.gradient(path, 1 / fps, axis=0), 1 / fps, axis=0)
    return path - acceleration * (height / GRAVITY)
