"""The studio's own copy of a run's log: one file of events, gapless, each on disk before anyone hears of it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from studio.schema.errors import StudioError
from studio.schema.events import MAX_LINE, check_event, dump_line, parse_line

EVENTS = "events.jsonl"
IDENTITY = "mirror.json"
SHOWN = "shown"
SHOWN_DIGITS = 20


class EventReader:
    """Reads a mirror's events as they come, each once, also while they are written. Not for two threads at once."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS
        self.last = 0
        self.offset = 0

    def more(self) -> Iterator[dict[str, Any]]:
        """The events since the last call, in order, up to a torn end. ``last`` and ``offset`` (bytes) go along."""
        if not self._path.exists():
            return
        with self._path.open("rb") as stream:
            stream.seek(self.offset)
            while (line := stream.readline(MAX_LINE + 1)).endswith(b"\n"):
                try:
                    event = parse_line(line)
                    check_event(event)
                except ValueError:
                    return
                if event["seq"] != self.last + 1:
                    return
                self.last += 1
                self.offset += len(line)
                yield event


def read_events(folder: Path, after: int = 0) -> Iterator[dict[str, Any]]:
    """The events later than ``after`` in a mirror's folder, in order, up to a torn end."""
    return (event for event in EventReader(folder).more() if event["seq"] > after)


class Journal:
    """The journal in ``folder`` for one run; a torn end is cut off. Raises ``StudioError`` if it is another run's.

    ``last`` is the number of the last event, ``shown`` the last one whose listener had returned, ``epoch`` empty until
    a machine has told it.
    """

    def __init__(self, folder: Path, run: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._run = run
        self.epoch = self._read_identity()
        self.final: dict[str, Any] | None = None
        reader = EventReader(folder)
        for event in reader.more():
            self._note(event)
        self.last, self._size = reader.last, reader.offset
        self._handle = os.open(folder / EVENTS, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        os.ftruncate(self._handle, self._size)
        self._shown_handle = os.open(folder / SHOWN, os.O_RDWR | os.O_CREAT, 0o644)
        self.shown = min(self._read_shown(), self.last)

    def bind(self, epoch: str) -> None:
        """Ties the journal to one log for good. Raises ``StudioError`` if the machine tells of another."""
        if epoch == self.epoch:
            return
        if self.epoch:
            raise self.replaced()
        told = json.dumps({"run": self._run, "epoch": epoch}).encode()
        temporary = self._folder / f".{IDENTITY}.tmp"
        with temporary.open("wb") as stream:
            stream.write(told)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(self._folder / IDENTITY)
        self.epoch = epoch

    def replaced(self) -> StudioError:
        """The error for a machine whose log is not the one that was followed."""
        return StudioError(
            f"The run {self._run} on the machine is not the one that was followed",
            "the machine was replaced or its folder was emptied",
            "Start a new run from the last snapshot",
        )

    def append(self, events: list[dict[str, Any]]) -> None:
        """Puts events on disk that follow the last one without a gap.

        Raises ``OSError`` if the disk is full and ``ValueError`` for an event that would not be read back.
        """
        lines = [dump_line(event) for event in events]
        if any(len(line) > MAX_LINE for line in lines):
            raise ValueError("an event that is too long")
        data = b"".join(lines)
        try:
            if os.write(self._handle, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise
        self._size += len(data)
        for event in events:
            self.last = event["seq"]
            self._note(event)

    def mark_shown(self, seq: int) -> None:
        """The listener has returned from this event."""
        os.pwrite(self._shown_handle, f"{seq:0{SHOWN_DIGITS}d}".encode(), 0)
        self.shown = seq

    def close(self) -> None:
        os.close(self._handle)
        os.close(self._shown_handle)

    def _note(self, event: dict[str, Any]) -> None:
        if event["type"] == "final":
            self.final = event

    def _read_shown(self) -> int:
        digits = os.pread(self._shown_handle, SHOWN_DIGITS, 0)
        return int(digits) if len(digits) == SHOWN_DIGITS and digits.isdigit() else 0

    def _read_identity(self) -> str:
        try:
            told = json.loads((self._folder / IDENTITY).read_bytes())
            run, epoch = str(told["run"]), str(told["epoch"])
        except FileNotFoundError:
            return ""
        except (OSError, ValueError, KeyError, TypeError):
            raise StudioError(
                f"{self._folder} is no folder of a run", f"its {IDENTITY} cannot be read", "Follow it into a new folder"
            ) from None
        if run != self._run:
            raise StudioError(
                f"{self._folder} belongs to the run {run}", f"it was to follow {self._run}", "Choose another folder"
            )
        return epoch
