"""Stage 4: the coach's joint angles from points in space."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from studio.domain.body.build import build
from studio.domain.body.load import body_hash, coach_body
from studio.domain.fit.kinematics import ROOT_DOFS, Kinematics
from studio.domain.fit.markers import Observed, calibrate, distances, observe, trust, without_bursts
from studio.domain.fit.measure import measure
from studio.domain.fit.residuals import Acceleration, Deviation, Limits, Markers
from studio.domain.fit.solver import Options, Residual, solve
from studio.domain.fit.start import root_poses, sequential_start
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.keypoints import Points
from studio.schema.motion import SkeletonFit
from studio.schema.project import Coach

SCALES = (0.12, 0.08, 0.05, 0.04)
"""m; the robust loss is narrowed in these steps (graduated non-convexity, Blake and Zisserman 1987)."""

ACCELERATION, ROOT_ACCELERATION = 5e-2, 25.0
"""Weight of (rad / frame^2)^2 at 60 fps against marker m^2, and how much more the root's translation weighs: found on
recorded kicks, where it keeps 101 % of the peak knee speed."""

LOCKED = ("wrist", "forearm_twist", "clavicle")
"""Joints that no HALPE point tells about; they stay at guard."""

PRIOR = 3e-5
WEAK = {
    "ankle_roll": 3e-3, "toe": 3e-3, "ankle_pitch": 1e-4, "lumbar": 1e-4, "chest": 1e-4, "neck": 1e-3,
    "hip_yaw": 1e-4, "shoulder": 1e-4,
}  # fmt: skip
"""Pull towards neutral for joints that points see badly (m^2 / rad^2): the toes, the roll of the ankle, and the pitch
of the pelvis, which hip points do not show at all: trunk and pelvis share a bend evenly."""

LIMIT_MARGIN, LIMIT_WEIGHT = 0.03, 1.0
"""A soft wall so far inside the hard limits (rad), and its weight (m^2 / rad^2)."""

MIN_FRAMES = 10


def fit_skeleton(
    points: Points, coach: Coach, on_progress: Callable[[float], None] | None = None
) -> tuple[SkeletonFit, Body]:
    """Fit the coach's body to unfiltered ``points`` over the whole clip; also returns the body with his measures.

    Measures by medians (typed-in ones win), a sequential start, then Levenberg-Marquardt over all frames with the
    Geman-McClure loss narrowed from 12 to 4 cm and marker places calibrated in between. Joint limits are hard.
    ``on_progress`` gets 0..1. Raises :class:`StudioError` when there are too few frames or points.
    """
    if len(points.times) < MIN_FRAMES:
        why = f"the take has {len(points.times)} frames"
        raise StudioError("The skeleton cannot be fitted", why, f"Use at least {MIN_FRAMES} frames")
    body = coach_body(coach, measure(points, coach.stature, coach.mass))
    kinematics = Kinematics(build(body, floor=False).compile())
    observed = observe(points, kinematics)
    neutral = posture(kinematics, len(points.times))
    locked = locked_dofs(kinematics)
    report = on_progress or (lambda _: None)
    nominal = kinematics.model.site_pos[observed.sites].copy()
    steady = without_bursts(observed)
    qpos = sequential_start(kinematics, steady, root_poses(points), neutral, locked)
    report(0.3)
    for number, scale in enumerate(SCALES):
        last = scale == SCALES[-1]
        wishes = _wishes(kinematics, observed if last else steady, scale, neutral, points.fps)
        options = Options(30 if last else 8, 5e-4 if last else 5e-3, 1e-3)
        qpos = solve(kinematics, qpos, wishes, options, locked=locked).qpos
        if not last:
            calibrate(kinematics, qpos, observed, nominal, scale)
        report(0.3 + 0.7 * (number + 1) / len(SCALES))
    frames = kinematics.forward(qpos)
    fit = SkeletonFit(
        body.name, body_hash(body), points.fps, float(points.times[0]), kinematics.joints, observed.names, qpos,
        distances(frames, observed),
        observed.seen & (trust(frames, observed, SCALES[-1]) < 0.5),
        kinematics.model.site_pos[observed.sites].copy(),
    )  # fmt: skip
    return fit, body


def _wishes(kinematics: Kinematics, observed: Observed, scale: float, neutral: Deviation, fps: float) -> list[Residual]:
    smooth = np.full(kinematics.model.nv, ACCELERATION * (fps / 60.0) ** 4)
    smooth[:3] *= ROOT_ACCELERATION
    return [
        Markers(observed.sites, observed.points, observed.information, scale),
        Acceleration(smooth),
        neutral,
        Limits(LIMIT_MARGIN, LIMIT_WEIGHT),
    ]


def locked_dofs(kinematics: Kinematics) -> np.ndarray:
    """(nv,) bool: degrees of freedom that the fit leaves at guard."""
    return kinematics.hinges(lambda joint: joint.startswith(LOCKED))


def posture(kinematics: Kinematics, frames: int) -> Deviation:
    """The pull towards neutral over a clip of so many frames."""
    weights = np.zeros(kinematics.model.nv)
    for i, joint in enumerate(kinematics.joints):
        weights[ROOT_DOFS + i] = next((w for name, w in WEAK.items() if joint.startswith(name)), PRIOR)
    return Deviation(np.tile(kinematics.model.qpos0, (frames, 1)), weights)
