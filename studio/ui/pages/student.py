"""The Student page: student, teacher and former student at the same moment, their rows, and the last word."""
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
from studio.ui.panes.lanes import LaneData
from studio.ui.panes.student_table import SkillTable, StudentTable
from studio.ui.panes.timeline import Timeline
from studio.ui.presenters.student import WHO, StudentPresenter
from studio.ui.presenters.student_rows import tone_of
from studio.ui.widgets.buttons import EYES, Button, Segment
from studio.ui.widgets.chart import Chart
from studio.ui.widgets.film import FilmPane, time_commands
from studio.ui.widgets.frames import Bar, Line, column, empty, row, scrolled
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import Icon, SectionHead, Shortened, Words, caption

if TYPE_CHECKING:
    import numpy as np

TABLES, CHART, LEARNED = 236, 128, 248
"""Heights of the tables below the films and of the curve, width of the table of skills, px."""


class StudentPage(Page):
    """A click on a row plays the student's worst try in it."""

    def __init__(self, presenter: StudentPresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.run = Button("student.distil", "school-outline", action="run")
        self.cancel = Button("stages.cancel", "stop", action="stop")
        self.view = Segment(tuple(f"film.{view}" for view in VIEWS), height=24)
        self.toolbar = Toolbar("stage.9.name", self.view, self.cancel, self.run)
        self.notice, self.state = Notice(), Words("", "name", weight=600)
        self.why = Words("", "body", "text2", wrap=True)
        self.table, self.skills = StudentTable(), SkillTable()
        self.transport = Transport(presenter.film_clock, self)
        self.films = FilmMaker(self)
        self.panes = {who: FilmPane() for who in WHO}
        self.timeline = Timeline(self.transport)
        self.chart = Chart()
        self.bar, self.doing, self.left_ = Bar(), Shortened("", "body", "text2"), caption()
        self.words = QLineEdit()
        self.refuse = Button("gate.refuse", "comment-text-outline", action="not_good", height=36, wide=True)
        self.approve = Button("student.approve", "eye-check-outline", kind=EYES, action="main", height=36, wide=True)
        self.approve.setObjectName("approve")
        self._build()
        self._wire()
        presenter.open()
        self.refresh()

    def _build(self) -> None:
        films = row(*[(pane, 1) for pane in self.panes.values()], gap=theme.metric("pane_gap"))
        self.rows_head, self.rows_note = Words("student.against", "name", weight=600), caption("student.worse_first")
        self.skills_head = Words("student.learned_from", "name", weight=600)
        left = column(
            row(self.rows_head, None, self.rows_note, margins=(24, 10, 16, 0)), (scrolled(self.table), 1), gap=0
        )
        right = column(row(self.skills_head, None, margins=(24, 10, 16, 0)), (scrolled(self.skills), 1), gap=0)
        right.setFixedWidth(LEARNED)
        self.tables = row((left, 1), Line(vertical=True), right, gap=0)
        self.tables.setFixedHeight(TABLES)
        self.body = column((films, 1), Line(), self.tables, gap=0)
        self.above = column(
            self.notice, row(self.state, None), self.why, gap=6, margins=(24, 16, 24, 16)
        )  # fmt: skip
        body = column(self.above, (self.body, 1), gap=0)
        laid_out(self, self.toolbar, (Split(body, self._inspector()), 1), self.timeline)

    def _inspector(self) -> Inspector:
        facts, self._facts = QFrame(), QVBoxLayout()
        facts.setLayout(self._facts)
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._facts.setSpacing(0)
        self.job = column(row((self.doing, 1), self.left_), 8, self.bar, 16, gap=0)
        self.chart.setFixedHeight(CHART)
        self.chart.plot.setLogMode(False, True)
        self.whole = Words("", tone="text", wrap=True)
        self.said, self.said_words = Words("", weight=500, wrap=True), Words("", "caption", "text3", wrap=True)
        self.said_frame = row(
            Icon("format-quote-open"), (column(self.said, self.said_words, gap=2), 1), gap=10, margins=(0, 12, 0, 0)
        )
        self.hint = Words("", "caption", "text3", wrap=True)
        self.facts_head, self.whole_head = SectionHead("student.distillation"), SectionHead("student.whole")
        return Inspector(
            self.job, self.facts_head, 4, facts, 8, Line(), 4, self.chart, 4, Line(), 16, self.whole_head, 6,
            self.whole, self.said_frame, None, Line(), 12, self.words, 8, self.refuse, 8, self.approve, 8, self.hint,
        )  # fmt: skip

    def _wire(self) -> None:
        shown = self.presenter
        shown.changed.connect(self.refresh)
        shown.row_chosen.connect(self.refresh)
        shown.film_opened.connect(self._open_film)
        shown.stage.progressed.connect(self._show_progress)
        self.table.row_pressed.connect(shown.choose)
        self.skills.row_pressed.connect(lambda place: shown.choose_skill(shown.skills[place][0]))
        self.transport.frame_changed.connect(self.draw)
        self.view.segment_chosen.connect(self.draw)
        self.films.picture_drawn.connect(self._show_picture)
        self.films.refused.connect(shown.session.failed)
        for pane in self.panes.values():
            pane.size_changed.connect(self.draw)
        theme.THEME.theme_changed.connect(self.draw)
        theme.THEME.theme_changed.connect(self._ask_strip)
        self.run.clicked.connect(shown.run)
        self.cancel.clicked.connect(shown.stage.cancel)
        self.words.textChanged.connect(lambda _: self._show_judge())
        self.approve.clicked.connect(self._approve)
        self.refuse.clicked.connect(self._refuse)
        self.commands = {
            **time_commands(self.transport),
            "main": self._main, "run": shown.run, "stop": shown.stage.cancel, "not_good": self._say_what,
            "try_left": lambda: shown.move(0, -1), "try_right": lambda: shown.move(0, 1),
            "row_up": lambda: shown.move(-1, 0), "row_down": lambda: shown.move(1, 0),
        }  # fmt: skip

    def opened(self) -> None:
        self.presenter.open()

    def left(self) -> None:
        self.transport.pause()

    def closed(self) -> None:
        self.films.close()

    def refresh(self) -> None:
        """Show the student, his rows and the lit try again."""
        shown, there = self.presenter, self.presenter.distilled is not None
        self.toolbar.sentence.show_text(shown.sentence)
        self.run.say("student.distil_again" if there else "student.distil")
        self.run.setEnabled(shown.stage.can_run)
        self.run.setToolTip(shown.stage.run_hint)
        self.run.setVisible(not shown.stage.is_running)
        self.cancel.setVisible(shown.stage.is_running)
        self.notice.show_error(shown.error)
        self.state.show_text(shown.stage.state_line)
        self.why.show_text(shown.stage.why)
        stale = shown.stage.view.state == "stale"
        self.state.setVisible(not there or stale)
        self.why.setVisible(bool(shown.stage.why) and (not there or stale))
        self.above.setVisible(not there or stale or shown.error is not None)
        self.body.setVisible(there)
        self.view.setVisible(there)
        self.timeline.setVisible(there)
        self.table.show_rows(shown.rows, shown.row)
        self.skills.show_skills(shown.skills, shown.lit.technique if shown.lit else "")
        self.panes["former"].setVisible("former" in shown.policies)
        self._show_facts(there)
        self._show_judge()
        self._show_progress()
        self._label_panes()
        self._settle()

    def _show_facts(self, there: bool) -> None:
        shown = self.presenter
        empty(self._facts)
        for fact in shown.facts:
            self._facts.addWidget(pair(fact.name, fact.value))
        title, now, points = shown.curve
        self.chart.setVisible(bool(points))
        self.chart.show_curve(title, now, points)
        for widget in (self.facts_head, self.whole_head, self.whole):
            widget.setVisible(there)
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
        self.approve.say("gate.approve_anyway" if shown.failing else "student.approve")
        self.refuse.setEnabled(shown.can_judge and bool(words.strip()))
        self.words.setEnabled(shown.can_judge)
        self.words.setPlaceholderText(tr("gate.words"))
        self.hint.show_text(shown.judge_hint if shown.distilled is not None else "")

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
        for who, pane in self.panes.items():
            text, verdict = shown.pane_verdict(who)
            pane.label(shown.pane_title(who), "text" if who == "student" else "text2", text, tone_of(verdict))

    def _main(self) -> None:
        if self.presenter.can_judge:
            self._approve()
        else:
            self.presenter.run()

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
        self.refresh()
        self.draw()

    def _label_time(self) -> None:
        ground, shown = self.presenter.ground, self.presenter
        if ground is not None:
            end_s = shown.film_clock.end_s
            self.timeline.show_data(LaneData(shown.try_title, 0.0, end_s, contacts=ground.contacts))

    def _ask_strip(self, *_: object) -> None:
        self.presenter.ask_strip(theme.THEME.name == "light", self._show_strip)

    def _show_strip(self, strip: tuple[np.ndarray, ...]) -> None:
        self.timeline.show_pictures(tuple(image(picture) for picture in strip))

    def draw(self, *_: object) -> None:
        """Ask for the pictures of this moment."""
        shown = self.presenter
        ground, places = shown.ground, shown.places
        if ground is None or places is None:
            return
        light = theme.THEME.name == "light"
        width, height = self.panes["student"].pixels
        camera = camera_for(VIEWS[self.view.chosen], ground.scene, places, width, height)
        for who, film in shown.films.items():
            frame = min(self.transport.frame, len(film.qpos) - 1)
            air = film.condition == "air"
            self.films.ask(who, Shot(ground.scene, film.qpos[frame], air, camera, width, height, light))

    def _show_picture(self, who: str, picture: object) -> None:
        self.panes[who].show_picture(picture)  # pyright: ignore[reportArgumentType]
        self._settle()

    def _settle(self) -> None:
        shown = self.presenter
        drawn = self.films.idle and all(not self.panes[who].is_empty for who in shown.films)
        filmed = shown.distilled is None or (shown.film_is_right and drawn)
        self.set_ready(shown.loaded and shown.stage.loaded and filmed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.refresh()
            self._label_time()
