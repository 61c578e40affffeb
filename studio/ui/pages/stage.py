"""The page of one stage: what it found, what looks suspicious, and the button that runs it."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from studio.app.text import tr
from studio.ui import theme
from studio.ui.pages.page import Inspector, Page, Split, Toolbar, is_language_change, laid_out, page_body, pair
from studio.ui.presenters.stage import FindingGroup, FindingLine, Pair, StagePresenter
from studio.ui.rail import Place
from studio.ui.widgets.buttons import EYES, PLAIN, PRIMARY, Button
from studio.ui.widgets.frames import Bar, Line, column, empty, row, scrolled
from studio.ui.widgets.glyph import Glyph
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import Icon, SectionHead, Shortened, Words, caption

FIGURE_COLUMNS, LONG = 4, 14
"""Cards in a row; a value of more letters than that takes the room of two."""
GROUP_ROW, FINDING_ROW, HOW_MUCH = 36, 28, 216
FEW = 8
"""Up to here all findings are laid open; of more the groups are seen first."""


class Triangle(QWidget):
    """The sign of a finding: full while open, hollow when mended."""

    def __init__(self, repaired: bool) -> None:
        super().__init__()
        self._repaired = repaired
        self.setFixedSize(16, 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = theme.token("text3" if self._repaired else "text")
        painter.setPen(QPen(ink, 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush if self._repaired else ink)
        painter.drawPolygon(QPolygonF([QPointF(3, 12.5), QPointF(13, 12.5), QPointF(8, 4)]))


def figure_card(shown: Pair) -> QFrame:
    """One figure, large."""
    value, name = Shortened("", "page", weight=600), Shortened("", "caption", "text3")
    value.show_text(shown.value)
    name.show_text(shown.name)
    return column(name, value, gap=2, margins=(14, 10, 14, 10), ground="card")


def finding_row(finding: FindingLine) -> QFrame:
    """When, what, how much."""
    when, what, how_much = Words("", tone="text2"), Shortened(), caption("", "text2")
    when.setFixedWidth(132)
    how_much.setMinimumWidth(HOW_MUCH)
    how_much.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    when.show_text(finding.when)
    what.show_text(finding.what)
    how_much.show_text(finding.how_much)
    state = caption("stages.repaired" if finding.repaired else "stages.open")
    state.setMinimumWidth(52)
    state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    line = row((what, 1), when, how_much, state, gap=12, margins=(66, 0, 14, 0))
    line.setFixedHeight(FINDING_ROW)
    return line


class GroupRow(Place):
    """Findings of one kind: how many and how bad; ``chosen`` lays them open or folds them away."""

    def __init__(self, group: FindingGroup, is_open: bool) -> None:
        super().__init__(GROUP_ROW)
        name, count, worst = Words("", "body", weight=600), caption(), caption("", "text2")
        name.show_text(group.name)
        count.show_text(str(len(group.lines)))
        worst.show_text(tr("stages.worst", value=group.worst) if len(group.lines) > 1 else group.worst)
        self.setAccessibleName(f"{group.name} {len(group.lines)}")
        fold = Icon("chevron-down" if is_open else "chevron-right", 16, "text3")
        inside = row(fold, Triangle(group.repaired), name, count, None, worst, gap=10, margins=(14, 0, 14, 0))
        inside.setParent(self)
        self._inside = inside

    def resizeEvent(self, event: QEvent) -> None:
        self._inside.setGeometry(self.rect())


class StagePage(Page):
    """Stages without a page of their own."""

    def __init__(self, presenter: StagePresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.toolbar = Toolbar(f"stage.{presenter.number}.name")
        self.glyph, self.state = Glyph(), Words("", "name", weight=600)
        self.why = Words("", "body", "text2", wrap=True)
        self.notice = Notice()
        self._body, self._facts = QVBoxLayout(), QVBoxLayout()
        self._turned: set[str] = set()
        self.run = Button("stages.run", "play", kind=PRIMARY, action="run", wide=True, height=36)
        self.cancel = Button("stages.cancel", "stop", action="stop", wide=True)
        self.approve = Button(
            "stages.approve_key",
            "eye-check-outline",
            kind=EYES,
            action="main",
            wide=True,
            height=36,
            stage=presenter.title,
        )
        self.approve.setObjectName("approve")
        self.words = QLineEdit()
        self.bar, self.doing, self.left_ = Bar(), Shortened("", "body", "text2"), caption()
        self._build()
        self._wire()
        presenter.load()
        self.refresh()

    def _build(self) -> None:
        body, layout = page_body()
        layout.addWidget(row(self.state, self.glyph, None))
        layout.addWidget(self.why)
        layout.addSpacing(12)
        layout.addWidget(self.notice)
        layout.addLayout(self._body)
        layout.addStretch(1)
        facts = QFrame()
        facts.setLayout(self._facts)
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._facts.setSpacing(0)
        self.job = column(row((self.doing, 1), self.left_), 8, self.bar, 12, self.cancel, 8, gap=0)
        inspector = Inspector((scrolled(facts), 1), 12, Line(), 12, self.job, self.words, 8, self.run, 8, self.approve)
        laid_out(self, self.toolbar, (Split(scrolled(body), inspector), 1))

    def _wire(self) -> None:
        self.presenter.changed.connect(self.refresh)
        self.presenter.progressed.connect(self._show_progress)
        self.run.clicked.connect(self.presenter.run)
        self.cancel.clicked.connect(self.presenter.cancel)
        self.approve.clicked.connect(self._approve)
        self.commands = {"run": self.presenter.run, "stop": self.presenter.cancel, "main": self._main}

    def _main(self) -> None:
        if self.presenter.can_approve:
            self._approve()
        else:
            self.presenter.run()

    def _approve(self) -> None:
        self.presenter.approve(self.words.text().strip())
        self.words.clear()

    def refresh(self) -> None:
        """Show the stage as the session sees it."""
        shown = self.presenter
        self.toolbar.sentence.show_text(shown.sentence)
        self.glyph.show_state(shown.view.state)
        self.state.show_text(shown.state_line)
        self.why.show_text(shown.why)
        self.why.setVisible(bool(shown.why))
        self.notice.show_error(shown.error)
        self._fill_body()
        self._fill_facts()
        self._show_buttons()
        self._show_progress()
        self.set_ready(shown.loaded and bool(shown.session.overview.name))

    def _show_buttons(self) -> None:
        shown = self.presenter
        self.run.say(shown.run_key)
        self.run.setEnabled(shown.can_run)
        self.run.setToolTip(shown.run_hint)
        self.run.setVisible(not shown.is_running)
        self.run.kind = PRIMARY if shown.view.state in ("ready", "stale", "failed") else PLAIN
        self.approve.say("stages.approve_key", stage=shown.title)
        self.approve.setVisible(shown.can_approve)
        self.words.setVisible(shown.can_approve)
        self.words.setPlaceholderText(tr("stages.words"))

    def _fill_body(self) -> None:
        empty(self._body)
        figures = self.presenter.figures
        if figures:
            self._body.addWidget(SectionHead("stages.figures"))
            self._body.addSpacing(8)
            self._body.addWidget(self._figures(figures))
            self._body.addSpacing(20)
        elif self.presenter.error is None:
            self._body.addWidget(Words("stages.nothing_yet", tone="text2"))
        if self.presenter.record is not None:
            self._fill_findings()
        if self.presenter.notes:
            self._body.addSpacing(20)
            self._body.addWidget(SectionHead("stages.notes"))
            for note in self.presenter.notes:
                words = Words("", tone="text2", wrap=True)
                words.show_text(note)
                self._body.addSpacing(6)
                self._body.addWidget(words)

    @staticmethod
    def _figures(figures: tuple[Pair, ...]) -> QFrame:
        frame = QFrame()
        grid = QGridLayout(frame)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(12)
        place = 0
        for shown in figures:
            wide = 2 if len(shown.value) > LONG else 1
            place += (FIGURE_COLUMNS - place % FIGURE_COLUMNS) % FIGURE_COLUMNS if wide > 1 else 0
            grid.addWidget(figure_card(shown), place // FIGURE_COLUMNS, place % FIGURE_COLUMNS, 1, wide)
            place += wide
        for place in range(FIGURE_COLUMNS):
            grid.setColumnStretch(place, 1)
        return frame

    def _fill_findings(self) -> None:
        findings, count = self.presenter.findings, self.presenter.findings_count
        number = caption()
        number.show_text(str(count) if count else "")
        self._body.addWidget(row(SectionHead("stages.findings"), number, None))
        self._body.addSpacing(8)
        if not findings:
            self._body.addWidget(Words("stages.findings_none", tone="text2"))
            return
        lines = [part for k in findings for part in self._group(k, (count <= FEW) != (k.kind in self._turned))]
        self._body.addWidget(column(*lines, gap=0, margins=(0, 4, 0, 4), ground="card"))

    def _group(self, group: FindingGroup, is_open: bool) -> list[QWidget]:
        head = GroupRow(group, is_open)
        head.chosen.connect(lambda: self._fold(group.kind))
        return [head, *(finding_row(finding) for finding in group.lines if is_open)]

    def _fold(self, kind: str) -> None:
        self._turned ^= {kind}
        self._fill_body()

    def _fill_facts(self) -> None:
        empty(self._facts)
        for head, pairs in (
            ("stages.run_facts", self.presenter.run_facts),
            ("stages.made_from", self.presenter.made_from),
        ):
            if pairs:
                self._facts.addWidget(SectionHead(head))
                self._facts.addSpacing(4)
                for shown in pairs:
                    self._facts.addWidget(pair(shown.name, shown.value))
                self._facts.addSpacing(16)
        self._facts.addStretch(1)

    def _show_progress(self) -> None:
        running = self.presenter.is_running
        self.job.setVisible(running)
        if running:
            fraction, doing, left = self.presenter.progress
            self.bar.fill(fraction)
            self.doing.show_text(doing)
            self.left_.show_text(left)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.refresh()
