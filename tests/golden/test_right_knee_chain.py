"""The sample right-knee from two virtual phones to a student, with trainings of a minute: that every part of the way
works, and learns. What a whole training makes of it is told by ``tests/bench/knee.py``."""

from __future__ import annotations

import json

import pytest

from studio.schema.training import GateTable
from studio.store.project import Project
from studio.store.verify import verify
from tests.chain import padwork, right_knee_project

pytestmark = pytest.mark.timeout(1800)

TECHNIQUES = ("right-knee", "stance")
RISE = 1.05
"""A minute's return over that of the untrained policy, at least; with a learning rate of zero it stays within 2 %."""

LEFT_PERCENT = 10.0
"""Of the student's action error to each teacher, at most."""


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.open(right_knee_project())


def test_every_stage_of_every_technique_is_finished(project: Project) -> None:
    assert [state.stage for state in project.states() if not state.finished] == []
    assert verify(project).problems == ()


def test_each_result_says_that_nobody_looked(project: Project) -> None:
    assert all(state.automatic for state in project.states() if state.stage >= 5)


def test_it_says_plainly_that_nobody_was_filmed(project: Project) -> None:
    assert project.info.synthetic


def test_the_knee_gets_better(project: Project) -> None:
    first, last = evaluations(project, "right-knee")
    assert last["eval_reward_sum"] > RISE * first["eval_reward_sum"]
    assert last["eval_survival"] > first["eval_survival"]


def test_the_guard_stands_from_the_start_and_is_not_unlearned(project: Project) -> None:
    first, last = evaluations(project, "stance")
    assert first["eval_survival"] == last["eval_survival"] == 1.0
    assert last["eval_reward_sum"] > 0.98 * first["eval_reward_sum"]


def evaluations(project: Project, technique: str) -> list[dict[str, float]]:
    """What the deterministic policy did on the fixed episodes, untrained and at the end."""
    told = (project.layout.teacher(technique, "r1") / "events.jsonl").read_text().splitlines()
    values = [json.loads(line).get("values", {}) for line in told]
    return [found for found in values if "eval_reward_sum" in found]


def test_the_teacher_of_the_stance_passes_his_gate(project: Project) -> None:
    table = project.load(8, "stance", GateTable, "table")
    assert table.passed and "hit" not in {row.name for row in table.rows}


def test_the_student_learns_from_both_and_is_judged_by_skill(project: Project) -> None:
    revision = project.revision(9, "")
    assert revision is not None
    errors = revision.record.summary["errors"]
    assert set(errors) == set(TECHNIQUES)
    assert all(100 * last <= LEFT_PERCENT * first for first, last in errors.values()), errors
    for technique in TECHNIQUES:
        student, teacher = (project.load(9, "", GateTable, part) for part in (technique, f"{technique}+teacher"))
        assert student.seeds == teacher.seeds and len(student.seeds) == 6
        assert student.policy_sha256 != teacher.policy_sha256


def test_the_rail_as_text_names_both_techniques(project: Project) -> None:
    told = padwork(project.layout.root.parent, "status", str(project.layout.root))
    assert told.returncode == 0 and all(name in told.stdout for name in TECHNIQUES)
