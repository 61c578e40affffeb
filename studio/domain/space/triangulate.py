"""Keypoints of two or more phones to points in the rig's world, with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studio.domain.cameras.undistort import undistort_points
from studio.domain.space.rays import covariance, finite, reprojection, seen_pixels, solve_points
from studio.domain.space.resample import common_clock, to_clock
from studio.schema.camera import Camera, Rig
from studio.schema.errors import StudioError
from studio.schema.keypoints import HALPE_26, Keypoints, Points
from studio.schema.take import Sync

SIGMA_PX = 5.0
"""Standard deviation of one pixel coordinate at confidence 1 in a picture whose longer side is 1920 px: BlazePose
heavy on Pose2Sim's single-person demo, four cameras with refined extrinsics: 4.0 to 7.4, median 5.1. It is mostly a
detector's constant opinion of where a joint is, not noise from frame to frame (0.8 to 2.1 px)."""

MIN_CONFIDENCE = 0.05
"""A seen point never weighs less than this, so that one doubtful view still gives a point, with a wide covariance."""


def triangulate(rig: Rig, keypoints: Sequence[Keypoints], sync: Sync, fps: float) -> Points:
    """Unfiltered points at ``fps`` while at least two phones were filming.

    Keypoints are read on the common clock, undistorted, and solved per point and frame for the least
    confidence-weighted reprojection error (:func:`studio.domain.space.rays.solve_points`). ``covariance`` is the
    inverse normal matrix with a pixel variance of ``SIGMA_PX``^2 / confidence, scaled to the picture: along the rays
    it is as wide as their angle makes it. ``residual_px`` is the mean over the views in undistorted pixels;
    ``confidence`` that of the second best view. Raises :class:`StudioError` for fewer than two phones, or a phone that
    the rig does not know.
    """
    cameras = rig_cameras(rig, keypoints)
    times = common_clock(keypoints, sync, fps)
    xy, confidence = pixels_on_clock(cameras, keypoints, sync, fps, times)
    weight = np.where(confidence > 0, np.maximum(confidence, MIN_CONFIDENCE), 0.0)
    xyz = solve_points(cameras, xy, weight)
    sigma = np.array([SIGMA_PX * max(c.width, c.height) / 1920 for c in cameras])
    measured = finite(xyz)
    shape = (len(times), len(HALPE_26))
    return Points(
        fps=float(fps),
        times=times,
        xyz=xyz.reshape(*shape, 3),
        covariance=covariance(cameras, xyz, weight / sigma[:, None] ** 2).reshape(*shape, 3, 3),
        residual_px=_mean_residual(cameras, xyz, xy, weight).reshape(shape),
        confidence=np.where(measured, np.sort(confidence, axis=0)[-2], 0.0).reshape(shape),
    )


def rig_cameras(rig: Rig, keypoints: Sequence[Keypoints]) -> tuple[Camera, ...]:
    """The camera of each phone, in the order of the keypoints. Raises :class:`StudioError`."""
    known = [c.phone for c in rig.cameras]
    for k in keypoints:
        if k.phone not in known:
            raise StudioError(
                f"Phone {k.phone} has keypoints but no calibration",
                f"the session's rig holds {', '.join(known) or 'no phone'}",
                "Calibrate this phone, or leave its video out of the take",
            )
    if len({k.phone for k in keypoints}) < 2 or len({k.phone for k in keypoints}) < len(keypoints):
        raise StudioError(
            "Points in space need two different phones",
            f"keypoints came from {', '.join(k.phone for k in keypoints) or 'no phone'}",
            "Add the other phone's video and run stage 2 on it",
        )
    return tuple(rig.camera(k.phone) for k in keypoints)


def pixels_on_clock(
    cameras: Sequence[Camera], keypoints: Sequence[Keypoints], sync: Sync, fps: float, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Undistorted pixels (C, T * 26, 2), NaN where not seen, and confidence (C, T * 26) of every phone at ``times``."""
    on_clock = [to_clock(k, sync, fps, times) for k in keypoints]
    xy = [undistort_points(c, k.xy.reshape(-1, 2)) for c, k in zip(cameras, on_clock, strict=True)]
    return np.stack(xy), np.stack([k.confidence.reshape(-1) for k in on_clock])


def _mean_residual(cameras: Sequence[Camera], xyz: np.ndarray, xy: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(M,) px, mean length of the reprojection error over the views that saw the point; NaN where not measured."""
    pixels, weight = seen_pixels(xy, weight)
    length = np.linalg.norm(reprojection(cameras, xyz, pixels)[0], axis=-1)
    views = np.maximum((weight > 0).sum(axis=0), 1)
    return np.where(weight > 0, length, 0.0).sum(axis=0) / views + np.where(finite(xyz), 0.0, np.nan)
