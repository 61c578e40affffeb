"""Feet that stand: the whole clip solved again with its sole points pinned."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from studio.domain.filters import runs, smooth_step
from studio.domain.fit.kinematics import ROOT_DOFS, Kinematics
from studio.domain.fit.residuals import Deviation, Floor, Limits, Places
from studio.domain.fit.solver import Options, Residual, Solution, solve
from studio.domain.retarget.contacts import stances
from studio.schema.body import Roles

PIN, FLOOR = 2000.0, 2000.0
"""Weights (1/m^2) against rad^2 of deviation: about 2 mm of slide on recorded kicks."""

RAMP_S = 4 / 60
"""s over which a pin takes hold and lets go."""

CLEAR_S = 8 / 60
"""s after which a foot that left the floor keeps its whole clearance."""

FREEDOM = {"toe": 0.006, "ankle": 0.015, "knee": 0.15, "hip": 0.3}
STIFF = 6.0
ROOT_SHIFT, ROOT_TURN = 0.6, 1.2
SMOOTH, SMOOTH_SHIFT = 3.0, 27.0
"""How dear a deviation from the copy is: toes and ankles, seen least by keypoints, give first, the upper body last."""

MARGIN = 0.02
"""rad kept to every joint limit."""


@dataclass(frozen=True, eq=False)
class Pins:
    """Where sole points stand: ``sites`` (S,), ``targets`` (T, S, 3) m, ``weights`` (T, S) 0..1 with ramps; and
    ``clearance`` (T, S) m, the least heights they keep."""

    sites: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    clearance: np.ndarray

    def residual(self, weight: float = PIN) -> Places:
        return Places(self.sites, self.targets, np.repeat(self.weights[..., None], 3, axis=2) * weight)


def footprint(kinematics: Kinematics, roles: Roles) -> np.ndarray:
    """(S, 2) m: each sole point of a flat foot, from the middle of its ball, the foot pointing along +x."""
    soles = kinematics.forward(kinematics.model.qpos0[None]).site[0, kinematics.site_ids(roles.soles), :2]
    half = len(roles.soles) // 2
    return np.concatenate([soles[k : k + half] - soles[k + 1 : k + 3].mean(axis=0) for k in (0, half)])


def find_pins(
    kinematics: Kinematics, roles: Roles, qpos: np.ndarray, contacts: np.ndarray, fps: float, *, clear: float = 0.0
) -> Pins:
    """Places for every contact of a motion: one ball place per stance, the flat foot's own shape around it.

    Heel, ball and toe of a stance may stand at different times and headings (a pivot); each takes the foot's median
    heading over its own contact, so the pins never ask the foot to stretch. ``contacts`` (T, S).
    A foot in the air keeps ``clear`` (m) off the floor, with soft ends.
    """
    frames = kinematics.forward(qpos)
    sites = kinematics.site_ids(roles.soles)
    soles, shape = frames.site[:, sites], footprint(kinematics, roles)
    targets, clearance = soles.copy(), np.zeros(contacts.shape)
    half = len(roles.soles) // 2
    for foot, first in zip(roles.feet.values(), (0, half), strict=True):
        columns = list(range(first, first + half))
        forward = frames.rotation[:, kinematics.body_ids([foot])[0], :, 0]
        heading = np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))
        clearance[:, columns] = clear * swing(contacts[:, columns].any(axis=1), fps)[:, None]
        for start, stop in stances(contacts, columns):
            ball = soles[start:stop, first + 1 : first + 3, :2].mean(axis=1)
            standing = contacts[start:stop, first + 1 : first + 3].any(axis=1)
            anchor = np.median(ball[standing] if standing.any() else ball, axis=0)
            for k in columns:
                for begin, end in runs(contacts[start:stop, k]):
                    turn = np.median(heading[start + begin : start + end])
                    c, s = np.cos(turn), np.sin(turn)
                    place = anchor + np.array([[c, -s], [s, c]]) @ shape[k]
                    targets[start + begin : start + end, k] = [*place, 0.0]
    return Pins(sites, targets, ramps(contacts, fps), clearance)


def swing(standing: ArrayLike, fps: float) -> np.ndarray:
    """(T,) 0..1: how far a foot is from its last and its next stand, 1 from ``CLEAR_S`` on."""
    standing, most = np.asarray(standing), max(1, round(CLEAR_S * fps))
    out = np.zeros(len(standing))
    for start, stop in runs(np.logical_not(standing)):
        t = np.arange(start, stop)
        since = t - start + 1 if start > 0 else np.full(len(t), most)
        until = stop - t if stop < len(standing) else np.full(len(t), most)
        out[start:stop] = smooth_step(np.minimum(since, until) / most)
    return out


def ramps(contacts: np.ndarray, fps: float) -> np.ndarray:
    """(T, S) weights 0..1: contacts with soft ends, hard at the clip's own ends."""
    weights = np.zeros(contacts.shape)
    count, ramp = len(contacts), max(1, round(RAMP_S * fps))
    for k in range(contacts.shape[1]):
        for start, stop in runs(contacts[:, k]):
            t = np.arange(start, stop)
            rise = np.where(start > 0, (t - start + 1) / ramp, 1.0)
            fall = np.where(stop < count, (stop - t) / ramp, 1.0)
            weights[start:stop, k] = np.clip(np.minimum(rise, fall), 0.0, 1.0)
    return weights


def stiffness(kinematics: Kinematics) -> np.ndarray:
    """(nv,) weights of the deviation from the copy."""
    weights = np.full(kinematics.model.nv, STIFF)
    weights[:3], weights[3:6] = ROOT_SHIFT, ROOT_TURN
    for i, joint in enumerate(kinematics.joints):
        weights[ROOT_DOFS + i] = FREEDOM.get(joint.split("_")[0], STIFF)
    return weights


def smoothness(kinematics: Kinematics, fps: float) -> np.ndarray:
    """(nv,) weights of the deviation's second difference; the same correction at any frame rate."""
    weights = np.full(kinematics.model.nv, SMOOTH)
    weights[:3] = SMOOTH_SHIFT
    return weights * (fps / 60.0) ** 4


def lock_feet(
    kinematics: Kinematics,
    reference: np.ndarray,
    pins: Pins,
    fps: float,
    *,
    start: np.ndarray | None = None,
    more: Sequence[Residual] = (),
    weights: np.ndarray | None = None,
    locked: np.ndarray | None = None,
    softness: float = 1.0,
    options: Options | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Solution:
    """The motion nearest to ``reference`` (T, nq) whose soles stand on their ``pins`` and nowhere below the floor.

    Limits are hard; ``locked`` (nv,) joints stay as in the start. ``more`` residuals may join (a hit, the centre of
    mass); ``weights`` (nv,) replace the stiffness; ``softness`` makes corrections come and go more slowly.
    """
    wishes = (
        pins.residual(),
        Floor(pins.sites, FLOOR, pins.clearance),
        Deviation(
            reference, stiffness(kinematics) if weights is None else weights, softness * smoothness(kinematics, fps)
        ),
        Limits(MARGIN * 2, 10.0),
        *more,
    )
    return solve(
        kinematics, reference if start is None else start, wishes,
        options or Options(40, 2e-4, 1e-4, 0.4, MARGIN), locked=locked, on_progress=on_progress,
    )  # fmt: skip
