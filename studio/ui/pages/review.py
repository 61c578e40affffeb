"""The page of the retarget: each phone beside the fighter seen from that phone, one time, one framing; the verdict."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from studio.app.text import tr
from studio.domain.picture.dress import dressed_fighter
from studio.ui import theme
from studio.ui.pages.page import Inspector, Page, Split, Toolbar, is_language_change, laid_out, pair
from studio.ui.pages.stage import Triangle
from studio.ui.panes.frame_set import FIGHTER, VIDEO, FrameSet, image
from studio.ui.panes.pictures import Arrangement, Pictures
from studio.ui.panes.timeline import Timeline
from studio.ui.presenters.review import VIEWS, ReviewPresenter, Suspect
from studio.ui.widgets.buttons import EYES, GHOST, Button, Segment
from studio.ui.widgets.frames import Line, column, empty, grounded, row, scrolled
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.words import SectionHead, Words, caption

REVIEW, CORRECT = 0, 1
PLACES = ("review.title", "correct.title")
"""The two pages of stage 5, as the segment in the place of their titles names them."""


class SuspectRow(QFrame):
    """A finding in the list; ``pressed`` when the coach wants to see it."""

    pressed = Signal()

    def __init__(self, shown: Suspect) -> None:
        super().__init__()
        when, what = Words("", "body", "text2", 500), Words("", "name", wrap=True)
        how_much = Words("", "caption", "text3", wrap=True)
        state = caption("review.repaired") if shown.repaired else caption()
        when.show_text(shown.when)
        what.show_text(shown.what)
        how_much.show_text(shown.how_much)
        inside = column(
            row(Triangle(shown.repaired), when, None, state, gap=8), what, how_much, gap=3, margins=(12, 9, 12, 9)
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(inside)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{shown.when} {shown.what}")

    def light(self, on: bool) -> None:
        grounded(self, "selected" if on else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()


class ReviewPage(Page):
    """Pictures are drawn by a thread that lives while the page is in front."""

    def __init__(self, presenter: ReviewPresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.timeline = Timeline(presenter.transport)
        self.place = Segment(PLACES, REVIEW)
        self.views = Segment(tuple(f"review.view_{view}" for view in VIEWS), VIEWS.index(presenter.view))
        self.ghost = Button("review.ghost", "ghost-outline", kind=GHOST, action="ghost")
        self.blink_button = Button("review.blink", "swap-horizontal", kind=GHOST, action="blink")
        self.approve = Button(
            "review.approve",
            "eye-check-outline",
            kind=EYES,
            action="main",
            wide=True,
            height=theme.metric("button_main"),
        )
        self.approve.setObjectName("approve")
        self.verdict = Words("", "caption", "text3", wrap=True)
        self.notice = Notice()
        self._open = caption("", "text3")
        self._list, self._figures = QVBoxLayout(), QVBoxLayout()
        self._rows: list[SuspectRow] = []
        self.pictures = Pictures(presenter.note)
        self._blinking = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._build()
        self._wire()
        self.commands = {**presenter.commands, "correct": self._correct}

    def opened(self) -> None:
        """Start drawing; read the take where it is not here yet."""
        if self.presenter.data is None:
            self.presenter.load()
        else:
            self._start()
        self.setFocus()

    def stand_at(self, time_s: float) -> None:
        self.presenter.stand_at(time_s)

    def _go(self, place: int) -> None:
        if place == CORRECT:
            self.place.choose(REVIEW)
            self._correct()

    def _correct(self) -> None:
        """Bend a joint's curve at this moment."""
        self.page_requested.emit("correct", self.presenter.transport.time)

    def show_telling_moment(self) -> None:
        frame = self.presenter.telling_frame
        if frame != self.presenter.transport.frame:
            self.set_ready(False)
            self.presenter.transport.seek(frame)

    def left(self) -> None:
        """Pause and give the drawing context back."""
        self.presenter.transport.pause()
        self.pictures.stop()

    # Building

    def _build(self) -> None:
        self.ghost.setCheckable(True)
        toolbar = Toolbar("", self.views, self.ghost, self.blink_button, head=self.place)
        toolbar.sentence.say("review.sentence")
        body = QWidget()
        laid_out(body, toolbar, self.notice, (self.pictures, 1))
        for layout in (self._list, self._figures):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(2)
        found, figures = QFrame(), QFrame()
        found.setLayout(self._list)
        figures.setLayout(self._figures)
        head = row(SectionHead("review.findings"), None, self._open)
        head.setFixedHeight(32)
        inspector = Inspector(
            head, (scrolled(found), 1), 8, Line(), 8, SectionHead("review.figures"), 4, figures,
            12, Line(), 12, self.approve, 8, self.verdict,
        )  # fmt: skip
        laid_out(self, (Split(body, inspector), 1), self.timeline)
        self.pictures.arrange(self._arrangement())

    def _wire(self) -> None:
        shown = self.presenter
        shown.loaded.connect(self._take_in)
        shown.changed.connect(self._refresh)
        shown.view_changed.connect(self._follow_view)
        shown.finding_chosen.connect(self._light)
        shown.strip_made.connect(lambda strip: self.timeline.show_pictures(tuple(image(p) for p in strip)))
        shown.transport.frame_changed.connect(lambda _: self._ask())
        self.place.segment_chosen.connect(self._go)
        self.views.segment_chosen.connect(lambda place: shown.set_view(VIEWS[place]))
        self.ghost.toggled.connect(shown.set_ghost)
        self.blink_button.pressed.connect(lambda: self.blink(True))
        self.blink_button.released.connect(lambda: self.blink(False))
        self.approve.clicked.connect(shown.approve)
        self.timeline.finding_asked.connect(shown.step_finding)
        self.timeline.finding_pressed.connect(shown.choose)
        pictures = self.pictures
        pictures.pictures_wanted.connect(self._ask)
        pictures.set_shown.connect(self._settle)
        pictures.failed.connect(self.notice.show_error)
        pictures.failed.connect(lambda _: self.set_ready(True))
        pictures.orbited.connect(shown.orbit)
        pictures.zoomed.connect(shown.zoom)

    def _arrangement(self) -> Arrangement:
        """Each phone's row of pictures, side by side in equal columns."""
        rows = self.presenter.rows
        places = {key: (y, x, 1, 1) for y, line in enumerate(rows) for x, key in enumerate(line)}
        return Arrangement(places, (1,) * len(rows[0]))

    # Showing

    def _take_in(self) -> None:
        self.timeline.show_data(self.presenter.lanes)
        self.pictures.stop()
        self._start()

    def _refresh(self) -> None:
        shown = self.presenter
        self.notice.show_error(shown.error)
        self.approve.setEnabled(shown.can_approve)
        self.approve.say("review.approved" if shown.state == "approved" else "review.approve")
        self.verdict.show_text(shown.verdict)
        count = shown.open_count
        self._open.show_text(tr("review.open", count=count) if count else "")
        self._fill()
        if shown.error is not None:
            self.set_ready(True)

    def _fill(self) -> None:
        empty(self._list)
        self._rows = []
        for place, suspect in enumerate(self.presenter.suspects):
            line = SuspectRow(suspect)
            line.pressed.connect(lambda place=place: self.presenter.choose(place))
            self._rows.append(line)
            self._list.addWidget(line)
        if not self._rows and self.presenter.data is not None:
            self._list.addWidget(Words("review.no_findings", tone="text2", wrap=True))
        self._list.addStretch(1)
        self._light(self.presenter.chosen)
        empty(self._figures)
        for figure in self.presenter.figures:
            self._figures.addWidget(pair(figure.name, figure.value))

    def _light(self, place: int) -> None:
        for k, line in enumerate(self._rows):
            line.light(k == place)

    def _follow_view(self) -> None:
        shown = self.presenter
        self.views.choose(VIEWS.index(shown.view))
        if self.ghost.isChecked() != shown.ghost:
            self.ghost.setChecked(shown.ghost)
        wanted = self._arrangement()
        if set(wanted.places) != set(self.pictures.panes):
            self.pictures.arrange(wanted)
        else:
            self._ask()

    # Drawing

    def _start(self) -> None:
        data = self.presenter.data
        if data is not None and not self.pictures.is_drawing:
            self.set_ready(False)
            fighter = data.fighter
            self.pictures.start(lambda: dressed_fighter(fighter), data.sources(), 1 / data.clock.fps)

    def _ask(self) -> None:
        ground = theme.token("bg0")
        back = (ground.red(), ground.green(), ground.blue())
        self.pictures.ask(self.presenter.wish(self.pictures.wanted(), back, theme.THEME.name == "light"))

    def _settle(self, drawn: FrameSet) -> None:
        if self._blinking:
            self._lay_over()
        self.set_ready(set(drawn.images) == set(self.pictures.wanted()))

    def blink(self, on: bool) -> None:
        """While on, the fighter lies over the video of its phone."""
        self._blinking = on
        self._lay_over()

    def _lay_over(self) -> None:
        for (kind, phone), made in self.pictures.panes.items():
            other = self.pictures.panes.get((FIGHTER, phone))
            if kind == VIDEO and other is not None:
                made.lay_over(other.shown if self._blinking else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_T and not event.modifiers():
            if not event.isAutoRepeat():
                self.blink(True)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_T and self._blinking:
            if not event.isAutoRepeat():
                self.blink(False)
        else:
            super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QEvent) -> None:  # type: ignore[override]
        if self._blinking:
            self.blink(False)
        super().focusOutEvent(event)  # type: ignore[arg-type]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.pictures.speak()
            self._refresh()
            self._ask()
