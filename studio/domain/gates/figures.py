"""The figures of one episode that a gate judges; windows run on the reference's clock."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from studio.domain.gates.rollout import Trajectory
from studio.domain.gates.sensors import contact_force
from studio.domain.gates.strike import body_errors, has_fallen, in_impulse_window, in_near_window
from studio.domain.policy.motion import PHYSICS_HZ
from studio.domain.policy.reference import CONTROL_HZ, SUBSTEPS, Reference

STAGGERED = 0.05
"""Metres between the feet along the heading from which one of them is in front."""
SETTLED_S = 0.1
UPRIGHT_AFTER_S = 0.1
"""Where the lean counts when the technique has no ``upright``: this long after the impact."""
LOST = 1e4
"""Stands for a figure that is not a number: no limit is that generous."""

Figure = Callable[[Trajectory, Reference], float]


def impulse(trajectory: Trajectory, reference: Reference) -> float:
    """N s that the striking limb gave the bag around the impact."""
    substep = np.arange(len(trajectory.sensors))
    force = contact_force(trajectory.sensors, trajectory.sensor_map.bag)
    return float(force[in_impulse_window(reference, substep)].sum() / PHYSICS_HZ)


def nearest(trajectory: Trajectory, reference: Reference) -> float:
    """cm from striker to target at their nearest around the impact; lost where nothing strikes."""
    where = trajectory.sensor_map.striker
    if where is None:
        return LOST
    distance = np.linalg.norm(trajectory.sensors[:, where] - trajectory.target, axis=1)
    return float(100 * distance[in_near_window(reference, np.arange(len(distance)))].min())


def fallen(trajectory: Trajectory, reference: Reference) -> float:
    """1 when he fell at any moment, else 0."""
    where, sensors = trajectory.sensor_map, _last_rows(trajectory)
    down = has_fallen(reference, where, trajectory.qpos[1:, 2], sensors, trajectory.reference_sensors)
    return float(down.any())


def feet_from_stance(trajectory: Trajectory, reference: Reference) -> float:
    """cm on the floor from the worse foot to where the reference ends with it, at the end of the hold."""
    del reference
    end, wanted = _last_rows(trajectory)[-1], trajectory.reference_sensors[-1]
    feet = (trajectory.sensor_map.foot(side) for side in "lr")
    return float(100 * max(np.linalg.norm((end[foot] - wanted[foot])[:2]) for foot in feet))


def front_foot_is_right(trajectory: Trajectory, reference: Reference) -> float:
    """1 when the foot that the reference ends with in front is in front, or when neither is; else 0."""
    del reference
    wanted = _stagger(trajectory, trajectory.reference_sensors[-1])
    return float(abs(wanted) < STAGGERED or wanted * _stagger(trajectory, _last_rows(trajectory)[-1]) > 0)


def heading_off(trajectory: Trajectory, reference: Reference) -> float:
    """Degrees between where the hips face at the end and where the reference's do."""
    del reference
    found, wanted = (
        np.arctan2(row[trajectory.sensor_map.forward][1], row[trajectory.sensor_map.forward][0])
        for row in (_last_rows(trajectory)[-1], trajectory.reference_sensors[-1])
    )
    return float(np.degrees(abs((found - wanted + np.pi) % (2 * np.pi) - np.pi)))


def lean_past_reference(trajectory: Trajectory, reference: Reference) -> float:
    """Degrees that pelvis or chest lean farther back than the reference, at worst after ``upright``."""
    upright = reference.events.get("upright", reference.impact / PHYSICS_HZ + UPRIGHT_AFTER_S)
    after = np.arange(len(trajectory.reference_sensors)) / CONTROL_HZ > upright
    worst = 0.0
    for part in ("pelvis", "chest"):
        past = _lean(trajectory, trajectory.reference_sensors, part) - _lean(trajectory, _last_rows(trajectory), part)
        worst = max(worst, float(np.degrees(past[after]).max(initial=0.0)))
    return worst


def feet_lifted_again(trajectory: Trajectory, reference: Reference) -> float:
    """cm that a foot is higher than the reference's after ``land`` (after the clip, if he does not land in it)."""
    land = reference.events.get("land", reference.clip_steps / CONTROL_HZ)
    after = np.arange(len(trajectory.reference_sensors)) / CONTROL_HZ > land
    lifts = (
        (_last_rows(trajectory)[:, foot] - trajectory.reference_sensors[:, foot])[after, 2].max(initial=0.0)
        for foot in (trajectory.sensor_map.foot(side) for side in "lr")
    )
    return float(100 * max(lifts))


def both_feet_off(trajectory: Trajectory, reference: Reference) -> float:
    """Seconds of the longest time with no foot on the floor, after the start has settled."""
    del reference
    on = sum(contact_force(trajectory.sensors, trajectory.sensor_map.floor[side]) for side in "lr")
    off = np.asarray(on)[round(SETTLED_S * PHYSICS_HZ) :] <= 0
    edges = np.flatnonzero(np.diff(np.concatenate([[0], off.astype(int), [0]])))
    return float((edges[1::2] - edges[::2]).max(initial=0) / PHYSICS_HZ)


def mean_error(trajectory: Trajectory, reference: Reference) -> float:
    """cm of the key bodies from the reference, mean over bodies and time."""
    del reference
    return float(100 * body_errors(trajectory.sensor_map, _last_rows(trajectory), trajectory.reference_sensors).mean())


FIGURES: dict[str, Figure] = {
    figure.__name__: figure
    for figure in (
        impulse, nearest, fallen, feet_from_stance, front_foot_is_right, heading_off, lean_past_reference,
        feet_lifted_again, both_feet_off, mean_error,
    )
}  # fmt: skip

OF_A_STRIKE = ("impulse", "nearest")
"""Figures that mean nothing where nothing strikes."""


def figure_of(name: str, trajectory: Trajectory, reference: Reference) -> float:
    """One figure by name, to six decimals; what is not a number becomes :data:`LOST`."""
    value = FIGURES[name](trajectory, reference)
    return round(value, 6) if np.isfinite(value) else LOST


def _last_rows(trajectory: Trajectory) -> np.ndarray:
    """(L, S) the sensor rows beside the reference's."""
    return trajectory.sensors[SUBSTEPS - 1 :: SUBSTEPS]


def _stagger(trajectory: Trajectory, row: np.ndarray) -> float:
    """m that the left foot is in front of the right one, along the reference's last heading."""
    ahead = trajectory.reference_sensors[-1][trajectory.sensor_map.forward][:2]
    feet = (row[trajectory.sensor_map.foot(side)][:2] for side in "lr")
    left, right = feet
    return float((left - right) @ ahead / max(np.linalg.norm(ahead), 1e-9))


def _lean(trajectory: Trajectory, rows: np.ndarray, part: str) -> np.ndarray:
    """(L,) rad: arcsin of the part's up axis along where the hips face; positive is forward."""
    up = rows[:, trajectory.sensor_map.upright[part]][:, :2]
    facing = rows[:, trajectory.sensor_map.forward][:, :2]
    facing = facing / np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), 1e-9)
    return np.arcsin(np.clip((up * facing).sum(1), -1, 1))
