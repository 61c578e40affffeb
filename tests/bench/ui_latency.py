"""How long the window's own thread is held while the coach steps, plays, scrubs and turns the review page, or bends a
curve on the page of corrections while the solver works.

    python tests/bench/ui_latency.py [--project DIR] [--steps N] [--json FILE] [--strict]
    python tests/bench/ui_latency.py --project DIR --correct 20 [--json FILE] [--strict]

Every event that Qt delivers on that thread is timed (handlers, paints, queued signals; nested ones within their outer
one): by the clock, which is judged and wants a machine that does nothing else, and by the thread's own processor time,
which other programs hardly change. Without ``--project`` the page shows the videos of Pose2Sim's single-person demo,
from the installed package, beside a fighter that lifts a leg; with it, stage 5 of that project's first technique.
``--correct`` works on a copy: it drags a knot of the standing leg 60 times a second for so many seconds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from pose2sim_peer import package
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from report import Row, add_options, finish

from studio.app.overview import StageView
from studio.app.review_data import ReviewData, completed, load_review
from studio.app.session import Session
from studio.domain.body.build import build
from studio.domain.body.load import body_hash
from studio.domain.cameras.mujoco_camera import FreeCamera
from studio.domain.video.index import index_video
from studio.schema.body import Body
from studio.schema.camera import Camera, Rig
from studio.schema.findings import Finding
from studio.schema.motion import Retarget
from studio.schema.take import Sync, Take, Video
from studio.store.project import Project
from studio.ui import theme
from studio.ui.pages.correct import CorrectPage
from studio.ui.pages.review import ReviewPage
from studio.ui.presenters.correct import CorrectPresenter
from studio.ui.presenters.review import ReviewPresenter

LIMIT_MS, NEVER_MS, STEP_S = 8.0, 20.0, 1 / 15
SIZE = (1232, 856)
SOLES = tuple(f"{point}_{side}" for side in "lr" for point in ("heel", "ball_in", "ball_out", "toe_tip"))


class TimedApplication(QApplication):
    """Times each event from its delivery to its end, with what it was."""

    def __init__(self) -> None:
        super().__init__([])
        self.spent: list[tuple[float, float, str]] = []
        self._depth = 0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        self._depth += 1
        start, own = time.perf_counter(), time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self._depth -= 1
            if not self._depth:
                who = f"{type(receiver).__name__} {event.type().name}"
                self.spent.append((1e3 * (time.perf_counter() - start), 1e3 * (time.thread_time() - own), who))


class Beside(QObject):
    """What the presenter needs of a session; the strip of pictures is made before anything is timed."""

    states_changed = Signal()
    stage_approved = Signal(int, str)
    technique = "bench"

    def stage(self, stage: int) -> StageView:
        return StageView(stage, "bench", "needs_eyes", revision=1)

    def draw(self, do: Callable[[], Any], done: Callable[[Any], None]) -> None:
        done(do())


def main() -> int:
    options = parse()
    app = TimedApplication()
    theme.THEME.apply(app, "dark")
    if options.correct:
        return finish("The window's thread on the page of corrections", correcting(app, options), options)
    data = project_data(options.project) if options.project else demo_data()
    presenter = ReviewPresenter(Beside())  # type: ignore[arg-type]
    page = ReviewPage(presenter)
    page.resize(*SIZE)
    page.show()
    presenter.use(data)
    page.opened()
    wait(app, lambda: page.ready, 60.0)
    rows: list[Row] = []
    for what, does in (("stepping", stepping), ("playing", playing), ("scrubbing", scrubbing), ("turning", turning)):
        app.spent.clear()
        rows += does(app, page, options.steps)
        rows += held(what, app.spent)
    page.left()
    page.close()
    return finish("The window's thread on the review page", rows, options)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=Path, metavar="DIR", help="a project whose stage 5 has run")
    parser.add_argument("--steps", type=int, default=120, metavar="N", help="steps of each kind (120)")
    parser.add_argument("--correct", type=float, metavar="S", help="drag a knot for so many seconds; wants --project")
    add_options(parser)
    options = parser.parse_args()
    if options.correct and not options.project:
        parser.error("--correct wants --project")
    return options


def correcting(app: TimedApplication, options: argparse.Namespace) -> list[Row]:
    """A knot dragged at 60 moves a second in a copy of the project, with its real solver and its real pictures."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(options.project, Path(folder) / "project")
        session = Session()
        session.open(Path(folder) / "project")
        wait(app, lambda: session.idle and bool(session.stage(5).revision), 30.0)
        page = CorrectPage(CorrectPresenter(session))
        page.resize(*SIZE)
        page.show()
        page.opened()
        wait(app, lambda: page.ready and session.idle and page.presenter.editor.technique != "", 60.0)
        try:
            return bending(app, page, options.correct)
        finally:
            page.left()
            page.close()
            session.close()


