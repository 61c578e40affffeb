"""A window on the made project, offscreen, with quick pictures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from studio.app import films, gate
from studio.app.session import Session
from studio.ui.window import MainWindow


def loaded(name: str, path: Path) -> ModuleType:
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


TESTS = Path(__file__).resolve().parents[2]
_app = loaded("made_fixtures", TESTS / "app" / "conftest.py")
made, template, gym, home = _app.made, _app.template, _app.gym, _app.home
fit = loaded("fit", Path(__file__).with_name("fit.py"))


@pytest.fixture
def quick_pictures(monkeypatch):
    """Grey instead of drawn; what is asked for is kept."""
    asked: list[films.Shot] = []

    def grey(shot: films.Shot) -> np.ndarray:
        asked.append(shot)
        return np.full((shot.height, shot.width, 3), 40, np.uint8)

    monkeypatch.setattr(films._Darkroom, "draw", lambda self, shot: grey(shot))
    monkeypatch.setattr(
        "studio.ui.presenters.home.draw_pose", lambda pose, w, h, light: np.full((h, w, 3), 60, np.uint8)
    )
    return asked


@pytest.fixture
def quick_tries(monkeypatch, made):
    """The tries behind the gate's cells, without a network."""

    def play(project, technique: str, condition: str, seed: int) -> gate.Film:
        clip = made.made_clip(60)
        return gate.Film(condition, seed, clip.qpos, clip.reference)

    monkeypatch.setattr("studio.ui.presenters.gate.play_cell", play)


@pytest.fixture
def session(qtbot):
    opened = Session()
    yield opened
    opened.close()


@pytest.fixture
def at_gym(session, gym, qtbot):
    """A session with the made project open and read."""
    with qtbot.waitSignal(session.states_changed, timeout=20_000):
        session.open(gym)
    return session


@pytest.fixture
def window(at_gym, qtbot, quick_pictures, quick_tries):
    shown = MainWindow(at_gym)
    shown.show()
    yield shown
    shown.close()
    shown.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
