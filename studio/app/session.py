"""What a window works on: one project, one technique of it, its states, what runs. No widgets.

Everything that reads the disk goes through one thread beside the window's, so answers come as signals.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.app.beside import Beside
from studio.app.machines import Machines
from studio.app.overview import Overview, StageView, read_overview, with_running
from studio.app.runs import Runs, cannot_start
from studio.app.stage_run import CANCELLED, FAILED, Progress
from studio.app.tasks import Tasks
from studio.app.trainings import TRAININGS, Left, give_up, left_trainings, tell_machine
from studio.schema.errors import StudioError
from studio.schema.machine import THIS_COMPUTER
from studio.schema.user_folder import user_folder
from studio.stages.training_run import TrainingRun
from studio.store.lock import ProjectLock
from studio.store.project import Project

NOTHING = Overview("", (), ())


class Session(QObject):
    """Signals tell what has happened: a stage is named by its number and its subject. ``closing``: the project is about
    to be let go, what still writes to it must end."""

    project_opened = Signal()
    technique_chosen = Signal(str)
    states_changed = Signal()
    stage_started = Signal(int, str)
    stage_progressed = Signal(object)
    stage_finished = Signal(int, str)
    stage_cancelled = Signal(int, str)
    stage_approved = Signal(int, str)
    failed = Signal(object)
    closing = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tasks = Tasks(self)
        self.pictures = Tasks(self)
        self.network = Beside(self)
        self.machines = Machines(user_folder(), self.network, self)
        self._on_disk = NOTHING
        self._project: Project | None = None
        self._lock: ProjectLock | None = None
        self._technique = ""
        self._runs = Runs(self.network, self)
        self._runs.progressed.connect(self.stage_progressed)
        self._runs.ended.connect(self._run_ended)
        self._runs.not_stopped.connect(self.failed)
        self._errors: dict[tuple[int, str], StudioError] = {}
        self._reading = self._stale = False
        self._to_find = False

    @property
    def project(self) -> Project:
        """The open project. Raises :class:`StudioError` before one is."""
        if self._project is None:
            raise StudioError("No project is open", "none was chosen yet", "Open one")
        return self._project

    @property
    def overview(self) -> Overview:
        """What the disk said last, with what runs now running."""
        found = self._on_disk
        for progress in self.runs:
            found = with_running(found, progress.stage, progress.subject)
        return found

    @property
    def is_open(self) -> bool:
        return self._project is not None

    @property
    def technique(self) -> str:
        """Name of the chosen technique, empty where the project has none."""
        return self._technique

    @property
    def runs(self) -> tuple[Progress, ...]:
        """How far all that runs has come: at most one stage on this computer, and trainings of other machines."""
        return self._runs.all

    @property
    def running(self) -> Progress | None:
        """The run to show where there is room for one, that of this computer before others; None while none runs."""
        return self._runs.shown

    def run_of(self, stage: int) -> Progress | None:
        """How far a stage of the chosen technique has come; None while it does not run."""
        return self._runs.of(stage, self.stage(stage).subject)

    @property
    def idle(self) -> bool:
        """Nothing runs and nothing is being read: what is shown is what is on disk."""
        return not self.runs and not self._reading and self.tasks.idle and self.pictures.idle

    def open(self, path: Path | str) -> None:
        """Open a project and take its lock; the one before is given back. Raises :class:`StudioError` and stays with
        what it had."""
        project = Project.open(path)
        lock = project.lock()
        lock.acquire()
        self.closing.emit()
        self._runs.leave()
        self._let_go()
        self._project, self._lock = project, lock
        self._on_disk, self._errors, self._to_find = NOTHING, {}, True
        names = project.techniques()
        self._technique = names[0] if names else ""
        self.project_opened.emit()
        self.refresh()

    def close(self) -> None:
        """Stop what runs, wait for what reads, give the lock back. A training is not stopped: it goes on without a
        window, and the next one goes on with it."""
        self.closing.emit()
        self._runs.leave()
        self.network.close()
        self.tasks.close()
        self.pictures.close()
        self._let_go()

    def choose(self, technique: str) -> None:
        """Work on another technique. An unknown one is ignored."""
        if technique != self._technique and self.overview.technique(technique):
            self._technique = technique
            self.technique_chosen.emit(technique)

    def stage(self, stage: int) -> StageView:
        """A stage of the chosen technique as it was last seen on disk."""
        view = self.overview.technique(self._technique)
        if view is None:
            return StageView(stage, "")
        return view.stage(stage)

    def error(self, stage: int) -> StudioError | None:
        """What this session saw fail last at a stage of the chosen technique."""
        return self._errors.get((stage, self.stage(stage).subject))

    def refresh(self) -> None:
        """Read the states again, beside; ``states_changed`` when they are here. Several wishes become one."""
        if self._project is None:
            return
        if self._reading:
            self._stale = True
            return
        self._reading, project = True, self._project
        self.tasks.ask(lambda: read_overview(project), lambda found: self._show(project, found), self._not_read)

    def ask(self, do: Callable[[Project], Any], done: Callable[[Any], None]) -> None:
        """Read something of the project beside; ``done`` gets it, ``failed`` says why not."""
        project = self.project
        self.tasks.ask(lambda: do(project), done, self.failed.emit)

    def draw(self, do: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Make a picture beside; one at a time, so that drawing never waits for reading."""
        self.pictures.ask(do, done, self.failed.emit)

    def refusal(self, stage: int, machine: str | None = None) -> StudioError | None:
        """Why a stage of the chosen technique cannot begin now; None where it can. ``machine`` as in :meth:`run`."""
        view = self.stage(stage)
        if view.state == "locked":
            return cannot_start(stage, view.why or "there is nothing to build on yet", "Finish that first")
        return self._runs.refusal(stage, view.subject, view.place.machine if machine is None else machine)

    def run(self, stage: int, machine: str | None = None) -> bool:
        """Run a stage of the chosen technique in a process of its own. ``machine``: which one trains it, empty for this
        computer, left out where the disk says. Returns whether it began; ``failed`` says why not."""
        view = self.stage(stage)
        refusal = self.refusal(stage, machine) if self.is_open else None
        if refusal is not None:
            self.failed.emit(refusal)
        elif self.is_open:
            self._begin(stage, view.subject, view.place.machine if machine is None else machine)
            return True
        return False

    def _begin(self, stage: int, subject: str, machine: str) -> None:
        self._errors = {
            key: error for key, error in self._errors.items() if key[0] in TRAININGS and key != (stage, subject)
        }
        self._runs.begin(self.project, stage, subject, "" if machine == THIS_COMPUTER else machine)
        self.stage_started.emit(stage, subject)
        self.states_changed.emit()

    def stop(self, stage: int, subject: str) -> None:
        """End a run and keep what it can keep: a training ends after its iteration with a last snapshot. Asked a second
        time it is cancelled."""
        self._runs.stop(stage, subject)

    def cancel(self, stage: int, subject: str) -> None:
        """End a run; the last good result stays."""
        self._runs.cancel(stage, subject)

    def give_up(self, stage: int, done: Callable[[], Any]) -> None:
        """Let the next run of a stage begin anew instead of going on with the training that was left. ``done`` when
        that is on disk; the machine is asked to end it in the background, ``failed`` says where it could not be."""
        subject = self.stage(stage).subject

        def given_up(run: TrainingRun | None) -> None:
            if run is not None:
                self.network.ask(lambda: tell_machine(run), lambda _: None, self.failed.emit)
            self.refresh()
            done()

        self.ask(lambda project: give_up(project, stage, subject), given_up)

    def approve(self, stage: int, words: str = "", choice: str = "", verdict: str = "approved") -> None:
        """Keep the coach's verdict on the newest result of a stage; ``stage_approved`` when it is on disk."""
        subject = self.stage(stage).subject
        self.ask(
            lambda project: project.approve(stage, subject, words=words, choice=choice, verdict=verdict),
            lambda _: self._approved(stage, subject),
        )

    def _approved(self, stage: int, subject: str) -> None:
        self.stage_approved.emit(stage, subject)
        self.refresh()

    def _show(self, project: Project, found: Overview) -> None:
        self._reading = False
        if project is not self._project:
            self.refresh()
            return
        self._on_disk = found
        names = [view.name for view in found.techniques]
        if self._technique not in names:
            self._technique = names[0] if names else ""
            self.technique_chosen.emit(self._technique)
        self.states_changed.emit()
        self._find_left()
        if self._stale:
            self._stale = False
            self.refresh()

    def _find_left(self) -> None:
        """After opening: go on with every training that an earlier window left."""
        if self._to_find:
            self._to_find = False
            project = self.project
            self.tasks.ask(lambda: left_trainings(project), lambda left: self._go_on(project, left), self.failed.emit)

    def _go_on(self, project: Project, left: tuple[Left, ...]) -> None:
        for one in reversed(left) if project is self._project else ():
            if self._runs.of(one.stage, one.subject) is None:
                self._begin(one.stage, one.subject, one.machine)

    def _not_read(self, error: StudioError) -> None:
        self._reading = False
        self.failed.emit(error)

    def _run_ended(self, run: Progress, outcome: str, error: StudioError | None) -> None:
        if outcome == FAILED and error is not None:
            self._errors[run.stage, run.subject] = error
            self.failed.emit(error)
        signal = self.stage_cancelled if outcome == CANCELLED else self.stage_finished
        signal.emit(run.stage, run.subject)
        self.refresh()

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.release()
        self._project = self._lock = None
