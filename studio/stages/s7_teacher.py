"""Stage 7: a teacher practises the technique against its table, on a machine's own supervisor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.schema.body import Body
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.training import TeacherSpec
from studio.stages.stage import Context, Result
from studio.stages.training_run import RUN, Heard, TrainingRun, complaint, train, unfinished
from studio.store import atomic
from studio.store.catalog import practice
from studio.store.project import Project

if TYPE_CHECKING:
    from studio.remote.machine import Machine

SPEC, BODY = "spec.json", "body.json"


@dataclass(frozen=True)
class Order:
    """What is sent, as it was when the stage began: a machine may let us in hours later, when the table of the project
    is another one."""

    spec: TeacherSpec
    table: Path
    body: Body


def run(context: Context) -> Result:
    """Train until the run has ended and everything of it is here. Cancelling ends the training on the machine too."""
    folder = context.project.layout.teacher(context.subject, f"r{context.number}")
    heard, wanted, order = Heard(context.progress), practice(context.project, context.subject).machine, _order(context)
    final, machine = train(
        context, folder, wanted, heard, lambda machine, this_run: _start(machine, this_run, folder, order)
    )
    return _result(folder, heard, final, machine)


def resume(project: Project, technique: str, fingerprint: str) -> int | None:
    """The number of a training from the same inputs that was neither finished nor given up."""
    return unfinished(project.layout.teachers(technique), fingerprint)


def _order(context: Context) -> Order:
    project, name = context.project, context.subject
    table = project.revision(6, name)
    if table is None:
        raise StudioError(f"The teacher of {name} cannot start", "its table is missing", "Run stage 6")
    chosen = practice(project, name)
    sha = table.record.outputs[project.layout.relative(table.data())]
    spec = TeacherSpec(name, chosen.preset, chosen.seed, sha, chosen.settings)
    return Order(spec, table.data(), project.load(6, name, Body, "body"))


def _start(machine: Machine, this_run: TrainingRun, folder: Path, order: Order) -> None:
    """Send what the teacher learns from, and start it."""
    from studio.remote import teacher_run

    atomic.write_json(folder / SPEC, document(order.spec))
    atomic.write_json(folder / BODY, document(order.body))
    teacher_run.start_teacher(machine, this_run.run_id, order.spec, order.table, folder / BODY)


def _result(folder: Path, heard: Heard, final: dict[str, Any], machine: str) -> Result:
    why = complaint(heard, final)
    if why:
        raise StudioError("The teacher was not trained", why, f"Look at {folder.name}/events.jsonl, then run again")
    snapshots = [folder / "snapshots" / f"{sha}.onnx" for sha in heard.snapshots]
    clips = [folder / "clips" / f"{sha}.npz" for sha in heard.clips]
    pages = [folder / name for name in (SPEC, RUN, BODY, "events.jsonl")]
    summary = {
        "iterations": heard.iterations,
        "snapshots": len(snapshots),
        "snapshot_iterations": list(heard.snapshots.values()),
        "clips": len(clips),
        "status": str(final.get("status")),
        "machine": machine,
        "figures": {name: round(float(value), 4) for name, value in heard.figures.items()},
    }
    files = dict.fromkeys((*snapshots, *clips, *pages))
    return Result(files=tuple(path for path in files if path.exists()), summary=summary)
