"""The solver's promises: hard limits, a cost that never rises, exact gradients, minima that are known."""

from __future__ import annotations

import numpy as np
import pytest

from studio.domain.body.build import build
from studio.domain.body.load import load_body
from studio.domain.fit import residuals as wishes
from studio.domain.fit.kinematics import Kinematics
from studio.domain.fit.solver import Clip, Normal, Options, solve

FRAMES = 6


@pytest.fixture(scope="module")
def kinematics() -> Kinematics:
    return Kinematics(build(load_body("fighter"), floor=False).compile())


@pytest.fixture(scope="module")
def start(kinematics: Kinematics) -> np.ndarray:
    tangent = np.random.default_rng(0).normal(0, 0.2, (FRAMES, kinematics.model.nv))
    return kinematics.integrate(np.tile(kinematics.model.qpos0, (FRAMES, 1)), tangent)


def _wishes(kinematics: Kinematics, start: np.ndarray) -> list:
    rng = np.random.default_rng(1)
    nv = kinematics.model.nv
    sites = kinematics.site_ids(["LWrist", "heel_r", "Nose"])
    information = np.eye(3) * rng.uniform(0.2, 1, (FRAMES, 3, 1, 1))
    near = kinematics.integrate(start, rng.normal(0, 0.05, (FRAMES, nv)))
    bodies = kinematics.body_ids(["chest", "foot_l"])
    places = kinematics.forward(near).site[:, sites]
    return [
        wishes.Markers(sites, places, information, 0.06),
        wishes.Places(sites, places, rng.uniform(0, 1, (FRAMES, 3, 3))),
        wishes.Floor(sites, 3.0, 1.2),
        wishes.Orientations(bodies, kinematics.forward(near).rotation[:, bodies], np.ones((FRAMES, 2))),
        wishes.CentreOfMass(rng.normal(0, 1, (FRAMES, 3)), np.ones((FRAMES, 3))),
        wishes.Limits(0.3, 2.0),
    ]


def test_slopes_are_the_costs_own(kinematics: Kinematics, start: np.ndarray) -> None:
    dofs = np.arange(kinematics.model.nv)
    way = np.random.default_rng(2).normal(0, 1, (FRAMES, kinematics.model.nv))
    for wish in _wishes(kinematics, start):
        normal = Normal(FRAMES, len(dofs))
        cost = wish.evaluate(Clip(kinematics, start, kinematics.forward(start), dofs), normal)
        ends = [kinematics.integrate(start, way * h) for h in (1e-5, -1e-5)]
        plus, minus = (wish.evaluate(Clip(kinematics, q, kinematics.forward(q), dofs), None) for q in ends)
        assert cost > 0, wish
        assert (plus - minus) / 2e-5 == pytest.approx(-2 * np.sum(normal.slope * way), rel=1e-4), wish


def test_smoothness_slopes_are_exact_where_the_root_keeps_its_heading(
    kinematics: Kinematics, start: np.ndarray
) -> None:
    still = start.copy()
    still[:, 3:7] = [1, 0, 0, 0]
    dofs = np.r_[0:3, 6 : kinematics.model.nv]
    weights = np.random.default_rng(3).uniform(0, 1, kinematics.model.nv)
    way = np.zeros((FRAMES, kinematics.model.nv))
    way[:, dofs] = np.random.default_rng(4).normal(0, 1, (FRAMES, len(dofs)))
    for wish in (wishes.Acceleration(weights), wishes.Deviation(still[::-1].copy(), weights, weights)):
        normal = Normal(FRAMES, len(dofs))
        wish.evaluate(Clip(kinematics, still, kinematics.forward(still), dofs), normal)
        ends = [kinematics.integrate(still, way * h) for h in (1e-5, -1e-5)]
        plus, minus = (wish.evaluate(Clip(kinematics, q, kinematics.forward(q), dofs), None) for q in ends)
        assert (plus - minus) / 2e-5 == pytest.approx(-2 * np.sum(normal.slope * way[:, dofs]), rel=1e-4)


def test_the_bend_of_the_cost_is_the_couplings(kinematics: Kinematics, start: np.ndarray) -> None:
    """Second differences of a quadratic cost equal the banded matrix that the solver factorises."""
    dofs = np.array([0, 8, 30])
    weights = np.ones(kinematics.model.nv)
    wish, normal = wishes.Acceleration(weights), Normal(FRAMES, 3)
    wish.evaluate(Clip(kinematics, start, kinematics.forward(start), dofs), normal)
    second = np.diff(np.eye(FRAMES), n=2, axis=0)
    dense = second.T @ second
    assert normal.matrix[:, 1, 1] == pytest.approx(np.diag(dense))
    assert normal.next[:, 1] == pytest.approx(np.diag(dense, 1))
    assert normal.second[:, 1] == pytest.approx(np.diag(dense, 2))


