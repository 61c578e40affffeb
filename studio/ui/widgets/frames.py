"""Frames and layouts: a row, a column, a line between, a place that scrolls."""

# ruff: noqa: N802 (Qt names what it calls)
from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from studio.ui import theme

Item = QWidget | int | None | tuple[QWidget, int]
"""What stands in a row: a widget, a widget with its stretch, a gap in px, or None for what is left over."""

Margins = tuple[int, int, int, int]


def row(*items: Item, gap: int = 8, margins: Margins = (0, 0, 0, 0), ground: str = "") -> QFrame:
    """A frame with its items side by side."""
    frame = QFrame()
    _fill(QHBoxLayout(frame), items, gap, margins)
    return grounded(frame, ground)


def column(*items: Item, gap: int = 8, margins: Margins = (0, 0, 0, 0), ground: str = "") -> QFrame:
    """A frame with its items one below the other."""
    frame = QFrame()
    _fill(QVBoxLayout(frame), items, gap, margins)
    return grounded(frame, ground)


def grounded(frame: QFrame, ground: str) -> QFrame:
    """Give the frame one of the grounds of the style sheet: bg0 bg1 bg2 card selected well eyes popup."""
    if frame.property("ground") != ground:
        frame.setProperty("ground", ground)
        frame.style().unpolish(frame)
        frame.style().polish(frame)
    return frame


def empty(layout: QLayout) -> None:
    """Take every item out of a layout and let its widgets go."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()


def scrolled(inside: QWidget) -> QScrollArea:
    """A place in which ``inside`` scrolls up and down when it is too tall."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(inside)
    return area


class Line(QWidget):
    """A line of one pixel."""

    def __init__(self, vertical: bool = False, tone: str = "line") -> None:
        super().__init__()
        self._tone = tone
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), theme.token(self._tone))


class Bar(QWidget):
    """How much of something: a track and what is filled, ``fraction`` 0..1."""

    def __init__(self, fraction: float = 0.0, tone: str = "text", height: int = 4) -> None:
        super().__init__()
        self._fraction, self._tone = fraction, tone
        self.setFixedHeight(height)

    def fill(self, fraction: float) -> None:
        self._fraction = min(1.0, max(0.0, fraction))
        self.update()

    @property
    def fraction(self) -> float:
        return self._fraction

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        round_ = self.height() / 2
        painter.setBrush(theme.token("track"))
        painter.drawRoundedRect(QRectF(self.rect()), round_, round_)
        if self._fraction > 0:
            painter.setBrush(theme.token(self._tone))
            width = max(self.height(), self.width() * self._fraction)
            painter.drawRoundedRect(QRectF(0, 0, width, self.height()), round_, round_)


def _fill(layout: QBoxLayout, items: tuple[Item, ...], gap: int, margins: Margins) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(0)
    first = True
    for item in items:
        if item is None or isinstance(item, int):
            layout.addStretch(1) if item is None else layout.addSpacing(item)
            first = True
            continue
        if not first:
            layout.addSpacing(gap)
        first = False
        widget, stretch = item if isinstance(item, tuple) else (item, 0)
        layout.addWidget(widget, stretch)
