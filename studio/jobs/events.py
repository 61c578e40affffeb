"""What a stage's process says: one JSON line each, read by commands and by the window alike."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from studio.schema.errors import StudioError

LINE_LIMIT = 1 << 20


@dataclass(frozen=True)
class Progress:
    """``fraction`` 0..1 done, ``text`` for a person, ``left_s`` estimated seconds left (None: not known yet)."""

    fraction: float
    text: str
    left_s: float | None = None


@dataclass(frozen=True)
class Done:
    """The stage made a good revision."""

    revision: int
    seconds: float
    summary: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failed:
    """The three parts of a :class:`StudioError`."""

    what: str
    why: str
    next_step: str

    @property
    def error(self) -> StudioError:
        return StudioError(self.what, self.why, self.next_step)


@dataclass(frozen=True)
class Cancelled:
    """Somebody cancelled; the last revision is as it was."""


Event = Progress | Done | Failed | Cancelled
KINDS: dict[str, type[Event]] = {"progress": Progress, "done": Done, "failed": Failed, "cancelled": Cancelled}


def encode(event: Event) -> str:
    """One line without its end."""
    kind = next(name for name, cls in KINDS.items() if isinstance(event, cls))
    return json.dumps({"k": kind, **asdict(event)}, ensure_ascii=False)


def decode(line: str) -> Event | None:
    """Inverse of :func:`encode`; None for a line that is no event."""
    if len(line) > LINE_LIMIT:
        return None
    try:
        plain = json.loads(line)
        return KINDS[plain.pop("k")](**plain)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
