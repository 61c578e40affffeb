"""Rewards and their recipe."""

from dataclasses import replace

import numpy as np
import pytest
from factories import raise_scene

from remote_agent.rewards.hit import hit
from remote_agent.rewards.impulse import impulse
from remote_agent.rewards.recipe import TERMS, make_recipe
from remote_agent.rewards.step import Step
from remote_agent.rewards.striker_path import striker_path
from remote_agent.train.settings import read_toml
from studio.domain.gates.sensors import sensor_map
from studio.schema.errors import StudioError
from studio.schema.resources import resource

SCENE = raise_scene()
PLAIN = read_toml(resource("rewards", "strike.toml"))


def perfect(number: int, count: int = 2) -> Step:
    """He does exactly what the reference does, quietly."""
    reference = SCENE.reference
    index, weight = reference.weights(np.zeros((count, 2)))
    now, after = (reference.rows(index, weight, np.full(count, k)) for k in (number, number + 1))
    sensors = np.zeros((count, SCENE.model.nsensordata))
    where = sensor_map(SCENE.model)
    sensors[:, where.fighter] = now.sensors
    zero = np.zeros((count, 26))
    return Step(
        np.full(count, number), np.zeros(count, int), sensors, now, after.q, after.qd, after, zero, zero,
        np.zeros(count), np.full(count, 5.0), np.full(count, 30.0), np.array([False, True]), reference, where,
    )  # fmt: skip


def test_perfection_is_paid_in_full() -> None:
    parts = make_recipe(PLAIN, "foot_l").parts(perfect(10))
    for name in ("body_places", "joint_angles", "trunk_axes", "balance", "joint_speeds"):
        assert parts[name] == pytest.approx(PLAIN[name]["weight"])
    for name in ("hit", "impulse", "striker_path", "action_change", "action_size"):
        assert parts[name] == pytest.approx(0.0)


def test_the_strike_is_paid_once() -> None:
    impact = SCENE.reference.impact_step
    paid = [hit(perfect(k), 0.05)[0] for k in range(impact - 10, impact + 15)]
    assert sum(p > 0 for p in paid) == 1 and max(paid) == pytest.approx(1.0)
    given = [impulse(perfect(k), 20.0) for k in range(impact - 10, impact + 15)]
    assert np.sum(given, axis=0).tolist() == [0.0, 1.0]
    late = replace(perfect(impact + 4), began=np.full(2, impact))
    assert hit(late, 0.05).tolist() == [0.0, 0.0]
    path = [striker_path(perfect(k), 0.08, 0.28)[0] for k in range(impact - 20, impact + 5)]
    assert sum(p > 0.99 for p in path) == 15


def test_farther_is_paid_less() -> None:
    step = perfect(20)
    off = replace(step, sensors=step.sensors + 0.1, q=step.q + 0.2, qd=step.qd + 1.0)
    good, bad = (make_recipe(PLAIN, "foot_l").parts(s) for s in (step, off))
    for name in ("body_places", "joint_angles", "trunk_axes", "balance", "joint_speeds"):
        assert (bad[name] < 0.9 * good[name]).all()


def test_what_is_not_a_number_is_worth_nothing() -> None:
    step = perfect(20)
    broken = replace(step, sensors=np.full_like(step.sensors, np.nan))
    assert make_recipe(PLAIN, "foot_l").total(broken).tolist() == [0.0, 0.0]


def test_every_striker_has_its_full_impulse() -> None:
    for striker in ("knee_r", "shin_l", "foot_r", "fist_l", "elbow_r"):
        terms = {name: more for name, _, more in make_recipe(PLAIN, striker).terms}
        assert terms["impulse"]["full"] >= 10 and set(terms) == set(TERMS)


@pytest.mark.parametrize(
    ("plain", "why"),
    [
        ({"luck": {"weight": 1}}, "no term luck"),
        ({"hit": {"weight": 1}}, "hit needs sigma, weight"),
        ({"hit": {"weight": 1, "sigma": 1, "more": 2}}, "hit needs"),
        ({"impulse": {"weight": 1, "full": {"knee": 3}}}, "not a number for a foot"),
        ({"hit": {"weight": float("inf"), "sigma": 1}}, "not a number"),
    ],
)
def test_wrong_recipes_are_refused(plain: dict, why: str) -> None:
    with pytest.raises(StudioError, match=why):
        make_recipe(plain, "foot_l")
