"""Pictures of one moment side by side, and the thread that draws them while they are in front."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFrame, QGridLayout

from studio.app.text import tr
from studio.domain.picture.video_source import VideoSource
from studio.ui import theme
from studio.ui.panes.frame_set import FIGHTER, VIDEO, FrameSet, Pane, Wish
from studio.ui.panes.picture_pane import PicturePane
from studio.ui.panes.render_thread import RenderThread
from studio.ui.widgets.frames import grounded

SETTLE_MS = 60
"""Time a pane keeps its size before pictures of that size are drawn."""

Key = tuple[str, str]


@dataclass(frozen=True)
class Arrangement:
    """Where each picture (kind and phone) stands: row, column, rows, columns; and how the columns share the width."""

    places: Mapping[Key, tuple[int, int, int, int]]
    columns: tuple[int, ...]


class Pictures(QFrame):
    """``pictures_wanted`` when sizes or colours are others than those shown; the owner then asks. ``set_shown`` with
    each complete set, ``failed`` with a :class:`StudioError`. ``orbited`` and ``zoomed`` come from a free view.
    ``note``: the words at the foot of the fighter, from his frame."""

    pictures_wanted = Signal()
    set_shown = Signal(object)
    failed = Signal(object)
    orbited = Signal(float, float)
    zoomed = Signal(float)

    def __init__(self, note: Callable[[int], str]) -> None:
        super().__init__()
        grounded(self, "bg0")
        self._note, self._free_key = note, "panes.free"
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.metric("pane_gap"))
        self.panes: dict[Key, PicturePane] = {}
        self._thread: RenderThread | None = None
        self.shown: FrameSet | None = None
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self.pictures_wanted)
        theme.THEME.theme_changed.connect(self._want)

    def _want(self) -> None:
        self.pictures_wanted.emit()

    @property
    def is_drawing(self) -> bool:
        """Whether the thread is there to answer."""
        return self._thread is not None

    def arrange(self, wanted: Arrangement) -> None:
        """Other panes; those that stay keep their pictures."""
        for key, old in list(self.panes.items()):
            self._grid.removeWidget(old)
            if key not in wanted.places:
                old.hide()
                old.deleteLater()
                del self.panes[key]
        for key, (y, x, rows, columns) in wanted.places.items():
            if key not in self.panes:
                self.panes[key] = self._pane(*key)
            self._grid.addWidget(self.panes[key], y, x, rows, columns)
        rows = max(y + count for y, _, count, _ in wanted.places.values())
        for y in range(max(rows, self._grid.rowCount())):
            self._grid.setRowStretch(y, int(y < rows))
        for x in range(max(len(wanted.columns), self._grid.columnCount())):
            self._grid.setColumnStretch(x, wanted.columns[x] if x < len(wanted.columns) else 0)
        self.speak()
        self._settle.start()

    def speak(self) -> None:
        """Name the panes in the language that is chosen."""
        for (kind, phone), made in self.panes.items():
            key = self._free_key if phone == "free" else f"panes.{kind if kind == FIGHTER else 'phone'}"
            made.name(tr(key, phone=phone.upper()))

    def name_free(self, key: str) -> None:
        """Call the free view otherwise from now on."""
        if key != self._free_key:
            self._free_key = key
            self.speak()

    def start(self, make_model: Callable[[], Any], sources: Mapping[str, VideoSource], step_s: float) -> None:
        """Begin to draw."""
        self.stop()
        self._thread = RenderThread(make_model, sources, step_s, self)
        self._thread.drawn.connect(self._show)
        self._thread.failed.connect(self.failed)
        self._thread.start()
        self._settle.start()

    def stop(self) -> None:
        """Give the drawing context back; the pictures stay."""
        if self._thread is not None:
            self._thread.drawn.disconnect(self._show)
            self._thread.stop()
            self._thread.deleteLater()
            self._thread = None

    def wanted(self) -> tuple[Pane, ...]:
        """The panes with the sizes of their pictures, px of the screen."""
        sizes = {key: made.pixels for key, made in self.panes.items()}
        return tuple(Pane(*key, size.width(), size.height()) for key, size in sizes.items())

    def ask(self, wish: Wish | None) -> None:
        """Draw this next, whatever was asked before."""
        if self._thread is not None and wish is not None:
            self._thread.ask(wish)

    def _pane(self, kind: str, phone: str) -> PicturePane:
        tone = f"phone_{phone}" if phone in ("a", "b") else "text"
        made = PicturePane("cellphone" if kind == VIDEO else "karate", tone)
        made.resized.connect(self._settle.start)
        if phone == "free":
            made.turns(True)
            made.orbited.connect(self.orbited)
            made.zoomed.connect(self.zoomed)
        return made

    def _show(self, drawn: FrameSet) -> None:
        """All pictures of one moment at once, or none: a set for other panes is of the past."""
        by_key = {(pane.kind, pane.phone): picture for pane, picture in drawn.images.items()}
        if set(by_key) != set(self.panes):
            return
        self.shown = drawn
        note = self._note(drawn.wish.frame)
        for (kind, phone), made in self.panes.items():
            number = drawn.numbers.get(phone)
            corner = tr("timeline.frame", number=number) if kind == VIDEO and number is not None else ""
            made.show_image(by_key[kind, phone], corner, note if kind == FIGHTER else "")
        self.set_shown.emit(drawn)
