"""The rail on the left: Home, the technique, its nine stages with state and one line of truth each."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from studio.app.text import tr
from studio.ui import theme
from studio.ui.presenters.rail import RailPresenter, RailRow
from studio.ui.widgets.buttons import GHOST, Button
from studio.ui.widgets.frames import Line, column, row
from studio.ui.widgets.glyph import Glyph
from studio.ui.widgets.words import Icon, Shortened, Words, caption

NUMBER_X = 28
CLICK_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Place(QWidget):
    """Something in the rail that can be gone to; ``chosen`` after a click or Return."""

    chosen = Signal()

    def __init__(self, height: int) -> None:
        super().__init__()
        self._on = False
        self.setFixedHeight(height)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @property
    def on(self) -> bool:
        return self._on

    def select(self, on: bool) -> None:
        self._on = on
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if Qt.Key(event.key()) in CLICK_KEYS:
            self.chosen.emit()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(8, 2, -8, -2)
        if self._on or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.token("bg4", None if self._on else 0.5))
            painter.drawRoundedRect(box, theme.radius("control"), theme.radius("control"))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.token("text3"), 1))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        self.paint_more(painter)

    def paint_more(self, painter: QPainter) -> None:
        """What a kind of place draws over its ground."""


class StageRow(Place):
    """One stage: number, name, one line, glyph."""

    def __init__(self, stage: int) -> None:
        super().__init__(theme.metric("rail_row"))
        self.stage = stage
        self._row: RailRow | None = None
        self.name = Words(f"stage.{stage}.name", "body", "text", 600)
        self.line = Shortened(size="caption", tone="text3")
        self.glyph = Glyph()
        words = column(None, self.name, self.line, None, gap=1)
        words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inside = row((words, 1), self.glyph, gap=0, margins=(50, 0, 10, 0))
        inside.setParent(self)
        self._inside = inside

    def resizeEvent(self, event: QEvent) -> None:
        self._inside.setGeometry(self.rect())

    def show_row(self, shown: RailRow) -> None:
        self._row = shown
        locked = shown.state == "locked"
        self.name.paint_in("text4" if locked else "text")
        self.line.paint_in("eyes_text" if shown.state == "needs_eyes" else "text4" if locked else "text3")
        self.line.show_text(shown.line)
        self.glyph.show_state(shown.state)
        self.setToolTip(shown.why)
        self.setAccessibleName(f"{shown.stage} {tr(f'stage.{shown.stage}.name')}: {tr(f'state.{shown.state}')}")
        self.update()

    def paint_more(self, painter: QPainter) -> None:
        eyes = self._row is not None and self._row.ends_with_eyes
        painter.setFont(theme.font("body", 600))
        painter.setPen(theme.token("eyes" if eyes else "text3"))
        painter.drawText(QRectF(NUMBER_X - 12, 0, 24, self.height()), Qt.AlignmentFlag.AlignCenter, str(self.stage))
        painter.setPen(QPen(theme.token("line2"), 1))
        middle = self.height() / 2
        if self.stage > 1:
            painter.drawLine(QPointF(NUMBER_X + 0.5, 0), QPointF(NUMBER_X + 0.5, middle - 13))
        if self.stage < 9:
            painter.drawLine(QPointF(NUMBER_X + 0.5, middle + 13), QPointF(NUMBER_X + 0.5, self.height()))


class NamedRow(Place):
    """A place that is no stage: an icon and its name."""

    def __init__(self, icon: str, key: str) -> None:
        super().__init__(36)
        inside = row(Icon(icon), Words(key, "body", "text", 600), None, gap=14, margins=(20, 0, 12, 0))
        inside.setParent(self)
        self._inside = inside

    def resizeEvent(self, event: QEvent) -> None:
        self._inside.setGeometry(self.rect())


class Rail(QFrame):
    """``place_chosen`` carries "home", "machines" or a stage's number; ``techniques_requested`` wants the list."""

    place_chosen = Signal(str)
    techniques_requested = Signal()

    def __init__(self, presenter: RailPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self.setFixedWidth(theme.metric("rail"))
        self.setProperty("ground", "bg2")
        self.home, self.machines = NamedRow("home-outline", "rail.home"), NamedRow("server", "machines.rail")
        self.home.chosen.connect(lambda: self.place_chosen.emit("home"))
        self.machines.chosen.connect(lambda: self.place_chosen.emit("machines"))
        self.technique = Shortened(size="caption", tone="text3", weight=600)
        self.more = Button(icon="unfold-more-horizontal", kind=GHOST, height=theme.metric("control_small"))
        self.more.clicked.connect(self.techniques_requested)
        self.rows = tuple(StageRow(stage) for stage in range(1, 10))
        for stage_row in self.rows:
            stage_row.chosen.connect(lambda stage=stage_row.stage: self.place_chosen.emit(str(stage)))
        self.saved = caption("rail.saved")
        self._lay_out()
        presenter.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        head = row((self.technique, 1), self.more, margins=(20, 0, 12, 0))
        foot = row(Icon("check-circle-outline", 16, "text3"), self.saved, None, gap=14, margins=(20, 10, 12, 12))
        inset = (16, 0, 16, 0)
        stages = column(*self.rows, gap=0)
        inside = column(
            8, self.home, 6, row((Line(), 1), margins=inset), 10, head, 6, stages, 6,
            row((Line(), 1), margins=inset), 6, self.machines, None, row((Line(), 1), margins=inset), foot, gap=0,
        )  # fmt: skip
        whole = row((inside, 1), Line(vertical=True), gap=0)
        whole.setParent(self)
        self._whole = whole

    def resizeEvent(self, event: QEvent) -> None:
        self._whole.setGeometry(self.rect())

    def select(self, place: str) -> None:
        """Light up the place the window is at: "home", "machines" or a stage's number."""
        self.home.select(place == "home")
        self.machines.select(place == "machines")
        for stage_row in self.rows:
            stage_row.select(place == str(stage_row.stage))

    def refresh(self) -> None:
        self.technique.show_text(self._presenter.technique.upper() or tr("rail.nothing"))
        self.more.setVisible(len(self._presenter.techniques) > 1)
        for stage_row, shown in zip(self.rows, self._presenter.rows, strict=True):
            stage_row.show_row(shown)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
