"""The samples from two videos to what was learned, each run once per test process with the real commands."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import tomli_w

from studio.domain.pose.weights import cache_dir

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 1500


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
    """The sample leg-raise after ``run --through 8 --yes``; see :func:`finished`."""
    return finished("leg-raise", "8")


@cache
def right_knee_project() -> Path:
    """The sample right-knee after ``run --through 9 --yes`` with trainings of a minute; see :func:`finished`."""
    return finished("right-knee", "9", shorten)


@cache
def right_knee_table() -> Path:
    """The same project after ``run --through 6 --yes``: up to the tables, without a training."""
    return finished("right-knee", "6", shorten)


def finished(sample: str, last: str, prepare: Callable[[Path], None] = lambda project: None) -> Path:
    """A sample's project with its stages run; the folder above it holds what was printed (run-SAMPLE.txt).

    ``PADWORK_TEST_CHAIN`` names a folder that is kept and, where it holds a finished run already, used again.
    """
    place = _place()
    project = place / sample
    if not project.exists():
        made = padwork(place, "new", str(project), "--sample", sample)
        assert made.returncode == 0, made.stderr
        prepare(project)
    done = padwork(place, "run", str(project), "--through", last, "--yes")
    with (place / f"run-{sample}.txt").open("a", encoding="utf-8") as log:
        log.write(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    return project


def shorten(project: Path) -> None:
    """Let every training of a project be its shortest."""
    for technique in sorted(path.name for path in (project / "techniques").iterdir()):
        _choose(project / "techniques" / technique / "practice.toml", "smoke")
    _choose(project / "students" / "practice.toml", "student_smoke")


def _choose(path: Path, preset: str) -> None:
    chosen = tomllib.loads(path.read_text()) if path.exists() else {"schema_version": 1}
    path.parent.mkdir(exist_ok=True)
    path.write_text(tomli_w.dumps(chosen | {"preset": preset}))


@cache
def _place() -> Path:
    kept = os.environ.get("PADWORK_TEST_CHAIN")
    place = Path(kept or tempfile.mkdtemp(prefix="padwork-chain-")).resolve()
    if not kept:
        atexit.register(shutil.rmtree, place, ignore_errors=True)
    (place / "home").mkdir(parents=True, exist_ok=True)
    return place
