"""What leaves the training is what was trained."""

import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from factories import raise_scene
from safetensors.torch import load_file

from remote_agent.host.host import Host
from remote_agent.rewards.recipe import make_recipe
from remote_agent.train.export import write_snapshot
from remote_agent.train.ppo import Learner
from remote_agent.train.settings import make_settings
from studio.domain.policy.network import open_policy
from studio.domain.policy.observation import PolicyCard, Skill
from studio.schema.training import TeacherSpec

SCENE = raise_scene()


def learned(iterations: int = 1) -> tuple[Learner, Host]:
    settings = make_settings(TeacherSpec("raise-l", "quick", 1, "", {"envs": 16, "steps": 8, "minibatches": 2}))
    recipe = make_recipe({"body_places": {"weight": 1.0, "sigma": 0.15}}, "foot_l")
    host = Host(SCENE, recipe, settings.host(16), np.random.default_rng(1))
    learner = Learner(host, settings, 1)
    for i in range(iterations):
        learner.iterate(i)
    return learner, host


def test_torch_and_onnx_act_alike_and_all_files_agree(tmp_path: Path) -> None:
    learner, host = learned()
    card = PolicyCard((Skill("raise-l", 1, "foot_l"),), 1, SCENE.layout)
    path = write_snapshot(tmp_path, learner.actor, card, {"seed": "1"})
    for _ in range(3):
        host.step(np.random.default_rng(0).normal(size=(16, 26)))
    seen = np.concatenate([host.observe(), np.random.default_rng(1).normal(size=(34, SCENE.layout.size))])
    seen = seen.astype(np.float32)
    policy = open_policy(path)
    assert policy.card == card
    assert len(seen) == 50
    assert np.abs(policy.act(seen) - learner.act(seen)).max() < 1e-5
    manifest = json.loads((tmp_path / "iter-000001.manifest.json").read_text())
    assert len(manifest["sha256"]) == 3
    for name, sha in manifest["sha256"].items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == sha
    weights = load_file(tmp_path / "iter-000001.safetensors")
    assert torch.equal(weights["mlp.0.weight"], learner.actor.state_dict()["mlp.0.weight"])
    layout = json.loads((tmp_path / "iter-000001.observation.json").read_text())["layout"]
    assert sum(size for _, size in layout["parts"]) == SCENE.layout.size
    host.close()


def test_the_untrained_policy_is_almost_the_reference_and_learning_moves_it() -> None:
    (fresh, first), (trained, second) = learned(0), learned(2)
    seen = first.observe()
    assert np.abs(fresh.act(seen)).max() < 0.1
    assert np.abs(trained.act(seen) - fresh.act(seen)).max() > 1e-3
    assert trained.is_finite()
    with torch.no_grad():
        next(trained.actor.mlp.parameters())[0, 0] = float("nan")
    assert not trained.is_finite()
    first.close()
    second.close()