def bending(app: TimedApplication, page: CorrectPage, seconds: float) -> list[Row]:
    """Press beside the curve, drag round and round, let go, wait for the locked motion."""
    hand, curve = page.presenter.hand, page.curve
    hand.choose_joint("knee_l")
    wait(app, soon(0.5), 1.0)
    answers, sets, late = [], [], []
    assert page.presenter._solver is not None and hand.state is not None
    page.presenter._solver.solved.connect(lambda *_: answers.append("whole"))
    page.presenter._solver.previewed.connect(lambda *_: answers.append("preview"))
    page.pictures.set_shown.connect(sets.append)
    middle = hand.state.base.motion.times[len(hand.state.base.qpos) // 2]
    start = curve.frame.place(
        float(middle), float(np.interp(middle, hand.state.base.motion.times, hand.state.asked("knee_l")))
    )
    app.spent.clear()
    mouse(app, curve, "press", start.toPoint())
    begun = time.perf_counter()
    for k in range(round(60 * seconds)):
        wait(app, lambda k=k: time.perf_counter() - begun >= k / 60, 1.0)
        here = start.toPoint() + QPoint(round(30 * np.sin(k / 13)), round(60 * np.sin(k / 7)))
        mouse(app, curve, "move", here)
        late.append(1e3 * (time.perf_counter() - begun - k / 60))
    mouse(app, curve, "release", here)
    released = time.perf_counter()
    rows = held("dragging", app.spent)
    wait(app, lambda: hand.state is not None and hand.state.settled, 20.0)
    return [
        *rows,
        Row("moves delivered late, p99", float(np.percentile(late, 99)), "ms", sense="shown"),
        Row("answers of the solver while dragging", len(answers) / seconds, "/s", sense="shown"),
        Row("sets of three pictures while dragging", len(sets) / seconds, "/s", sense="shown"),
        Row("locked motion after letting go", time.perf_counter() - released, "s", sense="shown"),
    ]


def project_data(folder: Path) -> ReviewData:
    project = Project.open(folder)
    return load_review(project, project.techniques()[0])


def demo_data() -> ReviewData:
    files = {p: package() / "Demo_SinglePerson" / "videos" / f"cam0{k}.mp4" for k, p in ((1, "a"), (2, "b"))}
    index = index_video(files["a"])
    videos = tuple(
        Video(p, f"{p}.mp4", "", index.width, index.height, index.fps, index.frames, index.duration_s) for p in files
    )
    rig = Rig(tuple(phone(p, azimuth, index.width, index.height) for p, azimuth in (("a", 150.0), ("b", 215.0))))
    body = Body("fighter", 1.80, 70.0, 1.25)
    model = build(body).compile()
    qpos = np.tile(model.qpos0, (index.frames, 1))
    qpos[:, model.jnt_qposadr[model.joint("hip_roll_r").id]] = 1.1 * np.sin(np.linspace(0, np.pi, index.frames)) ** 2
    on = np.zeros((index.frames, 8), bool)
    on[:, :4] = True
    joints = tuple(model.joint(k).name for k in range(1, model.njnt))
    motion = Retarget(body.name, body_hash(body), index.fps, 0.0, joints, SOLES, 1.13, qpos, qpos, on)
    take = Take("bench", "demo", videos, Sync(), 0.0, (index.frames - 1) / index.fps)
    findings = tuple(Finding("slide", "heel_r", k / 10, k / 10 + 0.05, 24.0, "mm", 20.0) for k in range(12))
    return completed(ReviewData(take, files, rig, motion, body, findings=findings))


def phone(name: str, azimuth: float, width: int, height: int) -> Camera:
    base = FreeCamera((0.0, 0.0, 0.9), 3.8, azimuth, -12.0, 50.0).camera(width, height)
    return Camera(name, width, height, base.matrix, np.array([-0.05, 0.02, 0.0, 0.0]), base.rotation, base.translation)


def stepping(app: TimedApplication, page: ReviewPage, steps: int) -> list[Row]:
    """The right arrow held down, then the left: 15 a second, and how soon each frame is seen."""
    seen, transport = [], page.presenter.transport
    for k in range(steps):
        start = time.perf_counter()
        transport.step(1 if k < steps / 2 else -1)
        wait(app, lambda: shown(page) == transport.frame, 2.0)
        seen.append(1e3 * (time.perf_counter() - start))
        wait(app, lambda start=start: time.perf_counter() - start > STEP_S, 1.0)
    return [
        Row("a step is seen after, median", float(np.median(seen)), "ms", 1e3 * STEP_S, peer="key repeat"),
        Row("a step is seen after, p95", float(np.percentile(seen, 95)), "ms", sense="shown"),
    ]


def playing(app: TimedApplication, page: ReviewPage, steps: int) -> list[Row]:
    """At full speed in a loop over the whole take; complete sets of four pictures per second."""
    transport, drawn, seconds = page.presenter.transport, [], steps / 40
    assert page.pictures._thread is not None
    page.pictures._thread.drawn.connect(drawn.append)
    transport.set_loop(0, transport.clock.frames - 1)
    transport.toggle()
    start = time.perf_counter()
    wait(app, lambda: time.perf_counter() - start > seconds, seconds + 1)
    transport.pause()
    return [Row("sets of four pictures while playing", len(drawn) / seconds, "/s", sense="shown")]


def scrubbing(app: TimedApplication, page: ReviewPage, steps: int) -> list[Row]:
    """The playhead dragged back and forth over the timeline."""
    lanes = page.timeline.lanes
    for k in range(steps):
        x = lanes.axis.left + lanes.axis.width * (0.5 + 0.48 * np.sin(k / 9))
        mouse(app, lanes, "press" if k == 0 else "move", QPoint(round(x), 40))
        wait(app, soon(0.016), 1.0)
    mouse(app, lanes, "release", QPoint(300, 40))
    return []


def turning(app: TimedApplication, page: ReviewPage, steps: int) -> list[Row]:
    """The free view dragged round."""
    page.presenter.set_view("free")
    wait(app, lambda: page.ready, 10.0)
    pane = next(iter(page.pictures.panes.values()))
    for k in range(steps):
        mouse(app, pane, "press" if k == 0 else "move", QPoint(100 + 3 * k, 200 + k % 40))
        wait(app, soon(0.016), 1.0)
    mouse(app, pane, "release", QPoint(300, 200))
    return []


def held(what: str, spent: list[tuple[float, float, str]]) -> list[Row]:
    """p99.9 and the longest of the events of one kind of use, and what that was."""
    clock, own = (np.array([event[k] for event in spent]) for k in (0, 1))
    longest = max(spent)
    return [
        Row(f"{what}: {len(spent)} events, p99.9", float(np.percentile(clock, 99.9)), "ms", LIMIT_MS),
        Row(f"{what}: longest ({longest[2]})", longest[0], "ms", NEVER_MS),
        Row(f"{what}: own processor time, p99.9", float(np.percentile(own, 99.9)), "ms", LIMIT_MS),
    ]


def shown(page: ReviewPage) -> int:
    return page.pictures.shown.wish.frame if page.pictures.shown is not None else -1


def soon(seconds: float) -> Callable[[], bool]:
    end = time.perf_counter() + seconds
    return lambda: time.perf_counter() > end


def mouse(app: QApplication, widget: Any, what: str, at: QPoint) -> None:
    types = QEvent.Type
    kind = {"press": types.MouseButtonPress, "move": types.MouseMove, "release": types.MouseButtonRelease}[what]
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, at.toPointF(), widget.mapToGlobal(at).toPointF(), left, left, none)
    app.notify(widget, event)


def wait(app: QApplication, finished: Callable[[], bool], at_most_s: float) -> None:
    end = time.perf_counter() + at_most_s
    while not finished() and time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.0005)


if __name__ == "__main__":
    sys.exit(main())
