"""What every test shares: where the shared data is, and what a skip means in CI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

for name, value in {"OPENBLAS_NUM_THREADS": "1", "QT_QPA_PLATFORM": "offscreen", "MUJOCO_GL": "egl"}.items():
    os.environ.setdefault(name, value)

ROOT = Path(__file__).resolve().parents[1]


def strict() -> bool:
    """Under PADWORK_STRICT=1 (CI) nothing may be skipped."""
    return os.environ.get("PADWORK_STRICT") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if strict() and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the shared test data (read-only)."""
    place = Path(os.environ.get("PADWORK_SHARED") or ROOT.parent / "shared") / "data"
    if not place.is_dir():
        pytest.skip("shared data not found: set PADWORK_SHARED")
    return place
