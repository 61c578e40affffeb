"""Figures with their names, one below the other; other values of the same figures only change words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.ui.widgets.frames import empty, row
from studio.ui.widgets.words import Shortened, Words


class Pairs(QFrame):
    """Names at the left, values at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[Shortened, Words]] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)

    def show_pairs(self, pairs: tuple[tuple[str, str], ...]) -> None:
        """Name and value of each."""
        if len(pairs) != len(self._lines):
            self._build(len(pairs))
        for (name, value), (left, right) in zip(pairs, self._lines, strict=True):
            left.show_text(name)
            right.show_text(value)

    def _build(self, count: int) -> None:
        empty(self._layout)
        self._lines = []
        for _ in range(count):
            value = Words("", "body", align=Qt.AlignmentFlag.AlignRight)
            line = (Shortened("", "body", "text3"), value)
            frame = row((line[0], 1), value)
            frame.setMinimumHeight(24)
            self._lines.append(line)
            self._layout.addWidget(frame)
