"""Stage 7."""

from __future__ import annotations

from studio.schema.errors import StudioError
from studio.stages.stage import Context, Result
from studio.store.project import Project


def run(context: Context) -> Result:
    raise StudioError("a", "b", "c")


def resume(project: Project, technique: str, fingerprint: str) -> int | None:
    return None
