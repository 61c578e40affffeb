"""The gate's table and the tries behind its cells. Slow: to be called beside the window's thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studio.schema.body import Body
from studio.schema.lineage import Approval
from studio.schema.training import GateTable
from studio.schema.variants import Table
from studio.store.project import Project

STAGE = 8
FPS = 50.0


@dataclass(frozen=True, eq=False)
class Film:
    """One try: ``qpos`` (T, nq) of the world and ``reference`` (T, 7 + n) at :data:`FPS`."""

    condition: str
    seed: int
    qpos: np.ndarray
    reference: np.ndarray


@dataclass(frozen=True)
class Judged:
    """The newest table, and the last word about exactly this one, where there is one."""

    table: GateTable
    verdict: Approval | None


def read_judged(project: Project, technique: str) -> Judged | None:
    """None before the gate has run. Raises :class:`StudioError` for a damaged table."""
    revision = project.revision(STAGE, technique)
    if revision is None:
        return None
    table = project.load(STAGE, technique, GateTable, "table")
    return Judged(table, project.verdicts().latest(STAGE, technique, revision.fingerprint))


def play_cell(project: Project, technique: str, condition: str, seed: int) -> Film:
    """Play one cell's try again, the same to the last bit. Raises :class:`StudioError` without an adopted snapshot."""
    from studio.domain.gates.table import film_cell

    table, body = project.load(6, technique, Table), project.load(6, technique, Body, "body")
    played = film_cell(project.adopted(technique), table, body, condition, seed)
    return Film(condition, seed, played.qpos, played.reference)
