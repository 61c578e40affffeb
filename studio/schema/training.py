"""What a teacher or a student is asked to learn, and how it is judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class TeacherSpec:
    """Everything a training run depends on, besides the table and the body it is sent with.

    ``preset``: "quick" (this computer, minutes) or "full". ``settings``: overrides of the preset's values by name.
    """

    technique: str
    preset: str
    seed: int
    table_sha256: str
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SkillSpec:
    """One technique that a student takes over: the SHA-256 of its table, of the body it was made for, and of the policy
    that teaches it (a teacher's snapshot, or an earlier student's). In the run's folder they are table-1.npz,
    body-1.json and teacher-1.onnx, numbered in the order of the spec."""

    technique: str
    table_sha256: str
    body_sha256: str
    teacher_sha256: str


@dataclass(frozen=True)
class StudentSpec:
    """Everything a distillation depends on, besides the files that it names by their hash.

    ``preset``: "student" or "student_smoke"; ``settings``: overrides of the preset's values by name.
    """

    skills: tuple[SkillSpec, ...]
    preset: str
    seed: int
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Clip:
    """A short deterministic recording of a policy: ``qpos`` (T, nq) of the world's model at ``fps``, beside the
    reference ``reference`` (T, nq_body) it followed. ``iteration`` 0 is the untrained policy."""

    technique: str
    iteration: int
    fps: float
    condition: str
    seed: int
    joints: tuple[str, ...]
    qpos: np.ndarray
    reference: np.ndarray
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class GateRow:
    """One row of the gate: ``values`` per condition ("air", "bag"), one number per seed; judged against ``limit``.

    ``sense``: "below" or "above" the limit passes. ``judged`` False: a shown row, never fails the gate.
    """

    name: str
    unit: str
    sense: str
    limit: float
    judged: bool
    values: dict[str, tuple[float, ...]]

    def passes(self, condition: str) -> bool:
        """Whether every seed of this condition keeps the limit."""
        values = self.values[condition]
        return all(v <= self.limit if self.sense == "below" else v >= self.limit for v in values)

    @property
    def passed(self) -> bool:
        return not self.judged or all(self.passes(condition) for condition in self.values)


@dataclass(frozen=True)
class GateTable:
    """The gate's answer for one snapshot; no times in it, so that two processes write the same bytes."""

    technique: str
    snapshot: str
    seeds: tuple[int, ...]
    rows: tuple[GateRow, ...]
    trajectory_sha256: dict[str, tuple[str, ...]]
    policy_sha256: str
    table_sha256: str
    versions: dict[str, str]

    @property
    def passed(self) -> bool:
        return all(row.passed for row in self.rows)
