"""The quick teacher really learns the filmed leg raise, on one seed that was fixed before the first run.

Judged by the deterministic evaluation at the fixed last iteration, never by the reward during training. The twin with
learning rate 0 shows how much of it comes from the observation's normaliser alone.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from studio.remote.journal import read_events
from studio.schema.body import Body
from studio.schema.codec import pack, to_plain
from studio.schema.training import TeacherSpec
from studio.schema.variants import Table
from studio.store.project import Project
from tests.chain import environment, leg_raise_project

pytestmark = pytest.mark.timeout(1600)

TECHNIQUE = "leg-raise"


def evaluations(events: list[dict]) -> dict[str, tuple[float, float]]:
    """Name to its value before the training and after its last iteration."""
    told = [e["values"] for e in events if e.get("type") == "metric" and "eval_reward_sum" in e["values"]]
    return {name: (told[0][name], told[-1][name]) for name in told[0] if name.startswith("eval_")}


def rise(values: dict[str, tuple[float, float]], name: str) -> float:
    """Percent from the first evaluation to the last."""
    before, after = values[name]
    return 100 * (after / before - 1)


@cache
def teacher() -> tuple[TeacherSpec, dict[str, tuple[float, float]]]:
    """What the chain's teacher was asked, and how it was evaluated."""
    project = Project.open(leg_raise_project())
    revision = project.revision(7, TECHNIQUE)
    assert revision is not None
    folder = project.layout.teachers(TECHNIQUE) / f"r{revision.number}"
    spec = json.loads((folder / "spec.json").read_text())
    asked = TeacherSpec(spec["technique"], spec["preset"], spec["seed"], spec["table_sha256"], spec.get("settings", {}))
    return asked, evaluations(list(read_events(folder, after=0)))


@cache
def twin() -> dict[str, tuple[float, float]]:
    """The same order with learning rate 0, run by the same program."""
    project = Project.open(leg_raise_project())
    asked, _ = teacher()
    folder = project.layout.root.parent / "twin"
    folder.mkdir(exist_ok=True)
    np.savez(folder / "table.npz", **pack(project.load(6, TECHNIQUE, Table)))  # type: ignore[arg-type]
    sha = hashlib.sha256((folder / "table.npz").read_bytes()).hexdigest()
    spec = TeacherSpec(asked.technique, asked.preset, asked.seed, sha, {**asked.settings, "learning_rate": 0.0})
    (folder / "spec.json").write_text(json.dumps(to_plain(spec)))
    (folder / "body.json").write_text(json.dumps(to_plain(project.load(6, TECHNIQUE, Body, "body"))))
    command = [sys.executable, "-m", "remote_agent.train.teacher", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(folder), check=False)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
    return evaluations([json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")])


def test_the_seed_is_the_one_that_was_written_down(record_property) -> None:
    asked, values = teacher()
    assert (asked.preset, asked.seed) == ("quick", 1)
    for name, (before, after) in values.items():
        record_property(name, f"{before:.3f} -> {after:.3f}")


def test_the_return_rises_by_a_tenth() -> None:
    assert rise(teacher()[1], "eval_reward_sum") >= 10


def test_he_does_not_pay_for_it_with_the_motion() -> None:
    assert rise(teacher()[1], "eval_tracking_error_m") <= 10


def test_the_twin_that_cannot_learn_stays_behind() -> None:
    assert twin()["eval_reward_sum"][0] == pytest.approx(teacher()[1]["eval_reward_sum"][0], rel=1e-3)
    assert rise(teacher()[1], "eval_reward_sum") - rise(twin(), "eval_reward_sum") >= 5
