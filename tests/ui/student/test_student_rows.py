"""Rows of a student against his teachers: what was lost stands on top."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.app.student import Policy, SkillView
from studio.schema.training import GateRow, GateTable
from studio.ui.presenters.student_rows import change, rows_of, verdict_text, worst, worst_try


def row(value: float, sense: str = "below", limit: float = 10.0, judged: bool = True, name: str = "lean") -> GateRow:
    return GateRow(name, "deg", sense, limit, judged, {"air": (1.0, 2.0), "bag": (1.0, value)})


@pytest.mark.parametrize(
    ("student", "teacher", "wanted"),
    [
        (row(12.0), row(5.0), "lost"), (row(12.0), row(14.0), "failing"), (row(9.0), row(4.0), "worse"),
        (row(4.5), row(4.0), "same"), (row(3.0), row(9.0), "better"), (row(3.0), row(12.0), "better"),
        (row(0.5, "above", 0.4), row(0.9, "above", 0.4), "worse"),
        (row(12.0, judged=False), row(2.0, judged=False), "worse"),
        (row(12.0), None, "lost"), (row(2.0), None, "same"),
    ],
)  # fmt: skip
def test_a_row_is_compared_by_its_worst_value(student: GateRow, teacher: GateRow | None, wanted: str) -> None:
    assert change(student, teacher) == wanted


def test_the_worst_try_is_the_one_to_look_at() -> None:
    assert worst(row(7.0)) == 7.0 and worst_try(row(7.0)) == ("bag", 1)
    assert worst_try(row(2.0)) == ("bag", 1), "on the bag where both are equal"
    above = row(5.0, "above", 0.5)
    assert worst(above) == 1.0 and worst_try(above) == ("bag", 0)
    assert verdict_text(row(12.0), "bag", 1) == ("Lean past reference 12.0°", "fails")
    assert verdict_text(row(12.0), "bag", 7) == ("", "shown")
    whether = GateRow("front_foot", "", "above", 1.0, True, {"air": (1.0, 0.0)})
    assert verdict_text(whether, "air", 1) == ("The right foot in front: no", "fails")


def test_what_was_lost_comes_first_and_the_rest_stays_in_the_gates_order() -> None:
    def gate(*rows: GateRow) -> GateTable:
        return GateTable("jab", "iter-000001", (1, 2), rows, {}, "", "", {})

    def who(table: GateTable) -> Policy:
        return Policy("r1", Path("x.onnx"), table)

    student = gate(row(4.0, name="a"), row(9.0, name="b"), row(3.0, name="c"), row(12.0, name="d"), row(13.0, name="e"))
    teacher = gate(row(4.0, name="a"), row(4.0, name="b"), row(9.0, name="c"), row(14.0, name="d"), row(5.0, name="e"))
    rows = rows_of((SkillView("jab", who(student), who(teacher), who(gate(row(8.0, name="b"))), None),))
    assert [(r.student.name, r.change) for r in rows] == [
        ("e", "lost"), ("d", "failing"), ("b", "worse"), ("a", "same"), ("c", "better"),
    ]  # fmt: skip
    b = rows[2]
    assert (b.text("student"), b.text("teacher"), b.text("former")) == ("9.0°", "4.0°", "8.0°")
    assert rows[0].text("former") == "" and rows[0].verdict("student") == "fails" and b.name == "Jab: b"
