"""What the page of one stage says: its state and why, figures, findings, what it was made from, what can be done."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal

from studio.app import units
from studio.app.overview import StageView, newest_record
from studio.app.session import Session
from studio.app.text import has, tr
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.lineage import Record
from studio.ui.presenters.presenter import Presenter, stage_name, waits_for

SHOWN_FINDINGS = 40


@dataclass(frozen=True)
class Pair:
    """A figure with its name."""

    name: str
    value: str


@dataclass(frozen=True)
class FindingLine:
    """A machine's suspicion in words. ``repaired``: the stage mended it already."""

    when: str
    what: str
    how_much: str
    repaired: bool


class StagePresenter(Presenter):
    """One stage of the chosen technique. ``progressed`` is the frequent part of ``changed``."""

    progressed = Signal()

    def __init__(self, session: Session, stage: int) -> None:
        super().__init__(session)
        self.number = stage
        self.record: Record | None = None
        self.loaded = False
        self._seen: tuple[str, int] = ("", -1)
        session.states_changed.connect(self.load)
        session.technique_chosen.connect(self.load)
        for signal in (session.stage_started, session.stage_cancelled):
            signal.connect(self.changed)
        session.failed.connect(self.changed)
        session.stage_progressed.connect(self.progressed)

    @property
    def view(self) -> StageView:
        return self.session.stage(self.number)

    @property
    def title(self) -> str:
        return stage_name(self.number)

    @property
    def sentence(self) -> str:
        return tr(f"stages.what.{self.number}")

    def load(self) -> None:
        """Read the record of the newest good result again, beside."""
        view = self.view
        if not self.session.is_open:
            return
        seen = (view.subject, view.revision)
        if seen == self._seen and self.loaded:
            self.changed.emit()
            return
        self._seen, self.loaded = seen, False
        stage, subject = self.number, view.subject
        self.session.ask(lambda project: newest_record(project, stage, subject), self._show)

    def _show(self, record: Record | None) -> None:
        self.record, self.loaded = record, True
        self.changed.emit()

    @property
    def state_line(self) -> str:
        """The state in a sentence of its own."""
        view = self.session.overview.technique(self.session.technique)
        before = waits_for(view.stages, self.number) if view else 0
        if before:
            return tr("stages.waits", stage=stage_name(before))
        return tr(f"stages.state.{self.view.state}")

    @property
    def why(self) -> str:
        """What the store says about it, where it says something."""
        return self.view.why if self.view.state in ("stale", "needs_eyes", "approved", "locked") else ""

    @property
    def error(self) -> StudioError | None:
        """What failed, from this session or from the record of before."""
        error = self.session.error(self.number)
        if error is None and self.view.state == "failed":
            what, _, rest = self.view.why.partition(": ")
            why, _, step = rest.partition(". ")
            return StudioError(what, why.rstrip("."), step.rstrip("."))
        return error if self.view.state not in ("running", "done", "approved", "automatic") else None

    @property
    def figures(self) -> tuple[Pair, ...]:
        """The figures that are named in this language; notes and lists are for :attr:`notes`."""
        summary = self.record.summary if self.record else {}
        shown = ((key, value) for key, value in summary.items() if has(f"figure.{key}"))
        return tuple(Pair(tr(f"figure.{key}"), figure(key, value)) for key, value in shown)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the stage remarked, in its own words."""
        summary = self.record.summary if self.record else {}
        return tuple(str(note) for note in summary.get("notes", ()))

    @property
    def findings(self) -> tuple[FindingLine, ...]:
        """Those that are still open in front, each by time."""
        found = self.record.findings if self.record else ()
        ordered = sorted(found, key=lambda finding: (finding.repaired, finding.start_s))
        return tuple(finding_line(finding) for finding in ordered[:SHOWN_FINDINGS])

    @property
    def findings_count(self) -> int:
        return len(self.record.findings) if self.record else 0

    @property
    def made_from(self) -> tuple[Pair, ...]:
        """Inputs by their first hash digits."""
        inputs = self.record.inputs if self.record else {}
        return tuple(Pair(path, sha[:10]) for path, sha in inputs.items())

    @property
    def run_facts(self) -> tuple[Pair, ...]:
        """When, how long, with which versions."""
        record = self.record
        if record is None:
            return ()
        facts = [
            Pair(tr("stages.revision"), str(record.revision)),
            Pair(tr("stages.when"), units.moment(record.when)),
            Pair(tr("stages.took"), units.length_of_time(record.seconds)),
        ]
        named = {"stage": tr("stages.version")}
        return (*facts, *(Pair(named.get(name, name), str(version)) for name, version in record.versions.items()))

    @property
    def is_running(self) -> bool:
        progress = self.session.running
        return progress is not None and (progress.stage, progress.subject) == (self.number, self.view.subject)

    @property
    def progress(self) -> tuple[float, str, str]:
        """Share done, what it does, time left in words."""
        progress = self.session.running
        if progress is None:
            return 0.0, "", ""
        left = tr("top.left", time=units.length_of_time(progress.left_s)) if progress.left_s is not None else ""
        return progress.fraction, progress.text or tr("stages.starting"), left

    @property
    def can_run(self) -> bool:
        return self.session.is_open and self.session.running is None and self.view.state not in ("locked", "running")

    @property
    def can_approve(self) -> bool:
        """A look is due, or only a machine has passed it on."""
        return self.view.ends_with_eyes and self.view.state in ("needs_eyes", "automatic")

    @property
    def run_key(self) -> str:
        return "stages.run_again" if self.view.revision or self.view.state == "failed" else "stages.run"

    def run(self) -> None:
        if self.can_run:
            self.session.run(self.number)

    def cancel(self) -> None:
        if self.is_running:
            self.session.stop()

    def approve(self, words: str = "") -> None:
        if self.can_approve:
            self.session.approve(self.number, words)


_UNITS = {"percent": ("%", 1), "mm": ("mm", 1), "px": ("px", 2), "s": ("s", 2)}


def figure(key: str, value: object) -> str:
    """A figure of a summary as it is read: its unit is the end of its name."""
    if isinstance(value, bool):
        return tr("stages.yes" if value else "stages.no")
    if not isinstance(value, (int, float)):
        named = f"figure_value.{key}.{value}"
        return tr(named) if has(named) else str(value)
    unit, digits = _UNITS.get(key.rpartition("_")[2], ("", 3))
    if key == "stature":
        unit, digits = "m", 2
    text = str(value) if isinstance(value, int) else units.number(value, digits)
    if not unit and "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text} {unit}".rstrip()


def finding_line(finding: Finding) -> FindingLine:
    """A finding in words: what, where, when, how much against which limit."""
    key = f"finding.{finding.kind}"
    what = tr(key) if has(key) else finding.kind.replace("_", " ")
    value, limit = units.with_unit(finding.value, finding.unit), units.with_unit(finding.limit, finding.unit)
    how_much = tr("stages.value_of", value=value, limit=limit)
    subject = finding.subject.replace("_", " ").strip()
    return FindingLine(
        units.span(finding.start_s, finding.end_s),
        f"{what} · {subject}" if subject else what,
        how_much,
        finding.repaired,
    )
