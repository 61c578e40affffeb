"""What stage 3 says about itself: how well the phones agree, in pixels and in millimetres at the coach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studio.domain.space.rays import finite, ray_angle, reprojection, seen_pixels
from studio.domain.space.triangulate import pixels_on_clock, rig_cameras
from studio.schema.camera import Camera, Rig
from studio.schema.findings import Finding
from studio.schema.keypoints import Keypoints, Points
from studio.schema.take import Sync

SYSTEMATIC_PX = 5.0
"""A median reprojection error vector longer than this means that the phone has moved since it was calibrated or has
another lens: healthy rigs stay under 1 px, a rig 1 degree and 40 mm wrong shows 12 px against three other cameras."""


def residual_vectors(rig: Rig, keypoints: Sequence[Keypoints], points: Points, sync: Sync) -> dict[str, np.ndarray]:
    """Per phone the median (2,) px of observed minus reprojected, undistorted pixels; NaN where nothing was measured.

    Two views can disagree only across their epipolar lines, so a small vector from two phones does not prove a good
    calibration; a large one proves a bad one.
    """
    cameras, xy, xyz = _observed(rig, keypoints, points, sync)
    error, _ = reprojection(cameras, np.where(np.isfinite(xyz), xyz, 0.0), xy)
    measured = finite(xyz) & finite(xy)
    return {
        c.phone: np.median(e[m], axis=0) if m.any() else np.full(2, np.nan)
        for c, e, m in zip(cameras, error, measured, strict=True)
    }


def calibration_findings(rig: Rig, keypoints: Sequence[Keypoints], points: Points, sync: Sync) -> tuple[Finding, ...]:
    """A finding "calibration" for each phone whose median error vector exceeds ``SYSTEMATIC_PX``."""
    start, end = (float(points.times[0]), float(points.times[-1])) if len(points.times) else (0.0, 0.0)
    vectors = residual_vectors(rig, keypoints, points, sync)
    lengths = {phone: float(np.linalg.norm(vector)) for phone, vector in vectors.items()}
    return tuple(
        Finding("calibration", phone, start, end, length, "px", SYSTEMATIC_PX)
        for phone, length in lengths.items()
        if length > SYSTEMATIC_PX
    )


def summary(rig: Rig, keypoints: Sequence[Keypoints], points: Points, sync: Sync) -> dict[str, float | int]:
    """Stage 3's figures: ``residual_px`` median; ``residual_mm`` the same at the coach's distance; ``measured_share``
    of the points that any phone ever saw; ``ray_angle_deg`` median; ``uncertainty_mm`` median of the longest axis of
    the covariance; ``frames``; and per phone ``systematic_px_<phone>``."""
    cameras, xy, xyz = _observed(rig, keypoints, points, sync)
    _, weight = seen_pixels(xy, finite(xy).astype(float))
    measured = finite(xyz)
    shape = points.residual_px.shape
    tracked = finite(xy).reshape(len(cameras), *shape).any(axis=(0, 1))
    vectors = residual_vectors(rig, keypoints, points, sync)
    figures: dict[str, float | int] = {
        "frames": len(points.times),
        "measured_share": float(measured.reshape(shape)[:, tracked].mean()) if tracked.any() else 0.0,
    }
    if measured.any():
        residual = float(np.nanmedian(points.residual_px))
        angle = ray_angle(cameras, xyz[measured], weight[:, measured])
        spread = np.linalg.eigvalsh(points.covariance.reshape(-1, 3, 3)[measured])[:, -1]
        figures |= {
            "residual_px": residual,
            "residual_mm": 1000 * residual * float(np.median(metres_per_pixel(cameras, xyz[measured]))),
            "ray_angle_deg": float(np.degrees(np.median(angle))),
            "uncertainty_mm": 1000 * float(np.sqrt(np.median(spread))),
        }
        figures |= {f"systematic_px_{phone}": float(np.linalg.norm(v)) for phone, v in vectors.items()}
    return figures


def metres_per_pixel(cameras: Sequence[Camera], xyz: np.ndarray) -> np.ndarray:
    """(C,) m: the width that one pixel covers at the median depth of ``xyz`` (M, 3)."""
    depths = [float(np.median(xyz @ c.rotation[2] + c.translation[2])) for c in cameras]
    return np.array([d / np.sqrt(c.matrix[0, 0] * c.matrix[1, 1]) for c, d in zip(cameras, depths, strict=True)])


def _observed(
    rig: Rig, keypoints: Sequence[Keypoints], points: Points, sync: Sync
) -> tuple[tuple[Camera, ...], np.ndarray, np.ndarray]:
    cameras = rig_cameras(rig, keypoints)
    xy, _ = pixels_on_clock(cameras, keypoints, sync, points.fps, points.times)
    return cameras, xy, points.xyz.reshape(-1, 3)
