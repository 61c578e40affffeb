"""The order of a training: what he is paid for, how it is done, how long it takes, and Start."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from studio.ui.pages.page import Inspector, Split, laid_out, page_body, pair
from studio.ui.pages.stage import figure_card
from studio.ui.presenters.machines import Choice
from studio.ui.presenters.stage import Pair
from studio.ui.presenters.teacher import RewardLine, TeacherPresenter
from studio.ui.rail import Place
from studio.ui.widgets.buttons import GHOST, PRIMARY, Button, Segment
from studio.ui.widgets.frames import Bar, Line, column, empty, row, scrolled
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import Icon, SectionHead, Shortened, Words, caption

MACHINE_ROW, MACHINES_SHOWN = 40, 4
"""Height of a machine, px, and how many are seen at once."""


def reward_row(shown: RewardLine) -> QFrame:
    """One sentence with its weight."""
    name, sentence = Words("", "body", weight=600), Shortened("", "body", "text3")
    name.show_text(shown.name)
    sentence.show_text(shown.sentence)
    weight = Words("", "name", weight=600, align=Qt.AlignmentFlag.AlignRight)
    weight.show_text(shown.weight)
    weight.setFixedWidth(56)
    bar = Bar(shown.share, "text3")
    bar.setFixedWidth(96)
    line = row((column(None, name, sentence, None, gap=3), 1), bar, weight, gap=16, margins=(14, 0, 14, 0))
    line.setFixedHeight(54)
    return line


def head_part(shown: Pair) -> QFrame:
    name, value = caption(), Shortened("", "name", weight=600)
    name.show_text(shown.name)
    value.show_text(shown.value)
    return column(name, value, gap=3)


class MachineRow(Place):
    """A machine to train on."""

    def __init__(self, shown: Choice, on: bool, free: bool) -> None:
        super().__init__(MACHINE_ROW)
        name, note = Words("", "body", "text" if free or on else "text4", 600), Shortened("", "caption", "text3")
        name.show_text(shown.title)
        note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        note.show_text(shown.note)
        self.setAccessibleName(f"{shown.title}: {shown.note}")
        self.setEnabled(free)
        self.select(on)
        sign = Icon("radiobox-marked" if on else "radiobox-blank", 16, "text" if on else "text3")
        inside = row(sign, name, (note, 1), gap=10, margins=(18, 0, 18, 0))
        inside.setParent(self)
        self._inside = inside

    def resizeEvent(self, event: QEvent) -> None:
        self._inside.setGeometry(self.rect())


class TrainView(QWidget):
    """Left the order, right the decision. ``machines_requested``: the page where machines are added."""

    machines_requested = Signal()

    def __init__(self, presenter: TeacherPresenter) -> None:
        super().__init__()
        self._presenter = presenter
        self._head, self._rewards, self._plan, self._run, self._machines = (QVBoxLayout() for _ in range(5))
        self._choices: tuple[object, ...] = ()
        self.machines: dict[str, MachineRow] = {}
        self.manage = Button("machines.manage", kind=GHOST, height=22)
        self.give_up = Button("training.give_up", kind=GHOST, wide=True)
        self.notice = Notice()
        self.preset = Segment(("teacher.preset_quick", "teacher.preset_full"))
        self.start = Button("teacher.start", "play", kind=PRIMARY, action="main", height=40, wide=True)
        self.stop = Button("teacher.stop", "stop", action="stop", height=36, wide=True)
        self.expected = Words("", "page", weight=600)
        self.bar, self.doing, self.left_ = Bar(), Shortened("", "body", "text2"), caption()
        self.say_start = Words("", tone="text2", wrap=True)
        self._build()
        self.preset.segment_chosen.connect(presenter.choose_preset)
        self.start.clicked.connect(presenter.start)
        self.stop.clicked.connect(presenter.stop)
        self.give_up.clicked.connect(presenter.give_up)
        self.manage.clicked.connect(self.machines_requested)
        presenter.stage.progressed.connect(self._show_progress)

    def _build(self) -> None:
        body, layout = page_body()
        layout.addWidget(self.notice)
        layout.addLayout(self._head)
        layout.addSpacing(20)
        layout.addWidget(SectionHead("teacher.paid_for"))
        layout.addSpacing(8)
        layout.addLayout(self._rewards)
        layout.addSpacing(20)
        layout.addWidget(SectionHead("teacher.how"))
        layout.addSpacing(8)
        layout.addLayout(self._plan)
        layout.addStretch(1)
        machine, run = QFrame(), QFrame()
        machine.setLayout(self._machines)
        self._machines.setContentsMargins(0, 0, 0, 0)
        self._machines.setSpacing(0)
        self.machine_list = scrolled(machine)
        run.setLayout(self._run)
        self._run.setContentsMargins(0, 0, 0, 0)
        self._run.setSpacing(0)
        self.job = column(row((self.doing, 1), self.left_), 8, self.bar, 12, self.stop, gap=0)
        self.cost = row(column(caption("teacher.expected"), self.expected, gap=0), None)
        inspector = Inspector(
            row(SectionHead("teacher.preset"), None, self.preset), 16,
            row(SectionHead("teacher.machine"), None, self.manage), 4, self.machine_list, 20, run, None, Line(), 12,
            SectionHead("teacher.when_head"), 6, self.say_start, 16, self.cost, 10, self.job, self.start, self.give_up,
            wide=True,
        )  # fmt: skip
        laid_out(self, (Split(scrolled(body), inspector), 1))

    def refresh(self) -> None:
        shown = self._presenter
        self.notice.show_error(shown.error)
        self.preset.choose(shown.preset)
        self.preset.setEnabled(not shown.stage.is_running)
        for layout in (self._head, self._rewards, self._plan, self._run):
            empty(layout)
        if shown.head:
            parts = [(head_part(part), 1) for part in shown.head]
            self._head.addWidget(row(*parts, gap=16, margins=(14, 12, 14, 12), ground="card"))
            lines = [reward_row(line) for line in shown.rewards]
            self._rewards.addWidget(column(*lines, gap=0, margins=(0, 4, 0, 4), ground="card"))
            self._plan.addWidget(row(*[(figure_card(part), 1) for part in shown.plan], gap=12))
        if shown.run_pairs:
            self._run.addWidget(SectionHead("teacher.run_head" if shown.stage.is_running else "teacher.last_run"))
            self._run.addSpacing(4)
            for part in shown.run_pairs:
                self._run.addWidget(pair(part.name, part.value))
        running = shown.stage.is_running
        self.expected.show_text(shown.expected)
        self.start.say(shown.start_key)
        self.start.setEnabled(shown.can_start)
        self.start.setVisible(not running)
        self.give_up.setVisible(shown.is_open and not running)
        self.say_start.show_text(shown.when_start)
        self._show_machines()
        self.cost.setVisible(not running)
        self.job.setVisible(running)
        self._show_progress()

    def _show_machines(self) -> None:
        shown = self._presenter
        state = (shown.choices, shown.machine, shown.can_choose_machine)
        if state == self._choices:
            return
        self._choices = state
        empty(self._machines)
        self.machines = {}
        for one in shown.choices:
            line = MachineRow(one, one.name == shown.machine, shown.can_choose_machine)
            line.chosen.connect(lambda name=one.name: shown.choose_machine(name))
            self.machines[one.name] = line
            self._machines.addWidget(line)
        self.machine_list.setFixedHeight(MACHINE_ROW * min(len(shown.choices), MACHINES_SHOWN))

    def _show_progress(self) -> None:
        if self._presenter.stage.is_running:
            fraction, doing, left = self._presenter.stage.progress
            self.bar.fill(fraction)
            self.doing.show_text(doing)
            self.left_.show_text(left)
