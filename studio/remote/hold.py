"""One process at a time for a folder; free again however its holder ended."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from studio.schema.errors import StudioError

LOCK = ".follow.lock"


class FolderHold:
    """Holds ``folder`` from construction to ``close``. Raises ``StudioError`` if another process does."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(self._handle)
        except OSError:
            os.close(self._handle)
            raise StudioError(
                f"{folder} is already being written", "another Padwork follows this run", "Close the other one first"
            ) from None

    def close(self) -> None:
        os.close(self._handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
