"""The authored strike is one that a body could do, and reads as the knee it is meant to be."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.body.roles import roles
from studio.domain.fit.kinematics import Kinematics
from studio.domain.retarget.check import limit_margin, self_penetration
from studio.domain.retarget.dynamics import ground_reaction, outside
from studio.domain.synthetic import right_knee as written
from studio.domain.synthetic.curves import sample_curve
from studio.domain.synthetic.exposure import at_times, resampled
from studio.schema.motion import Motion

SOLES = roles(written.COACH).soles
LEFT, RIGHT = slice(0, 4), slice(4, 8)


def soles(coach: Kinematics, motion: Motion) -> np.ndarray:
    return coach.forward(motion.qpos).site[:, coach.site_ids(SOLES)]


def moment(motion: Motion, since_begin_s: float) -> int:
    return int(np.abs(motion.times - written.BEGIN_S - since_begin_s).argmin())


def test_the_knee_comes_up_in_front_at_about_ninety_five_centimetres(coach: Kinematics, knee: Motion) -> None:
    path = coach.forward(knee.qpos).site[:, coach.site_ids(["strike_knee_r"])[0]]
    top = int(path[:, 2].argmax())
    assert path[top, 2] == pytest.approx(0.97, abs=0.04)
    assert knee.times[top] - written.BEGIN_S == pytest.approx(written.APEX_S, abs=0.05)
    assert path[top, 0] - path[0, 0] > 0.45, "and forward"
    speed = np.gradient(path, 1 / knee.fps, axis=0)[moment(knee, written.HIT_S)]
    assert np.linalg.norm(speed) > 2.5 and speed[0] > 0.4 and speed[2] > 2.0


def test_the_supporting_foot_stays_flat_where_it_is(coach: Kinematics, knee: Motion) -> None:
    place = soles(coach, knee)[:, LEFT]
    assert np.abs(place - place[0]).max() < 0.003


def test_the_striking_foot_leaves_and_returns_to_its_place(coach: Kinematics, knee: Motion) -> None:
    place = soles(coach, knee)[:, RIGHT]
    before, after = moment(knee, written.LIFT_S - 0.1), moment(knee, written.LAND_S + 0.15)
    assert np.abs(place[:before] - place[0]).max() < 0.005
    assert np.abs(place[after:] - place[0]).max() < 0.005
    air = slice(moment(knee, written.LIFT_S + 0.1), moment(knee, written.LAND_S - 0.1))
    assert place[air, :, 2].min() > 0.02
    assert place[..., 2].min() > -0.002, "never below the floor"


@pytest.mark.parametrize("what", ["knee", "standing"])
def test_limits_are_kept_and_nothing_runs_through_itself(
    coach: Kinematics, what: str, request: pytest.FixtureRequest
) -> None:
    motion: Motion = request.getfixturevalue(what)
    assert limit_margin(coach, motion.qpos).min() > 0.0
    assert self_penetration(coach, motion.qpos[::6]).max() < 0.005


@pytest.mark.parametrize(("what", "off_m", "share"), [("knee", 0.03, 0.04), ("standing", 0.0, 0.0)])
def test_the_ground_can_hold_it(
    coach: Kinematics, what: str, off_m: float, share: float, request: pytest.FixtureRequest
) -> None:
    """In single support the zero-moment point lies on the foot that stands; where a foot leaves or lands it may miss
    by a thumb's breadth."""
    motion: Motion = request.getfixturevalue(what)
    place = soles(coach, motion)
    on = place[..., 2] < 0.005
    off = outside(ground_reaction(coach, motion.qpos, motion.fps).zmp, place[..., :2], on)
    assert np.nanmax(off) <= off_m and np.mean(off > 0) <= share


def test_it_is_smooth_and_at_rest_at_both_ends(coach: Kinematics, knee: Motion) -> None:
    speed = coach.difference(knee.qpos[:-1], knee.qpos[1:]) * knee.fps
    still = moment(knee, -written.LEAD_S), moment(knee, written.END_S) + 1
    assert np.abs(speed[: still[0]]).max() < 1e-9 and np.abs(speed[still[1] :]).max() < 1e-9
    assert np.abs(speed[[still[0], still[1] - 2]]).max() < 0.3, "and comes to it slowly"
    jumps = np.abs(np.diff(speed, axis=0)).max() * knee.fps
    assert jumps < 320.0, "rad/s^2: a fast knee of a man reaches some 250"


def test_the_trunk_leans_back_a_little_and_the_guard_stays_up(coach: Kinematics, knee: Motion) -> None:
    frames = coach.forward(knee.qpos)
    up = frames.rotation[:, coach.body_ids(["chest"])[0], :, 2]
    lean = np.degrees(np.arcsin(up[:, 0]))
    assert -22.0 < lean.min() < -8.0
    head = frames.body[:, coach.body_ids(["head"])[0]]
    for hand in ("hand_l", "hand_r"):
        away = frames.body[:, coach.body_ids([hand])[0]] - head
        assert np.linalg.norm(away, axis=1).max() < 0.45
        assert away[:, 2].min() > -0.22, "at the chin, not at the belt"


def test_standing_sways_a_little_and_lifts_nothing(coach: Kinematics, standing: Motion) -> None:
    place = soles(coach, standing)
    assert np.abs(place - place[0]).max() < 0.001
    com = coach.centre_of_mass(coach.forward(standing.qpos))
    assert 0.02 < np.ptp(com[:, 0]) < 0.06 and 0.015 < np.ptp(com[:, 1]) < 0.05


def test_a_curve_passes_near_its_moments_and_holds_its_ends() -> None:
    times = np.arange(0, 2, 1 / 120)
    curve = sample_curve(((0.5, 10.0), (1.0, 40.0), (1.5, 10.0)), times)
    assert curve[0] == curve[-1] == pytest.approx(10.0, abs=1e-6)
    assert 36.0 < curve.max() <= 40.0 and times[curve.argmax()] == pytest.approx(1.0, abs=0.01)
    assert np.all(sample_curve(((0.0, 3.0),), times) == 3.0)


def test_between_frames_he_is_between_them_and_before_the_first_he_waits(knee: Motion) -> None:
    half = at_times(knee, np.array([100.5 / knee.fps]))[0]
    assert np.abs(half - knee.qpos[100:102].mean(axis=0)).max() < 1e-3
    assert np.array_equal(at_times(knee, np.array([-0.037]))[0], at_times(knee, np.array([0.0]))[0])
    slow = resampled(knee, 60.0)
    assert np.abs(slow.qpos - knee.qpos[::2]).max() < 1e-9 and slow.fps == 60.0
