"""A sentence over the foot of the window, for errors that no page shows."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from studio.schema.errors import StudioError
from studio.ui.widgets.buttons import GHOST, Button
from studio.ui.widgets.frames import grounded, row
from studio.ui.widgets.notice import Notice

STAYS_MS = 15_000
WIDTH = 520


class Toast(QFrame):
    """Goes by itself, or by its button."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        grounded(self, "popup")
        self.notice = Notice()
        grounded(self.notice, "")
        close = Button(icon="close", kind=GHOST, height=24)
        close.clicked.connect(self.hide)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(row((self.notice, 1), close, 8, gap=4))
        self._clock = QTimer(self, singleShot=True, interval=STAYS_MS)
        self._clock.timeout.connect(self.hide)
        self.hide()

    def show_error(self, error: StudioError) -> None:
        self.notice.show_error(error)
        self.show()
        self.place()
        self.raise_()
        self._clock.start()

    def place(self) -> None:
        """In the middle, above the lower edge of the window."""
        window = self.parentWidget()
        if window is None or self.isHidden():
            return
        self.setFixedWidth(WIDTH)
        height = max(self.sizeHint().height(), self.heightForWidth(WIDTH))
        self.setGeometry((window.width() - WIDTH) // 2, window.height() - height - 24, WIDTH, height)
