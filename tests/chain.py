"""The sample from two videos to a judged fighter, run once per test process with the real commands."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from studio.domain.pose.weights import cache_dir

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 1500
SAMPLE = "leg-raise"


def environment(place: Path) -> dict[str, str]:
    """A home of its own, so that nothing of this computer's user is read or changed; fetched weights are shared."""
    return {
        **os.environ,
        "HOME": str(place / "home"),
        "PADWORK_AGENT_ROOT": str(place / "agent"),
        "PADWORK_CACHE": str(cache_dir()),
        "PYTHONPATH": str(ROOT),
    }


def padwork(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One command as a person gives it, with what it printed."""
    command = [sys.executable, "-m", "studio", *arguments]
    return subprocess.run(
        command, env=environment(place), cwd=place, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


@cache
def leg_raise_project() -> Path:
    """The sample after ``run --through 8 --yes``; the folder above it holds what was printed (run.txt).

    ``PADWORK_TEST_CHAIN`` names a folder that is kept and, where it holds a finished run already, used again.
    """
    kept = os.environ.get("PADWORK_TEST_CHAIN")
    place = Path(kept or tempfile.mkdtemp(prefix="padwork-chain-")).resolve()
    if not kept:
        atexit.register(shutil.rmtree, place, ignore_errors=True)
    (place / "home").mkdir(parents=True, exist_ok=True)
    project = place / SAMPLE
    if not project.exists():
        made = padwork(place, "new", str(project), "--sample", SAMPLE)
        assert made.returncode == 0, made.stderr
    done = padwork(place, "run", str(project), "--through", "8", "--yes")
    with (place / "run.txt").open("a", encoding="utf-8") as log:
        log.write(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    return project
