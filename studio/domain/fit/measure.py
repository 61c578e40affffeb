"""The coach's lengths from points in space."""

from __future__ import annotations

import numpy as np

from studio.domain.body.proportions import lengths
from studio.schema.body import Body
from studio.schema.keypoints import INDEX, Points

MIN_FRAMES = 5
HEEL_TO_TOE = 0.96
"""Distance of the heel and big toe markers / length of the foot on the generated body."""

PLAUSIBLE = (0.5, 1.6)
"""Range of measured / average in which a length is believed."""


def measure(points: Points, stature: float, mass: float) -> dict[str, float]:
    """Lengths (m) by the median over frames, left and right averaged: thigh, shank, trunk, hip_half, shoulder_half,
    upper_arm, forearm, foot. A length that no human of this stature has is left out, so the average is used."""
    xyz = np.where((points.confidence > 0)[..., None], points.xyz, np.nan)

    def at(name: str) -> np.ndarray:
        return xyz[:, INDEX[name]]

    def both(first: str, second: str) -> float:
        return _mean(*(_median(at(s + first) - at(s + second)) for s in "LR"))

    middle = {name: (at("L" + name) + at("R" + name)) / 2 for name in ("Hip", "Shoulder")}
    found = {
        "thigh": both("Hip", "Knee"),
        "shank": both("Knee", "Ankle"),
        "trunk": _median(middle["Hip"] - middle["Shoulder"]),
        "hip_half": _median(at("LHip") - at("RHip")) / 2,
        "shoulder_half": _median(at("LShoulder") - at("RShoulder")) / 2,
        "upper_arm": both("Shoulder", "Elbow"),
        "forearm": both("Elbow", "Wrist"),
        "foot": both("Heel", "BigToe") / HEEL_TO_TOE,
    }
    usual = lengths(Body("average", stature, mass))
    low, high = PLAUSIBLE
    return {name: value for name, value in found.items() if low * usual[name] <= value <= high * usual[name]}


def _median(vectors: np.ndarray) -> float:
    size = np.linalg.norm(vectors, axis=-1)
    size = size[np.isfinite(size)]
    return float(np.median(size)) if len(size) >= MIN_FRAMES else np.nan


def _mean(*values: float) -> float:
    known = [v for v in values if np.isfinite(v)]
    return float(np.mean(known)) if known else np.nan
