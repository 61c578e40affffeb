"""The torque of a reference, and whether he stands with it."""

# pyright: reportAttributeAccessIssue=false
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from factories import make_table, raise_scene

from studio.domain.gates.figures import fallen, mean_error
from studio.domain.gates.rollout import Trajectory, make_scene, play
from studio.domain.gates.world import build_world
from studio.domain.policy import reference as reference_module
from studio.domain.policy.feedforward import SHARE_OF_LIMIT, Load, carry, feedforward, share_wrench
from studio.domain.policy.motion import PHYSICS_HZ, velocities
from studio.domain.policy.observation import make_layout
from studio.domain.policy.reference import SUBSTEPS, make_reference

HALF_LENGTH, HALF_WIDTH = 0.14, 0.06
"""m of a sole from its centre, generously."""
LIFTED = slice(round(0.7 * PHYSICS_HZ), round(1.4 * PHYSICS_HZ))


@pytest.fixture(scope="module")
def raised() -> tuple[mujoco.MjModel, np.ndarray, Load]:
    """World, qpos (T, 33) and load of the planned raise; the left foot is off the floor from 0.5 to 1.6 s."""
    table, body = make_table("l", "raise", "planned")
    model, q = build_world(body, table.striker), make_reference(table, body).q[0]
    times = np.arange(len(q)) / PHYSICS_HZ
    standing = np.stack([(times < 0.5) | (times > 1.6), np.ones(len(q), bool)], 1)
    return model, q, carry(model, q, *velocities(model, q), standing)


def test_the_ground_gives_the_free_root_what_it_lacks(raised) -> None:
    model, q, load = raised
    rate, acceleration = velocities(model, q)
    data = mujoco.MjData(model)
    for k in range(5, len(q), 40):
        mujoco.mj_resetData(model, data)
        data.qpos[:33], data.qvel[:32] = q[k], rate[k]
        mujoco.mj_forward(model, data)
        data.qfrc_applied[6:32] = load.torque[k]
        for i, side in enumerate("lr"):
            foot = model.body(f"foot_{side}").id
            mujoco.mj_applyFT(
                model, data, load.wrench[k, i, :3], load.wrench[k, i, 3:], load.sole[k, i], foot, data.qfrc_applied
            )
        model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
        mujoco.mj_forward(model, data)
        model.opt.disableflags = 0
        assert np.allclose(data.qacc[:32], acceleration[k], atol=1e-6)


def test_a_lifted_foot_carries_nothing_and_the_other_one_all(raised) -> None:
    _, _, load = raised
    assert not load.wrench[LIFTED, 0].any()
    assert 0.7 < load.wrench[LIFTED, 1, 2].mean() / (70 * 9.81) < 1.3


def test_on_two_feet_each_sole_can_hold_its_moment(raised) -> None:
    _, q, load = raised
    both = np.r_[0 : round(0.45 * PHYSICS_HZ), round(1.7 * PHYSICS_HZ) : len(q)]
    pushed = load.wrench[both]
    pushed = pushed[pushed[..., 2] > 0.3 * pushed[..., 2].sum(1, keepdims=True)]
    assert len(pushed) > 1.4 * len(both)
    assert (np.abs(pushed[:, 4]) < HALF_LENGTH * pushed[:, 2]).all()
    assert (np.abs(pushed[:, 3]) < HALF_WIDTH * pushed[:, 2]).all()


def test_sharing_is_exact_and_gives_a_foot_what_it_may_take() -> None:
    chance = np.random.default_rng(2)
    maps = np.tile(np.eye(6), (2, 1, 1))
    for i, y in enumerate((0.2, -0.2)):
        maps[i, 0, 5], maps[i, 2, 3] = -y, y  # a force beside the root turns it
    root = chance.normal(size=6)
    for ready in ((1.0, 1.0), (1.0, 0.0), (0.3, 0.9)):
        wrench = share_wrench(maps, root, np.array(ready))
        assert np.allclose(np.einsum("fwr,fw->r", maps, wrench), root)
        assert wrench[1].any() == (ready[1] > 0)
    weight = np.array([0.0, 0.0, 700.0, 0.0, 0.0, 0.0])
    even = share_wrench(maps, weight, np.ones(2))
    assert np.allclose(even[:, 2], 350) and np.allclose(np.delete(even, 2, 1), 0)
    aside = share_wrench(maps, weight + np.eye(6)[3] * 70.0, np.ones(2))
    assert aside[0, 2] - aside[1, 2] > 300 and np.abs(aside[:, 3]).max() < 3
    assert not share_wrench(maps, root, np.zeros(2)).any()
    fading = share_wrench(maps, root, np.array([0.25, 0.0]))
    assert np.allclose(np.einsum("fwr,fw->r", maps, fading), 0.25 * root)


