"""One window or one command at a time works on a project, and which stage runs right now."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from studio.schema.errors import StudioError
from studio.store import atomic, processes


@dataclass(frozen=True)
class Holder:
    """The process that holds a lock: its computer, number and time of start."""

    host: str
    pid: int
    start: str

    @property
    def is_gone(self) -> bool:
        """Known to be dead. A process of another computer is never known to be."""
        return self.host == processes.HOST and not processes.is_alive(self.pid, self.start)


def me(pid: int | None = None) -> Holder:
    """This process, or another of this computer."""
    number = os.getpid() if pid is None else pid
    return Holder(processes.HOST, number, processes.started(number))


def read_holder(path: Path) -> Holder | None:
    """Who holds a lock; None where there is none. An unreadable lock belongs to nobody that lives."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        return Holder(str(plain["host"]), int(plain["pid"]), str(plain["start"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return Holder(processes.HOST, 0, "")


def write_holder(path: Path, holder: Holder, new: bool = False) -> None:
    """Leave a holder's name. Raises :class:`StudioError`."""
    atomic.write_json(path, {"host": holder.host, "pid": holder.pid, "start": holder.start}, new)


class ProjectLock:
    """Held from :meth:`acquire` to :meth:`release`, or inside a ``with`` block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = False

    def acquire(self) -> None:
        """Take the lock, also from a process of this computer that died. Raises :class:`StudioError`."""
        for _ in range(3):
            holder = read_holder(self._path)
            if holder is not None and not holder.is_gone:
                raise self._refusal(holder)
            if holder is not None:
                self._take_away(holder)
            try:
                write_holder(self._path, me(), new=True)
            except StudioError:
                if read_holder(self._path) is None:
                    raise
                continue
            self._held = True
            return
        raise self._refusal(read_holder(self._path) or me())

    def release(self) -> None:
        """Give the lock back; does nothing where it is not held."""
        if self._held:
            self._held = False
            if read_holder(self._path) == me():
                self._path.unlink(missing_ok=True)

    def __enter__(self) -> ProjectLock:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _take_away(self, stale: Holder) -> None:
        """Of several that see the same dead holder only one moves its file; a lock taken meanwhile is put back."""
        aside = self._path.with_name(f"{atomic.TEMPORARY}{uuid.uuid4().hex}")
        try:
            self._path.rename(aside)
        except FileNotFoundError:
            return
        if read_holder(aside) != stale:
            aside.rename(self._path)
            return
        aside.unlink(missing_ok=True)

    def _refusal(self, holder: Holder) -> StudioError:
        project = self._path.parents[1]
        if holder.host == processes.HOST:
            return StudioError(
                f"{project.name} is open already",
                f"another Padwork (process {holder.pid}) works on it",
                "Go on there, or close it first",
            )
        return StudioError(
            f"{project.name} is open already",
            f"Padwork on {holder.host} works on it",
            f"Close it there; if that computer is gone, delete {self._path}",
        )
