"""Stage 5 on a kick whose angles are known, exact and fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from motions import COACH, FPS, Truth

from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.body.roles import roles
from studio.domain.fit.kinematics import Kinematics
from studio.domain.retarget import check
from studio.domain.retarget.balance import lock_and_balance, zmp_outside
from studio.domain.retarget.copy import copy_motion, root_scale
from studio.domain.retarget.dynamics import ground_reaction, outside
from studio.domain.retarget.lock import find_pins, footprint, lock_feet, ramps, swing
from studio.domain.retarget.retarget import figures, retarget
from studio.schema.errors import StudioError
from studio.schema.motion import Retarget

FIGHTER = load_body("fighter")


@pytest.fixture(scope="module")
def kinematics() -> Kinematics:
    return Kinematics(build(FIGHTER).compile())


@pytest.fixture(scope="module")
def moved(kick: Truth) -> tuple[Retarget, tuple]:
    return retarget(kick.fit, COACH, FIGHTER)


def test_the_copy_keeps_every_angle_and_scales_the_path(kick: Truth) -> None:
    scale = root_scale(COACH, FIGHTER)
    assert scale == pytest.approx(1.139, abs=0.003)
    copied = copy_motion(kick.qpos, scale, floor=0.02)
    assert np.array_equal(copied[:, 3:], kick.qpos[:, 3:])
    assert copied[0, :2] == pytest.approx(kick.qpos[0, :2])
    assert np.diff(copied[:, :2], axis=0) == pytest.approx(scale * np.diff(kick.qpos[:, :2], axis=0))
    assert copied[:, 2] == pytest.approx(scale * (kick.qpos[:, 2] - 0.02))


def test_the_plain_lock_stops_the_feet_and_keeps_the_kick(kick: Truth, moved, kinematics: Kinematics) -> None:
    result, _ = moved
    pins = find_pins(kinematics, roles(FIGHTER), result.copied, result.contacts, FPS)
    locked = lock_feet(kinematics, result.copied, pins, FPS).qpos
    before = check.figures(kinematics, roles(FIGHTER), result.copied, result.contacts, FPS)
    after = check.figures(kinematics, roles(FIGHTER), locked, result.contacts, FPS)
    assert before["slide_peak_mm"] > 20 and before["penetration_mm"] > 20
    assert after["slide_peak_mm"] < 8 and after["float_mm"] < 8 and after["penetration_mm"] < 5
    assert after["limit_frames"] == 0
    assert after["max_acceleration"] < 1.2 * before["max_acceleration"]
    snap = check.flicks(kinematics, locked, result.copied, FPS).figures()
    assert snap["swivel_rate_deg"] < 7 and snap["dev_acc_deg"] < 10 and snap["swivel_spike_deg"] < 15


def test_the_result_stands_and_says_so(moved, kinematics: Kinematics) -> None:
    result, found = moved
    numbers = figures(result, FIGHTER)
    assert numbers["slide_peak_mm"] < 20 and numbers["penetration_mm"] < 10 and numbers["limit_frames"] == 0
    assert not [f for f in found if f.kind in ("slide", "below_floor", "limit", "float")]
    assert result.joints == kinematics.joints and result.soles == roles(FIGHTER).soles
    assert result.contacts.shape == (len(result.qpos), 8)


def test_pins_keep_the_shape_of_the_foot(moved, kinematics: Kinematics) -> None:
    result, _ = moved
    pins = find_pins(kinematics, roles(FIGHTER), result.copied, result.contacts, FPS)
    shape = footprint(kinematics, roles(FIGHTER))
    for t in np.flatnonzero(result.contacts[:, :4].all(axis=1)):
        heel_to_toe = np.linalg.norm(pins.targets[t, 0] - pins.targets[t, 3])
        assert heel_to_toe == pytest.approx(np.linalg.norm(shape[0] - shape[3]), abs=0.02)
    assert np.all(pins.targets[result.contacts][:, 2] == 0)


def test_ramps_and_swings_last_as_long_at_any_frame_rate() -> None:
    on = np.ones((60, 1), dtype=bool)
    on[20:50] = False
    for scale in (1, 2, 4):
        fine = np.repeat(on, scale, axis=0)
        weights, raised = ramps(fine, FPS * scale)[:, 0], swing(fine[:, 0], FPS * scale)
        assert (weights == 1).mean() == pytest.approx((ramps(on, FPS)[:, 0] == 1).mean(), abs=0.03)
        assert (raised == 1).mean() == pytest.approx((swing(on[:, 0], FPS) == 1).mean(), abs=0.03)
        assert weights[0] == weights[-1] == 1, "hard at the clip's own ends"
        assert not weights[20 * scale : 50 * scale].any() and not raised[: 20 * scale].any()


def test_a_floor_that_is_off_is_taken_out_once_and_shown(kick: Truth, moved) -> None:
    raised = kick.qpos.copy()
    raised[:, 2] += 0.08
    result, found = retarget(replace(kick.fit, qpos=raised), COACH, FIGHTER)
    shown = [f for f in found if f.kind == "floor"]
    assert len(shown) == 1 and shown[0].repaired and shown[0].value == pytest.approx(80, abs=15)
    assert np.abs(result.qpos[:, 2] - moved[0].qpos[:, 2]).max() < 0.02


def test_a_fit_of_another_body_is_refused(kick: Truth) -> None:
    with pytest.raises(StudioError, match="stage 4"):
        retarget(kick.fit, replace(COACH, measures={"thigh": 0.40}), FIGHTER)


def test_faults_are_found_where_they_are_put(moved, kinematics: Kinematics) -> None:
    result, _ = moved
    times, who = result.motion.times, roles(FIGHTER)
    sunk = result.qpos.copy()
    sunk[10:14, 2] -= 0.05
    found = check.standing_findings(kinematics, who, kinematics.forward(sunk), result.contacts, times, fps=FPS)
    deep = [f for f in found if f.kind == "below_floor"]
    assert deep and min(f.start_s for f in deep) == pytest.approx(times[10])
    bent = result.qpos.copy()
    knee = 7 + kinematics.joints.index("knee_l")
    bent[20:25, knee] = -0.2
    limits = check.limit_findings(kinematics, bent, times)
    assert [f.subject for f in limits] == ["knee_l"]
    assert limits[0].value == pytest.approx(np.degrees(0.2), abs=0.1)


def test_zero_moment_point_is_that_of_inverse_dynamics(kinematics: Kinematics) -> None:
    """A smooth sway and bow: the wrench that MuJoCo's inverse dynamics needs at the root, moved to the floor."""
    import mujoco

    model = build(FIGHTER, floor=False).compile()
    fps, count = 240.0, 480
    t = np.arange(count) / fps
    qpos = np.tile(model.qpos0, (count, 1))
    qpos[:, 1] += 0.05 * np.sin(2 * np.pi * t)
    qpos[:, 2] += 0.01 * np.sin(2 * np.pi * t)
    for joint, size in (("hip_pitch_r", -0.8), ("chest_pitch", 0.3), ("shoulder_roll_l", 0.9), ("lumbar_yaw", 0.3)):
        qpos[:, 7 + kinematics.joints.index(joint)] = size * np.sin(np.pi * t / 2) ** 2
    velocity = np.gradient(kinematics.difference(np.repeat(qpos[:1], count, axis=0), qpos), 1 / fps, axis=0)
    acceleration = np.gradient(velocity, 1 / fps, axis=0)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.dof_damping[:] = 0
    model.dof_armature[:] = 0
    data, zmp = mujoco.MjData(model), np.zeros((count, 2))
    for k in range(count):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos[k], velocity[k], acceleration[k]
        mujoco.mj_inverse(model, data)
        force, place = data.qfrc_inverse[:3], data.xpos[1]
        moment = data.xmat[1].reshape(3, 3) @ data.qfrc_inverse[3:6] + np.cross(place, force)
        zmp[k] = [-moment[1] / force[2], moment[0] / force[2]]
    found = ground_reaction(kinematics, qpos, fps)
    inside = slice(40, -40)
    assert found.zmp[inside] == pytest.approx(zmp[inside], abs=0.006)
    assert np.ptp(zmp[inside, 1]) > 0.1, "the sway moves it"


