"""A table made ready for control."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from factories import START_S, make_table, raise_scene

from studio.domain.gates.sensors import sensor_map
from studio.domain.gates.world import build_world
from studio.domain.policy.motion import PHYSICS_HZ, add_hold, resample, velocities
from studio.domain.policy.reference import SUBSTEPS, make_reference
from studio.schema.errors import StudioError


def test_the_spline_passes_through_the_table() -> None:
    table, _ = make_table()
    fine = resample(table.qpos[0], table.fps)
    hits = fine[:: PHYSICS_HZ // 20]
    wanted = table.qpos[0][:: round(table.fps / 20)][: len(hits)]
    assert np.allclose(hits[:, 7:], wanted[:, 7:], atol=1e-9)
    assert np.allclose(np.linalg.norm(fine[:, 3:7], axis=1), 1.0)


def test_a_flipped_quaternion_changes_nothing() -> None:
    table, _ = make_table()
    flipped = table.qpos[0].copy()
    flipped[7:40, 3:7] *= -1
    assert np.allclose(resample(flipped, table.fps), resample(table.qpos[0], table.fps))


def test_the_hold_comes_to_rest_smoothly() -> None:
    table, body = make_table()
    model = build_world(body, table.striker)
    moving = raise_scene().reference.q[0][:120]  # cut while the leg is on its way
    q = add_hold(model, moving, 1.0)
    velocity, _ = velocities(model, q)
    speed = np.abs(velocity[:, 6:]).max(1)
    assert speed[118] > 0.3
    assert speed[-1] < 1e-9
    assert np.abs(np.diff(velocity, axis=0)).max() * PHYSICS_HZ < 60.0


def test_rows_agree_with_the_physics_rate_and_with_forward_kinematics() -> None:
    scene = raise_scene()
    reference, where = scene.reference, sensor_map(scene.model)
    index, weight = reference.weights(np.zeros((3, 2)))
    steps = np.array([0, 20, 57])
    rows = reference.rows(index, weight, steps)
    data = mujoco.MjData(scene.model)
    for row, step in enumerate(steps):
        assert np.allclose(rows.q[row], reference.q[0, step * SUBSTEPS])
        data.qpos[:33] = reference.q[0, step * SUBSTEPS + SUBSTEPS - 1]
        mujoco.mj_forward(scene.model, data)
        assert np.allclose(rows.sensors[row, where.bodies], data.sensordata[where.bodies], atol=1e-9)


def test_events_and_impact_run_on_the_references_clock() -> None:
    table, _ = make_table()
    reference = raise_scene().reference
    assert reference.events["impact"] == pytest.approx(table.events["impact"] - START_S)
    assert reference.impact == pytest.approx(table.impact_frame / table.fps * PHYSICS_HZ, abs=1)
    assert np.allclose(reference.targets, table.targets, atol=0.005)


def test_bad_tables_are_refused_in_words() -> None:
    table, body = make_table()
    with pytest.raises(StudioError, match="lacks knee_l"):
        make_reference(replace(table, joints=tuple(j.replace("knee_l", "knie_l") for j in table.joints)), body)
    with pytest.raises(StudioError, match=r"lasts 0\.08 s"):
        make_reference(replace(table, qpos=table.qpos[:, :5]), body)
    broken = table.qpos.copy()
    broken[0, 30, 9] = np.nan
    with pytest.raises(StudioError, match="not finite"):
        make_reference(replace(table, qpos=broken), body)
