"""Words on a page. They follow the language by themselves."""

# ruff: noqa: N802 (Qt names what it calls)
from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.app.text import tr
from studio.ui import theme


class Words(QLabel):
    """A text by its key, or one that is given. ``size``: tiny caption body name title page. ``tone``: a text token."""

    def __init__(
        self,
        key: str = "",
        size: str = "body",
        tone: str = "text",
        weight: int = 400,
        *,
        wrap: bool = False,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        **values: Any,
    ) -> None:
        super().__init__()
        self._key, self._values = key, values
        self.setFont(theme.font(size, weight))
        self.setProperty("tone", tone)
        self.setWordWrap(wrap)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(align | Qt.AlignmentFlag.AlignVCenter)
        if not wrap:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        if key:
            self.setText(tr(key, **values))

    def say(self, key: str, **values: Any) -> None:
        """Show the words for ``key`` from now on, in whatever language."""
        self._key, self._values = key, values
        self.setText(tr(key, **values))

    def show_text(self, text: str) -> None:
        """Show a text that has no key: a name, a figure, the coach's own words."""
        self._key = ""
        self.setText(text)

    def paint_in(self, tone: str) -> None:
        """Change the colour of the words."""
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            self.style().unpolish(self)
            self.style().polish(self)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange and self._key:
            self.setText(tr(self._key, **self._values))
        super().changeEvent(event)


class Shortened(Words):
    """Words that may be cut with an ellipsis where they do not fit; the tooltip has all of them."""

    def __init__(self, key: str = "", size: str = "body", tone: str = "text", weight: int = 400, **values: Any) -> None:
        super().__init__(key, size, tone, weight, **values)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(24)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect().width()
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        self.setToolTip(self.text() if shown != self.text() else "")
        painter = QPainter(self)
        painter.setPen(theme.token(str(self.property("tone"))))
        painter.drawText(self.contentsRect(), self.alignment() | Qt.TextFlag.TextSingleLine, shown)


def caption(key: str = "", tone: str = "text3", **values: Any) -> Words:
    return Words(key, "caption", tone, **values)


class SectionHead(Words):
    """The head of a section: small, strong, in capitals where the script has them."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key, "caption", "text3", 600, **values)
        self._capitals()

    def say(self, key: str, **values: Any) -> None:
        super().say(key, **values)
        self._capitals()

    def show_text(self, text: str) -> None:
        super().show_text(text)
        self._capitals()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._capitals()

    def _capitals(self) -> None:
        self.setText(self.text().upper())


class Icon(QWidget):
    """One icon, ``size`` px wide, in a colour of the theme."""

    def __init__(self, name: str, size: int = 16, tone: str = "text2") -> None:
        super().__init__()
        self._name, self._tone = name, tone
        self.setFixedSize(size, size)

    def change(self, name: str, tone: str) -> None:
        self._name, self._tone = name, tone
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = theme.pixmap(self._name, self.width(), self._tone, self.devicePixelRatioF())
        QPainter(self).drawPixmap(0, 0, picture)
