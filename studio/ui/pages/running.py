"""What runs, one card each: its name, how far it has come, and the way to it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout

from studio.ui.presenters.home import Job
from studio.ui.widgets.buttons import Button
from studio.ui.widgets.frames import Bar, column, row
from studio.ui.widgets.words import Shortened, Words, caption


class JobCard(QFrame):
    """One run. Signals are wishes; the page fulfils them."""

    watch_requested = Signal()
    stop_requested = Signal()

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self._name, self._text, self._left = Words("", "name", weight=600), Shortened("", "body", "text2"), caption()
        self._bar = Bar()
        self.watch = Button("home.watch", "magnify", wide=True, raised=True)
        self.stop = Button("home.stop", "stop", wide=True, raised=True)
        self.watch.clicked.connect(self.watch_requested)
        self.stop.clicked.connect(self.stop_requested)
        inside = column(
            row(self._name, None, self._left), 10, self._bar, 8, self._text, 12, row(self.watch, self.stop),
            gap=0, margins=(14, 12, 14, 12), ground="selected",
        )  # fmt: skip
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(inside)
        self.show_job(job)

    def show_job(self, job: Job) -> None:
        """The same run, further on."""
        self.job = job
        self._name.show_text(job.name)
        self._text.show_text(job.text)
        self._left.show_text(job.left)
        self._bar.fill(job.fraction)
