"""A run's folder: what a teacher is given, and where it puts what it makes."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from studio.schema.body import Body
from studio.schema.codec import from_plain, unpack
from studio.schema.errors import StudioError
from studio.schema.training import TeacherSpec
from studio.schema.variants import Table

MAX_JSON = 1 << 20
MAX_TABLE = 1 << 30
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Run:
    """The order: ``spec``, ``table``, ``body``; results go under ``out``."""

    folder: Path
    spec: TeacherSpec
    table: Table
    body: Body

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def relative(self, path: Path) -> str:
        """A path as the events name it, from the run's folder."""
        return path.relative_to(self.folder).as_posix()


def read_run(folder: Path) -> Run:
    """Read spec.json, table.npz and body.json. Raises :class:`StudioError` naming the file that does not fit."""
    spec = read_plain(folder / "spec.json", TeacherSpec)
    body = read_plain(folder / "body.json", Body)
    content = read_bytes(folder / "table.npz", MAX_TABLE)
    if spec.table_sha256 and hashlib.sha256(content).hexdigest() != spec.table_sha256:
        raise StudioError("The training cannot start", "table.npz is not the one that was ordered", "Start it again")
    return Run(folder, spec, read_table(folder / "table.npz"), body)


def read_table(path: Path) -> Table:
    """A table. Raises :class:`StudioError` for a damaged one."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return unpack(Table, dict(arrays), path.name)
    except (ValueError, OSError, zipfile.BadZipFile):
        raise StudioError(f"{path.name} cannot be read", "it is damaged", "Start the training again") from None


def read_plain(path: Path, kind: type[T]) -> T:
    """A JSON page of the order. Raises :class:`StudioError`."""
    try:
        plain: Any = json.loads(read_bytes(path, MAX_JSON))
    except ValueError:
        raise StudioError(f"{path.name} cannot be read", "it is no JSON", "Start the training again") from None
    return from_plain(kind, plain, path.name)


def read_bytes(path: Path, limit: int) -> bytes:
    """A file of the order, at most ``limit`` bytes. Raises :class:`StudioError`."""
    try:
        if path.stat().st_size > limit:
            raise StudioError(f"{path.name} cannot be read", "it is too large", "Start the training again")
        return path.read_bytes()
    except OSError as error:
        raise StudioError(
            f"{path.name} cannot be read", error.strerror or "it is missing", "Start the training again"
        ) from None
