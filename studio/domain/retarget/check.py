"""Figures of a motion that stands on its feet, and what is wrong with them."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain.filters import moving_median, runs
from studio.domain.findings import spans_over
from studio.domain.fit.kinematics import Frames, Kinematics
from studio.domain.retarget.lock import RAMP_S
from studio.domain.retarget.swivel import knee_swivel
from studio.schema.body import Roles
from studio.schema.findings import Finding

LIMITS_MM = {"slide": 20.0, "float": 15.0, "below_floor": 10.0, "collapsed": 15.0}
"""When a standing foot or a body fails."""

BEYOND_DEG = 1e-6
"""A joint this little beyond its limit is at it."""

SPIKE_S = 0.25
"""Width of the running median from which a spike stands out: longer than twice a flick of four frames at 60 fps."""


@dataclass(frozen=True, eq=False)
class Soles:
    """How the standing points behave, per sole point (S,), m: path and largest distance from the middle of a contact,
    largest height off the floor while standing, deepest place below the floor at any time."""

    path: np.ndarray
    peak: np.ndarray
    height: np.ndarray
    depth: np.ndarray


def sole_errors(soles: np.ndarray, contacts: np.ndarray, fps: float) -> Soles:
    """From positions (T, S, 3) m and contacts (T, S)."""
    count = soles.shape[1]
    path, peak, height = np.zeros(count), np.zeros(count), np.zeros(count)
    for k in range(count):
        for start, stop in held(contacts[:, k], fps):
            place = soles[start:stop, k]
            path[k] = max(path[k], np.linalg.norm(np.diff(place[:, :2], axis=0), axis=1).sum())
            peak[k] = max(peak[k], np.linalg.norm(place[:, :2] - place[:, :2].mean(axis=0), axis=1).max())
            height[k] = max(height[k], np.abs(place[:, 2]).max())
    return Soles(path, peak, height, np.maximum(0.0, -soles[..., 2].min(axis=0)))


def held(contact: np.ndarray, fps: float) -> list[tuple[int, int]]:
    """The (T,) contact's ranges without the half of its pin's ramps in which a sole may still move."""
    ranges, soft = [], round(RAMP_S * fps / 2)
    for start, stop in runs(contact):
        first = start + soft if start > 0 else start
        last = stop - soft if stop < len(contact) else stop
        if last > first:
            ranges.append((first, last))
    return ranges


def self_penetration(kinematics: Kinematics, qpos: np.ndarray) -> np.ndarray:
    """(T,) m, the deepest contact between two parts of the body."""
    model = kinematics.model
    data = mujoco.MjData(model)
    depth = np.zeros(len(qpos))
    for t, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        pairs = model.geom_bodyid[data.contact.geom] if data.ncon else np.zeros((0, 2), int)
        inside = (pairs > 0).all(axis=1)
        if inside.any():
            depth[t] = max(0.0, -data.contact.dist[inside].min())
    return depth


def limit_margin(kinematics: Kinematics, qpos: np.ndarray) -> np.ndarray:
    """(T, hinges) rad to the nearer limit, negative beyond it."""
    angle = qpos[:, 7:]
    return np.minimum(angle - kinematics.low, kinematics.high - angle)


@dataclass(frozen=True, eq=False)
class Flick:
    """Suddenness of a motion relative to another, in degrees and frames: ``acceleration`` (T-2, hinges), ``spike``
    (T, hinges), ``swivel_rate`` (T-1, 2), ``swivel_spike`` (T, 2)."""

    acceleration: np.ndarray
    spike: np.ndarray
    swivel_rate: np.ndarray
    swivel_spike: np.ndarray

    def figures(self) -> dict[str, float]:
        """The largest of each."""
        return {
            "dev_acc_deg": _largest(self.acceleration),
            "dev_spike_deg": _largest(self.spike),
            "swivel_rate_deg": _largest(self.swivel_rate),
            "swivel_spike_deg": _largest(self.swivel_spike),
        }


@dataclass(frozen=True)
class FlickLimits:
    """When a motion jerks where what it came from does not, at 60 fps: degrees per frame^2 and degrees of a joint,
    degrees per frame and degrees of a knee about the line from hip to ankle."""

    acceleration: float
    spike: float
    swivel_rate: float
    swivel_spike: float


FLICKS = FlickLimits(acceleration=10.0, spike=np.inf, swivel_rate=7.0, swivel_spike=15.0)
"""Relative to the copy, whose joints may well go another way. A whole-clip lock of real kicks stays at an acceleration
of 3 to 5, a rate of 2 to 5 and a spike of 5 to 8; a frame-by-frame one reaches 120, 19 and 14."""


def flicks(kinematics: Kinematics, qpos: np.ndarray, base: np.ndarray, fps: float) -> Flick:
    """Compare ``qpos`` with ``base`` (T, nq), a motion of a body with the same joints. Rates are scaled to 60 fps."""
    deviation = np.degrees(qpos[:, 7:] - base[:, 7:])
    swivel = np.degrees(
        knee_swivel(kinematics, kinematics.forward(qpos)) - knee_swivel(kinematics, kinematics.forward(base))
    )
    pace, width = fps / 60.0, 2 * round(SPIKE_S * fps / 2) + 1
    return Flick(
        np.abs(np.diff(deviation, n=2, axis=0)) * pace**2,
        np.abs(deviation - moving_median(deviation, width)),
        np.abs(np.diff(swivel, axis=0)) * pace,
        np.abs(swivel - moving_median(swivel, width)),
    )


def figures(
    kinematics: Kinematics, roles: Roles, qpos: np.ndarray, contacts: np.ndarray, fps: float
) -> dict[str, float]:
    """The numbers of one motion (mm, degrees, rad/s^2), for the record and the page."""
    soles = sole_errors(kinematics.forward(qpos).site[:, kinematics.site_ids(roles.soles)], contacts, fps)
    margin = limit_margin(kinematics, qpos)
    return {
        "slide_path_mm": 1e3 * float(soles.path.max()),
        "slide_peak_mm": 1e3 * float(soles.peak.max()),
        "float_mm": 1e3 * float(soles.height.max()),
        "penetration_mm": 1e3 * float(soles.depth.max()),
        "self_penetration_mm": 1e3 * float(self_penetration(kinematics, qpos).max()),
        "limit_frames": float((margin < 0).any(axis=1).sum()),
        "limit_margin_deg": float(np.degrees(margin.min())),
        "max_acceleration": float(np.abs(np.diff(qpos[:, 7:], n=2, axis=0)).max() * fps**2) if len(qpos) > 2 else 0.0,
    }


def standing_findings(
    kinematics: Kinematics, roles: Roles, frames: Frames, contacts: np.ndarray, times: np.ndarray, *, fps: float
) -> list[Finding]:
    """Slide, float and depth of each sole point beyond ``LIMITS_MM``. ``contacts`` (T, S), ``times`` (T,) s."""
    soles = frames.site[:, kinematics.site_ids(roles.soles)]
    found: list[Finding] = []
    for k, name in enumerate(roles.soles):
        for start, stop in held(contacts[:, k], fps):
            place = soles[start:stop, k]
            off = 1e3 * np.linalg.norm(place[:, :2] - place[:, :2].mean(axis=0), axis=1).max()
            high = 1e3 * np.abs(place[:, 2]).max()
            span = (float(times[start]), float(times[stop - 1]))
            for kind, value in (("slide", off), ("float", high)):
                if value > LIMITS_MM[kind]:
                    found.append(Finding(kind, name, *span, float(value), "mm", LIMITS_MM[kind]))
        depth = -1e3 * soles[:, k, 2]
        found += spans_over(depth, times, "below_floor", name, unit="mm", limit=LIMITS_MM["below_floor"])
    return found


def limit_findings(kinematics: Kinematics, qpos: np.ndarray, times: np.ndarray) -> list[Finding]:
    """Joints beyond their limits."""
    beyond = -np.degrees(limit_margin(kinematics, qpos))
    found: list[Finding] = []
    for i, joint in enumerate(kinematics.joints):
        found += spans_over(beyond[:, i], times, "limit", joint, unit="deg", limit=BEYOND_DEG)
    return found


def flick_findings(
    kinematics: Kinematics, flick: Flick, times: np.ndarray, limits: FlickLimits = FLICKS
) -> list[Finding]:
    """Joints and knees that snap where the coach did not. ``times`` (T,) s."""
    rows = [
        (joint, values[:, i], unit, limit)
        for values, unit, limit in (
            (flick.acceleration, "deg/frame^2", limits.acceleration),
            (flick.spike, "deg", limits.spike),
        )
        for i, joint in enumerate(kinematics.joints)
    ]
    for k, side in enumerate("lr"):
        rows.append((f"knee_{side}", flick.swivel_rate[:, k], "deg/frame", limits.swivel_rate))
        rows.append((f"knee_{side}", flick.swivel_spike[:, k], "deg", limits.swivel_spike))
    found: list[Finding] = []
    for subject, values, unit, limit in rows:
        # A difference belongs to the frame it leads to, a second one to the frame between.
        first = (len(times) - len(values) + 1) // 2
        found += spans_over(values, times[first:], "flick", subject, unit=unit, limit=limit)
    return found


def collapse_findings(depth: np.ndarray, times: np.ndarray, allowed: float = 0.0) -> list[Finding]:
    """Parts of the body inside each other: ``depth`` (T,) m beyond ``allowed`` m (what the coach himself shows)."""
    return spans_over(1e3 * (depth - allowed), times, "collapsed", "body", unit="mm", limit=LIMITS_MM["collapsed"])


def _largest(values: np.ndarray) -> float:
    return float(values.max()) if values.size else 0.0
