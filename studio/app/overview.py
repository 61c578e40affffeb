"""What the disk says about a project at one moment, read in one go away from the window's thread."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from studio.app.trainings import TRAININGS, Place, place_of
from studio.schema.lineage import Approval, Record
from studio.schema.technique import Technique
from studio.store.project import Project
from studio.store.states import APPROVED, EYES, StageState

STAGES = tuple(range(1, 10))
FIRST_WITH_EYES = 5
"""Stages from here on end with the coach."""


@dataclass(frozen=True)
class StageView:
    """One stage of one subject. ``state``: locked ready running failed stale done needs_eyes approved, or automatic
    where it was approved and nobody looked. ``why``, ``line``: sentences of the store; ``revision``: number of the
    newest good result, 0 for none; ``summary``: its figures; ``finished``: a later stage may build on it;
    ``place``: where a training would begin or go on."""

    stage: int
    subject: str
    state: str = "locked"
    why: str = ""
    line: str = ""
    revision: int = 0
    summary: dict[str, Any] = field(default_factory=dict)
    finished: bool = False
    place: Place = field(default_factory=Place)

    @property
    def ends_with_eyes(self) -> bool:
        return self.stage >= FIRST_WITH_EYES


@dataclass(frozen=True)
class TechniqueView:
    """One technique with its nine stages."""

    name: str
    technique: Technique
    stages: tuple[StageView, ...]

    def stage(self, stage: int) -> StageView:
        return self.stages[stage - 1]

    @property
    def waiting(self) -> StageView | None:
        """The first stage that needs the coach's eyes."""
        return next((view for view in self.stages if view.state == "needs_eyes"), None)


@dataclass(frozen=True)
class Overview:
    """``happened``: every run and verdict, the newest first. ``synthetic``: nobody was filmed."""

    name: str
    techniques: tuple[TechniqueView, ...]
    happened: tuple[Record | Approval, ...]
    synthetic: bool = False

    def technique(self, name: str) -> TechniqueView | None:
        return next((view for view in self.techniques if view.name == name), None)


def with_running(overview: Overview, stage: int, subject: str) -> Overview:
    """The same with one stage running, for every technique whose stage it is."""
    views = tuple(
        replace(
            view,
            stages=tuple(
                replace(seen, state="running", finished=False)
                if (seen.stage, seen.subject) == (stage, subject)
                else seen
                for seen in view.stages
            ),
        )
        for view in overview.techniques
    )
    return replace(overview, techniques=views)


def read_overview(project: Project) -> Overview:
    """All techniques, all states, all that happened. Raises ``StudioError`` where a page of the project is damaged."""
    states = {(state.stage, state.subject): _view(project, state) for state in project.states()}
    views = []
    for name in project.techniques():
        technique = project.technique(name)
        nine = zip(STAGES, subjects_of(technique), strict=True)
        stages = tuple(states.get((stage, subject), StageView(stage, subject)) for stage, subject in nine)
        views.append(TechniqueView(name, technique, stages))
    return Overview(project.info.name, tuple(views), _happened(project), project.info.synthetic)


def subjects_of(technique: Technique) -> tuple[str, ...]:
    """Whose results the nine stages of a technique are: its session, its take, itself, the project."""
    take = f"{technique.session}/{technique.take}"
    return (technique.session, take, take, take, *([technique.name] * 4), "")


def newest_record(project: Project, stage: int, subject: str) -> Record | None:
    """How the newest good result of a stage came to be; None where there is none."""
    revision = project.revision(stage, subject)
    return revision.record if revision else None


def _view(project: Project, state: StageState) -> StageView:
    name = "needs_eyes" if state.state == EYES else state.state
    if state.state == APPROVED and state.automatic:
        name = "automatic"
    return StageView(
        state.stage,
        state.subject,
        name,
        state.why,
        state.line,
        state.revision,
        state.summary,
        state.finished,
        place_of(project, state.stage, state.subject) if state.stage in TRAININGS else Place(),
    )


def _happened(project: Project) -> tuple[Record | Approval, ...]:
    runs = [
        revision.record
        for stage in STAGES
        for subject in project.subjects(stage)
        for revision in project.revisions(stage, subject)
    ]
    everything: list[Record | Approval] = [*runs, *project.verdicts().approvals]
    return tuple(sorted(everything, key=_moment, reverse=True))


def _moment(entry: Record | Approval) -> tuple[str, int, bool]:
    """Times are kept to the second; within one a later stage comes after, and a verdict after its run."""
    return entry.when, entry.stage, isinstance(entry, Approval)
