"""The painted part of the timeline: ruler, pictures, marks, findings, which sole points stand, and the playhead."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.app.text import tr
from studio.ui import theme
from studio.ui.panes.lane_data import Flag, LaneData, Span, Suspicion
from studio.ui.panes.time_axis import TimeAxis

GUTTER, RIGHT, HEIGHT = 92, 16, 111
_RULER, _PICTURES, _PICTURE_HEIGHT, _MARKS, _FINDINGS, _CONTACTS, _LANE = 17, 20, 30, 52, 65, 82, 7
_NEAR_PX = 7


class Lanes(QWidget):
    """``scrubbed`` (s) while the coach drags, ``finding_pressed`` with its place in the data, ``view_changed`` after a
    zoom. What does not move is painted once into a pixmap; a step paints the playhead alone."""

    scrubbed = Signal(float)
    finding_pressed = Signal(int)
    view_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._data = LaneData("", 0.0, 1.0)
        self._axis = TimeAxis.whole(0.0, 1.0)
        self._time = 0.0
        self._loop: Span | None = None
        self._pictures: tuple[QImage, ...] = ()
        self._still: QPixmap | None = None
        self._dragging = False
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(320)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def axis(self) -> TimeAxis:
        return self._axis

    def show_data(self, data: LaneData) -> None:
        """Another take, or other findings; the view starts with all of it when the take is another."""
        if (data.start_s, data.end_s) != (self._data.start_s, self._data.end_s) or self._axis.width <= 1:
            self._axis = TimeAxis.whole(data.start_s, data.end_s)
        self._data = data
        self._lay()

    def show_pictures(self, pictures: tuple[QImage, ...]) -> None:
        """The strip: pictures evenly spaced over the whole take."""
        self._pictures = pictures
        self._renew()

    def show_time(self, time_s: float) -> None:
        """Move the playhead; the view follows when it leaves."""
        self._time = time_s
        axis = self._axis.following(time_s)
        if axis != self._axis:
            self._axis = axis
            self._renew()
            self.view_changed.emit()
        self.update()

    def show_loop(self, loop: Span | None) -> None:
        """From and to (s) of the loop, None while it is off."""
        if loop != self._loop:
            self._loop = loop
            self._renew()

    def zoom(self, factor: float, around_s: float) -> None:
        """Show less (below 1) or more of the take."""
        self._axis = self._axis.zoomed(factor, around_s)
        self._renew()
        self.view_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._renew()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        found = self._finding_at(event.position())
        if found is not None:
            self.finding_pressed.emit(found)
            return
        self._dragging = True
        self.scrubbed.emit(self._axis.time(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self.scrubbed.emit(self._axis.time(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turn.x()) > abs(turn.y()):
            span = self._axis.last_s - self._axis.first_s
            self._axis = self._axis.moved(-(turn.x() or turn.y()) / 120 * span * 0.1)
            self._renew()
            self.view_changed.emit()
        else:
            self.zoom(0.85 ** (turn.y() / 120), self._axis.time(event.position().x()))

    def _lay(self) -> None:
        self._axis = self._axis.laid(GUTTER, self.width() - GUTTER - RIGHT)
        self._renew()

    def _renew(self) -> None:
        self._still = None
        self.update()

    def _finding_at(self, place: QPointF) -> int | None:
        if not _FINDINGS <= place.y() <= _FINDINGS + 14:
            return None
        distances = [
            (abs(self._axis.x((f.start_s + f.end_s) / 2) - place.x()), k) for k, f in enumerate(self._data.findings)
        ]
        nearest = min(distances, default=(float("inf"), -1))
        return nearest[1] if nearest[0] <= _NEAR_PX else None

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._still is None:
            self._still = self._painted()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._playhead(painter)

    def _painted(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        still = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        still.setDevicePixelRatio(ratio)
        still.fill(theme.token("bg2"))
        painter = QPainter(still)
        hints = QPainter.RenderHint
        painter.setRenderHints(hints.Antialiasing | hints.TextAntialiasing | hints.SmoothPixmapTransform)
        self._loop_ground(painter)
        self._ruler(painter)
        self._strip(painter)
        self._marks_and_findings(painter)
        self._contacts(painter)
        painter.end()
        return still

    def _words(self, painter: QPainter, at: QPointF, words: str, tone: str = "text3", weight: int = 400) -> None:
        painter.setFont(theme.font("tiny", weight))
        painter.setPen(theme.token(tone))
        painter.drawText(at, words)

    def _line(self, painter: QPainter, y: float) -> None:
        painter.fillRect(QRectF(GUTTER, round(y), self._axis.width, 1), theme.token("line"))

    def _loop_ground(self, painter: QPainter) -> None:
        if self._loop is None:
            return
        left, right = (self._axis.clipped(t) for t in self._loop)
        painter.fillRect(QRectF(left, 0, right - left, HEIGHT - 4), theme.token("text", 0.07))
        painter.fillRect(QRectF(left, 15, right - left, 2), theme.token("text2"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("text2"))
        for edge in (left, right):
            painter.drawRoundedRect(QRectF(edge - 2, 8, 4, 9), 1.5, 1.5)

    def _ruler(self, painter: QPainter) -> None:
        measure = QFontMetrics(theme.font("tiny", 500))
        label = measure.elidedText(self._data.label, Qt.TextElideMode.ElideRight, GUTTER - 20)
        self._words(painter, QPointF(16, 12), label, weight=500)
        for moment in self._axis.ticks()[0]:
            painter.fillRect(QRectF(round(self._axis.x(moment)), 11, 1, 6), theme.token("line2"))
        self._line(painter, _RULER)

    def _numbers(self, painter: QPainter, left: float, right: float) -> None:
        """The ruler's numbers, but none under the playhead's own, which lies from ``left`` to ``right``."""
        moments, digits = self._axis.ticks()
        measure = QFontMetrics(theme.font("tiny"))
        for moment in moments:
            words = f"{moment:.{digits}f}"
            start = round(self._axis.x(moment)) + 4
            end = start + measure.horizontalAdvance(words)
            if end < self.width() - 4 and not (start < right and end > left):
                self._words(painter, QPointF(start, 12), words)

    def _strip(self, painter: QPainter) -> None:
        self._words(painter, QPointF(16, _PICTURES + 19), tr("timeline.pictures"))
        axis, count = self._axis, len(self._pictures)
        ground = QRectF(GUTTER, _PICTURES, axis.width, _PICTURE_HEIGHT)
        if not count:
            painter.fillRect(ground, theme.token("bg3"))
            return
        painter.save()
        painter.setClipRect(ground)
        thumb = self._pictures[0]
        width = max(14.0, _PICTURE_HEIGHT * thumb.width() / thumb.height())
        places = max(1, round(axis.width / width))
        step = axis.width / places
        for k in range(places):
            moment = axis.time(axis.left + (k + 0.5) * step)
            share = (moment - axis.start_s) / (axis.end_s - axis.start_s)
            picture = self._pictures[min(int(share * count), count - 1)]
            painter.drawImage(
                QRectF(GUTTER + k * step, _PICTURES, step - 0.6, _PICTURE_HEIGHT), picture, _covering(picture, step)
            )
        if self._loop is not None:
            left, right = (axis.clipped(t) for t in self._loop)
            for a, b in ((GUTTER, left), (right, GUTTER + axis.width)):
                painter.fillRect(QRectF(a, _PICTURES, b - a, _PICTURE_HEIGHT), theme.token("bg2", 0.55))
        painter.restore()

    def _marks_and_findings(self, painter: QPainter) -> None:
        self._words(painter, QPointF(16, _FINDINGS - 2), tr("timeline.marks"))
        self._words(painter, QPointF(16, _FINDINGS + 10), tr("timeline.findings"))
        self._line(painter, _FINDINGS - 1)
        self._line(painter, _FINDINGS + 13)
        painter.save()
        painter.setClipRect(QRectF(GUTTER - 6, 0, self._axis.width + 12, HEIGHT))
        for finding in self._data.findings:
            self._finding(painter, finding)
        for mark in self._data.marks:
            self._mark(painter, mark)
        painter.restore()

    def _finding(self, painter: QPainter, finding: Suspicion) -> None:
        left, right = self._axis.x(finding.start_s), self._axis.x(finding.end_s)
        middle, ink = (left + right) / 2, theme.token("text3" if finding.repaired else "text")
        painter.fillRect(QRectF(left, _FINDINGS + 11, max(2.0, right - left), 2), ink)
        corners = [
            QPointF(middle - 5, _FINDINGS + 9.5),
            QPointF(middle + 5, _FINDINGS + 9.5),
            QPointF(middle, _FINDINGS + 1),
        ]
        painter.setPen(QPen(ink, 1.2) if finding.repaired else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if finding.repaired else ink)
        painter.drawPolygon(QPolygonF(corners))

    def _mark(self, painter: QPainter, mark: Flag) -> None:
        x, ink = self._axis.x(mark.time_s), theme.token("text3" if mark.settled else "eyes")
        painter.setPen(QPen(ink, 1.4))
        painter.drawLine(QPointF(x, _MARKS), QPointF(x, _MARKS + 12))
        painter.setBrush(Qt.BrushStyle.NoBrush if mark.settled else ink)
        painter.drawPolygon(QPolygonF([QPointF(x, _MARKS), QPointF(x + 10, _MARKS + 3.5), QPointF(x, _MARKS + 7)]))

    def _contacts(self, painter: QPainter) -> None:
        for side, key in enumerate(("timeline.left_sole", "timeline.right_sole")):
            self._words(painter, QPointF(16, _CONTACTS + side * 2 * _LANE + 9.5), tr(key))
        for lane, spans in enumerate(self._data.contacts):
            y = _CONTACTS + lane * _LANE
            painter.fillRect(QRectF(GUTTER, y, self._axis.width, 5), theme.token("bg3"))
            ink = theme.token("text3", 0.95 if lane % 2 == 0 else 0.6)
            for start, end in spans:
                left, right = self._axis.clipped(start), self._axis.clipped(end)
                if right > left:
                    painter.fillRect(QRectF(left, y, right - left, 5), ink)

    def _playhead(self, painter: QPainter) -> None:
        x = round(self._axis.clipped(self._time)) + 0.5
        painter.setPen(QPen(theme.token("amber"), 1.4))
        painter.drawLine(QPointF(x, 14), QPointF(x, HEIGHT - 2))
        words, type_ = f"{self._time:.3f}", theme.font("tiny", 600)
        width = QFontMetrics(type_).horizontalAdvance(words) + 10
        left = min(max(x - width / 2, GUTTER), self.width() - RIGHT - width)
        self._numbers(painter, left - 3, left + width + 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("amber"))
        painter.drawRoundedRect(QRectF(left, 0, width, 15), 4, 4)
        painter.setFont(type_)
        painter.setPen(theme.token("on_amber"))
        painter.drawText(QRectF(left, 0, width, 15), Qt.AlignmentFlag.AlignCenter, words)


def _covering(picture: QImage, width: float) -> QRectF:
    """The middle part of a picture that fills a cell of ``width`` px and the strip's height."""
    scale = max(width / picture.width(), _PICTURE_HEIGHT / picture.height())
    across, down = width / scale, _PICTURE_HEIGHT / scale
    return QRectF((picture.width() - across) / 2, (picture.height() - down) / 2, across, down)
