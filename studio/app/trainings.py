"""Trainings that go on without a window: which were left, how one is ended early, how one is given up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.remote import machines
from studio.schema.errors import StudioError
from studio.schema.user_folder import user_folder
from studio.stages import graph, training_run
from studio.stages.training_run import RUN, TrainingRun
from studio.store import fingerprint, reading
from studio.store.project import Project
from studio.store.states import LOCKED

TRAININGS = (7, 9)
"""Stages whose work belongs to a machine's own supervisor."""


@dataclass(frozen=True)
class Left:
    """A training that has begun and was neither seen to its end nor given up."""

    stage: int
    subject: str
    folder: Path
    machine: str
    when: str


def left_trainings(project: Project) -> tuple[Left, ...]:
    """Every training that the next run of its stage would go on with, the newest first."""
    found = [_left(project, stage, subject) for stage in TRAININGS for subject in project.subjects(stage)]
    return tuple(sorted((left for left in found if left), key=lambda left: left.when, reverse=True))


def stop_early(project: Project, stage: int, subject: str) -> None:
    """Ask the training that runs to end after this iteration and keep what was learned. Raises :class:`StudioError`,
    an ``UnfinishedError`` among them where its machine cannot be reached."""
    left = _left(project, stage, subject)
    if left is None:
        raise StudioError("Nothing was stopped", "no training has begun yet", "Cancel it instead")
    machine = machines.open_for_training(left.machine, user_folder())
    try:
        machine.stop(_run_of(left.folder).run_id)
    finally:
        machine.close()


def give_up(project: Project, stage: int, subject: str) -> None:
    """Let the next run of the stage begin anew. The machine is not asked: it may be gone for good."""
    left = _left(project, stage, subject)
    if left is not None:
        training_run.give_up(left.folder)


def _left(project: Project, stage: int, subject: str) -> Left | None:
    if project.state(stage, subject).state == LOCKED:
        return None
    found = graph.stage(stage)
    wanted = fingerprint.of(project, stage, subject, found.inputs(project, subject))
    number = found.resume(project, subject, wanted.value)
    if number is None:
        return None
    folder = project.results(stage, subject) / f"r{number}"
    run = _run_of(folder)
    return Left(stage, subject, folder, run.machine, run.when) if training_run.has_begun(folder) else None


def _run_of(folder: Path) -> TrainingRun:
    return reading.read_json(TrainingRun, folder / RUN)
