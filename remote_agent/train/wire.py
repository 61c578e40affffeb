"""What a training program says: one JSON object per line on stdout; and how it puts files beside it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from studio.schema.errors import StudioError


def say(kind: str, **fields: Any) -> None:
    """Print one event and flush it."""
    sys.stdout.write(json.dumps({"type": kind, **fields}, allow_nan=False) + "\n")
    sys.stdout.flush()


def say_error(error: StudioError) -> None:
    """Print an error meant for a person."""
    say("log", level="error", text=str(error), what=error.what, why=error.why, next_step=error.next_step)


def write_file(path: Path, content: bytes) -> None:
    """Write beside, then rename, so that a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def rounded(values: dict[str, float]) -> dict[str, float]:
    """Six significant digits, for the wire."""
    return {name: float(f"{value:.6g}") for name, value in values.items()}