def test_outside_is_a_signed_distance() -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    points = np.array([[0.5, 0.5], [0.5, 1.2], [2.0, 2.0], [0.1, 0.5], [3.0, 3.0]])
    places = np.broadcast_to(square, (5, 4, 2))
    standing = np.ones((5, 4), dtype=bool)
    standing[4] = False
    found = outside(points, places, standing)
    assert found[:4] == pytest.approx([-0.5, 0.2, np.sqrt(2), -0.1])
    assert np.isnan(found[4])
    line = outside(points[1:2], places[:1], np.array([[True, True, False, False]]))
    assert line[0] == pytest.approx(1.2)


def test_balance_brings_the_weight_over_the_foot_that_stands(kinematics: Kinematics) -> None:
    """A man who simply lifts one leg falls; balanced, his zero-moment point stays on the other sole."""
    count, who = 120, roles(FIGHTER)
    qpos = np.tile(kinematics.model.qpos0, (count, 1))
    raised = np.clip((np.arange(count) - 40) / 20, 0, 1) * np.clip((100 - np.arange(count)) / 20, 0, 1)
    for joint, angle in (("hip_pitch_r", -1.2), ("knee_r", 1.4), ("shoulder_roll_l", 0.2), ("shoulder_roll_r", 0.2)):
        qpos[:, 7 + kinematics.joints.index(joint)] = angle * raised
    contacts = np.ones((count, 8), dtype=bool)
    contacts[40:100, 4:] = False
    pins = find_pins(kinematics, who, qpos, contacts, FPS)
    plain = lock_feet(kinematics, qpos, pins, FPS).qpos
    before = zmp_outside(kinematics, plain, pins, FPS)[45:95]
    result = lock_and_balance(kinematics, qpos, pins, FPS, rest=True)
    after = zmp_outside(kinematics, result.qpos, pins, FPS)
    assert before.min() > 0.01 and before.max() > 0.04
    assert after[45:95].max() < 0.02
    assert (after > 0).mean() < 0.15
    numbers = check.figures(kinematics, who, result.qpos, contacts, FPS)
    assert numbers["slide_peak_mm"] < 10 and numbers["penetration_mm"] < 5
    knee = kinematics.body_ids(["shank_r"])[0]
    lost = kinematics.forward(plain).body[70, knee, 2] - kinematics.forward(result.qpos).body[70, knee, 2]
    assert abs(lost) < 0.12, "the raised knee stays up"
