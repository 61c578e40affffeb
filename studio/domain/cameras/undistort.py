"""Between pixels of a real lens, pixels of a pinhole, and points in the world."""

from __future__ import annotations

import numpy as np

from studio.schema.camera import Camera

ITERATIONS = 30


def undistort_points(camera: Camera, xy: np.ndarray) -> np.ndarray:
    """(..., 2) px in the picture to (..., 2) px of the same camera without distortion; NaN stays NaN.

    Fixed-point iteration on the Brown-Conrady model, as OpenCV's ``undistortPoints`` with ``P = K``.
    """
    seen = _normalised(camera, np.asarray(xy, dtype=float))
    ideal = seen
    for _ in range(ITERATIONS):
        radial, tangential = _distortion(camera.distortion, ideal)
        ideal = (seen - tangential) / radial
    return _pixels(camera, ideal)


def distort_points(camera: Camera, xy: np.ndarray) -> np.ndarray:
    """Inverse of :func:`undistort_points`: (..., 2) px of the pinhole to (..., 2) px in the picture."""
    ideal = _normalised(camera, np.asarray(xy, dtype=float))
    radial, tangential = _distortion(camera.distortion, ideal)
    return _pixels(camera, ideal * radial + tangential)


def project(camera: Camera, xyz: np.ndarray, distorted: bool = False) -> np.ndarray:
    """(..., 3) m in the world to (..., 2) px; NaN for what is not in front of the camera.

    ``distorted`` gives the place in the picture as filmed, otherwise that of the pinhole.
    """
    local = np.asarray(xyz, dtype=float) @ camera.rotation.T + camera.translation
    depth = np.where(local[..., 2:] > 0, local[..., 2:], np.nan)
    xy = _pixels(camera, local[..., :2] / depth)
    return distort_points(camera, xy) if distorted else xy


def _normalised(camera: Camera, xy: np.ndarray) -> np.ndarray:
    inverse = np.linalg.inv(camera.matrix)
    return xy @ inverse[:2, :2].T + inverse[:2, 2]


def _pixels(camera: Camera, xy: np.ndarray) -> np.ndarray:
    return xy @ camera.matrix[:2, :2].T + camera.matrix[:2, 2]


def _distortion(terms: np.ndarray, xy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Radial factor (..., 1) and tangential shift (..., 2) at normalised coordinates."""
    k1, k2, p1, p2 = terms
    x, y = xy[..., 0], xy[..., 1]
    square = x * x + y * y
    radial = 1.0 + k1 * square + k2 * square * square
    shift = np.stack([2 * p1 * x * y + p2 * (square + 2 * x * x), p1 * (square + 2 * y * y) + 2 * p2 * x * y], -1)
    return radial[..., None], shift
