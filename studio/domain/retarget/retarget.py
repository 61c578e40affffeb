"""Stage 5: the coach's motion on the fighter, standing on the fighter's feet."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.body.roles import roles as roles_of
from studio.domain.fit.kinematics import Kinematics
from studio.domain.retarget import check
from studio.domain.retarget.balance import balance_figures, balance_findings, lock_and_balance, zmp_outside
from studio.domain.retarget.contacts import find_contacts, floor_level
from studio.domain.retarget.copy import copy_motion, root_scale
from studio.domain.retarget.lock import find_pins
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.motion import Retarget, SkeletonFit

FLOOR_TOLERANCE = 0.03
"""m that the rig's floor may be wrong before it is shown."""


def retarget(
    fit: SkeletonFit, coach_body: Body, fighter: Body, on_progress: Callable[[float], None] | None = None
) -> tuple[Retarget, tuple[Finding, ...]]:
    """Copy the angles, scale the root by leg length, pin the soles, and say what is still wrong.

    Contacts come from the coach's own feet. One height for the whole clip puts him on the floor; it is shown as a
    finding beyond 3 cm. Raises :class:`StudioError` when the fit belongs to another body than ``coach_body``.
    """
    report = on_progress or (lambda _: None)
    if fit.body_hash != body_hash(coach_body):
        why = "the coach's measures have changed since it was made"
        raise StudioError("The fit cannot be moved onto the fighter", why, "Run stage 4 again")
    coach, target = (Kinematics(build(b).compile()) for b in (coach_body, fighter))
    roles = roles_of(fighter)
    soles = coach.forward(fit.qpos).site[:, coach.site_ids(roles.soles)]
    floor = floor_level(soles, fit.fps)
    contacts = find_contacts(soles, fit.fps, floor)
    scale = root_scale(coach_body, fighter)
    copied = copy_motion(fit.qpos, scale, floor)
    copied[:, 2] -= _standing_height(target, roles.soles, copied, contacts)
    report(0.1)
    pins = find_pins(target, roles, copied, contacts, fit.fps)
    moved = lock_and_balance(target, copied, pins, fit.fps, rest=False, on_progress=lambda f: report(0.1 + 0.8 * f))
    result = Retarget(
        fighter.name, body_hash(fighter), fit.fps, fit.start_s, target.joints, roles.soles, scale, moved.qpos, copied,
        contacts, floor,
    )  # fmt: skip
    found = _floor_finding(floor, fit) + findings(target, result, fighter)
    report(1.0)
    return result, tuple(found)


def findings(kinematics: Kinematics, result: Retarget, fighter: Body) -> list[Finding]:
    """Everything beyond the limits in the locked motion."""
    times, roles = result.motion.times, roles_of(fighter)
    frames = kinematics.forward(result.qpos)
    pins = find_pins(kinematics, roles, result.copied, result.contacts, result.fps)
    off = zmp_outside(kinematics, result.qpos, pins, result.fps)
    allowed = float(check.self_penetration(kinematics, result.copied).max())
    return [
        *check.standing_findings(kinematics, roles, frames, result.contacts, times, fps=result.fps),
        *check.limit_findings(kinematics, result.qpos, times),
        *check.flick_findings(kinematics, check.flicks(kinematics, result.qpos, result.copied, result.fps), times),
        *check.collapse_findings(check.self_penetration(kinematics, result.qpos), times, allowed),
        *balance_findings(off, times),
    ]


def figures(result: Retarget, fighter: Body) -> dict[str, float]:
    """The numbers of the locked motion, and how far it left the copy (mm, degrees)."""
    kinematics, roles = Kinematics(build(fighter).compile()), roles_of(fighter)
    flick = check.flicks(kinematics, result.qpos, result.copied, result.fps).figures()
    pins = find_pins(kinematics, roles, result.copied, result.contacts, result.fps)
    change = np.degrees(np.abs(result.qpos[:, 7:] - result.copied[:, 7:]))
    return {
        **check.figures(kinematics, roles, result.qpos, result.contacts, result.fps),
        **flick,
        **balance_figures(zmp_outside(kinematics, result.qpos, pins, result.fps)),
        "root_moved_mm": 1e3 * float(np.linalg.norm(result.qpos[:, :3] - result.copied[:, :3], axis=1).max()),
        "joint_moved_deg": float(change.max()),
    }


def _standing_height(kinematics: Kinematics, names: tuple[str, ...], qpos: np.ndarray, contacts: np.ndarray) -> float:
    """Median height (m) of the points that stand: what is left of the floor's error after scaling."""
    soles = kinematics.forward(qpos).site[:, kinematics.site_ids(names), 2]
    return float(np.median(soles[contacts])) if contacts.any() else float(np.median(soles.min(axis=1)))


def _floor_finding(floor: float, fit: SkeletonFit) -> list[Finding]:
    if abs(floor) <= FLOOR_TOLERANCE:
        return []
    end = fit.start_s + (len(fit.qpos) - 1) / fit.fps
    return [Finding("floor", "rig", fit.start_s, end, 1e3 * floor, "mm", 1e3 * FLOOR_TOLERANCE, repaired=True)]
