"""PySide6 6.12.0 loses a reference to None with every call that returns it; Python 3.11 ends after some thousands."""

import sys

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


def test_calls_that_return_none_lose_no_reference(qtbot: QtBot):
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for _ in range(1000):
        QCoreApplication.processEvents()
        widget.update()
    assert sys.getrefcount(None) - before > -100
