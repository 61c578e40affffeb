"""Work beside the window's own thread: one after the other, answers delivered on the thread of the asker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from studio.schema.errors import StudioError

log = logging.getLogger(__name__)

Answer = Callable[[Any], None]
Refusal = Callable[[StudioError], None]


class _Work(QRunnable):
    def __init__(self, tasks: Tasks, do: Callable[[], Any], done: Answer, refused: Refusal) -> None:
        super().__init__()
        self._tasks, self._do, self._done, self._refused = tasks, do, done, refused

    def run(self) -> None:
        try:
            answer = self._do()
        except StudioError as error:
            self._tasks.work_ended.emit(self._refused, error)
        except Exception as error:  # a fault of the program: it must reach the person as a sentence, not end a thread
            log.exception("work beside the window failed")
            fault = StudioError("Something went wrong inside Padwork", repr(error), "Try again; nothing was lost")
            self._tasks.work_ended.emit(self._refused, fault)
        else:
            self._tasks.work_ended.emit(self._done, answer)


class Tasks(QObject):
    """A queue with one thread. What touches the disk or draws goes here; the window's thread only shows."""

    work_ended = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._pool.setExpiryTimeout(-1)
        self._waiting = 0
        self.work_ended.connect(self._deliver)

    @property
    def idle(self) -> bool:
        """Whether every answer has been delivered."""
        return self._waiting == 0

    def ask(self, do: Callable[[], Any], done: Answer, refused: Refusal) -> None:
        """Run ``do`` beside; then ``done`` with its answer, or ``refused`` with the error, on this object's thread."""
        if not self._closed:
            self._waiting += 1
            self._pool.start(_Work(self, do, done, refused))

    def wait(self) -> None:
        """Until everything that was asked is done; the answers follow."""
        self._pool.waitForDone(10_000)

    def close(self) -> None:
        """Drop what has not begun, wait for what has; nothing is delivered afterwards."""
        self._closed = True
        self._pool.clear()
        self._pool.waitForDone(10_000)

    def _deliver(self, answer: Callable[[Any], None], value: object) -> None:
        self._waiting -= 1
        if not self._closed:
            answer(value)
