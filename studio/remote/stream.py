"""A run's log over one connection, read in its own thread: a slow listener never looks like a dead line."""

from __future__ import annotations

import queue
import threading
import time
from contextlib import suppress
from typing import Any

from studio.remote.channel import Exec, LineLostError, Lines
from studio.remote.machine import MAX_MESSAGE
from studio.schema.events import dump_line, parse_line

BACKLOG = 500
POLL_S = 0.1
PING_S = 10.0
PING = dump_line({"k": "ping"})


class Stream:
    """Messages in order. ``tick`` keeps the line alive and must be called more often than every few seconds."""

    def __init__(self, process: Exec, lines: Lines) -> None:
        self._process, self._lines = process, lines
        self._pinged = time.monotonic()
        self._messages: queue.Queue[dict[str, Any] | Exception] = queue.Queue(BACKLOG)
        self._failure: Exception | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._read, name="run-log", daemon=True)
        self._thread.start()

    def take(self, wait_s: float = POLL_S) -> list[dict[str, Any]]:
        """The messages that are there, waiting for the first one up to ``wait_s``.

        Raises :class:`LineLostError` when the line broke or was silent, ``ValueError`` for what is no message.
        """
        self.tick()
        if self._failure is not None:
            raise self._failure
        messages: list[dict[str, Any]] = []
        with suppress(queue.Empty):
            item = self._messages.get(timeout=wait_s)
            while not isinstance(item, Exception):
                messages.append(item)
                item = self._messages.get_nowait()
            self._failure = item
        if self._failure is not None and not messages:
            raise self._failure
        return messages

    def tick(self) -> None:
        """Tells the agent that we are here."""
        if time.monotonic() - self._pinged > PING_S:
            self._pinged = time.monotonic()
            self._process.send(PING)

    def acknowledge(self, seq: int) -> None:
        """Everything up to ``seq`` is safe here."""
        self._process.send(dump_line({"k": "ack", "seq": seq}))

    def close(self) -> None:
        """Ends the verb and waits for the reader."""
        self._closed.set()
        self._process.close()
        self._thread.join()

    def _read(self) -> None:
        try:
            while line := self._lines.line(MAX_MESSAGE):
                self._put(parse_line(line, cap=MAX_MESSAGE))
            self._put(LineLostError("the stream ended"))
        except (LineLostError, ValueError) as problem:
            self._put(problem)

    def _put(self, item: dict[str, Any] | Exception) -> None:
        while not self._closed.is_set():
            with suppress(queue.Full):
                return self._messages.put(item, timeout=POLL_S)
