"""The torque a reference needs: inverse dynamics with the ground's wrench shared by the feet as their soles can."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.ndimage import gaussian_filter1d

from studio.domain.policy.motion import PHYSICS_HZ

HAND_OVER_S = 0.02
"""How softly the load passes from foot to foot."""
SHARE_OF_LIMIT = 0.8
"""The feed-forward may use this much of a servo's force; the rest stays for corrections."""
LEVER = 0.05
"""m: a moment of 1 N m at a sole costs as much as 1 N m / LEVER of force. About half of a sole's width: beyond this
lever the sole tips over its edge."""
SOLE_POINTS = ("heel", "ball_in", "ball_out", "toe_tip")


@dataclass(frozen=True, eq=False)
class Load:
    """What carries a motion: ``torque`` (T, nu) N m of the servos, unlimited; ``wrench`` (T, 2, 6) of the ground on
    the left and the right foot, force (N) and moment (N m) about ``sole`` (T, 2, 3) m, the sole's centre; world axes.
    """

    torque: np.ndarray
    wrench: np.ndarray
    sole: np.ndarray


def feedforward(
    model: mujoco.MjModel, qpos: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, standing: np.ndarray
) -> np.ndarray:
    """(T, nu) N m of :func:`carry`, within a share of what the servos can."""
    limit = SHARE_OF_LIMIT * model.actuator_forcerange[:, 1]
    return np.clip(carry(model, qpos, velocity, acceleration, standing).torque, -limit, limit)


def carry(
    model: mujoco.MjModel, qpos: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, standing: np.ndarray
) -> Load:
    """Inverse dynamics of a motion. ``qpos`` (T, 7 + n), ``velocity``, ``acceleration`` (T, 6 + n), ``standing``
    (T, 2) bool for left and right.

    One foot carries the whole wrench that the free root lacks; two feet share it so that the moments about their
    soles are small (a weighted pseudoinverse: Righetti et al. 2013, "Optimal distribution of contact forces with
    inverse-dynamics control"); in flight there is none and the torque is that of the joints alone.
    """
    data, size = mujoco.MjData(model), velocity.shape[1]
    load = Load(np.zeros((len(qpos), model.nu)), np.zeros((len(qpos), 2, 6)), np.zeros((len(qpos), 2, 3)))
    feet = [model.body(f"foot_{side}").id for side in "lr"]
    points = [[model.site(f"{point}_{side}").id for point in SOLE_POINTS] for side in "lr"]
    ready = _readiness(standing)
    flags, disable = model.opt.disableflags, mujoco.mjtDisableBit
    model.opt.disableflags |= disable.mjDSBL_CONTACT | disable.mjDSBL_ACTUATION | disable.mjDSBL_LIMIT
    try:
        for k in range(len(qpos)):
            force = _inverse(model, data, qpos[k], velocity[k], acceleration[k])
            load.sole[k] = [data.site_xpos[p].mean(0) for p in points]
            maps = np.stack([_jacobian(model, data, c, b)[:, :size] for c, b in zip(load.sole[k], feet, strict=True)])
            load.wrench[k] = share_wrench(maps[:, :, :6], force[:6], ready[k])
            held = force - np.einsum("fwj,fw->j", maps, load.wrench[k])
            load.torque[k] = held[6 : 6 + model.nu]
    finally:
        model.opt.disableflags = flags
    return load


def share_wrench(maps: np.ndarray, root: np.ndarray, ready: np.ndarray) -> np.ndarray:
    """(2, 6) wrenches whose sum gives the free root its generalised force ``root`` (6,).

    ``maps`` (2, 6, 6): a foot's wrench w acts on the root as maps^T w. ``ready`` (2,) 0..1, how much each foot may
    take: 0 gives it nothing; two that are nothing together give as much less in all.
    """
    if ready.sum() <= 0:
        return np.zeros((2, 6))
    ease = (ready[:, None] * np.array([1.0, 1.0, 1.0, *[LEVER**2] * 3])).ravel()
    onto_root = maps.transpose(2, 0, 1).reshape(6, 12)
    wrench = ease * (onto_root.T @ np.linalg.solve((onto_root * ease) @ onto_root.T, root))
    return min(ready.sum(), 1.0) * wrench.reshape(2, 6)


def _inverse(model: mujoco.MjModel, data: mujoco.MjData, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    mujoco.mj_resetData(model, data)
    data.qpos[: len(q)], data.qvel[: len(v)], data.qacc[: len(a)] = q, v, a
    mujoco.mj_inverse(model, data)
    return data.qfrc_inverse[: len(v)].copy()


def _jacobian(model: mujoco.MjModel, data: mujoco.MjData, point: np.ndarray, body: int) -> np.ndarray:
    """(6, nv) of a point (3,) m that moves with a body: linear, then angular."""
    linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, linear, angular, point, body)
    return np.vstack([linear, angular])


def _readiness(standing: np.ndarray) -> np.ndarray:
    return gaussian_filter1d(standing.astype(float), HAND_OVER_S * PHYSICS_HZ, axis=0, mode="nearest")
