"""From other orders of keypoints to HALPE_26."""

from __future__ import annotations

import numpy as np

from studio.schema.keypoints import HALPE_26, INDEX

BLAZEPOSE = {
    "Nose": 0, "LEye": 2, "REye": 5, "LEar": 7, "REar": 8, "LShoulder": 11, "RShoulder": 12, "LElbow": 13,
    "RElbow": 14, "LWrist": 15, "RWrist": 16, "LHip": 23, "RHip": 24, "LKnee": 25, "RKnee": 26, "LAnkle": 27,
    "RAnkle": 28, "LHeel": 29, "RHeel": 30, "LBigToe": 31, "RBigToe": 32,
}  # fmt: skip
"""Number of the BlazePose landmark (MediaPipe's pose topology) for each point that it knows."""

MIDPOINTS = {"Neck": (11, 12), "Hip": (23, 24)}


def blazepose_to_halpe(landmarks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(33, 3) x px, y px, visibility to (26, 2) px and (26,) confidence.

    Neck and Hip are the midpoints of shoulders and hips, with the lower of the two confidences. Head (the top of the
    head) and the small toes are not among BlazePose's landmarks: they stay NaN with confidence 0. A barely visible
    point keeps its place and its low confidence.
    """
    xy = np.full((len(HALPE_26), 2), np.nan)
    confidence = np.zeros(len(HALPE_26))
    target = [INDEX[name] for name in BLAZEPOSE]
    source = list(BLAZEPOSE.values())
    xy[target] = landmarks[source, :2]
    confidence[target] = landmarks[source, 2]
    for name, pair in MIDPOINTS.items():
        xy[INDEX[name]] = landmarks[list(pair), :2].mean(0)
        confidence[INDEX[name]] = landmarks[list(pair), 2].min()
    confidence[~np.isfinite(xy).all(1)] = 0.0
    return xy, np.clip(confidence, 0.0, 1.0)
