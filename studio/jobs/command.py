"""How child processes of this program are started, from a checkout, a wheel or a packaged application."""

from __future__ import annotations

import os
import sys
from pathlib import Path

WORKER_SWITCH, SOLVER_SWITCH = "--worker", "--solver"


def worker_command(project: Path, stage: int, subject: str) -> list[str]:
    """The command of the process that runs one stage for this process."""
    arguments = [str(project), str(stage), subject, str(os.getpid())]
    if getattr(sys, "frozen", False):
        return [sys.executable, WORKER_SWITCH, *arguments]
    return [sys.executable, "-u", "-m", "studio.jobs.worker", *arguments]


def solver_command(project: Path, technique: str) -> list[str]:
    """The command of the process that solves a technique's layers for this process."""
    arguments = [str(project), technique, str(os.getpid())]
    if getattr(sys, "frozen", False):
        return [sys.executable, SOLVER_SWITCH, *arguments]
    return [sys.executable, "-u", "-m", "studio.jobs.solver", *arguments]


def worker_environment() -> dict[str, str]:
    """The environment of a worker: linear algebra in one thread, so that results and timings repeat."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
