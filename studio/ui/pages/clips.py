"""The clips of a training: each beside the reference and the clip before it, one time for all three."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from studio.app.films import VIEWS, FilmMaker, Shot, camera_for
from studio.app.text import tr
from studio.app.transport import Transport
from studio.ui import theme
from studio.ui.pages.page import Inspector, Split, laid_out, pair
from studio.ui.panes.frame_set import image
from studio.ui.panes.lanes import LaneData
from studio.ui.panes.timeline import Timeline
from studio.ui.presenters.teacher import TeacherPresenter
from studio.ui.rail import Place
from studio.ui.widgets.buttons import EYES, Button, Segment
from studio.ui.widgets.chart import Chart
from studio.ui.widgets.film import FilmPane, time_commands
from studio.ui.widgets.frames import Line, column, empty, row, scrolled
from studio.ui.widgets.words import SectionHead, Words, caption

if TYPE_CHECKING:
    import numpy as np

PANES = ("clip", "reference", "before")


class ClipRow(Place):
    """One clip in the list; a violet dot as long as nobody has looked at it."""

    def __init__(self, title: str, note: str) -> None:
        super().__init__(52)
        self._unseen = False
        name, more = Words("", "body", weight=600), caption()
        name.show_text(title)
        more.show_text(note)
        inside = row((column(None, name, more, None, gap=2), 1), margins=(20, 0, 16, 0))
        inside.setParent(self)
        self._inside = inside

    def resizeEvent(self, event) -> None:
        self._inside.setGeometry(self.rect())

    def show_unseen(self, unseen: bool) -> None:
        self._unseen = unseen
        self.setProperty("violet", unseen)
        self.update()

    def paint_more(self, painter: QPainter) -> None:
        if self._unseen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.token("eyes"))
            painter.drawEllipse(QPointF(self.width() - 22, self.height() / 2), 4, 4)


class ClipSlider(QWidget):
    """All clips of the run on one line by iteration; the open one is amber, those nobody has looked at are violet."""

    clip_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._iterations: tuple[int, ...] = ()
        self._unseen: tuple[bool, ...] = ()
        self._place, self._end = -1, 1
        self.setFixedHeight(36)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_clips(self, iterations: tuple[int, ...], place: int, end: int, unseen: tuple[bool, ...]) -> None:
        self._iterations, self._place, self._end, self._unseen = iterations, place, max(end, 1), unseen
        self.update()

    def _x(self, iteration: float) -> float:
        return 20 + iteration / self._end * (self.width() - 40)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._iterations:
            x = event.position().x()
            self.clip_chosen.emit(
                min(range(len(self._iterations)), key=lambda k: abs(self._x(self._iterations[k]) - x))
            )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        painter.setBrush(theme.token("track"))
        painter.drawRoundedRect(QRectF(20, middle - 1.5, self.width() - 40, 3), 1.5, 1.5)
        for place, iteration in enumerate(self._iterations):
            here = place == self._place
            painter.setPen(QPen(theme.token("bg1"), 2))
            painter.setBrush(theme.token("amber" if here else "eyes" if self._unseen[place] else "text2"))
            painter.drawEllipse(QPointF(self._x(iteration), middle), 8 if here else 5, 8 if here else 5)


class ClipsView(QWidget):
    """``filmed`` when the three panes show what they were asked for."""

    filmed = Signal()

    def __init__(self, presenter: TeacherPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self.transport = Transport(presenter.clip_clock, self)
        self.films = FilmMaker(self)
        self.panes = {name: FilmPane() for name in PANES}
        self.timeline = Timeline(self.transport)
        self.commands = time_commands(self.transport)
        self.slider, self.charts = ClipSlider(), tuple(Chart() for _ in range(3))
        self.view = Segment(tuple(f"film.{view}" for view in VIEWS))
        self._list, self._clip, self._run = QVBoxLayout(), QVBoxLayout(), QVBoxLayout()
        self._rows: list[ClipRow] = []
        self._titles: list[str] = []
        self.words = QLineEdit()
        self.adopt = Button("teacher.adopt", "bookmark-check-outline", kind=EYES, action="main", height=36, wide=True)
        self.adopt.setObjectName("approve")
        self.stop = Button("teacher.stop", "stop", action="stop", wide=True)
        self.hint = Words("", "caption", "text3", wrap=True)
        self._build()
        self._wire()

    def _build(self) -> None:
        inbox, inside = QFrame(), QFrame()
        inside.setLayout(self._list)
        for layout in (self._list, self._clip, self._run):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self.count = Words("", "body", "text3")
        head = row(Words("teacher.clips", "name", weight=600), self.count, None, margins=(16, 0, 12, 0))
        head.setFixedHeight(40)
        filled = QVBoxLayout(inbox)
        filled.setContentsMargins(0, 0, 0, 0)
        filled.addWidget(column(head, (scrolled(inside), 1), gap=0, ground="bg2"))
        inbox.setFixedWidth(200)
        panes = row(*[(pane, 1) for pane in self.panes.values()], gap=theme.metric("pane_gap"))
        views = row(caption("teacher.one_slider"), None, self.view, margins=(20, 6, 16, 0))
        charts = QFrame()
        charts.setFixedHeight(156)
        line = QHBoxLayout(charts)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        for place, chart in enumerate(self.charts):
            if place:
                line.addWidget(Line(vertical=True))
            line.addWidget(chart, 1)
        middle = column((panes, 1), views, self.slider, Line(), charts, gap=0)
        above = Split(row(inbox, Line(vertical=True), (middle, 1), gap=0), self._inspector())
        laid_out(self, (above, 1), self.timeline)

    def _inspector(self) -> Inspector:
        clip, run = QFrame(), QFrame()
        clip.setLayout(self._clip)
        run.setLayout(self._run)
        return Inspector(
            SectionHead("teacher.this_clip"), 4, clip, 12, Line(), 12, SectionHead("teacher.run_head"), 4, run, None,
            Line(), 12, self.words, 8, self.adopt, 8, self.stop, 8, self.hint,
        )  # fmt: skip

    def _wire(self) -> None:
        self._presenter.clip_opened.connect(self._open_clip)
        self.transport.frame_changed.connect(self.draw)
        self.view.segment_chosen.connect(self.draw)
        self.slider.clip_chosen.connect(self._presenter.choose_clip)
        self.films.picture_drawn.connect(self._show_picture)
        self.films.refused.connect(self._presenter.session.failed)
        for pane in self.panes.values():
            pane.size_changed.connect(self.draw)
        theme.THEME.theme_changed.connect(self.draw)
        theme.THEME.theme_changed.connect(self._ask_strip)
        self.adopt.clicked.connect(self.adopt_now)
        self.stop.clicked.connect(self._presenter.stop)

    @property
    def is_filmed(self) -> bool:
        """Whether every pane that has something to show shows it."""
        return self._presenter.clip is not None and not self.panes["clip"].is_empty and self.films.idle

    def adopt_now(self) -> None:
        if self._presenter.can_adopt:
            self._presenter.adopt(self.words.text().strip())
            self.words.clear()

    def rest(self) -> None:
        self.transport.pause()

    def close_films(self) -> None:
        self.films.close()

    def refresh(self) -> None:
        shown = self._presenter
        self._fill_list()
        end = max(shown.story.iterations, 1)
        unseen = tuple(shown.is_unseen(place) for place in range(len(shown.clips)))
        self.slider.show_clips(tuple(clip.iteration for clip in shown.clips), shown.place, end, unseen)
        here = shown.clips[shown.place].iteration if 0 <= shown.place < len(shown.clips) else None
        for chart, curve in zip(self.charts, shown.curves, strict=True):
            chart.show_curve(curve.title, curve.now, curve.points)
            chart.stand_at(here)
        for layout, pairs in ((self._clip, shown.clip_pairs), (self._run, shown.run_pairs)):
            empty(layout)
            for part in pairs:
                layout.addWidget(pair(part.name, part.value))
        self.adopt.setEnabled(shown.can_adopt)
        self.words.setVisible(shown.can_adopt)
        self.words.setPlaceholderText(tr("stages.words"))
        self.hint.show_text(shown.adopt_hint)
        self.stop.setVisible(shown.stage.is_running)
        self._label_panes()

    def _fill_list(self) -> None:
        shown = self._presenter
        self.count.show_text(str(len(shown.clips)))
        condition = tr(f"gate.{shown.clip.condition if shown.clip else 'bag'}")
        titles = [f"{shown.clip_title(place)}\n{condition}" for place in range(len(shown.clips))]
        if titles[: len(self._titles)] != self._titles:
            empty(self._list)
            self._rows, self._titles = [], []
        if not self._rows:
            empty(self._list)
            self._list.addStretch(1)
        for place in range(len(self._rows), len(titles)):  # the newest on top; the others stay as they are
            line = ClipRow(shown.clip_title(place), condition)
            line.chosen.connect(lambda place=place: shown.choose_clip(place))
            self._list.insertWidget(0, line)
            self._rows.append(line)
        self._titles = titles
        for place, line in enumerate(self._rows):
            line.select(place == shown.place)
            line.show_unseen(shown.is_unseen(place))

    def _label_panes(self) -> None:
        shown = self._presenter
        if 0 <= shown.place < len(shown.clips):
            self.panes["clip"].label(shown.clip_title(shown.place))
        self.panes["reference"].label(tr("teacher.reference"), "text2", tr("teacher.approved"))
        self.panes["before"].label(shown.before_title, "before")
        self.panes["before"].setVisible(shown.place > 0)

    def _open_clip(self) -> None:
        frame, playing = self.transport.frame, self.transport.playing
        self.transport.use(self._presenter.clip_clock)
        self.label_time()
        self.transport.toggle_loop()
        self.transport.seek(frame or self._impact())
        if playing:
            self.transport.toggle()
        self._ask_strip()
        self.draw()

    def label_time(self) -> None:
        """Say on the timeline which clip it is, and when the reference stands on what."""
        shown = self._presenter
        if shown.ground is not None:
            end_s = shown.clip_clock.end_s
            self.timeline.show_data(LaneData(shown.clip_short, 0.0, end_s, contacts=shown.ground.contacts))

    def _impact(self) -> int:
        """The frame to begin with: where the reference hits."""
        ground = self._presenter.ground
        return 0 if ground is None else self.transport.clock.frame(ground.impact_s)

    def _ask_strip(self, *_: object) -> None:
        self._presenter.ask_strip(theme.THEME.name == "light", self._show_strip)

    def _show_strip(self, strip: tuple[np.ndarray, ...]) -> None:
        self.timeline.show_pictures(tuple(image(picture) for picture in strip))

    def draw(self, *_: object) -> None:
        """Ask for the pictures of this moment."""
        shown = self._presenter
        if shown.clip is None or shown.ground is None:
            return
        frame = self.transport.frame
        self._ask("clip", shown.clip.qpos, frame)
        self._ask("reference", shown.clip.reference, frame)
        if shown.before is not None:
            self._ask("before", shown.before.qpos, min(frame, len(shown.before.qpos) - 1))

    def _ask(self, name: str, qpos: np.ndarray, frame: int) -> None:
        ground, clip, places = self._presenter.ground, self._presenter.clip, self._presenter.places
        if ground is None or clip is None or places is None:
            return
        scene = ground.scene
        width, height = self.panes["clip"].pixels
        camera = camera_for(VIEWS[self.view.chosen], scene, places, width, height)
        light = theme.THEME.name == "light"
        self.films.ask(name, Shot(scene, qpos[frame], clip.condition == "air", camera, width, height, light))

    def _show_picture(self, name: str, picture: object) -> None:
        self.panes[name].show_picture(picture)  # pyright: ignore[reportArgumentType]
        if self.is_filmed:
            self.filmed.emit()
            if self.isVisible():
                self._presenter.look()
