"""The page within the window: from Review and back, its keys, stage 5 made again, and the real solver."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.app.session import Session
from studio.domain.body.load import load_body
from studio.domain.layers.relock import relock
from studio.schema.motion import Retarget
from studio.stages import execute, graph
from studio.stages.stage import Context, Result
from studio.store.project import Project
from studio.ui.pages.correct import CorrectPage
from studio.ui.pages.review import ReviewPage
from studio.ui.pages.stage import StagePage
from studio.ui.widgets.buttons import EYES, PRIMARY
from studio.ui.window import MainWindow

TECHNIQUE, JOINT = "right-knee", "hip_pitch_r"


def shown(window: MainWindow, name: str, qtbot: QtBot) -> CorrectPage:
    page = window.show_page(name)
    qtbot.waitUntil(lambda: page.ready and window.session.idle, timeout=20_000)
    assert isinstance(page, CorrectPage)
    qtbot.waitUntil(lambda: page.presenter.editor.technique == TECHNIQUE, timeout=5000)
    return page


def bend(page: CorrectPage, degrees: float = 8.0) -> None:
    hand = page.presenter.hand
    hand.choose_joint(JOINT)
    assert hand.state is not None
    angle = float(np.interp(0.4, hand.state.base.motion.times, hand.state.asked(JOINT)))
    hand.press_curve(0.4, angle + math.radians(degrees))
    hand.release()


def test_e_leads_here_at_the_same_moment_and_back(window: MainWindow, qtbot: QtBot):
    review = window.show_page("review")
    assert isinstance(review, ReviewPage)
    qtbot.waitUntil(lambda: review.ready and window.session.idle, timeout=20_000)
    review.presenter.transport.seek(6)
    QTest.keyClick(window, Qt.Key.Key_E)
    assert window.page_name == "correct" and window.rail.rows[4]._on
    page = window.page
    assert isinstance(page, CorrectPage)
    qtbot.waitUntil(lambda: page.ready and window.session.idle, timeout=20_000)
    assert page.presenter.transport.frame == 6
    assert page.place.chosen == 1
    page.presenter.transport.seek(20)
    page.place.choose(0)
    assert window.page_name == "review" and review.presenter.transport.frame == 20
    assert page.place.chosen == 1, "it stays Correct for when he comes back"


def test_keys_of_the_window_reach_the_curve(window: MainWindow, qtbot: QtBot):
    page = shown(window, "correct", qtbot)
    page.presenter.transport.seek_time(0.4)
    for key in (Qt.Key.Key_A, Qt.Key.Key_Up, Qt.Key.Key_Up):
        QTest.keyClick(window, key)
    QTest.keyClick(window, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    (layer,) = page.presenter.hand.layers
    assert (layer.knots[0].time_s, math.degrees(layer.knots[0].value)) == pytest.approx((0.42, 1.0))
    page.presenter.hand.press_knot(0)
    page.presenter.hand.drag(0.42, 1.0, False)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert page.presenter.hand.layers == (layer,)
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.presenter.hand.layers == ()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert len(page.presenter.hand.layers) == 1
    QTest.keyClick(window, Qt.Key.Key_Delete)
    assert page.presenter.hand.layers == ()
    QTest.keyClick(window, Qt.Key.Key_Right)
    assert page.presenter.transport.time == pytest.approx(0.44), "arrows alone are frames"


@pytest.fixture
def runs_here(session: Session, made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stage 5 of the window is run in this process, on the made motion, with the layers on disk."""

    def retarget(context: Context) -> Result:
        moved = context.project.load(5, TECHNIQUE, Retarget)
        reference = relock(moved, context.project.layers(TECHNIQUE), load_body("fighter"))
        return Result(arrays={"": moved, "reference": reference}, pages={"body": load_body("fighter")}, summary={})

    def run(stage: int) -> bool:
        session.stage_started.emit(stage, TECHNIQUE)
        QTimer.singleShot(0, lambda: finish(stage))
        return True

    def finish(stage: int) -> None:
        execute.run_stage(session.project, stage, TECHNIQUE, lambda fraction, text: None)
        session.stage_finished.emit(stage, TECHNIQUE)
        session.refresh()

    monkeypatch.setattr(execute, "find_stage", lambda number: replace(graph.stage(number), run=retarget))
    monkeypatch.setattr(session, "run", run)


