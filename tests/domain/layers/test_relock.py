"""Feet locked again under layers: nothing changes outside a window, soles and limits stay as good as they were."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from factories import make_table
from motions import COACH, read_kick

from studio.domain.body.load import load_body
from studio.domain.body.roles import roles
from studio.domain.layers.compose import with_layers
from studio.domain.layers.relock import Relock, Relocked, relock
from studio.domain.retarget import check
from studio.domain.retarget.balance import zmp_outside
from studio.domain.retarget.lock import find_pins
from studio.domain.retarget.retarget import retarget
from studio.schema.errors import StudioError
from studio.schema.layers import Knot, Layer, Layers
from studio.schema.motion import Retarget

FIGHTER = load_body("fighter")
WINDOW = {"kick": (0.4, 0.9), "knee": (1.2, 1.7)}
"""The left leg stands, the right one is in the air."""


@pytest.fixture(scope="module")
def ready(shared: Path) -> dict[str, Relock]:
    """A recorded kick, retargeted and balanced, and an authored knee."""
    kick = retarget(read_kick(shared / "mocap" / "deepmimic_kick.txt").fit, COACH, FIGHTER)[0]
    table, _ = make_table("r", "knee", "planned")
    qpos = table.qpos[0]
    knee = Retarget(
        table.body, table.body_hash, table.fps, table.start_s, table.joints, table.soles, 1.0, qpos, qpos,
        table.contacts,
    )  # fmt: skip
    return {"kick": Relock(kick, FIGHTER), "knee": Relock(knee, FIGHTER)}


def one(clip: str, joint: str, degrees: float, name: str = "one") -> Layers:
    start, end = WINDOW[clip]
    return Layers((Layer(name, joint, start, end, (Knot((start + end) / 2, float(np.radians(degrees))),)),))


def made_layers(rng: np.random.Generator, joints: tuple[str, ...], first: float, last: float) -> Layers:
    """A few layers on any joints at any times, some beyond the ends of the clip."""
    found = []
    for k in range(rng.integers(1, 5)):
        start = float(rng.uniform(first - 0.2, last - 0.1))
        end = start + float(rng.uniform(0.1, 0.5))
        at = start + (end - start) * np.sort(rng.uniform(0.2, 0.8, 2))
        values = np.radians(rng.uniform(-20, 20, 2))
        knots = tuple(Knot(float(t), float(v)) for t, v in zip(at, values, strict=True))
        found.append(Layer(f"{k}", joints[rng.integers(len(joints))], start, end, knots, on=bool(rng.random() < 0.9)))
    return Layers(tuple(found))


def inside(base: Retarget, layers: Layers) -> np.ndarray:
    times = base.motion.times
    masks = [(times > layer.start_s) & (times < layer.end_s) for layer in layers.layers if layer.on]
    return np.any(masks, axis=0) if masks else np.zeros(len(times), bool)


def soles(relocks: Relock, qpos: np.ndarray) -> dict[str, float]:
    base = relocks.retarget
    return check.figures(relocks._kinematics, roles(FIGHTER), qpos, base.contacts, base.fps)


@pytest.mark.parametrize("clip", WINDOW)
def test_outside_the_windows_every_bit_stays(ready: dict[str, Relock], clip: str) -> None:
    base, rng = ready[clip].retarget, np.random.default_rng(7)
    moved = 0
    for _ in range(25):
        layers = made_layers(rng, base.joints, base.start_s, base.motion.times[-1])
        result = ready[clip].solve(layers).retarget
        outside = ~inside(base, layers)
        assert result.qpos[outside].tobytes() == base.qpos[outside].tobytes()
        assert result.copied is base.copied and result.contacts is base.contacts
        moved += bool((result.qpos != base.qpos).any())
        kinematics = ready[clip]._kinematics
        angle = result.qpos[:, 7:]
        assert (angle >= kinematics.low).all() and (angle <= kinematics.high).all()
    assert moved > 20


@pytest.mark.parametrize("clip", WINDOW)
def test_layers_without_effect_change_nothing(ready: dict[str, Relock], clip: str) -> None:
    base, acts = ready[clip].retarget, one(clip, "knee_l", 10.0).layers[0]
    still = (
        dataclasses.replace(acts, on=False), dataclasses.replace(acts, knots=()),
        dataclasses.replace(acts, knots=(Knot(acts.knots[0].time_s, 0.0),)),
    )  # fmt: skip
    for layer in still:
        assert ready[clip].solve(Layers((layer,))).retarget.qpos.tobytes() == base.qpos.tobytes()
    least = ready[clip].solve(one(clip, "hip_pitch_l", 1e-4)).retarget.qpos
    assert 0 < np.abs(least - base.qpos).max() < 1e-4, "a small wish has a small answer"


@pytest.mark.parametrize(("clip", "joint", "degrees"), [
    ("kick", "knee_l", 10), ("kick", "hip_pitch_l", 10), ("kick", "hip_pitch_r", -15), ("kick", "chest_pitch", 12),
    ("knee", "knee_l", 10), ("knee", "hip_yaw_l", 10), ("knee", "knee_r", -30), ("knee", "shoulder_roll_r", 40),
])  # fmt: skip
def test_feet_limits_and_balance_stay_as_good_as_they_were(
    ready: dict[str, Relock], clip: str, joint: str, degrees: float
) -> None:
    relocks, base = ready[clip], ready[clip].retarget
    plain = with_layers(base.qpos, base.joints, base.motion.times, one(clip, joint, degrees))
    result = relocks.solve(one(clip, joint, degrees))
    qpos = result.retarget.qpos
    before, after = soles(relocks, base.qpos), soles(relocks, qpos)
    assert after["slide_peak_mm"] < max(before["slide_peak_mm"], 2.0)
    assert after["float_mm"] < before["float_mm"] + 1.0 and after["limit_frames"] == 0
    assert after["penetration_mm"] < max(before["penetration_mm"] + 1.0, 2.0)
    if joint.endswith("_l"):
        assert soles(relocks, plain)["slide_peak_mm"] > 10, "without the lock the standing foot slides"
    share = result.shares[0]
    assert abs(share.asked) == pytest.approx(np.radians(abs(degrees)), rel=0.02)
    assert share.got / share.asked > 0.75
    path = [relocks._kinematics.centre_of_mass(relocks._kinematics.forward(q)) for q in (base.qpos, qpos)]
    assert np.abs(path[1] - path[0])[:, :2].max() < 0.003
    if clip == "knee":
        pins = find_pins(relocks._kinematics, roles(FIGHTER), base.copied, base.contacts, base.fps)
        assert np.nanmax(zmp_outside(relocks._kinematics, qpos, pins, base.fps)) < 0.02, "he would not fall"


@pytest.mark.parametrize("clip", WINDOW)
def test_the_upper_body_gets_all_that_was_asked(ready: dict[str, Relock], clip: str) -> None:
    base = ready[clip].retarget
    for joint in ("chest_pitch", "lumbar_yaw", "shoulder_pitch_l", "elbow_r", "neck_yaw"):
        layers = one(clip, joint, 8.0)
        wanted = with_layers(base.qpos, base.joints, base.motion.times, layers)
        result = ready[clip].solve(layers)
        column = 7 + base.joints.index(joint)
        assert result.retarget.qpos[:, column] == pytest.approx(wanted[:, column], abs=1e-12)
        assert result.shares[0].got == pytest.approx(result.shares[0].asked, abs=1e-12)


def test_a_wish_beyond_a_limit_ends_softly_at_the_limit(ready: dict[str, Relock]) -> None:
    relocks, base = ready["knee"], ready["knee"].retarget
    result = relocks.solve(one("knee", "elbow_l", 120.0))
    angle = result.retarget.qpos[:, 7 + base.joints.index("elbow_l")]
    high = relocks._kinematics.high[base.joints.index("elbow_l")]
    assert high - 0.06 < angle.max() <= high
    assert result.shares[0].got < 0.75 * result.shares[0].asked
    assert np.degrees(np.abs(np.diff(angle, n=2))).max() < 6.0, "no edge where the limit begins"


@pytest.mark.parametrize("clip", WINDOW)
@pytest.mark.parametrize("joint", ["knee_l", "hip_pitch_l", "ankle_pitch_l", "hip_pitch_r"])
def test_pose_speed_and_acceleration_go_on_across_the_borders(ready: dict[str, Relock], clip: str, joint: str) -> None:
    """Of the change against the retarget: at a border it has hardly begun, and its acceleration steps from frame to
    frame by about what the layer's own curve does, though a leg may turn two degrees for one that was asked."""
    relocks, base = ready[clip], ready[clip].retarget
    layers = one(clip, joint, 10.0)
    result = relocks.solve(layers).retarget
    change = relocks._kinematics.difference(base.qpos, result.qpos)[:, 6:]
    asked = with_layers(base.qpos, base.joints, base.motion.times, layers)[:, 7:] - base.qpos[:, 7:]
    frames = np.flatnonzero(inside(base, layers))
    steps, own = (np.abs(np.diff(values, n=3, axis=0)).max(axis=1) for values in (change, asked))
    for border in (frames[0], frames[-1]):
        assert np.abs(change[border]).max() < 0.05 * np.abs(change).max()
        assert steps[border - 3 : border + 1].max() < 3 * own.max()
    assert np.degrees(np.abs(np.diff(change, n=2, axis=0)).max()) < 1.0, "deg per frame^2"


