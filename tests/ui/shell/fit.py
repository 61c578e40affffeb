"""Whether words fit where they stand."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from studio.ui.widgets.words import Shortened

SLACK = 1


def misfits(root: QWidget) -> list[str]:
    """Every visible label and button whose words do not fit; those that shorten themselves are left out."""
    QApplication.processEvents()
    found = []
    for label in root.findChildren(QLabel):
        if label.isVisible() and label.text() and not isinstance(label, Shortened):
            found += _label(label)
    for button in root.findChildren(QPushButton):
        if button.isVisible() and button.width() + SLACK < button.minimumSizeHint().width():
            found.append(f"button {button.text()!r}: needs {button.minimumSizeHint().width()}, has {button.width()}")
    return found


def _label(label: QLabel) -> list[str]:
    where = f"{type(label).__name__} {label.text()[:50]!r}"
    room, metrics = label.contentsRect(), label.fontMetrics()
    if label.wordWrap():
        need = label.heightForWidth(label.width())
        longest = max(metrics.horizontalAdvance(word) for word in label.text().split())
        if need > label.height() + SLACK:
            return [f"{where}: needs a height of {need}, has {label.height()}"]
        return [f"{where}: a word of {longest} in {room.width()}"] if _latin(label) and longest > room.width() else []
    if metrics.horizontalAdvance(label.text()) > room.width() + SLACK:
        return [f"{where}: needs {metrics.horizontalAdvance(label.text())}, has {room.width()}"]
    if metrics.height() > label.height() + 3:
        return [f"{where}: needs a height of {metrics.height()}, has {label.height()}"]
    return []


def _latin(label: QLabel) -> bool:
    return all(ord(sign) < 0x3000 for sign in label.text())
