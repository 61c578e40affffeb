"""One correction in a list: whether it acts, what it is, when, how much."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout

from studio.ui.widgets.buttons import GHOST, Button
from studio.ui.widgets.frames import column, grounded
from studio.ui.widgets.words import Shortened, Words

HEIGHT = 44


class LayerRow(QFrame):
    """``pressed`` when it is to be edited, ``turned`` when it is to act or not."""

    pressed = Signal()
    turned = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.eye = Button("", "eye-outline", kind=GHOST, action="layer_on", height=24)
        self.eye.clicked.connect(self.turned)
        self._title, self._detail = Shortened("", "body", "text", 500), Shortened("", "caption", "text3")
        self._amount = Words("", "body", "text", align=Qt.AlignmentFlag.AlignRight)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 12, 0)
        layout.setSpacing(6)
        layout.addWidget(self.eye)
        layout.addWidget(column(None, self._title, self._detail, None, gap=1), 1)
        layout.addWidget(self._amount)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_layer(self, title: str, detail: str, amount: str, on: bool) -> None:
        """What the row says; grey where the layer does not act."""
        tone = "text" if on else "text3"
        for words, said in ((self._title, title), (self._detail, detail), (self._amount, amount)):
            words.show_text(said)
        self._title.paint_in(tone)
        self._amount.paint_in(tone)
        self.eye.change("eye-outline" if on else "eye-off-outline")
        self.setAccessibleName(f"{title} {detail} {amount}")

    def light(self, on: bool) -> None:
        grounded(self, "selected" if on else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
