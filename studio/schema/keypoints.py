"""Keypoints in pictures and points in space, in HALPE_26 order (Halpe-FullBody, Fang et al.)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HALPE_26 = (
    "Nose", "LEye", "REye", "LEar", "REar", "LShoulder", "RShoulder", "LElbow", "RElbow", "LWrist", "RWrist",
    "LHip", "RHip", "LKnee", "RKnee", "LAnkle", "RAnkle", "Head", "Neck", "Hip",
    "LBigToe", "RBigToe", "LSmallToe", "RSmallToe", "LHeel", "RHeel",
)  # fmt: skip

INDEX = {name: i for i, name in enumerate(HALPE_26)}

MIRROR = np.array([INDEX[{"L": "R", "R": "L"}[n[0]] + n[1:]] if n[0] in "LR" else INDEX[n] for n in HALPE_26])
"""(26,) index of the same point on the other side."""


@dataclass(frozen=True, eq=False)
class Keypoints:
    """One phone's keypoints: ``times`` (T,) s on the phone's own clock, ``xy`` (T, 26, 2) px in the upright picture,
    ``confidence`` (T, 26) in 0..1. A point that was not seen is NaN with confidence 0."""

    phone: str
    model: str
    times: np.ndarray
    xy: np.ndarray
    confidence: np.ndarray


@dataclass(frozen=True, eq=False)
class Points:
    """Points in the rig's world, unfiltered: ``times`` (T,) s on the common clock, evenly spaced at ``fps``;
    ``xyz`` (T, 26, 3) m, NaN where fewer than two views saw it; ``covariance`` (T, 26, 3, 3) m^2;
    ``residual_px`` (T, 26) mean reprojection error; ``confidence`` (T, 26) 0..1, 0 where not measured."""

    fps: float
    times: np.ndarray
    xyz: np.ndarray
    covariance: np.ndarray
    residual_px: np.ndarray
    confidence: np.ndarray
