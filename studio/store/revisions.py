"""Numbered results: r1.npz beside r1.json, never overwritten. The record is written last and makes them valid."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from studio.schema.codec import document
from studio.schema.errors import StudioError
from studio.schema.lineage import Record
from studio.store import atomic, reading
from studio.store.hashes import digest

NUMBER = re.compile(r"r([1-9][0-9]{0,5})(?![A-Za-z0-9])")
RECORD = re.compile(r"r([1-9][0-9]{0,5})\.json")


@dataclass(frozen=True)
class Revision:
    """One run of a stage on disk: its number, the file of its record, and the record."""

    number: int
    path: Path
    record: Record

    @property
    def good(self) -> bool:
        return self.record.status == "done"

    @property
    def fingerprint(self) -> str:
        """What an approval binds to: how the result was made and the bytes that came out. The same made again, after a
        correction was taken back, is what was approved."""
        return digest([self.record.fingerprint, {role(name): sha for name, sha in self.record.outputs.items()}])

    def data(self, part: str = "", kind: str = "npz") -> Path:
        """The file of one part of the result."""
        return data_path(self.path.parent, self.number, part, kind)


def role(path: str) -> str:
    """A path without the number of its revision."""
    return re.sub(r"(^|/)r[0-9]+(?=[-./])", r"\1r", path)


def data_path(folder: Path, number: int, part: str = "", kind: str = "npz") -> Path:
    """r3.npz, or with a part r3-a.npz."""
    return folder / f"r{number}{'-' + part if part else ''}.{kind}"


def record_path(folder: Path, number: int) -> Path:
    return folder / f"r{number}.json"


def list_revisions(folder: Path) -> tuple[Revision, ...]:
    """Every readable record of a folder in the order of their numbers; damaged ones are for ``verify`` to name."""
    found = []
    for path in folder.glob("r*.json"):
        match = RECORD.fullmatch(path.name)
        if match:
            record = try_record(path)
            if record is not None:
                found.append(Revision(int(match[1]), path, record))
    return tuple(sorted(found, key=lambda revision: revision.number))


def try_record(path: Path) -> Record | None:
    """A record, or None where it is damaged. Records never change, so each is parsed once per process."""
    try:
        stat = path.stat()
        return _parse(path, (stat.st_size, stat.st_mtime_ns, stat.st_ino))
    except (OSError, StudioError):
        return None


@lru_cache(maxsize=4096)
def _parse(path: Path, mark: tuple[int, int, int]) -> Record:
    """``mark`` tells one content of the file from another."""
    return reading.read_json(Record, path)


def next_number(folder: Path) -> int:
    """One more than any number used in a folder, by a record, by data without one or by a run's folder."""
    matches = (NUMBER.match(path.name) for path in folder.glob("r*"))
    return 1 + max((int(match[1]) for match in matches if match), default=0)


def write_record(folder: Path, record: Record) -> Revision:
    """Make a revision valid. Raises :class:`StudioError` where its number is taken or the disk is full."""
    path = record_path(folder, record.revision)
    atomic.write_json(path, document(record), new=True)
    return Revision(record.revision, path, record)
