"""What the fighter should do, ready for control: the table on the trained joints, with feed-forward and sensor rows."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from studio.domain.gates.sensors import SensorMap, sensor_map
from studio.domain.gates.world import build_world
from studio.domain.policy.blend import blend, blend_weights
from studio.domain.policy.feedforward import feedforward
from studio.domain.policy.motion import PHYSICS_HZ, add_hold, pick_joints, resample, trained_joints, velocities
from studio.domain.rotations import normalise
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.variants import Table

CONTROL_HZ = 50
SUBSTEPS = PHYSICS_HZ // CONTROL_HZ
HOLD_S = 1.0
"""The last pose is held this long after the clip."""
MIN_FRAMES = 10
MAX_SECONDS = 30.0


@dataclass(frozen=True, eq=False)
class Rows:
    """The reference of N fighters at one control step each; the arrays are (N, ...).

    ``q`` (N, 7 + n), ``qd`` (N, 6 + n) at the step; ``control`` (N, nu) servo targets (rad) for the middle of the
    step; ``sensors`` (N, F) the fighter's sensor row at the step's last reading.
    """

    q: np.ndarray
    qd: np.ndarray
    control: np.ndarray
    sensors: np.ndarray


@dataclass(frozen=True, eq=False)
class Reference:
    """A table made ready, V entries. Times run from frame 0 of the clip.

    ``q`` (V, T, 7 + n) and ``qd`` (V, T, 6 + n) at 200 Hz, clip and hold; ``packed`` (V, L + 1, ...) one row per
    control step (see :class:`Rows`); ``steps`` L with the hold, ``clip_steps`` K without; ``targets`` (V, 3) m as the
    striker's site reaches them (where nothing strikes, as the table has them); ``direction`` (2,) outwards, for the
    bag; ``impact`` substep; ``impact_speed`` m/s; ``events`` seconds; ``standing_height`` m of the pelvis at the start;
    ``joints`` names of the n hinges.
    """

    technique: str
    striker: str
    joints: tuple[str, ...]
    uv: np.ndarray
    targets: np.ndarray
    direction: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    packed: np.ndarray
    cuts: tuple[int, int, int]
    clip_steps: int
    steps: int
    impact: int
    impact_speed: float
    events: dict[str, float]
    standing_height: float

    @property
    def impact_step(self) -> int:
        """The control step in which the strike lands; where nothing strikes, the middle."""
        return self.impact // SUBSTEPS

    @property
    def strikes(self) -> bool:
        """Whether anything strikes at all."""
        return bool(self.striker)

    @property
    def reach(self) -> np.ndarray:
        """(2,) how far the grid goes from its centre along each axis: 1, or 0 where it has one target."""
        return np.abs(self.uv).max(axis=0)

    def weights(self, uv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Index and weight (N, 4) of the entries around each target (N, 2)."""
        return blend_weights(self.uv, uv)

    def rows(self, index: np.ndarray, weight: np.ndarray, step: np.ndarray) -> Rows:
        """The reference at control steps ``step`` (N,), clipped to the last one."""
        packed = blend(self.packed, index, weight, np.minimum(step, self.steps))
        q, qd, control, sensors = np.split(packed, self.cuts, axis=1)
        q[:, 3:7] = normalise(q[:, 3:7])
        return Rows(q, qd, control, sensors)

    def target(self, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """(N, 3) m."""
        return np.einsum("nk,nkd->nd", weight, self.targets[index])


def make_reference(table: Table, body: Body, world: mujoco.MjModel | None = None) -> Reference:
    """Prepare a table for the world of ``body``. ``world``: if it is already built.

    Raises :class:`StudioError` for a table that is too short, too long, not finite or of other joints.
    """
    _check(table)
    model = build_world(body, table.striker) if world is None else world
    joints = trained_joints(model)
    sensed = sensor_map(model)
    standing = _standing(table)
    entries = [_entry(model, sensed, table, v, standing) for v in range(len(table.qpos))]
    clip_steps = (len(resample(table.qpos[0][:, :7], table.fps)) - 1) // SUBSTEPS
    packed = _continuous(np.stack([e.packed for e in entries]))
    impact = min(round(table.impact_frame / table.fps * PHYSICS_HZ), clip_steps * SUBSTEPS)
    rows = np.stack([e.rows for e in entries])
    targets, speed = _strike(table, sensed, rows, impact)
    return Reference(
        technique=table.technique,
        striker=table.striker,
        joints=joints,
        uv=np.asarray(table.uv, float),
        targets=targets,
        direction=_outwards(rows[:, impact, sensed.bodies][:, :3], targets),
        q=np.stack([e.q for e in entries]),
        qd=np.stack([e.qd for e in entries]),
        packed=packed,
        cuts=(7 + len(joints), 13 + 2 * len(joints), 13 + 2 * len(joints) + model.nu),
        clip_steps=clip_steps,
        steps=packed.shape[1] - 1,
        impact=impact,
        impact_speed=speed,
        events={name: seconds - table.start_s for name, seconds in table.events.items()},
        standing_height=float(np.mean([e.q[0, 2] for e in entries])),
    )


@dataclass(frozen=True, eq=False)
class _Entry:
    q: np.ndarray
    qd: np.ndarray
    rows: np.ndarray
    packed: np.ndarray


def _entry(model: mujoco.MjModel, sensed: SensorMap, table: Table, entry: int, standing: np.ndarray) -> _Entry:
    picked = pick_joints(table.qpos[entry], table.joints, trained_joints(model))
    q = add_hold(model, resample(picked, table.fps), HOLD_S)
    q[:, 2] -= _lowest_sole(model, q[0])
    qd, acceleration = velocities(model, q)
    torque = feedforward(model, q, qd, acceleration, _at_physics_rate(standing, table.fps, len(q)))
    rows = _sensor_rows(model, q, qd)[:, sensed.fighter]
    stiffness, damping = model.actuator_gainprm[:, 0], -model.actuator_biasprm[:, 2]
    control = q[:, 7:] + (damping * qd[:, 6:] + torque) / stiffness
    at = np.arange(0, len(q), SUBSTEPS)
    middle = np.minimum(at + SUBSTEPS // 2, len(q) - 1)
    sensed_at = np.minimum(at + SUBSTEPS - 1, len(q) - 1)
    return _Entry(q, qd, rows, np.concatenate([q[at], qd[at], control[middle], rows[sensed_at]], axis=1))


def _check(table: Table) -> None:
    what = f"{table.technique} cannot be practised"
    seconds = table.qpos.shape[1] / table.fps
    if table.qpos.shape[1] < MIN_FRAMES or seconds > MAX_SECONDS:
        raise StudioError(what, f"its table lasts {seconds:.2f} s", f"Choose a window of at most {MAX_SECONDS:.0f} s")
    if not np.isfinite(table.qpos).all():
        raise StudioError(what, "its table holds numbers that are not finite", "Run stage 6 (Variants) again")


def _standing(table: Table) -> np.ndarray:
    """(T, 2) bool: whether any sole point of the left and of the right foot stands."""
    sides = [[i for i, name in enumerate(table.soles) if name.endswith(f"_{side}")] for side in "lr"]
    return np.stack([table.contacts[:, columns].any(1) for columns in sides], 1)


def _at_physics_rate(standing: np.ndarray, fps: float, count: int) -> np.ndarray:
    frame = np.minimum(np.round(np.arange(count) / PHYSICS_HZ * fps).astype(int), len(standing) - 1)
    return standing[frame]


def _lowest_sole(model: mujoco.MjModel, q: np.ndarray) -> float:
    data = mujoco.MjData(model)
    data.qpos[: len(q)] = q
    mujoco.mj_kinematics(model, data)
    heights = [
        data.site_xpos[i, 2]
        for i in range(model.nsite)
        if model.site(i).name.startswith(("heel_", "ball_", "toe_tip_"))
    ]
    return float(min(heights))


def _sensor_rows(model: mujoco.MjModel, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    data = mujoco.MjData(model)
    out = np.zeros((len(q), model.nsensordata))
    for k in range(len(q)):
        data.qpos[: q.shape[1]], data.qvel[: qd.shape[1]] = q[k], qd[k]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_sensorPos(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_sensorVel(model, data)
        out[k] = data.sensordata
    return out


def _continuous(packed: np.ndarray) -> np.ndarray:
    """Root quaternions of all entries on the same side as the first entry's, so that they can be mixed."""
    same = np.einsum("vtd,td->vt", packed[:, :, 3:7], packed[0, :, 3:7])
    packed[:, :, 3:7] *= np.where(same < 0, -1.0, 1.0)[..., None]
    return packed


def _strike(table: Table, sensed: SensorMap, rows: np.ndarray, impact: int) -> tuple[np.ndarray, float]:
    """(V, 3) m where the strike lands, and its mean speed then (m/s)."""
    if sensed.striker is None:
        return np.asarray(table.targets, float), 0.0
    speed = np.linalg.norm(rows[:, max(impact - 4, 0) : impact + 5, sensed.striker_velocity], axis=2)
    return rows[:, impact, sensed.striker], float(speed.mean())


def _outwards(pelvis: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """(2,) unit vector on the floor from the pelvis to the mean target; straight ahead when it is right above."""
    line = (targets - pelvis)[:, :2].mean(0)
    size = np.linalg.norm(line)
    return line / size if size > 0.05 else np.array([1.0, 0.0])
