"""A small project with two real videos, stage 5 run, and a solver that answers when it is told to."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.session import Session
from studio.domain.body.load import body_hash, load_body
from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.layers.relock import Relock
from studio.domain.video.writer import write_mp4
from studio.schema.body import Body
from studio.schema.camera import Camera, Rig
from studio.schema.findings import Finding
from studio.schema.layers import Layers
from studio.schema.motion import Retarget
from studio.schema.take import Sync, Take, Video
from studio.stages.stage import Result
from studio.store.project import Project
from studio.ui.pages.correct import CorrectPage
from studio.ui.presenters.correct import CorrectPresenter
from studio.ui.window import MainWindow

WIDTH, HEIGHT = 96, 160
TECHNIQUE = "right-knee"
FINDINGS = (
    Finding("flick", "knee_r", 0.30, 0.32, 16.0, "deg", 10.0, repaired=True),
    Finding("flick", "hip_pitch_r", 0.40, 0.42, 25.0, "deg", 10.0),
    Finding("balance", "zero-moment point", 0.1, 0.2, 90.0, "mm", 30.0),
)
MADE = Path(__file__).resolve().parents[2] / "app" / "made.py"


@pytest.fixture(scope="session")
def made():
    """The module that makes projects."""
    if "made" not in sys.modules:
        spec = importlib.util.spec_from_file_location("made", MADE)
        assert spec is not None and spec.loader is not None
        sys.modules["made"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["made"])
    return sys.modules["made"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADWORK_HOME", str(tmp_path / "home"))


def phone(name: str, azimuth: float) -> Camera:
    base = FreeCamera((0.0, 0.0, 0.9), 3.6, azimuth, -12.0, 52.0).camera(WIDTH, HEIGHT)
    return Camera(name, WIDTH, HEIGHT, base.matrix, np.zeros(4), base.rotation, base.translation)


def leg_raise(made) -> Retarget:
    """Standing, the right leg up and down; the copy a little off, as before its feet were locked."""
    body = load_body("fighter")
    joints, qpos = made.raised_leg()
    copied = qpos.copy()
    copied[:, 7 + joints.index("hip_pitch_r")] -= 0.1 * np.sin(np.linspace(0, np.pi, len(qpos)))
    contacts = np.ones((len(qpos), len(made.SOLES)), bool)
    contacts[4:36, 4:] = False
    return Retarget(body.name, body_hash(body), made.FPS, 0.0, joints, made.SOLES, 1.2, qpos, copied, contacts)


@pytest.fixture(scope="session")
def finished(made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project to be copied: stage 5 has run and waits for eyes."""
    folder = tmp_path_factory.mktemp("correct") / "gym"
    project = made.empty_project(folder)
    layout, frames = project.layout, made.FRAMES + 20
    for name in "ab":
        pictures = (np.full((HEIGHT, WIDTH, 3), 3 * k + 10, np.uint8) for k in range(frames))
        write_mp4(layout.take("spring/two") / f"{name}.mp4", pictures, made.FPS)
    videos = tuple(Video(p, f"{p}.mp4", "0" * 64, WIDTH, HEIGHT, made.FPS, frames, frames / made.FPS) for p in "ab")
    take = Take("two", "spring", videos, Sync(), 0.0, (made.FRAMES - 1) / made.FPS)
    places = {
        layout.rig_toml("spring"): Rig((phone("a", 150.0), phone("b", 215.0))), layout.take_toml("spring/two"): take,
    }  # fmt: skip
    moved = leg_raise(made)
    runs = {
        1: lambda _: Result(places=places, summary={}),
        5: lambda _: Result(
            arrays={"": moved, "reference": moved}, pages={"body": load_body("fighter")}, findings=FINDINGS, summary={}
        ),
    }
    before = dict(made.RUNS)
    made.RUNS.update(runs)
    try:
        made.run_through(project, 5, approve=False)
    finally:
        made.RUNS.update(before)
    return folder


@pytest.fixture
def gym(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "gym"))


class ToldSolver(QObject):
    """Solves for real, in place, but only when ``answer`` is called; the newest wish alone counts."""

    solved = Signal(object, object, object)
    previewed = Signal(object, object)
    failed = Signal(object)
    made: ToldSolver | None = None

    def __init__(self, project: Project, technique: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project, self._technique = project, technique
        self.wish: Layers | None = None
        self.asked = 0
        self.is_closed = False
        ToldSolver.made = self

    def ask(self, layers: Layers) -> None:
        self.wish = layers
        self.asked += 1

    def answer(self) -> None:
        """Answer all that is wished for, also what is wished for on the answer."""
        while self.wish is not None:
            layers, self.wish = self.wish, None
            moved = self._project.load(5, self._technique, Retarget)
            found = Relock(moved, self._project.load(5, self._technique, Body, "body")).solve(layers)
            self.solved.emit(layers, found.retarget, found.shares)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> type[ToldSolver]:
    monkeypatch.setattr("studio.ui.presenters.correct.Solver", ToldSolver)
    return ToldSolver


@pytest.fixture
def session(qtbot: QtBot, gym: Path) -> Iterator[Session]:
    opened = Session()
    with qtbot.waitSignal(opened.states_changed, timeout=20_000):
        opened.open(gym)
    yield opened
    opened.close()


@pytest.fixture
def presenter(session: Session, told: type[ToldSolver], qtbot: QtBot) -> Iterator[CorrectPresenter]:
    """With its take read."""
    made = CorrectPresenter(session)
    made.open()
    qtbot.waitUntil(lambda: made.data is not None and made.editor.technique == TECHNIQUE, timeout=20_000)
    yield made
    made.close()


def opened(presenter: CorrectPresenter, qtbot: QtBot) -> CorrectPage:
    made = CorrectPage(presenter)
    qtbot.addWidget(made)
    made.resize(1232, 856)
    made.show()
    presenter.loaded.emit()
    presenter.base_changed.emit()
    presenter.changed.emit()
    made.opened()
    QApplication.processEvents()
    return made


@pytest.fixture
def page(presenter: CorrectPresenter, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[CorrectPage]:
    """Without pictures, which most of what is tested does not need."""
    monkeypatch.setattr("studio.ui.panes.pictures.Pictures.start", lambda *_: None)
    made = opened(presenter, qtbot)
    yield made
    made.left()


@pytest.fixture
def drawn(presenter: CorrectPresenter, qtbot: QtBot) -> Iterator[CorrectPage]:
    """With its pictures drawn."""
    made = opened(presenter, qtbot)
    qtbot.waitUntil(lambda: made.ready and presenter.session.idle, timeout=20_000)
    assert made.notice.isHidden(), f"{made.notice.what.text()} {made.notice.why.text()}"
    yield made
    made.left()


@pytest.fixture
def window(
    session: Session, told: type[ToldSolver], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    """The whole window; the page of corrections is ready without its pictures."""
    monkeypatch.setattr(CorrectPage, "_start", lambda page: page.set_ready(True))
    shown = MainWindow(session)
    shown.show()
    yield shown
    shown.close()
    shown.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
