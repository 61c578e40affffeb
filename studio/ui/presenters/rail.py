"""The rail's words: nine stages of the chosen technique, one line of truth each."""

from __future__ import annotations

from dataclasses import dataclass

from studio.app.overview import STAGES, StageView
from studio.app.said import sentence
from studio.app.session import Session
from studio.app.text import tr
from studio.ui.presenters.presenter import Presenter, stage_name, state_line, technique_name, waits_for


@dataclass(frozen=True)
class RailRow:
    """One stage as the rail shows it. ``state``: the sign's name."""

    stage: int
    state: str
    line: str
    why: str
    ends_with_eyes: bool


class RailPresenter(Presenter):
    """Follows the session's states."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        session.states_changed.connect(self.changed)
        session.technique_chosen.connect(self.changed)
        session.stage_progressed.connect(self.changed)

    @property
    def technique(self) -> str:
        return technique_name(self.session.technique) if self.session.technique else ""

    @property
    def techniques(self) -> tuple[tuple[str, str], ...]:
        """Folder and readable name of each technique."""
        return tuple((view.name, technique_name(view.name)) for view in self.session.overview.techniques)

    @property
    def rows(self) -> tuple[RailRow, ...]:
        view = self.session.overview.technique(self.session.technique)
        stages = view.stages if view else tuple(StageView(stage, "") for stage in STAGES)
        return tuple(self._row(stages, stage) for stage in STAGES)

    def _row(self, stages: tuple[StageView, ...], stage: int) -> RailRow:
        view, before = stages[stage - 1], waits_for(stages, stage)
        line = tr("rail.waits", stage=stage_name(before)) if before else state_line(view)
        progress = self.session.run_of(stage)
        if progress is not None:
            line = f"{line} · {100 * progress.fraction:.0f} %"
        return RailRow(stage, view.state, line, sentence(view.why), view.ends_with_eyes)
