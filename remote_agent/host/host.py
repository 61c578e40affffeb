"""The training task on this computer: N fighters practise one table, with rewards, ends and new starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from remote_agent.host.batch import Batch
from remote_agent.host.episodes import Episodes
from remote_agent.rewards.recipe import Recipe
from remote_agent.rewards.step import Step
from studio.domain.gates.rollout import Scene
from studio.domain.gates.sensors import sensor_map
from studio.domain.gates.start import noisy_start
from studio.domain.gates.strike import body_errors, has_fallen
from studio.domain.policy.observation import ACTION_LIMIT, Moment, observe, servo_targets
from studio.domain.policy.reference import CONTROL_HZ, Rows

CLEAR_BEFORE, CLEAR_AFTER = 10, 22
"""Control steps around the impact in which an episode with the bag may not begin: the limb would start inside it."""
LAST_START = 5


@dataclass(frozen=True)
class HostSettings:
    """``bag_share`` of episodes with the bag (none where nothing strikes), ``rsi_share`` that begin inside the clip
    (reference state initialisation, Peng et al. 2018), ``noise`` of starts, ``error_limit`` (m) of the mean body error
    that ends an episode, ``hold_s`` after the clip."""

    envs: int
    threads: int
    bag_share: float = 0.5
    rsi_share: float = 0.7
    noise: float = 1.0
    error_limit: float = 0.3
    hold_s: float = 0.4


@dataclass(frozen=True, eq=False)
class Outcome:
    """Of one control step, (N, ...) each. ``over``: this episode ended; ``timed_out``: because its time was up.
    ``error`` (N,) m mean body error."""

    observation: np.ndarray
    reward: np.ndarray
    over: np.ndarray
    timed_out: np.ndarray
    error: np.ndarray


class Host:
    """N fighters whose episodes begin anew by ``generator``; after :meth:`fix` they are fixed and play once."""

    def __init__(
        self,
        scene: Scene,
        recipe: Recipe,
        settings: HostSettings,
        generator: np.random.Generator,
    ) -> None:
        model, reference, self.layout = scene.model, scene.reference, scene.layout
        self.reference, self.slot = reference, scene.slot
        self.recipe, self.settings, self.where = recipe, settings, sensor_map(model)
        self.steps = min(reference.clip_steps + round(settings.hold_s * CONTROL_HZ), reference.steps)
        self._batch = Batch(model, settings.envs, settings.threads)
        self._generator = generator
        self._q, self._v = 7 + len(reference.joints), 6 + len(reference.joints)
        self.episodes = Episodes.empty(settings.envs, len(reference.joints))
        self._fixed = False
        self._begin(np.arange(settings.envs))
        self._rows = self._reference_rows()

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """qpos (N, nq) and qvel (N, nv) of the worlds, copied."""
        return self._batch.qpos.copy(), self._batch.qvel.copy()

    def fix(self, seeds: np.ndarray, with_bag: np.ndarray, uv: np.ndarray) -> None:
        """Begin one fixed episode per fighter; none is put back when it ends."""
        self._fixed = True
        everyone = np.arange(self.settings.envs)
        self.episodes.begin(everyone, self.reference, uv=uv, with_bag=with_bag, at=np.zeros(len(everyone), int))
        rows = self._reference_rows()
        starts = [
            noisy_start(_only(rows, i), np.random.default_rng(int(seed)), self.settings.noise)
            for i, seed in enumerate(seeds)
        ]
        self._put(everyone, np.concatenate([q for q, _ in starts]), np.concatenate([v for _, v in starts]))
        self._rows = rows

    def observe(self) -> np.ndarray:
        """(N, size) float32."""
        e = self.episodes
        q, v = self._batch.qpos[:, : self._q], self._batch.qvel[:, : self._v]
        moment = Moment(q, v, self._rows, e.target, e.uv, e.last_action, e.number)
        return observe(self.layout, self.reference, self.slot, moment)

    def step(self, action: np.ndarray) -> Outcome:
        """Apply actions (N, n) for one control step."""
        e, rows = self.episodes, self._rows
        action = np.clip(action.astype(float), -ACTION_LIMIT, ACTION_LIMIT)
        sensors = self._batch.advance(servo_targets(self.layout, rows, action))
        e.watch_strike(self.reference, self.where, sensors)
        last = sensors[:, -1]
        q, qd = self._batch.qpos[:, : self._q], self._batch.qvel[:, : self._v]
        error = body_errors(self.where, last, rows.sensors).mean(1)
        failed = self._failed(q, last, rows, error)
        number, e.number = e.number, e.number + 1
        next_rows = self._reference_rows()
        reward = self.recipe.total(
            Step(
                number, e.began, last, rows, q, qd, next_rows, action, e.last_action, e.nearest, e.nearest_speed,
                e.impulse, e.with_bag, self.reference, self.where,
            )
        )  # fmt: skip
        e.last_action, self._rows = action, next_rows
        timed_out = (e.number >= self.steps) & ~failed
        over = failed | timed_out
        if over.any() and not self._fixed:
            self._begin(np.flatnonzero(over))
            self._rows = self._reference_rows()
        return Outcome(self.observe(), reward, over, timed_out, error)

    def close(self) -> None:
        """Stop the threads."""
        self._batch.close()

    def _failed(self, q: np.ndarray, sensors: np.ndarray, rows: Rows, error: np.ndarray) -> np.ndarray:
        fallen = has_fallen(self.reference, self.where, q[:, 2], sensors, rows.sensors)
        return fallen | ~(error <= self.settings.error_limit) | ~np.isfinite(q).all(1)

    def _reference_rows(self) -> Rows:
        e = self.episodes
        return self.reference.rows(e.index, e.weight, e.number)

    def _begin(self, who: np.ndarray) -> None:
        chance, count, s = self._generator, len(who), self.settings
        uv = chance.uniform(-1, 1, (count, 2)) * self.reference.reach
        with_bag = (chance.random(count) < s.bag_share) & self.reference.strikes
        at = np.where(
            chance.random(count) < s.rsi_share, chance.integers(0, self.reference.clip_steps - LAST_START, count), 0
        )
        impact = self.reference.impact_step
        inside = with_bag & (at > impact - CLEAR_BEFORE) & (at < impact + CLEAR_AFTER)
        at = np.where(inside, chance.integers(0, max(impact - CLEAR_BEFORE, 1), count), at)
        self.episodes.begin(who, self.reference, uv=uv, with_bag=with_bag, at=at)
        e = self.episodes
        rows = self.reference.rows(e.index[who], e.weight[who], at)
        self._put(who, *noisy_start(rows, chance, s.noise))

    def _put(self, who: np.ndarray, q: np.ndarray, qd: np.ndarray) -> None:
        self._batch.place(who, q, qd)
        for world in who:
            e = self.episodes
            self._batch.hang(world, e.target[world], self.reference.direction, not e.with_bag[world])


def _only(rows: Rows, i: int) -> Rows:
    one = slice(i, i + 1)
    return Rows(rows.q[one], rows.qd[one], rows.control[one], rows.sensors[one])
