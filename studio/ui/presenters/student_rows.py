"""A student's gates as rows beside those of his teachers and of the former student, what got worse on top."""

from __future__ import annotations

from dataclasses import dataclass

from studio.app.student import SkillView
from studio.app.text import tr
from studio.schema.training import GateRow, GateTable
from studio.ui.presenters.gate import FAILS, PASSES, SHOWN, limit_text, name_of, value_text, verdict_of
from studio.ui.presenters.presenter import technique_name

NOTICEABLE = 0.1
"""A value is worse or better where it differs by this share of its limit."""
LOST, FAILING, WORSE, SAME, BETTER = "lost", "failing", "worse", "same", "better"
ORDER = (LOST, FAILING, WORSE, SAME, BETTER)


@dataclass(frozen=True)
class StudentRow:
    """One row of one skill. ``change``: lost (the teacher keeps the limit, the student does not), failing (neither
    does), worse, same or better than the teacher."""

    technique: str
    student: GateRow
    teacher: GateRow | None
    former: GateRow | None
    change: str

    @property
    def name(self) -> str:
        return tr("student.row", technique=technique_name(self.technique), row=name_of(self.student))

    @property
    def is_lost(self) -> bool:
        return self.change == LOST

    @property
    def is_worse(self) -> bool:
        return self.change in (LOST, FAILING, WORSE)

    @property
    def limit(self) -> str:
        return limit_text(self.student)

    def of(self, who: str) -> GateRow | None:
        """The row of "student", "teacher" or "former"."""
        return {"student": self.student, "teacher": self.teacher, "former": self.former}[who]

    def text(self, who: str) -> str:
        """The worst value over all tries; empty where there is none."""
        row = self.of(who)
        if row is None:
            return ""
        if _asks_whether(row):
            return tr("stages.yes" if row.passed or worst(row) >= row.limit else "stages.no")
        return value_text(row, worst(row), unit=True)

    def verdict(self, who: str) -> str:
        row = self.of(who)
        return verdict_of(row, worst(row)) if row is not None else SHOWN


def rows_of(skills: tuple[SkillView, ...]) -> tuple[StudentRow, ...]:
    """All rows of all skills: first what was lost, then what fails, then what got worse; the rest as the gate has
    them."""
    rows = [
        StudentRow(
            skill.technique, row, teacher, _same_row(skill.former and skill.former.gate, row), change(row, teacher)
        )
        for skill in skills
        for row in skill.student.gate.rows
        for teacher in (_same_row(skill.teacher.gate, row),)
    ]
    return tuple(sorted(rows, key=lambda row: ORDER.index(SAME if row.change == BETTER else row.change)))


def change(row: GateRow, teacher: GateRow | None) -> str:
    """How the student's row stands against the teacher's."""
    if not row.passed:
        return LOST if teacher is None or teacher.passed else FAILING
    if teacher is None:
        return SAME
    if not teacher.passed:
        return BETTER
    gain = worst(row) - worst(teacher)
    gain = -gain if row.sense == "below" else gain
    least = NOTICEABLE * max(abs(row.limit), 1e-6)
    return BETTER if gain > least else WORSE if gain < -least else SAME


def worst(row: GateRow) -> float:
    """The value farthest on the wrong side over all tries."""
    values = [value for found in row.values.values() for value in found]
    return max(values) if row.sense == "below" else min(values)


def worst_try(row: GateRow) -> tuple[str, int]:
    """Condition and place of the seed of the worst value; on the bag rather than in the air where they are equal."""
    wanted = worst(row)
    for condition, found in reversed(row.values.items()):
        if wanted in found:
            return condition, found.index(wanted)
    raise ValueError(f"row {row.name} has no values")


def verdict_text(row: GateRow, condition: str, seed: int) -> tuple[str, str]:
    """A try's value in this row with its verdict; empty where the row does not ask for it."""
    found = row.values.get(condition, ())
    if seed >= len(found):
        return "", SHOWN
    verdict = verdict_of(row, found[seed])
    if _asks_whether(row):
        return f"{name_of(row)}: {tr('stages.yes' if verdict == PASSES else 'stages.no')}", verdict
    return f"{name_of(row)} {value_text(row, found[seed], unit=True)}", verdict


def tone_of(verdict: str) -> str:
    return {PASSES: "ok", FAILS: "bad"}.get(verdict, "text2")


def _asks_whether(row: GateRow) -> bool:
    return row.unit == "" and row.sense == "above" and row.limit == 1.0


def _same_row(gate: GateTable | None, row: GateRow) -> GateRow | None:
    return next((other for other in gate.rows if other.name == row.name), None) if gate else None
