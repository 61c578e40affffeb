"""Where we are and what runs, in words."""

from __future__ import annotations

from PySide6.QtCore import Signal

from studio.app import units
from studio.app.session import Session
from studio.app.text import tr
from studio.ui.presenters.presenter import Presenter, stage_name, technique_name


class TopbarPresenter(Presenter):
    """Project, technique and place; the running stage. ``job_changed`` is the frequent part of ``changed``."""

    job_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._place = "home"
        for signal in (session.project_opened, session.technique_chosen, session.states_changed):
            signal.connect(self.changed)
        for signal in (session.stage_started, session.stage_finished, session.stage_cancelled):
            signal.connect(self.changed)
        session.stage_progressed.connect(self.job_changed)

    def go(self, place: str) -> None:
        """ "home", "machines" or a stage's number."""
        self._place = place
        self.changed.emit()

    @property
    def crumbs(self) -> tuple[str, ...]:
        project = self.session.overview.name
        if self._place == "machines":
            return (project, tr("machines.title")) if project else (tr("machines.title"),)
        if self._place == "home" or not self.session.technique:
            return (project,)
        stage = int(self._place)
        revision = self.session.stage(stage).revision
        last = (tr("top.revision", number=revision),) if revision else ()
        return (project, technique_name(self.session.technique), stage_name(stage), *last)

    @property
    def synthetic(self) -> bool:
        """Whether the program made what the project shows; every page says so."""
        return self.session.overview.synthetic and self.crumbs[:1] == (self.session.overview.name,)

    @property
    def job(self) -> tuple[str, str, str] | None:
        """Name, share and time left of what runs; None while nothing does."""
        progress = self.session.running
        if progress is None:
            return None
        left = tr("top.left", time=units.length_of_time(progress.left_s)) if progress.left_s is not None else ""
        name = stage_name(progress.stage)
        if progress.machine:
            name = tr("training.on_machine", stage=name, machine=progress.machine)
        return name, f"{100 * progress.fraction:.0f} %", left

    @property
    def more(self) -> str:
        """How many run, where it is more than the one that is shown."""
        count = len(self.session.runs)
        return tr("runs.count", count=count) if count > 1 else ""

    @property
    def job_stage(self) -> int:
        progress = self.session.running
        return progress.stage if progress else 0

    def stop(self) -> None:
        """Stop the one that is shown."""
        progress = self.session.running
        if progress is not None:
            self.session.stop(progress.stage, progress.subject)
