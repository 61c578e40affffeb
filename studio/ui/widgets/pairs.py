"""Figures with their names, one below the other; other values of the same figures only change words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.ui.widgets.frames import row
from studio.ui.widgets.words import Shortened, Words


class Pairs(QFrame):
    """Names at the left, values at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[QFrame, Shortened, Words]] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)

    def show_pairs(self, pairs: tuple[tuple[str, str], ...]) -> None:
        """Name and value of each."""
        while len(self._lines) < len(pairs):
            self._add()
        for number, (frame, left, right) in enumerate(self._lines):
            frame.setVisible(number < len(pairs))
            if number < len(pairs):
                left.show_text(pairs[number][0])
                right.show_text(pairs[number][1])

    def _add(self) -> None:
        left, right = Shortened("", "body", "text3"), Words("", "body", align=Qt.AlignmentFlag.AlignRight)
        frame = row((left, 1), right)
        frame.setMinimumHeight(24)
        self._lines.append((frame, left, right))
        self._layout.addWidget(frame)
