"""A training that belongs to a machine's own supervisor: a stage starts it, or goes on with one that runs already,
mirrors it until it ends, and gives it up when cancelled."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.remote.journal import IDENTITY
from studio.remote.plain import plain
from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER
from studio.schema.user_folder import user_folder
from studio.stages.stage import Context
from studio.store import approvals, atomic, reading
from studio.store.revisions import record_path

if TYPE_CHECKING:
    from studio.remote.machine import Machine

RUN = "run.json"
GOOD_ENDS = ("done", "stopped", "time_cap", "idle_cap")
"""How a training may end and still be looked at, where it left a snapshot."""


@dataclass(frozen=True)
class TrainingRun:
    """run.json of one training: its name on the machine, what it was made from, and whether it was given up."""

    run_id: str
    machine: str
    fingerprint: str
    when: str
    cancelled: bool = False


@dataclass
class Heard:
    """What the run's events told so far: ``snapshots`` SHA-256 to iteration; ``figures`` the last value of each metric
    and ``first`` the first; ``said`` the trainer's last complaint. ``progress`` is told the share of iterations."""

    progress: Callable[[float, str], None]
    iterations: int = 0
    snapshots: dict[str, int] = field(default_factory=dict)
    clips: list[str] = field(default_factory=list)
    first: dict[str, float] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    said: str = ""
    share: float = 0.0

    def line(self, machine: str, state: str) -> None:
        """The line to the machine is "up" or "lost"."""
        if state == "lost":
            self.progress(self.share, f"{machine} cannot be reached; trying again")

    def hear(self, event: dict[str, Any]) -> None:
        """One event of the run."""
        kind = event.get("type")
        if kind == "progress":
            self.iterations, total = _whole(event.get("iter")), max(_whole(event.get("iters")), 1)
            self.share = self.iterations / total
            self.progress(self.share, f"Iteration {self.iterations} of {total}")
        elif kind == "metric":
            values = event.get("values")
            there = values if isinstance(values, dict) else {}
            told = {name: float(value) for name, value in there.items() if isinstance(value, (int, float))}
            self.first = told | self.first
            self.figures |= told
        elif kind == "ckpt":
            self.snapshots[str(event["sha"])] = _whole(event.get("iter"))
        elif kind == "clip":
            self.clips.append(str(event["sha"]))
        elif kind == "log" and event.get("level") == "error":
            self.said = plain(str(event.get("why") or event.get("text", "")), 300)


def train(
    context: Context, folder: Path, wanted: str, heard: Heard, start: Callable[[Machine, TrainingRun], object]
) -> tuple[dict[str, Any], str]:
    """Have the run of ``folder`` trained on the machine ``wanted`` (empty: this computer) and mirror it to its end.

    A run that has begun is followed on the machine where it runs, whatever is wanted by now. ``start`` begins a new
    one. Returns its ``final`` event and the machine's name. Cancelling ends the training on the machine too; a machine
    that does not let us in raises ``UnfinishedError``: the run waits.
    """
    from studio.remote import machines
    from studio.remote.mirror import Mirror

    this_run = _run_of(context, folder, wanted or THIS_COMPUTER)
    machine = machines.open_for_training(this_run.machine, user_folder())
    mirror = Mirror(
        machine, this_run.run_id, folder, heard.hear, after=0, on_line=lambda state: heard.line(machine.name, state)
    )
    try:
        if not has_begun(folder):
            context.progress(0.0, f"Starting on {machine.name}")
            if not machine.status(this_run.run_id).exists:
                start(machine, this_run)
        final = mirror.follow()
    except Exception:
        raise
    except BaseException:  # a cancel: the run is given up before the machine is told, so nobody goes on with it
        try:
            give_up(folder)
        finally:
            machine.stop(this_run.run_id)
        raise
    with suppress(StudioError):  # all of it is here: a machine that has gone by now keeps its room
        machine.collect(this_run.run_id)
    return final or {}, machine.name


def has_begun(folder: Path) -> bool:
    """Whether the machine has told anything of the run in this folder."""
    return (folder / IDENTITY).exists()


def give_up(folder: Path) -> None:
    """Let nobody go on with the run of this folder. Raises ``StudioError``."""
    this_run = reading.read_json(TrainingRun, folder / RUN)
    atomic.write_json(folder / RUN, document(replace(this_run, cancelled=True)))


def open_runs(results: Path) -> dict[int, TrainingRun]:
    """Every training in a folder of results that was neither finished nor given up, by its number, in order."""
    found = {}
    for path in results.glob(f"r*/{RUN}"):
        number = re.fullmatch(r"r([1-9][0-9]*)", path.parent.name)
        if number and not record_path(results, int(number[1])).exists():
            found[int(number[1])] = reading.read_json(TrainingRun, path)
    return {number: run for number, run in sorted(found.items()) if not run.cancelled}


def unfinished(results: Path, fingerprint: str) -> int | None:
    """The number of the newest open training from the same inputs in a folder of results."""
    return max((n for n, run in open_runs(results).items() if run.fingerprint == fingerprint), default=None)


def complaint(heard: Heard, final: dict[str, Any]) -> str:
    """Why a training cannot be used, or nothing where it ended well and left a snapshot."""
    status = plain(str(final.get("status", "failed")), 40)
    if status in GOOD_ENDS and heard.snapshots:
        return ""
    return heard.said.rstrip(". ") or f"the training ended with {status}"


def _whole(told: object) -> int:
    """A machine's number; 0 for anything else."""
    return int(told) if isinstance(told, (int, float)) else 0


def _run_of(context: Context, folder: Path, machine: str) -> TrainingRun:
    """The run this folder already belongs to, unless it never began and another machine is wanted by now; else a new
    one with a name that no other project uses."""
    if (folder / RUN).exists():
        found = reading.read_json(TrainingRun, folder / RUN)
        if has_begun(folder) or found.machine == machine:
            return found
    name = re.sub(r"[^a-z0-9]+", "-", context.subject.lower()).strip("-")[:32] or context.folder.name.rstrip("s")
    run_id = f"{name}-r{context.number}-{secrets.token_hex(4)}"
    fresh = TrainingRun(run_id, machine, context.fingerprint, approvals.now())
    atomic.write_json(folder / RUN, document(fresh))
    return fresh
