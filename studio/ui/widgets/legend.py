"""What the lines of a chart mean: a sample of each with its words."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.app.text import tr
from studio.ui import theme

_SAMPLE, _GAP = 18, 14


@dataclass(frozen=True)
class Sample:
    """A line: the key of its words, its colour and width, dashed or not."""

    key: str
    tone: str
    width: float
    dashed: bool = False


class Legend(QWidget):
    """The samples side by side."""

    def __init__(self, *samples: Sample) -> None:
        super().__init__()
        self._samples = samples
        self.setFixedHeight(20)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        measure = QFontMetrics(theme.font("caption"))
        widths = [_SAMPLE + 6 + measure.horizontalAdvance(tr(sample.key)) + 2 for sample in self._samples]
        return QSize(sum(widths) + _GAP * (len(widths) - 1), 20)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.updateGeometry()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        measure, x = QFontMetrics(theme.font("caption")), 0.0
        painter.setFont(theme.font("caption"))
        for sample in self._samples:
            words = tr(sample.key)
            pen = QPen(theme.token(sample.tone), sample.width)
            if sample.dashed:
                pen.setDashPattern([4 / sample.width * 1.5, 3 / sample.width * 1.5])
            painter.setPen(pen)
            painter.drawLine(QPointF(x, 10.5), QPointF(x + _SAMPLE, 10.5))
            painter.setPen(theme.token("text2"))
            width = measure.horizontalAdvance(words) + 2
            painter.drawText(QRectF(x + _SAMPLE + 6, 0, width, 20), Qt.AlignmentFlag.AlignVCenter, words)
            x += _SAMPLE + 6 + width + _GAP