def test_equal_layers_make_equal_bytes_whatever_was_solved_before(ready: dict[str, Relock]) -> None:
    base, rng = ready["kick"].retarget, np.random.default_rng(11)
    wishes = [made_layers(rng, base.joints, base.start_s, 1.5) for _ in range(4)]
    busy = [ready["kick"].solve(layers).retarget.qpos.tobytes() for layers in (*wishes, *wishes)]
    assert busy[:4] == busy[4:]
    assert busy[2] == relock(base, wishes[2], FIGHTER).qpos.tobytes()


def test_a_layer_that_nobody_touched_is_not_solved_again(ready: dict[str, Relock], monkeypatch) -> None:
    from studio.domain.layers import relock as module

    fresh, solved = Relock(ready["knee"].retarget, FIGHTER), []
    solve = module.solve
    monkeypatch.setattr(
        module, "solve", lambda kinematics, start, *rest, **more: (
            solved.append(len(start)), solve(kinematics, start, *rest, **more)
        )[1],
    )  # fmt: skip
    first = Layer("first", "knee_r", 0.6, 0.9, (Knot(0.75, 0.1),))
    second = Layer("second", "elbow_l", 1.5, 1.8, (Knot(1.65, 0.1),))
    fresh.solve(Layers((first, second)))
    assert len(solved) == 2
    fresh.solve(Layers((first, dataclasses.replace(second, knots=(Knot(1.65, 0.2),)))))
    fresh.solve(Layers((dataclasses.replace(first, name="renamed", on=False), second)))
    assert len(solved) == 3
    both = Layers((first, dataclasses.replace(second, start_s=0.8, end_s=1.0, knots=(Knot(0.9, 0.1),))))
    fresh.solve(both)
    assert solved[3] > solved[0], "windows that overlap are one piece"


def test_progress_is_told_and_a_hurried_solve_keeps_the_limits(ready: dict[str, Relock]) -> None:
    base = ready["kick"].retarget
    fresh, told = Relock(base, FIGHTER), []
    result: Relocked = fresh.solve(one("kick", "hip_pitch_l", 25.0), told.append, lambda: True)
    assert not result.settled and told == [1.0]
    kinematics = fresh._kinematics
    assert (result.retarget.qpos[:, 7:] <= kinematics.high).all()
    plain = with_layers(base.qpos, base.joints, base.motion.times, one("kick", "hip_pitch_l", 25.0))
    assert soles(fresh, result.retarget.qpos)["slide_peak_mm"] < 0.5 * soles(fresh, plain)["slide_peak_mm"]
    again = fresh.solve(one("kick", "hip_pitch_l", 25.0))
    assert again.settled and (again.retarget.qpos != result.retarget.qpos).any(), "what was hurried is not remembered"


def test_a_motion_of_another_body_is_refused(ready: dict[str, Relock]) -> None:
    with pytest.raises(StudioError, match="another fighter"):
        relock(ready["knee"].retarget, Layers(), dataclasses.replace(FIGHTER, stature=1.7))
