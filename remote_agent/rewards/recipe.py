"""A reward recipe: which terms, with which weights and widths, read from a TOML file."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from remote_agent.rewards.action_change import action_change
from remote_agent.rewards.action_size import action_size
from remote_agent.rewards.balance import balance
from remote_agent.rewards.body_places import body_places
from remote_agent.rewards.hit import hit
from remote_agent.rewards.impulse import impulse
from remote_agent.rewards.joint_angles import joint_angles
from remote_agent.rewards.joint_speeds import joint_speeds
from remote_agent.rewards.step import Step
from remote_agent.rewards.striker_path import striker_path
from remote_agent.rewards.trunk_axes import trunk_axes
from studio.schema.errors import StudioError
from studio.schema.resources import resource
from studio.schema.technique import kind_of

Term = Callable[..., np.ndarray]
TERMS: dict[str, Term] = {
    term.__name__: term
    for term in (
        body_places, joint_angles, joint_speeds, trunk_axes, balance, striker_path, hit, impulse, action_change,
        action_size,
    )
}  # fmt: skip

OF_A_STRIKE = ("striker_path", "hit", "impulse")
"""Terms that mean nothing where nothing strikes."""


@dataclass(frozen=True)
class Recipe:
    """``terms``: name, weight, parameters."""

    terms: tuple[tuple[str, float, dict[str, float]], ...]

    def parts(self, step: Step) -> dict[str, np.ndarray]:
        """Weighted reward of each term, (N,) each."""
        return {name: weight * TERMS[name](step, **more) for name, weight, more in self.terms}

    def total(self, step: Step) -> np.ndarray:
        """(N,) the sum; what is not a number counts as nothing."""
        return np.nan_to_num(sum(self.parts(step).values(), np.zeros(len(step.number))), posinf=0.0, neginf=0.0)


def read_recipe(striker: str) -> Recipe:
    """The recipe of strikes, or of stances where ``striker`` is empty, from resources/rewards."""
    path = resource("rewards", f"{kind_of(striker)}.toml")
    return make_recipe(tomllib.loads(path.read_text(encoding="utf-8")), striker)


def make_recipe(plain: dict[str, Any], striker: str) -> Recipe:
    """From a parsed TOML file: a table per term with ``weight`` and the term's parameters; a parameter that is itself a
    table gives a number per kind of striker ("knee", "fist", ...). Where ``striker`` is empty nothing may be paid for
    a strike. Raises :class:`StudioError` naming what is wrong."""
    kind = striker.rsplit("_", 1)[0]
    terms = []
    for name, table in plain.items():
        if not isinstance(table, dict):
            continue
        if name not in TERMS:
            raise _refuse(f"there is no term {name}", f"Known are: {', '.join(sorted(TERMS))}")
        if not striker and name in OF_A_STRIKE:
            raise _refuse(f"{name} pays for a strike, and nothing strikes", "Correct the file")
        numbers: dict[str, Any] = {k: v.get(kind) if isinstance(v, dict) else v for k, v in table.items()}
        wanted = {"weight", *list(inspect.signature(TERMS[name]).parameters)[1:]}
        if set(numbers) != wanted:
            raise _refuse(f"the term {name} needs {', '.join(sorted(wanted))}", "Correct the file")
        if not all(isinstance(v, (int, float)) and np.isfinite(v) for v in numbers.values()):
            raise _refuse(f"{name} holds something that is not a number for a {kind}", "Correct the file")
        terms.append((name, float(numbers.pop("weight")), {k: float(v) for k, v in numbers.items()}))
    return Recipe(tuple(terms))


def _refuse(why: str, next_step: str) -> StudioError:
    return StudioError("The reward recipe cannot be used", why, next_step)
