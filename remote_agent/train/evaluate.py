"""The deterministic evaluation of a policy: fixed seeds, mean actions, air and bag, centre and grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from remote_agent.host.host import Host
from remote_agent.rewards.recipe import Recipe
from remote_agent.train.settings import Settings
from studio.domain.gates.rollout import Scene
from studio.domain.policy.reference import Reference


@dataclass(frozen=True)
class Evaluation:
    """Means over the fixed episodes. ``reward_sum``: until the episode ends (fall, or the body farther than the limit).
    ``tracking_error_m``: over all steps of the clip and the hold, at most ``error_limit`` each, so that a fall counts
    in full. ``survival``: share of episodes that reach the end. ``nearest_cm`` and ``impulse_ns``: medians, impulse of
    those with the bag; None where nothing strikes. ``episodes`` their number."""

    iteration: int
    reward_sum: float
    tracking_error_m: float
    survival: float
    nearest_cm: float | None
    impulse_ns: float | None
    episodes: int


def evaluate(
    scene: Scene, recipe: Recipe, settings: Settings, act: Callable[[np.ndarray], np.ndarray], iteration: int
) -> Evaluation:
    """Play every evaluation seed in the air and with the bag, at the centre and at one place of the grid; where nothing
    strikes, in the air alone."""
    seeds, with_bag, uv = fixed_episodes(settings.evaluation_seeds, scene.reference)
    host = Host(scene, recipe, settings.host(len(seeds)), np.random.default_rng(0))
    try:
        host.fix(seeds, with_bag, uv)
        alive = np.ones(len(seeds), bool)
        rewards, errors = np.zeros(len(seeds)), np.zeros(len(seeds))
        for _ in range(host.steps):
            outcome = host.step(act(host.observe()))
            rewards += np.where(alive, outcome.reward, 0.0)
            capped = np.minimum(np.nan_to_num(outcome.error, nan=settings.error_limit), settings.error_limit)
            alive &= ~outcome.over | outcome.timed_out
            errors += np.where(alive, capped, settings.error_limit)
        e, strikes = host.episodes, scene.reference.strikes
        return Evaluation(
            iteration, float(rewards.mean()), float(errors.mean() / host.steps), float(alive.mean()),
            float(100 * np.median(e.nearest)) if strikes else None,
            float(np.median(e.impulse[with_bag])) if strikes else None, len(seeds),
        )  # fmt: skip
    finally:
        host.close()


def fixed_episodes(seeds: tuple[int, ...], reference: Reference) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Seeds, bag and target of each episode: every seed in both conditions, at the centre and elsewhere; once where
    nothing strikes."""
    if not reference.strikes:
        return np.array(seeds), np.zeros(len(seeds), bool), np.zeros((len(seeds), 2))
    elsewhere = np.array([np.random.default_rng(seed).uniform(-1, 1, 2) for seed in seeds]) * reference.reach
    uv = np.concatenate([np.zeros_like(elsewhere), elsewhere])
    places = len(uv)
    with_bag = np.repeat([False, True], places)
    return np.tile(seeds, 4), with_bag, np.concatenate([uv, uv])
