"""The Machines page: where a teacher can be trained, what each machine brings, and the form that adds one."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QFrame, QLineEdit, QVBoxLayout, QWidget

from studio.app.text import tr
from studio.ui.pages.page import Inspector, Page, Split, Toolbar, is_language_change, laid_out, page_body
from studio.ui.presenters.machines import MachineRow, MachinesPresenter
from studio.ui.presenters.stage import Pair
from studio.ui.widgets.buttons import GHOST, PRIMARY, Button, Segment
from studio.ui.widgets.frames import Line, column, empty, grounded, row, scrolled
from studio.ui.widgets.glyph import Glyph
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import Icon, SectionHead, Shortened, Words, caption

ADDRESS, ALIAS = 0, 1
LABEL = 17
"""Height of a label in px: words of both scripts stand on one line."""

FIELDS = ("name", "host", "port", "user", "alias", "key", "python")
SHOWN = {ADDRESS: ("host", "port", "user"), ALIAS: ("alias",)}
SIGNS = {"needs_answer": "comment-text-outline", "unknown": "information-outline"}


class MachineCard(QFrame):
    """One machine. Its buttons say what is wished."""

    check_requested, remove_requested = Signal(), Signal()
    accepted, refused = Signal(), Signal()

    def __init__(self, shown: MachineRow) -> None:
        super().__init__()
        grounded(self, "card")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(12)
        layout.addWidget(self._head(shown))
        if shown.facts:
            layout.addWidget(row(*[(_fact(fact), 1) for fact in shown.facts], gap=16, margins=(32, 0, 0, 0)))
        if shown.question:
            layout.addWidget(self._question(shown))
        elif shown.command:
            layout.addWidget(self._command(shown.command))
        if shown.error is not None and not shown.is_busy:
            self.notice = Notice()
            self.notice.show_error(shown.error)
            layout.addWidget(self.notice)

    def _head(self, shown: MachineRow) -> QFrame:
        name, way = Words("", "name", weight=600), caption()
        name.show_text(shown.title)
        way.show_text(shown.way)
        verdict = Shortened("", "body", "text2")
        verdict.show_text(shown.verdict)
        sign: QWidget = Icon(SIGNS[shown.state], 16, "text2") if shown.state in SIGNS else Glyph(shown.state)
        self.check = Button("machines.check", "refresh")
        self.check.setEnabled(not shown.is_busy)
        self.check.clicked.connect(self.check_requested)
        self.remove = Button("machines.remove", kind=GHOST)
        self.remove.setVisible(shown.removable)
        self.remove.clicked.connect(self.remove_requested)
        names = column(name, way, gap=2)
        names.setFixedWidth(216)
        return row(Icon("server", 16, "text2"), names, sign, (verdict, 1), self.remove, self.check, gap=16)

    def _question(self, shown: MachineRow) -> QFrame:
        what, why = Words("", "body", weight=600, wrap=True), Words("machines.compare", "body", "text2", wrap=True)
        what.show_text(shown.question)
        print_ = Words("", "name", weight=600)
        print_.show_text(shown.fingerprint)
        print_.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.yes = Button("machines.same", "check", kind=PRIMARY)
        self.no = Button("machines.another", raised=True)
        self.yes.clicked.connect(self.accepted)
        self.no.clicked.connect(self.refused)
        return column(
            what, 4, print_, 4, why, 10, row(self.yes, self.no, None), gap=0, margins=(16, 14, 16, 14),
            ground="selected",
        )  # fmt: skip

    @staticmethod
    def _command(command: str) -> QFrame:
        words = Words("", "body", "text2", wrap=True)
        words.show_text(command)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        copy = Button("machines.copy", "export-variant", raised=True)
        copy.clicked.connect(lambda: QApplication.clipboard().setText(command))
        return column(
            caption("machines.install"), 4, row((words, 1), copy, gap=16), gap=0, margins=(16, 10, 16, 10),
            ground="selected",
        )  # fmt: skip


def _fact(shown: Pair) -> QFrame:
    name, value = Shortened("", "caption", "text3"), Shortened("", "body")
    name.show_text(shown.name)
    value.show_text(shown.value)
    name.setMinimumHeight(LABEL)
    return column(name, value, None, gap=2)


class MachinesPage(Page):
    """Left the machines, right the form."""

    def __init__(self, presenter: MachinesPresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.toolbar = Toolbar("machines.title")
        self.cards: dict[str, MachineCard] = {}
        self.fields = {name: QLineEdit() for name in FIELDS}
        self.way = Segment(("machines.form_address", "machines.form_alias"))
        self.add = Button("machines.add", "plus", kind=PRIMARY, action="main", height=36, wide=True)
        self.browse = Button(icon="folder-plus-outline")
        self.notice = Notice()
        self._list = QVBoxLayout()
        self._parts: dict[str, QFrame] = {}
        self._shown: tuple[MachineRow, ...] = ()
        self._build()
        self._wire()
        presenter.load()
        self.refresh()

    def _build(self) -> None:
        body, layout = page_body()
        self._list.setSpacing(12)
        layout.addLayout(self._list)
        layout.addStretch(1)
        for name, field in self.fields.items():
            inside = row((field, 1), self.browse) if name == "key" else row((field, 1))
            self._parts[name] = column(caption(f"machines.field.{name}"), inside, 10, gap=4)
        form = column(*self._parts.values(), gap=0)
        inspector = Inspector(
            SectionHead("machines.form"), 12, row(self.way, None), 14, form, self.notice, None, Line(), 12,
            Words("machines.form_hint", "caption", "text3", wrap=True), 12, self.add,
        )  # fmt: skip
        laid_out(self, self.toolbar, (Split(scrolled(body), inspector), 1))
        self._speak()
        self._show_way(ADDRESS)

    def _wire(self) -> None:
        self.presenter.changed.connect(self.refresh)
        self.way.segment_chosen.connect(self._show_way)
        self.browse.clicked.connect(self._choose_key)
        self.add.clicked.connect(self.add_now)
        for field in self.fields.values():
            field.returnPressed.connect(self.add_now)
        self.commands = {"main": self.add_now}

    def opened(self) -> None:
        self.presenter.load()

    def add_now(self) -> None:
        """Put what the form names on the list."""
        self.presenter.add(self.way.chosen == ALIAS, **{name: field.text() for name, field in self.fields.items()})

    def refresh(self) -> None:
        if self.presenter.just_added:
            for field in self.fields.values():
                field.clear()
        self.notice.show_error(self.presenter.refusal)
        rows = self.presenter.rows
        if rows != self._shown:
            self._shown = rows
            self._fill(rows)
        self.set_ready(self.presenter.loaded)

    def _fill(self, rows: tuple[MachineRow, ...]) -> None:
        empty(self._list)
        self.cards, machines = {}, self.presenter.machines
        for shown in rows:
            card, name = MachineCard(shown), shown.name
            card.check_requested.connect(lambda name=name: machines.check(name))
            card.remove_requested.connect(lambda name=name: machines.remove(name))
            card.accepted.connect(lambda name=name: machines.accept(name))
            card.refused.connect(lambda name=name: machines.refuse(name))
            self.cards[name] = card
            self._list.addWidget(card)

    def _show_way(self, way: int) -> None:
        for kind, names in SHOWN.items():
            for name in names:
                self._parts[name].setVisible(kind == way)

    def _choose_key(self) -> None:
        start = Path.home() / ".ssh"
        chosen, _ = QFileDialog.getOpenFileName(self, tr("machines.field.key"), str(start))
        if chosen:
            self.fields["key"].setText(chosen)

    def _speak(self) -> None:
        self.toolbar.sentence.say("machines.sentence")
        for name, field in self.fields.items():
            field.setPlaceholderText(tr(f"machines.example.{name}"))
            field.setAccessibleName(tr(f"machines.field.{name}"))
        self.browse.setToolTip(tr("machines.browse"))
        self.browse.setAccessibleName(tr("machines.browse"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self._speak()
            self._shown = ()
            self.refresh()
