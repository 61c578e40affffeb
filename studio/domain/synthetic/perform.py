"""From written curves to a motion that a real body could do: feet on the floor, weight over them, limits kept."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from studio.domain import rotations
from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.body.roles import roles as roles_of
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.skeleton import locked_dofs
from studio.domain.retarget.balance import balance, follow_residual, free_root, look_residual
from studio.domain.retarget.lock import Pins, footprint, lock_feet, ramps, swing
from studio.domain.retarget.preview import foot_centres
from studio.domain.synthetic import stance
from studio.domain.synthetic.curves import Choreography, sample_curve
from studio.schema.body import Body
from studio.schema.motion import Motion

FPS = 120.0
"""The performance is solved at this rate, twice that of the phones, whose frames fall between its frames."""

CLEARANCE = 0.03
"""m that a lifted foot keeps off the floor."""

LOOK = 8.0
"""How much the written posture counts against the ease of the solve (see :mod:`studio.domain.retarget.balance`)."""


def perform(body: Body, written: Choreography, on_progress: Callable[[float], None] | None = None) -> Motion:
    """The motion of ``body`` nearest to what is written that keeps its feet where they stand, its joints within their
    limits and the zero-moment point under its soles. It faces +x and starts at time 0 on the common clock."""
    kinematics = Kinematics(build(body).compile())
    times = np.arange(round((written.lead_s + written.moves_s) * FPS) + 1) / FPS - written.lead_s
    pins = _pins(kinematics, body, written, times)
    reference = _reference(kinematics, body, written, times)
    reference = lock_feet(kinematics, reference, pins, FPS, weights=free_root(kinematics)).qpos
    if written.lifted:
        qpos = balance(
            kinematics, reference, pins, FPS, rest=True, lower=0.0, look=LOOK, locked=locked_dofs(kinematics),
            on_progress=on_progress,
        ).qpos  # fmt: skip
    else:
        qpos = _swaying(kinematics, reference, pins, written, times)
    still = round(written.before_s * FPS), round(written.after_s * FPS)
    qpos = np.pad(qpos, (still, (0, 0)), mode="edge")
    qpos[:, 3:7] = rotations.continuous(qpos[:, 3:7])
    return Motion(body.name, body_hash(body), FPS, 0.0, kinematics.joints, qpos)


def _swaying(
    kinematics: Kinematics, reference: np.ndarray, pins: Pins, written: Choreography, times: np.ndarray
) -> np.ndarray:
    """(T, nq) with the centre of mass over the middle between the feet but for the written sway, which is so slow that
    the zero-moment point stays with it."""
    centres, stands = foot_centres(pins.targets[..., :2], pins.weights > 0)
    height = kinematics.centre_of_mass(kinematics.forward(reference))[:, 2].mean()
    path = np.column_stack([centres.mean(axis=1), np.full(len(times), height)])
    for axis, curve in written.sway.items():
        path[:, "xyz".index(axis)] += sample_curve(curve, times)
    wishes = (follow_residual(path), look_residual(kinematics, reference, stands, FPS, LOOK))
    solution = lock_feet(
        kinematics, reference, pins, FPS, more=wishes, weights=free_root(kinematics), locked=locked_dofs(kinematics)
    )
    return solution.qpos


def _reference(kinematics: Kinematics, body: Body, written: Choreography, times: np.ndarray) -> np.ndarray:
    """(T, nq) the written angles on a root that stays between the feet."""
    qpos = np.tile(kinematics.model.qpos0, (len(times), 1))
    for column, joint in enumerate(kinematics.joints):
        curve = written.joints.get(joint, ((0.0, stance.GUARD.get(joint, 0.0)),))
        qpos[:, 7 + column] = np.radians(sample_curve(curve, times))
    pelvis = {
        name: sample_curve(written.pelvis.get(name, ((0.0, rest),)), times) for name, rest in stance.PELVIS.items()
    }
    turns = np.stack([pelvis["yaw"], pelvis["pitch"], pelvis["roll"]], axis=1)
    qpos[:, 3:7] = Rotation.from_euler("ZYX", turns, degrees=True).as_quat(scalar_first=True)
    qpos[:, 2] = stance.hip_height(body) + pelvis["z"]
    return qpos


def _pins(kinematics: Kinematics, body: Body, written: Choreography, times: np.ndarray) -> Pins:
    """Both feet flat in their places but while they are lifted."""
    roles = roles_of(body)
    shape = footprint(kinematics, roles)
    half = len(roles.soles) // 2
    targets = np.zeros((len(times), len(roles.soles), 3))
    contacts = np.ones((len(times), len(roles.soles)), dtype=bool)
    clearance = np.zeros(contacts.shape)
    for first, (side, foot) in zip((0, half), stance.feet(body).items(), strict=True):
        c, s = np.cos(foot.heading), np.sin(foot.heading)
        place = np.array([foot.x, foot.y]) + shape[first : first + half] @ np.array([[c, s], [-s, c]])
        targets[:, first : first + half, :2] = place
        for start, stop in written.lifted.get(side, ()):
            contacts[(times > start) & (times < stop), first : first + half] = False
        clearance[:, first : first + half] = CLEARANCE * swing(contacts[:, first], FPS)[:, None]
    return Pins(kinematics.site_ids(roles.soles), targets, ramps(contacts, FPS), clearance)
