"""Buttons, chips and the segment control, painted from tokens."""

# ruff: noqa: N802 (Qt names what it calls)
from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from studio.app.actions import ACTIONS, tooltip
from studio.app.text import tr
from studio.ui import theme

PLAIN, GHOST, PRIMARY, EYES = "plain", "ghost", "primary", "eyes"
_COLOURS = {PLAIN: ("button", "text"), GHOST: ("", "text2"), PRIMARY: ("text", "bg1"), EYES: ("eyes", "on_eyes")}
_PALE = {PLAIN: ("button", "text4"), GHOST: ("", "text4"), PRIMARY: ("button", "text3"), EYES: ("eyes_bg", "eyes_text")}


class Button(QPushButton):
    """``kind``: plain, ghost, primary (light on dark) or eyes (the violet one). ``action`` gives key, tooltip and,
    where no text is named, words and icon. ``raised``: it stands on a selected card."""

    def __init__(
        self,
        key: str = "",
        icon: str = "",
        *,
        kind: str = PLAIN,
        action: str = "",
        height: int = 0,
        wide: bool = False,
        raised: bool = False,
        **values: Any,
    ) -> None:
        super().__init__()
        self._action = ACTIONS.get(action)
        self._key, self._values = key, values
        self._icon, self.kind, self._raised = icon, kind, raised
        self._hint = self._action.key if self._action else ""
        self.setProperty("violet", kind == EYES)
        self.setFont(theme.font("body", 500))
        self.setFixedHeight(height or theme.metric("control"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding if wide else QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._speak()

    def say(self, key: str, **values: Any) -> None:
        self._key, self._values = key, values
        self._speak()

    def change(self, icon: str) -> None:
        self._icon = icon
        self.update()

    def show_text(self, text: str) -> None:
        self._key = ""
        if text != self.text():
            self.setText(text)
            self.updateGeometry()

    def hint(self, text: str) -> None:
        """The key printed on the button, where it is not the action's first."""
        self._hint = text
        self.updateGeometry()

    def _speak(self) -> None:
        if self._key:
            self.setText(tr(self._key, **self._values))
        if self._action:
            self.setToolTip(tooltip(self._action.id))
        self.setAccessibleName(self.text() or (self._action.text if self._action else ""))
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._speak()
        super().changeEvent(event)

    def _parts(self) -> tuple[int, int, int]:
        """Widths of icon, words and key, px."""
        words = self.fontMetrics().horizontalAdvance(self.text()) if self.text() else 0
        icon = (20 if words else 16) if self._icon else 0
        hint = QFontMetrics(theme.font("tiny", 500)).horizontalAdvance(self._hint) + 8 if self._hint and words else 0
        return icon, words, hint

    def sizeHint(self) -> QSize:
        icon, words, hint = self._parts()
        if not words:
            return QSize(self.height(), self.height())
        return QSize(icon + words + (hint + 10 if hint else 0) + 24, self.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _grounds(self) -> tuple[QColor | None, str]:
        ground, ink = (_COLOURS if self.isEnabled() else _PALE)[self.kind]
        if self.isChecked() or (self.isEnabled() and self.underMouse() and self.kind in (PLAIN, GHOST)):
            ground, ink = "bg4", "text"
        if ground == "button" and self._raised:
            ground = "bg3"
        colour = theme.token(ground) if ground else None
        if colour is not None and self.isEnabled() and self.kind in (PRIMARY, EYES) and self.underMouse():
            colour.setAlphaF(0.88)
        return colour, ink

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        ground, ink = self._grounds()
        box, round_ = QRectF(self.rect()), theme.radius("control")
        if ground is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, round_, round_)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.token("text3"), 1))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), round_, round_)
        self._paint_inside(painter, ink)

    def _paint_inside(self, painter: QPainter, ink: str) -> None:
        icon, words, hint = self._parts()
        x = (self.width() - icon - words - (hint + 10 if hint else 0)) / 2
        middle = self.height() / 2
        if self._icon:
            picture = theme.pixmap(self._icon, 16, ink, self.devicePixelRatioF())
            painter.drawPixmap(QPointF(round(x), round(middle - 8)), picture)
        painter.setPen(theme.token(ink))
        painter.setFont(self.font())
        painter.drawText(QRectF(x + icon, 0, words + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, self.text())
        if hint:
            _key_box(painter, QRectF(x + icon + words + 10, middle - 8, hint, 16), self._hint, ink)


def _key_box(painter: QPainter, box: QRectF, text: str, ink: str) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.token(ink, 0.35), 1))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), theme.radius("chip"), theme.radius("chip"))
    painter.setPen(theme.token(ink, 0.85))
    painter.setFont(theme.font("tiny", 500))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


class KeyCap(QWidget):
    """A key as it is printed, in a box."""

    def __init__(self, text: str, tone: str = "text2") -> None:
        super().__init__()
        self._text, self._tone = text, tone
        self.setFixedSize(QFontMetrics(theme.font("tiny", 500)).horizontalAdvance(text) + 10, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _key_box(painter, QRectF(self.rect()), self._text, self._tone)


class Segment(QWidget):
    """One of a few, side by side: texts by their keys. ``segment_chosen`` gives the place of the one that was."""

    segment_chosen = Signal(int)

    def __init__(self, keys: tuple[str, ...], chosen: int = 0, height: int = 0) -> None:
        super().__init__()
        self._keys, self._chosen = keys, chosen
        self.setFont(theme.font("body", 500))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedHeight(height or theme.metric("control"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def chosen(self) -> int:
        return self._chosen

    def choose(self, place: int) -> None:
        place = min(max(place, 0), len(self._keys) - 1)
        if place != self._chosen:
            self._chosen = place
            self.update()
            self.segment_chosen.emit(place)

    def _widths(self) -> list[int]:
        return [self.fontMetrics().horizontalAdvance(tr(key)) + 24 for key in self._keys]

    def sizeHint(self) -> QSize:
        return QSize(sum(self._widths()) + 4, self.height())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.updateGeometry()
            self.update()
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = 2
        for place, width in enumerate(self._widths()):
            if x <= event.position().x() < x + width:
                self.choose(place)
            x += width

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.choose(self._chosen + step)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setPen(QPen(theme.token("text3"), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("segment"))
        painter.drawRoundedRect(QRectF(self.rect()), theme.radius("control"), theme.radius("control"))
        x = 2
        painter.setFont(self.font())
        for place, (key, width) in enumerate(zip(self._keys, self._widths(), strict=True)):
            box = QRectF(x, 2, width, self.height() - 4)
            if place == self._chosen:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.token("segment_on"))
                painter.drawRoundedRect(box, 5, 5)
            painter.setPen(theme.token("text" if place == self._chosen else "text3"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, tr(key))
            x += width
