"""The one physical world."""

import mujoco
import numpy as np
import pytest

from studio.domain.body.load import load_body
from studio.domain.gates.sensors import contact_force, sensor_map
from studio.domain.gates.world import AWAY, build_world, hang_bag, striking_bodies
from studio.schema.errors import StudioError

BODY = load_body("fighter")


def parts_that(model: mujoco.MjModel, array: np.ndarray, bit: int) -> set[str]:
    return {model.body(model.geom_bodyid[i]).name for i in np.flatnonzero(array & bit)}


@pytest.mark.parametrize("striker", ["knee_r", "foot_l", "fist_r", "elbow_l", "shin_r"])
def test_only_the_striking_limb_meets_the_bag_and_only_soles_the_floor(striker: str) -> None:
    model = build_world(BODY, striker)
    assert parts_that(model, model.geom_contype, 2) == set(striking_bodies(striker))
    assert parts_that(model, model.geom_conaffinity, 2) == {"bag"}
    assert parts_that(model, model.geom_conaffinity, 1) == {"foot_l", "foot_r", "toe_l", "toe_r"}
    assert parts_that(model, model.geom_contype, 1) == {"world"}


def test_sizes_servos_and_options() -> None:
    model = build_world(BODY, "knee_r")
    assert (model.nq, model.nv, model.nu) == (41, 38, 26)
    assert model.opt.timestep == 0.005 and model.opt.iterations == 10
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    ankles = [model.actuator(f"ankle_pitch_{side}").id for side in "lr"]
    assert model.actuator_gainprm[ankles, 0].sum() > 1.5 * 706  # m g h of 70 kg, or he falls while he stands
    assert np.allclose(-model.actuator_biasprm[:, 2], 0.06 * model.actuator_gainprm[:, 0])
    assert model.body_subtreemass[model.body("pelvis").id] == pytest.approx(70.0)


def test_the_floor_carries_him_and_both_feet_feel_it() -> None:
    model = build_world(BODY, "knee_r")
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 100)
    where = sensor_map(model)
    forces = [contact_force(data.sensordata, where.floor[side]) for side in "lr"]
    assert sum(forces) == pytest.approx(70 * 9.81, rel=0.05)
    assert min(forces) > 200
    assert contact_force(data.sensordata, where.bag) == 0


def test_the_force_felt_is_what_the_bag_gets() -> None:
    model = build_world(BODY, "knee_r")
    where = sensor_map(model)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ahead = data.site("strike_knee_r").xpos + np.array([0.06, 0.0, 0.0])
    hang_bag(model, ahead, np.array([1.0, 0.0]))
    data.qvel[0] = 2.0  # he slides into it, 70 kg at 2 m/s
    impulse, velocity = 0.0, np.zeros(6)
    for _ in range(12):
        mujoco.mj_step(model, data)
        impulse += contact_force(data.sensordata, where.bag) * 0.005
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body("bag").id, velocity, 0)
    assert impulse > 10.0
    assert np.linalg.norm(velocity[3:]) * 40.0 == pytest.approx(impulse, rel=0.2)


def test_the_bag_hangs_around_the_target_and_air_only_moves_it() -> None:
    model = build_world(BODY, "knee_r")
    data = mujoco.MjData(model)
    target = np.array([0.5, -0.2, 0.9])
    hang_bag(model, target, np.array([0.6, 0.8]))
    near = model.body_pos[model.body("bag_anchor").id].copy()
    mujoco.mj_forward(model, data)
    centre = data.site("bag_centre").xpos
    outwards = (centre - target)[:2] @ [0.6, 0.8]
    assert outwards == pytest.approx(0.175 - 0.04)
    assert abs((centre - target)[:2] @ [-0.8, 0.6]) < 1e-9
    assert centre[2] - 0.55 < target[2] < centre[2] + 0.55
    hang_bag(model, target, np.array([0.6, 0.8]), air=True)
    moved = model.body_pos[model.body("bag_anchor").id] - near
    assert np.allclose(moved, [AWAY * 0.6, AWAY * 0.8, 0.0])
    hang_bag(model, np.array([0.5, 0.0, 0.2]), np.array([1.0, 0.0]))
    mujoco.mj_forward(model, data)
    assert data.site("bag_centre").xpos[2] - 0.55 > 0.1


def test_an_unknown_striker_is_refused() -> None:
    with pytest.raises(StudioError, match="tail_r cannot strike"):
        build_world(BODY, "tail_r")
