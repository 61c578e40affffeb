"""The run's log: one JSON line per event, numbered without a gap, written by the supervisor alone."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from remote_agent.agent.places import RunFolder
from studio.schema.events import MAX_LINE, dump_line, parse_line

BALLAST_BYTES = 65536
SYNC_EVERY_S = 1.0
LAZY_TYPES = ("progress", "metric", "log")
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass
class Past:
    """What the log already says. ``at``: how far each attempt's output was read; ``clock``: its first and last s."""

    seq: int = 0
    size: int = 0
    attempt: int = 0
    finished: bool = False
    checkpoint: str = ""
    at: dict[int, int] = field(default_factory=dict)
    clock: dict[int, tuple[float, float]] = field(default_factory=dict)

    def add(self, event: dict[str, Any], size: int) -> None:
        """Takes in the next event, whose line has ``size`` bytes: all of it or, where something lacks, nothing.

        Raises ``KeyError``, ``ValueError`` or ``TypeError``.
        """
        attempt, now, kind = int(event["att"]), float(event["mono"]), str(event["type"])
        at = int(event.get("at", self.at.get(attempt, 0)))
        checkpoint = str(event["sha"]) if kind == "ckpt" else self.checkpoint
        self.seq += 1
        self.size += size
        self.attempt = max(self.attempt, attempt)
        self.clock[attempt] = (self.clock.get(attempt, (now, now))[0], now)
        self.finished = kind == "final"
        self.at[attempt] = at
        self.checkpoint = checkpoint

    def spent_s(self, before: int) -> float:
        """Seconds the attempts before this one ran."""
        return sum(last - first for attempt, (first, last) in self.clock.items() if attempt < before)


def read_past(run: RunFolder) -> Past:
    """Reads the log up to the first line that is torn or out of order."""
    past = Past()
    if not run.events.exists():
        return past
    with run.events.open("rb") as stream:
        while (line := stream.readline(MAX_LINE + 1)).endswith(b"\n"):
            try:
                event = parse_line(line)
                if event["seq"] != past.seq + 1:
                    break
                past.add(event, len(line))
            except (ValueError, KeyError, TypeError):
                break
    return past


def read_last(run: RunFolder) -> dict[str, Any]:
    """The log's last event, without reading all of it; empty if there is none."""
    try:
        with run.events.open("rb") as stream:
            stream.seek(max(0, run.events.stat().st_size - 2 * MAX_LINE))
            last = stream.read().rpartition(b"\n")[0].rpartition(b"\n")[2]
        event = parse_line(last)
        return event if {"seq", "att", "type"} <= set(event) else {}
    except (FileNotFoundError, ValueError):
        return {}


class EventLog:
    """Opens the log for writing and cuts off a torn end. ``write`` stands for ``os.write`` (a full disk in a test)."""

    def __init__(self, run: RunFolder, write: Callable[[int, bytes], int] = os.write) -> None:
        self._run = run
        self._write = write
        self._synced = time.monotonic()
        self.past = read_past(run)
        self.attempt = max(1, self.past.attempt)
        self.lost = 0
        self._handle = os.open(run.events, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        os.ftruncate(self._handle, self.past.size)
        self._load_ballast()

    def emit(self, kind: str, **fields: Any) -> int | None:
        """Appends one event and returns its number, or ``None`` if the disk has no room even for that."""
        line = self._line(kind, fields)
        if not self._append(line):
            self.lost += 1
            return None
        self.past.add(parse_line(line), len(line))
        self._sync(kind)
        return self.past.seq

    def close(self) -> None:
        os.close(self._handle)

    def _line(self, kind: str, fields: dict[str, Any]) -> bytes:
        head: dict[str, Any] = {
            "seq": self.past.seq + 1,
            "t": round(time.time(), 6),
            "mono": round(time.monotonic(), 6),
            "att": self.attempt,
        }
        line = dump_line({**head, "type": kind, **fields})
        if len(line) <= MAX_LINE:
            return line
        kept = {"at": fields["at"]} if "at" in fields else {}
        return dump_line({**head, "type": "oversize", "was": kind, "len": len(line), **kept})

    def _append(self, line: bytes) -> bool:
        for _ in range(2):
            try:
                if self._write(self._handle, line) == len(line):
                    return True
                full = True
            except OSError as problem:
                full = problem.errno in FULL
            with suppress(OSError):
                os.ftruncate(self._handle, self.past.size)
            if not full or not self._drop_ballast():
                return False
        return False

    def _sync(self, kind: str) -> None:
        now = time.monotonic()
        if kind in LAZY_TYPES and now - self._synced < SYNC_EVERY_S:
            return
        with suppress(OSError):
            os.fsync(self._handle)
        self._synced = now

    def _load_ballast(self) -> None:
        if self._run.ballast.exists():
            return
        with suppress(OSError):
            self._run.ballast.write_bytes(os.urandom(BALLAST_BYTES))

    def _drop_ballast(self) -> bool:
        try:
            self._run.ballast.unlink()
        except OSError:
            return False
        return True
