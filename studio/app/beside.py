"""Work that takes as long as a network takes: each in a thread of its own, answers on the thread of the asker."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, Signal

from studio.app.tasks import Answer, Refusal
from studio.schema.errors import StudioError

log = logging.getLogger(__name__)


class Beside(QObject):
    """Unlike :class:`~studio.app.tasks.Tasks` nothing waits for anything else, and closing waits for nobody: a machine
    that does not answer holds up neither the disk nor the window."""

    work_ended = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self.work_ended.connect(self._deliver)

    def ask(self, do: Callable[[], Any], done: Answer, refused: Refusal) -> None:
        """Run ``do`` beside; then ``done`` with its answer, or ``refused`` with the error."""
        if not self._closed:
            threading.Thread(target=self._work, args=(do, done, refused), name="beside", daemon=True).start()

    def close(self) -> None:
        """Deliver nothing any more."""
        self._closed = True

    def _work(self, do: Callable[[], Any], done: Answer, refused: Refusal) -> None:
        answer: Any
        try:
            deliver, answer = done, do()
        except StudioError as error:
            deliver, answer = refused, error
        except Exception as error:  # a fault of the program: it must reach the person as a sentence, not end a thread
            log.exception("work beside the window failed")
            deliver, answer = refused, StudioError("Something went wrong inside Padwork", repr(error), "Try again")
        with suppress(RuntimeError):  # the window is gone, and this object with it
            self.work_ended.emit(deliver, answer)

    def _deliver(self, answer: Callable[[Any], None], value: object) -> None:
        if not self._closed:
            answer(value)