def test_a_reachable_place_is_reached_and_the_cost_falls(kinematics: Kinematics, start: np.ndarray) -> None:
    sites = kinematics.site_ids(["RWrist"])
    goal = kinematics.forward(start).site[:, sites] + [0.05, 0.0, 0.05]
    seen: list[float] = []
    weak = np.full(kinematics.model.nv, 1e-3)
    found = solve(
        kinematics, start,
        [wishes.Places(sites, goal, np.full(goal.shape, 1e3)), wishes.Deviation(start, weak)],
        Options(30, 1e-6), on_progress=seen.append,
    )  # fmt: skip
    assert np.linalg.norm(kinematics.forward(found.qpos).site[:, sites] - goal, axis=-1).max() < 1e-3
    assert found.cost < 1e3 * np.sum((kinematics.forward(start).site[:, sites] - goal) ** 2)
    assert seen == sorted(seen) and 0 < seen[-1] <= 1


def test_limits_hold_where_every_wish_points_beyond_them(kinematics: Kinematics, start: np.ndarray) -> None:
    rng = np.random.default_rng(5)
    wild = kinematics.integrate(start, rng.normal(0, 3.0, (FRAMES, kinematics.model.nv)))
    sites = kinematics.site_ids(["RWrist", "LBigToe", "Head"])
    far = rng.normal(0, 5.0, (FRAMES, 3, 3))
    found = solve(
        kinematics,
        wild,
        [wishes.Places(sites, far, np.ones(far.shape)), wishes.Acceleration(np.ones(kinematics.model.nv))],
    )
    assert np.all(found.qpos[:, 7:] >= kinematics.low) and np.all(found.qpos[:, 7:] <= kinematics.high)
    assert np.any(np.isclose(found.qpos[:, 7:], kinematics.low) | np.isclose(found.qpos[:, 7:], kinematics.high))


def test_a_held_joint_does_not_stop_the_others(kinematics: Kinematics) -> None:
    """A knee asked to bend backwards stays straight while the hip does what it can."""
    qpos = kinematics.model.qpos0[None].copy()
    site = kinematics.site_ids(["RAnkle"])
    goal = kinematics.forward(qpos).site[:, site] + [0.3, 0.0, 0.0]
    locked = np.ones(kinematics.model.nv, dtype=bool)
    free = [6 + kinematics.joints.index(n) for n in ("hip_pitch_r", "knee_r")]
    locked[free] = False
    found = solve(kinematics, qpos, [wishes.Places(site, goal, np.ones(goal.shape))], Options(60, 1e-9), locked=locked)
    assert found.qpos[0, 1 + free[1]] == pytest.approx(0.0, abs=1e-6)
    hip = kinematics.forward(found.qpos).body[0, kinematics.body_ids(["thigh_r"])[0]]
    angle = np.arctan2(goal[0, 0, 0] - hip[0], hip[2] - goal[0, 0, 2])
    assert found.qpos[0, 1 + free[0]] == pytest.approx(-angle, abs=1e-3), "the straight leg points at the goal"


def test_locked_degrees_of_freedom_stay(kinematics: Kinematics, start: np.ndarray) -> None:
    locked = np.zeros(kinematics.model.nv, dtype=bool)
    locked[:6] = True
    sites = kinematics.site_ids(["RWrist"])
    goal = np.zeros((FRAMES, 1, 3))
    clipped = start.copy()
    clipped[:, 7:] = np.clip(start[:, 7:], kinematics.low, kinematics.high)
    found = solve(kinematics, clipped, [wishes.Places(sites, goal, np.ones(goal.shape))], locked=locked)
    assert found.qpos[:, :7] == pytest.approx(clipped[:, :7])
    assert np.abs(found.qpos[:, 7:] - clipped[:, 7:]).max() > 0.1


def test_a_start_that_is_not_a_number_is_refused(kinematics: Kinematics, start: np.ndarray) -> None:
    broken = start.copy()
    broken[2, 9] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        solve(kinematics, broken, [wishes.Limits(0.1, 1.0)])