def test_ctrl_enter_makes_the_motion_and_leads_to_review(window: MainWindow, runs_here, told, gym, qtbot: QtBot):
    page = shown(window, "correct", qtbot)
    assert page.main.text() == "Back to Review" and page.main.kind == EYES and page.main.isEnabled()
    bend(page)
    qtbot.waitUntil(lambda: window.session.stage(5).state == "stale" and window.session.idle, timeout=10_000)
    assert page.main.text() == "Make the motion" and page.main.kind == PRIMARY and page.main.isEnabled()
    assert "out of date" in page.next.text() and window.rail.rows[4].glyph.state == "stale"
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.page_name == "review", timeout=10_000)
    qtbot.waitUntil(lambda: window.session.stage(5).state == "needs_eyes" and window.session.idle, timeout=10_000)
    review = window.page
    assert isinstance(review, ReviewPage)
    qtbot.waitUntil(lambda: review.presenter.data is not None and review.presenter.data.revision == 2, timeout=10_000)
    column = 7 + review.presenter.data.retarget.joints.index(JOINT)
    before = Project.open(gym).load(5, TECHNIQUE, Retarget).qpos
    after = review.presenter.data.retarget.qpos
    assert after[20, column] - before[20, column] == pytest.approx(math.radians(8.0), abs=0.03)
    page = shown(window, "correct", qtbot)
    qtbot.waitUntil(lambda: not page.presenter.is_dirty and page.main.text() == "Back to Review", timeout=10_000)
    assert page.presenter.hand.state.settled, "what stage 5 made is the answer"


def test_undo_makes_the_motion_up_to_date_again(window: MainWindow, qtbot: QtBot):
    page = shown(window, "correct", qtbot)
    bend(page)
    qtbot.waitUntil(lambda: window.session.stage(5).state == "stale" and window.session.idle, timeout=10_000)
    page.commands["undo"]()
    qtbot.waitUntil(lambda: window.session.stage(5).state == "needs_eyes" and window.session.idle, timeout=10_000)
    assert page.main.text() == "Back to Review"


def test_steps_outlive_the_page(window: MainWindow, qtbot: QtBot):
    bend(shown(window, "correct", qtbot))
    qtbot.waitUntil(lambda: window.session.idle, timeout=5000)
    window.session.technique_chosen.emit(TECHNIQUE)
    page = shown(window, "correct", qtbot)
    assert len(page.presenter.hand.layers) == 1 and page.undo.isEnabled()
    page.commands["undo"]()
    assert page.presenter.hand.layers == ()


def test_without_a_retarget_the_plain_page_says_what_is_missing(window: MainWindow, made, tmp_path, qtbot: QtBot):
    made.empty_project(tmp_path / "new")
    window.open_project(tmp_path / "new")
    qtbot.waitUntil(lambda: window.session.stage(1).state == "ready", timeout=20_000)
    page = window.show_page("correct")
    assert isinstance(page, StagePage)
    qtbot.waitUntil(lambda: page.ready, timeout=10_000)
    assert page.state.text() == "It waits for Capture." and not page.run.isEnabled()


def test_a_take_that_cannot_be_read_is_told_in_words(window: MainWindow, gym, qtbot: QtBot):
    broken = next((gym / "techniques" / TECHNIQUE / "retarget").glob("r1.npz"))
    broken.write_bytes(b"nothing")
    page = window.show_page("correct")
    qtbot.waitUntil(lambda: page.ready, timeout=20_000)
    assert isinstance(page, CorrectPage) and page.notice.isVisible() and not page.main.isEnabled()
    for name, do in page.commands.items():
        if name not in ("review", "joints", "main", "run"):
            do()
    assert page.notice.what.text().endswith(".")


def test_every_key_of_the_page_is_answered(window: MainWindow, qtbot: QtBot):
    from studio.app.actions import in_scope

    page = shown(window, "correct", qtbot)
    own = {action.id for action in in_scope("time", "look", "correct")} - {"view_both"}
    assert own <= page.commands.keys()


def test_the_real_solver_answers(session: Session, qtbot: QtBot):
    window = MainWindow(session)
    window.show()
    page = shown(window, "correct", qtbot)
    bend(page)
    hand = page.presenter.hand
    qtbot.waitUntil(lambda: hand.state.settled and bool(hand.state.answered.layers), timeout=30_000)
    base = page.presenter.data.base
    wanted = relock(base, hand.state.answered, load_body("fighter"))
    assert np.array_equal(hand.state.answer.qpos, wanted.qpos), "the same bits as stage 5 will make"
    assert page.proof.text().startswith("Nothing outside")
    window.close()
    window.deleteLater()
