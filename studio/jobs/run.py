"""One stage run in a child process: its events, a cancel that cancels, and an answer when it dies."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator

from studio.jobs.command import worker_command, worker_environment
from studio.jobs.events import Cancelled, Done, Event, Failed, decode
from studio.schema.errors import StudioError
from studio.stages.execute import record_crash
from studio.stages.graph import stage as find_stage
from studio.store.lock import me, read_holder, write_holder
from studio.store.project import Project


class StageJob:
    """Start it, read :meth:`events` in any one thread until it ends, call :meth:`cancel` from any other."""

    def __init__(self, project: Project, stage: int, subject: str) -> None:
        self.project = project
        self.stage = find_stage(stage)
        self.subject = subject
        self.result: Event | None = None
        self._process: subprocess.Popen[str] | None = None
        self._started = 0.0
        self._cancelled = threading.Event()

    @property
    def pid(self) -> int:
        """The child's process number; 0 before :meth:`start`."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the process. Raises :class:`StudioError` where this stage runs already."""
        marker = self.project.layout.job(self.stage.number, self.subject)
        holder = read_holder(marker)
        if holder is not None and not holder.is_gone:
            raise StudioError(
                f"Stage {self.stage.number} of {self.subject} cannot start",
                f"it is running already (process {holder.pid})",
                "Wait for it, or cancel it",
            )
        log = self.project.layout.job_log(self.stage.number, self.subject)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                worker_command(self.project.layout.root, self.stage.number, self.subject),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=worker_environment(),
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        self._started = time.monotonic()
        write_holder(marker, me(self._process.pid))

    def events(self) -> Generator[Event, None, None]:
        """Everything the stage says; the last event is Done, Failed or Cancelled. Blocks between events."""
        process = self._process
        if process is None or process.stdout is None:
            raise RuntimeError("start() comes first")
        try:
            for line in process.stdout:
                event = decode(line)
                if isinstance(event, (Done, Failed, Cancelled)):
                    self.result = event
                elif event is not None:
                    yield event
            process.wait()
        finally:
            self._end(process)
        yield self.result or self._sudden_end(process.returncode)

    def run(self, on_event: Callable[[Event], None] = lambda event: None) -> Event:
        """Start, report every event, return the last. Leaving early by an exception cancels the stage."""
        self.start()
        last: Event = Cancelled()
        with contextlib.closing(self.events()) as events:
            for last in events:
                on_event(last)
        return last

    def cancel(self) -> None:
        """Ask the process to end; after the stage's grace end it. Returns at once."""
        process = self._process
        if process is None or self._cancelled.is_set():
            return
        self._cancelled.set()
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        threading.Thread(target=self._kill_after_grace, args=(process,), daemon=True).start()

    def abandon(self) -> None:
        """End the process at once, as a computer that is switched off would: what it can go on with later waits, and
        no failure is recorded. Returns at once."""
        process = self._process
        if process is not None and not self._cancelled.is_set():
            self._cancelled.set()
            self._kill(process)

    def _kill_after_grace(self, process: subprocess.Popen[str]) -> None:
        try:
            process.wait(self.stage.grace_s)
        except subprocess.TimeoutExpired:
            self._kill(process)

    def _end(self, process: subprocess.Popen[str]) -> None:
        """No process and no marker stays behind, also where the reader of the events gave up."""
        if process.poll() is None:
            self.cancel()
            try:
                process.wait(self.stage.grace_s + 1.0)
            except subprocess.TimeoutExpired:
                self._kill(process)
                process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self.project.layout.job(self.stage.number, self.subject).unlink(missing_ok=True)

    @staticmethod
    def _kill(process: subprocess.Popen[str]) -> None:
        """End the process and what it started, except what left its session; one that has ended is left alone, since
        its number may be another's by now."""
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()

    def _sudden_end(self, status: int) -> Event:
        """What to say about a process that ended without a last word."""
        if self._cancelled.is_set():
            self.result = Cancelled()
            return self.result
        log = self.project.layout.job_log(self.stage.number, self.subject)
        error = StudioError(
            f"Stage {self.stage.number} ({self.stage.declaration.title}) ended in the middle",
            _cause(status),
            f"Run it again; if it happens again, the log is {log}",
        )
        with contextlib.suppress(StudioError):
            seconds = time.monotonic() - self._started
            record_crash(self.project, self.stage.number, self.subject, error, seconds)
        self.result = Failed(error.what, error.why, error.next_step)
        return self.result


def _cause(status: int) -> str:
    if status < 0:
        name = signal.Signals(-status).name if -status in {s.value for s in signal.Signals} else str(-status)
        memory = ", often because memory ran out" if name == "SIGKILL" else ""
        return f"its process was ended by signal {name}{memory}"
    return f"its process ended with status {status} and no word why"
