"""What a stage is: a declaration, and a function from a context to a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.schema.findings import Finding
from studio.store.catalog import Declaration, Inputs
from studio.store.project import Project

Progress = Callable[[float, str], None]
"""Called with the fraction done (0..1) and a short text."""


@dataclass(frozen=True)
class Context:
    """One run: ``number`` is the revision it will become, ``folder`` where that will lie."""

    project: Project
    subject: str
    number: int
    folder: Path
    fingerprint: str
    progress: Progress

    def part(self, start: float, stop: float, text: str) -> Callable[[float], None]:
        """A progress function of one step of the run: 0..1 within it becomes ``start``..``stop`` of the whole."""
        return lambda fraction: self.progress(start + (stop - start) * min(max(fraction, 0.0), 1.0), text)


@dataclass(frozen=True)
class Result:
    """What a run found. ``arrays``: part to dataclass, becoming r1.npz or r1-part.npz; ``pages``: part to dataclass,
    becoming r1-part.toml or, with a part ending in ".json", that; ``places``: text files that have one place and are
    replaced; ``files``: already written. ``summary``: the figures that the rail and the page show."""

    arrays: dict[str, Any] = field(default_factory=dict)
    pages: dict[str, Any] = field(default_factory=dict)
    places: dict[Path, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """``run`` imports what is heavy inside. ``resume``: the number of an interrupted run to go on with, or None.
    ``grace_s``: how long it may take to end cleanly when cancelled."""

    declaration: Declaration
    run: Callable[[Context], Result]
    resume: Callable[[Project, str, str], int | None] = lambda project, subject, fingerprint: None
    grace_s: float = 1.5

    @property
    def number(self) -> int:
        return self.declaration.number

    @property
    def key(self) -> str:
        """Under which the texts know it."""
        return self.declaration.key

    @property
    def kind(self) -> str:
        """Whose it is: session, take, technique or project."""
        return self.declaration.kind

    def inputs(self, project: Project, subject: str) -> Inputs:
        """What a run would read now."""
        return self.declaration.inputs(project, subject)
