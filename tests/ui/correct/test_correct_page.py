"""The page of corrections as a coach uses it: the mouse on the curve, keys, layers on disk, and what it says."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.app.text import LANGUAGE
from studio.schema.layers import Layer, Layers
from studio.store.project import Project
from studio.ui import theme
from studio.ui.pages.correct import CorrectPage
from studio.ui.panes.frame_set import FIGHTER

TECHNIQUE, JOINT = "right-knee", "hip_pitch_r"
LEFT, NONE, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
Misfits = Callable[[QWidget], list[str]]


def on_disk(page: CorrectPage) -> Layers:
    return Project.open(page.presenter.session.project.layout.root).layers(TECHNIQUE)


def file_bytes(page: CorrectPage) -> bytes | None:
    path = page.presenter.session.project.layout.layers_toml(TECHNIQUE)
    return path.read_bytes() if path.exists() else None


def at(page: CorrectPage, time_s: float, more_deg: float = 0.0) -> QPoint:
    """The pixel of the asked curve at a moment, some degrees above it."""
    state, joint = page.presenter.hand.state, page.presenter.hand.joint
    assert state is not None
    angle = float(np.interp(time_s, state.base.motion.times, state.asked(joint)))
    return page.curve.frame.place(time_s, angle + math.radians(more_deg)).toPoint()


def drag(page: CorrectPage, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier = NONE, drop: bool = True) -> None:
    QTest.mousePress(page.curve, LEFT, NONE, start)
    for share in (0.3, 0.6, 1.0):
        here = start + (end - start) * share
        move(page, here, keys)
    if drop:
        QTest.mouseRelease(page.curve, LEFT, keys, end)


def move(page: CorrectPage, here: QPoint, keys: Qt.KeyboardModifier = NONE) -> None:
    from PySide6.QtGui import QMouseEvent

    place = QPointF(here)
    moved = QMouseEvent(QEvent.Type.MouseMove, place, page.curve.mapToGlobal(place), LEFT, LEFT, keys)
    QApplication.sendEvent(page.curve, moved)


def only(page: CorrectPage) -> Layer:
    (layer,) = page.presenter.hand.layers
    return layer


@pytest.fixture
def bent(page: CorrectPage, told, qtbot: QtBot) -> CorrectPage:
    """With one layer: a knot at 0.4 s, some ten degrees above the curve."""
    drag(page, at(page, 0.4), at(page, 0.4, 10.0))
    told.made.answer()
    qtbot.waitUntil(lambda: file_bytes(page) is not None and page.presenter.session.idle, timeout=5000)
    return page


def test_the_joint_under_the_worst_open_finding_comes_first(page: CorrectPage):
    assert page.presenter.hand.joint == JOINT and page.joint.text() == "Right hip, forward and back"
    assert page.presenter.transport.time == pytest.approx(0.4)
    assert page.presenter.hand.layer is None and page._rows == []


def test_a_drag_makes_a_layer_that_is_on_disk_within_a_second(page: CorrectPage, qtbot: QtBot):
    assert file_bytes(page) is None
    drag(page, at(page, 0.4), at(page, 0.4, 10.0))
    done = time.monotonic()
    qtbot.waitUntil(lambda: file_bytes(page) is not None, timeout=5000)
    assert time.monotonic() - done < 1.0
    (layer,) = on_disk(page).layers
    assert layer == only(page) and layer.joint == JOINT
    assert math.degrees(layer.knots[0].value) == pytest.approx(10.0, abs=0.5)
    assert layer.knots[0].time_s == pytest.approx(0.4) and (layer.start_s, layer.end_s) == pytest.approx(
        (0.26, 0.56), abs=0.02
    )
    assert page._rows and page.undo.isEnabled() and "Add" in page.undo.toolTip()


def test_nothing_is_written_while_the_button_is_down(page: CorrectPage, qtbot: QtBot):
    drag(page, at(page, 0.4), at(page, 0.4, 10.0), drop=False)
    qtbot.wait(50)
    assert file_bytes(page) is None and page.presenter.hand.is_busy
    QTest.mouseRelease(page.curve, LEFT, NONE, at(page, 0.4))
    qtbot.waitUntil(lambda: file_bytes(page) is not None, timeout=5000)


def test_the_fighter_follows_before_and_after_the_solver(drawn: CorrectPage, told, qtbot: QtBot):
    hand, column = drawn.presenter.hand, 7 + drawn.presenter.data.base.joints.index(JOINT)
    base = drawn.presenter.data.base.qpos[20, column]
    drag(drawn, at(drawn, 0.4), at(drawn, 0.4, 10.0), drop=False)
    assert not hand.state.settled and "locking" in drawn.presenter.note
    assert hand.state.pose(20)[column] == pytest.approx(base + only(drawn).knots[0].value, abs=1e-6)
    qtbot.waitUntil(
        lambda: drawn.pictures.shown is not None and drawn.pictures.shown.wish.qpos[column] > base + 0.1, timeout=20_000
    )
    assert drawn.pictures.shown.wish.ghost[column] == base, "the ghost is before the layer"
    QTest.mouseRelease(drawn.curve, LEFT, NONE, at(drawn, 0.4))
    told.made.answer()
    assert hand.state.settled and drawn.presenter.note.startswith("asked +")
    solved = hand.state.answer.qpos[20]
    qtbot.waitUntil(lambda: np.array_equal(drawn.pictures.shown.wish.qpos, solved), timeout=20_000)


def test_the_proof_compares_the_arrays_of_the_answer(bent: CorrectPage, told):
    from dataclasses import replace

    QApplication.processEvents()
    assert bent.proof.text() == f"Nothing outside {0.26:.2f} – {0.56:.2f} s changed."
    state = bent.presenter.hand.state
    wrong = state.answer.qpos.copy()
    wrong[[0, 39], 10] += 1e-12
    told.made.solved.emit(state.answered, replace(state.answer, qpos=wrong), ())
    QApplication.processEvents()
    assert bent.proof.text() == "2 frames outside 0.26 – 0.56 s changed."
    assert any(check.value == "2 differences" for check in bent.presenter.checks)


def test_undo_and_redo_give_the_same_bytes(bent: CorrectPage, qtbot: QtBot):
    first = file_bytes(bent)
    drag(bent, at(bent, 0.4), at(bent, 0.44, -6.0))
    qtbot.waitUntil(lambda: file_bytes(bent) != first, timeout=5000)
    second = file_bytes(bent)
    bent.commands["undo"]()
    qtbot.waitUntil(lambda: file_bytes(bent) == first, timeout=5000)
    bent.commands["undo"]()
    qtbot.waitUntil(lambda: file_bytes(bent) is None, timeout=5000)
    QApplication.processEvents()
    assert bent.presenter.hand.layer is None and bent._rows == []
    assert bent.redo.isVisible() and "Add" in bent.redo.toolTip()
    bent.commands["redo"]()
    qtbot.waitUntil(lambda: file_bytes(bent) == first, timeout=5000)
    bent.commands["redo"]()
    qtbot.waitUntil(lambda: file_bytes(bent) == second, timeout=5000)


def test_escape_gives_the_gesture_up(bent: CorrectPage):
    before, bytes_before = only(bent), file_bytes(bent)
    drag(bent, at(bent, 0.4), at(bent, 0.46, 25.0), drop=False)
    assert only(bent) != before
    bent.commands["give_up"]()
    assert only(bent) == before and not bent.curve.is_held
    move(bent, at(bent, 0.4, 30.0))
    QTest.mouseRelease(bent.curve, LEFT, NONE, at(bent, 0.4))
    assert only(bent) == before and file_bytes(bent) == bytes_before


def test_undo_within_a_gesture_takes_the_gesture_back(bent: CorrectPage):
    before = only(bent)
    drag(bent, at(bent, 0.4), at(bent, 0.46, 25.0), drop=False)
    bent.commands["undo"]()
    assert only(bent) == before


def test_shift_holds_the_time(bent: CorrectPage):
    drag(bent, at(bent, 0.4), at(bent, 0.46, 5.0), SHIFT)
    assert only(bent).knots[0].time_s == pytest.approx(0.4)
    drag(bent, at(bent, 0.4), at(bent, 0.46, 0.0))
    assert only(bent).knots[0].time_s == pytest.approx(0.46)


def test_a_click_in_the_window_sets_another_knot_and_delete_removes_it(bent: CorrectPage):
    QTest.mouseClick(bent.curve, LEFT, NONE, at(bent, 0.5))
    assert [knot.time_s for knot in only(bent).knots] == pytest.approx([0.4, 0.5])
    assert bent.presenter.hand.knot == 1
    bent.commands["remove_knot"]()
    assert [knot.time_s for knot in only(bent).knots] == pytest.approx([0.4])
    bent.commands["remove_knot"]()
    assert bent.presenter.hand.layers == (), "with the last knot goes the layer"


def test_outside_the_window_a_click_is_a_moment(bent: CorrectPage):
    before = only(bent)
    QTest.mouseClick(bent.curve, LEFT, NONE, at(bent, 0.1))
    assert bent.presenter.transport.time == pytest.approx(0.1) and only(bent) == before


def turn(page: CorrectPage, here: QPoint, notches: int) -> None:
    place = QPointF(here)
    wheel = QWheelEvent(
        place, page.curve.mapToGlobal(place), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(page.curve, wheel)


def test_the_wheel_changes_the_falloff_as_one_step(bent: CorrectPage, qtbot: QtBot):
    start, end, first = only(bent).start_s, only(bent).end_s, file_bytes(bent)
    for _ in range(3):
        turn(bent, at(bent, 0.4), 1)
    assert (only(bent).start_s, only(bent).end_s) == pytest.approx((start - 0.06, end + 0.06))
    assert file_bytes(bent) == first, "not written while the wheel turns"
    qtbot.waitUntil(lambda: file_bytes(bent) != first, timeout=3000)
    turn(bent, bent.curve.frame.place(only(bent).end_s, 0.0).toPoint() + QPoint(0, 40), -2)
    assert only(bent).end_s == pytest.approx(end + 0.02) and only(bent).start_s == pytest.approx(start - 0.06)
    bent.commands["undo"]()
    assert (only(bent).start_s, only(bent).end_s) == pytest.approx((start - 0.06, end + 0.06))
    bent.commands["undo"]()
    assert (only(bent).start_s, only(bent).end_s) == pytest.approx((start, end))


def test_the_wheel_elsewhere_zooms_curve_and_timeline(bent: CorrectPage):
    turn(bent, at(bent, 0.1), 4)
    curve, lanes = bent.curve.frame.across, bent.timeline.lanes.axis
    assert not curve.is_whole and (curve.first_s, curve.last_s) == (lanes.first_s, lanes.last_s)


def test_an_edge_is_dragged(bent: CorrectPage):
    start, end = only(bent).start_s, only(bent).end_s
    here = bent.curve.frame.place(start, 0.0).toPoint()
    drag(bent, here, here + QPoint(-round(0.1 * bent.curve.frame.across.width / 0.78), 0))
    assert only(bent).start_s == pytest.approx(start - 0.1, abs=0.021) and only(bent).end_s == end


def test_keys_do_what_the_mouse_does(page: CorrectPage, qtbot: QtBot):
    page.presenter.transport.seek_time(0.4)
    page.commands["add_knot"]()
    knot = only(page).knots[0]
    assert (knot.time_s, knot.value) == (pytest.approx(0.4), 0.0)
    for _ in range(4):
        page.commands["knot_up"]()
    page.commands["knot_down"]()
    assert math.degrees(only(page).knots[0].value) == pytest.approx(1.5)
    page.commands["knot_later"]()
    page.commands["knot_later"]()
    page.commands["knot_earlier"]()
    assert only(page).knots[0].time_s == pytest.approx(0.42) == page.presenter.transport.time
    start = only(page).start_s
    page.commands["wider"]()
    assert only(page).start_s == pytest.approx(start - 0.02)
    page.commands["narrower"]()
    page.presenter.transport.seek_time(0.5)
    page.commands["add_knot"]()
    page.commands["previous_knot"]()
    assert page.presenter.hand.knot == 0 and page.presenter.transport.time == pytest.approx(0.42)
    page.commands["next_knot"]()
    assert page.presenter.hand.knot == 1
    page.commands["layer_on"]()
    assert not only(page).on
    qtbot.waitUntil(lambda: on_disk(page).layers == (only(page),), timeout=5000)
    page.commands["remove_layer"]()
    qtbot.waitUntil(lambda: file_bytes(page) is None, timeout=5000)


def test_several_layers_one_is_edited(bent: CorrectPage, told):
    bent.presenter.hand.choose_joint("lumbar_pitch")
    assert bent.presenter.hand.layer is None
    bent.presenter.transport.seek_time(0.3)
    bent.commands["add_layer"]()
    bent.commands["knot_up"]()
    bent.presenter.hand.release()
    assert [layer.joint for layer in bent.presenter.hand.layers] == [JOINT, "lumbar_pitch"]
    QApplication.processEvents()
    assert [row.property("ground") for row in bent._rows] == ["", "selected"]
    told.made.answer()
    QApplication.processEvents()
    assert bent.presenter.hand.state.settled and bent.proof.text() == "Nothing outside the 2 windows changed."
    bent.commands["previous_layer"]()
    assert bent.presenter.hand.joint == JOINT and bent.joint.text() == "Right hip, forward and back"
    told.made.answer()
    ghost = bent.presenter.wish(bent.pictures.wanted(), (0, 0, 0), False)
    column = 7 + bent.presenter.data.base.joints.index("lumbar_pitch")
    alone = bent.presenter._ghost_of(Layers(bent.presenter.hand.layers[1:]))
    assert alone is not None and alone.qpos[15, column] != bent.presenter.data.base.qpos[15, column]
    assert ghost is not None and ghost.ghost is not None


def test_what_he_says_of_a_layer_is_kept(bent: CorrectPage, qtbot: QtBot):
    bent.said.setText("knee comes up late")
    bent.said.editingFinished.emit()
    qtbot.waitUntil(lambda: on_disk(bent).layers[0].words == "knee comes up late", timeout=5000)
    assert bent.presenter.lines[0].title == "knee comes up late"


def test_knots_stay_within_the_limits(bent: CorrectPage):
    low = bent.presenter.data.low[bent.presenter.data.base.joints.index(JOINT)]
    drag(bent, at(bent, 0.4), QPoint(at(bent, 0.4).x(), 5000))
    state = bent.presenter.hand.state
    assert state.asked(JOINT)[20] == pytest.approx(low) and state.shown(JOINT).min() >= low - 1e-9


def test_without_an_answer_the_page_says_so_and_works(page: CorrectPage, told):
    drag(page, at(page, 0.4), at(page, 0.4, 10.0))
    assert told.made.wish is not None
    QApplication.processEvents()
    assert page.proof.text() == "Locking the feet with these layers…"
    assert "differences" not in " ".join(check.value for check in page.presenter.checks)
    page.curve.repaint()
    page.commands["undo"]()
    QApplication.processEvents()
    assert page.proof.text() == "", "without layers there is nothing to solve"


def test_a_moving_hand_asks_at_a_pace_and_at_once_when_it_lets_go(page: CorrectPage, told, qtbot: QtBot):
    start = at(page, 0.4)
    drag(page, start, at(page, 0.4, 10.0), drop=False)
    before = told.made.asked
    for up in (20, 18, 16, 14):
        move(page, start - QPoint(0, up))
    assert told.made.asked == before, "moves that follow each other at once are one wish"
    qtbot.waitUntil(lambda: told.made.wish == Layers(page.presenter.hand.layers), timeout=1000)
    move(page, start - QPoint(0, 8))
    QTest.mouseRelease(page.curve, LEFT, NONE, start - QPoint(0, 8))
    assert told.made.wish == Layers(page.presenter.hand.layers)


def test_only_the_newest_wish_is_answered(page: CorrectPage, told):
    for degrees in (10.0, 5.0, 8.0):
        drag(page, at(page, 0.4), at(page, 0.4, degrees))
    assert told.made.asked > 3
    answers = []
    told.made.solved.connect(lambda layers, *_: answers.append(layers))
    told.made.answer()
    assert answers == [Layers(page.presenter.hand.layers)]


def test_a_moment_paints_the_playhead_alone(bent: CorrectPage):
    bent.curve.repaint()
    ground, live = bent.curve._ground, bent.curve._live
    bent.presenter.transport.seek(3)
    bent.curve.repaint()
    assert bent.curve._ground is ground and bent.curve._live is live


def test_the_angles_in_view_stay_while_he_holds_a_knot(bent: CorrectPage):
    down = bent.curve.frame.down
    drag(bent, at(bent, 0.4), at(bent, 0.4, 110.0), drop=False)
    assert bent.curve.frame.down == down
    QTest.mouseRelease(bent.curve, LEFT, NONE, at(bent, 0.4))
    assert bent.curve.frame.down != down


def test_views_and_ghost(drawn: CorrectPage, qtbot: QtBot):
    for place, panes in ((1, {("video", "a"), (FIGHTER, "a")}), (2, {("video", "b"), (FIGHTER, "b")})):
        drawn.views.choose(place)
        qtbot.waitUntil(lambda panes=panes: drawn.ready and set(drawn.pictures.panes) == panes, timeout=20_000)
    drawn.commands["view_free"]()
    qtbot.waitUntil(lambda: drawn.ready and len(drawn.pictures.panes) == 3, timeout=20_000)
    assert drawn.ghost.isChecked()
    drawn.commands["ghost"]()
    assert not drawn.ghost.isChecked() and drawn.presenter.wish(drawn.pictures.wanted(), (0, 0, 0), False).ghost is None


def test_the_joints_are_offered_by_part_of_the_body(page: CorrectPage):
    menu = page.joint_menu()
    parts = [action.text() for action in menu.actions()]
    assert parts == ["Trunk", "Head", "Left arm", "Right arm", "Left leg", "Right leg"]
    below = menu.actions()[-1].menu()
    assert [a.text() for a in below.actions() if a.isChecked()] == ["Right hip, forward and back"]
    next(a for a in below.actions() if a.text() == "Right knee").trigger()
    assert page.presenter.hand.joint == "knee_r"
    menu.deleteLater()


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800)], ids=["1440", "1280"])
@pytest.mark.parametrize("look", ["dark en", "light ja", "dark ja"])
def test_every_word_fits(bent: CorrectPage, misfits: Misfits, qapp, look: str, size):
    look, language = look.split()
    theme.THEME.apply(qapp, look)
    LANGUAGE.choose(language)
    across, down = theme.metric("rail"), theme.metric("topbar")
    bent.resize(size[0] - across, size[1] - down)
    for widget in [bent, *bent.findChildren(QWidget)]:
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
    QApplication.processEvents()
    assert misfits(bent) == []
    assert bent.width() == size[0] - across, "the page does not ask for more room"


def test_leaving_ends_solver_and_drawing_and_coming_back_goes_on(drawn: CorrectPage, told, qtbot: QtBot):
    drag(drawn, at(drawn, 0.4), at(drawn, 0.4, 4.0), drop=False)
    layer, solver = only(drawn), told.made
    drawn.left()
    assert solver.is_closed and not drawn.pictures.is_drawing
    qtbot.waitUntil(lambda: on_disk(drawn).layers == (layer,), timeout=5000)
    drawn.opened()
    assert told.made is not solver and told.made.wish == Layers((layer,))
    qtbot.waitUntil(lambda: drawn.ready, timeout=20_000)
