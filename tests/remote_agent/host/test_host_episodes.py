"""How the host begins, ends and rewards episodes."""

import numpy as np
from factories import raise_scene

from remote_agent.host.host import CLEAR_AFTER, CLEAR_BEFORE, Host, HostSettings
from remote_agent.rewards.recipe import make_recipe
from remote_agent.train.settings import read_toml
from studio.schema.resources import resource

SCENE = raise_scene(9)
RECIPE = make_recipe(read_toml(resource("rewards", "strike.toml")), "foot_l")


def make_host(envs: int, seed: int = 1, **more: float) -> Host:
    return Host(SCENE, RECIPE, HostSettings(envs, 2, **more), np.random.default_rng(seed))  # type: ignore[arg-type]


def test_starts_are_spread_and_never_inside_the_bag() -> None:
    host = make_host(400)
    e, impact = host.episodes, SCENE.reference.impact_step
    assert 0.4 < e.with_bag.mean() < 0.6
    assert 0.2 < (e.number == 0).mean() < 0.45
    at = e.number[e.with_bag]
    assert not ((at > impact - CLEAR_BEFORE) & (at < impact + CLEAR_AFTER)).any()
    assert np.abs(e.uv).max() <= 1 and e.uv.std() > 0.4
    assert e.target.std(axis=0).max() > 0.02
    host.close()


def test_a_fallen_man_is_put_back_and_time_is_no_failure() -> None:
    host = make_host(64, rsi_share=1.0)
    failed = timed_out = 0
    for _ in range(120):
        before = host.episodes.number.copy()
        outcome = host.step(np.zeros((64, 26)))
        over = outcome.over
        assert not (outcome.timed_out & ~over).any()
        assert (host.episodes.number[~over] == before[~over] + 1).all()
        assert (host.episodes.number[over] < SCENE.reference.clip_steps).all()
        assert np.isfinite(outcome.observation).all() and np.isfinite(outcome.reward).all()
        failed += int((over & ~outcome.timed_out).sum())
        timed_out += int(outcome.timed_out.sum())
    assert failed > 0 and timed_out > 0
    host.close()


def test_tracking_pays_and_shaking_costs() -> None:
    rewards = []
    for scale in (0.0, 4.0):
        host = make_host(32, rsi_share=0.0)
        total = 0.0
        for k in range(10):
            action = scale * np.random.default_rng(k).choice([-1.0, 1.0], (32, 26))
            total += host.step(action).reward.mean()
        rewards.append(total / 10)
        host.close()
    assert rewards[0] > 0.6
    assert rewards[1] < rewards[0] - 0.2


def test_equal_seeds_give_equal_worlds() -> None:
    first, second, other = make_host(8, seed=4), make_host(8, seed=4), make_host(8, seed=5)
    assert np.array_equal(first.state[0], second.state[0])
    assert not np.array_equal(first.state[0], other.state[0])
    for host in (first, second, other):
        host.close()
