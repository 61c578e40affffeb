"""What a person declares about a session before anything is computed: which phones, which lenses, which takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from studio.schema.take import Sync


@dataclass(frozen=True)
class DeclaredTake:
    """One performance: ``files`` phone to file name in the take's folder; ``start_s`` and ``end_s`` on the common
    clock, left out: all that both phones saw."""

    name: str
    files: dict[str, str]
    sync: Sync = field(default_factory=Sync)
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True)
class Session:
    """One setting-up of the phones. ``calibration`` is a file in the session's folder; ``phones`` says which of its
    cameras each phone is, phone "a" first."""

    name: str
    calibration: str
    phones: dict[str, str]
    takes: tuple[DeclaredTake, ...]


@dataclass(frozen=True)
class Practice:
    """How a technique's teacher is trained: fields of :class:`studio.schema.training.TeacherSpec` a person chooses."""

    preset: str = "quick"
    seed: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
