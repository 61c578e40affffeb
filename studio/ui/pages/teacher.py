"""The Teacher page: what he will learn, the run as it goes, and its clips beside the reference."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QStackedWidget

from studio.ui.pages.clips import ClipsView
from studio.ui.pages.page import Page, Toolbar, is_language_change, laid_out
from studio.ui.pages.train import TrainView
from studio.ui.presenters.teacher import TeacherPresenter
from studio.ui.widgets.buttons import Segment

TRAIN, CLIPS = 0, 1


class TeacherPage(Page):
    """Two views of one run: the order, and the clips."""

    def __init__(self, presenter: TeacherPresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.views = Segment(("teacher.view_train", "teacher.view_clips"))
        self.toolbar = Toolbar("stage.7.name", self.views)
        self.train, self.clips = TrainView(presenter), ClipsView(presenter)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.train)
        self.stack.addWidget(self.clips)
        laid_out(self, self.toolbar, (self.stack, 1))
        self.views.segment_chosen.connect(self._show_view)
        self.clips.filmed.connect(self._settle)
        self.train.machines_requested.connect(lambda: self.page_requested.emit("machines", 0.0))
        presenter.changed.connect(self.refresh)
        self._chosen = False
        self.commands = {
            **self.clips.commands,
            "main": self._main,
            "run": presenter.start,
            "stop": presenter.stop,
            "previous_clip": lambda: presenter.step_clip(-1),
            "next_clip": lambda: presenter.step_clip(1),
        }
        presenter.open()
        self.refresh()

    def opened(self) -> None:
        self.presenter.open()

    def left(self) -> None:
        self.presenter.close()
        self.clips.rest()

    def show_view(self, view: int) -> None:
        """TRAIN or CLIPS."""
        self._chosen = True
        self.views.choose(view)

    def _show_view(self, view: int) -> None:
        self._chosen = True
        self.stack.setCurrentIndex(view)
        self.refresh()

    def _main(self) -> None:
        if self.stack.currentIndex() == CLIPS:
            self.clips.adopt_now()
        else:
            self.presenter.start()

    def refresh(self) -> None:
        if not self._chosen and self.presenter.clips:
            self.views.choose(CLIPS)
        view = "clips" if self.stack.currentIndex() == CLIPS else "train"
        self.toolbar.sentence.say(f"teacher.{view}_sentence")
        self.train.refresh()
        self.clips.refresh()
        self._settle()

    def _settle(self) -> None:
        shown = self.presenter
        there = shown.order is not None and shown.loaded and shown.stage.loaded
        filmed = self.stack.currentIndex() == TRAIN or not shown.clips or self.clips.is_filmed
        self.set_ready(there and filmed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.refresh()
            self.clips.label_time()

    def closed(self) -> None:
        self.presenter.close()
        self.clips.close_films()
