"""The Student page: student, teacher and former student at the same moment, their rows, and the last word."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.ui import theme
from studio.ui.pages.page import Inspector, Split, Toolbar, laid_out, pair
from studio.ui.pages.tries import TriesPage
from studio.ui.panes.student_table import SkillTable, StudentTable
from studio.ui.presenters.student import WHO, StudentPresenter
from studio.ui.presenters.student_rows import tone_of
from studio.ui.widgets.buttons import Button
from studio.ui.widgets.chart import Chart
from studio.ui.widgets.frames import Line, column, empty, row, scrolled
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import SectionHead, Words, caption

TABLES, CHART, LEARNED = 236, 128, 248
"""Heights of the tables below the films and of the curve, width of the table of skills, px."""


class StudentPage(TriesPage[StudentPresenter]):
    """A click on a row plays the student's worst try in it."""

    def __init__(self, presenter: StudentPresenter) -> None:
        super().__init__(presenter, WHO, Button("student.distil", "school-outline", action="run"), no="not_good")
        self.toolbar = Toolbar("stage.9.name", self.view, self.cancel, self.run)
        self.notice, self.state = Notice(), Words("", "name", weight=600)
        self.why = Words("", "body", "text2", wrap=True)
        self.table, self.skills, self.chart = StudentTable(), SkillTable(), Chart()
        self._build()
        self._wire_tries()
        self.table.row_pressed.connect(presenter.choose)
        self.skills.row_pressed.connect(lambda place: presenter.choose_skill(presenter.skills[place][0]))
        self.commands |= {
            "try_left": lambda: presenter.move(0, -1), "try_right": lambda: presenter.move(0, 1),
            "row_up": lambda: presenter.move(-1, 0), "row_down": lambda: presenter.move(1, 0),
        }  # fmt: skip
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
        self.facts_head, self.whole_head = SectionHead("student.distillation"), SectionHead("student.whole")
        return Inspector(
            self.job, self.facts_head, 4, facts, 8, Line(), 4, self.chart, 4, Line(), 16, self.whole_head, 6,
            self.whole, self.said_frame, *self._last_word(),
        )  # fmt: skip

    def refresh(self) -> None:
        """Show the student, his rows and the lit try again."""
        shown, there = self.presenter, self.presenter.distilled is not None
        self.toolbar.sentence.show_text(shown.sentence)
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
        self._label_panes()
        self._show_tries("student.distil_again" if there else "student.distil")

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
