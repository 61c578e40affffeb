"""What Home says: what needs the coach's eyes, the techniques, what runs and what happened."""

from __future__ import annotations

from dataclasses import dataclass

from studio.app import units
from studio.app.overview import StageView, TechniqueView
from studio.app.pictures import draw_pose, telling_pose
from studio.app.said import as_error, said
from studio.app.session import Session
from studio.app.stage_run import Progress
from studio.app.text import tr
from studio.schema.lineage import Approval, Record
from studio.ui.presenters.presenter import Presenter, figures_line, stage_name, state_line, technique_name

CARDS = 6
HAPPENED = 12


@dataclass(frozen=True)
class Card:
    """Something that needs the coach's eyes. ``unseen``: it was passed on and waits for nobody, but nobody looked."""

    technique: str
    stage: int
    head: str
    title: str
    sentence: str
    action: str
    unseen: bool = False


@dataclass(frozen=True)
class TechniqueCard:
    """One technique: nine states, what waits, and whether that is the coach's eyes."""

    name: str
    title: str
    note: str
    states: tuple[str, ...]
    foot: str
    state: str
    goes_to: int


@dataclass(frozen=True)
class Entry:
    """One thing that happened."""

    icon: str
    what: str
    detail: str
    when: str


@dataclass(frozen=True)
class Job:
    """One run: whose it is, its name, what it does, time left in words, share done."""

    stage: int
    subject: str
    name: str
    text: str
    left: str
    fraction: float


class HomePresenter(Presenter):
    """Follows states and jobs; pictures come one after the other."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._pictures: dict[tuple[str, int, bool, int, int], object] = {}
        for signal in (session.states_changed, session.project_opened):
            signal.connect(self.changed)

    @property
    def headline(self) -> str:
        waiting, unseen = len(self.waiting), len(self.unseen)
        if not waiting and not unseen:
            return tr("home.headline_none")
        count = waiting or unseen
        words = tr(f"number.{count}") if count <= 9 else str(count)
        return tr("home.headline" if waiting else "home.headline_unseen", count=count, words=words)

    @property
    def sentence(self) -> str:
        """Under the headline: what was passed on unseen, or what to do next."""
        if self.unseen:
            return tr("home.unseen", count=len(self.unseen)) if self.waiting else tr("home.unseen_sentence")
        return "" if self.waiting else tr("home.headline_sentence")

    @property
    def next_step(self) -> tuple[str, str, int] | None:
        """Words, technique and stage of the next thing to do where nothing waits for eyes; None where nothing is."""
        view = self.session.overview.technique(self.session.technique)
        if view is None or self.waiting:
            return None
        stage = next((s for s in view.stages if s.state in ("ready", "stale", "failed")), None)
        return (tr("home.go_on", stage=stage_name(stage.stage)), view.name, stage.stage) if stage else None

    @property
    def waiting(self) -> tuple[Card, ...]:
        """What stops until the coach has looked."""
        found = [(view, view.waiting) for view in self.session.overview.techniques]
        return tuple(self._card(view, stage) for view, stage in found if stage is not None)

    @property
    def unseen(self) -> tuple[Card, ...]:
        """What was passed on automatically and nobody has looked at."""
        views = self.session.overview.techniques
        return tuple(self._card(view, s) for view in views for s in view.stages if s.state == "automatic")

    @property
    def cards(self) -> tuple[Card, ...]:
        """What waits, then what nobody has seen."""
        return (*self.waiting, *self.unseen)

    @staticmethod
    def _card(view: TechniqueView, stage: StageView) -> Card:
        return Card(
            view.name,
            stage.stage,
            stage_name(stage.stage),
            technique_name(view.name),
            tr(f"home.card.{stage.stage}.sentence", result=figures_line(stage)),
            tr(f"home.card.{stage.stage}.action"),
            stage.state == "automatic",
        )

    @property
    def techniques(self) -> tuple[TechniqueCard, ...]:
        return tuple(self._technique(view) for view in self.session.overview.techniques)

    @staticmethod
    def _technique(view: TechniqueView) -> TechniqueCard:
        stage = view.waiting or next((s for s in view.stages if not s.finished), view.stages[-1])
        foot = f"{stage_name(stage.stage)}: {tr(f'state.{stage.state}').lower()}"
        if stage.state == "needs_eyes":
            foot = tr("home.foot_eyes", stage=stage_name(stage.stage))
        retarget = view.stage(5)
        note = tr("home.revision", number=retarget.revision) if retarget.revision else ""
        states = tuple(s.state for s in view.stages)
        return TechniqueCard(view.name, technique_name(view.name), note, states, foot, stage.state, stage.stage)

    @property
    def happened(self) -> tuple[Entry, ...]:
        return tuple(self._entry(entry) for entry in self.session.overview.happened[:HAPPENED])

    def _entry(self, entry: Record | Approval) -> Entry:
        when, subject = units.moment(entry.when), technique_name(entry.subject.split("/")[-1])
        name = stage_name(entry.stage)
        if isinstance(entry, Approval):
            kind = "automatic" if entry.automatic else entry.verdict
            icon = {"automatic": "eye-off-outline", "approved": "eye-check-outline"}.get(kind, "eye-outline")
            return Entry(icon, tr(f"home.log.{kind}", stage=name), said(entry.words) or subject, when)
        if entry.status != "done":
            return Entry("close", tr("home.log.failed", stage=name), _failure(entry.error) or subject, when)
        view = StageView(entry.stage, entry.subject, "done", summary=entry.summary)
        took = units.length_of_time(entry.seconds)
        return Entry("check", tr("home.log.ran", stage=name, time=took), figures_line(view) or subject, when)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """All that runs, in the order in which it began."""
        return tuple(self._job(progress) for progress in self.session.runs)

    @staticmethod
    def _job(progress: Progress) -> Job:
        left = tr("top.left", time=units.length_of_time(progress.left_s)) if progress.left_s is not None else ""
        name = stage_name(progress.stage)
        if progress.machine:
            name = tr("training.on_machine", stage=name, machine=progress.machine)
        subject = technique_name(progress.subject.split("/")[-1])
        text = " · ".join(part for part in (subject, said(progress.text) or tr("stages.starting")) if part)
        return Job(progress.stage, progress.subject, name, text, left, progress.fraction)

    def stop(self, job: Job) -> None:
        self.session.stop(job.stage, job.subject)

    def open_technique(self, name: str) -> None:
        self.session.choose(name)

    def picture(self, technique: str, width: int, height: int, light: bool, show) -> None:
        """Call ``show`` with (H, W, 3) uint8 of the technique, now or when it is drawn; never where there is none."""
        view = self.session.overview.technique(technique)
        if view is None or not self.session.is_open:
            return
        key = (technique, 100 * view.stage(5).revision + view.stage(6).revision, light, width, height)
        if key in self._pictures:
            show(self._pictures[key])
            return
        project = self.session.project

        def draw() -> object:
            pose = telling_pose(project, technique)
            return None if pose is None else draw_pose(pose, width, height, light)

        def keep(picture: object) -> None:
            if picture is not None:
                self._pictures[key] = picture
                show(picture)

        self.session.draw(draw, keep)

    @property
    def pictures_drawn(self) -> bool:
        return self.session.pictures.idle

    def line(self, view: StageView) -> str:
        return state_line(view)


def _failure(line: str) -> str:
    """Why a run failed, in one line."""
    return said(as_error(line).why) if line else ""
