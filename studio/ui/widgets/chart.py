"""A small chart with one line, drawn by pyqtgraph with lines of width 1."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import QEvent
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.ui import theme
from studio.ui.widgets.frames import row
from studio.ui.widgets.words import Shortened, Words


class Chart(QFrame):
    """Title, the last value, a curve, and where we stand as an amber line."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.now = Shortened("", "body", weight=600), Words("", "body", weight=600)
        self.plot = pyqtgraph.PlotWidget()
        self.plot.setBackground(None)
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(False, False)
        self.plot.hideButtons()
        self.plot.setFrameShape(QFrame.Shape.NoFrame)
        self._curve = self.plot.plot([], [])
        self._head = pyqtgraph.InfiniteLine(0, 90)
        self._head.setVisible(False)
        self.plot.addItem(self._head)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 12, 6)
        layout.setSpacing(4)
        layout.addWidget(row((self.title, 1), self.now))
        layout.addWidget(self.plot, 1)
        self._paint()

    def show_curve(self, title: str, now: str, points: tuple[tuple[float, float], ...]) -> None:
        self.title.show_text(title)
        self.now.show_text(now)
        self._curve.setData([x for x, _ in points], [y for _, y in points])
        if points:
            self.plot.getViewBox().setXRange(0, max(1.0, points[-1][0]), padding=0.02)

    def stand_at(self, x: float | None) -> None:
        """The amber line; None takes it away."""
        self._head.setVisible(x is not None)
        if x is not None:
            self._head.setValue(x)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_head"):
            self._paint()

    def _paint(self) -> None:
        self._curve.setPen(QPen(theme.token("text"), 0))
        self._curve.setSymbol(None)
        self._head.setPen(QPen(theme.token("amber"), 0))
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(QPen(theme.token("line"), 0))
            axis.setTextPen(theme.token("text3"))
            axis.setTickFont(theme.font("tiny"))
            axis.setStyle(tickLength=0, maxTickLevel=0, autoExpandTextSpace=True)
        self.plot.showGrid(x=False, y=True, alpha=0.12)
