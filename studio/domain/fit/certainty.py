"""What the points do not show: markers that are out of sight for a while, and the tilt of the pelvis."""

from __future__ import annotations

import numpy as np

from studio.domain.body.build import build
from studio.domain.filters import runs
from studio.domain.findings import spans_over
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.markers import KEYPOINT_SIGMA, ON_BODY, observe
from studio.domain.fit.residuals import Markers
from studio.domain.fit.skeleton import SCALES, locked_dofs, posture
from studio.domain.fit.solver import Clip, Normal
from studio.schema.body import Body
from studio.schema.findings import Finding
from studio.schema.keypoints import INDEX, Points
from studio.schema.motion import SkeletonFit

PELVIS_PITCH = 4
"""Degree of freedom of the root: turning about the pelvis's own y axis."""

UNSURE_DEG = 15.0
"""What a take shows well (roll of the pelvis, knees, elbows) has a standard deviation of 4 to 10 degrees; the pitch of
the pelvis, which spine and hips can undo unseen, of 20 to 48 (a filmed leg raise and a recorded kick)."""

UNSEEN_S = 0.1
"""A shorter gap is bridged by the motion before and after it."""


def certainty_findings(points: Points, fit: SkeletonFit, body: Body) -> tuple[Finding, ...]:
    """Where to believe the fit less: "uncertain" for the pitch of the pelvis, "unseen" for each marker's gaps.

    ``points`` and ``body`` are those of the fit. A point that the pose model never gives is no finding.
    """
    pitch = np.degrees(pelvis_pitch_deviation(points, fit, body))
    found = spans_over(pitch, points.times, "uncertain", "pelvis_pitch", unit="deg", limit=UNSURE_DEG)
    seen = np.isfinite(points.xyz).all(axis=-1) & (points.confidence > 0)
    for name in ON_BODY:
        column = seen[:, INDEX[name]]
        for start, stop in runs(np.logical_not(column)) if column.any() else ():
            length = (stop - start) / points.fps
            if length > UNSEEN_S:
                ends = float(points.times[start]), float(points.times[stop - 1])
                found.append(Finding("unseen", subject(name), *ends, length, "s", UNSEEN_S))
    return tuple(found)


def pelvis_pitch_deviation(points: Points, fit: SkeletonFit, body: Body) -> np.ndarray:
    """(T,) rad: standard deviation of the pelvis's pitch from one frame's markers and the pull towards neutral.

    Inverse of the frame's Gauss-Newton matrix at the fit, its markers trusted as there, times ``KEYPOINT_SIGMA``^2.
    Neighbouring frames are left out: they share the same blindness.
    """
    kinematics = Kinematics(build(body, floor=False).compile())
    observed = observe(points, kinematics)
    kinematics.model.site_pos[observed.sites] = fit.offsets
    dofs = np.flatnonzero(~locked_dofs(kinematics))
    clip = Clip(kinematics, fit.qpos, kinematics.forward(fit.qpos), dofs)
    normal = Normal(len(fit.qpos), len(dofs))
    markers = Markers(observed.sites, observed.points, observed.information, SCALES[-1])
    for wish in (markers, posture(kinematics, len(fit.qpos))):
        wish.evaluate(clip, normal)
    # A frame in which the root itself is not seen has no information on it: as little as a whole turn.
    index = np.arange(6)
    normal.matrix[:, index, index] += (KEYPOINT_SIGMA / np.pi) ** 2
    column = int(np.flatnonzero(dofs == PELVIS_PITCH)[0])
    return KEYPOINT_SIGMA * np.sqrt(np.linalg.inv(normal.matrix)[:, column, column])


def subject(marker: str) -> str:
    """A marker's name as findings have it: "RBigToe" is "big_toe_r", "Nose" is "nose"."""
    side = marker[0] if marker[0] in "LR" else ""
    part = "".join(f"_{c.lower()}" if c.isupper() else c for c in marker.removeprefix(side)).strip("_")
    return f"{part}_{side.lower()}" if side else part
