"""One episode in plain MuJoCo: reset, observe, act, step. The gate's figures and its film come from here."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain.gates.sensors import SensorMap, sensor_map
from studio.domain.gates.start import noisy_start
from studio.domain.gates.world import build_world, hang_bag
from studio.domain.policy.observation import Moment, ObservationLayout, observe, servo_targets
from studio.domain.policy.reference import SUBSTEPS, Reference
from studio.schema.body import Body

CONDITIONS = ("air", "bag")
Act = Callable[[np.ndarray], np.ndarray]
"""Observations (N, D) float32 to actions (N, n)."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What happened in one episode of L control steps.

    ``qpos`` (L + 1, nq) of the world at 50 Hz, the start first; ``sensors`` (4 L, S) at 200 Hz, row i read before
    substep i was integrated; ``reference`` (L + 1, 7 + n); ``reference_sensors`` (L, F), row k beside sensor row
    4 k + 3; ``target`` (3,) m.
    """

    condition: str
    seed: int
    qpos: np.ndarray
    sensors: np.ndarray
    reference: np.ndarray
    reference_sensors: np.ndarray
    target: np.ndarray
    sensor_map: SensorMap

    @property
    def sha256(self) -> str:
        """Of the places of all joints: equal means bit-identical."""
        return hashlib.sha256(np.ascontiguousarray(self.qpos, "<f8").tobytes()).hexdigest()


@dataclass(frozen=True, eq=False)
class Scene:
    """Where episodes are played: a world, the reference made for it, the layout and the technique's slot."""

    model: mujoco.MjModel
    reference: Reference
    layout: ObservationLayout
    slot: int


def make_scene(body: Body, reference: Reference, layout: ObservationLayout, slot: int) -> Scene:
    """Build the world for a reference."""
    return Scene(build_world(body, reference.striker), reference, layout, slot)


def play(
    scene: Scene, act: Act, condition: str, seed: int, *, uv: tuple[float, float] = (0.0, 0.0), noise: float = 1.0
) -> Trajectory:
    """Play from frame 0 to the end of the hold, whatever happens. Deterministic: the seed only moves the start.

    ``condition``: "air" or "bag" (which hangs far away too where nothing strikes); ``uv`` the target's place in the
    grid. The solver's warm start is cleared before
    each control step, as in the batch host, so that both agree to rounding.
    """
    model, reference = scene.model, scene.reference
    data = mujoco.MjData(model)
    index, weight = reference.weights(np.array([uv]))
    target = reference.target(index, weight)
    hang_bag(model, target[0], reference.direction, air=condition == "air" or not reference.strikes)
    start = reference.rows(index, weight, np.zeros(1, int))
    q, qd = noisy_start(start, np.random.default_rng(seed), noise)
    data.qpos[: q.shape[1]], data.qvel[: qd.shape[1]] = q[0], qd[0]
    last = np.zeros((1, len(reference.joints)))
    qpos, sensors, wanted, wanted_sensors = [data.qpos.copy()], [], [start.q[0]], []
    for k in range(reference.steps):
        step = np.array([k])
        rows = reference.rows(index, weight, step)
        moment = Moment(
            data.qpos[None, : q.shape[1]], data.qvel[None, : qd.shape[1]], rows, target, np.array([uv]), last, step
        )
        last = np.asarray(act(observe(scene.layout, reference, scene.slot, moment)), float)
        data.ctrl[:] = servo_targets(scene.layout, rows, last)[0]
        data.qacc_warmstart[:] = 0
        for _ in range(SUBSTEPS):
            mujoco.mj_step(model, data)
            sensors.append(data.sensordata.copy())
        qpos.append(data.qpos.copy())
        wanted.append(reference.rows(index, weight, step + 1).q[0])
        wanted_sensors.append(rows.sensors[0])
    arrays = (np.array(qpos), np.array(sensors), np.array(wanted), np.array(wanted_sensors))
    return Trajectory(condition, seed, *arrays, target[0], sensor_map(model))
