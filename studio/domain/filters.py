"""Filters along time that forgive gaps, and ramps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import median_filter

PADDING = 9
"""Frames by which the low-pass continues a clip, point-mirrored, at both ends."""


def runs(mask: ArrayLike) -> list[tuple[int, int]]:
    """Half-open index ranges [start, stop) over which the (T,) mask is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(mask, int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def fill_gaps(x: np.ndarray) -> np.ndarray:
    """(T, ...) with NaN replaced linearly in time, held at the ends; an all-NaN column stays NaN."""
    flat = x.reshape(len(x), -1).copy()
    time = np.arange(len(x))
    for column in flat.T:
        seen = np.isfinite(column)
        if seen.any() and not seen.all():
            column[~seen] = np.interp(time[~seen], time[seen], column[seen])
    return flat.reshape(x.shape)


def low_pass(x: np.ndarray, fps: float, cutoff: float) -> np.ndarray:
    """Zero-phase Butterworth, second order forwards and backwards (half the amplitude at ``cutoff`` Hz), along axis 0.

    Gaps are bridged first, NaN stays NaN. A clip of at most 9 frames comes back unfiltered; a cutoff that the frame
    rate cannot hold keeps everything below half of it.
    """
    from scipy.signal import butter, sosfiltfilt  # loads half of scipy, which a process that must start at once feels

    if len(x) <= PADDING:
        return x.copy()
    sections = np.asarray(butter(2, min(cutoff / (fps / 2), 0.99), output="sos"))
    smooth = sosfiltfilt(sections, np.nan_to_num(fill_gaps(x)), axis=0, padlen=PADDING)
    return np.where(np.isfinite(x), smooth, np.nan)


def moving_median(x: np.ndarray, width: int) -> np.ndarray:
    """Running median of odd ``width`` along axis 0, edges repeated."""
    return median_filter(x, size=(width,) + (1,) * (x.ndim - 1), mode="nearest")


def smooth_step(u: np.ndarray) -> np.ndarray:
    """Quintic 0..1 with zero velocity and acceleration at both ends; clamped outside."""
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10 - 15 * u + 6 * u * u)


def bump(times: np.ndarray, centre: float, before: float, after: float) -> np.ndarray:
    """Quintic 0 -> 1 -> 0 over ``before`` and ``after`` seconds around ``centre``."""
    rel = times - centre
    return smooth_step(np.where(rel < 0, 1 + rel / before, 1 - rel / after))
