"""The solver's process seen from this side: kept alive, asked, listened to. No caller ever waits for it."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable

from studio.jobs.answers import Answer, Refused, Request, read_answer, write_request
from studio.jobs.command import solver_command, worker_environment
from studio.schema.errors import StudioError
from studio.schema.layers import Layers
from studio.store.project import Project

LIVES = 2
"""How often it is started for one answer: a process that dies is replaced once."""


class Solving:
    """One solver for one technique, started at once. ``on_answer`` and ``on_failure`` are called in its own thread.

    Every method returns at once and may be called from any thread.
    """

    def __init__(
        self,
        project: Project,
        technique: str,
        on_answer: Callable[[Layers, Answer], None],
        on_failure: Callable[[StudioError], None],
    ) -> None:
        self._project, self._technique = project, technique
        self._on_answer, self._on_failure = on_answer, on_failure
        self._changed = threading.Condition()
        self._asked: dict[int, Layers] = {}
        self._number, self._answered, self._lives = 0, 0, LIVES
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """Of the process that solves now; 0 while there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else 0

    def ask(self, layers: Layers) -> int:
        """Wish for ``layers``; what was wished for before and not begun is dropped. Returns the wish's number."""
        with self._changed:
            self._number += 1
            self._asked[self._number] = layers
            self._changed.notify_all()
            return self._number

    def close(self) -> None:
        """End the process; nothing is told any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._end(self._process)

    def join(self, timeout_s: float = 5.0) -> None:
        """Wait until its process is gone, after :meth:`close`."""
        self._thread.join(timeout_s)

    @property
    def _unanswered(self) -> bool:
        return self._number > self._answered

    def _live(self) -> None:
        """The thread: one process after the other, as long as they are wanted."""
        while self._await_life():
            self._lives -= 1
            fault = self._one_life()
            if self._closed:
                return
            if self._lives > 0 and fault is None:
                continue
            with self._changed:
                told, self._answered, self._lives = self._unanswered, self._number, 0
            if told or fault is not None:
                self._on_failure(fault or self._sudden_end())

    def _await_life(self) -> bool:
        """Wait until a process is wanted: at first, and when something is asked after one was given up."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._lives > 0 or self._unanswered)
            if self._lives == 0:
                self._lives = LIVES
            return not self._closed

    def _one_life(self) -> StudioError | None:
        """Start a process and hear it to its end; an error that a new one would meet as well, or None."""
        try:
            process = self._start()
        except OSError as error:
            return StudioError("The solver was not started", str(error), "Try again")
        writer = threading.Thread(target=self._write, args=(process,), daemon=True)
        writer.start()
        try:
            return self._hear(process)
        finally:
            self._end(process)
            process.wait()
            with self._changed:
                self._process = None
                self._changed.notify_all()
            writer.join()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]

    def _start(self) -> subprocess.Popen[bytes]:
        log = self._project.layout.solver_log(self._technique)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as errors:
            process = subprocess.Popen(
                solver_command(self._project.layout.root, self._technique),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=worker_environment(),
                start_new_session=True,
            )
        with self._changed:
            self._process = process
            if self._closed:
                process.kill()
        return process

    def _write(self, process: subprocess.Popen[bytes]) -> None:
        """The writing thread: hands over the newest wish, and nothing else, whenever there is one."""
        assert process.stdin is not None
        wish = self._next_wish(process, self._answered)
        while wish is not None:
            try:
                write_request(process.stdin, wish)
            except OSError:
                return
            wish = self._next_wish(process, wish.number)

    def _next_wish(self, process: subprocess.Popen[bytes], after: int) -> Request | None:
        """Wait for a wish newer than number ``after``; None once ``process`` is not the one that solves."""
        with self._changed:
            self._changed.wait_for(lambda: self._process is not process or self._number > after)
            if self._process is not process:
                return None
            return Request(self._number, self._asked[self._number])

    def _hear(self, process: subprocess.Popen[bytes]) -> StudioError | None:
        assert process.stdout is not None
        while (answer := read_answer(process.stdout)) is not None and not self._closed:
            if isinstance(answer, Refused) and answer.number == 0:
                return answer.error
            with self._changed:
                layers = self._asked.get(answer.number)
                if layers is None:
                    continue
                self._answered, self._lives = answer.number, LIVES - 1
                self._asked = {number: one for number, one in self._asked.items() if number >= answer.number}
            if not self._closed:
                self._on_answer(layers, answer)
        return None

    def _sudden_end(self) -> StudioError:
        log = self._project.layout.solver_log(self._technique)
        return StudioError(
            "The layers cannot be applied just now",
            "the process that solves them ended twice without a word",
            f"Change something to try again; if it happens again, the log is {log}",
        )

    @staticmethod
    def _end(process: subprocess.Popen[bytes] | None) -> None:
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
