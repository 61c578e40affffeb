"""Starting a student's distillation on a machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.remote.machine import Machine, Started
from studio.remote.teacher_run import Caps, start_program
from studio.schema.codec import to_plain
from studio.schema.training import StudentSpec


@dataclass(frozen=True)
class SkillFiles:
    """The files of one skill: its table, its body as JSON, and the policy that teaches it."""

    table: Path
    body: bytes
    policy: Path


def start_student(
    machine: Machine, run_id: str, spec: StudentSpec, skills: Sequence[SkillFiles], *, caps: Caps | None = None
) -> Started:
    """Starts a distillation with spec.json and, in the spec's order, each skill's files. Raises ``StudioError``."""
    inputs: dict[str, Path | bytes] = {"spec.json": json.dumps(to_plain(spec), sort_keys=True, indent=1).encode()}
    for number, skill in enumerate(skills, 1):
        inputs[f"table-{number}.npz"] = skill.table
        inputs[f"body-{number}.json"] = skill.body
        inputs[f"teacher-{number}.onnx"] = skill.policy
    return start_program(machine, run_id, "student", inputs, caps=caps)
