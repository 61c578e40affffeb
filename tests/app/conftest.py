"""The made project and what a Qt test needs: no warning of Qt's goes by unseen."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

MADE = Path(__file__).with_name("made.py")


@pytest.fixture(scope="session")
def made():
    """The module that makes projects."""
    if "made" not in sys.modules:
        spec = importlib.util.spec_from_file_location("made", MADE)
        assert spec is not None and spec.loader is not None
        sys.modules["made"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["made"])
    return sys.modules["made"]


@pytest.fixture(scope="session")
def template(made, tmp_path_factory) -> Path:
    """A project with all of 1 to 8 run, 8 waiting for eyes; to be copied, not used."""
    folder = tmp_path_factory.mktemp("template") / "gym"
    made.run_through(made.empty_project(folder), 8, approve=False)
    return folder


@pytest.fixture
def gym(template, tmp_path) -> Path:
    """A copy of the template of one's own."""
    return Path(shutil.copytree(template, tmp_path / "gym"))


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """Settings of the test's own."""
    monkeypatch.setenv("PADWORK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
