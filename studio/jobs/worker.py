"""The process that runs one stage: events on its standard output, everything else in a log."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from studio.jobs.events import Cancelled, Done, Event, Failed, Progress, encode
from studio.jobs.time_left import TimeLeft
from studio.schema.errors import StudioError

CANCELLED_STATUS = 130
ORPHANED_STATUS = 3
PARENT_CHECK_S = 0.3


class StageCancelled(BaseException):
    """Raised where the stage is when the process is told to end; stages clean up in ``finally``."""


class Reporter:
    """Writes events. Progress is thinned to ten lines a second."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._time_left = TimeLeft()
        self._last = 0.0

    def send(self, event: Event) -> None:
        """Write one event at once. A reader that went away is noticed elsewhere."""
        try:
            self._stream.write(encode(event) + "\n")
            self._stream.flush()
        except OSError:
            pass

    def progress(self, fraction: float, text: str) -> None:
        """A stage's progress, with the time left."""
        now, fraction = time.monotonic(), min(max(float(fraction), 0.0), 1.0)
        left = self._time_left.update(now, fraction)
        if now - self._last >= 0.1 or fraction == 1.0:
            self._last = now
            self.send(Progress(fraction, text, None if left is None else round(left, 1)))


def main(arguments: Sequence[str]) -> int:
    """Run the stage named by ``PROJECT STAGE SUBJECT PARENT``. Returns the exit status."""
    project_path, number, subject, parent = Path(arguments[0]), int(arguments[1]), arguments[2], int(arguments[3])
    reporter = Reporter(_own_stdout())
    signal.signal(signal.SIGTERM, _cancel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    try:
        return _run(project_path, number, subject, reporter)
    except StageCancelled:
        reporter.send(Cancelled())
        return CANCELLED_STATUS


def _run(project_path: Path, number: int, subject: str, reporter: Reporter) -> int:
    from studio.stages.execute import run_stage
    from studio.store.project import Project

    try:
        revision = run_stage(Project.open(project_path), number, subject, reporter.progress)
    except StudioError as error:
        reporter.send(Failed(error.what, error.why, error.next_step))
        return 1
    reporter.send(Done(revision.number, revision.record.seconds, revision.record.summary))
    return 0


def _own_stdout() -> IO[str]:
    """Keep standard output for events; what libraries print goes where errors go."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return stream


def _cancel(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise StageCancelled


def end_with_parent(parent: int) -> None:
    """End this process at once when whoever started it is gone; blocks until then. A training goes on: its supervisor
    is nobody's child."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(ORPHANED_STATUS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
