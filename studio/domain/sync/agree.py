"""Whether what two phones see agrees with the clock that was found: a check, never its source.

Two views of one moment meet in the epipolar lines; read at another moment, what moves across them misses. The offset
at which they miss least is the clock's, if the calibration is right: with a rig 1 degree and 30 mm wrong one pair of
Pose2Sim's demo came out 1.5 frames off. So a difference is told to the coach and nothing is corrected by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.domain.space.rays import finite
from studio.domain.space.resample import common_clock
from studio.domain.space.triangulate import pixels_on_clock, rig_cameras
from studio.schema.camera import Camera, Rig
from studio.schema.findings import Finding
from studio.schema.keypoints import HALPE_26, Keypoints
from studio.schema.take import Sync

REACH_FRAMES = 4
HUBER_PX = 5.0
"""Beyond this a point counts by its distance, not its square: what a detector got wrong is no evidence."""
LEAST_CONFIDENCE = 0.3
CLEAR = 1.1
"""The views tell an offset only where reading them some frames off makes them differ so many times more."""
DISAGREE_FRAMES = 0.5
SURE = 2.0
"""Standard errors that a disagreement must have to be told."""
PARTS = ("LShoulder LElbow LWrist", "RShoulder RElbow RWrist", "LHip LKnee LAnkle LHeel LBigToe LSmallToe",
         "RHip RKnee RAnkle RHeel RBigToe RSmallToe", "Nose Neck Head Hip")  # fmt: skip
"""What a detector misjudges together; the standard error is that between these parts."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """``shift_s`` (N,): offsets tried beside the one that was found, whole frames; ``miss_px`` (N,): how far the views
    then miss each other; ``best_s``: the shift at which they miss least, or None where they do not tell; ``error_s``
    its standard error."""

    shift_s: np.ndarray
    miss_px: np.ndarray
    best_s: float | None
    error_s: float = 0.0


def agreement(rig: Rig, keypoints: Sequence[Keypoints], sync: Sync, fps: float) -> Agreement:
    """Read phone "b" some frames earlier and later. ``keypoints``: of two phones, sides repaired.

    Only whole frames are tried, and the minimum is found between them: a point read between two frames is less noisy
    than one read at a frame, which would draw the minimum to it. The standard error is a jackknife over ``PARTS``.
    Raises :class:`StudioError` for phones that the rig does not know or that did not film together.
    """
    cameras = rig_cameras(rig, keypoints)
    fundamental = _fundamental(*cameras)
    other = keypoints[1].phone
    shifts = np.arange(-REACH_FRAMES, REACH_FRAMES + 1) / fps
    times = common_clock(keypoints, sync, fps)[REACH_FRAMES:-REACH_FRAMES]
    cost = np.zeros((len(shifts), 2, len(HALPE_26)))
    for k, shift in enumerate(shifts if len(times) else ()):
        shifted = replace(sync, offset_s={**(sync.offset_s or {}), other: sync.offset(other) + float(shift)})
        xy, confidence = pixels_on_clock(cameras, keypoints, shifted, fps, times)
        cost[k] = _cost(fundamental, xy, confidence.min(axis=0))
    every = np.ones(len(HALPE_26), bool)
    miss = _miss(cost, every)
    best = _lowest(shifts, miss)
    if best is None:
        return Agreement(shifts, miss, None)
    without = [_lowest(shifts, _miss(cost, ~_part(names))) for names in PARTS]
    left = np.array([value if value is not None else shifts[0] for value in without])
    return Agreement(shifts, miss, best, float(np.sqrt((len(left) - 1) * np.mean((left - left.mean()) ** 2))))


def sync_findings(found: Agreement, phone: str, span: tuple[float, float], fps: float) -> tuple[Finding, ...]:
    """A finding "sync" where the views are surely at one more than half a frame away from the clock, in ms."""
    limit = DISAGREE_FRAMES / fps
    if found.best_s is None or abs(found.best_s) <= max(limit, SURE * found.error_s):
        return ()
    return (Finding("sync", phone, *span, 1000 * found.best_s, "ms", 1000 * limit),)


def _cost(fundamental: np.ndarray, xy: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """(2, 26): summed robust squared distance (px^2) of the views from each other's epipolar lines, and how many
    distances went into it. Sampson's first order; each point's own constant distance, which calibration and a
    detector's opinion make, is taken away."""
    seen = finite(xy).all(axis=0) & (confidence >= LEAST_CONFIDENCE)
    a, b = (np.column_stack([np.where(seen[:, None], view, 0.0), np.ones(len(view))]) for view in xy)
    line_b, line_a = a @ fundamental.T, b @ fundamental
    slope = np.sqrt((line_a[:, :2] ** 2).sum(axis=1) + (line_b[:, :2] ** 2).sum(axis=1))
    signed = np.where(seen, (b * line_b).sum(axis=1) / np.maximum(slope, 1e-12), np.nan).reshape(-1, len(HALPE_26))
    usual = np.zeros(len(HALPE_26))
    ever = np.isfinite(signed).any(axis=0)
    usual[ever] = np.nanmedian(signed[:, ever], axis=0)
    off = np.abs(signed - usual)
    robust = np.where(off < HUBER_PX, off**2, HUBER_PX * (2 * off - HUBER_PX))
    return np.stack([np.nansum(robust, axis=0), np.isfinite(off).sum(axis=0)])


def _miss(cost: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(N,) px, root of the mean cost of the chosen points (26,) at each shift; NaN where none was seen."""
    total, count = cost[:, :, points].sum(axis=2).T
    return np.sqrt(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _part(names: str) -> np.ndarray:
    return np.isin(HALPE_26, names.split())


def _lowest(shifts: np.ndarray, miss: np.ndarray) -> float | None:
    """The minimum of the curve, between two shifts by a parabola; None where it has no clear one."""
    if not np.isfinite(miss).all() or miss.max() <= CLEAR * miss.min():
        return None
    k = int(np.argmin(miss))
    if k in (0, len(miss) - 1):
        return float(shifts[k])
    before, here, after = miss[k - 1 : k + 2] ** 2
    return float(shifts[k] + 0.5 * (before - after) / (before - 2 * here + after) * (shifts[1] - shifts[0]))


def _fundamental(a: Camera, b: Camera) -> np.ndarray:
    """(3, 3) of undistorted pixels: x_b F x_a = 0 (Hartley and Zisserman, 2nd ed., equation 9.1)."""
    centre = np.append(a.position, 1.0)
    epipole = b.projection @ centre
    cross = np.cross(np.eye(3), epipole)
    return cross.T @ b.projection @ np.linalg.pinv(a.projection)
