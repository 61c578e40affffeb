"""How one joint's curves are painted: the ground that stays, then what follows the coach's hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter, QPen, QPolygonF, QRegion

from studio.app import units
from studio.app.text import tr
from studio.ui import theme
from studio.ui.panes.angle_axis import AngleAxis
from studio.ui.panes.curve_data import CurveBase, CurveEdit
from studio.ui.panes.time_axis import TimeAxis

KNOT, EDGE_HANDLE = 5.0, 14.0
_FOOT, _MARGIN = 16, 4


@dataclass(frozen=True)
class Frame:
    """Where a pane draws: seconds across, angles down, ``box`` px is the inside."""

    across: TimeAxis
    down: AngleAxis

    @property
    def box(self) -> QRectF:
        return QRectF(self.across.left, self.down.top, self.across.width, self.down.height)

    def place(self, time_s: float, angle: float) -> QPointF:
        return QPointF(self.across.x(time_s), self.down.y(angle))

    def line(self, times: np.ndarray, angles: np.ndarray, near: tuple[float, float] | None = None) -> QPolygonF:
        """The part of a curve that is in view; ``near`` these px alone, and what leads there."""
        return QPolygonF(self.points(times, angles, near))

    def points(self, times: np.ndarray, angles: np.ndarray, near: tuple[float, float] | None = None) -> list[QPointF]:
        """The part of a curve that is in view, at most one point for each px and a half."""
        first, last = np.searchsorted(times, [self.across.first_s, self.across.last_s])
        first, last = max(0, int(first) - 1), min(len(times), int(last) + 1)
        step = max(1, int((last - first) / max(self.across.width / 1.5, 1)))
        across, down = self.across, self.down
        x = across.left + (times[first:last:step] - across.first_s) / (across.last_s - across.first_s) * across.width
        y = down.top + (down.high - angles[first:last:step]) / (down.high - down.low) * down.height
        if near is not None:
            start, end = np.searchsorted(x, near)
            part = slice(max(0, int(start) - 2), int(end) + 2)
            x, y = x[part], y[part]
        return list(map(QPointF, x.tolist(), y.tolist()))

    def span(self, window: tuple[float, float] | None) -> tuple[int, int]:
        """From and to (px) of what is painted anew as a window is bent: it, its edges and their handles."""
        if window is None:
            return round(self.across.left), round(self.across.left)
        left, right = (self.across.x(moment) for moment in window)
        return math.floor(left) - _MARGIN, math.ceil(right) + _MARGIN


def paint_ground(painter: QPainter, frame: Frame, base: CurveBase) -> None:
    """Grid, numbers, joint limits, named moments and the dashed capture."""
    _grid(painter, frame)
    painter.save()
    painter.setClipRect(frame.box)
    _limits(painter, frame, base)
    _moments(painter, frame, base)
    pen = QPen(theme.token("before"), 1.5)
    pen.setDashPattern([4, 3])
    painter.setPen(pen)
    painter.drawPolyline(frame.line(base.times, base.capture))
    painter.restore()


def paint_rest(painter: QPainter, frame: Frame, base: CurveBase, edit: CurveEdit) -> None:
    """The curves beside the window, which no hand on it moves."""
    left, right = frame.span(edit.window)
    box = frame.box.toRect()
    painter.save()
    painter.setClipRegion(QRegion(box) - QRegion(left, box.top(), right - left, box.height()))
    _curves(painter, frame, base, edit, None)
    painter.restore()


def paint_edit(painter: QPainter, frame: Frame, base: CurveBase, edit: CurveEdit) -> None:
    """Window, gap, the asked and the solved curve within it, words, knots and the bubble."""
    if edit.window is not None:
        left, right = frame.span(edit.window)
        box = frame.box.toRect()
        painter.save()
        painter.setClipRegion(QRegion(box) & QRegion(left, box.top(), right - left, box.height()))
        _window(painter, frame, base, edit, edit.window)
        _curves(painter, frame, base, edit, (left, right))
        painter.restore()
    _words_at_foot(painter, frame, base, edit)
    for number, (time_s, angle) in enumerate(edit.knots):
        if frame.across.first_s - 1e-9 <= time_s <= frame.across.last_s + 1e-9:
            _knot(painter, frame.place(time_s, angle), number == edit.chosen)
    if 0 <= edit.chosen < len(edit.knots) and edit.bubble[0]:
        _bubble(painter, frame, frame.place(*edit.knots[edit.chosen]), edit.bubble)


def paint_playhead(painter: QPainter, frame: Frame, time_s: float, bottom: float) -> None:
    """The amber line and its time."""
    if not frame.across.first_s - 1e-9 <= time_s <= frame.across.last_s + 1e-9:
        return
    x = round(frame.across.x(time_s)) + 0.5
    painter.setPen(QPen(theme.token("amber"), 1.4))
    painter.drawLine(QPointF(x, 14), QPointF(x, bottom))
    words, type_ = f"{time_s:.3f}", theme.font("tiny", 600)
    width = QFontMetrics(type_).horizontalAdvance(words) + 10
    right = frame.across.left + frame.across.width
    left = min(max(x - width / 2, frame.across.left), right - width)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.token("amber"))
    painter.drawRoundedRect(QRectF(left, 1, width, 15), 4, 4)
    _text(painter, QRectF(left, 1, width, 15), words, "on_amber", weight=600, align=Qt.AlignmentFlag.AlignCenter)


def _text(painter: QPainter, box: QRectF, words: str, tone: str, **how: Any) -> None:
    """Small words in a box; ``weight`` 400 and ``align`` to the left where nothing else is said."""
    painter.setFont(theme.font("tiny", how.get("weight", 400)))
    painter.setPen(theme.token(tone))
    painter.drawText(box, how.get("align", Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter, words)


def _grid(painter: QPainter, frame: Frame) -> None:
    box, line = frame.box, theme.token("line")
    moments, digits = frame.across.ticks()
    for moment in moments:
        x = round(frame.across.x(moment))
        painter.fillRect(QRectF(x, box.top(), 1, box.height()), line)
        number = QRectF(x - 30, box.bottom() + 4, 60, _FOOT)
        _text(painter, number, f"{moment:.{digits}f}", "text3", align=Qt.AlignmentFlag.AlignCenter)
    for degrees in frame.down.ticks():
        y = round(frame.down.y(np.radians(degrees)))
        painter.fillRect(QRectF(box.left(), y, box.width(), 1), line)
        sign = "+" if degrees > 0 else ""
        words = sign + tr("unit.degrees", value=units.number(degrees))
        _text(painter, QRectF(0, y - 8, box.left() - 8, 16), words, "text3", align=Qt.AlignmentFlag.AlignRight)


def _limits(painter: QPainter, frame: Frame, base: CurveBase) -> None:
    """What lies beyond a joint limit is hatched."""
    box = frame.box
    for limit, upper in ((base.high, True), (base.low, False)):
        if not frame.down.low < limit < frame.down.high:
            continue
        y = frame.down.y(limit)
        beyond = QRectF(box.left(), box.top(), box.width(), y - box.top())
        if not upper:
            beyond = QRectF(box.left(), y, box.width(), box.bottom() - y)
        painter.fillRect(beyond, theme.token("bg2"))
        painter.fillRect(beyond, QBrush(theme.token("line2"), Qt.BrushStyle.BDiagPattern))
        pen = QPen(theme.token("text3"), 1)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        words = QRectF(box.left(), y + 2 if upper else y - 18, box.width() - 8, 16)
        said = tr("correct.limit", value=tr("unit.degrees", value=units.number(float(np.degrees(limit)))))
        _text(painter, words, said, "text3", align=Qt.AlignmentFlag.AlignRight)


def _moments(painter: QPainter, frame: Frame, base: CurveBase) -> None:
    box = frame.box
    for name, time_s in base.moments:
        if frame.across.first_s < time_s < frame.across.last_s:
            x = round(frame.across.x(time_s)) + 0.5
            pen = QPen(theme.token("text3"), 1)
            pen.setDashPattern([2, 3])
            painter.setPen(pen)
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            words = QRectF(x - 160, box.top() + 18, 154, 16)
            _text(painter, words, name, "text3", align=Qt.AlignmentFlag.AlignRight)


def _curves(
    painter: QPainter, frame: Frame, base: CurveBase, edit: CurveEdit, near: tuple[float, float] | None
) -> None:
    """The asked curve, thin, and the solved one over it."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.token("text2"), 1.0))
    painter.drawPolyline(frame.line(base.times, edit.asked, near))
    painter.setPen(QPen(theme.token("text", 1.0 if edit.settled else 0.7), 1.9))
    painter.drawPolyline(frame.line(base.times, edit.shown, near))


