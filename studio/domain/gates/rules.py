"""The rules of a gate, read from a TOML file: which figure, which limit, where."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from studio.domain.gates.figures import FIGURES, OF_A_STRIKE
from studio.domain.gates.rollout import CONDITIONS
from studio.schema.errors import StudioError


@dataclass(frozen=True)
class Rule:
    """One row to be: ``figure`` by name, passing ``sense`` ("below", "above") the ``limit`` in ``unit``."""

    name: str
    figure: str
    unit: str
    sense: str
    limit: float
    conditions: tuple[str, ...]
    judged: bool


def read_rules(path: Path, striker: str) -> tuple[Rule, ...]:
    """The rules for a striker ("knee_r", empty where nothing strikes).

    Raises :class:`StudioError` naming the row that is wrong.
    """
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _refuse(path.name, str(error)) from None
    rules = tuple(_rule(path.name, name, row, striker) for name, row in plain.items() if isinstance(row, dict))
    if not any(rule.judged for rule in rules):
        raise _refuse(path.name, "it judges nothing")
    return rules


def _rule(where: str, name: str, row: dict[str, Any], striker: str) -> Rule:
    limit = row.get("limit")
    if isinstance(limit, dict):
        limit = limit.get(striker.rsplit("_", 1)[0])
    conditions = row.get("conditions")
    if row.get("figure") not in FIGURES:
        raise _refuse(where, f"row {name} has no known figure (known: {', '.join(sorted(FIGURES))})")
    if not striker and row["figure"] in OF_A_STRIKE:
        raise _refuse(where, f"row {name} measures a strike, and nothing strikes")
    if row.get("sense") not in ("below", "above") or not isinstance(row.get("judged"), bool):
        raise _refuse(where, f"row {name} must say sense (below, above) and judged (true, false)")
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not np.isfinite(limit):
        raise _refuse(where, f"row {name} has no limit for {striker}")
    if not isinstance(conditions, list) or not conditions or any(c not in CONDITIONS for c in conditions):
        raise _refuse(where, f"row {name} must name its conditions ({', '.join(CONDITIONS)})")
    return Rule(
        name, row["figure"], str(row.get("unit", "")), row["sense"], float(limit), tuple(conditions), row["judged"]
    )


def _refuse(where: str, why: str) -> StudioError:
    return StudioError(f"The gate {where} cannot be used", why, "Correct the file")
