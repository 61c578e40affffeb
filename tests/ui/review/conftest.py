"""A take filmed by two small synthetic phones, a fighter's motion over it, and a session that only remembers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal

from studio.app.overview import StageView
from studio.app.review_data import ReviewData, completed
from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.video.writer import write_mp4
from studio.schema.body import Body
from studio.schema.camera import Camera, Rig
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.motion import Retarget
from studio.schema.take import Sync, Take, Video
from studio.ui.presenters.review import ReviewPresenter

WIDTH, HEIGHT, FPS, FRAMES, LATE = 96, 160, 30.0, 36, 3
SOLES = tuple(f"{point}_{side}" for side in "lr" for point in ("heel", "ball_in", "ball_out", "toe_tip"))


class RememberingSession(QObject):
    """Answers as a session does, at once, and keeps what it was asked for."""

    states_changed = Signal()
    stage_approved = Signal(int, str)

    def __init__(self) -> None:
        super().__init__()
        self.technique, self.state, self.revision = "kick", "needs_eyes", 1
        self.approved: list[int] = []
        self.tasks = self

    def stage(self, stage: int) -> StageView:
        return StageView(stage, "kick", self.state, revision=self.revision)

    def ask(self, do: Callable[[], Any], done: Callable[[Any], None], refused: Callable[[StudioError], None]) -> None:
        try:
            answer = do()
        except StudioError as error:
            refused(error)
        else:
            done(answer)

    def draw(self, do: Callable[[], Any], done: Callable[[Any], None]) -> None:
        done(do())

    def approve(self, stage: int, words: str = "") -> None:
        self.approved.append(stage)
        self.state = "approved"
        self.stage_approved.emit(stage, "kick")
        self.states_changed.emit()


def phone(name: str, azimuth: float) -> Camera:
    base = FreeCamera((0.0, 0.0, 0.9), 3.6, azimuth, -12.0, 52.0).camera(WIDTH, HEIGHT)
    return Camera(name, WIDTH, HEIGHT, base.matrix, np.zeros(4), base.rotation, base.translation)


def motion(body: Body) -> Retarget:
    model = build(body).compile()
    qpos = np.tile(model.qpos0, (FRAMES - LATE, 1))
    qpos[:, model.jnt_qposadr[model.joint("hip_pitch_r").id]] = -np.linspace(0, 1.2, len(qpos))
    copied = qpos.copy()
    copied[:, 1] += 0.15
    on = np.zeros((len(qpos), 8), bool)
    on[:, :4] = True
    joints = tuple(model.joint(k).name for k in range(1, model.njnt))
    return Retarget(body.name, body_hash(body), FPS, 0.0, joints, SOLES, 1.13, qpos, copied, on)


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReviewData:
    folder: Path = tmp_path_factory.mktemp("take")
    files = {name: folder / f"{name}.mp4" for name in "ab"}
    for path in files.values():
        write_mp4(path, (np.full((HEIGHT, WIDTH, 3), 6 * k + 10, np.uint8) for k in range(FRAMES)), FPS)
    videos = tuple(Video(p, f"{p}.mp4", "", WIDTH, HEIGHT, FPS, FRAMES, FRAMES / FPS) for p in "ab")
    take = Take("kick", "gym", videos, Sync("hand", {"b": LATE / FPS}), 0.0, (FRAMES - 1 - LATE) / FPS)
    body = Body("fighter", 1.80, 70.0, 1.25)
    findings = (
        Finding("slide", "ball_in_l", 10 / FPS, 14 / FPS, 24.0, "mm", 20.0),
        Finding("flick", "knee_r", 20 / FPS, 21 / FPS, 16.0, "deg", 10.0, True),
        Finding("below_floor", "heel_r", 2 / FPS, 3 / FPS, 12.0, "mm", 10.0),
    )
    return completed(
        ReviewData(take, files, Rig((phone("a", 150.0), phone("b", 215.0))), motion(body), body, findings=findings)
    )


@pytest.fixture
def session(qtbot) -> RememberingSession:
    return RememberingSession()


@pytest.fixture
def presenter(session: RememberingSession, data: ReviewData) -> ReviewPresenter:
    made = ReviewPresenter(session)  # type: ignore[arg-type]
    made.use(data)
    return made
