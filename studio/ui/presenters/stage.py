"""What the page of one stage says: its state and why, figures, findings, what it was made from, what can be done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Signal

from studio.app import findings, units
from studio.app.actions import tooltip
from studio.app.overview import StageView, newest_record
from studio.app.said import as_error, said, sentence
from studio.app.session import Session
from studio.app.text import has, keys, tr
from studio.schema.errors import StudioError
from studio.schema.findings import Finding
from studio.schema.lineage import Record
from studio.ui.presenters.presenter import Presenter, stage_name, waits_for


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


@dataclass(frozen=True)
class FindingGroup:
    """Findings of one kind, the worst first; ``worst`` says how bad that one is. ``repaired``: all of them are."""

    kind: str
    name: str
    worst: str
    lines: tuple[FindingLine, ...]
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
        """Read the record of the newest good result again, beside; not before it is known whose it would be."""
        view = self.view
        if not self.session.is_open or self.session.overview.technique(self.session.technique) is None:
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
        if self.waits_for:
            return tr("stages.waits", stage=stage_name(self.waits_for))
        return tr(f"stages.state.{self.view.state}")

    @property
    def waits_for(self) -> int:
        """The earlier stage without which it cannot run; 0 where there is none."""
        view = self.session.overview.technique(self.session.technique)
        return waits_for(view.stages, self.number, ("locked", "stale")) if view else 0

    @property
    def why(self) -> str:
        """What the store says about it, where it says something; of an approval the coach's own words."""
        if self.view.state == "approved":
            return self.view.why
        return sentence(self.view.why) if self.view.state in ("stale", "needs_eyes", "locked") else ""

    @property
    def error(self) -> StudioError | None:
        """What failed, from this session or from the record of before."""
        error = self.session.error(self.number)
        if error is None and self.view.state == "failed":
            return as_error(self.view.why)
        return error if self.view.state not in ("running", "done", "approved", "automatic") else None

    @property
    def figures(self) -> tuple[Pair, ...]:
        """The figures that have a name, in the order of the names; notes and lists are for :attr:`notes`."""
        summary = self.record.summary if self.record else {}
        shown = [key for key in keys(f"figure.{self.number}") if key in summary]
        return tuple(Pair(tr(f"figure.{self.number}.{key}"), figure(key, summary[key])) for key in shown)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the stage remarked."""
        summary = self.record.summary if self.record else {}
        return tuple(sentence(str(note)) for note in summary.get("notes", ()))

    @property
    def findings(self) -> tuple[FindingGroup, ...]:
        """By kind: those with something open in front, then the worst; the same within each."""
        found = sorted(self.record.findings if self.record else (), key=_weight)
        kinds = dict.fromkeys(finding.kind for finding in found)
        return tuple(_group(kind, [finding for finding in found if finding.kind == kind]) for kind in kinds)

    @property
    def findings_count(self) -> int:
        return len(self.record.findings) if self.record else 0

    @property
    def made_from(self) -> tuple[Pair, ...]:
        """Inputs, each by its folder and name, with its first hash digits."""
        inputs = self.record.inputs if self.record else {}
        return tuple(Pair("/".join(path.split("/")[-2:]), sha[:10]) for path, sha in inputs.items())

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
        return self.session.run_of(self.number) is not None

    @property
    def progress(self) -> tuple[float, str, str]:
        """Share done, what it does, time left in words."""
        progress = self.session.run_of(self.number)
        if progress is None:
            return 0.0, "", ""
        left = tr("top.left", time=units.length_of_time(progress.left_s)) if progress.left_s is not None else ""
        return progress.fraction, said(progress.text) or tr("stages.starting"), left

    @property
    def can_run(self) -> bool:
        return self.can_run_on(None)

    def can_run_on(self, machine: str | None) -> bool:
        """The same on a machine of one's choice, empty for this computer."""
        free = self.session.is_open and self.session.refusal(self.number, machine) is None
        return free and self.view.state not in ("locked", "running") and not self.waits_for

    @property
    def run_hint(self) -> str:
        """Why it cannot run just now, where another run is in its way; else what running it means."""
        refusal = self.session.refusal(self.number) if self.session.is_open else None
        return sentence(refusal.why) if refusal is not None else tooltip("run")

    @property
    def can_approve(self) -> bool:
        """A look is due, or only a machine has passed it on."""
        return self.view.ends_with_eyes and self.view.state in ("needs_eyes", "automatic")

    @property
    def run_key(self) -> str:
        return "stages.run_again" if self.view.revision or self.view.state == "failed" else "stages.run"

    def run(self) -> None:
        """Begin, or have the session say why not."""
        self.session.run(self.number)

    def cancel(self) -> None:
        self.session.stop(self.number, self.view.subject)

    def approve(self, words: str = "") -> None:
        if self.can_approve:
            self.session.approve(self.number, words)


_UNITS = {
    "percent": ("%", 1),
    "mm": ("mm", 1),
    "px": ("px", 2),
    "ms": ("ms", 2),
    "ppm": ("ppm", 1),
    "s": ("s", 2),
    "deg": ("°", 1),
}


def figure(key: str, value: object) -> str:
    """A figure of a summary as it is read: its unit stands in its name, at the end or before the phone's letter."""
    if isinstance(value, bool):
        return tr("stages.yes" if value else "stages.no")
    if not isinstance(value, (int, float)):
        named = f"figure_value.{key}.{value}"
        return tr(named) if has(named) else str(value)
    unit, digits = next((_UNITS[part] for part in reversed(key.split("_")[1:]) if part in _UNITS), ("", 3))
    if key == "stature":
        unit, digits = "m", 2
    text = str(value) if isinstance(value, int) else units.number(value, digits)
    if not unit and "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{text}{unit}" if unit == "°" else f"{text} {unit}".rstrip()


def finding_line(finding: Finding) -> FindingLine:
    """A finding in words: what, where, when, how much against which limit."""
    what, subject = findings.kind_name(finding.kind), findings.subject_name(finding.subject)
    return FindingLine(
        units.span(finding.start_s, finding.end_s),
        f"{what} · {subject}" if subject else what,
        findings.amount(finding),
        finding.repaired,
    )


def _weight(finding: Finding) -> tuple[bool, float, float]:
    return finding.repaired, -findings.severity(finding), finding.start_s


def _group(kind: str, found: list[Finding]) -> FindingGroup:
    lines = tuple(replace(finding_line(f), what=_capital(findings.subject_name(f.subject))) for f in found)
    repaired = all(finding.repaired for finding in found)
    return FindingGroup(kind, findings.kind_name(kind), findings.amount(found[0]), lines, repaired)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
