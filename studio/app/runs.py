"""What runs in a window: one stage that this computer computes, and beside it the trainings of other machines."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from studio.app.beside import Beside
from studio.app.stage_run import Progress, StageRun
from studio.app.trainings import TRAININGS, stop_early
from studio.schema.errors import StudioError, UnfinishedError
from studio.store.catalog import declaration
from studio.store.project import Project


class Runs(QObject):
    """``ended`` carries the last :class:`Progress`, how it ended, and the error where it failed; ``not_stopped`` why a
    training could not be asked to stop."""

    progressed = Signal(object)
    ended = Signal(object, str, object)
    not_stopped = Signal(object)

    def __init__(self, network: Beside, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._network = network
        self._runs: list[StageRun] = []

    @property
    def all(self) -> tuple[Progress, ...]:
        """How far each has come, in the order in which they began."""
        return tuple(run.progress for run in self._runs)

    @property
    def shown(self) -> Progress | None:
        """The one to show where there is room for one: what this computer computes, else the newest training."""
        local = [progress for progress in self.all if not progress.machine]
        return next(iter((*local[-1:], *self.all[-1:])), None)

    def of(self, stage: int, subject: str) -> Progress | None:
        """How far one has come; None where it does not run."""
        run = self._find(stage, subject)
        return run.progress if run else None

    def refusal(self, stage: int, subject: str, machine: str) -> StudioError | None:
        """Why a stage cannot begin beside what runs; None where it can. ``machine`` empty: on this computer."""
        if self._find(stage, subject):
            return cannot_start(stage, "it is running already", "Wait for it, or cancel it")
        busy = next((progress for progress in self.all if not progress.machine), None)
        if machine or busy is None:
            return None
        title = declaration(busy.stage).title
        why = f"stage {busy.stage} ({title}) is at work on this computer"
        return cannot_start(stage, why, "Wait for it, or stop it")

    def begin(self, project: Project, stage: int, subject: str, machine: str) -> None:
        """Start a stage in a process of its own. ``machine``: the one that trains it, empty for this computer."""
        run = StageRun(project, stage, subject, machine, self)
        run.progressed.connect(self.progressed)
        run.ended.connect(lambda outcome, error: self._end(run, outcome, error))
        self._runs.append(run)
        run.start()

    def stop(self, stage: int, subject: str) -> None:
        """End one and keep what it can keep: a training ends after its iteration with a last snapshot. Asked a second
        time it is cancelled."""
        run = self._find(stage, subject)
        if run is None:
            return
        if stage not in TRAININGS or run.asked_to_stop:
            run.cancel()
            return
        run.asked_to_stop = True
        project = run.project
        self._network.ask(
            lambda: stop_early(project, stage, subject), lambda _: None, lambda error: self._not_asked(run, error)
        )

    def cancel(self, stage: int, subject: str) -> None:
        """End one; the last good result stays."""
        run = self._find(stage, subject)
        if run is not None:
            run.cancel()

    def leave(self) -> None:
        """Let go of all: trainings go on where they are, the rest is cancelled. Returns when no process is left."""
        left, self._runs = self._runs, []
        for run in left:
            if run.stage not in TRAININGS:
                run.cancel()
            run.leave()
        for run in left:
            run.wait()
            run.deleteLater()

    def _find(self, stage: int, subject: str) -> StageRun | None:
        return next((run for run in self._runs if (run.stage, run.subject) == (stage, subject)), None)

    def _not_asked(self, run: StageRun, error: StudioError) -> None:
        """A machine that cannot be reached is not a reason to lose what it has learned; all else ends at once."""
        if run not in self._runs:
            return
        if isinstance(error, UnfinishedError):
            self.not_stopped.emit(error)
        else:
            run.cancel()

    def _end(self, run: StageRun, outcome: str, error: StudioError | None) -> None:
        if run in self._runs:
            self._runs.remove(run)
            run.deleteLater()
            self.ended.emit(run.progress, outcome, error)


def cannot_start(stage: int, why: str, next_step: str) -> StudioError:
    """The sentence for a stage that cannot begin now."""
    return StudioError(f"Stage {stage} ({declaration(stage).title}) cannot start", why, next_step)
