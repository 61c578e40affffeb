"""The Gate page: the table, the try behind a cell beside the reference, and the last word."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.app.text import tr
from studio.ui import theme
from studio.ui.pages.page import Inspector, Split, Toolbar, laid_out, pair
from studio.ui.pages.tries import TriesPage
from studio.ui.panes.gate_table import GateGrid
from studio.ui.presenters.gate import FAILS, PASSES, GatePresenter
from studio.ui.widgets.buttons import Button
from studio.ui.widgets.frames import Line, column, empty, row
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import SectionHead, Shortened, Words

PANES = ("try", "reference")


class GatePage(TriesPage[GatePresenter]):
    """A cell click plays that try."""

    def __init__(self, presenter: GatePresenter) -> None:
        super().__init__(presenter, PANES, Button("stages.run_again", "refresh", action="run"), no="wrong")
        self.toolbar = Toolbar("stage.8.name", self.cancel, self.run)
        self.notice, self.nothing = Notice(), Words("gate.not_run", tone="text2")
        self.grid = GateGrid()
        self._build()
        self._wire_tries()
        self.grid.cell_pressed.connect(presenter.choose)
        self.commands |= {
            "cell_left": lambda: presenter.move(0, -1), "cell_right": lambda: presenter.move(0, 1),
            "cell_up": lambda: presenter.move(-1, 0), "cell_down": lambda: presenter.move(1, 0),
        }  # fmt: skip
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
        return Inspector(
            self.cell_title, 8, row(self.value, None, self.verdict), 4, pairs, 4, self.row_sentence, 16, Line(), 16,
            SectionHead("gate.whole"), 6, self.whole, self.said_frame, *self._last_word(),
        )  # fmt: skip

    def refresh(self) -> None:
        """Show the table and the lit cell again."""
        shown = self.presenter
        self.toolbar.sentence.show_text(shown.sentence)
        self.notice.show_error(shown.error)
        self.nothing.setVisible(shown.table is None and shown.error is None)
        self.nothing.show_text(shown.stage.state_line)
        self.grid.show_table(shown.rows, len(shown.seeds), shown.cell)
        self.grid.setVisible(shown.table is not None)
        self.row_name.show_text(shown.row_name)
        self._show_cell()
        self.above.setVisible(shown.table is None or shown.error is not None or shown.stage.is_running)
        self._label_panes()
        self._show_tries(shown.stage.run_key)

    def _show_cell(self) -> None:
        shown = self.presenter
        there = shown.table is not None
        for widget in (self.cell_title, self.value, self.verdict, self.view, self.whole):
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

    def _label_panes(self) -> None:
        shown = self.presenter
        if shown.table is None:
            return
        tone = {PASSES: "ok", FAILS: "bad"}.get(shown.cell_verdict, "text2")
        self.panes["try"].label(shown.cell_title, "text", f"{shown.row_name} {shown.cell_value}", tone)
        self.panes["reference"].label(tr("teacher.reference"), "text2", tr("teacher.approved"))
