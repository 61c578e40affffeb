"""Which measured points guide the fit, how much, and where they sit on the body."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from studio.domain.fit.kinematics import Frames, Kinematics
from studio.schema.errors import StudioError
from studio.schema.keypoints import INDEX, Points

ON_BODY = (
    "Hip", "LHip", "RHip", "LKnee", "RKnee", "LAnkle", "RAnkle", "LHeel", "RHeel", "LBigToe", "RBigToe", "LSmallToe",
    "RSmallToe", "Neck", "Head", "Nose", "LShoulder", "RShoulder", "LElbow", "RElbow", "LWrist", "RWrist",
)  # fmt: skip
NEEDED = ("LHip", "RHip", "LShoulder", "RShoulder", "LKnee", "RKnee", "LAnkle", "RAnkle")
DERIVED_WEIGHT = {"Hip": 0.3, "Neck": 0.3, "Head": 0.5, "Nose": 0.5}
"""Mid-points repeat what their ends say; the head is no part of any technique and its model is coarse."""

SEEN_SHARE = 0.3
JUMP, OFF_BRIDGE, BURST_FRAMES, BURST_WEIGHT = 0.15, 0.10, 12, 0.02
KEYPOINT_SIGMA = 0.015
"""m; how far a pose model's point wanders on the body, whatever the cameras do: 12 to 16 mm between 2 and 4 views."""

OFFSET_RIDGE = 0.1
MAX_OFFSET = 0.08
"""Calibration of marker places: shrinkage towards the model's own place as a share of the frames, and its end (m)."""


@dataclass(frozen=True, eq=False)
class Observed:
    """The markers of one take: ``names`` (K), ``sites`` (K,), ``points`` (T, K, 3) with zeros where ``seen`` (T, K) is
    false, ``information`` (T, K, 3, 3): 1 for a sure point, less along a bad ray and for low confidence."""

    names: tuple[str, ...]
    sites: np.ndarray
    points: np.ndarray
    seen: np.ndarray
    information: np.ndarray


def observe(points: Points, kinematics: Kinematics) -> Observed:
    """The markers seen often enough. Raises :class:`StudioError` naming what the fit cannot do without."""
    seen = np.isfinite(points.xyz).all(-1) & (points.confidence > 0)
    share = seen.mean(axis=0)
    missing = [n for n in NEEDED if share[INDEX[n]] < SEEN_SHARE]
    if missing:
        why = f"{', '.join(missing)} seen in less than {SEEN_SHARE:.0%} of the frames"
        raise StudioError("The skeleton cannot be fitted", why, "Look at the keypoints, or choose another in and out")
    names = tuple(n for n in ON_BODY if share[INDEX[n]] >= SEEN_SHARE)
    columns = [INDEX[n] for n in names]
    weight = np.array([DERIVED_WEIGHT.get(n, 1.0) for n in names]) * points.confidence[:, columns]
    information = _information(points.covariance[:, columns]) * weight[..., None, None]
    visible = seen[:, columns]
    return Observed(
        names,
        kinematics.site_ids(names),
        np.where(visible[..., None], points.xyz[:, columns], 0.0),
        visible,
        np.where(visible[..., None, None], information, 0.0),
    )


def _information(covariance: np.ndarray) -> np.ndarray:
    """(..., 3, 3) relative to a point with no error but the pose model's own; a covariance not finite counts as 0."""
    usable = np.isfinite(covariance).all(axis=(-1, -2), keepdims=True)
    total = np.where(usable, covariance, 0.0) + KEYPOINT_SIGMA**2 * np.eye(3)
    return KEYPOINT_SIGMA**2 * np.linalg.inv(total)


def without_bursts(observed: Observed) -> Observed:
    """The same markers, points that jump away and back weighing almost nothing: they cannot lead a start astray.

    A burst lies between two jumps (second differences over 15 cm at neighbouring frames, 540 m/s^2 at 60 fps, more
    than a kick's foot shows) at most 12 frames apart, and more than 10 cm off the straight bridge over it.
    """
    information = observed.information.copy()
    for k in range(len(observed.names)):
        seen = np.flatnonzero(observed.seen[:, k])
        for burst in _bursts(observed.points[seen, k]):
            information[seen[burst], k] *= BURST_WEIGHT
    return replace(observed, information=information)


def _bursts(place: np.ndarray) -> list[slice]:
    """Index ranges of ``place`` (N, 3) that lie between a jump away and a jump back."""
    steps = np.linalg.norm(np.diff(place, axis=0), axis=1)
    turns = np.linalg.norm(np.diff(place, n=2, axis=0), axis=1)
    sharp = np.concatenate([[0.0], turns]), np.concatenate([turns, [0.0]])
    jumps = np.flatnonzero((np.maximum(*sharp) > JUMP) & (steps > JUMP / 2)) if len(steps) > 1 else np.zeros(0, int)
    found: list[slice] = []
    for first, last in pairwise(jumps.tolist()):
        if last - first > BURST_FRAMES or (found and found[-1].stop > first + 1):
            continue
        share = np.linspace(0, 1, last - first + 2)[1:-1, None]
        bridge = place[first] * (1 - share) + place[last + 1] * share
        if np.linalg.norm(place[first + 1 : last + 1] - bridge, axis=1).min() > OFF_BRIDGE:
            found.append(slice(first + 1, last + 1))
    return found


def distances(frames: Frames, observed: Observed) -> np.ndarray:
    """(T, K) m from marker to measured point, NaN where unseen."""
    away = np.linalg.norm(frames.site[:, observed.sites] - observed.points, axis=-1)
    return np.where(observed.seen, away, np.nan)


def trust(frames: Frames, observed: Observed, scale: float) -> np.ndarray:
    """(T, K) weight 0..1 that the Geman-McClure loss of ``scale`` (m) leaves a point; 0 where unseen."""
    error = frames.site[:, observed.sites] - observed.points
    squared = np.einsum("tki,tkij,tkj->tk", error, observed.information, error)
    return np.where(observed.seen, (scale**2 / (scale**2 + squared)) ** 2, 0.0)


def calibrate(kinematics: Kinematics, qpos: np.ndarray, observed: Observed, nominal: np.ndarray, scale: float) -> None:
    """Move the marker sites of the kinematics' own model to where the points lie on its parts.

    Ridge regression per marker: mean of the point in the part's frame, weighted by trust, shrunk towards ``nominal``
    (K, 3), at most 8 cm. Changes ``kinematics.model.site_pos``.
    """
    frames = kinematics.forward(qpos)
    bodies = kinematics.model.site_bodyid[observed.sites]
    arm = observed.points - frames.body[:, bodies]
    local = np.einsum("tkji,tkj->tki", frames.rotation[:, bodies], arm) - nominal
    weight = trust(frames, observed, scale)
    offset = np.einsum("tk,tki->ki", weight, local) / (weight.sum(0) + OFFSET_RIDGE * len(qpos))[:, None]
    size = np.linalg.norm(offset, axis=1, keepdims=True)
    kinematics.model.site_pos[observed.sites] = nominal + offset * np.minimum(1.0, MAX_OFFSET / np.maximum(size, 1e-9))
