"""The coach's verdicts: one JSON line each, only ever added to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from studio.schema.codec import document, read_document
from studio.schema.errors import StudioError
from studio.schema.lineage import Approval
from studio.store import atomic, reading


def now() -> str:
    """The moment in UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Verdicts:
    """The lines of approvals.jsonl in order, and the numbers of those that cannot be read."""

    approvals: tuple[Approval, ...]
    damaged: tuple[int, ...]

    def latest(self, stage: int, subject: str, fingerprint: str) -> Approval | None:
        """The last word about exactly this result."""
        return next((a for a in self._newest_first(stage, subject) if a.fingerprint == fingerprint), None)

    def latest_of(self, stage: int, subject: str) -> Approval | None:
        """The last word about any result of this subject."""
        return next(self._newest_first(stage, subject), None)

    def _newest_first(self, stage: int, subject: str) -> Iterator[Approval]:
        return (a for a in reversed(self.approvals) if a.stage == stage and a.subject == subject)


def read_approvals(path: Path) -> Verdicts:
    """All verdicts. A damaged line counts as no verdict; a newer schema is refused."""
    if not path.exists():
        return Verdicts((), ())
    approvals, damaged = [], []
    for number, line in enumerate(reading.read_text(path).splitlines(), 1):
        try:
            plain = reading.plain_json(line, path.name)
        except StudioError:
            damaged.append(number)
            continue
        approvals.append(read_document(Approval, plain, f"{path.name} line {number}"))
    return Verdicts(tuple(approvals), tuple(damaged))


def append(path: Path, approval: Approval) -> None:
    """Add a verdict. Raises :class:`StudioError`; what was there stays."""
    atomic.append_line(path, document(approval))
