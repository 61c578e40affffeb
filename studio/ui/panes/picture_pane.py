"""A picture with what it is and when it was written on it."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui import theme

_CHIP, _EDGE = 20, 8


class PicturePane(QWidget):
    """Shows one QImage. ``orbited`` (degrees across, degrees down) and ``zoomed`` (factor) when the coach turns a free
    view; ``resized`` when a picture of another size is needed."""

    resized = Signal()
    orbited = Signal(float, float)
    zoomed = Signal(float)

    def __init__(self, icon: str, tone: str) -> None:
        super().__init__()
        self._icon, self._tone = icon, tone
        self._name = self._corner = self._note = ""
        self._image: QImage | None = None
        self._over: QImage | None = None
        self._grabbed: QPointF | None = None
        self._turns = False
        self.setMinimumSize(160, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def pixels(self) -> QSize:
        """Size of the picture that fits, in device pixels."""
        ratio = self.devicePixelRatioF()
        return QSize(max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio)))

    @property
    def shown(self) -> QImage | None:
        """The picture that is on now."""
        return self._over if self._over is not None else self._image

    def name(self, words: str, icon: str = "", tone: str = "") -> None:
        """What this is: the chip at the top left."""
        self._name, self._icon, self._tone = words, icon or self._icon, tone or self._tone
        self.setAccessibleName(words)
        self.update()

    def turns(self, can: bool) -> None:
        """Whether dragging turns the view."""
        self._turns = can
        self.setCursor(Qt.CursorShape.OpenHandCursor if can else Qt.CursorShape.ArrowCursor)

    def show_image(self, picture: QImage, corner: str = "", note: str = "") -> None:
        """A new picture, the words at its top right and those at its foot."""
        self._image, self._corner, self._note = picture, corner, note
        self.update()

    def lay_over(self, picture: QImage | None) -> None:
        """Show another picture instead, until None takes it away."""
        self._over = picture
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._turns and event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            moved = event.position() - self._grabbed
            self._grabbed = event.position()
            self.orbited.emit(moved.x() * 0.35, moved.y() * 0.35)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            self._grabbed = None
            self.setCursor(Qt.CursorShape.OpenHandCursor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._turns:
            self.zoomed.emit(0.9 ** (event.angleDelta().y() / 120))
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.token("bg0"))
        picture = self.shown
        if picture is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self._target(picture), picture)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        if self._name:
            self._chip(painter, QPointF(_EDGE, _EDGE), self._name, self._tone, self._icon)
        if self._corner:
            width = self._chip_width(self._corner)
            self._chip(painter, QPointF(self.width() - _EDGE - width, _EDGE), self._corner, "text2")
        if self._note:
            self._chip(painter, QPointF(_EDGE, self.height() - _EDGE - _CHIP), self._note, "text2")

    def _target(self, picture: QImage) -> QRectF:
        """The whole pane, or while a picture of the right size is on its way, as large as fits."""
        scale = min(self.width() / picture.width(), self.height() / picture.height())
        width, height = picture.width() * scale, picture.height() * scale
        return QRectF((self.width() - width) / 2, (self.height() - height) / 2, width, height)

    @staticmethod
    def _chip_width(words: str, icon: bool = False) -> float:
        return QFontMetrics(theme.font("caption", 500)).horizontalAdvance(words) + 14 + (18 if icon else 0)

    def _chip(self, painter: QPainter, at: QPointF, words: str, tone: str, icon: str = "") -> None:
        box = QRectF(at.x(), at.y(), self._chip_width(words, bool(icon)), _CHIP)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("scrim"))
        painter.drawRoundedRect(box, theme.radius("chip"), theme.radius("chip"))
        if icon:
            picture = theme.pixmap(icon, 14, tone, self.devicePixelRatioF())
            painter.drawPixmap(QPointF(box.x() + 5, box.y() + 3), picture)
        painter.setFont(theme.font("caption", 500))
        painter.setPen(theme.token(tone))
        inside = box.adjusted(25 if icon else 7, 0, 0, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
