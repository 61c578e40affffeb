"""SHA-256 of files, remembered for as long as a file's size and time of change stay the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from stat import S_ISREG
from typing import Any

from studio.schema.errors import StudioError
from studio.store import atomic


def sha256_file(path: Path) -> str:
    """The hash of a file's bytes as hex. Raises ``OSError``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(plain: Any) -> str:
    """The hash of plain data, independent of the order of keys."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class Hashes:
    """A memory of hashes in the project's scratch folder; it may be lost at any time and costs only time then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._read()
        self._learned: dict[str, list[Any]] = {}

    def of(self, path: Path) -> str:
        """The hash of a file. Raises :class:`StudioError` naming a file that is missing."""
        key = _key(path)
        try:
            stat = path.stat()
            if not S_ISREG(stat.st_mode):
                raise StudioError(f"{path.name} cannot be read", "it is not a file", "Put the file back")
            mark = [stat.st_size, stat.st_mtime_ns, stat.st_ino]
            known = self._known.get(key)
            if known and known[:3] == mark:
                return known[3]
            value = sha256_file(path)
        except FileNotFoundError:
            raise StudioError(
                f"{path.name} is missing", f"it should be in {path.parent}", "Put the file back"
            ) from None
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise StudioError(f"{path.name} cannot be read", why, "Check the folder's permissions") from None
        self._known[key] = self._learned[key] = [*mark, value]
        return value

    def save(self) -> None:
        """Keep what was learned for the next process, beside what others have kept meanwhile. A folder that cannot be
        written costs only time."""
        learned = dict(self._learned)  # another thread may learn more while this is written
        if not learned:
            return
        try:
            atomic.write_json(self._path, self._read() | learned)
        except StudioError:
            return
        for key, entry in learned.items():
            if self._learned.get(key) is entry:
                self._learned.pop(key, None)

    def _read(self) -> dict[str, list[Any]]:
        try:
            loaded = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(key): entry for key, entry in loaded.items() if isinstance(entry, list) and len(entry) == 4}
        except (OSError, ValueError, AttributeError):
            return {}


def _key(path: Path) -> str:
    """A path as text that JSON can hold, also one whose bytes are no UTF-8."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
