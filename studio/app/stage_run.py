"""One running stage as the window sees it: a process of its own, read by a thread, told as signals."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from studio.jobs import events
from studio.jobs.run import StageJob
from studio.schema.errors import StudioError
from studio.store.project import Project

FINISHED, CANCELLED, FAILED = "finished", "cancelled", "failed"


@dataclass(frozen=True)
class Progress:
    """``fraction`` 0..1 done; ``text`` what it does just now; ``left_s`` and ``elapsed_s`` seconds, ``left_s`` None
    until it can be told. ``machine``: the one that trains it, empty for this computer."""

    stage: int
    subject: str
    fraction: float = 0.0
    text: str = ""
    left_s: float | None = None
    elapsed_s: float = 0.0
    machine: str = ""


class _Voice(QObject):
    """Carries what the reading thread hears to the thread of the window."""

    spoke = Signal(object)
    refused = Signal(object)


class StageRun(QObject):
    """``progressed`` carries a :class:`Progress`; ``ended`` comes once: "finished", "cancelled" or "failed" with the
    error."""

    progressed = Signal(object)
    ended = Signal(str, object)

    def __init__(
        self, project: Project, stage: int, subject: str, machine: str = "", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.project, self.stage, self.subject = project, stage, subject
        self.asked_to_stop = False
        self.progress = Progress(stage, subject, machine=machine)
        self._began = time.monotonic()
        self._over = False
        self._job = StageJob(project, stage, subject)
        self._unwanted = self._left = False
        self._voice = _Voice()
        self._voice.spoke.connect(self._hear)
        self._voice.refused.connect(self._refused)
        self._reader = threading.Thread(target=self._read, daemon=True)

    def start(self) -> None:
        self._reader.start()

    def cancel(self) -> None:
        """Ask it to end. It ends cleanly, or is ended after the stage's grace."""
        self._unwanted = True
        self._job.cancel()

    def leave(self) -> None:
        """Hear no more of it, and end its process without a word: a training goes on where it is, and the next window
        goes on with it."""
        self._over = self._left = True
        self._voice.spoke.disconnect()
        self._voice.refused.disconnect()
        self._job.abandon()

    def wait(self) -> None:
        """Until its process is gone."""
        self._reader.join(10.0)

    def _read(self) -> None:
        """The reading thread: starts the process and reads it to its end, so that the window never waits for it."""
        try:
            self._job.start()
            if self._left:
                self._job.abandon()
            elif self._unwanted:
                self._job.cancel()
            for event in self._job.events():
                self._voice.spoke.emit(event)
        except StudioError as error:
            self._voice.refused.emit(error)
        except OSError as error:
            self._voice.refused.emit(StudioError("The stage was not started", str(error), "Try again"))

    def _hear(self, event: events.Event) -> None:
        if isinstance(event, events.Progress):
            elapsed = time.monotonic() - self._began
            self.progress = replace(
                self.progress, fraction=event.fraction, text=event.text, left_s=event.left_s, elapsed_s=elapsed
            )
            self.progressed.emit(self.progress)
        elif isinstance(event, events.Failed):
            self._end(FAILED, event.error)
        elif isinstance(event, events.Cancelled):
            self._end(CANCELLED, None)
        else:
            self._end(FINISHED, None)

    def _refused(self, error: StudioError) -> None:
        self._end(FAILED, error)

    def _end(self, outcome: str, error: StudioError | None) -> None:
        if not self._over:
            self._over = True
            self.wait()
            self.ended.emit(outcome, error)
