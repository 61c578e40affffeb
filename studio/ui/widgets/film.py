"""A pane in which a film is shown, and what the keys of time do to it."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.app.transport import Transport
from studio.ui import theme


class FilmPane(QWidget):
    """Shows pictures of its own size. ``size_changed`` asks for new ones; ``corner`` stands at the top, ``foot``
    below."""

    size_changed = Signal()

    def __init__(self, radius: int = 0) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._corner, self._tone, self._foot, self._radius = "", "text", "", radius
        self._foot_tone = "text2"
        self.setMinimumSize(120, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def is_empty(self) -> bool:
        return self._image is None

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height to draw for, px of the screen."""
        ratio = self.devicePixelRatioF()
        return max(16, round(self.width() * ratio)), max(16, round(self.height() * ratio))

    def label(self, corner: str, tone: str = "text", foot: str = "", foot_tone: str = "text2") -> None:
        self._corner, self._tone, self._foot, self._foot_tone = corner, tone, foot, foot_tone
        self.update()

    def show_picture(self, picture: np.ndarray | None) -> None:
        """(H, W, 3) uint8 RGB, or None for nothing."""
        self._image = None
        if picture is not None:
            kept = np.ascontiguousarray(picture)
            height, width, _ = kept.shape
            self._image = QImage(kept.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.size_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), theme.token("bg0"))
        if self._image is not None:
            scale = min(self.width() / self._image.width(), self.height() / self._image.height())
            size = QSize(round(self._image.width() * scale), round(self._image.height() * scale))
            left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
            painter.drawImage(QRectF(left, top, size.width(), size.height()), self._image)
        if self._corner:
            tag(painter, QPointF(8, 8), self._corner, self._tone)
        if self._foot:
            tag(painter, QPointF(8, self.height() - 28), self._foot, self._foot_tone)


def tag(painter: QPainter, at: QPointF, text: str, tone: str) -> None:
    """A label on a picture."""
    font = theme.font("caption", 600)
    width = QFontMetrics(font).horizontalAdvance(text) + 14
    box = QRectF(at.x(), at.y(), width, 20)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.token("scrim"))
    painter.drawRoundedRect(box, theme.radius("chip"), theme.radius("chip"))
    painter.setFont(font)
    painter.setPen(theme.token(tone))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def time_commands(transport: Transport) -> dict[str, Callable[[], object]]:
    """What the keys of a page with time do to its transport."""
    return {
        "play": transport.toggle,
        "pause": transport.pause,
        "back": lambda: transport.shuttle(-1),
        "forward": lambda: transport.shuttle(1),
        "previous_frame": lambda: transport.step(-1),
        "next_frame": lambda: transport.step(1),
        "ten_back": lambda: transport.step(-10),
        "ten_forward": lambda: transport.step(10),
        "first_frame": transport.home,
        "last_frame": transport.end,
        "slower": transport.slower,
        "faster": transport.faster,
        "loop_in": transport.loop_in,
        "loop_out": transport.loop_out,
        "loop": transport.toggle_loop,
    }
