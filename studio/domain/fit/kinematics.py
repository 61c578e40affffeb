"""Positions and jacobians of a whole clip at once."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain import rotations

ROOT_DOFS = 6


@dataclass(frozen=True, eq=False)
class Frames:
    """A clip's poses in the world: ``body`` (T, B, 3) m, ``rotation`` (T, B, 3, 3), ``centre`` (T, B, 3) m centres of
    mass, ``site`` (T, S, 3) m, ``axis`` and ``anchor`` (T, nv, 3) of each degree of freedom (root shift: zero)."""

    body: np.ndarray
    rotation: np.ndarray
    centre: np.ndarray
    site: np.ndarray
    axis: np.ndarray
    anchor: np.ndarray


class Kinematics:
    """Forward kinematics and jacobians of a model with one free root and hinges, vectorised over frames.

    Tangent vectors follow MuJoCo: root translation in the world, root rotation in its own frame, hinge angles.
    Raises ``ValueError`` for any other kind of joint.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        kinds = model.jnt_type
        if kinds[0] != mujoco.mjtJoint.mjJNT_FREE or np.any(kinds[1:] != mujoco.mjtJoint.mjJNT_HINGE):
            raise ValueError("the body needs a free root followed by hinges only")
        self.model = model
        self.joints = tuple(model.joint(i).name for i in range(1, model.njnt))
        self.low = np.where(model.jnt_limited[1:] > 0, model.jnt_range[1:, 0], -np.inf)
        self.high = np.where(model.jnt_limited[1:] > 0, model.jnt_range[1:, 1], np.inf)
        self.moves = _dofs_that_move(model)
        self._mass_below = (self.moves * model.body_mass[:, None]).T
        self.mass = float(model.body_mass.sum())
        self._data = mujoco.MjData(model)

    def site_ids(self, names: tuple[str, ...] | list[str]) -> np.ndarray:
        """(K,) indices of named sites. Raises ``KeyError``."""
        return np.array([self.model.site(name).id for name in names], dtype=int)

    def body_ids(self, names: tuple[str, ...] | list[str]) -> np.ndarray:
        """(K,) indices of named bodies. Raises ``KeyError``."""
        return np.array([self.model.body(name).id for name in names], dtype=int)

    def hinges(self, chosen: Callable[[str], bool]) -> np.ndarray:
        """(nv,) bool: the degrees of freedom of the hinges ``chosen`` by name; never those of the root."""
        return np.array([False] * ROOT_DOFS + [chosen(joint) for joint in self.joints])

    def forward(self, qpos: np.ndarray) -> Frames:
        """All poses of ``qpos`` (T, nq)."""
        model, data, count = self.model, self._data, len(qpos)
        body, matrix = np.empty((count, model.nbody, 3)), np.empty((count, model.nbody, 9))
        centre, site = np.empty((count, model.nbody, 3)), np.empty((count, model.nsite, 3))
        axis, anchor = np.zeros((count, model.nv, 3)), np.zeros((count, model.nv, 3))
        for t, pose in enumerate(qpos):
            data.qpos[:] = pose
            mujoco.mj_kinematics(model, data)
            body[t], matrix[t], centre[t], site[t] = data.xpos, data.xmat, data.xipos, data.site_xpos
            axis[t, ROOT_DOFS:], anchor[t, ROOT_DOFS:] = data.xaxis[1:], data.xanchor[1:]
        rotation = matrix.reshape(count, model.nbody, 3, 3)
        root = model.jnt_bodyid[0]
        axis[:, 3:ROOT_DOFS] = rotation[:, root].transpose(0, 2, 1)
        anchor[:, 3:ROOT_DOFS] = body[:, root, None]
        return Frames(body, rotation, centre, site, axis, anchor)

    def point_jacobian(self, frames: Frames, points: np.ndarray, bodies: np.ndarray, dofs: np.ndarray) -> np.ndarray:
        """(T, K, 3, n): velocity of ``points`` (T, K, 3), fixed to ``bodies`` (K,), per ``dofs`` (n,)."""
        arm = points[:, :, None] - frames.anchor[:, None, dofs]
        turning = _cross(frames.axis[:, None, dofs], arm) * self.moves[bodies][:, dofs, None]
        jacobian = np.moveaxis(turning, -1, -2)
        for k in range(3):
            jacobian[:, :, k, dofs == k] += self.moves[bodies][:, k : k + 1]
        return jacobian

    def rotation_jacobian(self, frames: Frames, bodies: np.ndarray, dofs: np.ndarray) -> np.ndarray:
        """(T, K, 3, n): angular velocity in the world of ``bodies`` (K,) per ``dofs`` (n,)."""
        turning = frames.axis[:, None, dofs] * self.moves[bodies][:, dofs, None]
        return np.moveaxis(turning, -1, -2)

    def centre_of_mass(self, frames: Frames) -> np.ndarray:
        """(T, 3) m."""
        return np.einsum("b,tbi->ti", self.model.body_mass, frames.centre) / self.mass

    def centre_of_mass_jacobian(self, frames: Frames, dofs: np.ndarray) -> np.ndarray:
        """(T, 3, n): velocity of the centre of mass per ``dofs`` (n,)."""
        below = self._mass_below[dofs]
        moment = np.einsum("nb,tbi->tni", below, frames.centre)
        mass = below.sum(1)
        turning = _cross(frames.axis[:, dofs], moment - mass[:, None] * frames.anchor[:, dofs])
        jacobian = np.swapaxes(turning, -1, -2) / self.mass
        for k in range(3):
            jacobian[:, k, dofs == k] += mass[dofs == k] / self.mass
        return jacobian

    def difference(self, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(T, nv) tangent that leads from ``start`` to ``end`` (T, nq)."""
        turn = rotations.log(rotations.multiply(rotations.conjugate(start[:, 3:7]), end[:, 3:7]))
        return np.concatenate([end[:, :3] - start[:, :3], turn, end[:, 7:] - start[:, 7:]], axis=1)

    def integrate(self, qpos: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        """(T, nq): ``qpos`` moved along ``tangent`` (T, nv)."""
        turned = rotations.normalise(rotations.multiply(qpos[:, 3:7], rotations.exp(tangent[:, 3:ROOT_DOFS])))
        return np.concatenate([qpos[:, :3] + tangent[:, :3], turned, qpos[:, 7:] + tangent[:, ROOT_DOFS:]], axis=1)


def _dofs_that_move(model: mujoco.MjModel) -> np.ndarray:
    """(B, nv) bool: whether a degree of freedom moves a body."""
    moves = np.zeros((model.nbody, model.nv), dtype=bool)
    for body in range(1, model.nbody):
        moves[body] = moves[model.body_parentid[body]]
        moves[body, model.dof_bodyid == body] = True
    return moves


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross product along the last axis; several times faster than numpy's for small vectors."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)
