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
from studio.app.stage_run import Progress, StageRun
from studio.app.tasks import Tasks
from studio.app.trainings import TRAININGS, Left, left_trainings, stop_early
from studio.schema.errors import StudioError, UnfinishedError
from studio.schema.machine import THIS_COMPUTER
from studio.schema.user_folder import user_folder
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
        self._run: StageRun | None = None
        self._error: tuple[int, str, StudioError] | None = None
        self._reading = self._stale = False
        self._to_find = False
        self._machine = ""

    @property
    def project(self) -> Project:
        """The open project. Raises :class:`StudioError` before one is."""
        if self._project is None:
            raise StudioError("No project is open", "none was chosen yet", "Open one")
        return self._project

    @property
    def overview(self) -> Overview:
        """What the disk said last, with what runs now running."""
        if self._run is None:
            return self._on_disk
        return with_running(self._on_disk, self._run.stage, self._run.subject)

    @property
    def is_open(self) -> bool:
        return self._project is not None

    @property
    def technique(self) -> str:
        """Name of the chosen technique, empty where the project has none."""
        return self._technique

    @property
    def running(self) -> Progress | None:
        """How far what runs has come; None while nothing runs."""
        return self._run.progress if self._run else None

    @property
    def idle(self) -> bool:
        """Nothing runs and nothing is being read: what is shown is what is on disk."""
        return self._run is None and not self._reading and self.tasks.idle and self.pictures.idle

    def open(self, path: Path | str) -> None:
        """Open a project and take its lock; the one before is given back. Raises :class:`StudioError` and stays with
        what it had."""
        project = Project.open(path)
        lock = project.lock()
        lock.acquire()
        self.closing.emit()
        self._leave_run()
        self._let_go()
        self._project, self._lock = project, lock
        self._on_disk, self._error, self._to_find = NOTHING, None, True
        names = project.techniques()
        self._technique = names[0] if names else ""
        self.project_opened.emit()
        self.refresh()

    def close(self) -> None:
        """Stop what runs, wait for what reads, give the lock back. A training is not stopped: it goes on without a
        window, and the next one goes on with it."""
        self.closing.emit()
        self._leave_run()
        self.network.close()
        self.tasks.close()
        self.pictures.close()
        self._let_go()

    def _leave_run(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            if run.stage not in TRAININGS:
                run.cancel()
            run.leave()
            run.wait()

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
        if self._error and self._error[:2] == (stage, self.stage(stage).subject):
            return self._error[2]
        return None

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

    @property
    def machine(self) -> str:
        """The machine that trains what runs; empty where this computer does it, or nothing runs."""
        return self._machine if self._run else ""

    def run(self, stage: int, machine: str = "") -> None:
        """Run a stage of the chosen technique in a process of its own; ignored while another runs. ``machine``: where
        its training goes on, for what is shown."""
        self._begin(stage, self.stage(stage).subject, machine)

    def _begin(self, stage: int, subject: str, machine: str) -> None:
        if self._run is not None or not self.is_open:
            return
        self._machine = "" if machine == THIS_COMPUTER else machine
        self._error = None
        run = StageRun(self.project, stage, subject, self)
        run.progressed.connect(self.stage_progressed)
        run.ended.connect(self._run_ended)
        self._run = run
        run.start()
        self.stage_started.emit(stage, subject)
        self.states_changed.emit()

    def cancel(self) -> None:
        """Stop what runs; the last good result stays."""
        if self._run is not None:
            self._run.cancel()

    def stop(self) -> None:
        """End what runs and keep what it can keep: a training ends after its iteration with a last snapshot. Asked a
        second time it is cancelled."""
        run = self._run
        if run is None:
            return
        if run.stage not in TRAININGS or run.asked_to_stop:
            run.cancel()
            return
        run.asked_to_stop = True
        project, stage, subject = run.project, run.stage, run.subject
        self.network.ask(
            lambda: stop_early(project, stage, subject), lambda _: None, lambda error: self._not_stopped(run, error)
        )

    def _not_stopped(self, run: StageRun, error: StudioError) -> None:
        """A machine that cannot be reached is not a reason to lose what it has learned; all else ends at once."""
        if isinstance(error, UnfinishedError):
            self.failed.emit(error)
        elif run is self._run:
            run.cancel()

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
        """Go on with a training that an earlier window left, after opening and when one has ended."""
        if self._to_find and self._run is None:
            self._to_find = False
            project = self.project
            self.tasks.ask(lambda: left_trainings(project), lambda left: self._go_on(project, left), self.failed.emit)

    def _go_on(self, project: Project, left: tuple[Left, ...]) -> None:
        if left and project is self._project:
            self._begin(left[0].stage, left[0].subject, left[0].machine)

    def _not_read(self, error: StudioError) -> None:
        self._reading = False
        self.failed.emit(error)

    def _run_ended(self, outcome: str, error: StudioError | None) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        run.deleteLater()
        self._to_find = run.stage in TRAININGS and outcome == "finished"
        if outcome == "failed" and error is not None:
            self._error = (run.stage, run.subject, error)
            self.failed.emit(error)
        signal = self.stage_cancelled if outcome == "cancelled" else self.stage_finished
        signal.emit(run.stage, run.subject)
        self.refresh()

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.release()
        self._project = self._lock = None