def test_the_feed_forward_carries_the_weight_of_a_still_man() -> None:
    table, body = make_table()
    model = build_world(body, table.striker)
    still = np.repeat(raise_scene().reference.q[0][:1], 60, axis=0)
    zero = np.zeros((60, model.nv - 6))
    torque = feedforward(model, still, zero, zero, np.ones((60, 2), bool))
    weight = 70 * 9.81
    knees = [model.actuator(f"knee_{side}").id for side in "lr"]
    assert np.allclose(torque[30, knees[0]], torque[30, knees[1]], atol=0.05 * weight)
    lifted = feedforward(model, still, zero, zero, np.tile([False, True], (60, 1)))
    assert abs(lifted[30, knees[1]]) > 1.5 * abs(torque[30, knees[1]])
    ankle = model.actuator("ankle_pitch_l").id
    assert abs(lifted[30, ankle]) < 10.0


def test_a_still_man_stands_with_it_for_two_seconds() -> None:
    table, body = make_table()
    still = replace(table, qpos=np.repeat(table.qpos[:, :1], 120, axis=1), contacts=np.ones((120, 8), bool))
    reference = make_reference(still, body)
    model = build_world(body, table.striker)
    data = mujoco.MjData(model)
    data.qpos[:33] = reference.q[0, 0]
    index, weight = reference.weights(np.zeros((1, 2)))
    for step in range(100):
        data.ctrl[:] = reference.rows(index, weight, np.array([step])).control[0]
        mujoco.mj_step(model, data, SUBSTEPS)
    assert abs(data.qpos[2] - reference.q[0, 0, 2]) < 0.02


def zero_action(what: str, side: str, balance: str, condition: str = "air") -> tuple[Trajectory, float, float]:
    """What the reference's own control does without a start's noise; whether he falls, and the mean error (cm)."""
    table, body = make_table(side, what, balance)
    reference = make_reference(table, body)
    scene = make_scene(body, reference, make_layout(reference.joints), 1)
    played = play(scene, lambda _: np.zeros((1, 26)), condition, 100, noise=0.0)
    return played, fallen(played, reference), mean_error(played, reference)


@pytest.mark.parametrize(("what", "side"), [("raise", "l"), ("knee", "r")])
@pytest.mark.parametrize("condition", ["air", "bag"])
def test_a_planned_motion_stands_to_the_end_before_any_practice(what: str, side: str, condition: str) -> None:
    _, fell, error = zero_action(what, side, "planned", condition)
    assert fell == 0 and error < 6.0


def test_without_the_feed_forward_he_falls_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_module, "feedforward", lambda model, q, *_: np.zeros((len(q), model.nu)))
    _, fell, _ = zero_action("raise", "l", "planned")
    assert fell == 1


def test_a_copied_raise_stands_too_and_one_that_asks_too_much_of_the_ground_falls() -> None:
    assert zero_action("raise", "r", "copied")[1] == 0
    assert zero_action("raise", "l", "shifted")[1] == 1


def test_the_servos_keep_something_for_corrections(raised) -> None:
    model, q, _ = raised
    velocity, acceleration = velocities(model, q)
    torque = feedforward(model, q, 20 * velocity, 20 * acceleration, np.ones((len(q), 2), bool))
    limit = SHARE_OF_LIMIT * model.actuator_forcerange[:, 1]
    assert (np.abs(torque) <= limit).all() and (np.abs(torque) == limit).any()
