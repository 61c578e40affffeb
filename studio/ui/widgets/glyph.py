"""The sign of a stage's state, in the rail and wherever a stage is named."""

# ruff: noqa: N802 (Qt names what it calls)
from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.ui import theme

ICONS = {
    "done": ("check", "text2"),
    "approved": ("eye-check-outline", "text2"),
    "automatic": ("eye-off-outline", "text2"),
    "stale": ("update", "text2"),
    "locked": ("lock-outline", "text4"),
    "failed": ("close", "text"),
}


class Glyph(QWidget):
    """``state``: one of the eight, or "automatic" where nobody looked. Running turns."""

    def __init__(self, state: str = "locked") -> None:
        super().__init__()
        self._state, self._turn = state, 0
        self.setFixedSize(24, 20)
        self._clock = QTimer(self, interval=120)
        self._clock.timeout.connect(self._advance)
        self.show_state(state)

    def sizeHint(self) -> QSize:
        return QSize(24, 20)

    @property
    def state(self) -> str:
        return self._state

    def show_state(self, state: str) -> None:
        self._state = state
        self.setProperty("violet", state == "needs_eyes")
        self._clock.start() if state == "running" else self._clock.stop()
        self.update()

    def _advance(self) -> None:
        self._turn = (self._turn + 24) % 360
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_state(painter, QPointF(12, 10), self._state, self._turn, self.devicePixelRatioF())


def paint_state(painter: QPainter, middle: QPointF, state: str, turn: int = 0, ratio: float = 1.0) -> None:
    """Draw the sign of ``state`` around ``middle``; ``turn`` degrees for the running one."""
    if state == "needs_eyes":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("eyes"))
        painter.drawRoundedRect(QRectF(middle.x() - 11, middle.y() - 9, 22, 18), 9, 9)
        painter.drawPixmap(middle - QPointF(7, 7), theme.pixmap("eye", 14, "on_eyes", ratio))
    elif state in ("running", "ready"):
        ring = QRectF(middle.x() - 6, middle.y() - 6, 12, 12)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.token("text3" if state == "ready" else "track"), 1.4 if state == "ready" else 2.2))
        painter.drawEllipse(ring)
        if state == "running":
            painter.setPen(QPen(theme.token("text"), 2.2, c=Qt.PenCapStyle.RoundCap))
            painter.drawArc(ring, (90 - turn) * 16, -110 * 16)
    else:
        name, tone = ICONS.get(state, ICONS["locked"])
        painter.drawPixmap(middle - QPointF(8, 8), theme.pixmap(name, 16, tone, ratio))
