"""Home: what needs the coach's eyes, his techniques, what runs, what happened."""
# ruff: noqa: N802 (Qt names what it calls)

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from studio.ui import theme
from studio.ui.pages.page import Inspector, Page, Split, is_language_change, laid_out, page_body
from studio.ui.pages.running import JobCard
from studio.ui.presenters.home import CARDS, Card, Entry, HomePresenter, Job, TechniqueCard
from studio.ui.widgets.buttons import EYES, PRIMARY, Button
from studio.ui.widgets.frames import column, empty, grounded, row, scrolled
from studio.ui.widgets.glyph import ICONS
from studio.ui.widgets.picture import Still
from studio.ui.widgets.words import Icon, SectionHead, Shortened, Words, caption

PICTURE_HEIGHT = 176
COLUMNS, KEYS = 3, 3
"""Cards and techniques in a row; how many cards a key opens."""


class NineDashes(QWidget):
    """Nine dashes: done, waiting for eyes, out of date (dotted), running (half), not yet."""

    def __init__(self, states: tuple[str, ...]) -> None:
        super().__init__()
        self._states = states
        self.setProperty("violet", "needs_eyes" in states)
        self.setFixedHeight(6)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        step = self.width() / len(self._states)
        for place, state in enumerate(self._states):
            box = QRectF(place * step, 1, step - 3, 4)
            if state == "stale":
                painter.setBrush(theme.token("text3"))
                for dot in range(4):
                    painter.drawRoundedRect(QRectF(box.x() + dot * box.width() / 4, 1, box.width() / 4 - 2, 4), 1, 1)
                continue
            done = state in ("done", "approved", "automatic")
            painter.setBrush(theme.token("eyes" if state == "needs_eyes" else "text2" if done else "track"))
            painter.drawRoundedRect(box, 2, 2)
            if state == "running":
                painter.setBrush(theme.token("text"))
                painter.drawRoundedRect(QRectF(box.topLeft(), QPointF(box.center().x(), box.bottom())), 2, 2)


class EyesCard(QFrame):
    """The violet card of one thing that waits."""

    opened = Signal()

    def __init__(self, card: Card, number: int) -> None:
        super().__init__()
        grounded(self, "eyes")
        self.setMinimumHeight(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        head = Words("", "body", "eyes_text", 600)
        head.show_text(card.head)
        title = Words("", "title", weight=600)
        title.show_text(card.title)
        sentence = Words("", "body", "text2", wrap=True)
        sentence.show_text(card.sentence)
        self.button = Button(kind=EYES, action=f"card_{number}" if number <= KEYS else "")
        self.button.setObjectName("open_card")
        self.button.show_text(card.action)
        self.button.clicked.connect(self.opened)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(0)
        note = caption("home.nobody" if card.unseen else "", "text2")
        layout.addWidget(row(Icon("eye-off-outline" if card.unseen else "eye", 16, "eyes"), head, None, note))
        layout.addSpacing(10)
        layout.addWidget(title)
        layout.addSpacing(4)
        layout.addWidget(sentence)
        layout.addStretch(1)
        layout.addSpacing(12)
        layout.addWidget(row(self.button, None))


class TechniqueTile(QFrame):
    """A technique as a picture and nine dashes."""

    opened = Signal()

    def __init__(self, card: TechniqueCard) -> None:
        super().__init__()
        grounded(self, "card")
        self.card = card
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.still = Still(PICTURE_HEIGHT, theme.radius("card"), square_foot=True)
        name = Shortened("", "name", weight=600)
        name.show_text(card.title)
        note = caption()
        note.show_text(card.note)
        eyes = card.state == "needs_eyes"
        foot = Shortened("", "caption", "eyes_text" if eyes else "text3")
        foot.show_text(card.foot)
        icon, tone = ("eye", "eyes") if eyes else ICONS.get(card.state, ("radiobox-blank", "text3"))
        words = column(
            row((name, 1), note), 8, NineDashes(card.states), 8, row(Icon(icon, 14, tone), (foot, 1), gap=6),
            gap=0, margins=(14, 10, 14, 11),
        )  # fmt: skip
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.still)
        layout.addWidget(words)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit()


def _hold_columns(grid: QGridLayout) -> None:
    """Keep all columns equally wide, also those with nothing in them."""
    for place in range(COLUMNS):
        grid.setColumnStretch(place, 1)
        holder = QFrame()
        holder.setFixedHeight(0)
        grid.addWidget(holder, 0, place, Qt.AlignmentFlag.AlignTop)


def log_line(entry: Entry) -> QFrame:
    """One line of what happened."""
    what, detail, when = Shortened(), Shortened("", "caption", "text3"), caption()
    what.show_text(entry.what)
    detail.show_text(entry.detail)
    when.show_text(entry.when)
    line = row(Icon(entry.icon, 16, "text3"), (column(what, detail, gap=2), 1), when, gap=10)
    line.setFixedHeight(44)
    return line


