"""The learner on a small host."""

import numpy as np
import pytest
import torch
from factories import raise_scene

from remote_agent.host.host import Host
from remote_agent.rewards.recipe import make_recipe
from remote_agent.train.ppo import Learner
from remote_agent.train.settings import Settings, make_settings, read_toml
from studio.schema.resources import resource
from studio.schema.training import TeacherSpec

TINY = {"envs": 8, "steps": 6, "minibatches": 2, "iterations": 4, "hidden": [16, 8], "evaluation_seeds": [200]}


def make_learner(**more: object) -> tuple[Learner, Settings]:
    settings = make_settings(TeacherSpec("raise-l", "quick", 1, "", {**TINY, **more}))
    recipe = make_recipe(read_toml(resource("rewards", "strike.toml")), "foot_l")
    host = Host(raise_scene(), recipe, settings.host(settings.envs), np.random.default_rng(1))
    return Learner(host, settings, 1), settings


def weights(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in learner.actor.named_parameters()}


def test_a_twin_without_a_rate_only_moves_its_normaliser() -> None:
    learner, _ = make_learner(learning_rate=0.0)
    before, mean = weights(learner), learner.actor.obs_normalizer._mean.clone()  # type: ignore[union-attr,operator]
    figures = [learner.iterate(i) for i in range(2)]
    assert all(torch.equal(before[name], p) for name, p in weights(learner).items())
    assert not torch.equal(mean, learner.actor.obs_normalizer._mean)  # type: ignore[arg-type]
    assert [f["learning_rate"] for f in figures] == [0.0, 0.0]


def test_it_explores_as_ordered_and_learns() -> None:
    learner, settings = make_learner(calm_from=0.5)
    before = weights(learner)
    figures = [learner.iterate(i) for i in range(4)]
    assert [f["std"] for f in figures] == pytest.approx([settings.std(i) for i in range(4)], rel=1e-5)
    assert figures[0]["std"] == pytest.approx(0.12) and figures[-1]["std"] == pytest.approx(0.05)
    assert all(not torch.equal(before[name], p) for name, p in weights(learner).items())
    assert learner.is_finite()
