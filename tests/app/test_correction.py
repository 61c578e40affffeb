"""What is asked of a joint, what came of it, what stays as it was; and which joint is offered first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from studio.app import joints
from studio.app.correction import Correction, in_effect, without
from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.layers.curve import offset
from studio.schema.findings import Finding
from studio.schema.layers import Knot, Layer, Layers
from studio.schema.motion import Retarget

HIP, KNEE = "hip_pitch_r", "knee_r"
BENT = Layer(HIP, HIP, 0.2, 0.6, (Knot(0.4, 0.2),))
LIFTED = Layer("more", HIP, 0.5, 0.9, (Knot(0.7, 0.1),))


@pytest.fixture(scope="module")
def base() -> Retarget:
    model = build(load_body("fighter")).compile()
    names = tuple(model.joint(k).name for k in range(1, model.njnt))
    qpos = np.tile(model.qpos0, (60, 1))
    return Retarget("fighter", "", 50.0, 0.0, names, ("heel_l",), 1.2, qpos, qpos, np.ones((60, 1), bool))


@pytest.fixture
def state(base: Retarget) -> Correction:
    """The hip is asked for 0.2 rad, nothing is solved yet; it may go to 0.15."""
    low, high = np.full(len(base.joints), -2.0), np.full(len(base.joints), 2.0)
    high[base.joints.index(HIP)] = 0.15
    return Correction(base, Layers((BENT,)), base, Layers(), low, high)


def solved(state: Correction, change: float) -> Correction:
    """As if the solver gave the joint ``change`` of what it was asked for."""
    times, qpos = state.base.motion.times, state.base.qpos.copy()
    qpos[:, 7 + state.base.joints.index(HIP)] += change * offset(BENT, times)
    return replace(state, answer=replace(state.base, qpos=qpos), answered=state.layers)


def test_before_the_answer_the_pose_is_the_base_with_what_is_asked_kept_within_limits(state: Correction):
    times = state.base.motion.times
    np.testing.assert_allclose(state.asked(HIP), offset(BENT, times))
    assert not state.settled
    np.testing.assert_allclose(state.shown(HIP), np.minimum(offset(BENT, times), 0.15))
    column = 7 + state.base.joints.index(HIP)
    assert state.pose(20)[column] == pytest.approx(0.15) and state.pose(0)[column] == 0.0
    assert np.array_equal(np.delete(state.pose(20), column), np.delete(state.base.qpos[20], column))


def test_an_answer_of_older_layers_carries_what_was_asked_since(state: Correction):
    old = solved(state, 0.5)
    more = replace(old, layers=Layers((replace(BENT, knots=(Knot(0.4, 0.24),)),)))
    assert not more.settled
    assert more.shown(HIP)[20] == pytest.approx(0.5 * 0.2 + 0.04)
    assert more.pose(20)[7 + more.base.joints.index(HIP)] == pytest.approx(more.shown(HIP)[20])
    assert more.shown(HIP)[5] == old.answer.qpos[5, 7 + more.base.joints.index(HIP)]


def test_asked_and_got(state: Correction):
    asked, got = solved(state, 0.6).asked_and_got(BENT, 0.4)
    assert (asked, got) == (pytest.approx(0.2), pytest.approx(0.12))
    off = replace(solved(state, 0.0), layers=Layers((replace(BENT, on=False),)), answered=Layers())
    assert off.asked_and_got(off.layers.layers[0], 0.4) == (0.0, 0.0)


def test_a_hurried_answer_is_for_the_eye_alone(state: Correction):
    assert solved(state, 1.0).settled and not replace(solved(state, 1.0), whole=False).settled


def test_a_single_bit_outside_every_window_is_seen(state: Correction):
    there = solved(state, 0.7)
    assert there.outside == (60 - 19, 0)
    for frame, seen in ((10, 1), (11, 0), (29, 0), (30, 1)):
        qpos = there.answer.qpos.copy()
        qpos[frame, 3] = np.nextafter(qpos[frame, 3], 2.0)
        assert replace(there, answer=replace(there.answer, qpos=qpos)).outside[1] == seen, frame


def test_others_is_what_every_other_layer_wants(state: Correction):
    both = replace(state, layers=Layers((BENT, LIFTED)))
    times = np.array([0.4, 0.55])
    np.testing.assert_allclose(both.others(HIP, BENT.name, times), offset(LIFTED, times))
    assert without(both.layers, BENT.name) == Layers((LIFTED,))


def test_layers_without_effect_are_left_out():
    flat, off = replace(BENT, knots=(Knot(0.4, 0.0),)), replace(BENT, on=False)
    assert in_effect(Layers((flat, off, LIFTED))) == Layers((LIFTED,))


def test_room_to_the_nearer_limit(state: Correction):
    assert solved(state, 0.5).room(HIP, (0.2, 0.6)) == pytest.approx(0.05)


def finding(subject: str, value: float, repaired: bool = False) -> Finding:
    return Finding("flick", subject, 0.3, 0.4, value, "deg", 10.0, repaired)


@pytest.mark.parametrize(
    ("found", "joint"),
    [
        ((finding(KNEE, 20.0), finding(HIP, 30.0)), HIP),
        ((finding(KNEE, 20.0), finding(HIP, 30.0, True)), KNEE),
        ((finding("zero-moment point", 90.0), finding("heel_l", 20.0)), "ankle_pitch_l"),
        ((finding("pelvis", 20.0),), "lumbar_pitch"),
        ((finding("zero-moment point", 90.0),), "elbow_l"),
    ],
)
def test_the_joint_under_the_worst_open_finding_or_the_one_that_left_the_capture(base: Retarget, found, joint: str):
    capture = base.qpos[:, 7:].copy()
    capture[30, base.joints.index("elbow_l")] += 0.4
    assert joints.suggested(found, base.joints, capture, base.qpos[:, 7:])[0] == joint


def test_every_joint_is_in_one_group(base: Retarget):
    parts = joints.grouped(base.joints)
    assert [part for part, _ in parts] == ["trunk", "head", "arm_l", "arm_r", "leg_l", "leg_r"]
    assert sorted(joint for _, own in parts for joint in own) == sorted(base.joints)


def test_a_layer_is_called_what_he_said_or_by_its_joint():
    assert joints.layer_title(BENT) == "Right hip, forward and back"
    assert joints.layer_title(replace(BENT, name=f"{HIP} 2")) == "Right hip, forward and back 2"
    assert joints.layer_title(LIFTED) == "more"
    assert joints.layer_title(replace(BENT, words="knee late")) == "knee late"
