"""PPO on a host: rsl_rl's algorithm, model and storage, one iteration at a time."""

from __future__ import annotations

import math

import numpy as np
import torch
from rsl_rl.algorithms import PPO
from rsl_rl.models import MLPModel
from rsl_rl.storage import RolloutStorage
from tensordict import TensorDict

from remote_agent.host.host import Host
from remote_agent.train.settings import Settings

GROUPS = {"actor": ["policy"], "critic": ["policy"]}
FIRST_OUTPUT = 0.01
"""The actor's last layer starts this small: the untrained policy is the reference's own control."""


class Learner:
    """A policy that learns on a host. Deterministic for a seed with one torch thread."""

    def __init__(self, host: Host, settings: Settings, seed: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self._host, self._settings = host, settings
        self._seen = _tensors(host.observe())
        actions = len(host.reference.joints)
        gaussian = {
            "class_name": "GaussianDistribution", "init_std": settings.std(0), "std_type": "log", "learn_std": False,
        }  # fmt: skip
        self.actor = MLPModel(
            self._seen, GROUPS, "actor", actions, list(settings.hidden), "elu", True, distribution_cfg=gaussian
        )
        critic = MLPModel(self._seen, GROUPS, "critic", 1, list(settings.hidden), "elu", True)
        _shrink_last(self.actor)
        storage = RolloutStorage("rl", settings.envs, settings.steps, self._seen, [actions], "cpu")
        self._ppo = PPO(
            self.actor, critic, storage, settings.epochs, settings.minibatches, settings.clip, settings.gamma,
            settings.lam, entropy_coef=0.0, learning_rate=settings.rate(0), schedule="fixed", device="cpu",
        )  # fmt: skip
        self._ppo.train_mode()

    @property
    def std(self) -> float:
        """Mean standard deviation of the exploration."""
        return float(self.actor.output_std.detach().mean())

    def iterate(self, iteration: int) -> dict[str, float]:
        """Collect ``steps`` per fighter and learn from them; figures of the iteration."""
        rate = self._settings.rate(iteration)
        self._set_rate(rate)
        self._set_std(self._settings.std(iteration))
        rewards, ended, failed = 0.0, 0, 0
        with torch.inference_mode():
            for _ in range(self._settings.steps):
                action = self._ppo.act(self._seen)
                outcome = self._host.step(action.numpy())
                self._seen = _tensors(outcome.observation)
                time_outs = torch.from_numpy(outcome.timed_out.astype(np.float32))
                self._ppo.process_env_step(
                    self._seen,
                    torch.from_numpy(outcome.reward.astype(np.float32)),
                    torch.from_numpy(outcome.over.astype(np.float32)),
                    {"time_outs": time_outs},
                )
                rewards += float(outcome.reward.mean())
                ended += int(outcome.over.sum())
                failed += int((outcome.over & ~outcome.timed_out).sum())
            self._ppo.compute_returns(self._seen)
        if rate > 0:
            losses = self._ppo.update()
        else:
            losses = {"value": 0.0}
            self._ppo.storage.clear()
        return {
            "reward": rewards / self._settings.steps,
            "failed_share": failed / max(ended, 1),
            "value_loss": float(losses["value"]),
            "std": self.std,
            "learning_rate": rate,
        }

    def act(self, observation: np.ndarray) -> np.ndarray:
        """Mean actions (N, n) for observations (N, D); the normaliser does not learn from them."""
        with torch.inference_mode():
            return self.actor(_tensors(observation)).numpy()

    def is_finite(self) -> bool:
        """Whether all parameters are numbers."""
        return all(bool(torch.isfinite(p).all()) for p in self.actor.parameters())

    def _set_rate(self, rate: float) -> None:
        self._ppo.learning_rate = rate
        for group in self._ppo.optimizer.param_groups:
            group["lr"] = rate

    def _set_std(self, std: float) -> None:
        with torch.no_grad():
            self.actor.distribution.log_std_param.fill_(math.log(std))  # type: ignore[union-attr,operator]


def _tensors(observation: np.ndarray) -> TensorDict:
    return TensorDict({"policy": torch.from_numpy(observation)}, batch_size=[len(observation)])


def _shrink_last(actor: MLPModel) -> None:
    last = [layer for layer in actor.mlp if isinstance(layer, torch.nn.Linear)][-1]
    with torch.no_grad():
        last.weight.mul_(FIRST_OUTPUT)
        last.bias.zero_()
