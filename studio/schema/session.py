"""What a person declares about a session before anything is computed: which phones, which lenses, which takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from studio.schema.take import Sync


@dataclass(frozen=True)
class DeclaredTake:
    """One performance: ``files`` phone to file name in the take's folder; ``start_s`` and ``end_s`` on the common
    clock, left out: all that both phones saw. ``keypoints``: phone to a file with its keypoints (npz of
    :class:`~studio.schema.keypoints.Keypoints`) in the same folder; stage 2 takes them instead of looking for them."""

    name: str
    files: dict[str, str]
    sync: Sync = field(default_factory=Sync)
    start_s: float | None = None
    end_s: float | None = None
    keypoints: dict[str, str] = field(default_factory=dict)


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
    """How a technique's teacher is trained: fields of :class:`studio.schema.training.TeacherSpec` a person chooses.

    ``machine``: name of the machine that trains it, empty for this computer; what is learned does not depend on it.
    """

    preset: str = "quick"
    seed: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    machine: str = ""
