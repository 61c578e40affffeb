"""What a teacher is asked to learn, as the coach sees and chooses it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from typing import Any

from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.technique import kind_of
from studio.store import atomic
from studio.store.catalog import chosen_practice, practice
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
    """What Start will do: the preset's numbers and the rewards. ``steps`` in all; ``machine`` is empty for this
    computer."""

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
    machine: str = ""

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
        machine=wanted.machine,
    )


def choose_preset(project: Project, technique: str, preset: str) -> None:
    """Write the preset into practice.toml and leave the rest of it. Raises :class:`StudioError`."""
    _write(project, technique, preset=preset)


def choose_machine(project: Project, technique: str, machine: str) -> None:
    """Write the machine into practice.toml, empty for this computer; the rest stays. Raises :class:`StudioError`."""
    _write(project, technique, machine=machine)


def _write(project: Project, technique: str, **changes: str) -> None:
    chosen = replace(chosen_practice(project, technique), **changes)
    atomic.write_toml(project.layout.practice_toml(technique), document(chosen))


def _toml(*parts: str) -> dict[str, Any]:
    return tomllib.loads(resource(*parts).read_text(encoding="utf-8"))
