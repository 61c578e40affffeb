"""What a page of judged tries says and does: the lit try and its films, and the last word about all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from PySide6.QtCore import Signal

from studio.app.clips import Ground
from studio.app.films import make_strip
from studio.app.gate import FPS, Film
from studio.app.said import said
from studio.app.session import Session
from studio.app.text import tr
from studio.domain.time import TakeClock
from studio.schema.lineage import Approval
from studio.ui.presenters.presenter import Presenter
from studio.ui.presenters.stage import StagePresenter


class Result(Protocol):
    """What is judged, with the last word about exactly this."""

    @property
    def verdict(self) -> Approval | None: ...


@dataclass(frozen=True, eq=False)
class Played:
    """A try that can be shown: the film that is judged, what each pane shows, (T, nq) by its name, and ``places``
    (N, 3) m, where the fighter is in them, for the camera."""

    ground: Ground
    film: Film
    tracks: dict[str, np.ndarray]
    places: np.ndarray


class TriesPresenter(Presenter):
    """``try_chosen`` when another try is lit; ``film_opened`` when it is there to be played. ``words``: where its texts
    stand."""

    try_chosen = Signal()
    film_opened = Signal()
    words = ""

    def __init__(self, session: Session, stage: int) -> None:
        super().__init__(session)
        self.stage = StagePresenter(session, stage)
        self.played: Played | None = None
        self.loaded = False
        self._kept: dict[Hashable, Played] = {}
        self._wanted: Hashable = None
        self._opened: Hashable = None
        self.stage.changed.connect(self._load)
        session.stage_approved.connect(lambda *_: self._load())

    @property
    def result(self) -> Result | None:
        """What is judged; None before the stage has run."""
        return None

    @property
    def failing(self) -> tuple[str, ...]:
        """Names of what does not pass."""
        return ()

    @property
    def film_title(self) -> str:
        """The lit try as its strip of pictures is called."""
        return ""

    @property
    def error(self):
        return self.stage.error

    def open(self) -> None:
        self.stage.load()

    def run(self) -> None:
        self.stage.run()

    def _load(self) -> None:
        if self.session.is_open and self.stage.loaded:
            self._read()
        self.changed.emit()

    def _read(self) -> None:
        """Have the newest result read."""

    def _play(self, wanted: Hashable, play: Callable[[], Played]) -> None:
        """Light a try, and open its films when they are there: at once where they are kept."""
        self._wanted = wanted
        self.try_chosen.emit()
        if wanted in self._kept:
            self._open(wanted, self._kept[wanted])
        else:
            self.session.draw(play, lambda played: self._keep(wanted, played))

    def _keep(self, key: Hashable, played: Played) -> None:
        self._kept[key] = played
        if key == self._wanted:
            self._open(key, played)

    def _open(self, key: Hashable, played: Played) -> None:
        self._opened, self.played = key, played
        self.film_opened.emit()

    @property
    def film_is_right(self) -> bool:
        """Whether the open films are the lit try's."""
        return self.played is not None and self._opened == self._wanted

    @property
    def film_clock(self) -> TakeClock:
        return TakeClock(FPS, 0.0, len(self.played.film.qpos) if self.played else 1)

    def ask_strip(self, light: bool, show: Callable[[tuple[np.ndarray, ...]], None]) -> None:
        """Have small pictures of the open film made; ``show`` is called when they are there, if it still is open."""
        if self.played is None:
            return
        played, film = self.played, self.played.film
        air = film.condition == "air"

        def keep(strip: tuple[np.ndarray, ...]) -> None:
            if played is self.played:
                show(strip)

        self.session.draw(lambda: make_strip(played.ground.scene, film.qpos, played.places, air, light), keep)

    @property
    def said(self) -> tuple[str, str] | None:
        """What was said about this result before: how, and the words."""
        verdict = self.result.verdict if self.result else None
        if verdict is None:
            return None
        kind = "automatic" if verdict.automatic else verdict.verdict
        return tr(f"gate.said.{kind}"), said(verdict.words) if verdict.automatic else verdict.words

    @property
    def can_judge(self) -> bool:
        return self.result is not None and self.stage.view.state in ("needs_eyes", "automatic", "approved")

    def can_approve(self, words: str) -> bool:
        """What fails somewhere passes only with words."""
        return self.can_judge and self.stage.view.state != "approved" and (not self.failing or bool(words.strip()))

    def approve(self, words: str) -> None:
        if self.can_approve(words):
            self.session.approve(self.stage.number, words.strip())

    def refuse(self, words: str) -> None:
        """Not good, in the coach's words; without words it would teach nobody anything."""
        if self.can_judge and words.strip():
            self.session.approve(self.stage.number, words.strip(), verdict="withdrawn")

    @property
    def judge_hint(self) -> str:
        if not self.can_judge:
            return self.stage.state_line
        return tr(f"{self.words}.hint_fail" if self.failing else f"{self.words}.hint")
