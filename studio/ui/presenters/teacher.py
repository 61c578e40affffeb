"""What the Teacher page says and does: the order, the run as it goes, its clips, the snapshot that is adopted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QTimer, Signal

from studio.app import clips, units
from studio.app.clips import Ground
from studio.app.films import make_strip, places_in
from studio.app.seen import mark_seen, read_seen
from studio.app.session import Session
from studio.app.story import Kept, Story, StoryReader, newest_run
from studio.app.teaching import PRESETS, Order, choose_machine, choose_preset, read_order
from studio.app.text import has, tr
from studio.domain.time import TakeClock
from studio.schema.training import Clip
from studio.ui.presenters.machines import Choice, choice, title_of
from studio.ui.presenters.presenter import Presenter, technique_name
from studio.ui.presenters.stage import Pair, StagePresenter

STAGE = 7
POLL_MS = 1000
CURVES = (("eval_reward_sum", ""), ("eval_tracking_error_m", "m"), ("reward", ""))
"""The three that are shown: return and tracking error of the deterministic evaluation, reward while learning."""


@dataclass(frozen=True)
class RewardLine:
    """One thing he is paid for, as a sentence with its weight; ``share`` of the largest, 0..1."""

    name: str
    sentence: str
    weight: str
    share: float


@dataclass(frozen=True)
class Curve:
    """One chart: title, the last value in words, points."""

    title: str
    now: str
    points: tuple[tuple[float, float], ...]


class TeacherPresenter(Presenter):
    """``story_told`` when the run has said more; ``clip_opened`` when another clip is there to be played. ``places``:
    where the fighter is in it and in the clip before, for the camera."""

    story_told = Signal()
    clip_opened = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.stage = StagePresenter(session, STAGE)
        self.order: Order | None = None
        self.story = Story()
        self.ground: Ground | None = None
        self.clip: Clip | None = None
        self.before: Clip | None = None
        self.places: np.ndarray | None = None
        self.loaded = False
        self._reader: StoryReader | None = None
        self._place = -1
        self._ground_of = -1
        self._clock = QTimer(self, interval=POLL_MS)
        self._clock.timeout.connect(self.listen)
        self.seen: frozenset[str] = frozenset()
        self.stage.changed.connect(self._follow)
        session.machines.changed.connect(self.changed)
        session.stage_finished.connect(lambda *_: self.listen())

    @property
    def error(self):
        return self.stage.error

    def open(self) -> None:
        """Read everything there is, and go on listening while it runs."""
        self.stage.load()
        technique = self.session.technique
        if technique:
            self.session.ask(lambda project: read_order(project, technique), self._show_order)
        if not self.session.machines.loaded:
            self.session.machines.load()
        self.listen()

    def close(self) -> None:
        self._clock.stop()

    def listen(self) -> None:
        """Hear what the newest run has told since."""
        technique = self.session.technique
        if technique and self.session.is_open:
            self.session.ask(lambda project: self._hear(project, newest_run(project, technique)), self._show_heard)

    def _hear(self, project, folder: Path | None) -> tuple[Story, frozenset[str]]:
        if folder is None:
            return Story(), frozenset()
        if self._reader is None or self._reader.folder != folder:
            self._reader = StoryReader(folder)
        return self._reader.read(), read_seen(project, folder)

    def _show_order(self, order: Order) -> None:
        self.order = order
        self.changed.emit()

    def _show_heard(self, heard: tuple[Story, frozenset[str]]) -> None:
        story, seen = heard
        if story.run != self.story.run:
            self.seen, self._place = frozenset(), -1
        if not seen <= self.seen:
            self.seen |= seen
            self.changed.emit()
        self._show_story(story)

    def _show_story(self, story: Story) -> None:
        if story == self.story and self.loaded:
            return
        new_clip = len(story.clips) > len(self.story.clips)
        following = self._place in (-1, len(self.story.clips) - 1)  # who looks at an older one is left alone
        self.story, self.loaded = story, True
        if new_clip and following:
            self.choose_clip(len(story.clips) - 1)
        self.story_told.emit()
        self.changed.emit()

    def _follow(self) -> None:
        if self.stage.is_running and not self._clock.isActive():
            self._clock.start()
        elif not self.stage.is_running:
            self._clock.stop()
        self.changed.emit()

    @property
    def has_run(self) -> bool:
        return bool(self.story.run)

    @property
    def preset(self) -> int:
        return PRESETS.index(self.order.preset) if self.order and self.order.preset in PRESETS else 0

    def choose_preset(self, place: int) -> None:
        technique, preset = self.session.technique, PRESETS[place]
        if self.order is None or self.order.preset == preset or self.stage.is_running:
            return

        def write(project) -> Order:
            choose_preset(project, technique, preset)
            return read_order(project, technique)

        self.session.ask(write, self._show_order)
        self.session.refresh()

    @property
    def rewards(self) -> tuple[RewardLine, ...]:
        rewards = self.order.rewards if self.order else ()
        most = max((abs(reward.weight) for reward in rewards), default=1.0)
        return tuple(
            RewardLine(
                tr(f"reward.{reward.name}.name")
                if has(f"reward.{reward.name}.name")
                else reward.name.replace("_", " "),
                tr(f"reward.{reward.name}.sentence") if has(f"reward.{reward.name}.sentence") else "",
                f"{reward.weight:g}".replace("-", units.MINUS),
                abs(reward.weight) / most,
            )
            for reward in rewards
        )

    @property
    def head(self) -> tuple[Pair, ...]:
        """Technique, table, what is new."""
        if self.order is None:
            return ()
        table = self.session.stage(6)
        return (
            Pair(tr("teacher.technique"), technique_name(self.session.technique)),
            Pair(tr("teacher.table"), tr("teacher.table_value", count=self.order.entries, number=table.revision)),
            Pair(tr("teacher.machine"), title_of(self.machine)),
        )

    @property
    def machine(self) -> str:
        """Where it trains, or Start would train: a run that was left goes on where it is. Empty: this computer."""
        running = self.session.run_of(STAGE)
        if running or self.goes_on:
            return running.machine if running else self.story.machine
        return self.order.machine if self.order else ""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every machine that can be chosen, the chosen one among them even where it is off the list."""
        found = [choice(view) for view in self.session.machines.views]
        if self.machine not in [one.name for one in found]:
            found.append(Choice(self.machine, self.machine, tr("machines.off_list")))
        return tuple(found)

    @property
    def can_choose_machine(self) -> bool:
        return self.order is not None and not self.stage.is_running and not self.goes_on

    def choose_machine(self, name: str) -> None:
        """Train on another machine from now on: what is learned does not depend on it."""
        technique = self.session.technique
        if self.order is None or not self.can_choose_machine or self.order.machine == name:
            return

        def write(project) -> Order:
            choose_machine(project, technique, name)
            return read_order(project, technique)

        self.session.ask(write, self._show_order)
        self.session.refresh()

    @property
    def is_open(self) -> bool:
        """Whether the newest run was neither seen to its end nor given up."""
        return self.story.begun and not self.story.ended and not self.story.given_up

    @property
    def goes_on(self) -> bool:
        """Whether Start would go on with a run that was left; with one from other inputs it does not."""
        return self.is_open and self.stage.view.place.left

    def give_up(self) -> None:
        """Let the next Start begin anew; the machine of the run that was left ends it, where it can be reached."""
        if self.is_open and not self.stage.is_running:
            self.session.give_up(STAGE, self.listen)

    @property
    def when_start(self) -> str:
        if not self.machine:
            return tr("teacher.when_start")
        return tr("training.where", machine=title_of(self.machine))

    @property
    def plan(self) -> tuple[Pair, ...]:
        if self.order is None:
            return ()
        order = self.order
        return (
            Pair(tr("teacher.iterations"), str(order.iterations)),
            Pair(tr("teacher.fighters"), str(order.fighters)),
            Pair(tr("teacher.steps"), units.steps(order.steps)),
            Pair(tr("teacher.clip_every"), str(order.clip_every)),
        )

    @property
    def expected(self) -> str:
        """How long it will take, from the last run's speed where there was one."""
        if self.order is None:
            return "–"
        known = self.story.rate if self.story.machine == self.machine else 0.0
        return units.length_of_time(self.order.seconds(known))

    @property
    def run_pairs(self) -> tuple[Pair, ...]:
        """How the run stands."""
        story = self.story
        if not story.run:
            return ()
        pairs = [
            Pair(tr("teacher.run"), story.run),
            Pair(tr("teacher.machine"), title_of(story.machine)),
            Pair(tr("teacher.state"), self.state),
            Pair(tr("teacher.iteration"), tr("teacher.of", value=story.iteration, all=story.iterations)),
            Pair(tr("teacher.steps"), units.steps(story.steps)),
            Pair(tr("teacher.rate"), tr("teacher.per_second", value=f"{story.rate:,.0f}".replace(",", " "))),
        ]
        if self.stage.is_running and story.left_s is not None:
            pairs.append(Pair(tr("teacher.left"), units.length_of_time(story.left_s)))
        return tuple(pairs)

    @property
    def state(self) -> str:
        if self.stage.is_running:
            return (
                tr(f"teacher.phase.{self.story.phase}")
                if has(f"teacher.phase.{self.story.phase}")
                else self.story.phase
            )
        if self.story.given_up:
            return tr("training.given_up")
        key = f"teacher.ended.{self.story.ended}"
        return tr(key) if has(key) else tr("teacher.ended.unknown")

    @property
    def curves(self) -> tuple[Curve, ...]:
        return tuple(self._curve(name, unit) for name, unit in CURVES)

    def _curve(self, name: str, unit: str) -> Curve:
        points = self.story.curves.get(name, ())
        scale = 100.0 if unit == "m" else 1.0
        now = "–"
        if points:
            now = units.centimetres(points[-1][1]) if unit == "m" else units.number(points[-1][1], 2)
        return Curve(tr(f"teacher.curve.{name}"), now, tuple((float(x), y * scale) for x, y in points))

    @property
    def clips(self) -> tuple[Kept, ...]:
        return self.story.clips

    def is_unseen(self, place: int) -> bool:
        """Whether nobody has looked at a clip yet."""
        return self.clips[place].path.name not in self.seen

    def look(self) -> None:
        """The open clip is before the coach's eyes."""
        if not 0 <= self._place < len(self.clips) or not self.is_unseen(self._place):
            return
        path = self.clips[self._place].path
        self.seen |= {path.name}
        folder, names = path.parents[1], self.seen
        self.session.ask(lambda project: mark_seen(project, folder, names), lambda _: None)
        self.changed.emit()

    def clip_title(self, place: int) -> str:
        iteration = self.clips[place].iteration
        return tr("teacher.clip_title", count=iteration) if iteration else tr("teacher.clip_first")

    @property
    def clip_short(self) -> str:
        """The open clip in a word."""
        if not 0 <= self._place < len(self.clips):
            return ""
        return tr("teacher.clip_short", number=self.clips[self._place].iteration)

    @property
    def before_title(self) -> str:
        """The clip before the open one; empty where it is the first."""
        if self._place < 1:
            return ""
        iteration = self.clips[self._place - 1].iteration
        return tr("teacher.before", count=iteration) if iteration else tr("teacher.before_first")

    @property
    def place(self) -> int:
        """Which clip is open; -1 for none."""
        return self._place

    def choose_clip(self, place: int) -> None:
        """Open a clip with the one before it."""
        if not 0 <= place < len(self.clips):
            return
        self._place = place
        paths = [self.clips[place].path, *([self.clips[place - 1].path] if place else [])]
        technique, revision = self.session.technique, self.session.stage(6).revision
        known = self.ground if self._ground_of == revision else None

        def read(project):
            ground, found = known or clips.read_ground(project, technique), [clips.read_clip(path) for path in paths]
            return ground, found, places_in(ground.scene, (found[0].reference, *(clip.qpos for clip in found)))

        self._ground_of = revision
        self.session.ask(read, lambda found: self._open_clip(place, *found))
        self.changed.emit()

    def _open_clip(self, place: int, ground: Ground, found: list[Clip], places: np.ndarray) -> None:
        self.ground = ground
        if place == self._place:
            self.places = places
            self.clip, self.before = found[0], found[1] if len(found) > 1 else None
            self.clip_opened.emit()
            self.changed.emit()

    def ask_strip(self, light: bool, show: Callable[[tuple[np.ndarray, ...]], None]) -> None:
        """Have small pictures of the open clip made; ``show`` is called when they are there, if it still is open."""
        clip, ground, places = self.clip, self.ground, self.places
        if clip is None or ground is None or places is None:
            return
        air = clip.condition == "air"

        def keep(strip: tuple[np.ndarray, ...]) -> None:
            if clip is self.clip:
                show(strip)

        self.session.draw(lambda: make_strip(ground.scene, clip.qpos, places, air, light), keep)

    def step_clip(self, by: int) -> None:
        self.choose_clip(min(max(self._place + by, 0), len(self.clips) - 1))

    @property
    def clip_clock(self) -> TakeClock:
        if self.clip is None:
            return TakeClock(50.0, 0.0, 1)
        return TakeClock(self.clip.fps, 0.0, len(self.clip.qpos))

    @property
    def clip_pairs(self) -> tuple[Pair, ...]:
        """The clip's own figures."""
        if self.clip is None:
            return ()
        pairs = [
            Pair(tr("teacher.condition"), tr(f"gate.{self.clip.condition}")),
            Pair(tr("teacher.seed"), str(self.clip.seed)),
        ]
        if "mean_error_m" in self.clip.figures:
            pairs.append(Pair(tr("teacher.off_reference"), units.centimetres(self.clip.figures["mean_error_m"])))
        if self.before is not None and "mean_error_m" in self.before.figures:
            pairs.append(Pair(tr("teacher.clip_before"), units.centimetres(self.before.figures["mean_error_m"])))
        return tuple(pairs)

    @property
    def snapshot(self) -> Kept | None:
        """The snapshot that belongs to the open clip: the same iteration, or the next one after it."""
        if not 0 <= self._place < len(self.clips):
            return None
        iteration = self.clips[self._place].iteration
        later = [kept for kept in self.story.snapshots if kept.iteration >= iteration > 0]
        return min(later, key=lambda kept: kept.iteration, default=None)

    @property
    def can_adopt(self) -> bool:
        return (
            self.snapshot is not None
            and not self.stage.is_running
            and self.stage.view.state in ("needs_eyes", "automatic", "approved")
        )

    @property
    def adopt_hint(self) -> str:
        if self.stage.is_running:
            return tr("teacher.adopt_later")
        if self.clips and self.snapshot is None:
            return tr("teacher.adopt_first")
        return tr("teacher.adopt_what", count=self.snapshot.iteration) if self.snapshot else ""

    def adopt(self, words: str) -> None:
        """Keep this snapshot as the teacher; the coach's verdict on stage 7."""
        if self.can_adopt and self.snapshot is not None:
            choice = self.session.project.layout.relative(self.snapshot.path)
            self.session.approve(STAGE, words, choice=choice)

    @property
    def start_key(self) -> str:
        """What Start will do: begin, begin anew, or go on with a run that was left."""
        if not self.has_run:
            return "teacher.start"
        return "teacher.go_on" if self.goes_on else "teacher.start_again"

    @property
    def can_start(self) -> bool:
        return self.stage.can_run_on(self.machine)

    def start(self) -> None:
        """Begin, or have the session say why not."""
        self.session.run(STAGE, self.machine)

    def stop(self) -> None:
        self.stage.cancel()
