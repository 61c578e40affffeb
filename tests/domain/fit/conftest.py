"""Lets these tests import the recorded motions of tests/motions.py."""

import sys
from pathlib import Path

import pytest

TESTS = str(next(p for p in Path(__file__).resolve().parents if p.name == "tests"))
if TESTS not in sys.path:
    sys.path.insert(0, TESTS)

from motions import Truth, read_kick  # noqa: E402


@pytest.fixture(scope="session")
def kick(shared: Path) -> Truth:
    """A real kick with known joint angles."""
    return read_kick(shared / "mocap" / "deepmimic_kick.txt")
