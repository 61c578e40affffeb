"""Keypoints of one phone, read on the common clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from studio.domain.space.rays import finite
from studio.domain.time import common_time
from studio.schema.errors import StudioError
from studio.schema.keypoints import Keypoints
from studio.schema.take import Sync

MAX_GAP_FRAMES = 2
"""Up to so many missing frames are bridged by a straight line; longer gaps stay gaps."""

HOLD_FRAMES = 0.05
"""A frame this near stands for the instant itself where its other neighbour is missing (the ends of a clip)."""


def common_times(keypoints: Keypoints, sync: Sync) -> np.ndarray:
    """(T,) s on the common clock at which the phone's frames were taken."""
    return common_time(sync, keypoints.phone, keypoints.times)


def frame_period(keypoints: Keypoints) -> float:
    """Median seconds between frames, on the phone's own clock."""
    return float(np.median(np.diff(keypoints.times)))


def common_clock(keypoints: Sequence[Keypoints], sync: Sync, fps: float) -> np.ndarray:
    """(T,) s: whole multiples of 1 / fps during which at least two phones were filming.

    Raises :class:`StudioError` when no two of them filmed at the same time or one has fewer than two frames.
    """
    for k in keypoints:
        if len(k.times) < 2:
            raise StudioError(
                f"Phone {k.phone} cannot be put on the common clock",
                f"its keypoints cover {len(k.times)} frames, and a rate needs two",
                "Run stage 2 on a longer video",
            )
    spans = [common_times(k, sync)[[0, -1]] for k in keypoints]
    start = sorted(span[0] for span in spans)[1]
    stop = sorted(span[1] for span in spans)[-2]
    first = int(np.ceil(start * fps - HOLD_FRAMES))
    last = int(np.floor(stop * fps + HOLD_FRAMES))
    if last < first:
        raise StudioError(
            "The videos cannot be put on one clock",
            f"no two phones were filming at the same time (offsets {sync.offset_s or {}})",
            "Check the sync, or choose videos of the same performance",
        )
    return np.arange(first, last + 1) / fps


def to_clock(keypoints: Keypoints, sync: Sync, fps: float, times: np.ndarray) -> Keypoints:
    """The keypoints at ``times`` (s, common clock): per point, linear between the neighbouring measured frames by their
    true timestamps, with the smaller of the two confidences.

    A point stays NaN where more than two frames are missing between its neighbours or beyond the ends. ``fps`` is the
    common rate: a phone that films slower than that may be bridged over its own frame period, never less than one
    frame of the clock.
    """
    at = common_times(keypoints, sync)
    period = max(frame_period(keypoints), 1.0 / fps)
    seen = finite(keypoints.xy) & (keypoints.confidence > 0)
    xy = np.full((len(times), *keypoints.xy.shape[1:]), np.nan)
    confidence = np.zeros((len(times), keypoints.xy.shape[1]))
    for j in range(keypoints.xy.shape[1]):
        frames = np.flatnonzero(seen[:, j])
        if len(frames):
            xy[:, j], confidence[:, j] = _resample(
                at[frames], keypoints.xy[frames, j], keypoints.confidence[frames, j], times, period
            )
    return replace(keypoints, times=np.asarray(times, float), xy=xy, confidence=confidence)


def _resample(
    at: np.ndarray, xy: np.ndarray, confidence: np.ndarray, times: np.ndarray, period: float
) -> tuple[np.ndarray, np.ndarray]:
    """One point: measured instants ``at`` (F,), ``xy`` (F, 2), ``confidence`` (F,) read at ``times`` (T,)."""
    after = np.searchsorted(at, times)
    right, left = np.clip(after, 0, len(at) - 1), np.clip(after - 1, 0, len(at) - 1)
    gap = at[right] - at[left]
    bridged = (gap > 0) & (gap <= (MAX_GAP_FRAMES + 1.5) * period) & (times >= at[left]) & (times <= at[right])
    share = np.where(bridged, (times - at[left]) / np.where(gap > 0, gap, 1.0), 0.0)[:, None]
    nearest = np.where(np.abs(at[right] - times) < np.abs(at[left] - times), right, left)
    held = ~bridged & (np.abs(at[nearest] - times) <= HOLD_FRAMES * period)
    line = (1 - share) * xy[left] + share * xy[right]
    value = np.where(bridged[:, None], line, np.where(held[:, None], xy[nearest], np.nan))
    least = np.where(bridged, np.fmin(confidence[left], confidence[right]), np.where(held, confidence[nearest], 0.0))
    return value, least
