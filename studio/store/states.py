"""The state of a stage, derived from what is on disk and never stored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from studio.schema.errors import StudioError
from studio.schema.lineage import Approval, Record
from studio.store import fingerprint
from studio.store.catalog import Declaration, Inputs, declaration
from studio.store.lines import line
from studio.store.lock import read_holder
from studio.store.revisions import Revision

if TYPE_CHECKING:
    from studio.store.project import Project

LOCKED, READY, RUNNING, FAILED, STALE = "locked", "ready", "running", "failed", "stale"
DONE, EYES, APPROVED = "done", "needs your eyes", "approved"
FINISHED = (DONE, APPROVED)


@dataclass(frozen=True)
class StageState:
    """``state``: one of the eight; ``why``: a sentence where it is not what one would hope for; ``line``: what came
    out; ``automatic``: approved by ``--yes``, nobody looked; ``revision``: number of the newest good one, 0 for none;
    ``summary``: its figures; ``behind``: the state of the earlier stage that does not let this one begin."""

    stage: int
    subject: str
    state: str
    why: str = ""
    line: str = ""
    automatic: bool = False
    revision: int = 0
    summary: dict[str, Any] = field(default_factory=dict)
    behind: str = ""

    @property
    def finished(self) -> bool:
        """Whether a later stage may build on it."""
        return self.state in FINISHED


class States:
    """Derives states; one object answers for one moment and asks each stage only once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[int, str], StageState] = {}
        self._verdicts = project.verdicts()

    def of(self, stage: int, subject: str) -> StageState:
        """The state of one stage for one subject."""
        key = (stage, subject)
        if key not in self._known:
            self._known[key] = self._derive(declaration(stage), subject)
        return self._known[key]

    def _derive(self, stage: Declaration, subject: str) -> StageState:
        revisions = self._project.revisions(stage.number, subject)
        good = next((r for r in reversed(revisions) if r.good), None)
        holder = read_holder(self._project.layout.job(stage.number, subject))
        if holder is not None and not holder.is_gone:
            return self._answer(stage, subject, good, RUNNING, "")
        try:
            inputs = stage.inputs(self._project, subject)
            behind = self._in_the_way(inputs)
            blocked = self._blocked(inputs, behind)
            if blocked:
                answer = self._answer(stage, subject, good, STALE if good else LOCKED, blocked)
                return replace(answer, behind=behind.state if behind else "")
            wanted = fingerprint.of(self._project, stage.number, subject, inputs)
        except StudioError as error:
            return self._answer(stage, subject, good, STALE if good else LOCKED, f"{error.what}: {error.why}")
        last = revisions[-1] if revisions else None
        if last and not last.good and last.record.fingerprint == wanted.value:
            return self._answer(stage, subject, good, FAILED, last.record.error)
        if good is None:
            return self._answer(stage, subject, None, READY, "")
        if good.record.fingerprint != wanted.value:
            return self._answer(stage, subject, good, STALE, fingerprint.difference(good.record, wanted))
        damage = fingerprint.damage(self._project, good.record)
        if damage:
            return self._answer(stage, subject, good, STALE, damage)
        return self._judged(stage, subject, good)

    def _in_the_way(self, inputs: Inputs) -> StageState | None:
        """The first earlier stage that does not let this one begin."""
        states = (self.of(upstream.stage, upstream.subject) for upstream in inputs.upstream)
        return next((state for state in states if not state.finished), None)

    def _blocked(self, inputs: Inputs, behind: StageState | None) -> str:
        """Why this one cannot begin, or nothing."""
        if behind is not None:
            title = declaration(behind.stage).title
            return f"stage {behind.stage} ({title}) of {behind.subject} {_obstacle(behind.state)}"
        if inputs.missing:
            return inputs.missing
        if not inputs.upstream and not inputs.files:
            return "there is nothing to build on yet"
        return ""

    def _judged(self, stage: Declaration, subject: str, good: Revision) -> StageState:
        if not stage.eyes:
            return self._answer(stage, subject, good, DONE, "")
        verdict = self._verdicts.latest(stage.number, subject, good.fingerprint)
        if verdict and verdict.verdict == "approved":
            return self._answer(stage, subject, good, APPROVED, verdict.words, automatic=verdict.automatic)
        return self._answer(stage, subject, good, EYES, self._taken_back(stage.number, subject, good))

    def _taken_back(self, stage: int, subject: str, good: Revision) -> str:
        """Why an earlier approval does not hold for this result."""
        earlier = self._verdicts.latest_of(stage, subject)
        if earlier is None:
            return ""
        if earlier.verdict != "approved":
            return f"the approval was withdrawn on {earlier.when[:10]}"
        old = self._seen(stage, subject, earlier)
        changed = fingerprint.changes(old.inputs, good.record.inputs) if old else ()
        what = f"{' and '.join(changed)} changed since" if changed else "this is another result"
        return f"the approval of {earlier.when[:10]} was taken back: {what}"

    def _seen(self, stage: int, subject: str, approval: Approval) -> Record | None:
        for revision in self._project.revisions(stage, subject):
            if revision.fingerprint == approval.fingerprint:
                return revision.record
        return None

    @staticmethod
    def _answer(
        stage: Declaration, subject: str, good: Revision | None, state: str, why: str, *, automatic: bool = False
    ) -> StageState:
        summary = good.record.summary if good else {}
        text = line(stage.number, summary) if good else ""
        return StageState(stage.number, subject, state, why, text, automatic, good.number if good else 0, summary)


def _obstacle(state: str) -> str:
    return {
        LOCKED: "is locked",
        READY: "has not run",
        RUNNING: "is running",
        FAILED: "failed",
        STALE: "is stale",
        EYES: "waits for your eyes",
    }[state]
