"""The timeline shows where the transport stands and moves it."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.app.text import LANGUAGE
from studio.app.transport import Transport
from studio.domain.time import TakeClock
from studio.schema.motion import Retarget
from studio.ui import theme
from studio.ui.panes.frame_set import image
from studio.ui.panes.lane_data import Flag, LaneData, Suspicion, contact_lanes
from studio.ui.panes.timeline import Timeline

FPS, FRAMES = 60.0, 121
DATA = LaneData(
    "Take 2", 0.0, 2.0, (Suspicion(0.5, 0.7, False), Suspicion(1.2, 1.2, True)), (Flag(0.9, False), Flag(1.6, True)),
    (((0.0, 0.8),), ((0.1, 1.9),), (), ((0.4, 0.6), (1.0, 1.5))),
)  # fmt: skip


@pytest.fixture
def timeline(qtbot: QtBot) -> Timeline:
    made = Timeline(Transport(TakeClock(FPS, 0.0, FRAMES)))
    qtbot.addWidget(made)
    made.resize(1072, made.height())
    made.show_data(DATA)
    made.show()
    return made


def pixels(timeline: Timeline) -> np.ndarray:
    grabbed = timeline.lanes.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(grabbed.constBits(), np.uint8).reshape(grabbed.height(), grabbed.bytesPerLine())
    return rows[:, : 3 * grabbed.width()].reshape(grabbed.height(), grabbed.width(), 3).astype(int)


def near(picture: np.ndarray, name: str) -> np.ndarray:
    colour = theme.token(name)
    return (np.abs(picture - (colour.red(), colour.green(), colour.blue())) < 30).all(axis=2)


def press(qtbot: QtBot, timeline: Timeline, time: float, y: int) -> None:
    place = QPoint(round(timeline.lanes.axis.x(time)), y)
    qtbot.mousePress(timeline.lanes, Qt.MouseButton.LeftButton, pos=place)


def test_it_is_148_px_high(timeline: Timeline):
    assert timeline.height() == 148 == theme.metric("timeline")


def test_dragging_scrubs_by_whole_frames(timeline: Timeline, qtbot: QtBot):
    transport = timeline.transport
    transport.toggle()
    press(qtbot, timeline, 1.0, 30)
    assert transport.frame == 60 and not transport.playing
    qtbot.mouseMove(timeline.lanes, QPoint(round(timeline.lanes.axis.x(1.5)), 40))
    assert transport.frame == 90 and transport.time == transport.clock.time(90)
    qtbot.mouseRelease(timeline.lanes, Qt.MouseButton.LeftButton, pos=QPoint(500, 40))
    qtbot.mouseMove(timeline.lanes, QPoint(200, 40))
    assert transport.frame == 90


def test_the_playhead_is_amber_and_stands_at_the_time(timeline: Timeline):
    for frame in (0, 60, 120):
        timeline.transport.seek(frame)
        columns = np.flatnonzero(near(pixels(timeline)[60:64], "amber").any(axis=0))
        assert len(columns) and abs(columns.mean() - timeline.lanes.axis.x(frame / FPS)) < 1.6


def test_marks_are_the_only_violet(timeline: Timeline):
    violet = near(pixels(timeline), "eyes")
    columns = np.flatnonzero(violet.any(axis=0))
    assert len(columns)
    place = timeline.lanes.axis.x(0.9)
    assert columns.min() >= place - 2 and columns.max() <= place + 12


def test_contacts_fill_their_lanes(timeline: Timeline):
    picture, axis = pixels(timeline), timeline.lanes.axis
    empty = picture[82 + 2 * 7 + 2]
    assert (np.abs(empty[100:1000] - empty[100]) < 60).all(), "the right heel never stands here"
    heel = picture[84]
    assert heel[round(axis.x(0.4))].sum() > heel[round(axis.x(1.4))].sum() + 150


def test_a_finding_can_be_pressed(timeline: Timeline, qtbot: QtBot):
    with qtbot.waitSignal(timeline.finding_pressed) as caught:
        press(qtbot, timeline, 0.6, 71)
    assert caught.args == [0]
    timeline.transport.seek(0)
    press(qtbot, timeline, 1.6, 71)
    assert timeline.transport.frame == 96, "beside one it scrubs"


def test_the_wheel_zooms_round_the_pointer_and_shift_moves(timeline: Timeline, qtbot: QtBot):
    axis = timeline.lanes.axis
    place = QPointF(axis.x(1.0), 30)

    def turn(delta: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        event = QWheelEvent(
            place, timeline.lanes.mapToGlobal(place), QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, keys,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(timeline.lanes, event)

    for _ in range(5):
        turn(120)
    zoomed = timeline.lanes.axis
    assert zoomed.last_s - zoomed.first_s < 1.0 and zoomed.x(1.0) == pytest.approx(place.x())
    turn(-120, Qt.KeyboardModifier.ShiftModifier)
    assert timeline.lanes.axis.first_s > zoomed.first_s
    for _ in range(20):
        turn(-120)
    assert timeline.lanes.axis.is_whole
    timeline.lanes.zoom(0.1, 0.0)
    timeline.transport.seek(110)
    assert timeline.lanes.axis.first_s < 110 / FPS < timeline.lanes.axis.last_s, "the view follows the playhead"


def test_outside_the_loop_the_pictures_are_dimmed(timeline: Timeline):
    bright = image(np.full((60, 34, 3), 230, np.uint8))
    timeline.show_pictures((bright,) * 10)
    row = pixels(timeline)[35]
    timeline.transport.set_loop(40, 80)
    looped = pixels(timeline)[35]
    inside, outside = round(timeline.lanes.axis.x(1.0)) + 9, round(timeline.lanes.axis.x(0.2)) + 9
    assert abs(looped[inside] - row[inside]).max() < 12
    assert looped[outside].sum() < row[outside].sum() - 150
    timeline.transport.toggle_loop()
    assert abs(pixels(timeline)[35] - row).max() < 12


def words(timeline: Timeline) -> str:
    from PySide6.QtWidgets import QLabel, QPushButton

    return " | ".join(w.text() for kind in (QLabel, QPushButton) for w in timeline.findChildren(kind))


def test_time_frame_and_loop_are_said_in_both_languages(timeline: Timeline, qtbot: QtBot):
    timeline.transport.set_loop(54, 84)
    timeline.transport.seek(67)
    assert "1.117 s" in words(timeline) and "frame 67" in words(timeline) and "Loop 0.90 – 1.40 s" in words(timeline)
    LANGUAGE.choose("ja")
    from PySide6.QtCore import QEvent

    for widget in (timeline, *timeline.findChildren(type(timeline._time))):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
    assert "1.117 秒" in words(timeline) and "67 フレーム" in words(timeline)


def test_speed_follows_both_ways(timeline: Timeline):
    timeline._speed.choose(2)
    assert timeline.transport.speed == 0.25
    timeline.transport.faster()
    assert timeline._speed.chosen == 3


def test_contact_lanes_of_a_retarget():
    soles = ("heel_l", "ball_in_l", "ball_out_l", "toe_tip_l", "heel_r", "ball_in_r", "ball_out_r", "toe_tip_r")
    on = np.zeros((10, 8), bool)
    on[2:5, 0] = on[1:3, 1] = on[2:6, 3] = on[9, 4] = True
    motion = Retarget("fighter", "", 10.0, 1.0, (), soles, 1.0, np.zeros((10, 7)), np.zeros((10, 7)), on)
    left_heel, left_ball, right_heel, right_ball = contact_lanes(motion)
    assert left_heel == (pytest.approx((1.15, 1.45)),)
    assert left_ball == (pytest.approx((1.05, 1.55)),)
    assert right_heel == (pytest.approx((1.85, 1.95)),) and right_ball == ()
