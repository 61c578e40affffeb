"""The torque a reference needs: inverse dynamics with the ground's whole wrench on the standing foot or feet."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d

from studio.domain.policy.motion import PHYSICS_HZ

GRAVITY = 9.81
HAND_OVER_S = 0.02
"""How softly the load passes from foot to foot."""
SHARE_OF_LIMIT = 0.8
"""The feed-forward may use this much of a servo's force; the rest stays for corrections."""
MIN_LOAD = 0.2
"""Least vertical ground force as a share of the weight when the ZMP is computed."""


def feedforward(
    model: mujoco.MjModel, qpos: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, standing: np.ndarray
) -> np.ndarray:
    """(T, nu) N m. ``qpos`` (T, 7 + n), ``velocity``, ``acceleration`` (T, 6 + n), ``standing`` (T, 2) bool
    for left and right.

    In double support the wrench is shared by where the zero moment point lies between the feet (Vukobratovic &
    Borovac 2004), computed from the root's residual wrench; in flight there is none.
    """
    data = mujoco.MjData(model)
    feet = [model.body(f"foot_{side}").id for side in "lr"]
    per_foot = np.zeros((len(qpos), 2, model.nu))
    airborne = np.zeros((len(qpos), model.nu))
    between = np.zeros(len(qpos))
    flags = model.opt.disableflags
    disable = mujoco.mjtDisableBit
    model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_ACTUATION | disable.mjDSBL_LIMIT
    try:
        for k in range(len(qpos)):
            force = _inverse(model, data, qpos[k], velocity[k], acceleration[k])
            airborne[k] = force[6 : 6 + model.nu]
            for i, foot in enumerate(feet):
                per_foot[k, i] = _carried_by(model, data, force, foot)
            between[k] = _place_between(model, data, force, feet)
    finally:
        model.opt.disableflags = flags
    share = _shares(standing, between)
    grounded = np.clip(share.sum(1, keepdims=True), 0, 1)
    torque = share[:, :1] * per_foot[:, 0] + share[:, 1:] * per_foot[:, 1] + (1 - grounded) * airborne
    limit = SHARE_OF_LIMIT * model.actuator_forcerange[:, 1]
    return np.clip(torque, -limit, limit)


def _inverse(model: mujoco.MjModel, data: mujoco.MjData, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    mujoco.mj_resetData(model, data)
    data.qpos[: len(q)], data.qvel[: len(v)], data.qacc[: len(a)] = q, v, a
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse[: len(v)].copy()


def _carried_by(model: mujoco.MjModel, data: mujoco.MjData, force: np.ndarray, foot: int) -> np.ndarray:
    """Joint torques left when one foot's wrench supplies what the free root lacks."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacBody(model, data, linear, angular, foot)
    jacobian = np.vstack([linear, angular])[:, : len(force)]
    wrench = np.linalg.solve(jacobian[:, :6].T, force[:6])
    return (force - jacobian.T @ wrench)[6 : 6 + model.nu]


def _place_between(model: mujoco.MjModel, data: mujoco.MjData, force: np.ndarray, feet: list[int]) -> float:
    """The left foot's share by the ZMP's place on the line from the right foot (0) to the left one (1)."""
    pelvis = model.body("pelvis").id
    x, y, height = data.xpos[pelvis]
    moment = data.xmat[pelvis].reshape(3, 3) @ force[3:6]
    lift = max(force[2], MIN_LOAD * model.body_subtreemass[pelvis] * GRAVITY)
    zmp = np.array([x - (moment[1] + height * force[0]) / lift, y + (moment[0] - height * force[1]) / lift])
    left, right = data.xpos[feet[0], :2], data.xpos[feet[1], :2]
    line = left - right
    return float(np.clip((zmp - right) @ line / max(line @ line, 1e-6), 0, 1))


def _shares(standing: np.ndarray, between: np.ndarray) -> np.ndarray:
    both = standing.all(1)
    left = np.where(both, between, standing[:, 0].astype(float))
    right = np.where(both, 1 - between, standing[:, 1].astype(float))
    return gaussian_filter1d(np.stack([left, right], 1), HAND_OVER_S * PHYSICS_HZ, axis=0, mode="nearest")