def _window(painter: QPainter, frame: Frame, base: CurveBase, edit: CurveEdit, window: tuple[float, float]) -> None:
    box = frame.box
    left, right = (frame.across.x(moment) for moment in window)
    painter.fillRect(QRectF(left, box.top(), right - left, box.height()), theme.token("text", 0.05))
    inside = (base.times >= window[0] - 1e-9) & (base.times <= window[1] + 1e-9)
    if inside.sum() > 1:
        there = frame.points(base.times[inside], edit.shown[inside])
        back = frame.points(base.times[inside], base.capture[inside])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("text", 0.07))
        painter.drawPolygon(QPolygonF([*there, *reversed(back)]))
    for x in (left, right):
        painter.fillRect(QRectF(round(x), box.top(), 1, box.height()), theme.token("text3"))
    painter.fillRect(QRectF(left, box.bottom() - 3, right - left, 3), theme.token("text2"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.token("text2"))
    for x in (left, right):
        grip = QRectF(x - 2, box.center().y() - EDGE_HANDLE / 2, 4, EDGE_HANDLE)
        painter.drawRoundedRect(grip, 2, 2)


def _words_at_foot(painter: QPainter, frame: Frame, base: CurveBase, edit: CurveEdit) -> None:
    """What holds inside the window, and before or after it, where there is room; above a limit that is in view."""
    box = frame.box
    floor = min(box.bottom() - 4, frame.down.y(base.low)) if base.low > frame.down.low else box.bottom() - 4
    foot = QRectF(box.left() + 8, floor - 18, box.width() - 16, 16)
    if edit.window is None:
        _said(painter, foot.topLeft(), edit.hint, "text2")
        return
    need = QFontMetrics(theme.font("tiny", 500)).horizontalAdvance
    left, right = (frame.across.x(moment) for moment in edit.window)
    if edit.inside and right - left > need(edit.inside) + 16:
        _said(painter, QPointF(left + 8, foot.top()), edit.inside, "text")
    if left - box.left() > need(edit.outside) + 16:
        _said(painter, foot.topLeft(), edit.outside, "text2")
    elif box.right() - right > need(edit.outside) + 16:
        _said(painter, QPointF(right + 8, foot.top()), edit.outside, "text2")


def _said(painter: QPainter, at: QPointF, words: str, tone: str) -> None:
    """Words over curves: the ground behind them is dimmed."""
    if words:
        width = QFontMetrics(theme.font("tiny", 500)).horizontalAdvance(words)
        painter.fillRect(QRectF(at.x() - 3, at.y() + 1, width + 6, 14), theme.token("bg1", 0.8))
        _text(painter, QRectF(at.x(), at.y(), width + 4, 16), words, tone, weight=500)


def _knot(painter: QPainter, place: QPointF, chosen: bool) -> None:
    painter.setPen(QPen(theme.token("text"), 1.6))
    painter.setBrush(theme.token("text" if chosen else "bg1"))
    radius = KNOT + 1 if chosen else KNOT
    painter.drawEllipse(place, radius, radius)


def _bubble(painter: QPainter, frame: Frame, place: QPointF, lines: tuple[str, str]) -> None:
    """Two lines beside the chosen knot, above it where there is room, never over the pane's edge."""
    strong, plain = QFontMetrics(theme.font("caption", 600)), QFontMetrics(theme.font("tiny"))
    width = max(strong.horizontalAdvance(lines[0]), plain.horizontalAdvance(lines[1])) + 20
    height = 40 if lines[1] else 24
    box, gap = frame.box, 14
    left = place.x() - gap - width
    if left < box.left() + 4:
        left = min(place.x() + gap, box.right() - 4 - width)
    top = min(max(place.y() - gap - height, box.top() + 4), box.bottom() - height - 26)
    ground = QRectF(left, top, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.token("bg4"))
    painter.drawRoundedRect(ground, theme.radius("control"), theme.radius("control"))
    painter.setFont(theme.font("caption", 600))
    painter.setPen(theme.token("text"))
    align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(left + 10, top + 4, width - 12, 17), align, lines[0])
    if lines[1]:
        _text(painter, QRectF(left + 10, top + 20, width - 12, 16), lines[1], "text2")
