"""How a revision came to be, and who looked at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from studio.schema.findings import Finding


@dataclass(frozen=True)
class Record:
    """One run of a stage, kept beside its data, also when it failed.

    ``inputs``: path relative to the project to SHA-256. ``summary``: the few figures the rail and the page show.
    ``status``: "done" or "failed". ``fingerprint`` covers stage, inputs, parameters and code version, not the time.
    ``files``: the results in order, relative to the project; ``outputs``: the same and everything beside them, to
    SHA-256.
    """

    stage: int
    subject: str
    revision: int
    status: str
    fingerprint: str
    inputs: dict[str, str]
    parameters: dict[str, Any]
    versions: dict[str, str]
    seconds: float
    when: str
    summary: dict[str, Any] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    files: tuple[str, ...] = ()
    error: str = ""
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Approval:
    """The coach's verdict on exactly what he looked at. ``automatic``: recorded by ``--yes``, nobody looked.

    ``verdict``: "approved" or "withdrawn". ``fingerprint`` covers how the result was made and its files.
    ``choice``: what was chosen where a stage offers several (stage 7: the adopted snapshot's path in the project).
    """

    stage: int
    subject: str
    fingerprint: str
    verdict: str
    words: str
    when: str
    automatic: bool = False
    choice: str = ""
