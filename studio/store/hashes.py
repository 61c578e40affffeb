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
        self._known: dict[str, list[Any]] = {}
        self._changed = False
        try:
            loaded = json.loads(path.read_text(encoding="utf-8"))
            self._known = {str(k): v for k, v in loaded.items() if isinstance(v, list) and len(v) == 4}
        except (OSError, ValueError, AttributeError):
            pass

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
        self._known[key] = [*mark, value]
        self._changed = True
        return value

    def save(self) -> None:
        """Keep what was learned for the next process. A folder that cannot be written costs only time."""
        if self._changed:
            try:
                atomic.write_json(self._path, self._known)
                self._changed = False
            except StudioError:
                pass


def _key(path: Path) -> str:
    """A path as text that JSON can hold, also one whose bytes are no UTF-8."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
