"""From what the trainer prints to events of the run. Every event remembers how far the output was read (``at``)."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any

from remote_agent.agent.files import free_bytes, used_bytes
from remote_agent.agent.log import EventLog
from remote_agent.agent.outputs import BadOutputError, store_output
from remote_agent.agent.places import RunFolder
from remote_agent.agent.spec import RunSpec
from studio.schema.events import FILE_TYPES, MAX_LINE, MAX_TEXT, RESERVED, TRAINER_TYPES, parse_line

READ_BYTES = 1 << 20
MAX_TRAIN_LOG = 64 << 20
LEVELS = ("debug", "info", "warning", "error")


class Intake:
    """Reads one attempt's output from where the log says it was left.

    ``heard`` is the moment (monotonic s) of the trainer's last output, ``skipped`` the files that were not taken.
    """

    def __init__(self, run: RunFolder, spec: RunSpec, log: EventLog) -> None:
        self._run, self._spec, self._log = run, spec, log
        path = run.stdout(log.attempt)
        self._handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._at = log.past.at.get(log.attempt, 0)
        self._pending = b""
        self._dropped = 0
        self.heard = time.monotonic()
        self.skipped = 0

    def drain(self) -> bool:
        """Handles the complete lines of what is there, up to a megabyte; whether there was anything."""
        data = os.pread(self._handle, READ_BYTES, self._at + self._dropped + len(self._pending))
        if not data:
            return False
        self.heard = time.monotonic()
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._at += self._dropped + len(line) + 1
            self._line(line)
        if len(self._pending) >= MAX_LINE:
            self._dropped += len(self._pending)
            self._pending = b""
        return True

    def finish(self) -> None:
        """Handles all the rest, a last line without its end too, once the trainer is gone."""
        while self.drain():
            pass
        if self._pending or self._dropped:
            self._at += self._dropped + len(self._pending)
            self._line(self._pending)
        os.close(self._handle)

    def _line(self, line: bytes) -> None:
        length, self._dropped = self._dropped + len(line), 0
        if length >= MAX_LINE:
            self._log.emit("oversize", was="output", len=length, at=self._at)
            return
        event = _event(line)
        if event is None:
            self._text(line)
            return
        kind = event["type"]
        fields = {key: value for key, value in event.items() if key not in RESERVED}
        if kind in FILE_TYPES:
            self._file(kind, event.get("path"), fields)
        else:
            self._log.emit(kind, **(_tidy_log(fields) if kind == "log" else fields), at=self._at)

    def _file(self, kind: str, named: object, fields: dict[str, Any]) -> None:
        try:
            if used_bytes(self._run.files) >= self._spec.disk_cap:
                raise BadOutputError("the run's disk cap is reached")
            stored = store_output(self._run, named, self._spec.file_cap)
        except BadOutputError as problem:
            self._skip(kind, named, why=str(problem))
        except OSError as problem:
            self._skip(kind, named, errno=problem.errno, free=free_bytes(self._run.path))
        else:
            self._log.emit(kind, **fields, **stored, at=self._at)

    def _skip(self, kind: str, named: object, **why: Any) -> None:
        self.skipped += 1
        self._log.emit(f"{kind}_skipped", path=str(named)[:200], **why, at=self._at)

    def _text(self, line: bytes) -> None:
        path = self._run.train_log
        with suppress(OSError):
            if not path.exists() or path.stat().st_size < MAX_TRAIN_LOG:
                with path.open("ab") as stream:
                    stream.write(line + b"\n")


def _event(line: bytes) -> dict[str, Any] | None:
    if not line.startswith(b"{"):
        return None
    try:
        event = parse_line(line, finite=False)
    except ValueError:
        return None
    return event if event.get("type") in TRAINER_TYPES else None


def _tidy_log(fields: dict[str, Any]) -> dict[str, Any]:
    level = fields.get("level")
    return {**fields, "level": level if level in LEVELS else "info", "text": str(fields.get("text", ""))[:MAX_TEXT]}
