"""One training from order to report: evaluate, learn, record clips, keep snapshots, evaluate again."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata

import numpy as np

from remote_agent.host.host import Host
from remote_agent.rewards.recipe import read_recipe
from remote_agent.train.evaluate import Evaluation, evaluate
from remote_agent.train.export import write_snapshot
from remote_agent.train.film import film
from remote_agent.train.ppo import Learner
from remote_agent.train.run import Run
from remote_agent.train.settings import Settings, make_settings
from remote_agent.train.wire import rounded, say, write_file
from studio.domain.gates.rollout import make_scene
from studio.domain.policy.observation import PolicyCard, Skill, make_layout
from studio.domain.policy.reference import make_reference
from studio.schema.errors import StudioError

TELL_EVERY_S = 1.0


class Practice:
    """Holds a run's parts together. ``stop`` is asked after every iteration."""

    def __init__(self, run: Run, stop: Callable[[], bool]) -> None:
        self.run, self._stop = run, stop
        self.settings: Settings = make_settings(run.spec)
        reference = make_reference(run.table, run.body)
        layout = make_layout(reference.joints, self.settings.hidden)
        self.scene = make_scene(run.body, reference, layout, self.settings.slot)
        self.recipe = read_recipe(reference.striker)
        seed = run.spec.seed
        self._host = Host(self.scene, self.recipe, self.settings.host(self.settings.envs), np.random.default_rng(seed))
        self.learner = Learner(self._host, self.settings, seed)
        self.evaluations: list[Evaluation] = []

    def train(self) -> None:
        """The whole run. An interrupted one keeps its last snapshot and reports as far as it came."""
        s = self.settings
        self._evaluate(0)
        self._clip(0)
        say("state", phase="train")
        began, told, done = time.monotonic(), 0.0, 0
        for iteration in range(s.iterations):
            figures = self.learner.iterate(iteration)
            done = iteration + 1
            elapsed = time.monotonic() - began
            if elapsed - told > TELL_EVERY_S or done == s.iterations:
                self._progress(done, elapsed, figures)
                told = elapsed
            if not self.learner.is_finite():
                raise StudioError("The training failed", "its network is no longer finite", "Lower the learning rate")
            if self._stop():
                break
            if done % s.clip_every == 0 and done < s.iterations:
                self._clip(done)
            if done % s.snapshot_every == 0 and done < s.iterations:
                self._snapshot(done)
        self._finish(done, time.monotonic() - began)

    def _finish(self, done: int, seconds: float) -> None:
        self._snapshot(done)
        whole = done == self.settings.iterations
        if whole:
            self._evaluate(done)
            self._clip(done)
        self._report(done, seconds)
        self._host.close()
        say("state", phase="done" if whole else "stopped")

    def _progress(self, done: int, elapsed: float, figures: dict[str, float]) -> None:
        s = self.settings
        steps = done * s.envs * s.steps
        eta = elapsed / done * (s.iterations - done)
        fields = rounded({"fps": steps / elapsed, "reward": figures["reward"], "eta_s": eta})
        say("progress", iter=done, iters=s.iterations, steps=steps, **fields)
        say("metric", iter=done, values=rounded(figures))

    def _evaluate(self, iteration: int) -> None:
        say("state", phase="eval")
        evaluation = evaluate(self.scene, self.recipe, self.settings, self.learner.act, iteration)
        self.evaluations.append(evaluation)
        told = {k: v for k, v in asdict(evaluation).items() if v is not None and k not in ("iteration", "episodes")}
        values = {f"eval_{k}": v for k, v in told.items()}
        say("metric", iter=iteration, values=rounded(values))

    def _snapshot(self, iteration: int) -> None:
        skill = Skill(self.run.table.technique, self.settings.slot, self.run.table.striker)
        card = PolicyCard((skill,), iteration, self.scene.layout)
        more = {
            "table_sha256": self.run.spec.table_sha256, "preset": self.run.spec.preset,
            "seed": str(self.run.spec.seed), "backend": "mujoco", **versions(),
        }  # fmt: skip
        path = write_snapshot(self.run.out / "snapshots", self.learner.actor, card, more)
        say("ckpt", path=self.run.relative(path), iter=iteration, format="onnx")

    def _clip(self, iteration: int) -> None:
        seed = self.settings.evaluation_seeds[0]
        path = self.run.out / "clips" / f"iter-{iteration:06d}.npz"
        write_file(path, film(self.scene, self.learner.act, self.run.table.technique, iteration, seed))
        caption = "Before any practice" if iteration == 0 else f"After {iteration} iterations"
        say("clip", path=self.run.relative(path), iter=iteration, caption=caption)

    def _report(self, done: int, seconds: float) -> None:
        report = {
            "schema_version": 1,
            "technique": self.run.table.technique,
            "preset": self.run.spec.preset,
            "seed": self.run.spec.seed,
            "iterations": done,
            "steps": done * self.settings.envs * self.settings.steps,
            "seconds": round(seconds, 1),
            "evaluations": [asdict(e) for e in self.evaluations],
            "settings": asdict(self.settings),
            "versions": versions(),
        }
        write_file(self.run.out / "report.json", (json.dumps(report, indent=1) + "\n").encode())


def versions() -> dict[str, str]:
    """Of what shapes the numbers."""
    names = ("mujoco", "numpy", "torch", "rsl-rl-lib")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}
