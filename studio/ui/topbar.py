"""The bar on top of every page: where we are, what runs and how to stop it, search, keys, settings."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QWidget

from studio.app.actions import ACTIONS, tooltip
from studio.app.text import LANGUAGE, LANGUAGES, tr
from studio.ui import theme
from studio.ui.presenters.topbar import TopbarPresenter
from studio.ui.widgets.buttons import GHOST, Button, KeyCap
from studio.ui.widgets.frames import Line, empty
from studio.ui.widgets.words import Icon, Shortened, Words

SEARCH_WIDTH = 280


class Logo(QWidget):
    """Two pads side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("text"))
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        painter.setBrush(theme.token("bg1"))
        painter.drawRoundedRect(QRectF(5, 5, 4, 10), 2, 2)
        painter.drawRoundedRect(QRectF(11, 5, 4, 7), 2, 2)


class JobPill(QFrame):
    """What runs: name, how far, how long still, and Stop."""

    stop_requested = Signal()
    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(28)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.name = Words(weight=600)
        self.share = Words(tone="text2")
        self.left = Words(tone="text2")
        self.more = Words(tone="text3")
        self.stop = Button("top.stop", "stop", kind=GHOST, action="stop", height=22)
        self.stop.hint("")
        self.stop.clicked.connect(self.stop_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(30, 0, 4, 0)
        layout.setSpacing(14)
        for part in (self.name, self.share, self.left, self.more):
            layout.addWidget(part)
        layout.addSpacing(-8)
        layout.addWidget(self.stop)

    def show_job(self, name: str, share: str, left: str, more: str) -> None:
        """``more``: how many run, where this is not the only one."""
        self.name.show_text(name)
        self.share.show_text(share)
        self.left.show_text(left)
        self.left.setVisible(bool(left))
        self.more.show_text(more)
        self.more.setVisible(bool(more))
        self.stop.setToolTip(tr("runs.stop_this", name=name))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.token("line2"), 1))
        painter.setBrush(theme.token("bg3"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 13.5, 13.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.token("text", 0.25))
        painter.drawEllipse(QPointF(17, 14), 6.5, 6.5)
        painter.setBrush(theme.token("text"))
        painter.drawEllipse(QPointF(17, 14), 4, 4)


class SearchBox(QFrame):
    """Looks like an input and opens the palette."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(SEARCH_WIDTH, theme.metric("control"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 6, 0)
        layout.setSpacing(8)
        layout.addWidget(Icon("magnify", 16, "text3"))
        layout.addWidget(Shortened("top.search", "body", "text3"), 1)
        layout.addWidget(KeyCap(ACTIONS["palette"].key))
        self.setToolTip(tooltip("palette"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.token("line"), 1))
        painter.setBrush(theme.token("input"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


class Topbar(QFrame):
    """Signals are wishes; the window fulfils them."""

    palette_requested = Signal()
    keys_requested = Signal()
    home_requested = Signal()
    job_requested = Signal()
    theme_requested = Signal(str)
    language_requested = Signal(str)
    open_requested = Signal()

    def __init__(self, presenter: TopbarPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self.setProperty("ground", "bg2")
        self.setFixedHeight(theme.metric("topbar"))
        self._crumbs = QHBoxLayout()
        self._crumbs.setSpacing(8)
        self.pill = JobPill()
        self.search = SearchBox()
        self.keys = Button(icon="keyboard-outline", kind=GHOST, action="keys")
        self.gear = Button(icon="cog-outline", kind=GHOST)
        self._lay_out()
        self._wire()
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(1280, theme.metric("topbar"))

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 8, 1)
        layout.setSpacing(8)
        layout.addWidget(Logo())
        layout.addSpacing(2)
        layout.addWidget(Words("app.name", "name", weight=600))
        layout.addSpacing(16)
        layout.addLayout(self._crumbs, 1)
        layout.addWidget(self.pill)
        layout.addSpacing(8)
        for part in (self.search, self.keys, self.gear):
            layout.addWidget(part)
        self._line = Line()
        self._line.setParent(self)

    def _wire(self) -> None:
        self._presenter.changed.connect(self.refresh)
        self.pill.stop_requested.connect(self._presenter.stop)
        self.pill.pressed.connect(self.job_requested)
        self.search.pressed.connect(self.palette_requested)
        self.keys.clicked.connect(self.keys_requested)
        self.gear.clicked.connect(self._open_settings)

    def resizeEvent(self, event: QEvent) -> None:
        self._line.setGeometry(0, self.height() - 1, self.width(), 1)

    def refresh(self) -> None:
        empty(self._crumbs)
        crumbs = self._presenter.crumbs
        for place, text in enumerate(crumbs):
            last = place == len(crumbs) - 1
            if place:
                self._crumbs.addWidget(Icon("chevron-right", 14, "text3"))
            crumb = Words("", "name", "text" if last else "text2", 600 if last and place else 400)
            crumb.show_text(text)
            self._crumbs.addWidget(crumb)
            if not place and self._presenter.synthetic:
                self._crumbs.addWidget(self._tag())
        self._crumbs.addStretch(1)
        self.refresh_job()

    @staticmethod
    def _tag() -> Words:
        """Says that nobody was filmed."""
        tag = Words("top.synthetic", "caption", "text2")
        tag.setToolTip(tr("top.synthetic_hint"))
        return tag

    def refresh_job(self) -> None:
        job = self._presenter.job
        self.pill.setVisible(job is not None)
        if job is not None:
            self.pill.show_job(*job, self._presenter.more)
        self.gear.setToolTip(tr("top.settings"))
        self.gear.setAccessibleName(tr("top.settings"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()

    def settings_menu(self) -> QMenu:
        """Look, language, another project."""
        menu = QMenu(self)
        looks = menu.addMenu(tr("top.theme"))
        self._choices(looks, [(name, tr(f"top.theme_{name}")) for name in theme.THEMES], theme.THEME.name)
        looks.triggered.connect(lambda action: self.theme_requested.emit(action.data()))
        tongues = menu.addMenu(tr("top.language"))
        self._choices(tongues, [(code, tr(f"top.language_{code}")) for code in LANGUAGES], LANGUAGE.code)
        tongues.triggered.connect(lambda action: self.language_requested.emit(action.data()))
        menu.addSeparator()
        menu.addAction(ACTIONS["open"].text, self.open_requested.emit)
        return menu

    @staticmethod
    def _choices(menu: QMenu, choices: list[tuple[str, str]], chosen: str) -> None:
        group = QActionGroup(menu)
        for value, text in choices:
            action = menu.addAction(text)
            action.setData(value)
            action.setCheckable(True)
            action.setChecked(value == chosen)
            group.addAction(action)

    def _open_settings(self) -> None:
        self.settings_menu().exec(self.gear.mapToGlobal(self.gear.rect().bottomLeft()))
