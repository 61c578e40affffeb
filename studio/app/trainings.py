"""Trainings that go on without a window: which were left, how one is ended early, how one is given up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.remote import machines
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER
from studio.schema.user_folder import user_folder
from studio.stages import graph, training_run
from studio.stages.training_run import TrainingRun
from studio.store import fingerprint
from studio.store.catalog import practice, student_practice
from studio.store.project import Project
from studio.store.states import LOCKED

TEACHER = 7
TRAININGS = (TEACHER, 9)
"""Stages whose work belongs to a machine's own supervisor."""


@dataclass(frozen=True)
class Left:
    """A training that has begun and was neither seen to its end nor given up."""

    stage: int
    subject: str
    folder: Path
    machine: str
    when: str


@dataclass(frozen=True)
class Place:
    """``machine``: the one that would train, empty for this computer; ``left``: a training there would be gone on with.
    One whose inputs have changed since is not: the next run begins anew."""

    machine: str = ""
    left: bool = False


def left_trainings(project: Project) -> tuple[Left, ...]:
    """Every training that the next run of its stage would go on with, the newest first."""
    found = [_left(project, stage, subject) for stage in TRAININGS for subject in project.subjects(stage)]
    return tuple(sorted((left for left in found if left), key=lambda left: left.when, reverse=True))


def place_of(project: Project, stage: int, subject: str) -> Place:
    """Where the next run of a training's stage trains."""
    try:
        left = _left(project, stage, subject)
        chosen = practice(project, subject) if stage == TEACHER else student_practice(project)
    except StudioError:  # the stage's state says so
        return Place()
    name = left.machine if left else chosen.machine
    return Place("" if name == THIS_COMPUTER else name, left is not None)


def stop_early(project: Project, stage: int, subject: str) -> None:
    """Ask the training that runs to end after this iteration and keep what was learned. Raises :class:`StudioError`,
    an ``UnfinishedError`` among them where its machine cannot be reached."""
    run = _newest(project, stage, subject)
    if run is None or not training_run.has_begun(run[0]):
        raise StudioError("Nothing was stopped", "no training has begun yet", "Cancel it instead")
    _stop(run[1])


def give_up(project: Project, stage: int, subject: str) -> TrainingRun | None:
    """Let the next run of the stage begin anew. Returns the run that was given up; its machine does not know yet, see
    :func:`tell_machine`."""
    run = _newest(project, stage, subject)
    if run is None:
        return None
    training_run.give_up(run[0])
    return run[1]


def tell_machine(run: TrainingRun) -> None:
    """Ask the machine to end a training that was given up. Raises :class:`StudioError` where it cannot be asked."""
    try:
        _stop(run)
    except StudioError as error:
        raise StudioError(
            f"{run.machine} was not told that its training was given up",
            error.why,
            "It trains there to its end; Padwork does not wait for it",
        ) from error


def _stop(run: TrainingRun) -> None:
    machine = machines.open_for_training(run.machine, user_folder())
    try:
        machine.stop(run.run_id)
    finally:
        machine.close()


def _newest(project: Project, stage: int, subject: str) -> tuple[Path, TrainingRun] | None:
    """Folder and identity of the newest open training, also of one whose inputs have changed since."""
    results = project.results(stage, subject)
    found = training_run.open_runs(results)
    return (results / f"r{max(found)}", found[max(found)]) if found else None


def _left(project: Project, stage: int, subject: str) -> Left | None:
    results = project.results(stage, subject)
    if not training_run.open_runs(results) or project.state(stage, subject).state == LOCKED:
        return None
    found = graph.stage(stage)
    wanted = fingerprint.of(project, stage, subject, found.inputs(project, subject))
    number = found.resume(project, subject, wanted.value)
    if number is None:
        return None
    folder = results / f"r{number}"
    run = training_run.open_runs(results)[number]
    return Left(stage, subject, folder, run.machine, run.when) if training_run.has_begun(folder) else None