class HomePage(Page):
    """``stage_requested``: the technique's name and the stage to open."""

    stage_requested = Signal(str, int)

    def __init__(self, presenter: HomePresenter) -> None:
        super().__init__()
        self.presenter = presenter
        self.headline = Words("", "page", weight=600)
        self.headline.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._cards, self._tiles, self._log = QGridLayout(), QGridLayout(), QVBoxLayout()
        self._tile_widgets: list[TechniqueTile] = []
        self.count = Words("", "name", "text3")
        self._jobs = QVBoxLayout()
        self.job_cards: list[JobCard] = []
        self._build()
        for number in range(1, KEYS + 1):
            self.commands[f"card_{number}"] = lambda place=number - 1: self._open_card(place)
        self.commands["main"] = self._go_on
        presenter.changed.connect(self.refresh)
        presenter.session.stage_progressed.connect(self._show_jobs)
        presenter.session.stage_started.connect(self._show_jobs)
        theme.THEME.theme_changed.connect(self.refresh)
        self.refresh()

    def _build(self) -> None:
        body, layout = page_body()
        self.sentence = Words("", tone="text2")
        self.next = Button(icon="chevron-right", kind=PRIMARY, action="main", height=36)
        self.next.clicked.connect(self._go_on)
        head = row((self.headline, 1), self.next)
        head.setMinimumHeight(36)
        layout.addWidget(head)
        layout.addWidget(self.sentence)
        layout.addSpacing(16)
        self._cards.setSpacing(16)
        layout.addLayout(self._cards)
        layout.addWidget(row(Words("home.techniques", "name", weight=600), self.count, None, margins=(0, 20, 0, 12)))
        self._tiles.setHorizontalSpacing(16)
        self._tiles.setVerticalSpacing(16)
        _hold_columns(self._tiles)
        layout.addLayout(self._tiles)
        layout.addStretch(1)
        laid_out(self, (Split(scrolled(body), self._inspector()), 1))

    def _inspector(self) -> Inspector:
        jobs = QFrame()
        jobs.setLayout(self._jobs)
        self._jobs.setContentsMargins(0, 0, 0, 0)
        self._jobs.setSpacing(8)
        self.no_job = Words("home.nothing_runs", tone="text2")
        self.no_log = Words("home.nothing_happened", tone="text2", wrap=True)
        log = QFrame()
        self._log.setContentsMargins(0, 0, 0, 0)
        self._log.setSpacing(0)
        log.setLayout(self._log)
        return Inspector(
            SectionHead("home.running"), 10, jobs, self.no_job, 24, SectionHead("home.happened"), 6, self.no_log,
            (scrolled(log), 1),
        )  # fmt: skip

    def refresh(self) -> None:
        """Show the session's states again."""
        self.headline.show_text(self.presenter.headline)
        self.sentence.show_text(self.presenter.sentence)
        self.sentence.setVisible(bool(self.presenter.sentence))
        step = self.presenter.next_step
        self.next.setVisible(step is not None)
        if step is not None:
            self.next.show_text(step[0])
        empty(self._cards)
        _hold_columns(self._cards)
        cards = self.presenter.cards[:CARDS]
        for number, card in enumerate(cards, 1):
            shown = EyesCard(card, number)
            shown.opened.connect(lambda card=card: self.stage_requested.emit(card.technique, card.stage))
            self._cards.addWidget(shown, (number - 1) // COLUMNS, (number - 1) % COLUMNS)
        self._show_techniques()
        self._show_log()
        self._show_jobs()

    def _show_techniques(self) -> None:
        for tile in self._tile_widgets:
            self._tiles.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        cards = self.presenter.techniques
        self.count.show_text(str(len(cards)) if cards else "")
        self._tile_widgets = [TechniqueTile(card) for card in cards]
        for place, tile in enumerate(self._tile_widgets):
            tile.opened.connect(lambda card=tile.card: self.stage_requested.emit(card.name, card.goes_to))
            self._tiles.addWidget(tile, place // COLUMNS, place % COLUMNS)
        self._ask_for_pictures()

    def _ask_for_pictures(self) -> None:
        light = theme.THEME.name == "light"
        ratio = self.devicePixelRatioF()
        size = (round(480 * ratio), round(PICTURE_HEIGHT * 480 / 280 * ratio))
        for tile in self._tile_widgets:
            self.presenter.picture(tile.card.name, *size, light, self._picture_for(tile.card.name))
        self.set_ready(self.presenter.session.is_open and bool(self.presenter.session.overview.name) and self._pictured)
        if not self._ready:
            self.presenter.session.draw(lambda: None, lambda _: self._settle())

    @property
    def _pictured(self) -> bool:
        return all(not tile.still.is_empty for tile in self._tile_widgets)

    def _settle(self) -> None:
        """Every picture that was asked for has come, or there is none."""
        self.set_ready(bool(self.presenter.session.overview.name))

    def _picture_for(self, name: str):
        def show(picture) -> None:
            for tile in self._tile_widgets:
                if tile.card.name == name:
                    tile.still.show_picture(picture)

        return show

    def _show_log(self) -> None:
        empty(self._log)
        entries = self.presenter.happened
        self.no_log.setVisible(not entries)
        for entry in entries:
            self._log.addWidget(log_line(entry))
        self._log.addStretch(1)

    def _show_jobs(self, *_: object) -> None:
        jobs = self.presenter.jobs
        self.no_job.setVisible(not jobs)
        if [(job.stage, job.subject) for job in jobs] != [(c.job.stage, c.job.subject) for c in self.job_cards]:
            empty(self._jobs)
            self.job_cards = [self._job_card(job) for job in jobs]
        for card, job in zip(self.job_cards, jobs, strict=True):
            card.show_job(job)

    def _job_card(self, job: Job) -> JobCard:
        card = JobCard(job)
        card.watch_requested.connect(lambda: self.stage_requested.emit(job.subject, job.stage))
        card.stop_requested.connect(lambda: self.presenter.stop(job))
        self._jobs.addWidget(card)
        return card

    def _go_on(self) -> None:
        step = self.presenter.next_step
        if step is not None:
            self.stage_requested.emit(step[1], step[2])

    def _open_card(self, place: int) -> None:
        cards = self.presenter.cards
        if place < len(cards):
            self.stage_requested.emit(cards[place].technique, cards[place].stage)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if is_language_change(event):
            self.refresh()
