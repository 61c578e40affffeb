"""Which sole points stand on the floor, and how high that floor is in the fit."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter1d

from studio.domain.filters import runs

HEIGHT_ON, HEIGHT_OFF = 0.035, 0.060
SPEED_ON, SPEED_OFF = 0.35, 0.60
"""Schmitt trigger (m, m/s): a point lands below and slower than the first, leaves above or faster than the second."""

MIN_SECONDS, GAP_SECONDS = 0.08, 0.05
"""Shorter contacts are noise; shorter gaps in a contact are, too."""

REST_SECONDS, REST_DISTANCE = 0.30, 0.05
"""A low point that is back in the same place (s, m) has not left it: keypoints wander when one leg hides the other."""

ROLL_SECONDS = 0.30
"""A stand on the heel or the toe alone that is shorter than this is the foot rolling on or off the floor."""

LOWEST = 5.0
RAISED = 0.05
"""The level of a point is its own low percentile, at most 5 cm above the floor: a heel marker that sits high on a shoe
still lands, a heel that never comes down does not."""


def floor_level(soles: np.ndarray, fps: float) -> float:
    """Height (m) of the floor under the sole points ``soles`` (T, S, 3): one number for the clip.

    Median, over the frames in which it is slow, of the lowest point. An error of the rig's floor, not of the motion.
    """
    lowest = soles[..., 2].argmin(axis=1)
    slow = _speed(soles, fps)[np.arange(len(soles)), lowest] < SPEED_OFF
    heights = soles[..., 2].min(axis=1)
    return float(np.median(heights[slow] if slow.any() else heights))


def find_contacts(soles: np.ndarray, fps: float, floor: float = 0.0) -> np.ndarray:
    """(T, S) bool per sole point from the positions (T, S, 3), m. Per point, so a pivot on the ball stays a pivot."""
    level = np.clip(np.percentile(soles[..., 2], LOWEST, axis=0), floor, floor + RAISED)
    height, speed = soles[..., 2] - level, _speed(soles, fps)
    low = (height < HEIGHT_ON) & (speed < SPEED_ON)
    near = (height < HEIGHT_OFF) & (speed < SPEED_OFF)
    on = np.zeros(height.shape, dtype=bool)
    on[0] = near[0]
    for t in range(1, len(on)):
        on[t] = np.where(on[t - 1], near[t], low[t])
    for k, column in enumerate(on.T):
        _rest(column, soles[:, k], height[:, k], round(REST_SECONDS * fps))
    return close_gaps(on, fps)


def close_gaps(contacts: np.ndarray, fps: float) -> np.ndarray:
    """(T, S) without gaps of a few frames, then without contacts of a few frames."""
    on = contacts.copy()
    for column in on.T:
        _clean(column, round(GAP_SECONDS * fps), round(MIN_SECONDS * fps))
    return on


def rigid_contacts(contacts: np.ndarray, fps: float) -> np.ndarray:
    """(T, S) for a foot whose toe does not bend: flat on all its points, or long on its heel or the tip of its toe.

    Rolling over the toe is no stand for such a foot: it lifts off with its heel and lands with the second of both.
    """
    feet = []
    for foot in np.split(contacts, 2, axis=1):
        heel, front = foot[:, 0], foot[:, 1:].any(axis=1)
        flat, tip, back = heel & front, front & ~heel, heel & ~front
        for edge in (tip, back):
            _clean(edge, 0, round(ROLL_SECONDS * fps))
        feet.append(np.stack([flat | back, flat, flat, flat | tip], axis=1))
    return np.concatenate(feet, axis=1)


def stances(contacts: np.ndarray, columns: list[int]) -> list[tuple[int, int]]:
    """Half-open frame ranges in which any of a foot's sole points ``columns`` stands."""
    return runs(contacts[:, columns].any(axis=1))


def _speed(soles: np.ndarray, fps: float) -> np.ndarray:
    """(T, S) m/s along the floor, averaged over five frames."""
    if len(soles) < 2:
        return np.zeros(soles.shape[:2])
    speed = np.linalg.norm(np.gradient(soles[..., :2], axis=0), axis=-1) * fps
    return uniform_filter1d(speed, 5, axis=0, mode="nearest")


def _rest(column: np.ndarray, place: np.ndarray, height: np.ndarray, longest: int) -> None:
    for start, stop in runs(np.logical_not(column)):
        if start == 0 or stop == len(column) or stop - start > longest:
            continue
        moved = np.linalg.norm(place[stop, :2] - place[start - 1, :2])
        if moved < REST_DISTANCE and height[start:stop].max() < HEIGHT_OFF:
            column[start:stop] = True


def _clean(column: np.ndarray, gap: int, least: int) -> None:
    for start, stop in runs(np.logical_not(column)):
        if start > 0 and stop < len(column) and stop - start <= gap:
            column[start:stop] = True
    for start, stop in runs(column):
        if stop - start < least:
            column[start:stop] = False
