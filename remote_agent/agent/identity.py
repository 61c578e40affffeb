"""Which process is meant, and who is alive: process identity and file locks (Linux)."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Any


def lock(path: Path, wait_s: float = 0.0) -> int | None:
    """Takes the exclusive lock and returns its handle, or ``None`` if another process kept it for ``wait_s``.

    The lock goes with its handle: it is free again when the last copy is closed, however its holder died.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(handle)
                return None
            time.sleep(0.01)


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(handle)


def identity(pid: int) -> dict[str, Any]:
    """A process for good: its number, its start in clock ticks, and the boot. Raises ``OSError`` if there is none."""
    _, start = _state(pid)
    return {"pid": pid, "start": start, "boot": _boot()}


def living(who: Any) -> int | None:
    """The pid if exactly this process still runs. A recycled number, another boot and a zombie are ``None``."""
    try:
        pid = int(who["pid"])
        state, start = _state(pid)
        return pid if state != "Z" and start == who["start"] and _boot() == who["boot"] else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _state(pid: int) -> tuple[str, str]:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return fields[0], fields[19]


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
