"""Asked for often, done at a pace; the last asking is never lost."""

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from studio.app.pace import Pace


def test_the_first_at_once_then_one_for_all_that_came_between(qtbot: QtBot):
    owner, done = QObject(), []
    pace = Pace(40, lambda: done.append(len(done)), owner)
    for _ in range(5):
        pace.ask()
    assert len(done) == 1
    qtbot.waitUntil(lambda: len(done) == 2, timeout=1000)
    qtbot.wait(100)
    assert len(done) == 2, "nothing more was asked"


def test_now_does_not_wait_and_leaves_nothing_behind(qtbot: QtBot):
    owner, done = QObject(), []
    pace = Pace(40, lambda: done.append(len(done)), owner)
    pace.ask()
    pace.ask()
    pace.ask(now=True)
    assert len(done) == 2
    qtbot.wait(100)
    assert len(done) == 2
