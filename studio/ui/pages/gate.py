"""The Gate page: the table, the try behind a cell beside the reference, and the last word."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout

from studio.app.films import VIEWS, FilmMaker, Shot, camera_for
from studio.app.text import tr
from studio.app.transport import Transport
from studio.ui import theme
from studio.ui.pages.page import Inspector, Page, Split, Toolbar, is_language_change, laid_out, pair
from studio.ui.panes.frame_set import image
from studio.ui.panes.gate_table import GateGrid
from studio.ui.panes.lanes import LaneData
from studio.ui.panes.timeline import Timeline
from studio.ui.presenters.gate import FAILS, PASSES, GatePresenter
from studio.ui.widgets.buttons import EYES, Button, Segment
from studio.ui.widgets.film import FilmPane, time_commands
from studio.ui.widgets.frames import Bar, Line, column, empty, row
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import Icon, SectionHead, Shortened, Words, caption

if TYPE_CHECKING:
    import numpy as np

PANES = ("try", "reference")


class GatePage(Page):
    """A cell click plays that try."""

    def __init__(self, presenter: GatePresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.again = Button("stages.run_again", "refresh", action="run")
        self.cancel = Button("stages.cancel", "stop", action="stop")
        self.toolbar = Toolbar("stage.8.name", self.cancel, self.again)
        self.notice, self.nothing = Notice(), Words("gate.not_run", tone="text2")
        self.grid = GateGrid()
        self.transport = Transport(presenter.film_clock, self)
        self.films = FilmMaker(self)
        self.panes = {name: FilmPane() for name in PANES}
        self.timeline = Timeline(self.transport)
        self.view = Segment(tuple(f"film.{view}" for view in VIEWS), height=24)
        self.bar, self.doing, self.left_ = Bar(), Shortened("", "body", "text2"), caption()
        self.words = QLineEdit()
        self.refuse = Button("gate.refuse", "comment-text-outline", action="wrong", height=36, wide=True)
        self.approve = Button("gate.approve", "eye-check-outline", kind=EYES, action="main", height=36, wide=True)
        self.approve.setObjectName("approve")
        self._build()
        self._wire()
        presenter.open()
        self.refresh()

    def _build(self) -> None:
        films = row(*[(pane, 1) for pane in self.panes.values()], gap=theme.metric("pane_gap"))
        self.row_name = Shortened("", "name", weight=600)
        film_head = row((self.row_name, 1), self.view, margins=(24, 0, 12, 0))
        film_head.setFixedHeight(40)
        self.job = column(row((self.doing, 1), self.left_), 6, self.bar, gap=0, margins=(24, 8, 24, 8))
        self.above = column(
            row((self.notice, 1), margins=(24, 8, 24, 0)), row(self.nothing, margins=(24, 8, 24, 0)), self.job,
            gap=0,
        )  # fmt: skip
        body = column(self.above, 8, self.grid, 8, Line(), film_head, (films, 1), gap=0)
        laid_out(self, self.toolbar, (Split(body, self._inspector()), 1), self.timeline)

    def _inspector(self) -> Inspector:
        self.cell_title, self.row_sentence = SectionHead("gate.row_head"), Words("", tone="text2", wrap=True)
        self.value = Words("", "page", weight=600)
        self.verdict = Words("", "body", weight=500)
        pairs, self._pairs = QFrame(), QVBoxLayout()
        pairs.setLayout(self._pairs)
        self._pairs.setContentsMargins(0, 0, 0, 0)
        self._pairs.setSpacing(0)
        self.whole = Words("", tone="text", wrap=True)
        self.said, self.said_words = Words("", weight=500, wrap=True), Words("", "caption", "text3", wrap=True)
        said = row(Icon("format-quote-open"), (column(self.said, self.said_words, gap=2), 1), gap=10)
        self.said_frame = said
        self.hint = Words("", "caption", "text3", wrap=True)
        return Inspector(
            self.cell_title, 8, row(self.value, None, self.verdict), 4, pairs, 4, self.row_sentence, 16, Line(), 16,
            SectionHead("gate.whole"), 6, self.whole, 12, said, None, Line(), 12, self.words, 8, self.refuse, 8,
            self.approve, 8, self.hint,
        )  # fmt: skip

    def _wire(self) -> None:
        shown = self.presenter
        shown.changed.connect(self.refresh)
        shown.cell_chosen.connect(self.refresh)
        shown.film_opened.connect(self._open_film)
        shown.stage.progressed.connect(self._show_progress)
        self.grid.cell_pressed.connect(shown.choose)
        self.transport.frame_changed.connect(self.draw)
        self.view.segment_chosen.connect(self.draw)
        self.films.picture_drawn.connect(self._show_picture)
        self.films.refused.connect(shown.session.failed)
        for pane in self.panes.values():
            pane.size_changed.connect(self.draw)
        theme.THEME.theme_changed.connect(self.draw)
        theme.THEME.theme_changed.connect(self._ask_strip)
        self.again.clicked.connect(shown.run)
        self.cancel.clicked.connect(shown.stage.cancel)
        self.words.textChanged.connect(lambda _: self._show_judge())
        self.approve.clicked.connect(self._approve)
        self.refuse.clicked.connect(self._refuse)
        self.commands = {
            **time_commands(self.transport),
            "main": self._approve, "run": shown.run, "stop": shown.stage.cancel, "wrong": self._say_what,
            "cell_left": lambda: shown.move(0, -1), "cell_right": lambda: shown.move(0, 1),
            "cell_up": lambda: shown.move(-1, 0), "cell_down": lambda: shown.move(1, 0),
        }  # fmt: skip

    def opened(self) -> None:
        self.presenter.open()

    def left(self) -> None:
        self.transport.pause()

    def closed(self) -> None:
        self.films.close()

    def refresh(self) -> None:
        """Show the table and the lit cell again."""
        shown = self.presenter
        self.toolbar.sentence.show_text(shown.sentence)
        self.again.say(shown.stage.run_key)
        self.again.setEnabled(shown.stage.can_run)
        self.again.setToolTip(shown.stage.run_hint)
        self.again.setVisible(not shown.stage.is_running)
        self.cancel.setVisible(shown.stage.is_running)
        self.notice.show_error(shown.error)
        self.nothing.setVisible(shown.table is None and shown.error is None)
        self.nothing.show_text(shown.stage.state_line)
        self.grid.show_table(shown.rows, len(shown.seeds), shown.cell)
        self.grid.setVisible(shown.table is not None)
        self.row_name.show_text(shown.row_name)
        self._show_cell()
        self._show_judge()
        self._show_progress()
        self.above.setVisible(shown.table is None or shown.error is not None or shown.stage.is_running)
        self._label_panes()
        self._settle()

    def _show_cell(self) -> None:
        shown = self.presenter
        there = shown.table is not None
        for widget in (self.cell_title, self.value, self.verdict, self.view, self.said_frame, self.whole):
            widget.setVisible(there)
        self.cell_title.show_text(shown.cell_title)
        self.value.show_text(shown.cell_value)
        tone = {PASSES: "ok", FAILS: "bad"}.get(shown.cell_verdict, "text2")
        self.verdict.show_text(tr(f"gate.verdict.{shown.cell_verdict}"))
        self.verdict.paint_in(tone)
        self.value.paint_in(tone if shown.cell_verdict == FAILS else "text")
        empty(self._pairs)
        for part in shown.cell_pairs[1:]:
            self._pairs.addWidget(pair(part.name, part.value))
        self.row_sentence.show_text(shown.row_sentence)
        self.whole.show_text(shown.verdict_line)
        said = shown.said
        self.said_frame.setVisible(said is not None)
        if said is not None:
            self.said.show_text(said[0])
            self.said_words.show_text(f"“{said[1]}”" if said[1] else "")
            self.said_words.setVisible(bool(said[1]))

    def _show_judge(self) -> None:
        shown, words = self.presenter, self.words.text()
        self.approve.setEnabled(shown.can_approve(words))
        self.approve.say("gate.approve_anyway" if shown.failing else "gate.approve")
        self.refuse.setEnabled(shown.can_judge and bool(words.strip()))
        self.words.setEnabled(shown.can_judge)
        self.words.setPlaceholderText(tr("gate.words"))
        self.hint.show_text(shown.judge_hint)

    def _show_progress(self) -> None:
        running = self.presenter.stage.is_running
        self.job.setVisible(running)
        if running:
            fraction, doing, left = self.presenter.stage.progress
            self.bar.fill(fraction)
            self.doing.show_text(doing)
            self.left_.show_text(left)

    def _label_panes(self) -> None:
        shown = self.presenter
        if shown.table is None:
            return
        tone = {PASSES: "ok", FAILS: "bad"}.get(shown.cell_verdict, "text2")
        self.panes["try"].label(shown.cell_title, "text", f"{shown.row_name} {shown.cell_value}", tone)
        self.panes["reference"].label(tr("teacher.reference"), "text2", tr("teacher.approved"))

    def _approve(self) -> None:
        if self.presenter.can_approve(self.words.text()):
            self.presenter.approve(self.words.text())
            self.words.clear()

    def _refuse(self) -> None:
        self.presenter.refuse(self.words.text())
        self.words.clear()

    def _say_what(self) -> None:
        """The key for saying what is wrong: first the words, then the verdict."""
        if self.words.text().strip():
            self._refuse()
        else:
            self.words.setFocus()

    def _open_film(self) -> None:
        ground, clock = self.presenter.ground, self.presenter.film_clock
        frame, playing = self.transport.frame, self.transport.playing
        self.transport.use(clock)
        self.transport.toggle_loop()
        self._label_time()
        if ground is not None:
            self.transport.seek(frame or clock.frame(ground.impact_s))
        if playing:
            self.transport.toggle()
        self._ask_strip()
        self.draw()

    def _label_time(self) -> None:
        ground, shown = self.presenter.ground, self.presenter
        if ground is not None:
            end_s = shown.film_clock.end_s
            self.timeline.show_data(LaneData(shown.cell_short, 0.0, end_s, contacts=ground.contacts))

    def _ask_strip(self, *_: object) -> None:
        self.presenter.ask_strip(theme.THEME.name == "light", self._show_strip)

    def _show_strip(self, strip: tuple[np.ndarray, ...]) -> None:
        self.timeline.show_pictures(tuple(image(picture) for picture in strip))

    def draw(self, *_: object) -> None:
        """Ask for the pictures of this moment."""
        film, ground = self.presenter.film, self.presenter.ground
        places = self.presenter.places
        if film is None or ground is None or places is None:
            return
        frame = min(self.transport.frame, len(film.qpos) - 1)
        width, height = self.panes["try"].pixels
        camera = camera_for(VIEWS[self.view.chosen], ground.scene, places, width, height)
        light, air = theme.THEME.name == "light", film.condition == "air"

        def shot(qpos: np.ndarray) -> Shot:
            return Shot(ground.scene, qpos, air, camera, width, height, light)

        self.films.ask("try", shot(film.qpos[frame]))
        self.films.ask("reference", shot(film.reference[frame]))

    def _show_picture(self, name: str, picture: object) -> None:
        self.panes[name].show_picture(picture)  # pyright: ignore[reportArgumentType]
        self._settle()

    def _settle(self) -> None:
        shown = self.presenter
        drawn = not self.panes["reference"].is_empty and self.films.idle
        filmed = shown.table is None or (shown.film_is_right and drawn)
        self.set_ready(shown.loaded and shown.stage.loaded and filmed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.refresh()
            self._label_time()
