"""A table's entry on the trained joints at the physics rate: splines, velocities, a calm end."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d

from studio.domain.rotations import normalise
from studio.schema.errors import StudioError

PHYSICS_HZ = 200
STOP_S = 0.3
"""A clip that ends while he moves is brought to rest within this time."""
SMOOTH_S = 0.015
"""Width of the low-pass on accelerations: they only shape the feed-forward."""


def trained_joints(model: mujoco.MjModel) -> tuple[str, ...]:
    """Names of the hinges with a servo, in qpos order."""
    return tuple(model.joint(i).name for i in range(model.njnt) if model.jnt_type[i] == mujoco.mjtJoint.mjJNT_HINGE)


def pick_joints(qpos: np.ndarray, given: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """(T, 7 + wanted) from (T, 7 + given) by name. Raises :class:`StudioError` naming what is missing."""
    missing = [name for name in wanted if name not in given]
    if missing:
        raise StudioError(
            "This table does not fit the body", f"it lacks {', '.join(missing)}", "Run stage 6 (Variants) again"
        )
    columns = [7 + list(given).index(name) for name in wanted]
    return np.concatenate([qpos[:, :7], qpos[:, columns]], axis=1)


def resample(qpos: np.ndarray, fps: float) -> np.ndarray:
    """Cubic splines from ``fps`` to the physics rate; root quaternions are made continuous first, normalised after."""
    continuous = qpos.copy()
    for k in range(1, len(qpos)):
        if continuous[k, 3:7] @ continuous[k - 1, 3:7] < 0:
            continuous[k, 3:7] *= -1
    times = np.arange(len(qpos)) / fps
    fine = np.arange(int(np.floor(times[-1] * PHYSICS_HZ + 1e-6)) + 1) / PHYSICS_HZ
    out = CubicSpline(times, continuous, axis=0)(fine)
    out[:, 3:7] = normalise(out[:, 3:7])
    return out


def add_hold(model: mujoco.MjModel, qpos: np.ndarray, hold_s: float) -> np.ndarray:
    """Append ``hold_s`` at the physics rate: velocity fades to zero along a smooth step, then he keeps still."""
    velocity = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, velocity, 1 / PHYSICS_HZ, _full(model, qpos[-2]), _full(model, qpos[-1]))
    s = np.clip(np.arange(1, round(hold_s * PHYSICS_HZ) + 1) / (STOP_S * PHYSICS_HZ), 0, 1)
    travelled = STOP_S * (s - s**3 + 0.5 * s**4)  # integral of 1 - 3 s^2 + 2 s^3
    tail = []
    for seconds in travelled:
        q = _full(model, qpos[-1])
        mujoco.mj_integratePos(model, q, velocity, seconds)
        tail.append(_within_limits(model, q)[: qpos.shape[1]])
    return np.concatenate([qpos, np.array(tail)])


def velocities(model: mujoco.MjModel, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Central differences: velocity and low-passed acceleration (T, 6 + joints), root as MuJoCo has it."""
    count, size = len(qpos), qpos.shape[1] - 1
    velocity = np.zeros((count, size))
    out = np.zeros(model.nv)
    for k in range(count):
        a, b = max(0, k - 1), min(count - 1, k + 1)
        mujoco.mj_differentiatePos(model, out, (b - a) / PHYSICS_HZ, _full(model, qpos[a]), _full(model, qpos[b]))
        velocity[k] = out[:size]
    acceleration = np.gradient(velocity, 1 / PHYSICS_HZ, axis=0)
    return velocity, gaussian_filter1d(acceleration, SMOOTH_S * PHYSICS_HZ, axis=0, mode="nearest")


def _full(model: mujoco.MjModel, qpos: np.ndarray) -> np.ndarray:
    q = model.qpos0.copy()
    q[: len(qpos)] = qpos
    return q


def _within_limits(model: mujoco.MjModel, q: np.ndarray) -> np.ndarray:
    for j in np.flatnonzero(model.jnt_limited):
        address = model.jnt_qposadr[j]
        q[address] = np.clip(q[address], *model.jnt_range[j])
    return q
