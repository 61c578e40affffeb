"""A distillation from order to report: one policy takes over the skills of several teachers.

DAgger (Ross, Gordon and Bagnell 2011, "A reduction of imitation learning and structured prediction to no-regret online
learning"): the student acts, the teachers say what they would have done, and all of it is learned again and again.
rsl_rl's ``Distillation`` (5.4.2) would do the same step, yet forgets every iteration what it saw, has one loss for all
samples where a stance and a knee need their own units, and lets the student sample with a spread that nothing trains;
here its model is used and the loop is our own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from remote_agent.train.distil_class import Exam, SkillClass, shares
from remote_agent.train.distil_network import Student
from remote_agent.train.distil_order import DistilOrder
from remote_agent.train.distil_settings import DistilSettings, make_distil_settings
from remote_agent.train.export import write_snapshot
from remote_agent.train.film import film
from remote_agent.train.practice import TELL_EVERY_S, versions
from remote_agent.train.wire import rounded, say, write_file
from studio.domain.policy.observation import PolicyCard
from studio.schema.errors import StudioError


class Distillation:
    """Holds a run's parts together. ``stop`` is asked after every iteration."""

    def __init__(self, order: DistilOrder, stop: Callable[[], bool]) -> None:
        self.order, self._stop = order, stop
        self.settings: DistilSettings = make_distil_settings(order.spec)
        seeds = np.random.SeedSequence(order.spec.seed).spawn(len(order.lessons))
        self.classes = [
            SkillClass(lesson, self.settings, np.random.default_rng(seed))
            for lesson, seed in zip(order.lessons, seeds, strict=True)
        ]
        self.student = Student(order.layout, order.spec.seed, self.settings.learning_rate)
        self.exams: list[dict[str, Exam]] = []
        self._examined: list[int] = []

    def train(self) -> None:
        """The whole run. An interrupted one keeps its last snapshot and reports as far as it came."""
        s = self.settings
        self._examine(0)
        self._clips(0)
        say("state", phase="train")
        began, told, done = time.monotonic(), 0.0, 0
        for iteration in range(s.iterations):
            figures = self._iterate(iteration)
            done = iteration + 1
            elapsed = time.monotonic() - began
            if elapsed - told > TELL_EVERY_S or done == s.iterations:
                self._progress(done, elapsed, figures)
                told = elapsed
            if not self.student.is_finite():
                raise StudioError(
                    "The distillation failed", "its network is no longer finite", "Lower the learning rate"
                )
            if self._stop():
                break
            if done % s.evaluate_every == 0 and done < s.iterations:
                self._examine(done)
            if done % s.clip_every == 0 and done < s.iterations:
                self._clips(done)
        self._finish(done, time.monotonic() - began)

    def _iterate(self, iteration: int) -> dict[str, float]:
        """Practise every skill, then learn from all that is remembered; figures of the iteration."""
        s = self.settings
        led = self.settings.led(iteration)
        for skill in self.classes:
            seen = skill.practise(self.student.act, led)
            if led > 0:
                self.student.get_used_to(seen)
        counts = np.maximum(1, np.round(s.batch * shares([skill.error for skill in self.classes]))).astype(int)
        loss = 0.0
        for _ in range(s.updates):
            batches = [skill.pick(int(count)) for skill, count in zip(self.classes, counts, strict=True)]
            loss += self.student.learn(batches, s.rate(iteration)) / s.updates
        practised = {f"practice/{skill.technique}": skill.error for skill in self.classes}
        return {"loss": loss, "led": led, "learning_rate": s.rate(iteration), **practised}

    def _progress(self, done: int, elapsed: float, figures: dict[str, float]) -> None:
        s = self.settings
        steps = done * s.envs * s.steps * len(self.classes)
        eta = elapsed / done * (s.iterations - done)
        say("progress", iter=done, iters=s.iterations, steps=steps, **rounded({"fps": steps / elapsed, "eta_s": eta}))
        say("metric", iter=done, values=rounded(figures))

    def _examine(self, iteration: int) -> None:
        """What is reported of every skill: the student's action error where it went itself, on the fixed seeds."""
        say("state", phase="eval")
        exams = {skill.technique: skill.examine(self.student.act) for skill in self.classes}
        self.exams.append(exams)
        self._examined.append(iteration)
        values = {
            f"{name}/{technique}": getattr(exam, name) for technique, exam in exams.items() for name in asdict(exam)
        }
        say("metric", iter=iteration, values=rounded(values))

    def _finish(self, done: int, seconds: float) -> None:
        self._snapshot(done)
        whole = done == self.settings.iterations
        if whole:
            self._examine(done)
            self._clips(done)
        self._report(done, seconds)
        for skill in self.classes:
            skill.close()
        say("state", phase="done" if whole else "stopped")

    def _snapshot(self, iteration: int) -> None:
        spec = self.order.spec
        card = PolicyCard(tuple(skill.lesson.skill for skill in self.classes), iteration, self.order.layout)
        more = {f"teacher_sha256/{skill.technique}": skill.teacher_sha256 for skill in spec.skills}
        more |= {"preset": spec.preset, "seed": str(spec.seed), "backend": "mujoco", **versions()}
        path = write_snapshot(self.order.out / "snapshots", self.student.actor, card, more)
        say("ckpt", path=self.order.relative(path), iter=iteration, format="onnx")

    def _clips(self, iteration: int) -> None:
        """A short film of every skill."""
        seed = self.settings.evaluation_seeds[0]
        for number, skill in enumerate(self.classes, 1):
            path = self.order.out / "clips" / f"iter-{iteration:06d}-{number}.npz"
            write_file(path, film(skill.lesson.scene, self.student.act, skill.technique, iteration, seed))
            caption = f"{skill.technique} after {iteration} iterations"
            say("clip", path=self.order.relative(path), iter=iteration, technique=skill.technique, caption=caption)

    def _report(self, done: int, seconds: float) -> None:
        report = {
            "schema_version": 1,
            "techniques": [skill.technique for skill in self.classes],
            "preset": self.order.spec.preset,
            "seed": self.order.spec.seed,
            "iterations": done,
            "seconds": round(seconds, 1),
            "exams": [
                {"iteration": iteration, **{technique: asdict(exam) for technique, exam in exams.items()}}
                for iteration, exams in zip(self._examined, self.exams, strict=True)
            ],
            "spread": {skill.technique: skill.spread.tolist() for skill in self.classes},
            "settings": asdict(self.settings),
            "versions": versions(),
        }
        write_file(self.order.out / "report.json", (json.dumps(report, indent=1) + "\n").encode())
