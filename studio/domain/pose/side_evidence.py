"""What speaks for and against left and right being exchanged: costs for the search in :mod:`studio.domain.pose.sides`.

Legs and arms may be exchanged in either view, so a point has four readings: axis "reading" of length 4 is
``2 * exchanged in the first view + exchanged in the second``. All costs are squared errors in standard deviations,
capped, less what a term that fits tells: a pair that fits is negative, one that contradicts positive, one that was not
seen nothing.
Confidence is not used: detectors are as sure of exchanged points as of right ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.domain.space.quality import metres_per_pixel
from studio.domain.space.rays import finite, reprojection, seen_pixels, solve_points
from studio.schema.camera import Camera
from studio.schema.keypoints import INDEX, MIRROR


def _both(*names: str) -> np.ndarray:
    return np.array([INDEX[side + name] for name in names for side in "LR"])


LEGS = _both("Hip", "Knee", "Ankle", "BigToe", "SmallToe", "Heel")
ARMS = _both("Shoulder", "Elbow", "Wrist", "Eye", "Ear")
GROUPS = {"legs": LEGS, "arms": ARMS}

LEG_BONES = ("Hip Knee", "Knee Ankle", "Ankle BigToe", "Heel BigToe")
ARM_BONES = ("Shoulder Elbow", "Elbow Wrist")
TRUNK_BONES = ("Shoulder Hip",)

CAP = 9.0
FITS = 3.0
"""Twice the log-likelihood ratio of a perfect fit: exchanged points disagree by about five times these deviations."""
RESIDUAL_M = 0.02
"""Standard deviation of the two-view residual at the coach: 8 px at 1500 px focal length and 3.7 m."""
BONE_M = 0.03
"""Standard deviation of a bone's length from two unfiltered views (10 to 23 mm measured), with some slack."""
JUMP_M = 0.03
"""Travel of a typical point from frame to frame: 2 m/s at 60 Hz."""
JUMP_CAP = 2.0
TOES, NOSE, SHOULDERS = 6.0, 3.0, 6.0
"""Costs of toes, nose, shoulders that point fully the wrong way."""
FOOT_M, NOSE_M = 0.2, 0.1
"""What is fully the wrong way: both feet together, and the nose from the neck."""
MIN_FRAMES = 10

Lengths = dict[tuple[int, int], float]


@dataclass(frozen=True, eq=False)
class Readings:
    """``xyz`` (4, T, 26, 3) m and ``residual`` (4, T, 26) m at the coach, per reading; NaN where not measured."""

    xyz: np.ndarray
    residual: np.ndarray


def read_all(cameras: Sequence[Camera], xy: np.ndarray) -> Readings:
    """Triangulate undistorted pixels ``xy`` (2, T, 26, 2) under the four readings of every point."""
    _, steps, points, _ = xy.shape
    readings = [
        np.stack([xy[0][:, MIRROR] if r & 2 else xy[0], xy[1][:, MIRROR] if r & 1 else xy[1]]) for r in range(4)
    ]
    pixels = np.stack(readings, axis=1).reshape(2, -1, 2)
    weight = finite(pixels).astype(float)
    xyz = solve_points(cameras, pixels, weight)
    measured = finite(xyz)
    residual = np.full(len(xyz), np.nan)
    if measured.any():
        error, _ = reprojection(cameras, xyz[measured], seen_pixels(pixels, weight)[0][:, measured])
        scale = metres_per_pixel(cameras, xyz[measured])
        # A calibration that is a little off disagrees by the same vector everywhere, which tells nothing about sides.
        error = error - np.median(error, axis=1, keepdims=True)
        residual[measured] = (np.linalg.norm(error, axis=-1) * scale[:, None]).mean(axis=0)
    return Readings(xyz.reshape(4, steps, points, 3), residual.reshape(4, steps, points))


def bones(names: Sequence[str], across: str = "") -> list[tuple[int, int]]:
    """Pairs of points of both sides for "Hip Knee" and the like, and the one that joins the two sides of ``across``."""
    pairs = [(INDEX[s + a], INDEX[s + b]) for a, b in (n.split() for n in names) for s in "LR"]
    return pairs + ([(INDEX["L" + across], INDEX["R" + across])] if across else [])


def group_costs(readings: Readings, lengths: Lengths) -> tuple[np.ndarray, np.ndarray]:
    """(T, 4) costs of the legs' and of the arms' readings by themselves: residual, bones, which way they face."""
    X, hips, shoulders = readings.xyz, _forward(readings.xyz, "Hip"), _forward(readings.xyz, "Shoulder")
    legs = _fit(readings, lengths, LEGS, bones(LEG_BONES, "Hip"))
    arms = _fit(readings, lengths, ARMS, bones(ARM_BONES, "Shoulder"))
    toes = _along(X, "LHeel", "LBigToe", hips) + _along(X, "RHeel", "RBigToe", hips)
    legs += TOES * _backwards(toes, FOOT_M) + NOSE / 2 * _backwards(_along(X, "Neck", "Nose", hips), NOSE_M)
    arms += NOSE / 2 * _backwards(_along(X, "Neck", "Nose", shoulders), NOSE_M)
    return legs.T, arms.T


