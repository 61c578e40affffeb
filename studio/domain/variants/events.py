"""The named moments of a technique, found in the motion where nobody gave them."""

from __future__ import annotations

import numpy as np

from studio.domain import rotations
from studio.domain.filters import runs
from studio.domain.fit.kinematics import Kinematics
from studio.schema.body import Roles
from studio.schema.motion import Motion

NAMES = ("start", "lift_off", "impact", "upright", "land", "end")
IN_ORDER = ("start", "lift_off", "impact", "land", "end")
"""Moments that follow each other in every technique; the trunk may be upright again before or after the landing."""

LEGS = ("knee", "shin", "foot")
RECOVERED = 0.25
"""The trunk is upright again when it leans no more than its end plus this share of the way from its largest lean."""


def facing(motion: Motion) -> float:
    """Degrees: where the pelvis points on the floor, on average. ``heading_deg`` of a technique is minus this."""
    turns = rotations.heading(motion.qpos[:, 3:7])
    return float(np.degrees(np.arctan2(np.sin(turns).mean(), np.cos(turns).mean())))


def impact_frame(kinematics: Kinematics, roles: Roles, qpos: np.ndarray, striker: str) -> int:
    """Where the striker is at its extreme: a leg at its highest, an arm farthest forward (+x) of the pelvis; the middle
    where nothing strikes."""
    if not striker:
        return len(qpos) // 2
    frames = kinematics.forward(qpos)
    path = frames.site[:, kinematics.site_ids([roles.strikers[striker]])[0]]
    if striker.split("_", maxsplit=1)[0] in LEGS:
        return int(path[:, 2].argmax())
    return int((path[:, 0] - frames.body[:, kinematics.body_ids([roles.pelvis])[0], 0]).argmax())


def find_events(
    kinematics: Kinematics, roles: Roles, qpos: np.ndarray, contacts: np.ndarray, *, striker: str, impact: int
) -> dict[str, int]:
    """Frames of start, lift_off, impact, upright, land, end. ``lift_off`` and ``land`` are the striking leg's; an arm's
    technique and a stance have them at their ends, and in a stance the trunk is upright from the start."""
    last = len(qpos) - 1
    lift_off, land = 0, last
    if not striker:
        return {"start": 0, "lift_off": 0, "impact": impact, "upright": 0, "land": last, "end": last}
    kind, side = striker.split("_")
    if kind in LEGS:
        columns = [i for i, name in enumerate(roles.soles) if name.endswith(f"_{side}")]
        standing = contacts[:, columns].any(axis=1)
        for start, stop in runs(np.logical_not(standing)):
            if start <= impact < stop:
                lift_off, land = start, min(stop, last)
    upright = _upright(kinematics, roles, qpos, impact)
    return {
        "start": 0, "lift_off": lift_off, "impact": impact, "upright": min(upright, last), "land": land, "end": last,
    }  # fmt: skip


def _upright(kinematics: Kinematics, roles: Roles, qpos: np.ndarray, impact: int) -> int:
    up = kinematics.forward(qpos[impact:]).rotation[:, kinematics.body_ids([roles.chest])[0], 2, 2]
    lean = np.arccos(np.clip(up, -1.0, 1.0))
    high = int(lean.argmax())
    low_enough = lean[high:] <= lean[-1] + RECOVERED * max(lean[high] - lean[-1], 0.0)
    return impact + high + int(low_enough.argmax())
