"""What every page is: a widget that knows when it has loaded, which commands it answers, and how wide its parts are."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from studio.ui import theme
from studio.ui.widgets.frames import Item, Line, column, row
from studio.ui.widgets.words import Shortened, Words

NARROW = 1360
"""Below this width of the window the inspector shrinks and the toolbar keeps its title alone, px."""


class Page(QWidget):
    """``ready_changed`` when a page has loaded, or begins to load again. ``page_requested``: the name of another page
    and the moment (s) at which it shall stand. ``commands``: action id to what it does."""

    ready_changed = Signal(bool)
    page_requested = Signal(str, float)

    def __init__(self) -> None:
        super().__init__()
        self.commands: dict[str, Callable[[], object]] = {}
        self._ready = False
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    @property
    def ready(self) -> bool:
        """Whether everything the page shows is there."""
        return self._ready

    def set_ready(self, ready: bool) -> None:
        if ready != self._ready:
            self._ready = ready
            self.ready_changed.emit(ready)

    def opened(self) -> None:
        """The page is in front now."""

    def show_telling_moment(self) -> None:
        """Stand where a still picture of the page tells most. A page without time has nothing to do."""

    def stand_at(self, time_s: float) -> None:
        """Stand at a moment of the take. A page without time has nothing to do."""

    def left(self) -> None:
        """Another page is in front now."""

    def closed(self) -> None:
        """The page will not be shown again: its threads end."""


class Toolbar(QFrame):
    """Title, one sentence, and at most a few controls at the right. ``head``: what stands in the title's place."""

    def __init__(self, title: str, *right: Item, head: QWidget | None = None) -> None:
        super().__init__()
        self.setFixedHeight(theme.metric("toolbar"))
        self.title = Words(title, "title", weight=600)
        self.sentence = Shortened(tone="text3")
        inside = row(head or self.title, (self.sentence, 100), None, *right, gap=10, margins=(16, 0, 12, 0))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(inside, 1)
        layout.addWidget(Line())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.sentence.setVisible(self.window().width() >= NARROW)
        super().resizeEvent(event)


class Inspector(QFrame):
    """The column at the right; the decision stands at its foot."""

    def __init__(self, *items: Item, wide: bool = False) -> None:
        super().__init__()
        self._wide = wide
        self.setProperty("ground", "bg2")
        pad = theme.metric("inspector_padding")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(Line(vertical=True))
        layout.addWidget(column(*items, gap=0, margins=(pad, 20, pad, 12)), 1)
        self.setFixedWidth(theme.metric("inspector_wide" if wide else "inspector"))

    def fit(self, window_width: int) -> None:
        name = "inspector_small" if window_width < NARROW else "inspector_wide" if self._wide else "inspector"
        self.setFixedWidth(theme.metric(name))


class Split(QWidget):
    """A page's body and its inspector, side by side; the inspector follows the window's width."""

    def __init__(self, body: QWidget, inspector: Inspector) -> None:
        super().__init__()
        self._inspector = inspector
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(body, 1)
        layout.addWidget(inspector)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._inspector.fit(self.window().width())
        super().resizeEvent(event)


def laid_out(page: QWidget, *parts: Item) -> None:
    """Fill a page from top to bottom without gaps."""
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for part in parts:
        if isinstance(part, tuple):
            layout.addWidget(*part)
        elif isinstance(part, QWidget):
            layout.addWidget(part)


def page_body() -> tuple[QFrame, QVBoxLayout]:
    """A page's middle: its widget, and the layout to be filled from top to bottom."""
    pad = theme.metric("page_padding")
    body = QFrame()
    layout = QVBoxLayout(body)
    layout.setContentsMargins(pad, 20, pad, 16)
    layout.setSpacing(0)
    return body, layout


def pair(name: str, value: str, tone: str = "text") -> QFrame:
    """A figure with its name: name at the left, value at the right."""
    shown = Words("", "body", tone, align=Qt.AlignmentFlag.AlignRight)
    shown.show_text(value)
    title = Shortened("", "body", "text3")
    title.show_text(name)
    line = row((title, 1), shown)
    line.setMinimumHeight(24)
    return line


def is_language_change(event: QEvent) -> bool:
    return event.type() == QEvent.Type.LanguageChange


MINIMUM = QSize(1280, 800)
