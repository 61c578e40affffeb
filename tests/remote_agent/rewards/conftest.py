"""Lets these tests import the authored techniques of tests/factories.py."""

import sys
from pathlib import Path

TESTS = str(next(p for p in Path(__file__).resolve().parents if p.name == "tests"))
if TESTS not in sys.path:
    sys.path.insert(0, TESTS)
