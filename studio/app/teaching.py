"""What a teacher is asked to learn, as the coach sees and chooses it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from typing import Any

from studio.app.story import newest_run
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.technique import kind_of
from studio.store import atomic
from studio.store.catalog import practice
from studio.store.project import Project

PRESETS = ("quick", "full")
STEPS_PER_S = 7700.0
"""Measured on two cores with learning included; stands in resources/training/presets.toml. Used until a run of this
computer has told its own."""


@dataclass(frozen=True)
class Reward:
    """One term he is paid for: its name and weight."""

    name: str
    weight: float


@dataclass(frozen=True)
class Order:
    """What Start will do: the preset's numbers and the rewards. ``steps`` in all."""

    preset: str
    seed: int
    iterations: int
    fighters: int
    steps: int
    clip_every: int
    snapshot_every: int
    rewards: tuple[Reward, ...]
    entries: int
    chosen_settings: tuple[tuple[str, str], ...]

    def seconds(self, rate: float = 0.0) -> float:
        """How long it will take at ``rate`` steps per second, 0 for the measured one."""
        return self.steps / (rate or STEPS_PER_S)


def read_order(project: Project, technique: str) -> Order:
    """The order as practice.toml and the presets make it. Raises :class:`StudioError` for an unknown preset."""
    wanted = practice(project, technique)
    preset = _toml("training", "presets.toml").get(wanted.preset)
    if not isinstance(preset, dict):
        raise StudioError(
            f"The preset {wanted.preset!r} is not known", f"there are {', '.join(PRESETS)}", "Correct practice.toml"
        )
    numbers: dict[str, Any] = preset | wanted.settings
    rewards = tuple(
        Reward(name, float(term["weight"]))
        for name, term in _toml("rewards", f"{kind_of(project.technique(technique).striker)}.toml").items()
        if isinstance(term, dict)
    )
    table = project.revision(6, technique)
    iterations, fighters = int(numbers["iterations"]), int(numbers["envs"])
    return Order(
        preset=wanted.preset,
        seed=wanted.seed,
        iterations=iterations,
        fighters=fighters,
        steps=iterations * fighters * int(numbers["steps"]),
        clip_every=int(numbers["clip_every"]),
        snapshot_every=int(numbers["snapshot_every"]),
        rewards=rewards,
        entries=int(table.record.summary.get("entries", 0)) if table else 0,
        chosen_settings=tuple((name, str(value)) for name, value in wanted.settings.items()),
    )


def choose_preset(project: Project, technique: str, preset: str) -> None:
    """Write the preset into practice.toml and leave the rest of it. Raises :class:`StudioError`."""
    wanted = replace(practice(project, technique), preset=preset)
    atomic.write_toml(project.layout.practice_toml(technique), document(wanted))


def stop_early(project: Project, technique: str) -> None:
    """Ask the newest training to end after this iteration and keep what was learned. Raises :class:`StudioError`."""
    from studio.remote.channel import LocalChannel
    from studio.remote.machine import Machine
    from studio.stages.training_run import RUN, TrainingRun
    from studio.store import reading

    folder = newest_run(project, technique)
    if folder is None or not (folder / RUN).exists():
        raise StudioError("Nothing was stopped", "no training has begun yet", "Cancel it instead")
    Machine(LocalChannel()).stop(reading.read_json(TrainingRun, folder / RUN).run_id)


def _toml(*parts: str) -> dict[str, Any]:
    return tomllib.loads(resource(*parts).read_text(encoding="utf-8"))
