"""The figures of an episode, on trajectories whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest
from factories import raise_scene

from studio.domain.gates.figures import LOST, figure_of
from studio.domain.gates.rollout import Trajectory
from studio.domain.gates.sensors import sensor_map
from studio.domain.policy.reference import SUBSTEPS

SCENE = raise_scene()
WHERE = sensor_map(SCENE.model)


def perfect() -> Trajectory:
    """He is exactly where the reference is, with half his weight on each foot."""
    reference = SCENE.reference
    index, weight = reference.weights(np.zeros((reference.steps, 2)))
    rows = reference.rows(index, weight, np.arange(reference.steps))
    sensors = np.zeros((reference.steps * SUBSTEPS, SCENE.model.nsensordata))
    sensors[:, WHERE.fighter] = np.repeat(rows.sensors, SUBSTEPS, axis=0)
    for side in "lr":
        sensors[:, WHERE.floor[side].start + 2] = 343.0
    qpos = np.zeros((reference.steps + 1, SCENE.model.nq))
    qpos[:-1, :33] = rows.q
    qpos[-1] = qpos[-2]
    target = reference.targets[0]
    return Trajectory("bag", 0, qpos, sensors, rows.q, rows.sensors, target, WHERE)


def value(name: str, trajectory: Trajectory) -> float:
    return figure_of(name, trajectory, SCENE.reference)


def changed(where, rows, amount) -> Trajectory:
    trajectory = perfect()
    sensors = trajectory.sensors.copy()
    sensors[rows, where] += amount
    return replace(trajectory, sensors=sensors)


def test_perfection() -> None:
    trajectory = perfect()
    for name in (
        "fallen", "feet_from_stance", "heading_off", "lean_past_reference", "feet_lifted_again", "both_feet_off",
        "mean_error", "impulse",
    ):  # fmt: skip
        assert value(name, trajectory) == pytest.approx(0.0, abs=1e-5)
    assert value("front_foot_is_right", trajectory) == 1.0
    assert value("nearest", trajectory) < 2.0


def test_impulse_counts_around_the_impact_only() -> None:
    impact = SCENE.reference.impact
    inside = changed(WHERE.bag.start + 1, slice(impact, impact + 10), 200.0)
    assert value("impulse", inside) == pytest.approx(200 * 10 * 0.005)
    outside = changed(WHERE.bag.start + 1, slice(impact + 60, impact + 90), 200.0)
    assert value("impulse", outside) == 0.0


def test_a_fall_at_any_moment() -> None:
    trajectory = perfect()
    qpos = trajectory.qpos.copy()
    qpos[70, 2] = 0.3
    assert value("fallen", replace(trajectory, qpos=qpos)) == 1.0
    tilted = trajectory.sensors.copy()
    tilted[SUBSTEPS * 50 + 3, WHERE.upright["chest"]] = [1.0, 0.0, 0.1]
    assert value("fallen", replace(trajectory, sensors=tilted)) == 1.0


def test_feet_and_heading_at_the_end() -> None:
    foot = WHERE.foot("r")
    moved = changed(foot.start + 1, slice(-40, None), -0.12)
    assert value("feet_from_stance", moved) == pytest.approx(12.0, abs=0.1)
    lifted = changed(foot.start + 2, slice(-40, -20), 0.09)
    assert value("feet_lifted_again", lifted) == pytest.approx(9.0, abs=0.1)
    trajectory = perfect()
    turned = trajectory.sensors.copy()
    turned[-1, WHERE.forward] = [np.cos(0.4), np.sin(0.4), 0]
    assert value("heading_off", replace(trajectory, sensors=turned)) == pytest.approx(np.degrees(0.4), abs=1.0)


def test_lean_counts_backwards_and_only_after_upright() -> None:
    chest = WHERE.upright["chest"]
    trajectory = perfect()
    upright = round(SCENE.reference.events["upright"] * 200)
    for first, wanted in ((upright + 20, 10.0), (upright - 60, 0.0)):
        sensors = trajectory.sensors.copy()
        window = slice(first, first + 40)
        forward = sensors[window, WHERE.forward][:, :2]
        sensors[window, chest] = np.column_stack([-np.sin(np.radians(10)) * forward, np.full(40, np.cos(0.17))])
        found = value("lean_past_reference", replace(trajectory, sensors=sensors))
        assert found == pytest.approx(wanted, abs=4.0) if wanted else found < 1.0


def test_flight_is_the_longest_time_off_the_floor() -> None:
    trajectory = perfect()
    sensors = trajectory.sensors.copy()
    for side in "lr":
        sensors[100:130, WHERE.floor[side]] = 0.0
        sensors[200:210, WHERE.floor[side]] = 0.0
    sensors[300:400, WHERE.floor["l"]] = 0.0
    assert value("both_feet_off", replace(trajectory, sensors=sensors)) == pytest.approx(0.15)


def test_what_is_not_a_number_passes_nothing() -> None:
    trajectory = perfect()
    broken = trajectory.sensors.copy()
    broken[-1] = np.nan
    assert value("feet_from_stance", replace(trajectory, sensors=broken)) == LOST
