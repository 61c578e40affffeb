"""Book-keeping of N episodes: which target, which step, how near the strike came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.domain.gates.sensors import SensorMap, contact_force
from studio.domain.gates.strike import in_impulse_window, in_near_window
from studio.domain.policy.motion import PHYSICS_HZ
from studio.domain.policy.reference import SUBSTEPS, Reference

FAR = 9.0
"""Metres; more than any distance that counts."""


@dataclass(eq=False)
class Episodes:
    """Mutable state of N episodes; fields as in :class:`remote_agent.rewards.step.Step`."""

    number: np.ndarray
    began: np.ndarray
    uv: np.ndarray
    index: np.ndarray
    weight: np.ndarray
    target: np.ndarray
    with_bag: np.ndarray
    last_action: np.ndarray
    nearest: np.ndarray
    nearest_speed: np.ndarray
    impulse: np.ndarray

    @classmethod
    def empty(cls, count: int, actions: int) -> Episodes:
        """N episodes that have not begun."""

        def zeros(*shape: int) -> np.ndarray:
            return np.zeros((count, *shape))

        whole = np.zeros(count, int)
        return cls(
            whole.copy(), whole.copy(), zeros(2), np.zeros((count, 4), int), zeros(4), zeros(3),
            np.zeros(count, bool), zeros(actions), np.full(count, FAR), zeros(), zeros(),
        )  # fmt: skip

    def begin(
        self, who: np.ndarray, reference: Reference, *, uv: np.ndarray, with_bag: np.ndarray, at: np.ndarray
    ) -> None:
        """Start episodes ``who`` (M,) at steps ``at`` (M,) with targets ``uv`` (M, 2)."""
        self.number[who] = self.began[who] = at
        self.uv[who], self.with_bag[who] = uv, with_bag
        self.index[who], self.weight[who] = reference.weights(uv)
        self.target[who] = reference.target(self.index[who], self.weight[who])
        self.last_action[who], self.nearest[who] = 0.0, FAR
        self.nearest_speed[who] = self.impulse[who] = 0.0

    def watch_strike(self, reference: Reference, where: SensorMap, sensors: np.ndarray) -> None:
        """Take in one control step's sensor rows (N, 4, S); nothing where nothing strikes."""
        if where.striker is None or where.striker_velocity is None:
            return
        substep = self.number[:, None] * SUBSTEPS + np.arange(SUBSTEPS)
        distance = np.linalg.norm(sensors[..., where.striker] - self.target[:, None], axis=2)
        distance = np.where(in_near_window(reference, substep), distance, FAR)
        best = distance.argmin(1)
        everyone = np.arange(len(best))
        nearer = distance[everyone, best] < self.nearest
        speed = np.linalg.norm(sensors[everyone, best][:, where.striker_velocity], axis=1)
        self.nearest_speed = np.where(nearer, speed, self.nearest_speed)
        self.nearest = np.where(nearer, distance[everyone, best], self.nearest)
        force = contact_force(sensors, where.bag) * in_impulse_window(reference, substep)
        self.impulse = self.impulse + force.sum(1) / PHYSICS_HZ
