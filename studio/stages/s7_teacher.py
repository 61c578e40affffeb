"""Stage 7: a teacher practises the technique against its table. The training belongs to the machine's own supervisor;
this stage starts it, or goes on with one that runs already, and mirrors it until it ends."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.schema.body import Body
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.training import TeacherSpec
from studio.stages.stage import Context, Result
from studio.store import approvals, atomic, reading
from studio.store.catalog import practice
from studio.store.project import Project
from studio.store.revisions import record_path

if TYPE_CHECKING:
    from studio.remote.machine import Machine

RUN, SPEC, BODY = "run.json", "spec.json", "body.json"
GOOD_ENDS = ("done", "stopped", "time_cap", "idle_cap")
"""How a training may end and still be looked at, where it left a snapshot."""


@dataclass(frozen=True)
class TeacherRun:
    """run.json of one training: its name on the machine, what it was made from, and whether it was given up."""

    run_id: str
    machine: str
    fingerprint: str
    when: str
    cancelled: bool = False


@dataclass
class _Heard:
    """What the run's events told so far."""

    context: Context
    iterations: int = 0
    snapshots: dict[str, int] = field(default_factory=dict)
    clips: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    said: str = ""

    def hear(self, event: dict[str, Any]) -> None:
        """One event of the run."""
        kind = event.get("type")
        if kind == "progress":
            self.iterations, total = int(event.get("iter", 0)), max(int(event.get("iters", 1)), 1)
            self.context.progress(self.iterations / total, f"Iteration {self.iterations} of {total}")
        elif kind == "metric":
            values = event.get("values")
            self.figures |= {k: v for k, v in values.items() if isinstance(v, (int, float))} if values else {}
        elif kind == "ckpt":
            self.snapshots[str(event["sha"])] = int(event.get("iter", 0))
        elif kind == "clip":
            self.clips.append(str(event["sha"]))
        elif kind == "log" and event.get("level") == "error":
            self.said = str(event.get("text", ""))[:300]


def run(context: Context) -> Result:
    """Train until the run has ended and everything of it is here. Cancelling ends the training on the machine too."""
    from studio.remote.channel import LocalChannel
    from studio.remote.machine import Machine
    from studio.remote.mirror import Mirror

    folder = context.project.layout.teacher(context.subject, f"r{context.number}")
    machine = Machine(LocalChannel())
    this_run = _run_of(context, folder, machine.name)
    heard = _Heard(context)
    try:
        context.progress(0.0, f"Starting on {machine.name}")
        _start(context, machine, this_run, folder)
        final = Mirror(machine, this_run.run_id, folder, heard.hear, after=0).follow()
        machine.collect(this_run.run_id)
    except Exception:
        raise
    except BaseException:  # a cancel: the run is given up before the machine is told, so nobody goes on with it
        _give_up(machine, this_run, folder)
        raise
    return _result(folder, heard, final or {}, machine.name)


def resume(project: Project, technique: str, fingerprint: str) -> int | None:
    """The number of a training from the same inputs that was neither finished nor given up."""
    teachers = project.layout.teachers(technique)
    for path in teachers.glob(f"r*/{RUN}"):
        number = re.fullmatch(r"r([1-9][0-9]*)", path.parent.name)
        if number and not record_path(teachers, int(number[1])).exists():
            found = reading.read_json(TeacherRun, path)
            if found.fingerprint == fingerprint and not found.cancelled:
                return int(number[1])
    return None


def _run_of(context: Context, folder: Path, machine: str) -> TeacherRun:
    """The run this folder already belongs to, or a new one with a name that no other project uses."""
    if (folder / RUN).exists():
        return reading.read_json(TeacherRun, folder / RUN)
    name = re.sub(r"[^a-z0-9]+", "-", context.subject.lower()).strip("-")[:32] or "technique"
    run_id = f"{name}-r{context.number}-{secrets.token_hex(4)}"
    fresh = TeacherRun(run_id, machine, context.fingerprint, approvals.now())
    atomic.write_json(folder / RUN, document(fresh))
    return fresh


def _start(context: Context, machine: Machine, this_run: TeacherRun, folder: Path) -> None:
    """Start the run; a machine that knows it already only tells how it stands."""
    from studio.remote import teacher_run

    project, name = context.project, context.subject
    table = project.revision(6, name)
    if table is None:
        raise StudioError(f"The teacher of {name} cannot start", "its table is missing", "Run stage 6")
    chosen = practice(project, name)
    sha = table.record.outputs[project.layout.relative(table.data())]
    spec = TeacherSpec(name, chosen.preset, chosen.seed, sha, chosen.settings)
    atomic.write_json(folder / SPEC, document(spec))
    atomic.write_json(folder / BODY, document(project.load(6, name, Body, "body")))
    teacher_run.start_teacher(machine, this_run.run_id, spec, table.data(), folder / BODY)


def _give_up(machine: Machine, this_run: TeacherRun, folder: Path) -> None:
    from dataclasses import replace

    atomic.write_json(folder / RUN, document(replace(this_run, cancelled=True)))
    machine.stop(this_run.run_id)


def _result(folder: Path, heard: _Heard, final: dict[str, Any], machine: str) -> Result:
    status = str(final.get("status", "failed"))
    if status not in GOOD_ENDS or not heard.snapshots:
        why = heard.said.rstrip(". ") or f"the training ended with {status}"
        raise StudioError("The teacher was not trained", why, f"Look at {folder.name}/events.jsonl, then run again")
    snapshots = [folder / "snapshots" / f"{sha}.onnx" for sha in heard.snapshots]
    clips = [folder / "clips" / f"{sha}.npz" for sha in heard.clips]
    pages = [folder / name for name in (SPEC, RUN, BODY, "events.jsonl")]
    summary = {
        "iterations": heard.iterations,
        "snapshots": len(snapshots),
        "snapshot_iterations": list(heard.snapshots.values()),
        "clips": len(clips),
        "status": status,
        "machine": machine,
        "figures": {name: round(float(value), 4) for name, value in heard.figures.items()},
    }
    files = dict.fromkeys((*snapshots, *clips, *pages))
    return Result(files=tuple(path for path in files if path.exists()), summary=summary)
