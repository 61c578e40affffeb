"""A window on a project whose technique can be trained, and a machine behind a real SSH server on loopback."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from remote.conftest import end_runs
from remote.sshd import Sshd

from studio.app.session import Session
from studio.remote import machines
from studio.schema.codec import document
from studio.schema.session import Practice
from studio.stages.stage import Result
from studio.store import atomic
from studio.store.project import Project
from studio.ui.window import MainWindow
from tests.factories import make_table

SHELL = Path(__file__).resolve().parents[1] / "shell" / "conftest.py"
TINY = {
    "iterations": 5000, "envs": 2, "steps": 4, "minibatches": 1, "hidden": [8], "clip_every": 1, "snapshot_every": 5,
}  # fmt: skip


def loaded(name: str, path: Path) -> ModuleType:
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


_shell = loaded("shell_fixtures", SHELL)
made, home, quick_pictures = _shell.made, _shell.home, _shell.quick_pictures


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    server = Sshd(tmp_path / "sshd")
    yield server
    server.stop()
    end_runs(server.home / ".padwork")


@pytest.fixture
def gpu(sshd: Sshd, home: Path) -> Sshd:
    """On the person's list under the name "gpu"; nobody has accepted its host key."""
    machines.add(home, sshd.spec("gpu"))
    return sshd


@pytest.fixture
def trainable(made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that waits for its teacher: a leg raise to learn, and an order of tiny iterations with a clip each."""
    table, body = make_table()

    def variants(context) -> Result:
        named = replace(table, technique=context.subject)
        return Result(arrays={"": named}, pages={"body": body}, summary={"entries": 1, "frames": 1, "findings": 0})

    monkeypatch.setitem(made.RUNS, 6, variants)
    project: Project = made.empty_project(tmp_path / "gym")
    made.run_through(project, 6)
    practice = Practice("quick", 1, TINY)
    atomic.write_toml(project.layout.practice_toml("right-knee"), document(practice))
    return project.layout.root


@pytest.fixture
def open_trainable(open_window, trainable):
    """Opens a window on that project."""
    return lambda: open_window(trainable)


@pytest.fixture
def open_window(qtbot, quick_pictures):
    """Opens windows on projects; whatever is open at the end is closed."""
    shown: list[MainWindow] = []

    def opened(path: Path) -> MainWindow:
        session = Session()
        window = MainWindow(session)
        shown.append(window)
        with qtbot.waitSignal(session.states_changed, timeout=30_000):
            session.open(path)
        window.show()
        return window

    yield opened
    for window in shown:
        window.close()
        window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
