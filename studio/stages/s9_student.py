"""Stage 9: one policy distilled from all adopted teachers on a machine's own supervisor, then gated per skill."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.schema.body import Body
from studio.schema.codec import document, to_plain
from studio.schema.errors import StudioError
from studio.schema.training import GateTable, SkillSpec, StudentSpec
from studio.stages.s8_gate import judge
from studio.stages.stage import Context, Result
from studio.stages.training_run import RUN, Heard, TrainingRun, complaint, train, unfinished
from studio.store import atomic
from studio.store.catalog import STUDENT_NEEDS, student_practice
from studio.store.project import Project
from studio.store.revisions import data_path
from studio.store.skills import POLICY, SkillSource, gate_part, skill_sources

if TYPE_CHECKING:
    from studio.remote.machine import Machine
    from studio.remote.student_run import SkillFiles

SPEC = "spec.json"
DISTILLED = 0.85
"""Share of the stage that the training takes; the rest are the gates."""


def run(context: Context) -> Result:
    """Distil until the run has ended, then judge every skill with the seeds and rules of its teacher's gate.

    r1-policy.onnx, per technique r1-<technique>.json and beside it r1-<technique>+teacher.json, the gate of who taught
    it. Raises :class:`StudioError` with fewer than two adopted teachers.
    """
    project, folder = context.project, _run_folder(context)
    sources = skill_sources(project)
    taught = [source.technique for source in sources if source.teacher]
    if len(taught) < STUDENT_NEEDS:
        there = ", ".join(taught) or "none"
        raise StudioError(
            "The student cannot be distilled",
            f"it needs two adopted teachers, there is {there}",
            "Teach a second technique",
        )
    heard = Heard(lambda fraction, text: context.progress(DISTILLED * fraction, text))
    chosen = student_practice(project)
    skills, files = zip(*(_skill(project, source) for source in sources), strict=True)
    spec = StudentSpec(skills, chosen.preset, chosen.seed, chosen.settings)
    final, machine = train(
        context, folder, chosen.machine, heard, lambda machine, this_run: _start(machine, this_run, folder, spec, files)
    )
    why = complaint(heard, final)
    if why:
        raise StudioError("The student was not distilled", why, f"Look at {folder.name}/events.jsonl, then run again")
    policy = data_path(context.folder, context.number, POLICY, "onnx")
    last = list(heard.snapshots)[-1]
    atomic.write_bytes(policy, (folder / "snapshots" / f"{last}.onnx").read_bytes())
    gates = _judge(context, policy, sources)
    return _result(context, policy, heard, gates, {"status": str(final.get("status")), "machine": machine})


def resume(project: Project, subject: str, fingerprint: str) -> int | None:
    """The number of a distillation from the same inputs that was neither finished nor given up."""
    return unfinished(project.results(9, subject), fingerprint)


def _run_folder(context: Context) -> Path:
    return context.folder / f"r{context.number}"


def _start(
    machine: Machine, this_run: TrainingRun, folder: Path, spec: StudentSpec, files: tuple[SkillFiles, ...]
) -> None:
    """Send what the student learns from, as it was when the stage began, and start it."""
    from studio.remote import student_run

    atomic.write_json(folder / SPEC, document(spec))
    student_run.start_student(machine, this_run.run_id, spec, files)


def _skill(project: Project, source: SkillSource) -> tuple[SkillSpec, SkillFiles]:
    from studio.remote.student_run import SkillFiles

    name = source.technique
    table = project.revision(6, name)
    if table is None:
        raise StudioError(f"The student cannot learn {name}", "its table is missing", "Run stage 6")
    body = json.dumps(to_plain(project.load(6, name, Body, "body")), sort_keys=True, indent=1).encode()
    table_sha = table.record.outputs[project.layout.relative(table.data())]
    skill = SkillSpec(name, table_sha, hashlib.sha256(body).hexdigest(), project.hashes.of(source.policy))
    return skill, SkillFiles(table.data(), body, source.policy)


def _judge(context: Context, policy: Path, sources: tuple[SkillSource, ...]) -> dict[str, tuple[GateTable, GateTable]]:
    """Per technique the student's gate, and that of who taught it."""
    project, gates = context.project, {}
    for number, source in enumerate(sources):
        step = (1 - DISTILLED) / len(sources)
        start = DISTILLED + number * step
        on_progress = context.part(start, start + step, f"Judging {source.technique}")
        gates[source.technique] = (
            judge(project, source.technique, policy, on_progress),
            project.load(8, source.technique, GateTable, "table")
            if source.teacher
            else judge(project, source.technique, source.policy),
        )
    return gates


def _result(
    context: Context,
    policy: Path,
    heard: Heard,
    gates: dict[str, tuple[GateTable, GateTable]],
    ended: dict[str, str],
) -> Result:
    folder = _run_folder(context)
    pages: dict[str, Any] = {}
    for technique, (student, teacher) in gates.items():
        pages[f"{gate_part(technique)}.json"] = student
        pages[f"{gate_part(technique, teacher=True)}.json"] = teacher
    clips = [folder / "clips" / f"{sha}.npz" for sha in heard.clips]
    files = dict.fromkeys((policy, *clips, *(folder / name for name in (SPEC, RUN, "events.jsonl"))))
    summary = summarise(gates, heard) | {"iterations": heard.iterations, **ended}
    return Result(pages=pages, files=tuple(path for path in files if path.exists()), summary=summary)


def summarise(gates: dict[str, tuple[GateTable, GateTable]], heard: Heard) -> dict[str, Any]:
    """The figures of a student for the rail: skills that pass, and per skill its action error to who taught it, at
    first and at last; ``left_percent``: the largest share of it that is left; ``lost``: rows that the teacher keeps
    and the student does not."""
    errors = {
        technique: [heard.first[f"error/{technique}"], heard.figures[f"error/{technique}"]]
        for technique in gates
        if f"error/{technique}" in heard.figures
    }
    lost = [f"{technique}: {row}" for technique, (one, other) in gates.items() for row in lost_rows(one, other)]
    left = max((100 * last / max(first, 1e-12) for first, last in errors.values()), default=100.0)
    return {
        "skills": len(gates),
        "passed": sum(student.passed for student, _ in gates.values()),
        "failed": [technique for technique, (student, _) in gates.items() if not student.passed],
        "lost": lost,
        "errors": errors,
        "left_percent": round(left, 2),
    }


def lost_rows(student: GateTable, teacher: GateTable) -> tuple[str, ...]:
    """Names of the judged rows that the teacher keeps and the student does not."""
    kept = {row.name for row in teacher.rows if row.passed}
    return tuple(row.name for row in student.rows if not row.passed and row.name in kept)
