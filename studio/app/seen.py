"""Which clips the coach has looked at, kept in the project's scratch: losing it costs but a second look."""

from __future__ import annotations

import json
from pathlib import Path

from studio.store import atomic
from studio.store.project import Project

FILE = "seen.json"
MAX_RUNS = 200


def read_seen(project: Project, folder: Path) -> frozenset[str]:
    """Names of the clips of the training in ``folder`` that were looked at."""
    return frozenset(_all(project).get(project.layout.relative(folder), ()))


def mark_seen(project: Project, folder: Path, names: frozenset[str]) -> None:
    """Remember that these clips of a training were looked at. Raises ``StudioError`` where the disk refuses."""
    there = _all(project)
    run = project.layout.relative(folder)
    told = sorted({*there.pop(run, ()), *names})
    kept = dict([*list(there.items())[-MAX_RUNS:], (run, told)])
    atomic.write_bytes(project.layout.scratch / FILE, json.dumps(kept).encode())


def _all(project: Project) -> dict[str, list[str]]:
    try:
        plain = json.loads((project.layout.scratch / FILE).read_bytes())
        return {str(run): [str(name) for name in names] for run, names in plain.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
