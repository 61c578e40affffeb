"""A student's result: the gates of every skill beside its teacher's and the former student's, and the tries behind
them. Slow: to be called beside the window's thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from studio.app.gate import Film
from studio.app.story import RUN_FOLDER, StoryReader
from studio.schema.body import Body
from studio.schema.errors import StudioError
from studio.schema.lineage import Approval, Record
from studio.schema.training import GateTable
from studio.schema.variants import Table
from studio.store import reading
from studio.store.project import Project
from studio.store.revisions import Revision
from studio.store.skills import approved_students, gate_part, policy_of

STAGE = 9
Curve = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Policy:
    """Who plays: his name ("r1"), his network and his gate."""

    name: str
    path: Path
    gate: GateTable


@dataclass(frozen=True)
class SkillView:
    """One skill: the student, who taught it, and the former student where he knew it. ``error`` at first and at last,
    mean square of action minus the teacher's."""

    technique: str
    student: Policy
    teacher: Policy
    former: Policy | None
    error: tuple[float, float] | None


@dataclass(frozen=True)
class Distilled:
    """The newest student. ``verdict``: the last word about exactly this one; ``curves``: technique to its error by
    iteration."""

    name: str
    record: Record
    skills: tuple[SkillView, ...]
    verdict: Approval | None
    curves: dict[str, Curve] = field(default_factory=dict)

    def skill(self, technique: str) -> SkillView | None:
        return next((skill for skill in self.skills if skill.technique == technique), None)


def read_distilled(project: Project) -> Distilled | None:
    """None before the first student. Raises :class:`StudioError` for a damaged result."""
    revision = project.revision(STAGE, "")
    if revision is None:
        return None
    former = next((r for r in approved_students(project) if r.number < revision.number), None)
    names = [name for name in project.techniques() if revision.data(gate_part(name), "json").exists()]
    skills = tuple(_skill(project, revision, former, name) for name in names)
    verdict = project.verdicts().latest(STAGE, "", revision.fingerprint)
    folder = project.layout.students / f"r{revision.number}"
    return Distilled(f"r{revision.number}", revision.record, skills, verdict, read_curves(folder))


def read_curves(folder: Path) -> dict[str, Curve]:
    """Technique to its error by iteration, as far as a run has told it."""
    told = StoryReader(folder).read().curves if folder.is_dir() else {}
    return {name.partition("/")[2]: points for name, points in told.items() if name.startswith("error/")}


def newest_curves(project: Project) -> dict[str, Curve]:
    """The curves of the run that was started last."""
    runs = [path for path in project.layout.students.glob("r*") if RUN_FOLDER.fullmatch(path.name) and path.is_dir()]
    newest = max(runs, key=lambda path: int(path.name[1:]), default=None)
    return read_curves(newest) if newest else {}


def play_try(project: Project, technique: str, policy: Path, condition: str, seed: int) -> Film:
    """One try of a policy, the same to the last bit as it was judged. Raises :class:`StudioError`."""
    from studio.domain.gates.table import film_cell

    table, body = project.load(6, technique, Table), project.load(6, technique, Body, "body")
    played = film_cell(policy, table, body, condition, seed)
    return Film(condition, seed, played.qpos, played.reference)


def _skill(project: Project, revision: Revision, former: Revision | None, technique: str) -> SkillView:
    errors = revision.record.summary.get("errors", {}).get(technique)
    return SkillView(
        technique,
        Policy(f"r{revision.number}", policy_of(revision), _gate(revision, technique)),
        Policy(*_taught_by(project, revision.record, technique), _gate(revision, technique, teacher=True)),
        _former(former, technique),
        (float(errors[0]), float(errors[1])) if errors else None,
    )


def _taught_by(project: Project, record: Record, technique: str) -> tuple[str, Path]:
    """Name and network of who taught a skill: the run of its teacher, or an earlier student."""
    for path in record.inputs:
        parts = path.split("/")
        if path.endswith(".onnx") and parts[:3] == ["techniques", technique, "teachers"]:
            return parts[3], project.layout.absolute(path)
    for path in record.inputs:
        if path.endswith(".onnx") and path.startswith("students/"):
            return path.partition("/")[2].partition("-")[0], project.layout.absolute(path)
    raise StudioError(f"The student of {technique} cannot be shown", "who taught it is not recorded", "Run stage 9")


def _former(former: Revision | None, technique: str) -> Policy | None:
    if former is None or not former.data(gate_part(technique), "json").exists():
        return None
    return Policy(f"r{former.number}", policy_of(former), _gate(former, technique))


def _gate(revision: Revision, technique: str, teacher: bool = False) -> GateTable:
    return reading.read_json(GateTable, revision.data(gate_part(technique, teacher), "json"))
