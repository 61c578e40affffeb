"""One skill of a distillation: fighters who practise it, its teacher beside them, and what was seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from remote_agent.host.host import Host
from remote_agent.rewards.recipe import Recipe
from remote_agent.train.distil_network import Batch, Teacher
from remote_agent.train.distil_order import Lesson
from remote_agent.train.distil_settings import DistilSettings
from remote_agent.train.evaluate import fixed_episodes

Act = Callable[[np.ndarray], np.ndarray]
NO_REWARD = Recipe(())
LEAST_SHARE = 0.1
"""A joint that the teacher hardly uses counts as if it were spread by this share of his mean spread."""
LEAST_SPREAD = 1e-3
TRUST = 0.3
"""Weight of the newest iteration in the running error."""


@dataclass(frozen=True)
class Exam:
    """The student in the fixed episodes of a skill: ``error`` mean square of action minus the teacher's, over the
    moments he came to until he fell or was lost; ``power`` mean square of the teacher's action in the same moments;
    ``survival`` share of episodes that reached the end."""

    error: float
    power: float
    survival: float


class SkillClass:
    """Many fighters on one host. ``error`` is the student's present error in units of the teacher's spread, squared."""

    def __init__(self, lesson: Lesson, settings: DistilSettings, generator: np.random.Generator) -> None:
        self.lesson, self._settings, self._generator = lesson, settings, generator
        self.teacher = Teacher(lesson.weights)
        self._host = Host(lesson.scene, NO_REWARD, settings.host(settings.envs), generator)
        episodes = fixed_episodes(settings.evaluation_seeds, lesson.scene.reference)
        self._episodes = episodes
        self._exam = Host(lesson.scene, NO_REWARD, settings.host(len(episodes[0])), np.random.default_rng(0))
        size, joints = lesson.scene.layout.size, len(lesson.scene.layout.joints)
        self._seen = np.zeros((settings.memory, size), np.float32)
        self._wanted = np.zeros((settings.memory, joints), np.float32)
        self._count = 0
        self.spread = np.ones(joints, np.float32)
        self.error = 1.0

    @property
    def technique(self) -> str:
        return self.lesson.skill.technique

    def practise(self, student: Act, led: float) -> np.ndarray:
        """One iteration: a share ``led`` of the fighters does what the teacher does, the others what the student does;
        the teacher says everywhere what he would have done. Returns what was seen (M, D).

        The very first iteration sets the spread, so there the teacher has to lead everyone.
        """
        s, chance = self._settings, self._generator
        follows = chance.random(s.envs) < led
        first, errors = self._count == 0, []
        begun, seen = self._count, self._host.observe()
        for _ in range(s.steps):
            wanted = self.teacher.act(seen)
            own = student(seen)
            self._keep(seen, wanted)
            if not follows.all():
                errors.append(np.square((own - wanted)[~follows] / self.spread).mean())
            stray = s.wander * self.spread * chance.standard_normal(wanted.shape) * (not first)
            seen = self._host.step(np.where(follows[:, None], wanted, own) + stray).observation
        if first:
            self.spread = spread_of(self._wanted[: self._count])
        if errors:
            self.error += TRUST * (float(np.mean(errors)) - self.error)
        return self._seen[np.arange(begun, self._count) % s.memory]

    def pick(self, count: int) -> Batch:
        """Moments at random out of what is remembered."""
        chosen = self._generator.integers(0, min(self._count, self._settings.memory), count)
        return Batch(self._seen[chosen], self._wanted[chosen], self.spread)

    def examine(self, student: Act) -> Exam:
        """The deterministic student alone in the fixed episodes."""
        host = self._exam
        host.fix(*self._episodes)
        alive = np.ones(len(self._episodes[0]), bool)
        error, power, moments = 0.0, 0.0, 0
        for _ in range(host.steps):
            seen = host.observe()
            own, wanted = student(seen), self.teacher.act(seen)
            error += float(np.square(own - wanted).mean(1)[alive].sum())
            power += float(np.square(wanted).mean(1)[alive].sum())
            moments += int(alive.sum())
            outcome = host.step(own)
            alive &= ~outcome.over | outcome.timed_out
        return Exam(error / max(moments, 1), power / max(moments, 1), float(alive.mean()))

    def close(self) -> None:
        """Stop the threads."""
        self._host.close()
        self._exam.close()

    def _keep(self, seen: np.ndarray, wanted: np.ndarray) -> None:
        places = np.arange(self._count, self._count + len(seen)) % self._settings.memory
        self._seen[places], self._wanted[places] = seen, wanted
        self._count += len(seen)


def spread_of(actions: np.ndarray) -> np.ndarray:
    """(n,) the standard deviation of a teacher's actions (M, n), with a floor for joints that he leaves alone."""
    spread = actions.std(0)
    return np.maximum(spread, max(LEAST_SHARE * float(spread.mean()), LEAST_SPREAD)).astype(np.float32)


def shares(errors: list[float]) -> np.ndarray:
    """(K,) how much of a batch each skill gets: half evenly, so that none is forgotten, half by its present error."""
    error = np.maximum(np.nan_to_num(errors, nan=1.0, posinf=1.0), 1e-9)
    return 0.5 / len(error) + 0.5 * error / error.sum()
