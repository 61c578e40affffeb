"""What a student is made of: every technique's adopted teacher; an earlier student for what no teacher holds now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.schema.errors import StudioError
from studio.store.revisions import Revision

if TYPE_CHECKING:
    from studio.store.project import Project

STAGE = 9
POLICY = "policy"
"""The part of a student's result that is its network: r1-policy.onnx."""


@dataclass(frozen=True)
class SkillSource:
    """Who teaches a technique to the next student: the file of his ``policy``, and whether he is an adopted
    ``teacher``; else he is an earlier student."""

    technique: str
    policy: Path
    teacher: bool


def skill_sources(project: Project) -> tuple[SkillSource, ...]:
    """One per technique that can be handed on, in the order of their names.

    A technique whose adopted snapshot does not hold any more is guarded against being forgotten: the newest approved
    student that learned it from its teacher hands it on.
    """
    found = (_source(project, technique) for technique in project.techniques())
    return tuple(source for source in found if source is not None)


def policy_of(student: Revision) -> Path:
    """The network of a student."""
    return student.data(POLICY, "onnx")


def gate_part(technique: str, teacher: bool = False) -> str:
    """The part of a student's result that holds the gate of one skill, or beside it that of who taught it. The sign is
    one that no technique's name has."""
    return f"{technique}+teacher" if teacher else technique


def approved_students(project: Project) -> tuple[Revision, ...]:
    """The good students that the coach approved, the newest first."""
    verdicts = project.verdicts()
    found = []
    for revision in reversed(project.revisions(STAGE, "")):
        verdict = verdicts.latest(STAGE, "", revision.fingerprint) if revision.good else None
        if verdict is not None and verdict.verdict == "approved":
            found.append(revision)
    return tuple(found)


def _source(project: Project, technique: str) -> SkillSource | None:
    try:
        return SkillSource(technique, project.adopted(technique), teacher=True)
    except StudioError:
        pass
    taught = f"techniques/{technique}/teachers/"
    for student in approved_students(project):
        if any(name.startswith(taught) for name in student.record.inputs):
            return SkillSource(technique, policy_of(student), teacher=False)
    return None
