"""Sending a run's log from any point on, and going on as it grows, to a reader that may vanish."""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from typing import Any, NamedTuple

from remote_agent.agent.collect import acknowledge
from remote_agent.agent.files import own_sha, read_json
from remote_agent.agent.identity import is_locked
from remote_agent.agent.places import RunFolder
from studio.schema.events import MAX_LINE, PROTO, dump_line, parse_line

POLL_S = 0.02
BATCH_BYTES = 4 * MAX_LINE
HEARTBEAT_S = 5.0
DEAD_S = 60.0


class ReaderGoneError(Exception):
    """The reader closed its end, or was silent for too long."""


class TailOrder(NamedTuple):
    """``after``: the last event the reader has; ``follow``: wait for more; heartbeat and patience in seconds."""

    after: int
    follow: bool = True
    heartbeat_s: float = HEARTBEAT_S
    dead_s: float = DEAD_S


class Reader:
    """The other end: lines go out on one handle, pings and acknowledgements come in on another."""

    def __init__(self, run: RunFolder, order: TailOrder, source: int = 0, sink: int = 1) -> None:
        self._run, self._order, self._source, self._sink = run, order, source, sink
        self._heard = time.monotonic()
        self._pending = b""

    def send(self, data: bytes) -> None:
        """Raises :class:`ReaderGoneError`."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._sink, view) :]
        except OSError:
            raise ReaderGoneError from None

    def listen(self, wait_s: float) -> None:
        """Takes what came in, waiting for it up to ``wait_s``. Raises :class:`ReaderGoneError`."""
        if not select.select([self._source], [], [], wait_s)[0]:
            if time.monotonic() - self._heard > self._order.dead_s:
                raise ReaderGoneError
            return
        data = os.read(self._source, MAX_LINE)
        if not data:
            raise ReaderGoneError
        self._heard = time.monotonic()
        *lines, self._pending = (self._pending + data).split(b"\n")
        if len(self._pending) > MAX_LINE:
            raise ReaderGoneError
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        with suppress(ValueError, OSError):
            said = parse_line(line)
            if said.get("k") == "ack":
                acknowledge(self._run, said.get("seq"))


class LogReader:
    """Complete lines of the log, always read again from the last whole one: a torn end may be cut off meanwhile."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._offset = 0
        self.last = 0
        self.finished = False

    def more(self, after: int) -> list[bytes]:
        """The next lines of events later than ``after``; empty at the end of the log."""
        lines: list[bytes] = []
        while not lines:
            whole = self._whole_lines()
            if not whole:
                break
            lines = [line for line in whole if self._note(line) > after]
        return lines

    def _whole_lines(self) -> list[bytes]:
        """The next whole lines, up to one that is no event: such an end the next supervisor cuts off."""
        lines: list[bytes] = []
        for line in self._read().splitlines(keepends=True):
            if not line.endswith(b"\n") or not _is_event(line):
                break
            self._offset += len(line)
            lines.append(line.rstrip(b"\n"))
        return lines

    def _read(self) -> bytes:
        try:
            with self._run.events.open("rb") as stream:
                stream.seek(self._offset)
                return stream.read(BATCH_BYTES)
        except FileNotFoundError:
            return b""

    def _note(self, line: bytes) -> int:
        event = parse_line(line)
        self.last = event["seq"]
        self.finished = event["type"] == "final"
        return self.last


def _is_event(line: bytes) -> bool:
    try:
        event = parse_line(line)
    except ValueError:
        return False
    return type(event.get("seq")) is int and isinstance(event.get("type"), str)


def send_log(run: RunFolder, order: TailOrder, reader: Reader) -> None:
    """Hello, the events after ``order.after``, heartbeats, and ``eof`` when no more will come.

    ``eof`` says whether the run has ended and whether anyone still writes; ``reset`` that the reader knows more than
    this log. Raises :class:`ReaderGoneError`.
    """
    record = read_json(run.record)
    log, sent = LogReader(run), time.monotonic()
    _say(reader, k="hello", proto=PROTO, run=record["run"], epoch=record["epoch"], now=time.time(), agent=own_sha())
    while True:
        alive = is_locked(run.lock)
        lines = log.more(order.after)
        if lines:
            reader.send(b"".join(b'{"k":"ev","e":' + line + b"}\n" for line in lines))
            sent = time.monotonic()
        reader.listen(0.0 if lines else POLL_S)
        if lines:
            continue
        if order.after > log.last:
            return _say(reader, k="reset", seq=log.last)
        # Looked at before the lines: whoever was gone then had written all it would.
        if log.finished or not order.follow or not alive:
            return _say(reader, k="eof", seq=log.last, finished=log.finished, running=alive)
        if time.monotonic() - sent > order.heartbeat_s:
            _say(reader, k="hb", now=time.time(), seq=log.last)
            sent = time.monotonic()


def _say(reader: Reader, **fields: Any) -> None:
    reader.send(dump_line(fields))


def tail_order(args: dict[str, Any]) -> TailOrder:
    """Reads the order from the wire; anything out of range becomes the default."""
    return TailOrder(
        after=max(0, _number(args.get("from"), 0)),
        follow=args.get("follow") is not False,
        heartbeat_s=min(60.0, max(0.1, _number(args.get("hb"), HEARTBEAT_S))),
        dead_s=min(600.0, max(0.5, _number(args.get("dead"), DEAD_S))),
    )


def _number(value: Any, default: Any) -> Any:
    return value if type(value) in (int, float) else default
