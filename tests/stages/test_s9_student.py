from __future__ import annotations

import json
from pathlib import Path

import pytest
from students import gym_of_two, run_both

from studio.cli.commands import run_command
from studio.domain.policy.network import open_policy
from studio.remote import student_run
from studio.remote.machine import Machine
from studio.schema.errors import StudioError
from studio.schema.training import GateRow, GateTable, StudentSpec
from studio.stages import execute, s9_student
from studio.stages.s9_student import lost_rows, summarise
from studio.stages.training_run import Heard
from studio.store.project import Project
from studio.store.skills import gate_part, policy_of
from studio.store.verify import verify


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADWORK_AGENT_ROOT", str(tmp_path / "agent"))


@pytest.mark.usefixtures("machine")
def test_a_student_is_distilled_on_this_computer_and_gated_per_skill(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = gym_of_two(tmp_path / "gym")
    assert run_command(["run", str(project.layout.root), "--through", "9", "--yes"]) == 0
    revision, state = project.revision(9, ""), project.state(9, "")
    assert revision is not None and state.state == "approved" and state.automatic
    summary = revision.record.summary
    assert summary["skills"] == 2 and summary["status"] == "done" and summary["iterations"] == 12
    assert set(summary["errors"]) == {"raise-l", "knee-r"} and summary["left_percent"] < 10.0
    assert all(last <= first / 10 for first, last in summary["errors"].values())
    card = open_policy(policy_of(revision)).card
    assert [skill.technique for skill in card.skills] == ["knee-r", "raise-l"]
    for name in ("raise-l", "knee-r"):
        student = project.load(9, "", GateTable, gate_part(name))
        teacher = project.load(9, "", GateTable, gate_part(name, teacher=True))
        assert student.technique == teacher.technique == name and len(student.seeds) == 6
        assert student.policy_sha256 == project.hashes.of(policy_of(revision))
        assert teacher == project.load(8, name, GateTable, "table")
    assert verify(project).problems == ()
    told = capsys.readouterr().out
    assert "9 Student: " in told and "of the error left" in told and "automatically" in told
    assert run_command(["distil", str(project.layout.root)]) == 0
    assert "9 Student: up to date" in capsys.readouterr().out


def test_of_one_technique_no_student_is_made_and_a_sentence_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = gym_of_two(tmp_path / "gym")
    project.approve(7, "knee-r", verdict="withdrawn")
    for command in (["run", str(project.layout.root), "--from", "9", "--through", "9", "--yes"],
                    ["distil", str(project.layout.root)]):  # fmt: skip
        assert run_command(command) == 1
        told = capsys.readouterr().err
        assert (
            told == "9 Student cannot run: it needs two adopted teachers, there is raise-l. Teach a second technique.\n"
        )
    with pytest.raises(StudioError, match="it needs two adopted teachers, there is raise-l"):
        execute.run_stage(project, 9, "", lambda fraction, text: None)


def test_distil_waits_for_the_coach_and_takes_another_preset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = gym_of_two(tmp_path / "gym", last=7)
    run_both(project, 7)
    assert run_command(["distil", str(project.layout.root), "--preset", "student"]) == 1
    assert "stage 8 (Gate) of knee-r has not run" in capsys.readouterr().err
    from studio.store.catalog import student_practice

    assert (student_practice(project).preset, student_practice(project).settings["envs"]) == ("student", 16)


@pytest.mark.usefixtures("machine")
def test_a_distillation_that_fails_says_the_programs_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = gym_of_two(tmp_path / "gym", envs=1)
    sent: list[StudentSpec] = []
    start = student_run.start_student

    def watched(machine: Machine, run_id: str, spec: StudentSpec, skills, **more):
        sent.append(spec)
        return start(machine, run_id, spec, skills, **more)

    monkeypatch.setattr(student_run, "start_student", watched)
    with pytest.raises(StudioError, match="envs is 1"):
        execute.run_stage(project, 9, "", lambda fraction, text: None)
    assert project.state(9, "").state == "failed"
    assert [skill.technique for skill in sent[0].skills] == ["knee-r", "raise-l"] and sent[0].seed == 1
    spec = json.loads((project.layout.students / "r1" / "spec.json").read_text())
    assert spec["skills"][0]["teacher_sha256"] == project.hashes.of(project.adopted("knee-r"))


def gate(technique: str, *rows: tuple[str, float, bool]) -> GateTable:
    made = tuple(GateRow(name, "", "below", 1.0, judged, {"air": (value,)}) for name, value, judged in rows)
    return GateTable(technique, "iter-000001", (100,), made, {}, "", "", {})


def test_the_summary_tells_what_is_left_of_the_error_and_what_was_lost() -> None:
    heard = Heard(lambda fraction, text: None)
    heard.hear({"type": "metric", "values": {"error/jab": 0.5, "error/knee": 0.2}})
    heard.hear({"type": "metric", "values": {"error/jab": 0.01, "error/knee": 0.03}})
    good, worse = (
        gate("jab", ("fall", 0.0, True), ("reach", 5.0, False)),
        gate("knee", ("fall", 2.0, True), ("lean", 2.0, True)),
    )
    taught = gate("knee", ("fall", 0.0, True), ("lean", 9.0, True))
    assert lost_rows(worse, taught) == ("fall",), "the lean was never kept"
    told = summarise({"jab": (good, good), "knee": (worse, taught)}, heard)
    assert (told["skills"], told["passed"], told["failed"], told["lost"]) == (2, 1, ["knee"], ["knee: fall"])
    assert told["errors"] == {"jab": [0.5, 0.01], "knee": [0.2, 0.03]} and told["left_percent"] == pytest.approx(15.0)


@pytest.mark.usefixtures("machine")
def test_a_distillation_whose_studio_died_is_gone_on_with(tmp_path: Path) -> None:
    project: Project = gym_of_two(tmp_path / "gym", iterations=5, updates=5)

    def die(fraction: float, text: str) -> None:
        if text.startswith("Iteration"):
            raise SystemError

    from studio.stages import graph
    from studio.stages.stage import Context

    wanted = execute._begin(project, graph.stage(9), "")
    with pytest.raises(SystemError):
        s9_student.run(Context(project, "", 1, project.layout.students, wanted.value, die))
    assert s9_student.resume(project, "", wanted.value) == 1
    assert s9_student.resume(project, "", "another") is None
    revision = execute.run_stage(project, 9, "", lambda fraction, text: None)
    assert revision.number == 1 and revision.record.summary["iterations"] == 5
