"""The pane in which a joint's curve is bent: knots and the window's edges under the mouse."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui import theme
from studio.ui.panes.angle_axis import AngleAxis, fitting
from studio.ui.panes.curve_data import CurveBase, CurveEdit, angles_in_view, same_base, same_beside
from studio.ui.panes.curve_drawing import Frame, paint_edit, paint_ground, paint_playhead, paint_rest
from studio.ui.panes.time_axis import TimeAxis

GUTTER, RIGHT, TOP, BOTTOM = 92, 16, 18, 22
_NEAR_PX, _EDGE_PX = 9.0, 6.0
NOTHING = CurveBase(np.array([0.0, 1.0]), np.zeros(2))
_STILL = CurveEdit(np.zeros(2), np.zeros(2))
KNOT, EDGE, CURVE, TIME = "knot", "edge", "curve", "time"


class CurvePane(QWidget):
    """What the coach does, in seconds and radians: ``knot_pressed`` with its number, ``edge_pressed`` (0 or 1),
    ``curve_pressed`` where a knot is wanted, ``dragged`` (time, angle, Shift held) while the button is down,
    ``released``. ``scrubbed`` (s) outside the window and on the ruler. ``widened`` (frames, edge or -1 for both) when
    the wheel turns over a knot or an edge, ``zoomed`` (factor, around s) elsewhere.

    The ground is painted once into a pixmap, the curves beside the window into another, and what his hand bends into
    a third; a step of time paints the playhead alone.
    """

    knot_pressed = Signal(int)
    edge_pressed = Signal(int)
    curve_pressed = Signal(float, float)
    dragged = Signal(float, float, bool)
    released = Signal()
    scrubbed = Signal(float)
    widened = Signal(int, int)
    zoomed = Signal(float, float)

    def __init__(self) -> None:
        super().__init__()
        self._base, self._edit, self._time = NOTHING, _STILL, 0.0
        self._across, self._down = TimeAxis.whole(0.0, 1.0), AngleAxis(-0.1, 0.1)
        self._ground: QPixmap | None = None
        self._rest: dict[bool, tuple[CurveEdit, QPixmap]] = {}
        self._live: QPixmap | None = None
        self._held = ""
        self._grip = QPointF()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setMinimumSize(360, 150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def frame(self) -> Frame:
        """Where seconds and angles are on the pane now."""
        return Frame(self._across, self._down)

    @property
    def is_held(self) -> bool:
        """Whether a knot or an edge is under the coach's hand."""
        return self._held in (KNOT, EDGE, CURVE)

    def show_base(self, base: CurveBase) -> None:
        """Another joint or take; the view starts with all of it when the take is another."""
        if (base.start_s, base.end_s) != (self._across.start_s, self._across.end_s):
            self._across = TimeAxis.whole(base.start_s, base.end_s)
        if len(base.times) != len(self._edit.shown):
            self._edit = CurveEdit(base.capture, base.capture)
        same, self._base = same_base(self._base, base), base
        if not same:
            self._lay()

    def show_edit(self, edit: CurveEdit) -> None:
        """What his hand has made of it. Angles in view stay while he holds something."""
        self._edit = edit
        self._live = None
        if not self.is_held:
            self._fit()
        self.update()

    def show_time(self, time_s: float) -> None:
        self._time = time_s
        self.update()

    def show_view(self, first_s: float, last_s: float) -> None:
        """Show this part of the take."""
        across = TimeAxis(self._base.start_s, self._base.end_s, first_s, last_s, self._across.left, self._across.width)
        if across != self._across and last_s > first_s:
            self._across = across
            self._fit(always=True)

    def let_go(self) -> None:
        """Nothing is under his hand any more, wherever the button is."""
        self._held = ""
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._renew()

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        kind, number = self.under(event.position())
        self._held, at = kind, event.position()
        self._grip = QPointF()
        if kind == KNOT:
            self._grip = self.frame.place(*self._edit.knots[number]) - at
            self.knot_pressed.emit(number)
        elif kind == EDGE and self._edit.window is not None:
            self._grip = QPointF(self._across.x(self._edit.window[number]) - at.x(), 0.0)
            self.edge_pressed.emit(number)
        elif kind == CURVE:
            self.curve_pressed.emit(self._across.time(at.x()), self._on_curve(at))
        else:
            self.scrubbed.emit(self._across.time(at.x()))
        # A gesture that ended by this press has let everything go; what was pressed is held all the same.
        self._held = kind

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons() & Qt.MouseButton.LeftButton:
            self._point(event.position())
        elif self.is_held:
            at = event.position() + self._grip
            hold = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.dragged.emit(self._across.time(at.x()), self._down.angle(at.y()), hold)
        elif self._held == TIME:
            self.scrubbed.emit(self._across.time(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._held:
            held = self.is_held
            self.let_go()
            if held:
                self.released.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / 120
        kind, number = self.under(event.position())
        if kind in (KNOT, EDGE):
            frames = round(notches) or (1 if notches > 0 else -1 if notches < 0 else 0)
            self.widened.emit(frames, number if kind == EDGE else -1)
        else:
            self.zoomed.emit(0.85**notches, self._across.time(event.position().x()))
        event.accept()

    def under(self, at: QPointF) -> tuple[str, int]:
        """What lies at a pixel: a knot or an edge by its number, a place for a new knot, or time."""
        for number in reversed(range(len(self._edit.knots))):
            away = self.frame.place(*self._edit.knots[number]) - at
            if max(abs(away.x()), abs(away.y())) <= _NEAR_PX:
                return KNOT, number
        if not self.frame.box.contains(at):
            return TIME, -1
        window = self._edit.window
        if window is None:
            return CURVE, -1
        far = [abs(self._across.x(moment) - at.x()) for moment in window]
        if min(far) <= _EDGE_PX:
            return EDGE, int(far[1] < far[0])
        return (CURVE if window[0] < self._across.time(at.x()) < window[1] else TIME), -1

    def _on_curve(self, at: QPointF) -> float:
        """The angle (rad) at a pixel; that of the asked curve where it is near."""
        asked = float(np.interp(self._across.time(at.x()), self._base.times, self._edit.asked))
        return asked if abs(self._down.y(asked) - at.y()) <= _NEAR_PX else self._down.angle(at.y())

    def _point(self, at: QPointF) -> None:
        shapes = {
            KNOT: Qt.CursorShape.SizeAllCursor, EDGE: Qt.CursorShape.SizeHorCursor, CURVE: Qt.CursorShape.CrossCursor,
        }  # fmt: skip
        shape = shapes.get(self.under(at)[0], Qt.CursorShape.ArrowCursor)
        if self.cursor().shape() != shape:
            self.setCursor(shape)

    # Painting

    def _lay(self) -> None:
        self._across = self._across.laid(GUTTER, self.width() - GUTTER - RIGHT)
        self._fit(always=True)

    def _fit(self, always: bool = False) -> None:
        """Choose which angles are in view."""
        low, high = angles_in_view(self._base, self._edit, self._across.first_s, self._across.last_s)
        limits = (self._base.low, self._base.high)
        down = fitting(low, high, limits, TOP, self.height() - TOP - BOTTOM)
        if always or down != self._down:
            self._down = down
            self._renew()

    def _renew(self) -> None:
        self._ground = self._live = None
        self._rest.clear()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._ground is None:
            self._ground = self._blank()
            painter = _on(self._ground)
            paint_ground(painter, self.frame, self._base)
            painter.end()
        if self._live is None:
            self._live = QPixmap(self._beside(self._ground))
            painter = _on(self._live)
            paint_edit(painter, self.frame, self._base, self._edit)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._live)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        paint_playhead(painter, self.frame, self._time, self.height() - BOTTOM)

    def _beside(self, ground: QPixmap) -> QPixmap:
        """The ground with the curves beside the window, settled or not: kept while nothing changes there."""
        edit, kept = self._edit, self._rest.get(self._edit.settled)
        if kept is not None and same_beside(self._base, kept[0], edit):
            return kept[1]
        made = QPixmap(ground)
        painter = _on(made)
        paint_rest(painter, self.frame, self._base, edit)
        painter.end()
        self._rest[edit.settled] = (edit, made)
        return made

    def _blank(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        made = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
        made.setDevicePixelRatio(ratio)
        made.fill(theme.token("bg1"))
        return made


def _on(pixmap: QPixmap) -> QPainter:
    painter = QPainter(pixmap)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    return painter