def trunk_costs(readings: Readings, lengths: Lengths) -> np.ndarray:
    """(T, 4, 4) costs of the legs' reading (second axis) beside the arms' (third): trunk length, same facing."""
    X = readings.xyz
    cost = np.zeros((X.shape[1], 4, 4))
    for i, k in bones(TRUNK_BONES):
        if (i, k) in lengths:
            length = np.linalg.norm(X[None, :, :, i] - X[:, None, :, k], axis=-1)
            cost += np.moveaxis(_capped((length - lengths[i, k]) / BONE_M), 2, 0)
    hips, shoulders = (_unit(X[:, :, INDEX["R" + n]] - X[:, :, INDEX["L" + n]]) for n in ("Hip", "Shoulder"))
    facing = np.einsum("lti,ati->tla", hips, shoulders)
    return cost + SHOULDERS * _backwards(facing, 1.0)


def travel_costs(xy: np.ndarray, jump_px: float) -> dict[str, np.ndarray]:
    """Per group (T - 1, 2) in one view ``xy`` (T, 26, 2): costs of keeping the labels from a frame to the next, and of
    exchanging them, by how far the points then travel in units of ``jump_px``."""
    kept, crossed = xy[1:] - xy[:-1], xy[1:][:, MIRROR] - xy[:-1]
    lengths = np.stack([np.linalg.norm(kept, axis=-1), np.linalg.norm(crossed, axis=-1)], axis=-1) / jump_px
    known = np.isfinite(lengths).all(axis=-1, keepdims=True)
    cost = np.where(known, np.minimum(lengths, JUMP_CAP), 0.0)
    return {name: cost[:, group].sum(axis=1) for name, group in GROUPS.items()}


def bone_lengths(xyz: np.ndarray) -> Lengths:
    """The clip's own lengths (m) from ``xyz`` (T, 26, 3): medians, the two sides averaged. Bones seen in fewer than
    ``MIN_FRAMES`` frames are left out."""
    found: Lengths = {}
    for i, k in bones(LEG_BONES, "Hip") + bones(ARM_BONES, "Shoulder") + bones(TRUNK_BONES):
        length = np.linalg.norm(xyz[:, i] - xyz[:, k], axis=-1)
        if np.isfinite(length).sum() >= MIN_FRAMES:
            found[i, k] = float(np.nanmedian(length))
    return {pair: (found[pair] + found.get(_mirrored(pair), found[pair])) / 2 for pair in found}


def _mirrored(pair: tuple[int, int]) -> tuple[int, int]:
    return int(MIRROR[pair[0]]), int(MIRROR[pair[1]])


def _fit(readings: Readings, lengths: Lengths, group: np.ndarray, pairs: list[tuple[int, int]]) -> np.ndarray:
    """(4, T) cost of the two views' disagreement and of the bones whose length is known."""
    cost = _capped(readings.residual[..., group] / RESIDUAL_M).sum(axis=-1)
    for i, k in (pair for pair in pairs if pair in lengths):
        length = np.linalg.norm(readings.xyz[..., i, :] - readings.xyz[..., k, :], axis=-1)
        cost += _capped((length - lengths[i, k]) / BONE_M)
    return cost


def _capped(deviations: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(deviations), np.minimum(deviations**2, CAP) - FITS, 0.0)


def _forward(xyz: np.ndarray, across: str) -> np.ndarray:
    """(4, T, 3) unit vector to the front of the hips or shoulders, level with the trunk's axis; NaN if unknown.

    Neck and mid-hip carry no side, so the axis does not depend on the reading.
    """
    up = xyz[..., INDEX["Neck"], :] - xyz[..., INDEX["Hip"], :]
    up = np.where(np.isfinite(up), up, np.array([0.0, 0.0, 1.0]))
    return _unit(np.cross(up, xyz[..., INDEX["R" + across], :] - xyz[..., INDEX["L" + across], :]))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


def _along(xyz: np.ndarray, start: str, end: str, direction: np.ndarray) -> np.ndarray:
    """(4, T) m of the way from ``start`` to ``end`` along ``direction``; 0 where not measured."""
    return np.nan_to_num(((xyz[..., INDEX[end], :] - xyz[..., INDEX[start], :]) * direction).sum(axis=-1))


def _backwards(along: np.ndarray, whole: float) -> np.ndarray:
    """0 for what points forwards to 1 for what points ``whole`` or more backwards; 0 where not measured."""
    return np.clip(np.nan_to_num(-along / whole), 0.0, 1.0)
