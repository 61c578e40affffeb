"""Which frame of a phone belongs to an instant of the common clock, without mixing frames that may differ in sides."""

from __future__ import annotations

import numpy as np

from studio.domain.space.resample import common_times, frame_period
from studio.schema.keypoints import MIRROR, Keypoints
from studio.schema.take import Sync

NEAR_FRAMES = 0.75


def frames_at(keypoints: Keypoints, sync: Sync, times: np.ndarray) -> np.ndarray:
    """(T,) the phone's frame for each instant: the next one while it is near enough, so that equal rates pair every
    frame once whatever their offset; otherwise the nearest."""
    at = common_times(keypoints, sync)
    right = np.clip(np.searchsorted(at, times), 1, len(at) - 1)
    frames = np.where(times - at[right - 1] <= at[right] - times, right - 1, right)
    near = NEAR_FRAMES * frame_period(keypoints)
    for t in range(1, len(times)):
        following = frames[t - 1] + 1
        if following < len(at) and abs(at[following] - times[t]) <= near:
            frames[t] = following
    return frames


def at_instants(xy: np.ndarray, at: np.ndarray, frames: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(T, 26, 2) points of the nearest frame, moved to the instant: along the line to whichever of the two sides'
    points in the neighbouring frame is nearer, so that the labels stay those of the nearest frame."""
    ahead = np.where(times >= at[frames], 1, -1)
    other = np.clip(frames + ahead, 0, len(at) - 1)
    span = np.where(other == frames, 1.0, at[other] - at[frames])
    share = np.clip((times - at[frames]) / span, 0.0, 1.0)[:, None, None]
    same, crossed = xy[other] - xy[frames], xy[other][:, MIRROR] - xy[frames]
    same_length, crossed_length = (np.linalg.norm(v, axis=-1, keepdims=True) for v in (same, crossed))
    step = np.where(np.nan_to_num(crossed_length, nan=np.inf) < np.nan_to_num(same_length, nan=np.inf), crossed, same)
    return xy[frames] + share * np.nan_to_num(step)


def to_frames(on: np.ndarray, frames: np.ndarray, count: int) -> np.ndarray:
    """(count,) bool per frame of the phone from (T,) bool per instant; frames between instants follow the nearest one,
    frames outside of the common time stay as the detector labelled them."""
    votes, seen = np.zeros(count), np.zeros(count)
    np.add.at(votes, frames, np.where(on, 1.0, -1.0))
    np.add.at(seen, frames, 1.0)
    known = np.flatnonzero(seen)
    inside = np.arange(known[0], known[-1] + 1)
    right = np.clip(np.searchsorted(known, inside), 1, max(len(known) - 1, 1)) if len(known) > 1 else np.zeros(1, int)
    left = np.maximum(right - 1, 0)
    nearest = np.where(inside - known[left] <= known[right] - inside, known[left], known[right])
    result = np.zeros(count, bool)
    result[inside] = votes[nearest] > 0
    return result
