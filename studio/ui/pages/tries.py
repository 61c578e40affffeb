"""What pages of judged tries share: films of the same moment side by side, their time, and the last word."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QLineEdit

from studio.app.films import VIEWS, FilmMaker, Shot, camera_for
from studio.app.text import tr
from studio.app.transport import Transport
from studio.ui import theme
from studio.ui.pages.page import Page, is_language_change
from studio.ui.panes.frame_set import image
from studio.ui.panes.lanes import LaneData
from studio.ui.panes.timeline import Timeline
from studio.ui.presenters.tries import TriesPresenter
from studio.ui.widgets.buttons import EYES, Button, Segment
from studio.ui.widgets.film import FilmPane, time_commands
from studio.ui.widgets.frames import Bar, Item, Line, column, row
from studio.ui.widgets.words import Icon, Shortened, Words, caption

if TYPE_CHECKING:
    import numpy as np

Shown = TypeVar("Shown", bound=TriesPresenter)


class TriesPage(Page, Generic[Shown]):
    """A page lays its parts out, shows its own table in ``refresh`` and ends that with :meth:`_show_tries`. ``panes``
    carry the names of the presenter's tracks, the judged one first; ``no``: the action that says what is wrong; ``job``
    holds the bar of a run as the page lays it out."""

    job: QFrame

    def __init__(self, presenter: Shown, panes: tuple[str, ...], run: Button, no: str) -> None:
        super().__init__()
        self.presenter = presenter
        self.run, self.cancel = run, Button("stages.cancel", "stop", action="stop")
        self.transport = Transport(presenter.film_clock, self)
        self.films = FilmMaker(self)
        self.panes = {name: FilmPane() for name in panes}
        self.timeline = Timeline(self.transport)
        self.view = Segment(tuple(f"film.{view}" for view in VIEWS), height=24)
        self.bar, self.doing, self.left_ = Bar(), Shortened("", "body", "text2"), caption()
        self.whole = Words("", tone="text", wrap=True)
        self.said, self.said_words = Words("", weight=500, wrap=True), Words("", "caption", "text3", wrap=True)
        saying = column(self.said, self.said_words, gap=2)
        self.said_frame = row(Icon("format-quote-open"), (saying, 1), gap=10, margins=(0, 12, 0, 0))
        self.words, self.hint = QLineEdit(), Words("", "caption", "text3", wrap=True)
        good = f"{presenter.words}.approve"
        self.refuse = Button("gate.refuse", "comment-text-outline", action=no, height=36, wide=True)
        self.approve = Button(good, "eye-check-outline", kind=EYES, action="main", height=36, wide=True)
        self.approve.setObjectName("approve")
        self.commands = {
            **time_commands(self.transport),
            "main": self._main, "run": presenter.run, "stop": presenter.stage.cancel, no: self._say_what,
        }  # fmt: skip

    def _last_word(self) -> tuple[Item, ...]:
        """The foot of the inspector."""
        return (None, Line(), 12, self.words, 8, self.refuse, 8, self.approve, 8, self.hint)

    def _wire_tries(self) -> None:
        shown = self.presenter
        shown.changed.connect(self.refresh)
        shown.try_chosen.connect(self.refresh)
        shown.film_opened.connect(self._open_film)
        shown.stage.progressed.connect(self._show_progress)
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

    def opened(self) -> None:
        self.presenter.open()

    def left(self) -> None:
        self.transport.pause()

    def closed(self) -> None:
        self.films.close()

    def refresh(self) -> None:
        """Show everything again."""
        self._show_tries("stages.run")

    def _show_tries(self, run: str) -> None:
        """Show the order to ``run``, by its text, the run as it goes, and the last word."""
        stage, running = self.presenter.stage, self.presenter.stage.is_running
        self.run.say(run)
        self.run.setEnabled(stage.can_run)
        self.run.setToolTip(stage.run_hint)
        self.run.setVisible(not running)
        self.cancel.setVisible(running)
        self._show_said()
        self._show_judge()
        self._show_progress()
        self._settle()

    def _show_said(self) -> None:
        said = self.presenter.said
        self.said_frame.setVisible(said is not None)
        if said is not None:
            self.said.show_text(said[0])
            self.said_words.show_text(f"“{said[1]}”" if said[1] else "")
            self.said_words.setVisible(bool(said[1]))

    def _show_judge(self) -> None:
        shown, words = self.presenter, self.words.text()
        self.approve.setEnabled(shown.can_approve(words))
        self.approve.say("gate.approve_anyway" if shown.failing else f"{shown.words}.approve")
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

    def _main(self) -> None:
        self._approve()

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
        played, clock = self.presenter.played, self.presenter.film_clock
        frame, playing = self.transport.frame, self.transport.playing
        self.transport.use(clock)
        self.transport.toggle_loop()
        self._label_time()
        if played is not None:
            self.transport.seek(frame or clock.frame(played.ground.impact_s))
        if playing:
            self.transport.toggle()
        self._ask_strip()
        self.draw()

    def _label_time(self) -> None:
        shown, played = self.presenter, self.presenter.played
        if played is not None:
            end_s, contacts = shown.film_clock.end_s, played.ground.contacts
            self.timeline.show_data(LaneData(shown.film_title, 0.0, end_s, contacts=contacts))

    def _ask_strip(self, *_: object) -> None:
        self.presenter.ask_strip(theme.THEME.name == "light", self._show_strip)

    def _show_strip(self, strip: tuple[np.ndarray, ...]) -> None:
        self.timeline.show_pictures(tuple(image(picture) for picture in strip))

    def draw(self, *_: object) -> None:
        """Ask for the pictures of this moment."""
        played = self.presenter.played
        if played is None:
            return
        scene, light, air = played.ground.scene, theme.THEME.name == "light", played.film.condition == "air"
        width, height = next(iter(self.panes.values())).pixels
        camera = camera_for(VIEWS[self.view.chosen], scene, played.places, width, height)
        for name, track in played.tracks.items():
            frame = min(self.transport.frame, len(track) - 1)
            self.films.ask(name, Shot(scene, track[frame], air, camera, width, height, light))

    def _show_picture(self, name: str, picture: object) -> None:
        self.panes[name].show_picture(picture)  # pyright: ignore[reportArgumentType]
        self._settle()

    def _settle(self) -> None:
        shown = self.presenter
        tracks = shown.played.tracks if shown.played is not None else ()
        drawn = self.films.idle and all(not self.panes[name].is_empty for name in tracks)
        filmed = shown.result is None or (shown.film_is_right and drawn)
        self.set_ready(shown.loaded and shown.stage.loaded and filmed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.refresh()
            self._label_time()
