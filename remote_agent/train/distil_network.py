"""The networks of a distillation in torch: teachers rebuilt from their weights, and the student that learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from rsl_rl.models import MLPModel
from tensordict import TensorDict

from studio.domain.policy.network import Weights
from studio.domain.policy.observation import ACTION_LIMIT, ObservationLayout

GROUPS = {"actor": ["policy"]}
FIRST_OUTPUT = 0.01
"""The last layer starts this small: the untrained student is the reference's own control, as the untrained teacher."""
LARGEST_GRADIENT = 1.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Moments of one skill to learn from: ``seen`` (M, D), what its teacher does there ``wanted`` (M, n), and the
    teacher's ``spread`` (n,)."""

    seen: np.ndarray
    wanted: np.ndarray
    spread: np.ndarray


class Teacher:
    """A checked snapshot's network."""

    def __init__(self, weights: Weights) -> None:
        self._mean, self._scale = torch.from_numpy(weights.mean), torch.from_numpy(weights.scale)
        self._layers = [(torch.from_numpy(matrix), torch.from_numpy(bias)) for matrix, bias in weights.layers]

    def act(self, observation: np.ndarray) -> np.ndarray:
        """Mean actions (N, n) for observations (N, D), as far as the servos hear them."""
        with torch.inference_mode():
            h = (torch.from_numpy(observation) - self._mean) / self._scale
            for number, (matrix, bias) in enumerate(self._layers):
                h = torch.nn.functional.elu(h) if number else h
                h = torch.nn.functional.linear(h, matrix, bias)
            return h.clamp(-ACTION_LIMIT, ACTION_LIMIT).numpy()


class Student:
    """The network that takes over all skills: of the teachers' own size, so that the layouts stay equal; a second
    technique costs it little, since the slots in the observation tell the skills apart (the errors say whether it was
    enough). Deterministic for a seed with one torch thread."""

    def __init__(self, layout: ObservationLayout, seed: int, rate: float) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        example = _tensors(np.zeros((1, layout.size), np.float32))
        self.actor = MLPModel(example, GROUPS, "actor", len(layout.joints), list(layout.hidden), "elu", True)
        last = [layer for layer in self.actor.mlp if isinstance(layer, torch.nn.Linear)][-1]
        with torch.no_grad():
            last.weight.mul_(FIRST_OUTPUT)
            last.bias.zero_()
        self._optimizer = torch.optim.Adam(self.actor.parameters(), lr=rate)

    def act(self, observation: np.ndarray) -> np.ndarray:
        """Actions (N, n) for observations (N, D), as far as the servos hear them."""
        with torch.inference_mode():
            return self.actor(_tensors(observation)).clamp(-ACTION_LIMIT, ACTION_LIMIT).numpy()

    def get_used_to(self, observation: np.ndarray) -> None:
        """Let the observation normaliser take in (N, D)."""
        self.actor.train()
        self.actor.update_normalization(_tensors(observation))

    def learn(self, batches: Sequence[Batch], rate: float) -> float:
        """One step towards the teachers on batches of their skills; the mean loss.

        The loss is the error in units of the teacher's spread, per skill and joint, since what keeps a stance are
        actions a hundred times smaller than those that throw a knee; squared near zero and linear beyond 1 (Huber), so
        that the few moments before a fall do not outweigh all others.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        seen, wanted, spread = (
            torch.from_numpy(np.concatenate(parts))
            for parts in zip(*((b.seen, b.wanted, np.tile(b.spread, (len(b.seen), 1))) for b in batches), strict=True)
        )
        error = (self.actor(_tensors(seen)) - wanted) / spread
        loss = torch.nn.functional.smooth_l1_loss(error, torch.zeros_like(error))
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.actor.parameters(), LARGEST_GRADIENT)
        self._optimizer.step()
        return float(loss.detach())

    def is_finite(self) -> bool:
        """Whether all parameters are numbers."""
        return all(bool(torch.isfinite(p).all()) for p in self.actor.parameters())


def _tensors(observation: np.ndarray | torch.Tensor) -> TensorDict:
    seen = observation if isinstance(observation, torch.Tensor) else torch.from_numpy(observation)
    return TensorDict({"policy": seen}, batch_size=[len(seen)])
