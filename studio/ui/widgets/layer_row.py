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

    def __init__(self, title: str, detail: str, amount: str, on: bool) -> None:
        super().__init__()
        tone = "text" if on else "text3"
        self.eye = Button("", "eye-outline" if on else "eye-off-outline", kind=GHOST, action="layer_on", height=24)
        self.eye.clicked.connect(self.turned)
        name, below = Shortened("", "body", tone, 500), Shortened("", "caption", "text3")
        much = Words("", "body", "text" if on else "text3", align=Qt.AlignmentFlag.AlignRight)
        name.show_text(title)
        below.show_text(detail)
        much.show_text(amount)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 12, 0)
        layout.setSpacing(6)
        layout.addWidget(self.eye)
        layout.addWidget(column(None, name, below, None, gap=1), 1)
        layout.addWidget(much)
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{title} {detail} {amount}")

    def light(self, on: bool) -> None:
        grounded(self, "selected" if on else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
