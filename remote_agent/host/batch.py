"""Many worlds stepped at once by MuJoCo's rollout: one thread pool, one model per world so that each has its bag."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import copy

import mujoco
import numpy as np
from mujoco import rollout

from studio.domain.gates.world import hang_bag
from studio.domain.policy.reference import SUBSTEPS


class Batch:
    """N copies of a world. ``qpos`` (N, nq) and ``qvel`` (N, nv) are views of the present state."""

    def __init__(self, model: mujoco.MjModel, count: int, threads: int) -> None:
        spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
        size = mujoco.mj_stateSize(model, spec)
        if size != 1 + model.nq + model.nv:
            raise ValueError("the world has state besides time, qpos and qvel")
        self.count = count
        self._models = [copy.copy(model) for _ in range(count)]
        self._data = [mujoco.MjData(model) for _ in range(max(threads, 1))]
        self._pool = rollout.Rollout(nthread=threads)
        self._rest = np.concatenate([[0.0], model.qpos0, np.zeros(model.nv)])
        self._state = np.tile(self._rest, (count, 1))
        self._states = np.zeros((count, SUBSTEPS, size))
        self._sensors = np.zeros((count, SUBSTEPS, model.nsensordata))
        self._velocity = 1 + model.nq

    @property
    def qpos(self) -> np.ndarray:
        return self._state[:, 1 : self._velocity]

    @property
    def qvel(self) -> np.ndarray:
        return self._state[:, self._velocity :]

    def place(self, who: np.ndarray, q: np.ndarray, qd: np.ndarray) -> None:
        """Start worlds ``who`` (M,) with the fighter at ``q`` (M, 7 + n), ``qd`` (M, 6 + n) and the bag at rest."""
        self._state[who] = self._rest
        self._state[who, 1 : 1 + q.shape[1]] = q
        self._state[who, self._velocity : self._velocity + qd.shape[1]] = qd

    def hang(self, world: int, target: np.ndarray, direction: np.ndarray, air: bool) -> None:
        """Move one world's bag to its target, or away."""
        hang_bag(self._models[world], target, direction, air)

    def advance(self, control: np.ndarray) -> np.ndarray:
        """One control step with servo targets (N, nu); returns sensor rows (N, 4, S), each read before its substep."""
        held = np.ascontiguousarray(np.repeat(control[:, None], SUBSTEPS, axis=1))
        self._pool.rollout(
            self._models, self._data, self._state, held,
            state=self._states, sensordata=self._sensors, skip_checks=True, nstep=SUBSTEPS,
        )  # fmt: skip
        self._state[:] = self._states[:, -1]
        return self._sensors

    def close(self) -> None:
        """Stop the threads."""
        self._pool.close()
